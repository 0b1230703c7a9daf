"""dcsvm, exact, the whole problem at once."""

from . import _dcsvm


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="smo")
