"""LIBLINEAR as pip builds it (liblinear-official), for the solvers of bench/linear.py: option solver."""

import numpy as np
import scipy.sparse as sp
from liblinear import liblinear as face

from ..linear import NUMBERS
from . import Fit, timed, timed_fit


def fit(problem, settings):
    solver = NUMBERS[settings.options["solver"]]
    bias = settings.options.get("bias", -1)
    data, prepare = timed(lambda: face.problem(problem.y_train, sp.csr_matrix(problem.X_train), bias))
    param = face.parameter(f"-s {solver} -c {problem.C!r} -B {bias} -q")
    face.liblinear.set_print_string_function(param.print_func)
    raw, seconds = timed_fit(lambda: face.liblinear.train(data, param))
    model = face.toPyModel(raw)
    vectors = 1 if solver >= 11 or (model.nr_class == 2 and solver != 4) else model.nr_class
    weights = np.ctypeslib.as_array(model.w, ((model.nr_feature + (bias >= 0)) * vectors,)).reshape(-1, vectors).copy()
    if solver < 11:
        labels = np.array(model.get_labels())
        if vectors > 1:
            weights = weights[:, np.argsort(labels)]
        elif labels[0] < labels[1]:
            weights = -weights
    return Fit(seconds, lambda x: np.zeros(x.shape[0]), prepare_seconds=prepare, weights=weights)
