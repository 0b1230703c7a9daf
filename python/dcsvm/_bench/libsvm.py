"""LIBSVM as pip builds it (libsvm-official)."""

from __future__ import annotations

import ctypes
import os
import re
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from libsvm import svm, svmutil

import dcsvm

from .fits import Fit, Problem, Settings, timed, timed_fit
from .quality import PAIRWISE, from_libsvm


def fit(problem: Problem, settings: Settings) -> Fit:
    return fit_rows(problem, settings, None)


def fit_rows(problem: Problem, settings: Settings, rows: Any) -> Fit:
    """Trains on some rows of the training data (None: all); the solution's rows are those of the whole."""
    x, y = problem.X_train, problem.y_train
    if rows is not None:
        x, y = x[rows], y[rows]
    data, prepare = timed(lambda: svm.svm_problem(y, sp.csr_matrix(x)))
    said: list[str] = []
    param = svm.svm_parameter(_options(problem, settings))
    param.print_func = svm.PRINT_STRING_FUN(lambda text: said.append(text.decode()))
    svm.libsvm.svm_set_print_string_function(param.print_func)
    refused = svm.libsvm.svm_check_parameter(data, param)
    if refused:
        raise ValueError(refused.decode())
    raw, seconds = timed_fit(lambda: svm.libsvm.svm_train(data, param))
    model = svm.toPyModel(raw)
    model.x_space = data.x_space  # the model points into it
    n, k = model.l, model.nr_class
    support = np.ctypeslib.as_array(ctypes.cast(model.sv_indices, ctypes.POINTER(ctypes.c_int)), (n,)) - 1
    coef = np.array([np.ctypeslib.as_array(model.sv_coef[i], (n,)) for i in range(k - 1)])
    labels = model.get_labels() if problem.formulation in PAIRWISE else None
    support = support if rows is None else np.asarray(rows)[support]
    text = "".join(said)
    notes = {
        "objective": sum(float(v) for v in re.findall(r"obj = (\S+),", text)),
        "n_iter": sum(int(v) for v in re.findall(r"#iter = (\d+)", text)),
        "stop_reason": "max_iter" if "max number of iterations" in text else "converged",
    }
    return Fit(
        seconds,
        lambda nodes: _predict(model, nodes),
        from_libsvm(labels, [model.nSV[i] for i in range(k)] if labels else None, support, coef),
        prepare,
        _nodes,
        notes,
        lambda x: _labels(model, x),
    )


def _options(problem: Problem, settings: Settings) -> str:
    formulation = ("c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr").index(problem.formulation)
    kernel = ("linear", "poly", "rbf", "sigmoid").index(problem.params.get("kernel", "rbf"))
    letters = {"degree": "d", "gamma": "g", "coef0": "r", "C": "c", "nu": "n", "epsilon": "p"}
    own = " ".join(f"-{letter} {problem.params[name]!r}" for name, letter in letters.items() if name in problem.params)
    return f"-s {formulation} -t {kernel} {own} -e {settings.tol!r} -m {settings.cache_mb!r}"


def _nodes(x: Any) -> Any:
    """LIBSVM's rows, made by its own conversion, so that its prediction is timed without Python's loop over values."""
    x = sp.csr_matrix(x)
    return svm.svm_problem(np.zeros(x.shape[0]), x)


def _predict(model: Any, nodes: Any) -> npt.NDArray[Any]:
    call, rows = svm.libsvm.svm_predict, nodes.x
    return np.array([call(model, rows[i]) for i in range(nodes.l)])


def _labels(model: Any, x: Any) -> npt.NDArray[Any]:
    """By dcsvm from LIBSVM's model file, many times as fast as LIBSVM."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        svmutil.svm_save_model(path, model)
        return dcsvm.load_model(path).predict(x)


def load(path: str) -> tuple[Any, Any]:
    y, x = svmutil.svm_read_problem(path, return_scipy=True)
    return x, y
