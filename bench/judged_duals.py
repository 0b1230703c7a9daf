"""The duals of a trained model, judged from the data alone, with sums in long double."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import dcsvm
from dcsvm._bench import quality

from .recipes import Array, Recipe

AT_BOUND = quality.Near(0.0, 2.0**-50)  # C times weights may be rounded in another order
NEAR_BOUND = quality.Near(1e-9, 1e-9)  # what may count as there too for the bias, which such multipliers would decide alone


@dataclass
class Problem:
    """A dual judged. terms: sum of the sizes of the objective's terms. error: of float64 itself, in the violation."""

    violation: float
    objective: float
    terms: float
    error: float
    bias_off: float = 0.0
    most: float = 0.0  # what may be reported as the violation: multipliers as near to their bounds as rounding are not there


def matrices_of(x: Any, model: dcsvm.Model) -> tuple[Array, Array]:
    """K, and the size of what is added up in each value."""
    if model.kernel == "precomputed":
        k = np.asarray(x, dtype=np.float64)
        return k, k
    params = {name: getattr(model, name) for name in ("kernel", "gamma", "coef0", "degree")}
    k = quality.kernel_matrix(x, params)
    if model.kernel not in ("linear", "poly", "sigmoid"):
        return k, k
    norms = np.sqrt(np.asarray((x.multiply(x) if hasattr(x, "multiply") else x * x).sum(axis=1), dtype=np.float64)).ravel()
    sizes = np.outer(norms, norms) * (1.0 if model.kernel == "linear" else model.gamma)
    if model.kernel != "linear":
        sizes += abs(model.coef0)
    if model.kernel == "poly":
        sizes **= model.degree
    return k, sizes


def products(k: Array, b: Array) -> Array:
    """K b, with sums in long double."""
    support = np.flatnonzero(b)
    return np.asarray(k[:, support].astype(np.longdouble) @ b[support].astype(np.longdouble))


def of_judged(judged: Callable[..., quality.Judged], k: Array, sizes: Array, b: Array, bias: float | None = None) -> Problem:
    """b: the coefficients that are judged. bias: None where it is not judged."""
    found = judged(near=AT_BOUND)
    support = np.flatnonzero(b)
    of_b = np.abs(b[support])
    summed = np.abs(sizes[:, support]) * of_b
    lost = 2.0**-50 * np.sqrt((summed * summed).sum(axis=1)) + 2.0**-52 * summed.sum(axis=1)
    terms = float(of_b @ (np.abs(k[np.ix_(support, support)]) @ of_b)) + found.linear
    one = Problem(found.violation, found.objective, terms, float(lost.max(initial=0.0)))
    one.most = max(found.violation, judged(near=quality.Near(0.0, 0.0)).violation)
    if bias is not None:
        ends = [(j.top, j.bottom) for j in (found, judged(near=NEAR_BOUND))]
        one.bias_off = min(float(max(0.0, min(e) - bias, bias - max(e))) for e in ends)
    return one


def parts_of(model: dcsvm.Model, n: int) -> list[Array]:
    """Which rows each problem is about: all, or those of each cluster of an early model."""
    if not model.clustered:
        return [np.ones(n, dtype=bool)]
    cluster_of = model.levels_[-1].cluster_of
    return [cluster_of == c for c in np.unique(cluster_of[cluster_of >= 0])]


def judge(r: Recipe, model: dcsvm.Model) -> list[Problem]:
    p, alpha = r.params, np.asarray(model.alpha)
    k = matrices_of(r.x, model)
    w = np.asarray(p.get("sample_weight", np.ones(len(r.y))), dtype=np.float64)
    parts = parts_of(model, len(r.y))
    if r.formulation in ("c_svc", "nu_svc"):
        biases = model.intercept_.reshape(len(parts), -1)
        return [
            q for part, b in zip(parts, biases, strict=True) for q in judge_pairs(r, model, k, np.atleast_2d(alpha), w, part, b)
        ]
    biases = np.asarray(model.intercept_).reshape(-1)
    return [judge_one(r, k, alpha, w, part, bias) for part, bias in zip(parts, biases, strict=True)]


def judge_one(r: Recipe, matrices: tuple[Array, Array], alpha: Array, w: Array, part: Array, bias: float) -> Problem:
    """One class, or a regression."""
    p, took = r.params, np.flatnonzero((w > 0) & part)
    k, sizes = (m[np.ix_(took, took)] for m in matrices)
    b, y, w = alpha[took], r.y[took], w[took]
    kb = products(k, b)
    if r.formulation == "one_class":
        return of_judged(partial(quality.judge_one_class, b, kb, w), k, sizes, b, bias)
    bound = p["C"] * w
    if r.formulation == "nu_svr":
        one = of_judged(partial(quality.judge_nu_svr, b, kb, y, bound), k, sizes, b)
        if np.abs(b).sum() < (1 - 2.0**-40) * p["nu"] * bound.sum():
            one.most = np.inf  # some alpha and alpha* are both above 0: their difference hides that both may fall
        return one
    judged = partial(quality.judge_epsilon_svr, b, kb, y, bound, p["epsilon"], p["fit_intercept"], quantile=p.get("quantile"))
    return of_judged(judged, k, sizes, b, bias if p["fit_intercept"] else None)


def judge_pairs(
    r: Recipe, model: dcsvm.Model, matrices: tuple[Array, Array], alpha: Array, w: Array, part: Array, biases: Array
) -> Iterator[Problem]:
    p, classes = r.params, model.classes_
    factor = np.ones(len(r.y))
    given = p.get("class_weight")
    if given == "balanced":
        for c in classes:
            factor[r.y == c] = len(r.y) / (len(classes) * (r.y == c).sum())
    elif given:
        for c, v in given.items():
            factor[r.y == c] = v
    for number, (first, second) in enumerate(combinations(classes, 2)):
        idx = np.flatnonzero(((r.y == first) | (r.y == second)) & (w > 0) & part)
        s = np.where(r.y[idx] == first, 1.0, -1.0)
        if len(idx) == 0 or (len(np.unique(s)) < 2 and p.get("fit_intercept", True)):
            continue  # a cluster of one class: with a bias every multiplier is 0
        own, sizes = (m[np.ix_(idx, idx)] for m in matrices)
        a = alpha[number][idx]
        if r.formulation == "nu_svc":
            margin = model.report.problems[number]["r"] or 1.0  # alpha is divided by it, and has its sign
            b = s * a * margin
            judged = partial(quality.judge_nu_svc, s, a * margin, products(own, b), w[idx])
            one = of_judged(judged, own, sizes, b)
            one.objective /= margin**2
            one.terms /= margin**2
        else:
            b = s * a
            bound = p["C"] * factor[idx] * w[idx]
            judged = partial(quality.judge_c_svc, s, a, products(own, b), bound, p["fit_intercept"])
            bias = biases[number] * (-1 if len(classes) == 2 else 1)
            one = of_judged(judged, own, sizes, b, bias if p["fit_intercept"] else None)
        yield one


def total(problems: list[Problem]) -> Problem:
    """The clusters' problems as the one that they are together."""
    return Problem(
        max((p.violation for p in problems), default=0.0),
        sum(p.objective for p in problems),
        sum(p.terms for p in problems),
        max((p.error for p in problems), default=0.0),
        max((p.bias_off for p in problems), default=0.0),
        max((p.most for p in problems), default=0.0),
    )
