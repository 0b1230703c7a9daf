"""The peers of dcsvm bench: each trains a problem to its optimum, within the same tolerance."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dcsvm

from .._input.formulations import SIDES
from . import linear
from .fits import Fit, Problem, Settings, timed_fit
from .quality import from_alpha


def dcsvm_exact(problem: Problem, settings: Settings, **defaults: Any) -> Fit:
    params: dict[str, Any] = {**problem.params, "formulation": problem.formulation, "tol": settings.tol}
    params |= {"cache_size": settings.cache_mb, "n_jobs": settings.threads, **defaults, **settings.options}
    y = None if problem.formulation in SIDES else problem.y_train
    train = dcsvm.train  # imports its module; what other packages import is not timed either
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(lambda: train(problem.X_train, y, **params))
    return Fit(
        seconds,
        lambda x: model.predict(x, n_jobs=settings.threads),
        from_alpha(model.classes_, model.alpha),
        notes=dataclasses.asdict(model.report),
        model=model,
    )


def libsvm(problem: Problem, settings: Settings) -> Fit:
    from . import libsvm as peer

    return peer.fit(problem, settings)


def sklearn_svc(problem: Problem, settings: Settings) -> Fit:
    from sklearn import svm

    from . import sklearn as peer

    return peer.fit(svm, problem, settings, np.float64)


def sklearnex_float32(problem: Problem, settings: Settings) -> Fit:
    from . import sklearn as peer

    return peer.fit_onedal(problem, settings, np.float32)


def sklearnex_float64(problem: Problem, settings: Settings) -> Fit:
    from . import sklearn as peer

    return peer.fit_onedal(problem, settings, np.float64)


@dataclass(frozen=True)
class Peer:
    """label: what tables call it. package: the distribution that it needs."""

    label: str
    package: str
    fit: Callable[[Problem, Settings], Fit]

    def version(self) -> str | None:
        """Of the distribution; None where it is not installed."""
        if self.package == "dcsvm":  # also from a build folder, which has no distribution
            return dcsvm.__version__
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None


KERNEL = {
    "dcsvm": Peer("dcsvm", "dcsvm", dcsvm_exact),
    "libsvm": Peer("LIBSVM", "libsvm-official", libsvm),
    "sklearn": Peer("scikit-learn", "scikit-learn", sklearn_svc),
    "sklearnex32": Peer("sklearnex, float32", "scikit-learn-intelex", sklearnex_float32),
    "sklearnex64": Peer("sklearnex, float64", "scikit-learn-intelex", sklearnex_float64),
}
LINEAR = {
    "dcsvm": Peer("dcsvm", "dcsvm", linear.dcsvm_linear),
    "liblinear": Peer("LIBLINEAR", "liblinear-official", linear.liblinear),
    "sklearn": Peer("scikit-learn", "scikit-learn", linear.sklearn_linear),
}
