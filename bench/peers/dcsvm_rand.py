"""dcsvm's RandSVM. The option times_bound sets k to so many times Eq. (4)'s 16 / epsilon^2 log(4 n / delta), epsilon 0.2, delta
0.9."""

import math
from dataclasses import replace

from . import _dcsvm


def fit(problem, settings):
    options = dict(settings.options)
    times = options.pop("times_bound", 2)  # the paper's, for data that is not separable
    k = math.ceil(times * 16 / 0.2**2 * math.log(4 * len(problem.y_train) / 0.9))
    return _dcsvm.fit(problem, replace(settings, options=options), solver="rand", n_support_estimate=k)
