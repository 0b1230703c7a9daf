"""FALKON: Rudi, Carratino, Rosasco, NIPS 2017, section 3 (Algorithm 1): kernel ridge regression on +1 and -1.

min 1/n |K_nm a - y|^2 + lambda a'K_mm a over m random centres, by conjugate gradients on B'(K_mn K_nm / n + lambda K_mm) B with
B = T^-1 A^-1 / sqrt(n) from two Cholesky factors: T'T = K_mm and A'A = T T' / m + lambda I. A step computes K_nm once, in blocks.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, blocks, expansion, rbf


def train(x: Array, y: Array, C: float, gamma: float, n_centres: int = 3000, n_iter: int = 20, seed: int = 0) -> Decide:
    """lambda = 1 / (C n): the problem is 1/2 a'K a + C/2 sum of squared errors. n_centres: m."""
    rng = np.random.default_rng(seed)
    n, m = len(x), min(n_centres, len(x))
    centres = x[rng.permutation(n)[:m]]
    penalty = 1 / (C * n)
    kmm = rbf(centres, centres, gamma)
    T = np.linalg.cholesky(kmm + 1e-10 * m * np.eye(m)).T
    A = np.linalg.cholesky(T @ T.T / m + penalty * np.eye(m)).T

    B = np.linalg.solve(T, np.linalg.inv(A)) / np.sqrt(n)

    def normal(v: Array) -> Array:
        u = B @ v
        total = penalty * n * (kmm @ u)
        for b in blocks(n, m):
            k = rbf(x[b], centres, gamma)
            total += k.T @ (k @ u)
        return B.T @ total

    right = np.zeros(m)
    for b in blocks(n, m):
        right += rbf(x[b], centres, gamma).T @ y[b]
    return expansion(centres, B @ conjugate_gradients(normal, B.T @ right, n_iter), gamma)


def conjugate_gradients(product, right: Array, n_iter: int) -> Array:
    """v of product(v) = right."""
    v, r = np.zeros(len(right)), right.copy()
    p, rr = r.copy(), r @ r
    stop = 1e-14 * rr
    for _ in range(n_iter):
        if rr <= stop:
            break
        q = product(p)
        length = rr / (p @ q)
        v, r = v + length * p, r - length * q
        rr, old = r @ r, rr
        p = r + rr / old * p
    return v
