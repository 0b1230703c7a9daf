"""scikit-learn's plain network, a yardstick: layers of 128 and 64 units, early stopping, standardised features."""

from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from . import _estimator


def fit(problem, settings):
    kind = MLPRegressor if problem.regression else MLPClassifier
    network = kind(hidden_layer_sizes=(128, 64), early_stopping=True, random_state=0, **settings.options)
    return _estimator.fit(make_pipeline(StandardScaler(with_mean=not hasattr(problem.X_train, "indptr")), network), problem)
