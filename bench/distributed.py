"""dcsvm.dask on real worker processes of this machine: two workers of one thread against one.

    python -m bench.distributed covtype85k ncheckerboard-100k --rounds 3 --parts 8
    python -m bench.distributed --files 2000000 --memory 2GB --workers 2 --rounds 1 --kinds exact
    python -m bench.distributed --files 1000000 --made twonorm --kinds early

The runs of one and two workers alternate; every line has the objective, the violation and the rounds. With --files the rows are
made and written as partitions first, and read by the workers; --memory is the limit of each worker, above which Dask kills it.
Timings mean something only on an otherwise idle machine with at least two cores.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster

import dcsvm
from dcsvm.dask import DaskDCSVC, DaskSVC

from .problems import load

ROWS_OF_A_FILE = 100_000
IMPORTED = ("dcsvm.dask", "sklearn.cluster", "scipy.spatial")  # by a worker's first training; not part of the time
KINDS = {"exact": DaskSVC, "early": DaskDCSVC}
MADE = {  # how rows are made, and parameters
    "checkerboard": (dcsvm.datasets.make_checkerboard, {"C": 100.0, "gamma": 4.0}),
    "twonorm": (dcsvm.datasets.make_twonorm, {"C": 1.0, "gamma": 0.05}),
}


def read(path: str) -> tuple[Any, Any]:
    with np.load(path) as part:
        return part["X"], part["y"]


def parts_of(paths: list[str]) -> tuple[list[Any], list[Any]]:
    """Delayed partitions, which workers can read again."""
    both = [dask.delayed(read, pure=True)(path) for path in paths]
    return [b[0] for b in both], [b[1] for b in both]


def write(folder: Path, name: str, x: np.ndarray, y: np.ndarray, parts: int) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for k, rows in enumerate(np.array_split(np.arange(len(y)), parts)):
        paths.append(str(folder / f"{name}-{k}.npz"))
        np.savez(paths[-1], X=x[rows], y=y[rows])
    return paths


def fit(client: Client, kind: str, paths: list[str], params: dict[str, Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    model = KINDS[kind](client=client, **params).fit(*parts_of(paths))
    return time.perf_counter() - start, model


def memory_of_workers(client: Client) -> float:
    """The largest, GB, over the worker's life."""
    return float(max(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).values())) / 2**20


def line(name: str, kind: str, workers: int, seconds: float, model: Any, memory: float) -> str:
    r = model.report_
    return (
        f"{name:20} {kind:6} {workers} workers {seconds:7.2f} s  {r.stop_reason} objective {r.objective:.6f}"
        f" violation {r.violation:.1e}"
        f"  {len(model.rounds_)} rounds  {r.n_support} support vectors  {r.n_sent} rows sent  {memory:.2f} GB"
    )


def compare(name: str, paths: list[str], params: dict[str, Any], a: argparse.Namespace) -> None:
    """Ratios of medians, alternating: each pair of clusters lives for one round."""
    took: dict[tuple[str, int], list[float]] = {}
    for _ in range(a.rounds):
        for workers in a.workers:
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=a.memory, dashboard_address=None)
            with cluster, Client(cluster) as client:
                for module in IMPORTED:
                    client.run(importlib.import_module, module)
                for kind in a.kinds:
                    seconds, model = fit(client, kind, paths, params)
                    took.setdefault((kind, workers), []).append(seconds)
                    print(line(name, kind, workers, seconds, model, memory_of_workers(client)), flush=True)
    for kind in a.kinds:
        medians = {workers: statistics.median(took[kind, workers]) for workers in a.workers}
        text = ", ".join(f"{workers} workers {seconds:.2f} s" for workers, seconds in medians.items())
        ratio = f": {medians[1] / medians[2]:.2f}x" if {1, 2} <= set(medians) else ""
        print(f"{name:20} {kind:6} medians {text}{ratio}", flush=True)


def from_files(a: argparse.Namespace) -> None:
    """Rows that are made and written part by part, so that nobody ever holds all of them."""
    make, params = MADE[a.made]
    paths = []
    for k in range(0, a.files, ROWS_OF_A_FILE):
        x, y = make(min(ROWS_OF_A_FILE, a.files - k), random_state=k)
        paths += write(a.folder, f"rows-{k}", x, y, 1)
    size = sum(os.path.getsize(path) for path in paths) / 2**30
    print(f"{a.files:,} rows in {len(paths)} files, {size:.2f} GB")
    compare(f"{a.made} {a.files:,}", paths, params, a)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", help="names of bench.problems")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", type=int, default=8, help="partitions of each problem (default 8)")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--files", type=int, help="rows that are made and read from files")
    parser.add_argument("--made", choices=list(MADE), default="checkerboard", help="what these are (default checkerboard)")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2], help="of one thread (default 1 2)")
    parser.add_argument("--memory", default="8GB", help="limit of each worker")
    parser.add_argument(
        "--folder", type=Path, help="where files are written and kept (default: a temporary folder, removed at the end)"
    )
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        a.folder = a.folder or Path(folder)
        a.folder.mkdir(parents=True, exist_ok=True)
        run(parser, a)


def run(parser: argparse.ArgumentParser, a: argparse.Namespace) -> None:
    if a.files:
        from_files(a)
    for name in a.problems:
        p = load(name)
        if hasattr(p.X_train, "indptr"):
            parser.error(f"{name} is sparse; give a dense problem")
        order = np.random.default_rng(0).permutation(len(p.y_train))
        paths = write(a.folder, name.replace("/", "-"), p.X_train[order], p.y_train[order], a.parts)
        compare(name, paths, dict(p.params), a)


if __name__ == "__main__":
    main()
