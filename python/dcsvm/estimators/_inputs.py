"""What users pass to fit and predict, in the form that the core takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, validate_data

from .._base.validate import FloatArray

FLOATS = (np.float64, np.float32)  # kept as they are; other numbers become float64


def checked(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool) -> tuple[Any, Any]:
    """X as a finite array or canonical CSR matrix, and y; sets or compares the number and the names of features."""
    options = {"dtype": FLOATS, "accept_sparse": "csr", "accept_large_sparse": True, "reset": reset}
    if isinstance(y, str):
        X = validate_data(estimator, X, **options)
    else:
        X, y = validate_data(estimator, X, y, **options)
    if sp.issparse(X) and not X.has_canonical_format:  # change a copy, not the caller's matrix
        X = X.copy()
        X.sum_duplicates()
    return X, y


def kernel_matrix(kernel: Callable[[Any, Any], Any], A: Any, B: Any) -> FloatArray:
    """K(A, B) of a callable kernel, dense."""
    K = kernel(A, B)
    K = K.toarray() if sp.issparse(K) else K
    return np.asarray(check_array(np.asarray(K, dtype=np.float64)))


def labels_of(y: Any) -> npt.NDArray[Any]:
    """Class labels of any kind, (n,)."""
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    return np.asarray(labels)


def class_codes(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """The classes, ascending, and each label's place among them. ValueError for a single class."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
    return classes, codes


def sample_weights(sample_weight: Any, X: Any, n: int) -> FloatArray | None:
    """n weights >= 0 (negative ones count as 0, as in scikit-learn), not all 0."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight and X have incompatible shapes: {weights.shape!r} vs {getattr(X, 'shape', (n,))!r}")
    if not np.isfinite(weights).all():
        raise ValueError(f"sample_weight has {weights[~np.isfinite(weights)][0]!r} at row {int(np.argmin(np.isfinite(weights)))}")
    weights = np.maximum(weights, 0.0)
    if not weights.any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return weights


def scale_of_repeated(X: Any, weights: FloatArray | None) -> float | None:
    """gamma="scale" where weights are whole numbers, thus repetitions of rows: 1 / (n_features * variance of the repeated rows).

    None where X's own variance holds: no weights, equal ones, or other numbers (scikit-learn's gamma does not look at weights).
    """
    if weights is None or not np.ptp(weights) or (weights != np.floor(weights)).any():
        return None
    d = X.shape[1]
    entries = weights.sum() * d
    step = max(1, 2**20 // d)  # rows that are looked at together
    mean = moment = 0.0
    for power in (1, 2):
        for begin in range(0, X.shape[0], step):
            rows = X[begin : begin + step]
            rows = (rows.toarray() if sp.issparse(rows) else rows).astype(np.float64)
            moment += weights[begin : begin + step] @ ((rows - mean) ** power).sum(axis=1)
        if power == 1:
            mean, moment = moment / entries, 0.0
    return float(entries / (d * moment)) if moment > 0 else 1.0
