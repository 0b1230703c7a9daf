"""The module ``liblinearutil`` of LIBLINEAR's Python interface (liblinear 2.50): ``from dcsvm.liblinearutil import *``."""

from __future__ import annotations

import os
from ctypes import POINTER, byref, c_double, cast
from typing import Any

import numpy as np

from . import liblinear as _liblinear
from ._c_faces import rows
from ._c_faces.library import (
    as_lists,
    check_labels,
    check_problem,
    check_rows,
    checked,
    done_with_file,
    labels_of,
    pointer_to,
)
from ._c_faces.options import parse_predict_options
from ._c_faces.scores import print_cross_validation, report_predictions
from ._input import validate
from .commonutil import *  # noqa: F403
from .commonutil import __all__ as _common_all
from .liblinear import *  # noqa: F403
from .liblinear import __all__ as _liblinear_all
from .liblinear import liblinear, model, parameter, problem, solver_names, toPyModel

__all__ = ["load_model", "save_model", "train", "predict", *_liblinear_all, *_common_all]

_REGRESSION = (solver_names.L2R_L2LOSS_SVR, solver_names.L2R_L2LOSS_SVR_DUAL, solver_names.L2R_L1LOSS_SVR_DUAL)


def load_model(model_file_name: str | os.PathLike[str]) -> model | None:
    """Reads LIBLINEAR's text format. When that fails, prints so and returns None."""
    found = POINTER(_liblinear.model)()
    name = os.fsencode(validate.path("model_file_name", model_file_name))
    if not done_with_file(liblinear.dcsvm_linear_load_model, name, byref(found)):
        print(f"can't open model file {model_file_name}")
        return None
    return toPyModel(found)


def save_model(model_file_name: str | os.PathLike[str], model: model) -> None:
    """Writes LIBLINEAR's text format. When that fails, prints so; LIBLINEAR's own function says nothing."""
    name = os.fsencode(validate.path("model_file_name", model_file_name))
    if not done_with_file(liblinear.dcsvm_linear_save_model, name, model):
        print(f"can't save model to file {model_file_name}")


def _matrix(x: Any) -> rows.Matrix:
    """Rows in any form that problem takes, with LIBLINEAR's number of columns."""
    if isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind in "biuf":
        used = np.flatnonzero(x.any(axis=0))
        x = x[:, : used[-1] + 1 if len(used) else 0]
    given = rows.as_matrix(x)
    if given is not None:
        return given
    indices, values, lengths, n = _liblinear.entries_of(x)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return rows.Matrix(
        (len(lengths), n), np.ascontiguousarray(values, np.float64), np.ascontiguousarray(indices - 1, np.int32), indptr
    )


class _Task:
    """What to train on, and with what: a problem of the caller's, or rows that need no nodes."""

    def __init__(self, arg1: Any, arg2: Any, arg3: Any) -> None:
        if isinstance(arg1, (list, tuple, np.ndarray)):
            assert isinstance(arg2, (list, tuple)) or rows.is_matrix(arg2)
            check_problem(arg1, arg2)
            self._kept = _matrix(arg2), labels_of(arg1)
            self.param = parameter(arg3)
            matrix, self._y = self._kept
            self.l = matrix.rows
            self.bias: float = self.param.bias
            self._data: Any = _liblinear.Data(matrix, cast(self._y, POINTER(c_double)), self.bias)
            self._suffix = "_matrix"
        elif isinstance(arg1, problem):
            self.param = arg2 if isinstance(arg2, parameter) else parameter(arg2)
            arg1.set_bias(self.param.bias)
            self.l, self.bias, self._y = arg1.l, arg1.bias, arg1.y
            self._data, self._suffix = arg1, ""
        else:
            raise TypeError("Wrong types for the arguments")
        liblinear.set_print_string_function(self.param.print_func)
        self._check()

    def _check(self) -> None:
        prob = problem.__new__(problem)
        prob.bias = self.bias
        err_msg = liblinear.check_parameter(prob, self.param)
        if err_msg:
            raise ValueError(f"Error: {err_msg}")

    @property
    def y(self) -> list[float]:
        labels: list[float] = self._y[: self.l]
        return labels

    def call(self, name: str, *arguments: Any) -> None:
        checked(getattr(liblinear, f"dcsvm_linear_{name}{self._suffix}"), self._data, self.param, *arguments)


def train(arg1: Any, arg2: Any = None, arg3: Any = None) -> Any:
    """train(y, x [, options]), train(prob [, options]) or train(prob, param) -> model; with -v or -C what they find.

    y : labels or targets, a list, tuple or array
    x : rows, a list or tuple of dicts {index from 1: value}, lists or arrays; a 2-d array; or a scipy matrix
    options : those of liblinear-train, as a string or a list
        -s 0 logistic, 1 squared hinge (dual), 2 squared hinge, 3 hinge (dual), 4 Crammer and Singer, 7 logistic (dual);
           5 squared hinge, 6 logistic, both with an L1 regulariser;
           11 and 12 (dual) squared, 13 (dual) plain epsilon-insensitive regression; 21 one-class (1)
        -c C (1), -p epsilon of the loss (0.1), -n nu (0.5), -B bias (-1: none), -R do not regularise the bias
        -e tolerance (0.01; 0.0001 for 11; 0.1 for 1, 3, 4, 7, 12, 13), -wi factor of C for class i (1)
        -v n folds of a cross-validation, -C search for C (and p with -s 11), -q quiet

    Returns the model; with -v the accuracy in % or the mean squared error; with -C (best C, best p, best score), the score being
    the accuracy from 0 to 1 or the mean squared error. A problem gets the bias of the options.

    Raises TypeError and ValueError as LIBLINEAR does, MemoryError, KeyboardInterrupt.
    """
    task = _Task(arg1, arg2, arg3)
    if task.param.flag_find_parameters:
        return _find(task)
    if task.param.flag_cross_validation:
        return _cross_validate(task)
    found = POINTER(model)()
    task.call("train", byref(found))
    m: Any = toPyModel(found)
    m._param = task.param  # m.param shares its arrays
    return m


def _find(task: _Task) -> tuple[float, float, float]:
    param = task.param
    best = [c_double(), c_double(), c_double()]
    start_C = param.C if param.flag_C_specified else -1.0
    start_p = param.p if param.flag_p_specified else -1.0
    task.call("find_parameters", param.nr_fold, start_C, start_p, *(byref(b) for b in best))
    C, p, score = (b.value for b in best)
    if param.solver_type in _REGRESSION:
        print(f"Best C = {C:g} Best p = {p:g}  CV MSE = {score:g}\n")
    else:
        print(f"Best C = {C:g}  CV accuracy = {100.0 * score:g}%\n")
    return C, p, score


def _cross_validate(task: _Task) -> float:
    target = (c_double * task.l)()
    task.call("cross_validation", task.param.nr_fold, target)
    return print_cross_validation(task.y, target[:], task.param.solver_type in _REGRESSION)


def predict(y: Any, x: Any, m: model, options: str = "") -> tuple[list[float], tuple[float, float, float], list[list[float]]]:
    """Predicts rows x, in any form that train takes, all at once.

    y : their labels or targets, for the metrics; [] when unknown
    options : "-b 1" for probabilities (logistic losses), "-q" for no text

    Returns labels or values; (accuracy in %, mean squared error, squared correlation); and for each row the decision values (one
    for at most two classes, else one for each class), or with -b 1 the probabilities of the classes, in m.get_labels()' order.
    """
    check_rows(x)
    check_labels(y)
    probability, info = parse_predict_options(options)
    k = max(m.get_nr_class(), 0)
    if probability and not m.is_probability_model():
        raise TypeError("probability output is only supported for logistic regression")
    matrix = _matrix(x)
    n = matrix.rows
    crammer_singer = m.param.solver_type == solver_names.MCSVM_CS
    labels, values = np.empty(n), np.empty((n, k if probability or k != 2 or crammer_singer else 1))
    checked(liblinear.dcsvm_linear_predict_matrix, m, matrix, int(probability != 0), pointer_to(labels), pointer_to(values))
    if not probability and k == 2:
        values = values[:, :1]
    scores = report_predictions(y, labels, m.is_regression_model(), info)
    return labels.tolist(), scores, as_lists(values)
