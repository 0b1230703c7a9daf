"""Some rows of X, as an array or CSR."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .kernels import scaled_gamma
from .validate import CsrMatrix


def rows_at(data: Any, rows: npt.NDArray[Any]) -> Any:
    """A copy of some rows of what ``as_data`` gives."""
    if isinstance(data, np.ndarray):
        return data[rows]
    begin, length = data.indptr[rows], np.diff(data.indptr)[rows]
    indptr = np.concatenate([[0], np.cumsum(length)])
    places = np.repeat(begin - indptr[:-1], length) + np.arange(indptr[-1])
    return CsrMatrix(
        np.ascontiguousarray(data.data[places]), np.ascontiguousarray(data.indices[places]), indptr, (len(rows), data.shape[1])
    )


def gamma_of(rule: str, data: Any, kernel: str) -> float:
    """The number that "scale" or "auto" stands for: scikit-learn's rules, of all values of an array or CSR."""
    n, d = data.shape
    if rule == "auto":
        return 1.0 / float(d)
    if isinstance(data, np.ndarray):
        variance = float(data.var(dtype=np.float64))
    else:
        values = np.asarray(data.data, dtype=np.float64)
        mean = float(values.sum()) / (n * d)
        variance = float(values @ values) / (n * d) - mean**2
    return scaled_gamma(kernel, 1.0 / (d * variance), d) if variance > 0 else 1.0
