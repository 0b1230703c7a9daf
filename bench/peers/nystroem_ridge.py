"""Nyström features with k-means centres as landmarks, and ridge regression: scikit-learn's parts."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import rbf_kernel

from . import _features_ridge


class KMeansNystroem(TransformerMixin, BaseEstimator):
    def __init__(self, n_components=100, gamma=1.0):
        self.n_components, self.gamma = n_components, gamma

    def fit(self, x, y=None):
        self.centres_ = KMeans(self.n_components, n_init=1, random_state=0).fit(x).cluster_centers_
        values, vectors = np.linalg.eigh(rbf_kernel(self.centres_, gamma=self.gamma))
        self.map_ = vectors / np.sqrt(np.maximum(values, 1e-12))
        return self

    def transform(self, x):
        return rbf_kernel(x, self.centres_, gamma=self.gamma) @ self.map_


def fit(problem, settings):
    return _features_ridge.fit(KMeansNystroem(settings.options["n_components"], problem.gamma), problem)
