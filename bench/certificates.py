"""Are certificates true? Trains on random problems and judges every solution with sums in long double.

    python -m bench.certificates 10000                    # seeds 0 to 9999, on all cores
    python -m bench.certificates --concentrated 20000     # weights from one to a million in size, all instruction sets
    python -m bench.certificates --seeds 17 4711          # these alone: each prints its recipe and what was found
    python -m bench.certificates 1000 --early             # early models: each cluster's own problem (also --concentrated)
    python -m bench.certificates 1000 --kernels           # kernels that LIBSVM has not
    python -m bench.certificates 1000 --turned            # the same rows in 70 to 300 dimensions (also --concentrated)
    python -m bench.certificates 1000 --bytes             # features on levels, as float32 has rounded them, or whole (also both)
    python -m bench.certificates 1000 --places            # thousands of rows that are equal or nearly so
    python -m bench.certificates 200 --words              # documents of 0/1 words, a few of them of other words
    python -m bench.certificates 1000 --local             # rows that differ by little of themselves (also --concentrated)
    python -m bench.certificates 1000 --classes           # 5 to 60 classes (also --concentrated, --local, --places)
    python -m bench.certificates 1000 --quantile          # regressions of a quantile in place of every formulation (also both)

A seed decides everything: data, formulation, kernel, C, tol, weights, storage, precision and solver. With several instruction
sets (--isa) they take turns by seed, each in its own processes. A training that says "converged" fails when

- the largest KKT violation is above tol,
- the reported violation differs from it by more than 1 % of it and 1e-3 tol,
- the objective differs from the reported one by more than 5e-6 of itself and 5e-9 of its terms,
- the bias is more than tol outside what the optimality conditions allow.

Multipliers are compared with their bounds exactly, as dcsvm compares them, but for the rounding of the bounds themselves. Kernel
values are right to float64's last digit (quality.kernel_matrix) and summed in long double, so that the judge's own error is that
of rounding each value once. What a computation in float64 with errors of random sign may lose is added to what violations and
biases may be off by: 2^-50 |a_i * b|_2 + 2^-52 |a_i * b|_1, its largest over the rows i, a_ij the size of what is added up in
K_ij. Where that is more than 1 % of tol the training counts as "not resolved" and is left out of the table's largest figures.
Exit code 1 when a training failed. Cross-validation and probabilities keep no multipliers of their folds, so that there is
nothing to judge.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import dcsvm

from .concentrated import concentrated
from .judged_duals import Problem, judge, total
from .recipes import (
    OTHER_KERNELS,
    Recipe,
    early,
    in_many_classes,
    local,
    of_quantile,
    of_words,
    on_bytes,
    on_places,
    other_kernel,
    recipe,
    turned,
)

MOST_REPORTED, MOST_REPORTED_TOL = 0.01, 1e-3  # what the reported violation may be off by, of the true one or of tol
MOST_OBJECTIVE, MOST_TERMS = 5e-6, 5e-9  # six digits, as reports print it
RESOLVED = 0.01  # of tol: float64's own rounding of a gradient must be below
SECONDS = 10.0  # after which a training is cancelled
SECONDS_CONCENTRATED = 3.0


@dataclass
class Verdict:
    seed: int
    formulation: str
    solver: str
    stop: str
    seconds: float
    words: str = ""
    isa: str = ""
    precision: str = ""
    share: float = 0.0  # largest violation of tol
    off: float = 0.0  # largest error of a reported violation, of tol
    off_relative: float = 0.0  # of the violation, where it is more than MOST_REPORTED_TOL
    faults: list[str] = field(default_factory=list)
    unresolved: bool = False
    margin: bool = True  # nu_svc: above tol


def train(r: Recipe, limit: float) -> tuple[dcsvm.Model, float]:
    started = time.monotonic()
    params = {"n_jobs": 1, "callback": lambda _: time.monotonic() - started > limit, **r.params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if r.warm is not None:
            params["warm_start_alpha"] = dcsvm.train(r.x, r.y, **{**params, **r.warm}).alpha
        model = dcsvm.train(r.x, r.y, **params)
    return model, time.monotonic() - started


def examine(seed: int, limit: float = SECONDS, make: Callable[[int], Recipe] = recipe) -> Verdict:
    """Never raises: what the training raises is a fault."""
    r = make(seed)
    v = Verdict(seed, r.formulation, r.params["solver"], "error", 0.0, r.words, dcsvm.build_config()["isa"])
    try:
        model, v.seconds = train(r, limit)
    except Exception as e:
        v.faults = [f"{type(e).__name__}: {e}"]
        return v
    report, tol = model.report, r.params["tol"]
    v.stop, v.precision = report.stop_reason, report.precision
    problems = judge(r, model)
    if model.clustered:
        problems = [total(problems)]
    v.share = max(p.violation for p in problems) / tol
    v.unresolved = max(p.error for p in problems) > RESOLVED * tol
    if r.formulation == "nu_svc":
        v.margin = all(p["r"] > tol for p in report.problems)
    if v.stop == "converged":
        for found, said in zip(problems, stated(report), strict=True):
            off = error_of_report(found, said)
            v.off = max(v.off, off / tol)
            if off > MOST_REPORTED_TOL * tol:
                v.off_relative = max(v.off_relative, off / max(found.violation, np.finfo(float).tiny))
        v.faults += faults(problems, report, tol)
    return v


def stated(report: Any) -> list[Any]:
    return report.problems or [{"violation": report.violation, "objective": report.objective}]  # early models have no pairs


def error_of_report(found: Problem, said: Any) -> float:
    return float(max(0.0, found.violation - said["violation"], said["violation"] - found.most))


def faults(problems: list[Problem], report: Any, tol: float) -> Iterator[str]:
    for number, (found, said) in enumerate(zip(problems, stated(report), strict=True)):
        where = f"problem {number}: " if len(problems) > 1 else ""
        violation = f"violation {found.violation:.5g} is {found.violation / tol:.4g} tol, reported {said['violation']:.5g}"
        if not found.violation <= tol + found.error:
            yield f"{where}{violation}"
        elif not error_of_report(found, said) <= found.error + max(MOST_REPORTED * found.violation, MOST_REPORTED_TOL * tol):
            yield f"{where}report: {violation}"
        off = abs(found.objective - said["objective"])
        if not off <= max(MOST_OBJECTIVE * abs(found.objective), MOST_TERMS * found.terms):
            yield f"{where}objective {found.objective:.10g}, reported {said['objective']:.10g}, terms {found.terms:.3g}"
        if not found.bias_off <= tol + found.error:
            yield f"{where}bias is {found.bias_off:.3g} outside what the optimality conditions allow"


def describe(v: Verdict, make: Callable[[int], Recipe] = recipe) -> str:
    r = make(v.seed)
    shown = {k: ("..." if isinstance(x, np.ndarray) else x) for k, x in r.params.items()}
    found = f"{v.stop}, {v.share:.4g} tol, {v.seconds:.1f} s; {'; '.join(v.faults) or 'true'}"
    return f"seed {v.seed} {v.isa} {v.precision}: {r.words} {shown}: {found}"


def table(verdicts: list[Verdict]) -> str:
    """false: some fault. violation, report: those whose violation is above tol, and whose reported violation is wrong."""
    columns = ("converged", "stagnated", "max_iter", "cancelled", "support_limit", "error")
    head = ["", "trainings", *columns, "not resolved", "no margin", "largest violation (tol)"]
    head += ["report off by (tol)", "(relative)", "false violation", "false report", "false"]
    lines = [head, ["-"] * len(head)]
    groups = [(name, [v for v in verdicts if v.formulation == name]) for name in sorted({v.formulation for v in verdicts})]
    for kind in ("solver", "isa", "precision"):
        of = [getattr(v, kind) for v in verdicts]
        groups += [(f"{kind} {name}", [v for v in verdicts if getattr(v, kind) == name]) for name in sorted(set(of) - {""})]
    for name, some in [*groups, ("all", verdicts)]:
        stops = Counter(v.stop for v in some)
        judged = [v for v in some if v.stop == "converged" and not v.unresolved]
        counts = [len(some), *(stops[c] for c in columns), sum(v.unresolved for v in some), sum(not v.margin for v in some)]
        largest = [max((getattr(v, what) for v in judged), default=math.nan) for what in ("share", "off", "off_relative")]
        false = [sum(any(kind in f for f in v.faults) for v in some) for kind in ("violation", "report: ")]
        false = [false[0] - false[1], false[1], sum(bool(v.faults) for v in some)]
        lines.append([name, *map(str, counts), *(f"{x:.4g}" for x in largest), *map(str, false)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def instruction_sets() -> list[str]:
    """Those that run here: all that are built up to the one in use, or the one that DCSVM_FORCE_ISA names."""
    config = dcsvm.build_config()
    if os.environ.get("DCSVM_FORCE_ISA"):
        return [config["isa"]]
    return list(config["isa_built"][: config["isa_built"].index(config["isa"]) + 1])


def use_isa(isa: str) -> None:
    """For a new process."""
    os.environ["DCSVM_FORCE_ISA"] = isa
    if dcsvm.build_config()["isa"] != isa:
        raise RuntimeError(f"this process already uses the instruction set {dcsvm.build_config()['isa']}, not {isa}")


def sweep(
    seeds: list[int],
    jobs: int,
    quiet: bool = False,
    seconds: float = SECONDS,
    make: Callable[[int], Recipe] = recipe,
    isas: list[str] | None = None,
) -> list[Verdict]:
    """The verdicts by seed. isas: take turns by seed (default: the one that is in use here)."""
    isas = isas or [dcsvm.build_config()["isa"]]
    verdicts: list[Verdict] = []
    for turn, isa in enumerate(isas):
        own = [seed for seed in seeds if seed % len(isas) == turn]
        if not own:
            continue
        new = multiprocessing.get_context("spawn")  # a process keeps the instruction set that it began with
        with ProcessPoolExecutor(jobs, new, use_isa, (isa,)) as pool:
            for v in pool.map(partial(examine, limit=seconds, make=make), own, chunksize=4):
                verdicts.append(v)
                if not quiet and v.faults:
                    print(describe(v, make), flush=True)
                if not quiet and len(verdicts) % 100 == 0:
                    stops = Counter(v.stop for v in verdicts)
                    print(f"{len(verdicts)} of {len(seeds)}: {dict(stops)}", file=sys.stderr, flush=True)
    return sorted(verdicts, key=lambda v: v.seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=1000, help="trainings (default 1000)")
    parser.add_argument("--concentrated", action="store_true", help="weights and coefficients of very different sizes")
    parser.add_argument("--early", action="store_true", help="early models")
    parser.add_argument(
        "--kernels",
        nargs="*",
        choices=OTHER_KERNELS,
        help="kernels that LIBSVM has not, one for each seed (default without names: all of them)",
    )
    parser.add_argument("--quantile", action="store_true", help="regressions of a quantile")
    parser.add_argument("--turned", action="store_true", help="the same rows in 70 to 300 dimensions")
    parser.add_argument("--bytes", action="store_true", help="features on levels that float32 has rounded, or whole numbers")
    parser.add_argument("--local", action="store_true", help="rows that differ by 2^-5 to 2^-40 of themselves")
    parser.add_argument("--places", action="store_true", help="thousands of rows that are equal or nearly so")
    parser.add_argument("--words", action="store_true", help="documents of 0/1 words, a few of them of other words")
    parser.add_argument("--classes", action="store_true", help="many classes, of few rows each")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seeds", type=int, nargs="+", help="these seeds alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--isa", nargs="+", help="instruction sets that take turns by seed (default: the best, with --concentrated all)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help=f"after which a training is cancelled (default {SECONDS:g}, with --concentrated {SECONDS_CONCENTRATED:g})",
    )
    parser.add_argument("--stops", action="store_true", help="also list trainings that did not converge")
    a = parser.parse_args()
    if a.kernels == []:
        a.kernels = list(OTHER_KERNELS)
    make = concentrated if a.concentrated else recipe
    if a.kernels:
        make = partial(other_kernel, make=make, kernels=tuple(a.kernels))
    if a.turned:
        make = partial(turned, make=make)
    if a.bytes:
        make = partial(on_bytes, make=make)
    if a.local:
        make = partial(local, make=make)
    if a.places:
        make = partial(on_places, make=make)
    if a.words:
        make = of_words
    if a.quantile:
        make = partial(of_quantile, make=make)
    if a.classes:
        make = partial(in_many_classes, make=make)
    if a.early:
        make = partial(early, make=make)
    seconds = a.seconds or (SECONDS_CONCENTRATED if a.concentrated else SECONDS)
    isas = a.isa or (instruction_sets() if a.concentrated else None)
    verdicts = sweep(a.seeds or list(range(a.first, a.first + a.count)), a.jobs, seconds=seconds, make=make, isas=isas)
    for v in verdicts:
        if a.seeds or (a.stops and v.stop not in ("converged", "support_limit")):
            print(describe(v, make))
    print(table(verdicts))
    false = [v.seed for v in verdicts if v.faults]
    if false:
        print("false:", *false)
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
