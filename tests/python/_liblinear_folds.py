"""LIBLINEAR's folds, and the objectives that its -C and -v reach on them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from liblinear import liblinear

import dcsvm.liblinear


def liblinear_folds(n: int, folds: int) -> np.ndarray:
    """Each row's fold, numbered in some order, in the first cross-validation of a process."""
    face, predicted = dcsvm.liblinear, (ctypes.c_double * n)()
    # A fold's model is one weight, so that the rows of a fold have equal predictions, and no others do.
    data = face.problem(np.random.default_rng(0).normal(size=n), np.ones((n, 1)))
    face.liblinear.cross_validation(data, face.parameter("-s 11 -p 0 -q"), folds, predicted)
    return np.unique(np.array(predicted), return_inverse=True)[1]


def fold_objectives(
    x, y, solver: int, of_row: np.ndarray, values: list[float], objective: Callable, extra: str = ""
) -> np.ndarray:
    """LIBLINEAR's objectives, (values of C, folds), each training from its own solution for the C before, as in its -C.

    objective(rows, C, w, labels) is that of the training rows; w is (features x vectors).
    """
    out = np.empty((len(values), of_row.max() + 1))
    for f in range(out.shape[1]):
        rows = np.flatnonzero(of_row != f)
        nodes, start = liblinear.problem(y[rows], x[rows]), None
        for k, C in enumerate(values):
            param = liblinear.parameter(f"-s {solver} -q -c {float(C)!r} {extra}")
            liblinear.liblinear.set_print_string_function(param.print_func)
            if start is not None:
                param.init_sol = ctypes.cast(start.ctypes.data, ctypes.POINTER(ctypes.c_double))
            model = liblinear.toPyModel(liblinear.liblinear.train(nodes, param))
            labels = np.array(model.get_labels(), dtype=float)
            vectors = 1 if model.nr_class <= 2 and solver != 4 else model.nr_class
            w = np.ctypeslib.as_array(model.w, (x.shape[1] * vectors,)).copy()
            out[k, f] = objective(rows, C, w.reshape(-1, vectors), labels)
            start = w if solver in (0, 2, 11) and len(values) > 1 else None
    return out
