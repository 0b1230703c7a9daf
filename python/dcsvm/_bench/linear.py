"""LIBLINEAR's problem with the squared hinge and a regularised bias, by dcsvm, LIBLINEAR and scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

import dcsvm

from .fits import Fit, Problem, Settings, timed, timed_fit


def dcsvm_linear(problem: Problem, settings: Settings) -> Fit:
    params: dict[str, Any] = {"solver": "squared_hinge", "C": problem.C, "tol": settings.tol, "bias": 1.0}
    train = dcsvm.train_linear  # imports its module; what other packages import is not timed either
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the notes
        model, seconds = timed_fit(lambda: train(problem.X_train, problem.y_train, n_jobs=settings.threads, **params))
    weights = np.vstack([model.coef_.T, model.intercept_])
    return Fit(seconds, model.predict, weights=weights, notes={"stop_reason": model.report.stop_reason})


def sklearn_linear(problem: Problem, settings: Settings) -> Fit:
    from sklearn.svm import LinearSVC

    model = LinearSVC(C=problem.C, tol=settings.tol, dual=False, max_iter=100_000)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, seconds = timed_fit(lambda: model.fit(problem.X_train, problem.y_train))
    notes = {"warnings": sorted({str(w.message)[:200] for w in caught})}
    return Fit(seconds, model.predict, weights=np.vstack([model.coef_.T, model.intercept_]), notes=notes)


def liblinear(problem: Problem, settings: Settings) -> Fit:
    from liblinear import liblinear as face
    from scipy.sparse import csr_matrix

    library = face.liblinear
    data, prepare = timed(lambda: face.problem(problem.y_train, csr_matrix(problem.X_train), 1))
    param = face.parameter(f"-s 2 -c {problem.C!r} -e {settings.tol!r} -B 1 -q")
    library.set_print_string_function(param.print_func)
    raw, seconds = timed_fit(lambda: library.train(data, param))
    model = face.toPyModel(raw)
    vectors = 1 if model.nr_class == 2 else model.nr_class
    weights = np.ctypeslib.as_array(model.w, ((model.nr_feature + 1) * vectors,)).reshape(-1, vectors).copy()
    labels = np.array(model.get_labels(), dtype=float)

    def predict(rows: Any) -> npt.NDArray[Any]:
        decisions = rows @ weights[:-1] + weights[-1]
        place = (decisions[:, 0] <= 0).astype(int) if vectors == 1 else decisions.argmax(axis=1)
        return np.asarray(labels[place])

    ordered = weights * (1.0 if labels[0] > labels[1] else -1.0) if vectors == 1 else weights[:, np.argsort(labels)]
    return Fit(seconds, predict, weights=ordered, prepare_seconds=prepare)
