"""What a start from another solution saves: along a path of C, and when rows are added.

    python -m bench.warm_starts ijcnn1 covtype85k
    python -m bench.warm_starts ijcnn1 --repeat 1 --judge    # objective and violation of each, recomputed in float64

cold: from zero. warm: from the solution before, as it is where C grows, scaled into the smaller bounds where C falls; rows that
were added begin at 0. scaled: all multipliers times the ratio of the C, so that those at their bound stay there. Ways take turns
in one process, whose memory is touched already; seconds are medians, tol is 1e-3.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import dcsvm

from . import peers, problems, quality
from .problems import Problem

FACTORS = (1 / 4, 1 / 2, 1, 2, 4)  # of the problem's C
SHARES = (0.5, 0.9, 0.99)  # of the rows, trained before all
Starts = dict[str, np.ndarray | None]


def train(p: Problem, start: np.ndarray | None, threads: int) -> tuple[dcsvm.Model, float]:
    return peers.timed(lambda: dcsvm.train(p.X_train, p.y_train, warm_start_alpha=start, n_jobs=threads, **p.params))


def path(p: Problem, factors: tuple[float, ...], threads: int) -> Iterator[tuple[str, Problem, Starts]]:
    before, C_before = None, 0.0
    for C in (f * p.C for f in factors):
        here = replace(p, params={**p.params, "C": C})
        if before is not None:
            ratio = C / C_before
            starts: Starts = {"cold": None, "warm": before * min(1.0, ratio)}
            if ratio > 1:
                starts["scaled"] = before * ratio
            yield f"C = {C_before:g}, then {C:g}", here, starts
        before, C_before = train(here, None, threads)[0].alpha, C


def growing(p: Problem, threads: int) -> Iterator[tuple[str, Problem, Starts]]:
    n = len(p.y_train)
    for share in SHARES:
        k = round(share * n)
        first = replace(p, X_train=p.X_train[:k], y_train=p.y_train[:k])
        alpha = np.atleast_2d(train(first, None, threads)[0].alpha)
        start = np.hstack([alpha, np.zeros((len(alpha), n - k))])
        yield f"{k:,} rows, then {n:,}", p, {"cold": None, "warm": start if len(start) > 1 else start[0]}


def compare(name: str, step: str, p: Problem, starts: Starts, a: argparse.Namespace) -> None:
    seconds: dict[str, list[float]] = {way: [] for way in starts}
    models = {}
    for _ in range(a.repeat):
        for way, start in starts.items():
            models[way], s = train(p, start, a.threads)
            seconds[way].append(s)
    for way, model in models.items():
        s, report = statistics.median(seconds[way]), model.report
        found: Any = quality.measure(p, quality.from_alpha(model.classes_, model.alpha)) if a.judge else report
        ratio = f"{statistics.median(seconds['cold']) / s:.2f}x" if way != "cold" else ""
        judged = f"{found.objective:.9g} | {found.violation:.1e} | {report.n_kernel_values:.2g} | {report.stop_reason}"
        print(f"| {name} | {step} | {way} | {s:.3g} | {ratio} | {judged} |", flush=True)


def main() -> int:
    p = argparse.ArgumentParser("bench.warm_starts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("problems", nargs="*", default=["ijcnn1", "covtype85k"], metavar="PROBLEM")
    p.add_argument("--what", nargs="+", choices=("up", "down", "rows"), default=["up", "down", "rows"], help="default all")
    p.add_argument("--repeat", type=int, default=3, help="runs of each (default 3)")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--judge", action="store_true", help="objective and violation recomputed in float64; else as reported")
    a = p.parse_args()
    warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # the stop reason is in the table
    print("| problem | step | start | seconds | cold / this | objective | violation | kernel values | stop |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in a.problems:
        problem = problems.load(name)
        for what in a.what:
            factors = FACTORS if what == "up" else FACTORS[::-1]
            steps = growing(problem, a.threads) if what == "rows" else path(problem, factors, a.threads)
            for step, here, starts in steps:
                compare(name, step, here, starts, a)
    return 0


if __name__ == "__main__":
    sys.exit(main())
