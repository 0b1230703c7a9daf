"""The Bayesian committee machine over the clusters' models of an early SVM, which the DC-SVM paper's Table 1 compares with.

V. Tresp, A Bayesian Committee Machine, Neural Computation 12 (2000), 2719-2741, equations (4) and (5) for one query. Each cluster
c = 1..M is read as a Gaussian process with mean 0 and noise 1/C:
    E_c(x) = sum_s coef_s K(x, s)                          its mean, s in S_c, its support vectors: the decision without bias
    v_c(x) = K(x,x) - k_c(x)' (K_cc + I/C)^-1 k_c(x)       its variance, K_cc = K(S_c, S_c), k_c(x) = K(S_c, x)
    1/v(x) = sum_c 1/v_c(x) - (M - 1) / K(x,x)             the prior counted once
    dec(x) = v(x) sum_c E_c(x) / v_c(x) - rho(x)           rho that of the nearest cluster
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import dcsvm
from dcsvm._graphs.pairs import Svm
from dcsvm._model_file.fields import ModelFile

from .shared import Array, Decide, blocks, rbf

LEAST_VARIANCE = 1e-10  # of K(x, x), which keeps the sum of precisions finite


def committee(model: dcsvm.Model, C: float) -> Decide:
    """model: of two classes and the rbf kernel, trained with early_level. rows -> decision values, > 0 for classes_[1]."""
    parts = Svm(ModelFile(model.to_bytes()))
    points, coef, gamma = parts.points.rows(), model.dual_coef_[0], parts.kernel.gamma
    naive = model.with_prediction("naive")
    ends = [*(e.first for e in parts.expansions), len(points)]
    members = []
    for first, end in pairwise(ends):
        if end > first:
            own = points[first:end]
            factor = np.linalg.cholesky(rbf(own, own, gamma) + np.eye(end - first) / C)
            members.append((own, coef[first:end], np.linalg.inv(factor)))

    def decide(rows: Array) -> Array:
        rows = np.asarray(rows, dtype=np.float64)
        bias = -naive.decision_function(rows)  # the sum of all means is added below: Eq. (5) subtracts the same rho(x)
        precision, mean = np.full(len(rows), 1.0 - len(members)), np.zeros(len(rows))
        for own, weights, inverse in members:
            for b in blocks(len(rows), len(own)):
                k = rbf(rows[b], own, gamma)
                sums = k @ weights
                variance = np.clip(1.0 - ((k @ inverse.T) ** 2).sum(axis=1), LEAST_VARIANCE, 1.0)
                bias[b] += sums
                precision[b] += 1 / variance
                mean[b] += sums / variance
        return mean / precision - bias

    return decide
