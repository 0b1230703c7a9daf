"""dcsvm's low-rank machine, with as many landmarks as nystroem_linearsvc has components. Options: n_components, and others of
train_low_rank."""

import dataclasses
import warnings

import numpy as np

import dcsvm

from . import Fit, timed_fit


def fit(problem, settings):
    options = dict(settings.options)
    landmarks = min(options.pop("n_components", 1000), len(problem.y_train))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(
            lambda: dcsvm.train_low_rank(
                problem.X_train,
                problem.y_train,
                C=problem.C,
                gamma=problem.gamma,
                n_landmarks=landmarks,
                cache_size=settings.cache_mb,
                n_jobs=settings.threads,
                **options,
            )
        )
    predict = lambda x: np.asarray(model.predict(x, n_jobs=settings.threads))  # noqa: E731
    return Fit(seconds, predict, notes=dataclasses.asdict(model.report))
