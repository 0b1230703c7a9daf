"""dcsvm's local deep kernel learning. Options: those of train_ldkl."""

import dataclasses
import warnings

import numpy as np

import dcsvm

from . import Fit, timed_fit


def fit(problem, settings):
    x, y = (np.ascontiguousarray(v, dtype=t) for v, t in ((problem.X_train, np.float32), (problem.y_train, np.float64)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(lambda: dcsvm.train_ldkl(x, y, n_jobs=settings.threads, **settings.options))
    predict = lambda rows: np.asarray(model.predict(rows, n_jobs=settings.threads))  # noqa: E731
    to_float = lambda rows: np.ascontiguousarray(rows, dtype=np.float32)  # noqa: E731
    return Fit(seconds, predict, predict_form=to_float, notes=dataclasses.asdict(model.report))
