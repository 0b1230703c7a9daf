"""What users pass to fit and predict, in the form that the core takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

FloatArray = npt.NDArray[np.float64]

_FLOATS = (np.float64, np.float32)  # stay what they are; other numbers become float64


def checked(estimator: Any, X: Any, y: Any = None, *, reset: bool) -> tuple[Any, Any]:
    """X as a finite array or canonical CSR matrix, and y; sets or compares the number and the names of features."""
    options = {"dtype": _FLOATS, "accept_sparse": "csr", "accept_large_sparse": True, "reset": reset}
    if y is None:
        X = validate_data(estimator, X, **options)
    else:
        X, y = validate_data(estimator, X, y, **options)
    if sp.issparse(X) and not X.has_canonical_format:  # the caller's matrix stays as it is
        X = X.copy()
        X.sum_duplicates()
    return X, y


def kernel_matrix(kernel: Callable[[Any, Any], Any], A: Any, B: Any) -> FloatArray:
    """K(A, B) of a callable kernel, dense."""
    K = kernel(A, B)
    K = K.toarray() if sp.issparse(K) else K
    return np.asarray(check_array(np.asarray(K, dtype=np.float64)))


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
