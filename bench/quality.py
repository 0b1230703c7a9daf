"""Objective and violation of a solution, computed alike for every peer in double precision.

The dual of C-SVC for each pair of classes (one pair for two classes): with beta_i = s_i alpha_i, s_i = +1 or -1,

    f(alpha) = 1/2 beta' K beta - sum alpha,   0 <= alpha_i <= C,   sum beta = 0 (with bias)

and the maximal KKT violation max_up (s - K beta) - min_low (s - K beta), LIBSVM's stop measure. Several classes: the sum of the
pairs' objectives, the worst violation.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .problems import Problem

BLOCK_VALUES = 1 << 23  # kernel values in flight per thread: 64 MB
AT_BOUND = 1e-8  # alpha within AT_BOUND * C of 0 or C counts as there, for everyone (float32 peers round)


@dataclass(frozen=True)
class PairAlpha:
    """Dual variables of the classes (first, second): rows of the training data and alpha >= 0 on them."""

    first: float
    second: float
    rows: np.ndarray
    alpha: np.ndarray


@dataclass(frozen=True)
class Quality:
    objective: float
    violation: float
    infeasibility: float  # largest of |sum beta| / C, -alpha / C and (alpha - C) / C
    n_support: int


def pairs_of_libsvm(labels, n_support, support, coef) -> list[PairAlpha]:
    """From LIBSVM's layout (also scikit-learn's): support vectors grouped by class, coef (n_classes - 1, n_support)."""
    start = np.concatenate([[0], np.cumsum(n_support)])
    pairs = []
    for i, j in combinations(range(len(labels)), 2):
        a, b = slice(start[i], start[i + 1]), slice(start[j], start[j + 1])
        rows = np.concatenate([support[a], support[b]])
        alpha = np.abs(np.concatenate([coef[j - 1, a], coef[i, b]])).astype(np.float64)
        pairs.append(PairAlpha(labels[i], labels[j], rows[alpha > 0], alpha[alpha > 0]))
    return pairs


def pairs_of_alpha(labels, alpha) -> list[PairAlpha]:
    """From alpha (n,) or (n_pairs, n), pairs in the order (0,1), (0,2), ..."""
    pairs = []
    for (i, j), a in zip(combinations(range(len(labels)), 2), np.atleast_2d(alpha), strict=True):
        rows = np.flatnonzero(a)
        pairs.append(PairAlpha(labels[i], labels[j], rows, a[rows]))
    return pairs


def support_of(pairs: list[PairAlpha]) -> np.ndarray:
    """Rows that are a support vector of some pair, ascending."""
    return np.unique(np.concatenate([p.rows for p in pairs]))


def measure(problem: Problem, pairs: list[PairAlpha], fit_intercept: bool = True, n_jobs: int = 2) -> Quality:
    """Quality of the solution; costs n x n_support kernel values for each pair."""
    parts = [_measure_pair(problem, p, fit_intercept, n_jobs) for p in pairs]
    return Quality(
        sum(p.objective for p in parts),
        max(p.violation for p in parts),
        max(p.infeasibility for p in parts),
        len(support_of(pairs)),
    )


def cost(problem: Problem, pairs: list[PairAlpha]) -> float:
    """Kernel values that measure computes."""
    size = {label: int(n) for label, n in zip(*np.unique(problem.y_train, return_counts=True), strict=True)}
    return float(sum((size[p.first] + size[p.second]) * len(p.rows) for p in pairs))


def kernel_times(x, points, beta, gamma: float, n_jobs: int = 2) -> np.ndarray:
    """exp(-gamma |x_i - p_j|^2) beta, for every row of x, by blocks."""
    points = _dense(points)
    squares = gamma * np.einsum("ij,ij->i", points, points)
    step = max(1, BLOCK_VALUES // max(1, len(points)))

    def block(start: int) -> np.ndarray:
        rows = _dense(x[start : start + step])
        k = rows @ (2 * gamma * points.T)
        k -= squares
        k -= gamma * np.einsum("ij,ij->i", rows, rows)[:, None]
        np.minimum(k, 0, out=k)
        np.exp(k, out=k)
        return k @ beta

    with ThreadPoolExecutor(n_jobs) as pool:
        return np.concatenate(list(pool.map(block, range(0, x.shape[0], step))))


def _dense(x) -> np.ndarray:
    return np.ascontiguousarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64)


def _measure_pair(problem: Problem, pair: PairAlpha, fit_intercept: bool, n_jobs: int) -> Quality:
    y, C = problem.y_train, problem.C
    members = np.flatnonzero((y == pair.first) | (y == pair.second))
    everyone = len(members) == len(y)
    x = problem.X_train if everyone else problem.X_train[members]
    s = np.where(y[members] == pair.first, 1.0, -1.0)
    alpha = np.zeros(len(y))
    alpha[pair.rows] = pair.alpha
    if alpha.sum() != alpha[members].sum() and np.any(alpha[np.setdiff1d(pair.rows, members)]):
        raise ValueError("a support vector of another class in this pair")
    alpha = alpha[members]
    beta = s * alpha
    used = np.flatnonzero(alpha)
    k_beta = kernel_times(x, x[used], beta[used], problem.gamma, n_jobs) if len(used) else np.zeros(len(members))
    ascent = s - k_beta
    below, above = alpha < C * (1 - AT_BOUND), alpha > C * AT_BOUND
    up, low = np.where(s > 0, below, above), np.where(s > 0, above, below)
    top, bottom = ascent[up].max(initial=-np.inf), ascent[low].min(initial=np.inf)
    violation = top - bottom if fit_intercept else max(top, -bottom, 0.0)
    unbalance = abs(beta.sum()) / C if fit_intercept else 0.0
    outside = max(-alpha.min(initial=0.0), alpha.max(initial=0.0) - C, 0.0) / C
    objective = 0.5 * beta @ k_beta - alpha.sum()
    return Quality(float(objective), float(violation), float(max(unbalance, outside)), len(used))
