"""Table 2 of TorchKM's paper (arXiv 2606.06742): tuning C by ten folds, here by dcsvm.cross_validate on this machine's cores.

    python -m bench.torchkm_table                     # n = 10,000, p = 10, 100 and 1,000
    python -m bench.torchkm_table --rows 20000        # the other half of the table
    python -m bench.torchkm_table --larger-C 1000     # the same 50 values times 1,000: harder, and not in their table
    python -m bench.torchkm_table --repeat 3 --out bench/results/torchkm.jsonl    # on an idle machine
    python -m bench.torchkm_table --page              # writes the table of docs/developers/benchmarks.md from that file

The data is drawn as they describe it: five clusters for each class, whose centres are standard normal, those of one class moved
by 2 in the first half of the columns and those of the other in the second half; each row is of either class with probability one
half, and is its centre plus normal noise of standard deviation 3. The columns are standardised, values are float32. gamma is
twice the mean of 1 / q90 and 1 / q10, quantiles of the squared distance of two rows. C = 1 / (2 n lambda) for 50 lambdas from
1e3 to 1e-3, ten folds, and the model with the best C at the end. The draws are numpy's: other rows, the same distribution.

Seconds are of cross-validation and last training together, by the clock. Those of the GPU (an L40S) and of scikit-learn are the
paper's; that the machines are not the same is the point. The accuracy is that of the chosen C on as many fresh rows.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dcsvm
from dcsvm._bench.quality import Array

from .admitted import is_idle
from .report import rewrite
from .runner import ROOT
from .store import RunFile

CLUSTERS, SHIFT, NOISE, FOLDS = 5, 2.0, 3.0, 10
LAMBDAS = np.logspace(3, -3, 50)
PAIRS = 5000  # of rows, whose distances give gamma
RESULTS, PAGE = ROOT / "bench/results/torchkm.jsonl", ROOT / "docs/developers/benchmarks.md"
BEGIN = "<!-- python -m bench.torchkm_table --page: begin. Rewritten when bench/results/torchkm.jsonl has runs. -->"
END = "<!-- python -m bench.torchkm_table --page: end -->"


class Quoted(NamedTuple):
    """Seconds of the paper's table."""

    sklearn: float  # infinity: not ended after 8 hours
    thundersvm: float
    torchkm: float


TABLE = {
    (10_000, 10): Quoted(1131, 38.0, 23.3),
    (10_000, 100): Quoted(1975, 62.7, 17.9),
    (10_000, 1000): Quoted(14323, 279.4, 37.7),
    (20_000, 10): Quoted(3594, 104.8, 76.0),
    (20_000, 100): Quoted(6206, 132.9, 78.2),
    (20_000, 1000): Quoted(np.inf, 580.8, 129.3),
}


class Cell(NamedTuple):
    """What was measured."""

    seconds: float
    training: float  # of these, the last model
    C: float
    score: float
    fresh: float
    n_kernel_values: int
    n_iter: int
    phases: dict[str, float]


def draw(n: int, p: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """n rows to train on and n fresh ones, standardised by the first; labels are 1 and -1."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(2 * CLUSTERS, p))
    centres[:CLUSTERS, : p // 2] += SHIFT
    centres[CLUSTERS:, p // 2 :] += SHIFT

    def rows() -> tuple[Array, Array]:
        positive = rng.random(n) < 0.5
        x = centres[rng.integers(CLUSTERS, size=n) + CLUSTERS * positive] + NOISE * rng.normal(size=(n, p))
        return x, np.where(positive, 1.0, -1.0)

    (x, y), (fresh, truth) = rows(), rows()
    mean, deviation = x.mean(axis=0), x.std(axis=0, ddof=1)
    return *(((x - mean) / deviation).astype(np.float32), y), *(((fresh - mean) / deviation).astype(np.float32), truth)


def gamma_of(x: Array, seed: int) -> float:
    a, b = np.random.default_rng(seed).integers(len(x), size=(2, PAIRS))
    squares = ((x[a].astype(np.float64) - x[b]) ** 2).sum(axis=1)
    return float((1 / np.quantile(squares[squares > 0], [0.1, 0.9])).sum())  # twice their mean


def measure(n: int, p: int, seed: int = 0, larger: float = 1.0, cache_size: float = 2000, n_jobs: int | None = None) -> Cell:
    x, y, fresh, truth = draw(n, p, seed)
    gamma = gamma_of(x, seed)
    values = larger / (2 * n * LAMBDAS)
    start = time.perf_counter()
    found = dcsvm.cross_validate(x, y, C=values, gamma=gamma, cv=FOLDS, cache_size=cache_size, n_jobs=n_jobs, random_state=seed)
    middle = time.perf_counter()
    model = dcsvm.train(x, y, C=found.best_params["C"], gamma=gamma, cache_size=cache_size, n_jobs=n_jobs)
    end = time.perf_counter()
    fresh_score = float((model.predict(fresh) == truth).mean())
    return Cell(
        *(end - start, end - middle, found.best_params["C"], found.best_score, fresh_score),
        *(found.n_kernel_values, found.n_iter, found.seconds),
    )


def newest_runs(file: RunFile) -> dict[tuple[int, int, float], list[dict[str, Any]]]:
    """Of rows, columns and cache size: the runs on idle machines in the newest session, with the values of C of the paper."""
    newest: dict[tuple[int, int, float], list[dict[str, Any]]] = {}
    for run in file.runs:
        if run["larger_C"] == 1 and is_idle(file.sessions[run["session"]]):
            key = run["rows"], run["columns"], run["cache_size"]
            same = newest.get(key, [])
            newest[key] = [*(same if same and same[0]["session"] == run["session"] else []), run]
    return newest


def times_as_fast(file: RunFile) -> list[float]:
    """Of each size, ascending: TorchKM's seconds on its GPU, as its paper has them, over the median of ours."""
    cells = newest_runs(file).items()
    return sorted(TABLE[n, p].torchkm / statistics.median(run["seconds"] for run in runs) for (n, p, _), runs in cells)


def table(file: RunFile) -> str:
    """Medians of newest_runs. ValueError without any."""
    newest = newest_runs(file)
    if not newest:
        raise ValueError(
            f"{file.path} has no run with the values of C of the paper on an idle machine, and the page keeps its table: measure "
            f"with --repeat 3 --out {file.path}"
        )
    quoted_names = "TorchKM, L40S | ThunderSVM, L40S | scikit-learn"
    head = f"| rows | columns | `cache_size` | dcsvm, s (runs) | {quoted_names} | accuracy on fresh rows |"
    lines = [head, "|---" * 8 + "|"]
    for (n, p, cache), runs in sorted(newest.items()):
        quoted = TABLE[n, p]
        seconds = statistics.median(run["seconds"] for run in runs)
        slow = f"{quoted.sklearn:,.0f}" if np.isfinite(quoted.sklearn) else "not ended after 8 hours"
        lines.append(
            f"| {n:,} | {p:,} | {cache:,.0f} MB | {seconds:.1f} ({len(runs)}) | {quoted.torchkm:g} | {quoted.thundersvm:g} | "
            f"{slow} | {runs[0]['fresh']:.4f} |"
        )
    used = {run["session"] for runs in newest.values() for run in runs}
    where = {
        f"{s['date']}, {s['cpu']} ({s['cores']} cores, {s['dcsvm']['isa']}), commit {s['commit']}"
        for key, s in file.sessions.items()
        if key in used
    }
    return "\n".join([f"Measured {'; '.join(sorted(where))}.", "", *lines])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.torchkm_table", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000])
    parser.add_argument("--columns", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--larger-C", type=float, default=1.0, metavar="FACTOR", help="of their values of C")
    parser.add_argument("--cache-size", type=float, default=2000, metavar="MB")
    parser.add_argument("--n-jobs", type=int)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--phases", action="store_true", help="where the seconds went")
    parser.add_argument("--out", type=Path, help="JSON lines, to which runs are added")
    parser.add_argument(
        "--page", action="store_true", help=f"measure nothing: write the table of {RESULTS.name} into {PAGE.name}"
    )
    a = parser.parse_args()
    if a.page:
        try:
            rewrite(PAGE, table(RunFile(RESULTS)), (BEGIN, END))
        except ValueError as error:
            parser.error(str(error))
        return
    file = RunFile(a.out) if a.out else None
    print("     n     p   seconds  of these the model         C   score   fresh |  TorchKM  ThunderSVM  scikit-learn, quoted")
    for n, p in ((n, p) for _ in range(a.repeat) for n in a.rows for p in a.columns):
        cell = measure(n, p, a.seed, a.larger_C, a.cache_size, a.n_jobs)
        quoted = TABLE.get((n, p), Quoted(np.nan, np.nan, np.nan))
        print(
            f"{n:6d}{p:6d}{cell.seconds:10.2f}{cell.training:20.2f}{cell.C:10.3g}{cell.score:8.4f}{cell.fresh:8.4f} |"
            f"{quoted.torchkm:9.1f}{quoted.thundersvm:12.1f}{quoted.sklearn:14.0f}",
            flush=True,
        )
        if a.phases:
            phases = ", ".join(f"{name} {s:.2f}" for name, s in sorted(cell.phases.items()))
            print(f"       {cell.n_kernel_values:.3g} kernel values, {cell.n_iter:,} steps; {phases}")
        if file is not None:
            asked = {"rows": n, "columns": p, "seed": a.seed, "larger_C": a.larger_C, "cache_size": a.cache_size}
            file.add({**asked, **cell._asdict()}, a.n_jobs or -1)


if __name__ == "__main__":
    main()
