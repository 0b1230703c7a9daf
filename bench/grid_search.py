"""Times dcsvm.cross_validate against GridSearchCV over dcsvm.SVC, on the same folds of the same 5 x 5 grid.

    python -m bench.grid_search --repeat 3
    python -m bench.grid_search --problems usps --ways shared processes

shared: dcsvm.cross_validate. threads: GridSearchCV one fit after another, each on all cores. processes: as many fits side by side
as there are cores, each on one, in processes that are there already. sklearn: the same with scikit-learn's SVC. What would take
too long is left out: --diagonal keeps the five cells of the diagonal, each C and each gamma once, and --folds the first folds;
seconds of GridSearchCV are then multiplied by what was left out. Ways alternate, seconds are medians; a way that took long is run
once. Every score is compared with the first way's.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import warnings
from itertools import product

import numpy as np

import dcsvm

from . import problems

LONG = 20.0  # seconds: a way that took longer is not run again
FOLDS = 5
WAYS = ("shared", "threads", "processes", "sklearn")
GRIDS = {  # C and gamma of the best score well inside, neighbours a factor of 4 apart
    "usps": ([1.0, 4.0, 16.0, 64.0, 256.0], [2.0**e for e in (-10, -8, -6, -4, -2)]),
    "ijcnn1/20000": ([2.0, 8.0, 32.0, 128.0, 512.0], [2.0**e for e in (-3, -1, 1, 3, 5)]),
    "soil": ([1.0, 4.0, 16.0, 64.0, 256.0], [2.0**e for e in (-1, 1, 3, 5, 7)]),
}


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X, y. soil: 20,000 rows of covtype85k of its ten most frequent types of soil, which y names; columns of soil are 0."""
    if name != "soil":
        p = problems.load(name)
        return np.ascontiguousarray(p.X_train, dtype=np.float32), p.y_train
    x = np.array(problems.load("covtype85k").X_train, dtype=np.float32)
    soil = x[:, 14:].argmax(axis=1)
    frequent = np.argsort(-np.bincount(soil), kind="stable")[:10]
    rows = np.flatnonzero(np.isin(soil, frequent))[:20_000]
    y = soil[rows].astype(float)
    x = x[rows]
    x[:, 14:] = 0
    return x, y


def shared(x: np.ndarray, y: np.ndarray, grid: tuple[list[float], list[float]]) -> np.ndarray:
    """(gammas, C values, folds)."""
    return dcsvm.cross_validate(x, y, C=grid[0], gamma=grid[1], cv=folds_of(x, y)).scores


def folds_of(x: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold

    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))


def searched(
    way: str, x: np.ndarray, y: np.ndarray, grid: tuple[list[float], list[float]], diagonal: bool, n_folds: int
) -> np.ndarray:
    """As shared, by GridSearchCV; nan where a score was left out."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    C, gamma = grid
    model = SVC(cache_size=1000) if way == "sklearn" else dcsvm.SVC(n_jobs=1 if way == "processes" else None)
    pairs = list(zip(C, gamma, strict=True)) if diagonal else list(product(C, gamma))
    cells = [{"C": [c], "gamma": [g]} for c, g in pairs]
    search = GridSearchCV(model, cells, cv=folds_of(x, y)[:n_folds], refit=False, n_jobs=None if way == "threads" else -1)
    results = search.fit(x, y).cv_results_
    found = np.full((len(gamma), len(C), FOLDS), np.nan)
    seconds = dict(zip(pairs, results["mean_fit_time"] + results["mean_score_time"], strict=True))
    for i, (c, g) in enumerate(pairs):
        found[gamma.index(g), C.index(c), :n_folds] = [results[f"split{f}_test_score"][i] for f in range(n_folds)]
    if not diagonal:
        share = np.mean([seconds[pair] for pair in zip(C, gamma, strict=True)]) / np.mean(list(seconds.values()))
        print(f"{'':14} {way:10} a cell of the diagonal took {share:.2f} times the average cell", flush=True)
    return found


def start_processes() -> None:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    x, y = dcsvm.datasets.make_checkerboard(200, random_state=0)
    GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=os.cpu_count() or 2, n_jobs=-1).fit(x, y)


def compare(name: str, ways: list[str], repeat: int, diagonal: bool, n_folds: int) -> None:
    x, y = rows_of(name)
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    found: dict[str, np.ndarray] = {}
    for _ in range(repeat):
        for way in ways:
            if seconds[way] and seconds[way][0] > LONG:
                continue
            if way in ("processes", "sklearn"):
                start_processes()
            start = time.perf_counter()
            grid = GRIDS[name]
            found[way] = shared(x, y, grid) if way == "shared" else searched(way, x, y, grid, diagonal, n_folds)
            seconds[way].append((time.perf_counter() - start) * found[way].size / np.isfinite(found[way]).sum())
    first = statistics.median(seconds[ways[0]])
    for way in ways:
        apart = np.abs(found[way] - found[ways[0]])
        s, apart = statistics.median(seconds[way]), apart[np.isfinite(apart)]
        means = found[way].mean(axis=2)
        best = f"best {np.nanmax(means):.4f}" if np.isfinite(means).any() else ""
        print(
            f"{name:14} {way:10} {s:7.2f} s ({s / first:5.2f} x)  {best}  "
            f"{(apart > 0).sum()} of {apart.size} scores differ, by {apart.max():.1e} at most; "
            f"runs {' '.join(f'{v:.2f}' for v in seconds[way])}",
            flush=True,
        )


def main() -> int:
    p = argparse.ArgumentParser("bench.grid_search", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--problems", nargs="+", choices=GRIDS, default=list(GRIDS), help="default all")
    p.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), help="the first is what the others are compared with")
    p.add_argument("--repeat", type=int, default=3, help="runs of each way (default 3)")
    p.add_argument("--diagonal", action="store_true", help="GridSearchCV on the diagonal's cells alone")
    p.add_argument(
        "--folds", type=int, choices=range(1, FOLDS + 1), default=FOLDS, help="GridSearchCV on the first of them alone"
    )
    a = p.parse_args()
    warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
    print(f"dcsvm {dcsvm.__version__}, {dcsvm.build_config()['isa']}, {os.cpu_count()} cores, {a.repeat} runs")
    for name in a.problems:
        compare(name, a.ways, a.repeat, a.diagonal, a.folds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
