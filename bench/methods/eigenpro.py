"""EigenPro: Ma and Belkin, NIPS 2017 and MLSys 2019 (EigenPro 2.0, Algorithm 1): kernel regression on +1 and -1 by preconditioned
stochastic gradients.

f = sum a_i K(x_i, .) is moved by mini-batches; the top q directions of the kernel, from the eigenvectors of a subsample's
matrix, are damped to the (q + 1)-st eigenvalue, which allows a step and a batch as large as that eigenvalue. There is no
penalty: the number of epochs regularises.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, expansion, rbf


def train(
    x: Array,
    y: Array,
    C: float = 0.0,
    gamma: float = 1.0,
    epochs: int = 3,
    n_sample: int = 2000,
    n_directions: int = 160,
    batch: int = 1000,
    seed: int = 0,
) -> Decide:
    """n_sample: rows of the subsample, s. n_directions: q. C is not used."""
    rng = np.random.default_rng(seed)
    n, s = len(x), min(n_sample, len(x))
    q = min(n_directions, max(s - 1, 0))
    sample = rng.permutation(n)[:s]
    ks = rbf(x[sample], x[sample], gamma)
    values, vectors = np.linalg.eigh(ks)
    values, vectors = values[::-1][: q + 1], vectors[:, ::-1][:, :q]
    tail = max(values[q], 1e-12)
    damping = vectors * ((1 - tail / values[:q]) / values[:q])
    # of the preconditioned kernel: the largest diagonal entry, and the top eigenvalue of its matrix over n rows
    diagonal = 1 - np.einsum("ij,ij->i", ks @ damping, ks @ vectors)
    largest, top = float(diagonal.max(initial=tail / s)), tail / s
    a = np.zeros(n)
    for _ in range(epochs):
        for rows in np.array_split(rng.permutation(n), max(1, n // min(batch, n))):
            m = len(rows)
            rate = 1 / (largest + (m - 1) * top) if m > 1 else 1 / largest
            k = rbf(x[rows], x, gamma)
            change = rate * (k @ a - y[rows])
            a[rows] -= change
            a[sample] += damping @ (vectors.T @ (k[:, sample].T @ change))
    return expansion(x, a, gamma)
