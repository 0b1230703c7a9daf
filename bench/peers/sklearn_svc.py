"""scikit-learn's SVC (and SVR and so on), and its reader of LIBSVM text."""

import numpy as np
from sklearn import svm
from sklearn.datasets import load_svmlight_file

from . import _sklearn


def fit(problem, settings):
    return _sklearn.fit(svm, problem, settings, np.float64)


def load(path):
    return load_svmlight_file(path)
