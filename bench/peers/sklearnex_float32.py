"""SVC of the Extension for Scikit-learn (oneDAL), on float32 data."""

import numpy as np
from sklearnex.svm import SVC

from . import _sklearn

PACKAGE = "scikit-learn-intelex"


def fit(problem, settings):
    return _sklearn.fit(SVC, problem, settings, np.float32)
