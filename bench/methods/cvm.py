"""Core Vector Machine: Tsang, Kwok, Cheung, JMLR 6, 2005, sections 3 and 4 (Algorithm 1).

The L2-SVM's dual is the smallest ball around the rows in the feature space of K~(i, j) = y_i y_j (K(x_i, x_j) + 1) + [i = j] /
C, whose diagonal is constant: min a'K~a, a >= 0, sum a = 1. A core set of rows is solved; the farthest of 59 random rows
outside of the ball enlarged by 1 + epsilon joins it (section 4.2: it is among the farthest 5 % with probability 0.95). Where
TRIES samples have none, all rows are searched, and the farthest 59 outside join. Training ends when no row is outside.

a'K~a is 1 / (the sum of the alphas of the SVM with margin 1), and thousands of times smaller than the squared radius. A row may
violate its margin by about epsilon (2 + 1 / C) / a'K~a, so epsilon must be far below a'K~a. Not the paper's: up to JOIN rows of a
sample join at once, which saves solutions of the core set.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, expansion, rbf, simplex_qp

SAMPLE, TRIES, JOIN = 59, 10, 8


def train(x: Array, y: Array, C: float, gamma: float, epsilon: float = 1e-6, max_core: int = 8000, seed: int = 0) -> Decide:
    """epsilon: relative tolerance of the ball's radius. max_core: size of the core set at which training ends."""
    rng = np.random.default_rng(seed)
    core = np.array([np.flatnonzero(y > 0)[0], np.flatnonzero(y < 0)[0]])
    Q = _tilde(x, y, core, core, C, gamma)
    a = np.array([0.5, 0.5])
    diagonal = 2 + 1 / C  # of K~, for the rbf kernel
    while True:
        a = simplex_qp(Q, np.zeros(len(core)), a, 1e-2 * epsilon)
        if len(core) >= max_core:
            break
        center = a @ Q @ a  # the squared norm of the ball's centre; its squared radius is diagonal - center
        # row i is outside where diagonal - 2 sum_j a_j K~_ij + center > (1 + epsilon)^2 (diagonal - center)
        limit = (diagonal + center - (1 + epsilon) ** 2 * (diagonal - center)) / 2
        new = np.empty(0, np.intp)
        for attempt in range(TRIES + 1):
            everyone = attempt == TRIES
            rows = np.arange(len(x)) if everyone else rng.integers(len(x), size=SAMPLE)
            rows = rows[~np.isin(rows, core)]
            product = _products(x, y, rows, core, a, gamma)
            outside = np.flatnonzero(product < limit)
            if len(outside):
                new = rows[outside[np.argsort(product[outside])[: SAMPLE if everyone else JOIN]]]
                break
        if not len(new):
            break
        cross = _tilde(x, y, core, new, C, gamma)
        Q = np.block([[Q, cross], [cross.T, _tilde(x, y, new, new, C, gamma)]])
        core, a = np.append(core, new), np.append(a, np.zeros(len(new)))
    return expansion(x[core], a * y[core], gamma, bias=float(a @ y[core]))


def _tilde(x: Array, y: Array, i: Array, j: Array, C: float, gamma: float) -> Array:
    return np.outer(y[i], y[j]) * (rbf(x[i], x[j], gamma) + 1) + (i[:, None] == j) / C


def _products(x: Array, y: Array, rows: Array, core: Array, a: Array, gamma: float) -> Array:
    """sum_j a_j K~(row, j), for rows outside of the core set."""
    if not len(rows):
        return np.empty(0)
    return y[rows] * expansion(x[core], a * y[core], gamma, bias=float(a @ y[core]))(x[rows])
