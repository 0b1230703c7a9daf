"""Parameters and inputs of the low-rank trainings, checked and handed to the core."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.labels import coded, distinct
from .._input.parameters import fill
from .._input.validate import FloatArray
from .._shown.training_warnings import about, some, users_line
from .._shown.watching import warn_stopped
from .model import LowRankModel


def core_params(given: Mapping[str, Any], n: int | None = None) -> tuple[_core.LowRankParams, tuple[Any, Any]]:
    """The core's parameters for arguments of train_low_rank, and landmarks and their kernel when they are given. n: rows of X,
    where they are known: the default of n_landmarks is no more."""
    own = dict(given)
    if isinstance(own["lambda_"], str):
        validate.choice("lambda_", own["lambda_"], ("auto",))
        own["lambda_"] = None
    landmarks = None if isinstance(own["landmarks"], str) else validate.as_data("landmarks", own.pop("landmarks"))
    if own["budget"] is not None:
        own["budget"] = validate.multiple("budget", own["budget"])
    kernel = own["landmark_kernel"]
    by_default = own["n_landmarks"] is None
    if by_default:
        del own["n_landmarks"]
    p = fill(_core.LowRankParams(), own)
    if by_default and n is not None:
        p.n_landmarks = min(p.n_landmarks, max(n, 1))
    return p, (landmarks, None if kernel is None else validate.as_data("landmark_kernel", kernel))


def coded_labels(y: Any, class_weight: Any, unlabelled: float | None) -> tuple[Any, Any, npt.NDArray[Any] | None]:
    """As coded. ValueError for text beside a number that marks the rows without a label."""
    y, class_weight, classes = coded(y, class_weight)
    if classes is not None and unlabelled is not None:
        raise ValueError(f"unlabelled={unlabelled!r} is a number, but y holds text: give labels that are numbers")
    return y, class_weight, classes


def n_problems(y: FloatArray, p: _core.LowRankParams) -> int:
    classes = distinct(y)
    k = len(classes) - int(p.unlabelled is not None and p.unlabelled in classes)
    return 1 if k == 2 else k if p.multi_class == "ovr" else k * (k - 1) // 2


def folds_of(cv: Any, y: FloatArray, seed: int) -> tuple[int, list[int]]:
    """Number of folds, and the fold of each row."""
    n = len(y)
    if cv is None:
        return 0, []
    if np.ndim(cv) > 0:
        given = validate.as_vector("cv", cv, n)
        if given.min() < 0 or (given != np.floor(given)).any() or given.max() < 1:
            raise ValueError("cv must hold the fold of each row: 0, 1, ..., at least two of them")
        return int(given.max()) + 1, [int(f) for f in given]
    folds = validate.integer("cv", cv, low=2, high=n, also=", None or an array of folds")
    rng = np.random.default_rng(seed)
    fold_of = np.empty(n, dtype=np.int64)
    start = 0
    for label in distinct(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        fold_of[rows] = (start + np.arange(len(rows))) % folds
        start += len(rows)
    return folds, fold_of.tolist()


def warn(model: LowRankModel, tol: float) -> None:
    report = model.report
    if report.negative_share > 1e-6:
        warnings.warn(
            f"the {model.kernel} kernel is not positive semi-definite on the landmarks: negative eigenvalues, "
            f"{about(report.negative_share)} of the spectrum or more, were cut off",
            UserWarning,
            stacklevel=users_line(),
        )
    if report.stop_reason == "converged":
        return
    limit = "passes over the data (n_passes)" if report.n_blocks > 1 else "passes (max_iter)"
    advice = {
        "max_iter": f"raise {'n_passes' if report.n_blocks > 1 else 'max_iter'} or tol, or lower C",
        "stagnated": "features in float cannot come nearer, raise tol",
    }.get(report.stop_reason, "")
    where = f"at a violation of {about(report.violation)} or more, above tol={tol:g}"
    warn_stopped(report.stop_reason, f"{some(report.n_passes)} {limit}", where, advice)
