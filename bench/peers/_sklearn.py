"""What the peers with scikit-learn's SVC share."""

from __future__ import annotations

import warnings

import numpy as np

from ..problems import Problem
from ..quality import pairs_of_libsvm
from . import Fit, Settings, timed


def fit(svc, problem: Problem, settings: Settings, dtype) -> Fit:
    """Trains svc, a class with scikit-learn's SVC's signature, on data of that dtype (conversion not timed)."""
    x, prepare = timed(lambda: problem.X_train.astype(dtype))
    model = svc(C=problem.C, gamma=problem.gamma, tol=settings.tol, cache_size=settings.cache_mb, **settings.options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, seconds = timed(lambda: model.fit(x, problem.y_train))
    coef = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else np.asarray(model.dual_coef_)
    notes = {"n_iter": np.sum(getattr(model, "n_iter_", 0)).item(), "warnings": sorted({str(w.message)[:200] for w in caught})}
    return Fit(
        seconds,
        lambda rows: np.asarray(model.predict(rows)),
        pairs_of_libsvm(model.classes_, model.n_support_, np.asarray(model.support_), coef),
        prepare,
        lambda rows: rows.astype(dtype),
        notes,
    )
