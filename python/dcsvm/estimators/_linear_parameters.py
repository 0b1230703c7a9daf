"""The parameters of the linear estimators, here and on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from .._input.choices import Balanced, LowRankLoss
from ._calibrated import CalibratedParameters
from ._parameters import POSITIVE, FiniteCostParameter, at_least, parameter

#: solvers of scikit-learn that fit one model of all classes.
MULTINOMIAL = ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
_CLASS_WEIGHT = (
    "Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where rows count as "
    "much as their ``sample_weight``."
)


@dataclass(kw_only=True, repr=False, eq=False)
class LinearParameters:
    """Of all linear estimators."""

    tol: float = parameter(1e-4, "Stop when the violation is below; its meaning is LIBLINEAR's for each problem.", POSITIVE)
    max_iter: int = parameter(1000, "Newton steps or passes at most. Reaching it is a ConvergenceWarning.", at_least(1))
    verbose: bool | int = parameter(0, "Show progress on stderr.", "verbose")
    random_state: Any = parameter(None, "Seed of the order of rows.", "random_state")
    n_jobs: int | None = parameter(None, "Threads, as in SVC. The model does not depend on it.", Integral, None)


@dataclass(kw_only=True, repr=False, eq=False)
class LinearBiasParameters:
    fit_intercept: bool = parameter(True, "With a bias.", "boolean")
    intercept_scaling: float = parameter(
        1, "Value of the feature whose weight is the bias, which is regularised: the larger, the less so.", POSITIVE
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVCParameters(CalibratedParameters, LinearParameters, LinearBiasParameters, FiniteCostParameter):
    """Of LinearSVC."""

    penalty: Literal["l1", "l2"] = parameter("l2", "l1: |w|_1, with which many weights are 0.", ("l1", "l2"), positional=True)
    loss: LowRankLoss = parameter("squared_hinge", "max(0, 1 - yz)^2, or its root.", ("hinge", "squared_hinge"), positional=True)
    dual: bool | Literal["auto"] = parameter(
        "auto", "What tol means: of the dual problem or of the primal one.", "boolean", ("auto",)
    )
    multi_class: Literal["ovr", "crammer_singer"] = parameter(
        "ovr", "Each class against the rest, or all in one problem.", ("ovr", "crammer_singer")
    )
    class_weight: Mapping[Any, float] | Balanced | None = parameter(None, _CLASS_WEIGHT, dict, ("balanced",), None)


@dataclass(kw_only=True, repr=False, eq=False)
class LogisticParameters(LinearParameters, FiniteCostParameter):
    """Of LogisticRegression."""

    max_iter: int = parameter(100, "Newton steps or passes at most. Reaching it is a ConvergenceWarning.", at_least(1))
    penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None = parameter(
        "deprecated",
        "l1: |w|_1, with which many weights are 0; l2: |w|^2. scikit-learn 1.8 replaces it by l1_ratio.",
        ("l1", "l2", "elasticnet"),
        None,
        Hidden(StrOptions({"deprecated"})),
        positional=True,
    )
    l1_ratio: float | None = parameter(
        0.0,
        "Without a penalty that is given: 1: l1; 0 and None: l2. Values between are refused.",
        Interval(Real, 0, 1, closed="both"),
        None,
    )
    dual: bool = parameter(False, "Whether tol is that of the dual problem: l2, and solver 'liblinear' or no bias.", "boolean")
    solver: Literal["auto", "liblinear", "lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"] = parameter(
        "auto",
        "'liblinear': the bias is regularised, as in scikit-learn. Its other names mean 'auto' for two classes; for more they "
        "mean the multinomial model, and are refused.",
        ("auto", "liblinear", *MULTINOMIAL),
    )
    fit_intercept: bool = parameter(True, "With a bias.", "boolean")
    intercept_scaling: float = parameter(
        1, "For a regularised bias: value of the feature whose weight it is; the larger, the less it is regularised.", POSITIVE
    )
    multi_class: Literal["auto", "ovr", "multinomial"] = parameter(
        "auto", "'auto' and 'ovr': each class against the rest. 'multinomial' is refused.", ("auto", "ovr", "multinomial")
    )
    class_weight: Mapping[Any, float] | Balanced | None = parameter(None, _CLASS_WEIGHT, dict, ("balanced",), None)
    warm_start: bool = parameter(False, "Start from the last fit's weights, where these have the same shape.", "boolean")
