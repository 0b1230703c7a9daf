"""dcsvm, stopped at the bottom level with 64 clusters. prediction="bcm": a Bayesian committee of the clusters."""

import dataclasses

from ..methods.bcm import committee
from . import _dcsvm


def fit(problem, settings):
    options = {"branching": 4, "n_levels": 3, "early_level": 3, **settings.options}
    by_committee = options.get("prediction") == "bcm"
    if by_committee:
        del options["prediction"]
    found = _dcsvm.fit(problem, dataclasses.replace(settings, options=options), solver="dc")
    if by_committee:
        decide, classes = committee(found.model, problem.C), found.model.classes_
        found.predict = lambda rows: classes[(decide(rows) > 0).astype(int)]
    return found
