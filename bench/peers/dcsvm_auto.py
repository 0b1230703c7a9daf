"""dcsvm, exact, as it chooses by itself: what a user gets."""

from . import _dcsvm

load = _dcsvm.load


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="auto")
