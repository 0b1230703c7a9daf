"""dcsvm's fast prediction, DC-Pred++; for numbers from the exact ridge regression's, whose alpha is 1 / (2 C)."""

import dataclasses

import numpy as np

import dcsvm

from . import Fit, timed_fit


def fit(problem, settings):
    x, y = (np.ascontiguousarray(v, dtype=t) for v, t in ((problem.X_train, np.float32), (problem.y_train, np.float64)))
    common = {"n_jobs": settings.threads}

    def train():
        if not problem.regression:
            return dcsvm.train_dc_pred(x, y, C=problem.C, gamma=problem.gamma, **common, **settings.options)
        alpha = 1 / (2 * problem.C)
        exact = dcsvm.train_ridge(x, y, alpha=alpha, gamma=problem.gamma, **common)
        return dcsvm.compress(exact, x, alpha=alpha, **common, **settings.options)

    model, seconds = timed_fit(train)
    predict = lambda rows: np.asarray(model.predict(rows, n_jobs=settings.threads))  # noqa: E731
    to_float = lambda rows: np.ascontiguousarray(rows, dtype=np.float32)  # noqa: E731
    return Fit(seconds, predict, predict_form=to_float, notes=dataclasses.asdict(model.report))
