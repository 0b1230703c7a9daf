"""scikit-learn's random Fourier features (random kitchen sinks) and ridge regression."""

from sklearn.kernel_approximation import RBFSampler

from . import _features_ridge


def fit(problem, settings):
    features = RBFSampler(gamma=problem.gamma, n_components=settings.options["n_components"], random_state=0)
    return _features_ridge.fit(features, problem)
