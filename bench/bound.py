"""The bound that a training is compared with: computing n x n_support kernel values once, which is what checking that a solution
is optimal takes.

The rate is measured on the spot with dcsvm's own tiles on rows of the problem itself: the decisions of a model whose support
vectors are all of its rows and whose kernel is so wide that no value can be left out. Packing of the rows and the sum over
support vectors are part of it, as they are of the check.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

from .problems import Problem

POINTS = 2048  # support vectors of the probe
SECONDS = 0.5  # how long rates are collected


def kernel_rate(problem: Problem, threads: int) -> float:
    """Kernel values per second: the best of several calls over up to 20,000 rows."""
    import dcsvm

    n = len(problem.y_train)
    rows = np.sort(np.random.default_rng(0).choice(n, min(POINTS, n), replace=False))
    labels = np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
    x = problem.X_train[rows]
    wide = 1e-6 / max(1.0, float(x.multiply(x).sum(axis=1).max() if hasattr(x, "indptr") else np.einsum("ij,ij->i", x, x).max()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        probe = dcsvm.train(x, labels, C=1e-3, gamma=wide, solver="smo", n_jobs=threads)
    queries = problem.X_train[:20_000]
    best, end = np.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end or best == np.inf:
        start = time.perf_counter()
        probe.decision_function(queries, n_jobs=threads)
        best = min(best, time.perf_counter() - start)
    return queries.shape[0] * len(probe.support_) / best
