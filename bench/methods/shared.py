"""What several reference methods need: kernel values, k-means, a linear SVM, a QP on the simplex."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

Array = np.ndarray
Decide = Callable[[Array], Array]
BLOCK_VALUES = 1 << 23  # kernel values at once: 64 MB


def rbf(x: Array, z: Array, gamma: float) -> Array:
    """exp(-gamma |x_i - z_j|^2), (len(x), len(z))."""
    k = x @ (2 * gamma * z.T)
    k -= gamma * np.einsum("ij,ij->i", x, x)[:, None]
    k -= gamma * np.einsum("ij,ij->i", z, z)
    np.minimum(k, 0, out=k)
    return np.exp(k, out=k)


def blocks(n: int, width: int) -> Iterator[slice]:
    """Ranges of rows whose kernel values with `width` points fit into BLOCK_VALUES."""
    step = max(1, BLOCK_VALUES // max(1, width))
    return (slice(start, start + step) for start in range(0, n, step))


def expansion(points: Array, coef: Array, gamma: float, bias: float = 0.0) -> Decide:
    """rows -> sum_j coef_j K(row, point_j) + bias."""

    def decide(rows: Array) -> Array:
        parts = [rbf(rows[b], points, gamma) @ coef for b in blocks(len(rows), len(points))]
        return np.concatenate(parts) + bias

    return decide


def kmeans(x: Array, k: int, rng: np.random.Generator, iterations: int = 5, sample: int = 20_000) -> Array:
    """Centres of Lloyd's method on at most `sample` rows, from random rows."""
    x = x[rng.permutation(len(x))[: max(sample, k)]]
    centres = x[:k].copy()
    for _ in range(iterations):
        nearest = np.concatenate([np.argmax(2 * x[b] @ centres.T - (centres**2).sum(axis=1), axis=1) for b in blocks(len(x), k)])
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, x)
        counts = np.bincount(nearest, minlength=k)
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
    return centres


def squared_hinge(features: Array, y: Array, C: float, tol: float = 1e-3, max_iter: int = 50) -> Array:
    """w of min 1/2 |w|^2 + C sum max(0, 1 - y_i w'f_i)^2, LIBLINEAR's problem 2: Newton with conjugate gradients and a line
    search."""
    w = np.zeros(features.shape[1])
    margin = np.ones(len(y))  # 1 - y f'w
    first = None
    for _ in range(max_iter):
        active = margin > 0
        rows = features[active]
        gradient = w - 2 * C * (rows.T @ (y[active] * margin[active]).astype(features.dtype))
        size = np.linalg.norm(gradient)
        first = first or size
        if size <= tol * first:
            break
        step = _newton_direction(rows, gradient, C)
        change = y * (features @ step.astype(features.dtype))
        height = 0.5 * w @ w + C * (margin[active] ** 2).sum()
        length, slope = 1.0, gradient @ step
        while length > 1e-10:
            tried = np.maximum(margin - length * change, 0)
            moved = w + length * step
            if 0.5 * moved @ moved + C * (tried**2).sum() <= height + 1e-2 * length * slope:
                break
            length /= 2
        w, margin = w + length * step, margin - length * change
    return w


def _newton_direction(rows: Array, gradient: Array, C: float, steps: int = 50) -> Array:
    """d of (I + 2 C F'F) d = -gradient to a tenth, by conjugate gradients."""
    d, r = np.zeros(len(gradient)), -gradient
    p, rr = r.copy(), r @ r
    stop = 1e-2 * rr
    for _ in range(steps):
        q = p + 2 * C * (rows.T @ (rows @ p.astype(rows.dtype)))
        length = rr / (p @ q)
        d, r = d + length * p, r - length * q
        rr, old = r @ r, rr
        if rr <= stop:
            break
        p = r + rr / old * p
    return d


def simplex_qp(Q: Array, q: Array, a: Array, tol: float, max_iter: int = 10_000) -> Array:
    """Improves a >= 0, whose sum is kept, towards min 1/2 a'Qa - q'a until the largest KKT violation is below tol: two
    variables a step. Q is symmetric."""
    gradient = Q @ a - q
    for _ in range(max_iter):
        up = int(np.argmin(gradient))
        down = int(np.argmax(np.where(a > 0, gradient, -np.inf)))
        violation = gradient[down] - gradient[up]
        if violation < tol:
            break
        curvature = Q[up, up] + Q[down, down] - 2 * Q[up, down]
        step = min(a[down], violation / max(curvature, 1e-12))
        a[up] += step
        a[down] = 0.0 if step == a[down] else a[down] - step
        gradient += step * (Q[up] - Q[down])
    return a
