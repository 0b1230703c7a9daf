"""Locally-tuned processing units: Moody and Darken, Neural Computation 1(2), 1989, sections 2 and 3.

Units are k-means centres; a row's features are the units' responses exp(-gamma |x - c|^2); a linear model is fitted on them. As
in the DC-SVM paper (section 5, item 6) gamma is the SVM's and the linear weights are LIBLINEAR's problem with C.
"""

from __future__ import annotations

import numpy as np

from .shared import Array, Decide, blocks, expansion, kmeans, rbf, squared_hinge


def train(x: Array, y: Array, C: float, gamma: float, n_units: int = 3000, seed: int = 0) -> Decide:
    """n_units: centres, at most one for each row."""
    centres = kmeans(x, min(n_units, len(x)), np.random.default_rng(seed))
    features = np.empty((len(x), len(centres)), np.float32)
    for b in blocks(len(x), len(centres)):
        features[b] = rbf(x[b], centres, gamma)
    return expansion(centres, squared_hinge(features, y, C), gamma)
