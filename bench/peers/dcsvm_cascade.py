"""dcsvm's cascade, random subsets merged in a tree."""

from . import _dcsvm


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="cascade")
