"""What the dcsvm peers share."""

from __future__ import annotations

import dataclasses
import warnings

import dcsvm

from ..problems import Problem
from ..quality import from_alpha
from . import Fit, Settings, timed_fit

try:
    import scipy.sparse  # noqa: F401  load_svmlight imports it on first use, which is no part of reading
except ModuleNotFoundError:
    pass


def fit(problem: Problem, settings: Settings, **defaults) -> Fit:
    params = {
        **problem.params,
        "formulation": problem.formulation,
        "tol": settings.tol,
        "cache_size": settings.cache_mb,
        "n_jobs": settings.threads,
    }
    params = {**params, **defaults, **settings.options}
    y = None if problem.formulation == "one_class" else problem.y_train
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(lambda: dcsvm.train(problem.X_train, y, **params))
    return Fit(
        seconds,
        lambda x: model.predict(x, n_jobs=settings.threads),
        from_alpha(model.classes_, model.alpha),
        notes=dataclasses.asdict(model.report),
    )


def load(path: str):
    return dcsvm.load_svmlight(path)
