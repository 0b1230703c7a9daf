"""PSVM: Chang, Zhu, Wang, Bai, Li, Qiu, Cui, NIPS 2007, sections 3 and 4, on one machine.

K is replaced by H H', H of n rows and p columns from incomplete Cholesky factorisation with the largest remaining diagonal as
pivot. The SVM's dual with H H' is solved by a primal-dual interior point method, whose linear systems (D + H H') u = v cost O(n
p^2) by the Sherman-Morrison-Woodbury formula.

A row is decided through the same factor, whose values for it follow from its kernel values with the pivots. With K itself the
decisions are not those of the training: with p = sqrt(n), 66 % of ijcnn1's test rows got the wrong label.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, expansion, rbf


def factor(x: Array, gamma: float, rank: int, tol: float = 1e-6) -> tuple[Array, Array]:
    """H, (n, p) with p at most rank, and the rows of its pivots; it ends where no diagonal entry of K - H H' is above tol."""
    n = len(x)
    H, rest = np.zeros((n, min(rank, n))), np.ones(n)
    pivots: list[int] = []
    for j in range(H.shape[1]):
        pivot = int(rest.argmax())
        if rest[pivot] <= tol:
            break
        pivots.append(pivot)
        column = rbf(x, x[[pivot]], gamma)[:, 0] - H[:, :j] @ H[pivot, :j]
        H[:, j] = column / np.sqrt(rest[pivot])
        rest -= H[:, j] ** 2
        rest[pivot] = 0.0
    return H[:, : len(pivots)], np.array(pivots)


def train(x: Array, y: Array, C: float, gamma: float, rank: int = 0, tol: float = 1e-3, max_iter: int = 100) -> Decide:
    """rank: p; 0 takes the paper's square root of n. tol: limit of the duality gap for each row and of |y'a|, in units of C."""
    H, pivots = factor(x, gamma, rank or int(np.ceil(np.sqrt(len(x)))))
    Z = H * y[:, None]
    a, bias = interior_point(Z, y, C, tol, max_iter)
    return expansion(x[pivots], np.linalg.solve(H[pivots].T, Z.T @ a), gamma, bias)


def interior_point(Z: Array, y: Array, C: float, tol: float, max_iter: int) -> tuple[Array, float]:
    """a and the bias of min 1/2 |Z'a|^2 - sum a, 0 <= a <= C, y'a = 0. low and high are the multipliers of the bounds, b of y'a
    = 0."""
    n = len(y)
    a, low, high, b = np.full(n, C / 2), np.ones(n), np.ones(n), 0.0
    for _ in range(max_iter):
        gap = (low @ a + high @ (C - a)) / n
        dual = Z @ (Z.T @ a) - 1 - low + high + b * y  # zero at the optimum
        if gap < tol * C and np.abs(dual).max() < tol and abs(y @ a) < tol * C:
            break
        mu = 0.1 * gap
        D = low / a + high / (C - a)
        r = -(dual + low - mu / a - high + mu / (C - a))
        inner = np.linalg.cholesky(np.eye(Z.shape[1]) + Z.T @ (Z / D[:, None]))

        def solve(v: Array, D: Array = D, inner: Array = inner) -> Array:
            t = np.linalg.solve(inner.T, np.linalg.solve(inner, Z.T @ (v / D)))
            return (v - Z @ t) / D

        ry, yy = solve(r), solve(y)
        db = (y @ ry + y @ a) / (y @ yy)
        da = ry - db * yy
        dlow = mu / a - low - low / a * da
        dhigh = mu / (C - a) - high + high / (C - a) * da
        room = [_room(a, da), _room(C - a, -da), _room(low, dlow), _room(high, dhigh)]
        step = min(1.0, 0.99 * min(room))
        a, low, high, b = a + step * da, low + step * dlow, high + step * dhigh, b + step * db
    return a, float(b)


def _room(value: Array, change: Array) -> float:
    """The longest step that keeps value >= 0."""
    falling = change < 0
    return float((-value[falling] / change[falling]).min(initial=np.inf))
