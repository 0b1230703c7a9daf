"""Budgeted stochastic gradient descent: Wang, Crammer, Vucetic, JMLR 13, 2012, sections 3 to 5 (merging).

Pegasos with a kernel: step t shrinks all coefficients by 1 - 1/t and, where the row's margin is below 1, adds it with y /
(lambda t), lambda = 1 / (C n). Above the budget, the vector m with the smallest |coefficient| is merged with the vector n of
its class that loses least: into z = h x_m + (1 - h) x_n with the coefficient a_m K(x_m, z) + a_n K(x_n, z), h the best of a
grid.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, expansion, rbf

GRID = np.linspace(0, 1, 21)


def train(x: Array, y: Array, C: float, gamma: float, budget: int = 500, epochs: int = 1, seed: int | None = 0) -> Decide:
    """budget: vectors at most. seed: of the order of rows; None keeps it."""
    order = np.random.default_rng(seed) if seed is not None else None
    points, coef = np.zeros((budget + 1, x.shape[1])), np.zeros(budget + 1)
    size, scale, t = 0, 1.0, 0  # the coefficients are scale * coef
    penalty = 1 / (C * len(x))
    for _ in range(epochs):
        for i in range(len(x)) if order is None else order.permutation(len(x)):
            t += 1
            row = x[i : i + 1]
            margin = y[i] * scale * float((rbf(row, points[:size], gamma) @ coef[:size])[0]) if size else 0.0
            scale = scale * (1 - 1 / t) if t > 1 else 1.0
            if margin >= 1:
                continue
            points[size], coef[size] = x[i], y[i] / (penalty * t * scale)
            size += 1
            if size > budget:
                size = merge(points, coef, size, gamma)
            if scale < 1e-100:
                coef, scale = coef * scale, 1.0
    return expansion(points[:size], scale * coef[:size], gamma)


def merge(points: Array, coef: Array, size: int, gamma: float) -> int:
    """Merges two of the first `size` vectors in place; returns the new number. The smallest is dropped where its class has no
    other."""
    smallest = int(np.argmin(np.abs(coef[:size])))
    others = np.flatnonzero(coef[:size] * coef[smallest] > 0)
    others = others[others != smallest]
    if len(others):
        k = rbf(points[[smallest]], points[others], gamma)[0][:, None]
        a, b = coef[smallest], coef[others][:, None]
        merged = a * k ** ((1 - GRID) ** 2) + b * k ** (GRID**2)  # the coefficient for each h
        loss = a * a + b * b + 2 * a * b * k - merged**2
        which, h = np.unravel_index(np.argmin(loss), loss.shape)
        n = others[which]
        points[n] = GRID[h] * points[smallest] + (1 - GRID[h]) * points[n]
        coef[n] = merged[which, h]
    points[smallest], coef[smallest] = points[size - 1], coef[size - 1]
    return size - 1
