"""dcsvm's linear SVM: LIBLINEAR's problem with the squared hinge."""

import dataclasses
import warnings

import numpy as np

import dcsvm

from . import Fit, timed_fit


def fit(problem, settings):
    params = {"C": problem.C, "n_jobs": settings.threads, **settings.options}
    train = dcsvm.train_linear  # imports its module; what other packages import is not timed either
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(lambda: train(problem.X_train, problem.y_train, **params))
    predict = lambda x: np.asarray(model.predict(x, n_jobs=settings.threads))  # noqa: E731
    weights = model.coef_.reshape(-1, problem.X_train.shape[1]).T if "solver" in params else None  # bench/linear.py
    return Fit(seconds, predict, notes=dataclasses.asdict(model.report), weights=weights)
