"""A slow, obvious twin of what the core claims about a solution: objective and KKT violation from the full kernel matrix."""

import numpy as np
from scipy.spatial.distance import cdist


def rbf(a, b, gamma):
    return np.exp(-gamma * cdist(a, b, "sqeuclidean"))


def objective(k, y, alpha):
    """1/2 a'Qa - e'a for labels y of +1 and -1."""
    beta = y * alpha
    return 0.5 * beta @ k @ beta - alpha.sum()


def violation(k, y, alpha, C, fit_intercept=True):
    """The maximal KKT violation: max over up minus min over low of the ascent direction y - K beta."""
    g = y - k @ (y * alpha)
    up = np.where(y > 0, alpha < C, alpha > 0)
    low = np.where(y > 0, alpha > 0, alpha < C)
    if fit_intercept:
        return g[up].max() - g[low].min()
    return max(g[up].max(), (-g[low]).max(), 0.0)


def kernel_matrix(x, kernel, gamma, degree=3, coef0=0.0):
    if kernel == "rbf":
        return rbf(x, x, gamma)
    inner = x @ x.T
    return inner if kernel == "linear" else (gamma * inner + coef0) ** degree


def nu_scale(coef, nu):
    """The margin r that nu-SVC's coefficients y alpha / r were divided by: alpha of one class sums to nu n / 2."""
    return nu * len(coef) / np.abs(coef).sum()
