"""What the peers with scikit-learn's estimators share."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from .fits import Fit, Problem, Settings, timed, timed_fit
from .quality import PAIRWISE, from_libsvm

ESTIMATORS = {  # by formulation, each with its parameters beside the kernel's
    "c_svc": ("SVC", ("C",)),
    "nu_svc": ("NuSVC", ("nu",)),
    "one_class": ("OneClassSVM", ("nu",)),
    "epsilon_svr": ("SVR", ("C", "epsilon")),
    "nu_svr": ("NuSVR", ("C", "nu")),
}


def fit(package: Any, problem: Problem, settings: Settings, dtype: npt.DTypeLike, **params: Any) -> Fit:
    """Trains package's estimator of the problem's formulation, named as scikit-learn's, on data of that dtype (conversion not
    timed)."""
    name, own = ESTIMATORS[problem.formulation]
    described = {k: v for k, v in problem.params.items() if k in ("kernel", "gamma", "coef0", "degree", *own)}
    x, prepare = timed(lambda: problem.X_train.astype(dtype))
    params = {**described, "tol": settings.tol, "cache_size": settings.cache_mb, **params, **settings.options}
    model = getattr(package, name)(**params)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, seconds = timed_fit(lambda: model.fit(x, problem.y_train))
    coef = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else np.asarray(model.dual_coef_)
    pairwise = problem.formulation in PAIRWISE
    notes = {"n_iter": np.sum(getattr(model, "n_iter_", 0)).item(), "warnings": sorted({str(w.message)[:200] for w in caught})}
    return Fit(
        seconds,
        lambda rows: np.asarray(model.predict(rows)),
        from_libsvm(model.classes_ if pairwise else None, model.n_support_, np.asarray(model.support_), coef),
        prepare,
        lambda rows: rows.astype(dtype),
        notes,
    )


class _Said(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def fit_onedal(problem: Problem, settings: Settings, dtype: npt.DTypeLike) -> Fit:
    """The Extension for Scikit-learn. RuntimeError when it did not run oneDAL, which only its log tells."""
    from sklearnex import svm

    log, said = logging.getLogger("sklearnex"), _Said()
    log.handlers, log.propagate = [said], False
    log.setLevel(logging.INFO)
    jobs = {"n_jobs": settings.threads} if problem.formulation in PAIRWISE else {}
    result = fit(svm, problem, settings, dtype, **jobs)
    fits = [line for line in said.lines if ".fit" in line]
    if not fits or not all("accelerated" in line for line in fits):
        raise RuntimeError(f"the Extension for Scikit-learn did not run oneDAL: {'; '.join(said.lines) or 'it logged nothing'}")
    result.notes["ran"] = fits[0].strip()
    return result
