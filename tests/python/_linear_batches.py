"""Linear estimators that have partial_fit, and rows for them."""

import numpy as np

import dcsvm

CLASSIFIERS = {
    "svc": lambda **p: dcsvm.LinearSVC(**p),
    "hinge": lambda **p: dcsvm.LinearSVC(loss="hinge", **p),
    "crammer_singer": lambda **p: dcsvm.LinearSVC(multi_class="crammer_singer", tol=0.1, **p),
    "logistic": lambda **p: dcsvm.LogisticRegression(**p),
    "ovr": lambda **p: dcsvm.LogisticRegression(multi_class="ovr", **p),
    "liblinear": lambda **p: dcsvm.LogisticRegression(solver="liblinear", multi_class="ovr", **p),
}


def blobs(n, classes, seed=0, d=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    centres = np.random.default_rng(1).normal(size=(classes, d))
    return np.round(rng.normal(size=(n, d)) + 1.5 * centres[y], 3), y


def in_batches(model, X, y, sizes=(70, 1, 129, 200), weights=None, classes=None):
    begin, known = 0, np.unique(y) if classes is None else classes
    for size in sizes:
        rows = slice(begin, begin + size)
        model.partial_fit(X[rows], y[rows], classes=known, sample_weight=None if weights is None else weights[rows])
        begin += size
    assert begin == X.shape[0]
    return model
