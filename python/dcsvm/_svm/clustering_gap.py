"""How far the solution of independent clusters is from the optimum: Theorem 1 of Hsieh, Si, Dhillon (ICML 2014)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.parameters import fill
from .._input.validate import CsrMatrix, FloatArray, IndexArray
from .model import Model
from .train import defaults, train

_solve: Callable[..., Model] = inspect.unwrap(train)  # without warnings of the trainings that only measure
_RESOLVED = 1e-7  # of the objective: a* is solved so well that differences from here on are seen
_ROWS = 1000  # kernel values computed at once: so many rows of the matrix


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

    clusters: npt.NDArray[np.int64]
    difference: FloatArray
    bound: FloatArray


def clustering_gap(X: Any, y: Any, clusters: Sequence[int], clustering: str, C: float, **parameters: Any) -> ClusteringGap:
    """The numbers behind the paper's Figure 1, for a problem of two classes without bias. Quadratic in the rows."""
    options = {**parameters, "C": C, "fit_intercept": False, "precision": "double"}
    exact = _solve(X, y, **options)
    if len(exact.classes_) != 2:
        raise ValueError(f"y must have two classes, as in the paper's Theorem 1; it has {len(exact.classes_)}")
    # f(a) - f(a*) <= sum_i g_i (a_i - a*_i) with the gradient g at a*, so f(a*) is above the optimum by at most the violation
    # times the sum of both solutions, which are about equal.
    both = 2 * np.abs(exact.alpha).sum()
    fine = min(parameters.get("tol", defaults()["tol"]), _RESOLVED * abs(exact.report.objective) / both)
    exact = _solve(X, y, **{**options, "tol": fine}, solver="smo", warm_start_alpha=exact.alpha)
    unknown = exact.report.violation * both + 1e-12 * abs(exact.report.objective)  # the second is for rounding
    counts, values, partitions = [], [], []
    for k in clusters:
        asked = {"solver": "dc", "n_levels": 1, "branching": k, "clustering": clustering, "keep_levels": True}
        level = _solve(X, y, **options, **asked).levels_[0]
        alpha = np.zeros(len(exact.alpha))
        alpha[level.support] = np.abs(level.sv_coef[0])
        measured = _solve(X, y, **options, solver="smo", warm_start_alpha=alpha, max_iter=0)
        assert level.cluster_of is not None
        counts.append(level.n_clusters)
        difference = measured.report.objective - exact.report.objective
        values.append(difference if difference > unknown else 0.0)
        partitions.append(level.cluster_of)
    between = _between(X, partitions, exact, parameters)
    return ClusteringGap(np.array(counts), np.array(values), C**2 * between / 2)


def _between(X: Any, partitions: Sequence[IndexArray], model: Model, parameters: dict[str, Any]) -> FloatArray:
    """For each partition the sum of |K| over rows of different clusters."""
    kernel = {"kernel": model.kernel, "gamma": model.gamma, "degree": model.degree, "coef0": model.coef0}
    p = fill(_core.TrainParams(), {**kernel, "precision": "double", "random_state": 0, "n_jobs": parameters.get("n_jobs")})
    data = validate.as_data("X", X)
    data = data.toarray() if isinstance(data, CsrMatrix) else np.ascontiguousarray(data)
    sums = np.zeros(len(partitions))
    for begin in range(0, len(data), _ROWS):
        values = np.abs(_core.kernel_values(data[begin : begin + _ROWS], data, p))
        for i, cluster_of in enumerate(partitions):
            sums[i] += values.sum(where=cluster_of[begin : begin + len(values), None] != cluster_of)
    return sums
