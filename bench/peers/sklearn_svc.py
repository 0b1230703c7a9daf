"""scikit-learn's SVC, and its reader of LIBSVM text."""

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

from . import _sklearn


def fit(problem, settings):
    return _sklearn.fit(SVC, problem, settings, np.float64)


def load(path):
    return load_svmlight_file(path)
