"""How far the solution of independent clusters is from the optimum: Theorem 1 of Hsieh, Si, Dhillon (ICML 2014)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dcsvm
from dcsvm._bench.quality import Array, kernel_times

_solve: Callable[..., dcsvm.Model] = inspect.unwrap(dcsvm.train)  # without warnings of the trainings that only measure
_RESOLVED = 1e-7  # of the objective: a* is solved so well that differences from here on are seen


@dataclass(frozen=True)
class ClusteringGap:
    """For each number of clusters, with f the dual objective of the whole problem.

    Attributes
    ----------
    clusters : ndarray of shape (m,)
        Clusters that have rows.
    difference : ndarray of shape (m,)
        f(a) - f(a*) >= 0, where a joins the clusters' solutions and a* is the whole problem's; 0 where it is smaller than what
        the violation of a* leaves open, which is less than 10^-7 of f(a*).
    bound : ndarray of shape (m,)
        C^2 D / 2 of Theorem 1, D the sum of \\|K(x_i, x_j)\\| over rows of different clusters.
    """

    clusters: Array
    difference: Array
    bound: Array


def clustering_gap(X: Any, y: Any, clusters: Sequence[int], clustering: str, C: float, **parameters: Any) -> ClusteringGap:
    """The numbers behind the paper's Figure 1, for a problem of two classes without bias and the rbf kernel. Quadratic in the
    rows."""
    options = {**parameters, "C": C, "fit_intercept": False, "precision": "double"}
    exact = _solve(X, y, **options)
    if len(exact.classes_) != 2:
        raise ValueError(f"y must have two classes, as in the paper's Theorem 1; it has {len(exact.classes_)}")
    # f(a) - f(a*) <= sum_i g_i (a_i - a*_i) with the gradient g at a*, so f(a*) is above the optimum by at most the violation
    # times the sum of both solutions, which are about equal.
    both = 2 * np.abs(exact.alpha).sum()
    fine = min(parameters.get("tol", 1e-3), _RESOLVED * abs(exact.report.objective) / both)
    exact = _solve(X, y, **{**options, "tol": fine}, solver="smo", warm_start_alpha=exact.alpha)
    unknown = exact.report.violation * both + 1e-12 * abs(exact.report.objective)  # the second is for rounding
    counts, values, sums = [], [], []
    for k in clusters:
        asked = {"solver": "dc", "n_levels": 1, "branching": k, "clustering": clustering, "keep_levels": True}
        level = _solve(X, y, **options, **asked).levels_[0]
        alpha = np.zeros(len(exact.alpha))
        alpha[level.support] = np.abs(level.sv_coef[0])
        measured = _solve(X, y, **options, solver="smo", warm_start_alpha=alpha, max_iter=0)
        counts.append(level.n_clusters)
        difference = measured.report.objective - exact.report.objective
        values.append(difference if difference > unknown else 0.0)
        sums.append(between(X, level.cluster_of, exact.gamma))
    return ClusteringGap(np.array(counts), np.array(values), C**2 * np.array(sums) / 2)


def between(X: Any, cluster_of: Array, gamma: float) -> float:
    """The sum of K(x_i, x_j), which is positive, over rows of different clusters."""
    member = (cluster_of[:, None] == np.unique(cluster_of)).astype(float)
    sums = kernel_times(X, X, member, {"gamma": gamma})
    return float((sums * (1 - member)).sum())
