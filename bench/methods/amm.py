"""Adaptive multi-hyperplane machine: Wang, Djuric, Crammer, Vucetic, KDD 2011, sections 4 and 5 (BudgetedSVM's AMM-online).

Each class has several weight vectors, and its score is the largest of their products with the row. A step of stochastic
subgradients (rate 1 / (lambda t)) on the loss max(0, 1 + the other class's score - the score of the row's own class) moves the
two winning vectors; a class whose score on its own row is not positive gets a new vector. Small vectors are pruned every
`prune_every` steps.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide


def train(
    x: Array,
    y: Array,
    C: float,
    gamma: float = 0.0,
    penalty: float = 1e-4,
    epochs: int = 5,
    max_vectors: int = 20,
    prune_every: int = 10_000,
    prune_below: float = 1e-2,
    seed: int = 0,
) -> Decide:
    """penalty: lambda; C and gamma are not used. max_vectors: of each class. prune_below: smallest |w|^2 that is kept, relative
    to the largest. A constant feature is added."""
    rng = np.random.default_rng(seed)
    x = np.hstack([x, np.ones((len(x), 1))])
    weights = {s: np.zeros((0, x.shape[1])) for s in (1.0, -1.0)}  # times 1 / scale, so that shrinking is O(1)
    scale, t = 1.0, 0
    for _ in range(epochs):
        for i in rng.permutation(len(x)):
            t += 1
            row, own, other = x[i], weights[y[i]], weights[-y[i]]
            mine, theirs = own @ row, other @ row
            best = mine.argmax() if len(mine) else -1
            rival = theirs.argmax() if len(theirs) else -1
            # a zero vector, whose score is 0, always competes
            score = scale * mine[best] if best >= 0 and mine[best] > 0 else 0.0
            against = scale * theirs[rival] if rival >= 0 and theirs[rival] > 0 else 0.0
            scale *= 1 - 1 / max(t, 2)
            if 1 + against - score <= 0:
                continue
            step = 1 / (penalty * t * scale)
            if score > 0 or len(own) >= max_vectors:
                own[best] += step * row
            else:
                weights[y[i]] = np.vstack([own, step * row])
            if against > 0:
                other[rival] -= step * row
            if t % prune_every == 0:
                weights = _pruned(weights, prune_below)
            if scale < 1e-100:
                weights, scale = {s: w * scale for s, w in weights.items()}, 1.0
    weights = {s: scale * w for s, w in _pruned(weights, prune_below).items()}

    def decide(rows: Array) -> Array:
        rows = np.hstack([rows, np.ones((len(rows), 1))])
        return np.subtract(*(np.maximum((rows @ weights[s].T).max(axis=1, initial=0.0), 0) for s in (1.0, -1.0)))

    return decide


def _pruned(weights: dict[float, Array], below: float) -> dict[float, Array]:
    sizes = {s: (w**2).sum(axis=1) for s, w in weights.items()}
    largest = max(float(v.max(initial=0.0)) for v in sizes.values())
    return {s: w[sizes[s] >= below * largest] for s, w in weights.items()}
