"""Some rows of X, as an array or CSR."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .kernels import scaled_gamma
from .validate import CsrMatrix, FloatArray


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


def variance_of(data: Any, weights: FloatArray | None = None) -> float:
    """Of all values of an array or CSR; weights: how often each row counts."""
    if isinstance(data, np.ndarray) and weights is None:
        return float(data.var(dtype=np.float64))
    n, d = data.shape
    each = np.ones(n) if weights is None else weights
    entries = each.sum() * d
    if not isinstance(data, np.ndarray):
        values, counts = np.asarray(data.data, dtype=np.float64), np.repeat(each, np.diff(data.indptr))
        mean = counts @ values / entries
        return float((counts @ (values - mean) ** 2 + (entries - counts.sum()) * mean**2) / entries)
    step = max(1, 2**20 // d)  # rows that are looked at together
    mean = moment = 0.0
    for power in (1, 2):
        mean, moment = moment / entries, 0.0
        for begin in range(0, n, step):
            moment += each[begin : begin + step] @ ((data[begin : begin + step].astype(np.float64) - mean) ** power).sum(axis=1)
    return float(moment / entries)


def gamma_of(rule: str, data: Any, kernel: str) -> float:
    """The number that "scale" or "auto" stands for: scikit-learn's rules, of all values of an array or CSR."""
    d = data.shape[1]
    if rule == "auto":
        return 1.0 / float(d)
    variance = variance_of(data)
    return scaled_gamma(kernel, 1.0 / (d * variance), d) if variance > 0 else 1.0
