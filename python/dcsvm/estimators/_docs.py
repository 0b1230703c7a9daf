"""Docstrings: what a parameter or an attribute is, said once; each class lists those that it has."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)

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
        "bool",
        "Platt scaling for predict_proba, by 5-fold cross-validation. Deprecated, as in scikit-learn 1.9: "
        "``CalibratedClassifierCV(SVC(), ensemble=False)`` does it.",
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
    """Fills {parameters} and {attributes} of a class docstring. `other` says more about some parameters."""

    def fill(cls: T) -> T:
        parameters = []
        for name, p in inspect.signature(cls.__init__).parameters.items():  # type: ignore[misc]
            if name == "self":
                continue
            kind, text = _PARAMETERS[name]
            kind += " or None" if p.default is None and "None" not in kind else ""
            parameters.append(_entry(name, f"{kind}, default={p.default!r}", other.get(name, text)))
        known = [n for n in _ATTRIBUTES if n in attributes or n not in _OF_SOME]
        listed = [_entry(name, *_ATTRIBUTES[name]) for name in known]
        assert cls.__doc__ is not None
        cls.__doc__ = cls.__doc__.replace("    {parameters}", "\n".join(parameters)).replace(
            "    {attributes}", "\n".join(listed)
        )
        return cls

    return fill


_OF_SOME = {"class_weight_", "classes_", "offset_"}


def _entry(name: str, kind: str, text: str) -> str:
    return f"    {name} : {kind}\n{textwrap.fill(text, 110, initial_indent=' ' * 8, subsequent_indent=' ' * 8)}"
