"""What scikit-learn's parameter validation may find in each parameter."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Hidden, Interval, Options, StrOptions

from .._svm.model import PREDICTIONS
from .._svm.train import CLUSTERINGS, KERNELS

Constraints = dict[str, list[Any]]

_ALL: Constraints = {
    "C": [Interval(Real, 0.0, None, closed="right")],
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "epsilon": [Interval(Real, 0.0, None, closed="left")],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "degree": [Interval(Integral, 0, None, closed="left")],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "shrinking": ["boolean"],
    "probability": ["boolean", StrOptions({"platt"}), Hidden(StrOptions({"deprecated"}))],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
    "cache_size": [Interval(Real, 0, None, closed="neither")],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "verbose": ["verbose"],
    "max_iter": [Interval(Integral, -1, None, closed="left")],
    "decision_function_shape": [StrOptions({"ovr", "ovo"})],
    "break_ties": ["boolean"],
    "random_state": ["random_state"],
    "fit_intercept": ["boolean"],
    "solver": [StrOptions({"auto", "smo", "dc"})],
    "n_levels": [Interval(Integral, 1, None, closed="left"), None],
    "branching": [Interval(Integral, 2, None, closed="left")],
    "sample_size": [Interval(Integral, 1, None, closed="left")],
    "clustering": [StrOptions(set(CLUSTERINGS))],
    "balance_clusters": ["boolean"],
    "early_level": [Interval(Integral, 1, None, closed="left"), None],
    "prediction": [StrOptions(set(PREDICTIONS))],
    "delta": [Interval(Real, 0.0, 1.0, closed="neither")],
    "n_support_estimate": [Interval(Integral, 2, None, closed="left"), None],
    "sample_factor": [Interval(Real, 1.0, None, closed="left")],
    "n_leaves": [Interval(Integral, 1, None, closed="left")],
    "n_passes": [Interval(Integral, 1, None, closed="left"), None],
    "precision": [StrOptions({"auto", "single", "double"})],
    "n_jobs": [Integral, None],
    "warm_start": ["boolean"],
    "callback": [callable, None],
}


def constraints(names: Iterable[str], **other: list[Any]) -> Constraints:
    """Those of the named parameters; `other` replaces some."""
    return {name: other.get(name, _ALL[name]) for name in names}


def one_of(*values: str) -> Options:
    return StrOptions(set(values))
