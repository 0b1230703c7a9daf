"""What the yardsticks share: estimators of other packages with fit and predict."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dcsvm._bench.fits import Problem

from . import Fit, timed_fit


def fit(estimator: Any, problem: Problem) -> Fit:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, seconds = timed_fit(lambda: estimator.fit(problem.X_train, problem.y_train))
    notes = {"warnings": sorted({str(w.message)[:200] for w in caught})}
    return Fit(seconds, lambda x: np.asarray(estimator.predict(x)), notes=notes)
