"""The commonest class, always: the cost of the harness, and the accuracy that means nothing."""

import numpy as np

from . import Fit, timed_fit


def fit(problem, settings):
    def train():
        labels, counts = np.unique(problem.y_train, return_counts=True)
        return labels[counts.argmax()]

    label, seconds = timed_fit(train)
    return Fit(seconds, lambda x: np.full(x.shape[0], label))
