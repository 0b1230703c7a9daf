"""Weights of the features under a linear kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._input.validate import CsrMatrix


def check_unclustered(clustered: bool) -> None:
    """AttributeError for a clustered model."""
    if clustered:
        raise AttributeError("coef_ needs one model for all rows: this clustered model has weights for each cluster")


def _rows(points: Any, rows: slice) -> Any:
    if not isinstance(points, CsrMatrix):
        return points[rows]
    indptr = points.indptr[rows.start : rows.stop + 1]
    return CsrMatrix(points.data, points.indices, indptr, (len(indptr) - 1, points.shape[1]))


def _product(coef: Any, points: Any) -> Any:
    """coef (1, m) times the m points."""
    if not isinstance(points, CsrMatrix):
        return coef @ points
    stored = slice(points.indptr[0], points.indptr[-1])
    values = np.repeat(coef[0], np.diff(points.indptr)) * points.data[stored]
    return np.bincount(points.indices[stored], weights=values, minlength=points.shape[1])[np.newaxis]


def linear_coef(dual_coef: Any, n_support: Any, support_vectors: Any) -> Any:
    """One row for each pair of classes (one row for two classes and for one problem), read-only; sparse when both are.

    dual_coef is (n_classes - 1, n_SV): the coefficient of a support vector of class i in the pair with class j is in row j - 1
    when j > i, else in row j.
    """
    if dual_coef.shape[0] == 1:
        coef = _product(dual_coef, support_vectors)
    else:
        ends = np.cumsum(n_support)
        of_class = [slice(end - n, end) for end, n in zip(ends, n_support, strict=True)]
        rows = []
        for a in range(len(of_class)):
            for b in range(a + 1, len(of_class)):
                low = _product(dual_coef[[b - 1], of_class[a]], _rows(support_vectors, of_class[a]))
                high = _product(dual_coef[[a], of_class[b]], _rows(support_vectors, of_class[b]))
                rows.append(low + high)
        if isinstance(rows[0], np.ndarray):
            coef = np.vstack(rows)
        else:
            import scipy.sparse as sp

            coef = sp.vstack(rows).tocsr()
    (coef if isinstance(coef, np.ndarray) else coef.data).flags.writeable = False
    return coef
