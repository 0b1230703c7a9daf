"""dcsvm's LaSVM: one pass over the rows, as the papers run it. The option finish goes on to the optimum."""

import numpy as np

import dcsvm

from . import Fit, NotInstalledError, timed_fit

if not hasattr(dcsvm, "OnlineSVC"):
    raise NotInstalledError("this dcsvm has no OnlineSVC")


def fit(problem, settings):
    model = dcsvm.OnlineSVC(C=problem.C, gamma=problem.gamma, tol=settings.tol)
    labels = np.unique(problem.y_train)

    def train():
        model.partial_fit(problem.X_train, problem.y_train, classes=labels)
        if settings.options.get("finish", False):
            model.finish()

    _, seconds = timed_fit(train)
    return Fit(seconds, lambda x: np.asarray(model.predict(x)))
