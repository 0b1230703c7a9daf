"""The module ``svmutil`` of LIBSVM's Python interface (libsvm 3.37): ``from dcsvm.svmutil import *``."""

from __future__ import annotations

import os
from ctypes import POINTER, byref, c_double
from typing import Any

import numpy as np

from . import svm
from ._c_faces import rows
from ._c_faces.library import as_lists, check_labels, check_rows, checked, done_with_file, pointer_to
from ._c_faces.options import parse_predict_options
from ._c_faces.scores import print_cross_validation, report_predictions
from ._input import validate
from .commonutil import *  # noqa: F403
from .commonutil import __all__ as _common_all
from .svm import *  # noqa: F403
from .svm import __all__ as _svm_all
from .svm import kernel_names, libsvm, svm_forms, svm_model, svm_parameter, svm_problem, toPyModel

__all__ = ["svm_load_model", "svm_predict", "svm_save_model", "svm_train", *_svm_all, *_common_all]


def svm_load_model(model_file_name: str | os.PathLike[str]) -> svm_model | None:
    """Reads LIBSVM's text format. When that fails, prints so and returns None."""
    model = POINTER(svm_model)()
    name = os.fsencode(validate.path("model_file_name", model_file_name))
    if not done_with_file(libsvm.dcsvm_svm_load_model, name, byref(model)):
        print(f"can't open model file {model_file_name}")
        return None
    return toPyModel(model)


def svm_save_model(model_file_name: str | os.PathLike[str], model: svm_model) -> None:
    """Writes LIBSVM's text format, feature values with all their digits. When that fails, prints so; LIBSVM's own function says
    nothing."""
    name = os.fsencode(validate.path("model_file_name", model_file_name))
    if not done_with_file(libsvm.dcsvm_svm_save_model, name, model, 17):
        print(f"can't save model to file {model_file_name}")


def _check_serial_numbers(prob: svm_problem) -> None:
    first = prob.x_space[prob.rowptr[:-1]]
    if np.any(first["index"] != 0):
        raise ValueError("Wrong input format: first column must be 0:sample_serial_number")
    if np.any((first["value"] <= 0) | (first["value"] > prob.n)):
        raise ValueError("Wrong input format: sample_serial_number out of range")


def _problem_of(arg1: Any, arg2: Any, arg3: Any) -> tuple[svm_problem, svm_parameter]:
    if isinstance(arg1, (list, tuple, np.ndarray)):
        assert isinstance(arg2, (list, tuple)) or rows.is_matrix(arg2)
        param = svm_parameter(arg3)
        return svm_problem(arg1, arg2, isKernel=param.kernel_type == kernel_names.PRECOMPUTED), param
    if isinstance(arg1, svm_problem):
        return arg1, arg2 if isinstance(arg2, svm_parameter) else svm_parameter(arg2)
    raise TypeError("Wrong types for the arguments")


def svm_train(arg1: Any, arg2: Any = None, arg3: Any = None) -> Any:
    """svm_train(y, x [, options]), svm_train(prob [, options]) or svm_train(prob, param) -> model; with -v: accuracy or MSE.

    y : labels or targets, a list, tuple or array
    x : rows, a list or tuple of dicts {index from 1: value}, lists or arrays; a 2-d array; or a scipy CSR matrix
    options : those of svm-train, as a string or a list
        -s 0 C-SVC, 1 nu-SVC, 2 one-class, 3 epsilon-SVR, 4 nu-SVR (0)
        -t 0 linear, 1 polynomial, 2 rbf, 3 sigmoid, 4 precomputed (2)
        -d degree (3), -g gamma (1/n), -r coef0 (0), -c C (1), -n nu (0.5), -p epsilon of the loss (0.1)
        -m cache in MB (100), -e tolerance (0.001), -h shrinking (1), -b probabilities (0), -wi factor of C for class i (1)
        -v n folds of a cross-validation, -q quiet

    Raises TypeError and ValueError as LIBSVM does, MemoryError, KeyboardInterrupt.
    """
    prob, param = _problem_of(arg1, arg2, arg3)
    if param.kernel_type == kernel_names.PRECOMPUTED:
        _check_serial_numbers(prob)
    if param.gamma == 0 and prob.n > 0:
        param.gamma = 1.0 / prob.n  # the caller's, as in LIBSVM
    libsvm.svm_set_print_string_function(param.print_func)
    err_msg = libsvm.svm_check_parameter(prob, param)
    if err_msg:
        raise ValueError(f"Error: {err_msg}")
    if param.cross_validation:
        return _cross_validate(prob, param)
    pointer = POINTER(svm_model)()
    checked(libsvm.dcsvm_svm_train, prob, param, byref(pointer))
    m: Any = toPyModel(pointer)
    m.x_space = prob.x_space  # the model points into this array
    m._param = param  # and into the class weights of this
    return m


def _cross_validate(prob: svm_problem, param: svm_parameter) -> float:
    target = (c_double * prob.l)()
    checked(libsvm.dcsvm_svm_cross_validation, prob, param, param.nr_fold, target)
    return print_cross_validation(prob.y[: prob.l], target[: prob.l], param.svm_type in (svm_forms.EPSILON_SVR, svm_forms.NU_SVR))


def svm_predict(
    y: Any, x: Any, m: svm_model, options: str = ""
) -> tuple[list[float], tuple[float, float, float], list[list[float]]]:
    """Predicts rows x, in any form that svm_train takes, all at once.

    y : their labels or targets, for the metrics; [] when unknown
    options : "-b 1" for probabilities, "-q" for no text

    Returns labels or values; (accuracy in %, mean squared error, squared correlation); and for each row the decision values of
    the k(k-1)/2 pairs of classes (one-class, regression: one value), or with -b 1 the probabilities of the k classes, in the
    order of m.get_labels().
    """
    check_rows(x)
    check_labels(y)
    probability, info = parse_predict_options(options)
    regression = m.get_svm_type() in (svm_forms.EPSILON_SVR, svm_forms.NU_SVR)
    k = m.get_nr_class()
    if probability:
        if not m.is_probability_model():
            raise ValueError("Model does not support probabiliy estimates")
        if regression:
            info(
                "Prob. model for test data: target value = predicted value + z,\n"
                f"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={m.get_svr_probability():g}"
            )
        columns = 0 if regression else k
    else:
        if m.is_probability_model():
            info("Model supports probability estimates, but disabled in predicton.")
        columns = 1 if regression or m.get_svm_type() == svm_forms.ONE_CLASS else k * (k - 1) // 2
    given = m.param.kernel_type == kernel_names.PRECOMPUTED
    matrix = None if given else rows.as_matrix(x)
    if matrix is not None:
        n = matrix.rows
        call: tuple[Any, ...] = (libsvm.dcsvm_svm_predict_matrix, m, matrix)
    else:
        converted = svm.as_rows(x, given)  # owns the nodes that its pointers point to
        n = len(converted.x)
        call = (libsvm.dcsvm_svm_predict, m, n, converted.x)
    labels = np.empty(n)
    values = np.empty((n, columns))
    checked(*call, int(probability != 0), pointer_to(labels), pointer_to(values) if columns else None)
    pred_values = as_lists(values if probability or k > 1 else np.ones((n, 1), dtype=np.intp))
    return labels.tolist(), report_predictions(y, labels, regression, info), pred_values
