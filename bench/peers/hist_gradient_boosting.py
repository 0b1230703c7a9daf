"""scikit-learn's gradient boosting on histograms, a yardstick: its defaults with 300 trees."""

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from . import _estimator


def fit(problem, settings):
    kind = HistGradientBoostingRegressor if problem.regression else HistGradientBoostingClassifier
    return _estimator.fit(kind(max_iter=300, random_state=0), problem)
