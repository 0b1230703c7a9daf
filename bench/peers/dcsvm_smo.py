"""dcsvm, exact, the whole problem at once."""

from . import _dcsvm

PACKAGE = "dcsvm"
load = _dcsvm.load


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="smo")
