"""Nystroem features and a linear SVM, scikit-learn's."""

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from . import Fit, timed_fit


def fit(problem, settings):
    components = min(settings.options.get("n_components", 1000), len(problem.y_train))
    model = make_pipeline(
        Nystroem(gamma=problem.gamma, n_components=components, random_state=0),
        LinearSVC(C=problem.C, dual="auto", random_state=0),
    )
    _, seconds = timed_fit(lambda: model.fit(problem.X_train, problem.y_train))
    return Fit(seconds, lambda x: np.asarray(model.predict(x)), notes={"n_components": components})
