"""Are certificates true? Trains on random problems and judges every solution in float64.

    python -m bench.certificates 10000              # seeds 0 to 9999, on all cores
    python -m bench.certificates --seeds 17 4711    # these alone: each prints its recipe and what was found
    python -m bench.certificates 1000 --early       # early models: each cluster's own problem

A seed decides everything: data, formulation, kernel, C, tol, weights, storage, precision and solver. A training that says
"converged" fails when the largest KKT violation is above 1.1 tol, when the objective differs from the reported one by more than
1e-6 of itself and 1e-9 of its terms, or when the bias is not between what the optimality conditions allow. Violations that
float64 itself cannot resolve are counted and not judged. Exit code 1 when a training failed. Cross-validation and probabilities
keep no multipliers of their folds, so that there is nothing to judge.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

import dcsvm

from . import quality
from .recipes import Array, Recipe, early, recipe

MOST_VIOLATION = 1.1  # of tol
MOST_OBJECTIVE, MOST_TERMS = 1e-6, 1e-9
AT_BOUND = (
    1e-9  # of its bound, where a multiplier counts as there: dcsvm's multipliers are doubles, so less than quality.AT_BOUND
)
RESOLVED = 0.05  # of tol: float64's own rounding of a gradient must be below
SECONDS = 10.0  # after which a training is cancelled


@dataclass
class Problem:
    """A dual judged in float64. terms: sum of the sizes of the objective's terms. error: of float64 itself, in the violation."""

    violation: float
    objective: float
    terms: float
    error: float
    bias_off: float = 0.0


@dataclass
class Verdict:
    seed: int
    formulation: str
    solver: str
    stop: str
    seconds: float
    share: float = 0.0  # largest violation of tol
    faults: list[str] = field(default_factory=list)
    unresolved: bool = False
    margin: bool = True  # nu_svc: above tol


def matrix_of(x: Any, model: dcsvm.Model) -> Array:
    if model.kernel == "precomputed":
        return np.asarray(x, dtype=np.float64)
    names = ("kernel", "gamma", "coef0", "degree")
    return quality.kernel_matrix(x, {name: getattr(model, name) for name in names})


def of_judged(found: quality.Judged, k: Array, b: Array) -> Problem:
    """b: the coefficients that were judged."""
    rounding = float(np.abs(k).max(initial=0.0) * np.linalg.norm(b)) * 2.0**-50
    terms = float(np.abs(b) @ (np.abs(k) @ np.abs(b))) + found.linear
    return Problem(found.violation, found.objective, terms, rounding)


def parts_of(model: dcsvm.Model, n: int) -> list[Array]:
    """Which rows each problem is about: all, or those of each cluster of an early model."""
    if not model.clustered:
        return [np.ones(n, dtype=bool)]
    cluster_of = model.levels_[-1].cluster_of
    return [cluster_of == c for c in np.unique(cluster_of[cluster_of >= 0])]


def judge(r: Recipe, model: dcsvm.Model) -> list[Problem]:
    p, k, alpha = r.params, matrix_of(r.x, model), np.asarray(model.alpha)
    w = np.asarray(p.get("sample_weight", np.ones(len(r.y))), dtype=np.float64)
    parts = parts_of(model, len(r.y))
    if r.formulation in ("c_svc", "nu_svc"):
        biases = model.intercept_.reshape(len(parts), -1)
        return [
            q for part, b in zip(parts, biases, strict=True) for q in judge_pairs(r, model, k, np.atleast_2d(alpha), w, part, b)
        ]
    return [judge_one(r, k, alpha, w, part) for part in parts]


def judge_one(r: Recipe, k: Array, alpha: Array, w: Array, part: Array) -> Problem:
    """One class, or a regression."""
    p, took = r.params, np.flatnonzero((w > 0) & part)
    k, b, y, w = k[np.ix_(took, took)], alpha[took], r.y[took], w[took]
    kb = k @ b
    if r.formulation == "one_class":
        found = quality.judge_one_class(b, kb, w, near=AT_BOUND)
    elif r.formulation == "nu_svr":
        found = quality.judge_nu_svr(b, kb, y, p["C"] * w, near=AT_BOUND)
    else:
        found = quality.judge_epsilon_svr(b, kb, y, p["C"] * w, p["epsilon"], p["fit_intercept"], AT_BOUND)
    return of_judged(found, k, b)


def judge_pairs(r: Recipe, model: dcsvm.Model, k: Array, alpha: Array, w: Array, part: Array, biases: Array) -> Iterator[Problem]:
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
        own, a = k[np.ix_(idx, idx)], alpha[number][idx]
        if r.formulation == "nu_svc":
            margin = abs(model.report.problems[number]["r"]) or 1.0  # alpha is divided by it
            b = s * a * margin
            one = of_judged(quality.judge_nu_svc(s, a * margin, own @ b, w[idx], near=AT_BOUND), own, b)
            one.objective /= margin**2
            one.terms /= margin**2
        else:
            b = s * a
            bound = p["C"] * factor[idx] * w[idx]
            found = quality.judge_c_svc(s, a, own @ b, bound, p["fit_intercept"], AT_BOUND)
            one = of_judged(found, own, b)
            if p["fit_intercept"]:
                ends = (found.top, found.bottom)
                bias = biases[number] * (-1 if len(classes) == 2 else 1)
                one.bias_off = float(max(0.0, min(ends) - bias, bias - max(ends)))
        yield one


def total(problems: list[Problem]) -> Problem:
    """The clusters' problems as the one that they are together."""
    return Problem(
        max((p.violation for p in problems), default=0.0),
        sum(p.objective for p in problems),
        sum(p.terms for p in problems),
        max((p.error for p in problems), default=0.0),
        max((p.bias_off for p in problems), default=0.0),
    )


def train(r: Recipe, limit: float) -> tuple[dcsvm.Model, float]:
    started = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = dcsvm.train(r.x, r.y, n_jobs=1, callback=lambda _: time.monotonic() - started > limit, **r.params)
    return model, time.monotonic() - started


def examine(seed: int, limit: float = SECONDS, make: Callable[[int], Recipe] = recipe) -> Verdict:
    """Never raises: what the training raises is a fault."""
    r = make(seed)
    try:
        model, seconds = train(r, limit)
    except Exception as e:
        return Verdict(seed, r.formulation, r.params["solver"], "error", 0.0, faults=[f"{type(e).__name__}: {e}"])
    report, tol = model.report, r.params["tol"]
    v = Verdict(seed, r.formulation, r.params["solver"], report.stop_reason, seconds)
    problems = judge(r, model)
    if model.clustered:
        problems = [total(problems)]
    v.share = max(p.violation for p in problems) / tol
    v.unresolved = max(p.error for p in problems) > RESOLVED * tol
    if r.formulation == "nu_svc":
        v.margin = all(p["r"] > tol for p in report.problems)
    if report.stop_reason == "converged":
        v.faults += faults(problems, report, tol, v.unresolved)
    return v


def faults(problems: list[Problem], report: Any, tol: float, unresolved: bool) -> Iterator[str]:
    stated = report.problems or [{"violation": report.violation, "objective": report.objective}]  # early models have no pairs
    for number, (found, said) in enumerate(zip(problems, stated, strict=True)):
        where = f"problem {number}: " if len(problems) > 1 else ""
        if found.violation > MOST_VIOLATION * tol and not unresolved:
            yield f"{where}violation {found.violation:.3g} is {found.violation / tol:.3g} tol, reported {said['violation']:.3g}"
        off = abs(found.objective - said["objective"])
        if not off <= max(MOST_OBJECTIVE * abs(found.objective), MOST_TERMS * found.terms):
            yield f"{where}objective {found.objective:.10g}, reported {said['objective']:.10g}, terms {found.terms:.3g}"
        if found.bias_off > MOST_VIOLATION * tol and not unresolved:
            yield f"{where}bias is {found.bias_off:.3g} outside what the optimality conditions allow"


def describe(v: Verdict, make: Callable[[int], Recipe] = recipe) -> str:
    r = make(v.seed)
    shown = {k: ("..." if isinstance(x, np.ndarray) else x) for k, x in r.params.items()}
    return f"seed {v.seed}: {r.words} {shown}: {v.stop}, {v.share:.3g} tol, {v.seconds:.1f} s; {'; '.join(v.faults) or 'true'}"


def table(verdicts: list[Verdict]) -> str:
    columns = ("converged", "stagnated", "max_iter", "cancelled", "support_limit", "error")
    head = ["", "trainings", *columns, "not resolved", "no margin", "largest share of tol", "false"]
    lines = [head, ["-"] * len(head)]
    groups = [(f, [v for v in verdicts if v.formulation == f]) for f in sorted({v.formulation for v in verdicts})]
    groups += [(f"solver {s}", [v for v in verdicts if v.solver == s]) for s in sorted({v.solver for v in verdicts})]
    for name, some in [*groups, ("all", verdicts)]:
        stops = Counter(v.stop for v in some)
        judged = [v.share for v in some if v.stop == "converged" and not v.unresolved]
        counts = [len(some), *(stops[c] for c in columns), sum(v.unresolved for v in some), sum(not v.margin for v in some)]
        false = sum(bool(v.faults) for v in some)
        lines.append([name, *map(str, counts), f"{max(judged, default=math.nan):.3f}", str(false)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def sweep(
    seeds: list[int],
    jobs: int,
    quiet: bool = False,
    seconds: float = SECONDS,
    make: Callable[[int], Recipe] = recipe,
) -> list[Verdict]:
    verdicts = []
    with ProcessPoolExecutor(jobs) as pool:
        for v in pool.map(examine, seeds, [seconds] * len(seeds), [make] * len(seeds), chunksize=4):
            verdicts.append(v)
            if not quiet and v.faults:
                print(describe(v, make), flush=True)
            if not quiet and len(verdicts) % 100 == 0:
                stops = Counter(v.stop for v in verdicts)
                print(f"{len(verdicts)} of {len(seeds)}: {dict(stops)}", file=sys.stderr, flush=True)
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=1000, help="trainings (default 1000)")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seeds", type=int, nargs="+", help="these seeds alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"after which a training is cancelled (default {SECONDS:g})"
    )
    parser.add_argument("--stops", action="store_true", help="also list trainings that did not converge")
    parser.add_argument("--early", action="store_true", help="early models")
    a = parser.parse_args()
    make = early if a.early else recipe
    verdicts = sweep(a.seeds or list(range(a.first, a.first + a.count)), a.jobs, seconds=a.seconds, make=make)
    for v in verdicts:
        if a.seeds or (a.stops and v.stop not in ("converged", "support_limit")):
            print(describe(v, make))
    print(table(verdicts))
    return 1 if any(v.faults for v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
