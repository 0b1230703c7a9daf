"""SVC of the Extension for Scikit-learn (oneDAL), on float32 data."""

import numpy as np

from . import _sklearn


def fit(problem, settings):
    return _sklearn.fit_onedal(problem, settings, np.float32)
