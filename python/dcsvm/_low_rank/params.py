"""Parameters and inputs of the low-rank trainings, checked and handed to the core."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np

from .. import _core
from .._base import validate as _validate
from .._base.validate import FloatArray
from .._svm.train import ConvergenceWarning, set_kernel
from .model import LowRankModel

FEATURES = ("nystrom", "rks", "fastfood")
LANDMARKS = ("kmeans", "kmeans++", "uniform")
LOSSES = ("hinge", "squared_hinge")
MULTI_CLASS = ("ovr", "ovo")


def core_params(
    *,
    C: float,
    kernel: str,
    degree: int,
    gamma: float | str,
    coef0: float,
    n_landmarks: int,
    landmarks: Any,
    landmark_sample: int | None,
    landmark_iterations: int,
    landmark_kernel: Any,
    features: str,
    supervised: bool,
    n_labelled: int,
    balance: float,
    lambda_: float | str,
    unlabelled: float | None,
    loss: str,
    fit_intercept: bool,
    multi_class: str,
    tol: float,
    max_iter: int,
    cache_size: float,
    n_passes: int,
    class_weight: Any,
    random_state: Any,
    n_jobs: int | None,
) -> tuple[_core.LowRankParams, tuple[Any, Any]]:
    """The core's parameters, and landmarks and their kernel when they are given."""
    p = _core.LowRankParams()
    p.C = _validate.real("C", C, above=0)
    set_kernel(p, kernel, degree, gamma, coef0)
    p.n_landmarks = _validate.integer("n_landmarks", n_landmarks, low=1)
    p.landmark_sample = (
        0 if landmark_sample is None else _validate.integer("landmark_sample", landmark_sample, low=1, also=" or None")
    )
    p.landmark_iterations = _validate.integer("landmark_iterations", landmark_iterations, low=0)
    given = None
    if isinstance(landmarks, str):
        p.landmarks = _validate.choice("landmarks", landmarks, LANDMARKS)
    else:
        given = _validate.as_data("landmarks", landmarks)
    p.features = _validate.choice("features", features, FEATURES)
    p.supervised = _validate.boolean("supervised", supervised)
    p.n_labelled = _validate.integer("n_labelled", n_labelled, low=2)
    p.balance = _validate.real("balance", balance, at_least=0)
    if isinstance(lambda_, str):
        _validate.choice("lambda_", lambda_, ("auto",))
    else:
        p.lambda_ = _validate.real("lambda_", lambda_, above=0)
    p.unlabelled = None if unlabelled is None else _validate.real("unlabelled", unlabelled)
    p.loss = _validate.choice("loss", loss, LOSSES)
    p.fit_intercept = _validate.boolean("fit_intercept", fit_intercept)
    p.multi_class = _validate.choice("multi_class", multi_class, MULTI_CLASS)
    p.tol = _validate.real("tol", tol, above=0)
    p.max_iter = _validate.integer("max_iter", max_iter, low=1)
    p.cache_size = _validate.real("cache_size", cache_size, above=0)
    p.n_passes = _validate.integer("n_passes", n_passes, low=1)
    p.class_weight, p.balanced = _validate.class_weight(class_weight)
    p.seed = _validate.seed(random_state)
    p.n_threads = _validate.threads(n_jobs)
    return p, (given, None if landmark_kernel is None else _validate.as_data("landmark_kernel", landmark_kernel))


def data_of(X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray | None]:
    data = _validate.as_data("X", X)
    n = data.shape[0]
    labels = _validate.as_labels("y", y, n)
    return data, labels, None if sample_weight is None else _validate.as_vector("sample_weight", sample_weight, n)


def n_problems(y: FloatArray, p: _core.LowRankParams) -> int:
    classes = np.unique(y)
    k = len(classes) - int(p.unlabelled is not None and p.unlabelled in classes)
    return 1 if k == 2 else k if p.multi_class == "ovr" else k * (k - 1) // 2


def folds_of(cv: Any, y: FloatArray, seed: int) -> tuple[int, list[int]]:
    """Number of folds, and the fold of each row."""
    n = len(y)
    if cv is None:
        return 0, []
    if np.ndim(cv) > 0:
        given = _validate.as_vector("cv", cv, n)
        if given.min() < 0 or (given != np.floor(given)).any() or given.max() < 1:
            raise ValueError("cv must hold the fold of each row: 0, 1, ..., at least two of them")
        return int(given.max()) + 1, [int(f) for f in given]
    folds = _validate.integer("cv", cv, low=2, high=n, also=", None or an array of folds")
    rng = np.random.default_rng(seed)
    fold_of = np.empty(n, dtype=np.int64)
    start = 0
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        fold_of[rows] = (start + np.arange(len(rows))) % folds
        start += len(rows)
    return folds, fold_of.tolist()


def warn(model: LowRankModel, tol: float) -> None:
    report = model.report
    if report.negative_share > 1e-6:
        warnings.warn(
            f"the {model.kernel} kernel is not positive semi-definite on the landmarks: negative eigenvalues, "
            f"{100 * report.negative_share:.2g} % of the spectrum, were cut off",
            UserWarning,
            stacklevel=3,
        )
    if report.stop_reason == "converged":
        return
    limit = "passes over the data (n_passes)" if report.n_blocks > 1 else "passes (max_iter)"
    warnings.warn(
        f"training stopped with {report.stop_reason!r} after {report.n_passes:,} {limit} at violation {report.violation:.3g}, "
        f"above tol={tol:g}",
        ConvergenceWarning,
        stacklevel=3,
    )


PARAMETERS = [name for name, p in inspect.signature(core_params).parameters.items() if p.kind is p.KEYWORD_ONLY]
