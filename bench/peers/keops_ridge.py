"""KeOps on the CPU: kernel ridge regression on +1 and -1 with alpha 1 / C, by its conjugate gradients on kernel values that are
computed anew in every product. Its formulas are compiled at first use, which is not timed."""

import numpy as np
from pykeops.numpy import LazyTensor

from . import Fit, timed, timed_fit


def _kernel(x, z, gamma):
    return (-gamma * ((LazyTensor(x[:, None, :]) - LazyTensor(z[None, :, :])) ** 2).sum(-1)).exp()


def fit(problem, settings):
    labels = np.unique(problem.y_train)
    if len(labels) != 2 or problem.regression:
        raise ValueError(f"the peer keops_ridge trains two classes, and {problem.name} has others")
    x = np.ascontiguousarray(problem.X_train, dtype=np.float64)
    y = np.where(problem.y_train == labels[1], 1.0, -1.0)[:, None]
    solve = lambda rows, signs: _kernel(rows, rows, problem.gamma).solve(signs, alpha=1 / problem.C)  # noqa: E731
    decide = lambda rows: (_kernel(rows, x, problem.gamma) @ coef)[:, 0]  # noqa: E731
    _, compiling = timed(lambda: solve(x[:10], y[:10]))
    coef, seconds = timed_fit(lambda: solve(x, y))
    return Fit(seconds, lambda rows: np.where(decide(rows) > 0, labels[1], labels[0]), prepare_seconds=compiling)
