"""What the dcsvm peers share."""

from __future__ import annotations

import dataclasses
import warnings

import dcsvm

from ..problems import Problem
from ..quality import pairs_of_alpha
from . import Fit, Settings, timed_fit

try:
    import scipy.sparse  # noqa: F401  load_svmlight imports it on first use, which is no part of reading
except ModuleNotFoundError:
    pass


def fit(problem: Problem, settings: Settings, **defaults) -> Fit:
    params = {**problem.params, "tol": settings.tol, "cache_size": settings.cache_mb, "n_jobs": settings.threads}
    params = {**params, **defaults, **settings.options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(lambda: dcsvm.train(problem.X_train, problem.y_train, **params))
    rbf = params.get("kernel", "rbf") == "rbf"
    pairs = pairs_of_alpha(model.classes_, model.alpha) if rbf else None  # quality.py computes the rbf kernel
    return Fit(
        seconds,
        lambda x: model.predict(x, n_jobs=settings.threads),
        pairs,
        notes=dataclasses.asdict(model.report),
    )


def load(path: str):
    return dcsvm.load_svmlight(path)
