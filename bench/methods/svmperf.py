"""SVMperf: Joachims, KDD 2006, sections 2 and 3 (Algorithm 1): a linear SVM by cutting planes.

One slack for all rows: min 1/2 |w|^2 + C n xi with, for every c in {0, 1}^n, w'(1/n sum c_i y_i x_i) >= 1/n sum c_i - xi. Each
round adds the constraint that w violates most (c_i = 1 where y_i w'x_i < 1) and solves the dual over the constraints so far,
until it is violated by at most epsilon. The bias is a constant feature.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, simplex_qp


def train(x: Array, y: Array, C: float, gamma: float = 0.0, epsilon: float = 1e-3, max_rounds: int = 500) -> Decide:
    """C: of each row, as in LIBLINEAR. gamma is not used."""
    n = len(y)
    signed = np.hstack([x, np.ones((n, 1))]) * y[:, None]
    planes, offsets = np.zeros((1, signed.shape[1])), np.zeros(1)  # c = 0: xi >= 0
    a = np.array([C * n])
    w = np.zeros(signed.shape[1])
    for _ in range(max_rounds):
        xi = float((offsets - planes @ w).max())
        wrong = signed @ w < 1
        plane, offset = signed[wrong].sum(axis=0) / n, wrong.mean()
        if offset - plane @ w <= xi + epsilon:
            break
        planes, offsets, a = np.vstack([planes, plane]), np.append(offsets, offset), np.append(a, 0.0)
        a = simplex_qp(planes @ planes.T, offsets, a, 0.1 * epsilon)
        w = a @ planes
    return lambda rows: rows @ w[:-1] + w[-1]
