"""Weights of the features under a linear kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot


def linear_coef(dual_coef: Any, n_support: Any, support_vectors: Any) -> Any:
    """One row for each pair of classes (one row for two classes and for one problem), read-only.

    dual_coef is (n_classes - 1, n_SV): the coefficient of a support vector of class i in the pair with class j is in row j - 1
    when j > i, else in row j.
    """
    if dual_coef.shape[0] == 1:
        coef = safe_sparse_dot(dual_coef, support_vectors)
    else:
        ends = np.cumsum(n_support)
        of_class = [slice(end - n, end) for end, n in zip(ends, n_support, strict=True)]
        rows = []
        for a in range(len(of_class)):
            for b in range(a + 1, len(of_class)):
                low = safe_sparse_dot(dual_coef[[b - 1], of_class[a]], support_vectors[of_class[a]])
                high = safe_sparse_dot(dual_coef[[a], of_class[b]], support_vectors[of_class[b]])
                rows.append(low + high)
        coef = sp.vstack(rows).tocsr() if sp.issparse(rows[0]) else np.vstack(rows)
    (coef.data if sp.issparse(coef) else coef).flags.writeable = False
    return coef
