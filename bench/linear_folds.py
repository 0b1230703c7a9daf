"""LIBLINEAR's folds, and the objectives that its -C and -v reach on them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
from liblinear import liblinear


def unseeded_rand() -> Iterator[int]:
    """The numbers of glibc's rand() in a process that never called srand()."""
    state, word = [], 1
    for _ in range(31):
        state.append(word)
        word = 16807 * word % 2147483647
    place, drawn = 3, 0
    while True:
        state[place] = (state[place] + state[(place + 28) % 31]) % 2**32
        drawn += 1
        if drawn > 310:
            yield state[place] >> 1
        place = (place + 1) % 31


def liblinear_folds(n: int, folds: int) -> np.ndarray:
    """The fold of each row in the first cross-validation of a process."""
    numbers, order = unseeded_rand(), list(range(n))
    for i in range(n):
        j = i + next(numbers) % (n - i)
        order[i], order[j] = order[j], order[i]
    of_row = np.zeros(n, dtype=np.int64)
    for f in range(folds):
        of_row[order[f * n // folds : (f + 1) * n // folds]] = f
    return of_row


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
