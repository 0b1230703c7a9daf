"""LIBLINEAR, as scikit-learn has it: the squared hinge with a bias, by the solver that scikit-learn chooses."""

from sklearn.svm import LinearSVC

from . import _estimator


def fit(problem, settings):
    return _estimator.fit(LinearSVC(C=problem.C, dual="auto", random_state=0, **settings.options), problem)
