"""dcsvm, exact, divide and conquer."""

from . import _dcsvm

PACKAGE = "dcsvm"


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="dc")
