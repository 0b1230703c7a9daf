"""AESVM: Nandan, Khargonekar, Talathi, JMLR 15, 2014, sections 3 and 4 (DeriveRS), in short form.

The rows of each class are divided into small sets of near rows: a set is halved by the distance from its row farthest from
the mean. In a set, a row whose distance in feature space to the convex combinations of the representatives so far is above
sqrt(epsilon) becomes a representative; every other row spreads its weight of 1 over them as its best combination does. The
SVM is trained on the representatives with C times their weights. Here sets are halved by one distance (the paper segregates
in two levels), and combinations are found by simplex_qp.
"""

from __future__ import annotations

import numpy as np

import dcsvm

from .shared import Array, Decide, rbf, simplex_qp


def train(x: Array, y: Array, C: float, gamma: float, epsilon: float = 1e-2, set_size: int = 64, tol: float = 1e-3) -> Decide:
    """epsilon: squared distance at which a row is represented. set_size: rows of a set, at most."""
    chosen, weights = representatives(x, y, gamma, epsilon, set_size)
    model = dcsvm.train(x[chosen], y[chosen], C=C, gamma=gamma, tol=tol, sample_weight=weights)
    return lambda rows: np.asarray(model.decision_function(rows))


def representatives(x: Array, y: Array, gamma: float, epsilon: float, set_size: int) -> tuple[Array, Array]:
    """Rows and their weights, which sum to len(x)."""
    chosen: list[Array] = []
    weights: list[Array] = []
    for label in (1.0, -1.0):
        waiting = [np.flatnonzero(y == label)]
        while waiting:
            rows = waiting.pop()
            if len(rows) > set_size:
                far = np.argmax(((x[rows] - x[rows].mean(axis=0)) ** 2).sum(axis=1))
                order = np.argsort(((x[rows] - x[rows[far]]) ** 2).sum(axis=1), kind="stable")
                waiting += [rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]]
            elif len(rows):
                kept, mass = _of_set(rbf(x[rows], x[rows], gamma), epsilon)
                chosen.append(rows[kept])
                weights.append(mass)
    return np.concatenate(chosen), np.concatenate(weights)


def _of_set(k: Array, epsilon: float) -> tuple[Array, Array]:
    kept = [0]
    for i in range(1, len(k)):
        if _combination(k, kept, i)[1] > epsilon:
            kept.append(i)
    mass = np.zeros(len(kept))
    for i in range(len(k)):
        mass += np.eye(len(kept))[kept.index(i)] if i in kept else _combination(k, kept, i)[0]
    return np.array(kept), mass


def _combination(k: Array, kept: list[int], i: int) -> tuple[Array, float]:
    """The convex combination of representatives nearest to row i in feature space, and its squared distance."""
    q = k[kept, i]
    start = np.zeros(len(kept))
    start[np.argmax(q)] = 1.0
    if len(kept) == 1 or k[i, i] - 2 * q.max() + 1 == 0:
        return start, float(k[i, i] - 2 * q.max() + 1)
    Q = k[np.ix_(kept, kept)]
    mu = simplex_qp(Q, q, start, 1e-3, max_iter=50)
    return mu, float(k[i, i] - 2 * q @ mu + mu @ Q @ mu)
