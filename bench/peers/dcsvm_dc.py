"""dcsvm, exact, divide and conquer."""

from . import _dcsvm


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="dc")
