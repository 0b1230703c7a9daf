"""LIBLINEAR's folds."""

from __future__ import annotations

import ctypes

import numpy as np

import dcsvm.liblinear


def liblinear_folds(n: int, folds: int) -> np.ndarray:
    """Each row's fold, numbered in some order, in the first cross-validation of a process."""
    face, predicted = dcsvm.liblinear, (ctypes.c_double * n)()
    # A fold's model is one weight, so that the rows of a fold have equal predictions, and no others do.
    data = face.problem(np.random.default_rng(0).normal(size=n), np.ones((n, 1)))
    face.liblinear.cross_validation(data, face.parameter("-s 11 -p 0 -q"), folds, predicted)
    return np.unique(np.array(predicted), return_inverse=True)[1]
