"""Objective and violation of a solution, computed alike for every peer in double precision.

Each formulation is a dual in the coefficients b, with K the kernel matrix and e a vector of ones:

    min 1/2 b' K b - q' b + epsilon |b|_1   subject to a box for each b_i and, with a bias, sum b = 0 (nu: given sums)

c_svc          b = s alpha, s = +1 and -1 for the two classes, q = s, 0 <= alpha <= C; several classes: one dual for each pair
nu_svc         b = s alpha r, 0 <= alpha r <= 1, q = 0, r the margin that alpha was divided by; a sum for each class
one_class      0 <= b <= 1, q = 0
epsilon_svr    b = alpha - alpha*, -C <= b <= C, q = y; of a quantile t: -(1 - t) C <= b <= t C
nu_svr         the same with epsilon 0, and sum |b| at most C nu n

The violation is LIBSVM's stop measure: the largest slope of a coefficient that may grow minus the least of one that may fall.
Several classes: the sum of the pairs' objectives, the worst violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from .._input.formulations import CLASSIFIERS
from .fits import Array, Dual, Problem

BLOCK_VALUES = 1 << 23  # kernel values in flight per thread: 64 MB


class Near(NamedTuple):
    """Parts of its bound: a multiplier this near to 0, or to its bound, counts as there."""

    zero: float
    bound: float


AT_BOUND = Near(1e-6, 1e-6)  # for everyone: float32 peers round
PAIRWISE = CLASSIFIERS  # a dual for each pair of classes


@dataclass(frozen=True)
class Judged:
    """What is found of one dual.

    top, bottom : the largest slope of what may grow and the least of what may fall; the bias lies between (nu: not computed)
    infeasibility : largest of what the box and the sums are missed by, in units of the box
    linear : sum of the sizes of the objective's linear terms, by which its rounding is judged
    """

    objective: float
    violation: float
    infeasibility: float
    linear: float = 0.0
    top: float = np.nan
    bottom: float = np.nan


@dataclass(frozen=True)
class Quality:
    objective: float
    violation: float
    infeasibility: float  # in units of the box
    n_support: int


# One dual each, from its products K b. bound: a number or one for each row.


def judge_c_svc(s: Array, alpha: Array, kb: Array, bound: Any, fit_intercept: bool = True, near: Near = AT_BOUND) -> Judged:
    b, slope = s * alpha, s - kb
    up, low = _of_class(s, *_room(alpha, bound, near))
    top, bottom = slope[up].max(initial=-np.inf), slope[low].min(initial=np.inf)
    unbalance = _unbalance(b, bound) if fit_intercept else 0.0
    objective = 0.5 * b @ kb - alpha.sum()
    return _judged(objective, top, bottom, fit_intercept, max(unbalance, _outside(alpha, bound)), np.abs(b).sum())


def judge_nu_svc(s: Array, scaled: Array, kb: Array, bound: Any, mass: float | None = None, near: Near = AT_BOUND) -> Judged:
    """scaled: alpha times the margin, and kb the products of s scaled. mass: what each class's scaled must sum to."""
    up, low = _of_class(s, *_room(scaled, bound, near))
    spans = [_span(-kb, up & (s == c), low & (s == c)) for c in (1, -1)]
    missed = [0.0 if mass is None else abs(scaled[s == c].sum() - mass) for c in (1, -1)]
    return Judged(float(0.5 * (s * scaled) @ kb), max(0.0, *spans), float(max(*missed, _outside(scaled, bound))))


def judge_one_class(b: Array, kb: Array, bound: Any, mass: float | None = None, near: Near = AT_BOUND) -> Judged:
    """mass: what b must sum to."""
    missed = 0.0 if mass is None else abs(b.sum() - mass)
    up, low = _room(b, bound, near)
    top, bottom = (-kb)[up].max(initial=-np.inf), (-kb)[low].min(initial=np.inf)
    return _judged(float(0.5 * b @ kb), top, bottom, True, max(missed, _outside(b, bound)), 0.0)


def judge_epsilon_svr(
    b: Array,
    kb: Array,
    y: Array,
    bound: Any,
    epsilon: float,
    fit_intercept: bool = True,
    near: Near = AT_BOUND,
    quantile: float | None = None,
) -> Judged:
    """quantile: b is in [-(1 - quantile), quantile] times bound; None: in [-1, 1] times it."""
    below, bound = (bound, bound) if quantile is None else ((1 - quantile) * bound, quantile * bound)
    slope, zero, full = y - kb, near.zero * np.where(b > 0, bound, below), bound * (1 - near.bound)
    rise = slope - np.where(b >= -zero, epsilon, -epsilon)
    fall = slope - np.where(b > zero, epsilon, -epsilon)
    top, bottom = rise[b < full].max(initial=-np.inf), fall[b > -below * (1 - near.bound)].min(initial=np.inf)
    outside = max(_outside(np.maximum(b, 0), bound), _outside(np.maximum(-b, 0), below))
    missed = max(_unbalance(b, bound) if fit_intercept else 0.0, outside)
    tube = epsilon * np.abs(b).sum()
    return _judged(0.5 * b @ kb - y @ b + tube, top, bottom, fit_intercept, missed, np.abs(b) @ np.abs(y) + tube)


def judge_nu_svr(b: Array, kb: Array, y: Array, bound: Any, mass: float | None = None, near: Near = AT_BOUND) -> Judged:
    """mass: what sum |b| may be at most."""
    slope = y - kb
    grows, falls = _room(np.maximum(b, 0), bound, near)
    grows_too, falls_too = _room(np.maximum(-b, 0), bound, near)
    violation = max(0.0, _span(slope, grows, falls), _span(slope, falls_too, grows_too))
    beyond = 0.0 if mass is None else (np.abs(b).sum() - mass) / np.max(bound)
    infeasibility = max(_unbalance(b, bound), beyond, _outside(np.abs(b), bound))
    return Judged(float(0.5 * b @ kb - y @ b), violation, float(infeasibility), float(np.abs(b) @ np.abs(y)))


def _judged(objective: float, top: float, bottom: float, fit_intercept: bool, infeasibility: float, linear: float) -> Judged:
    violation = max(0.0, top - bottom) if fit_intercept else max(0.0, top, -bottom)
    return Judged(float(objective), float(violation), float(infeasibility), float(linear), float(top), float(bottom))


def _room(a: Array, bound: Any, near: Near) -> tuple[Array, Array]:
    """Which multipliers 0 <= a <= bound may grow, and which may fall."""
    return a < bound * (1 - near.bound), a > bound * near.zero


def _of_class(s: Array, grows: Array, falls: Array) -> tuple[Array, Array]:
    """Which s a may grow, and which may fall."""
    return np.where(s > 0, grows, falls), np.where(s > 0, falls, grows)


def _span(slope: Array, up: Array, low: Array) -> float:
    return float(slope[up].max(initial=-np.inf) - slope[low].min(initial=np.inf))


def _unbalance(b: Array, bound: Any) -> float:
    return float(abs(b.sum()) / np.max(bound, initial=np.finfo(float).tiny))


def _outside(a: Array, bound: Any) -> float:
    """By how much of its bound some multiplier 0 <= a <= bound is outside."""
    return float(np.max(np.maximum(-a, a - bound) / bound, initial=0.0))


# Kernels, in float64. Their formulas stand here once more, so that no mistake of the core's judges itself.


_FROM = {  # what kernel_of takes; chi2: its own sums
    **dict.fromkeys(("linear", "poly", "sigmoid", "tanimoto"), "products"),
    **dict.fromkeys(("rbf", "exponential", "matern32", "matern52"), "sqeuclidean"),
    "laplacian": "cityblock",
    "chi2": "chi2",
}


def _taken_from(kernel: str) -> str:
    if kernel not in _FROM:
        raise ValueError(f"kernel {kernel!r} is not judged: its formula is missing in dcsvm/_bench/quality.py")
    return _FROM[kernel]


def kernel_of(values: Array, params: Mapping[str, Any], norms: tuple[Array, Array] | None = None) -> Array:
    """Values from inner products (tanimoto: and squared norms of rows and columns) or from distances. May overwrite values."""
    kernel = params.get("kernel", "rbf")
    if kernel == "linear":
        return values
    if kernel == "tanimoto":
        assert norms is not None
        either = norms[0][:, None] + norms[1][None] - values
        return np.asarray(np.where(either == 0, 1, values / np.where(either == 0, 1, either)))
    gamma = params["gamma"]
    if kernel in ("rbf", "laplacian", "chi2"):
        values *= -gamma
        return np.asarray(np.exp(values, out=values))
    if kernel in ("exponential", "matern32", "matern52"):
        a = gamma * np.sqrt({"exponential": 1, "matern32": 3, "matern52": 5}[kernel]) * np.sqrt(values)
        before = {"exponential": 1, "matern32": 1 + a, "matern52": 1 + a + a * a / 3}[kernel]
        return np.asarray(before * np.exp(-a))
    values *= gamma
    values += params.get("coef0", 0.0)
    if kernel == "sigmoid":
        return np.asarray(np.tanh(values, out=values))
    if kernel == "poly":
        return np.asarray(values ** params.get("degree", 3))
    raise ValueError(f"kernel {kernel!r} is not judged: its formula is missing in kernel_of of dcsvm/_bench/quality.py")


def kernel_matrix(x: Any, params: Mapping[str, Any]) -> Array:
    """K of all rows of x, for few rows, with all digits of float64 but the last: distances are sums of squared differences, which
    lose none far from zero; inner products are in long double, which loses none where terms cancel."""
    x = _dense(x)
    taken_from = _taken_from(params.get("kernel", "rbf"))
    if taken_from != "products":
        return kernel_of(_distances(x, x, taken_from), params)
    inner = inner_products(x)
    return kernel_of(inner, params, (inner.diagonal(), inner.diagonal())).astype(np.float64)


def _distances(rows: Array, points: Array, distance: str) -> Array:
    from scipy.spatial.distance import cdist

    if distance != "chi2":
        return np.asarray(cdist(rows, points, distance))
    total = np.zeros((len(rows), len(points)))
    for column in range(rows.shape[1]):
        one, other = rows[:, column, None], points[None, :, column]
        both = one + other
        total += np.divide((one - other) ** 2, both, out=np.zeros_like(both), where=both != 0)
    return total


def inner_products(x: Array) -> Array:
    """x x' in long double, at the speed of float64: products of leading 22 bits (of the row's largest value) are exact."""
    _, exponent = np.frexp(np.abs(x).max(axis=1, initial=0.0, keepdims=True))
    step = np.ldexp(1.0, exponent - 22)
    head = np.round(x / step) * step
    rest = x - head
    small = head @ rest.T
    return np.asarray((head @ head.T).astype(np.longdouble) + (small + small.T + rest @ rest.T))


def kernel_times(x: Any, points: Any, b: Array, params: Mapping[str, Any], n_jobs: int = 2) -> Array:
    """K(x, points) b, by blocks of rows of x."""
    points = _dense(points)
    taken_from = _taken_from(params.get("kernel", "rbf"))
    squares = np.einsum("ij,ij->i", points, points)
    step = max(1, BLOCK_VALUES // max(1, len(points)))

    def block(start: int) -> Array:
        rows = _dense(x[start : start + step])
        if taken_from not in ("products", "sqeuclidean"):
            return np.asarray(kernel_of(_distances(rows, points, taken_from), params) @ b)
        k, own = rows @ points.T, np.einsum("ij,ij->i", rows, rows)
        if taken_from == "sqeuclidean":
            k *= -2
            k += squares
            k += own[:, None]
            np.maximum(k, 0, out=k)
        return np.asarray(kernel_of(k, params, (own, squares)) @ b)

    with ThreadPoolExecutor(n_jobs) as pool:
        return np.concatenate(list(pool.map(block, range(0, x.shape[0], step))))


def _dense(x: Any) -> Array:
    return np.ascontiguousarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64)


# Whole solutions


def from_libsvm(labels: Any, n_support: Any, support: Array, coef: Array) -> list[Dual]:
    """From LIBSVM's layout (also scikit-learn's): support vectors grouped by class, coef (n_classes - 1, n_support); labels None:
    one dual, coef (1, n_support)."""
    if labels is None:
        return [Dual(support, np.asarray(coef[0], dtype=np.float64))]
    start = np.concatenate([[0], np.cumsum(n_support)])
    duals = []
    for i, j in combinations(range(len(labels)), 2):
        a, b = slice(start[i], start[i + 1]), slice(start[j], start[j + 1])
        rows = np.concatenate([support[a], support[b]])
        alpha = np.abs(np.concatenate([coef[j - 1, a], coef[i, b]])).astype(np.float64)
        duals.append(Dual(rows[alpha > 0], alpha[alpha > 0], (labels[i], labels[j])))
    return duals


def from_alpha(labels: Any, alpha: Array) -> list[Dual]:
    """From dcsvm's Model.alpha: (n,) or (n_pairs, n), pairs in the order (0,1), (0,2), ...; no labels: one dual."""
    pairs = list(combinations(labels, 2)) if len(labels) else [None]
    duals = zip(pairs, np.atleast_2d(alpha), strict=True)
    return [Dual(np.flatnonzero(a), np.abs(a[a != 0]) if pair else a[a != 0], pair) for pair, a in duals]  # nu_svc: r may be < 0


def support_of(duals: list[Dual]) -> Array:
    """Rows that are a support vector of some dual, ascending."""
    return np.unique(np.concatenate([d.rows for d in duals]))


def cost(problem: Problem, duals: list[Dual]) -> float:
    """Kernel values that measure computes."""
    size = {label: int(n) for label, n in zip(*np.unique(problem.y_train, return_counts=True), strict=True)}

    def members(d: Dual) -> int:
        return len(problem.y_train) if d.classes is None else size[d.classes[0]] + size[d.classes[1]]

    return float(sum(members(d) * len(d.rows) for d in duals))


def measure(problem: Problem, duals: list[Dual], fit_intercept: bool = True, n_jobs: int = 2) -> Quality:
    """Quality of the solution; costs n x n_support kernel values for each pair."""
    measure_one = _measure_pair if problem.formulation in PAIRWISE else _measure_whole
    parts = [measure_one(problem, d, fit_intercept, n_jobs) for d in duals]
    return Quality(
        sum(p.objective for p in parts),
        max(p.violation for p in parts),
        max(p.infeasibility for p in parts),
        len(support_of(duals)),
    )


def measure_linear(problem: Problem, weights: Array) -> tuple[float, float]:
    """LIBLINEAR's objective with the squared hinge, and the duality gap over it, the largest of all vectors: alpha = 2 C max(0,
    1 - y z) obeys the dual's constraints whatever the weights are. weights: of features and the bias, a vector for each class
    against the rest; two classes: one, positive for the second."""
    x, y, C = problem.X_train, problem.y_train, problem.C
    objective, violation, classes = 0.0, 0.0, np.unique(y)
    for w, label in zip(weights.T, classes[-weights.shape[1] :], strict=True):
        s = np.where(y == label, 1.0, -1.0)
        slack = np.maximum(0.0, 1 - s * (x @ w[:-1] + w[-1]))
        alpha = 2 * C * slack
        primal = 0.5 * w @ w + C * slack @ slack
        dual = alpha.sum() - alpha @ alpha / (4 * C) - 0.5 * np.sum((x.T @ (s * alpha)) ** 2) - 0.5 * (s @ alpha) ** 2
        objective, violation = objective + primal, max(violation, (primal - dual) / primal)
    return float(objective), float(violation)


def _measure_whole(problem: Problem, dual: Dual, fit_intercept: bool, n_jobs: int) -> Judged:
    x, y, params = problem.X_train, problem.y_train, problem.params
    b = np.zeros(len(y))
    b[dual.rows] = dual.multipliers
    kb = _products(x, b, params, n_jobs)
    if problem.formulation == "one_class":
        return judge_one_class(b, kb, 1.0, params["nu"] * len(y))
    if problem.formulation == "nu_svr":
        return judge_nu_svr(b, kb, y, params["C"], params["C"] * params["nu"] * len(y))
    if problem.formulation == "epsilon_svr":
        return judge_epsilon_svr(b, kb, y, params["C"], params["epsilon"], fit_intercept)
    raise _not_judged(problem)


def _measure_pair(problem: Problem, dual: Dual, fit_intercept: bool, n_jobs: int) -> Judged:
    """nu_svc: the margin is the inverse of the largest multiplier, so one must be at its bound."""
    assert dual.classes is not None
    y, (first, second) = problem.y_train, dual.classes
    members = np.flatnonzero((y == first) | (y == second))
    x = problem.X_train if len(members) == len(y) else problem.X_train[members]
    s = np.where(y[members] == first, 1.0, -1.0)
    alpha = np.zeros(len(y))
    alpha[dual.rows] = dual.multipliers
    if np.count_nonzero(alpha) != np.count_nonzero(alpha[members]):
        raise ValueError("a support vector of another class in this pair")
    alpha = alpha[members]
    if problem.formulation == "nu_svc":
        alpha /= alpha.max()
    kb = _products(x, s * alpha, problem.params, n_jobs)
    if problem.formulation == "nu_svc":
        return judge_nu_svc(s, alpha, kb, 1.0, problem.params["nu"] * len(s) / 2)
    if problem.formulation == "c_svc":
        return judge_c_svc(s, alpha, kb, problem.C, fit_intercept)
    raise _not_judged(problem)


def _not_judged(problem: Problem) -> ValueError:
    return ValueError(f"formulation {problem.formulation!r} is not judged: its dual is missing in dcsvm/_bench/quality.py")


def _products(x: Any, b: Array, params: Mapping[str, Any], n_jobs: int) -> Array:
    used = np.flatnonzero(b)
    return kernel_times(x, x[used], b[used], params, n_jobs) if len(used) else np.zeros(x.shape[0])
