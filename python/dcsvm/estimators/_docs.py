"""Docstrings: what a parameter or an attribute is, said once; each class lists those that it has."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)
F = TypeVar("F", bound=Callable[..., object])

_PARAMETERS = {
    "C": ("float", "Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes."),
    "nu": (
        "float",
        "In (0, 1]: an upper bound on the share of rows with errors and a lower bound on the share of support vectors.",
    ),
    "epsilon": ("float", "Half the width of the tube around the prediction in which targets cost nothing, >= 0."),
    "kernel": (
        "{'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'} or callable",
        "x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel values "
        "(symmetric), or a function of two sets of rows that returns theirs.",
    ),
    "degree": ("int", "Degree of the poly kernel, >= 0."),
    "gamma": (
        "{'scale', 'auto'} or float",
        "Of the rbf, poly and sigmoid kernels, >= 0; 'scale': 1 / (n_features * X.var()), 'auto': 1 / n_features.",
    ),
    "coef0": ("float", "Of the poly and sigmoid kernels."),
    "fit_intercept": ("bool", "With a bias (LIBSVM's problem) or without (the DC-SVM paper's)."),
    "shrinking": ("bool", "Leave variables that stay at a bound aside while solving."),
    "probability": (
        "bool or 'platt'",
        "Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest "
        "probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may differ, as in "
        "scikit-learn 1.9, where this is deprecated.",
    ),
    "tol": (
        "float",
        "Stop when the largest violation of the optimality conditions is below. Up to 200 rows 1e-10 is aimed at, as that costs "
        "next to nothing there.",
    ),
    "cache_size": ("float", "MB of working memory for kernel rows and packed data. More saves time on large problems."),
    "class_weight": (
        "dict or 'balanced'",
        "Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).",
    ),
    "verbose": ("bool or int", "Show a progress bar (tqdm's where it is installed) with the violation and the active rows."),
    "max_iter": (
        "int",
        "Limit of steps in each binary problem; -1: LIBSVM's, max(10^7, 100 n). Reaching it is a ConvergenceWarning.",
    ),
    "decision_function_shape": (
        "{'ovr', 'ovo'}",
        "Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.",
    ),
    "break_ties": ("bool", "With 'ovr' and more than two classes, predict by the largest decision value instead of by votes."),
    "random_state": ("int, RandomState instance or None", "Of the clustering and of the folds of `probability`."),
    "solver": (
        "{'auto', 'smo', 'dc'}",
        "One problem from the start, or divide and conquer first; 'auto' picks and says why in ``report_.solver_reason``.",
    ),
    "n_levels": ("int", "Levels of divide and conquer; None: the fewest that bring the bottom clusters to about 2000 rows."),
    "branching": ("int", "Level l has branching^l clusters."),
    "sample_size": ("int", "Rows on which the clusters' centres are found; the others join the nearest."),
    "clustering": ("{'kernel_kmeans', 'kmeans'}", "In the kernel's space, or in that of X."),
    "balance_clusters": ("bool", "Split clusters far above the mean size, drop the smallest."),
    "early_level": ("int", "Stop after this level and predict with its clusters' models; None: go on to the exact solution."),
    "prediction": (
        "{'early', 'naive', 'bcm'}",
        "Of a model that stopped early: by the nearest cluster's model, by the sum over all clusters, or by a Bayesian "
        "committee.",
    ),
    "delta": ("float", "Probability in Eq. (4) that the result is worse, in (0, 1)."),
    "n_support_estimate": (
        "int",
        "k, the estimated number of support vectors of each pair of classes, at which it stops, >= 2; None: Eq. (4), by "
        "`epsilon` and `delta`. The paper doubles that for data that is not separable.",
    ),
    "sample_factor": ("float", "c >= 1: samples have c k rows."),
    "n_leaves": ("int", "Parts of the first layer, a power of two."),
    "n_passes": ("int", "Passes at most; None: until no row violates."),
    "precision": (
        "{'auto', 'single', 'double'}",
        "Of kernel values. 'auto': double up to 2000 rows and where the data needs it, else single.",
    ),
    "n_jobs": (
        "int",
        "Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1: every "
        "core. The model does not depend on it.",
    ),
    "warm_start": (
        "bool",
        "Start from the last fit's solution, scaled into the new bounds, when the rows' labels are the same: pays along a path "
        "of C.",
    ),
    "callback": (
        "callable",
        "Called about 20 times a second with a dict: phase ('clustering', 'level', 'refine', 'solve'), level (0: the whole "
        "problem), done and total (clusters or pairs of the phase), n_iter (steps so far), violation, objective, active (rows "
        "not shrunk), seconds. Returning True stops with what there is.",
    ),
}

_ATTRIBUTES = {
    "class_weight_": ("ndarray of shape (n_classes,)", "Factors of C, as used."),
    "classes_": ("ndarray of shape (n_classes,)", "Labels, ascending."),
    "coef_": (
        "ndarray or sparse matrix of shape (n_problems, n_features)",
        "Weights of the features, for ``kernel='linear'``; read-only.",
    ),
    "dual_coef_": (
        "ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)",
        "Coefficients of the support vectors, signs included. Class i against j: row j - 1 when j > i, else row j.",
    ),
    "fit_status_": ("int", "0, or 1 when the solver did not converge."),
    "intercept_": ("ndarray of shape (n_problems,)", "Constants of the decision functions."),
    "n_features_in_": ("int", "Columns of X."),
    "feature_names_in_": ("ndarray of shape (n_features_in_,)", "Their names, when X was a data frame."),
    "n_iter_": ("ndarray of shape (n_problems,) or int", "Steps in each binary problem."),
    "n_support_": ("ndarray of shape (n_classes,) or (1,)", "Support vectors of each class."),
    "offset_": ("ndarray of shape (1,)", "``decision_function = score_samples - offset_``."),
    "shape_fit_": ("tuple of int", "Shape of X."),
    "support_": ("ndarray of shape (n_SV,)", "Rows of X that are support vectors."),
    "support_vectors_": ("ndarray or sparse matrix of shape (n_SV, n_features)", "Those rows, in X's precision; read-only."),
    "model_": ("dcsvm.Model", "The native model."),
    "report_": ("dcsvm.Report", "What the training did: objective, violation, steps, seconds, memory, levels."),
}


def documented(*attributes: str, **other: str) -> Callable[[T], T]:
    """Fills {sections} of a class docstring: parameters and attributes. `other` says more about some parameters."""

    def fill(cls: T) -> T:
        if cls.__doc__ is None:  # python -OO
            return cls
        parameters = []
        for name, p in inspect.signature(cls.__init__).parameters.items():  # type: ignore[misc]
            if name == "self":
                continue
            kind, text = _PARAMETERS[name]
            kind += " or None" if p.default is None and "None" not in kind else ""
            parameters.append(_entry(name, f"{kind}, default={p.default!r}", other.get(name, text)))
        known = [n for n in _ATTRIBUTES if n in attributes or n not in _OF_SOME]
        listed = [_entry(name, *_ATTRIBUTES[name]) for name in known]
        cls.__doc__ = cls.__doc__.replace(
            "    {sections}", f"{_section('Parameters', parameters)}\n\n{_section('Attributes', listed)}"
        )
        return cls

    return fill


def of_rows(name: str, kind: str, text: str) -> Callable[[F], F]:
    """Completes the docstring of a method of X with what it returns."""
    return _completed([_X], name, kind, text)


def of_training(y_kind: str, y_text: str, weight_text: str) -> Callable[[F], F]:
    """Completes the docstring of a fit."""
    weight = ("sample_weight", "array-like of shape (n_samples,), default=None", weight_text)
    return _completed([_TRAINING_X, ("y", y_kind, y_text), weight], "self", "object", "Fitted estimator.")


def _completed(parameters: list[tuple[str, str, str]], *returned: str) -> Callable[[F], F]:
    def fill(method: F) -> F:
        if method.__doc__ is not None:
            taken = _section("Parameters", [_entry(*p) for p in parameters])
            text = f"{taken}\n\n{_section('Returns', [_entry(*returned)])}\n"
            method.__doc__ = method.__doc__.rstrip() + "\n\n" + textwrap.indent(text, "    ") + " " * 8
        return method

    return fill


_X = (
    "X",
    "{array-like, sparse matrix} of shape (n_samples, n_features)",
    'The rows; K(X, training rows) for ``kernel="precomputed"``.',
)
_TRAINING_X = (
    "X",
    "{array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)",
    "Training rows, used where they lie when they are float32 or float64 of any strides, or CSR with sorted columns; kernel "
    'values of all pairs for ``kernel="precomputed"``.',
)
_OF_SOME = {"class_weight_", "classes_", "offset_"}


def _section(title: str, entries: list[str]) -> str:
    return "\n".join([f"    {title}", "    " + "-" * len(title), *entries])


def _entry(name: str, kind: str, text: str) -> str:
    return f"    {name} : {kind}\n{textwrap.fill(text, 110, initial_indent=' ' * 8, subsequent_indent=' ' * 8)}"
