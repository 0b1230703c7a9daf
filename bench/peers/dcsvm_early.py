"""dcsvm, stopped at the bottom level with 64 clusters, early prediction."""

from . import _dcsvm


def fit(problem, settings):
    return _dcsvm.fit(problem, settings, solver="dc", branching=4, n_levels=3, early_level=3)
