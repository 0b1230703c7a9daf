"""LIBSVM's faces against LIBSVM's own: python -m dcsvm._tools.bench.libsvm_faces [problem ...].

Training through ``svm-train`` and through ``svmutil`` with the file read, and ``svm-predict``; then converting and predicting
90,000 rows (``--rows``) by ``svm_predict``. LIBSVM's are libsvm-official's Python modules and Debian's libsvm-tools. Each run is
a process of its own; prints a table of seconds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from . import problems

PROBLEMS = ("ijcnn1", "covtype85k", "cadata")

TRAIN = """
import sys, time
from {package}.svmutil import *
start = time.perf_counter()
y, x = svm_read_problem(sys.argv[1], return_scipy=True)
m = svm_train(y, x, sys.argv[2])
print(time.perf_counter() - start)
"""
PREDICT = """
import sys, time
import numpy as np
from {package}.svmutil import *
from scipy.sparse import csr_matrix
z = np.load(sys.argv[1])
m = svm_load_model(sys.argv[2])
x = csr_matrix(z["x"]) if sys.argv[3] == "csr" else z["x"]
start = time.perf_counter()
svm_predict(z["y"], x, m, "-q")
print(time.perf_counter() - start)
"""


def cadata() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, str]:
    """Features and target to [0, 1], the first 80 % of a permutation to train."""
    with np.load(problems.data_dir() / "cadata.npz") as z:
        x, y = z["X"].astype(np.float64), z["y"].astype(np.float64)
    x, y = problems._minmax(x, x), (y - y.min()) / np.ptp(y)
    order = np.random.default_rng(0).permutation(len(y))
    cut = int(0.8 * len(y))
    a, b = order[:cut], order[cut:]
    return x[a], y[a], x[b], y[b], "-s 3 -c 8 -g 8 -p 0.01"


def data_of(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, str]:
    if name == "cadata":
        return cadata()
    p = problems.load(name)
    return p.X_train, p.y_train, p.X_test, p.y_test, f"-c {p.C:g} -g {p.gamma:g}"


def seconds(command: list[object]) -> float:
    start = time.perf_counter()
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def printed(code: str, *args: object) -> float:
    command = [sys.executable, "-c", code, *map(str, args)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def row(name: str, what: str, ours: float, theirs: float) -> None:
    print(f"| {name} | {what} | {theirs:.2f} | {ours:.3f} | {theirs / ours:.1f} |", flush=True)


def measure(name: str, folder: Path, bins: tuple[Path, Path], parts: list[str], n_rows: int) -> None:
    import dcsvm

    x, y, xt, yt, options = data_of(name)
    train, test = folder / f"{name}.txt", folder / f"{name}.t"
    dcsvm.save_svmlight(train, x, y)
    dcsvm.save_svmlight(test, xt, yt)
    ours, theirs = bins
    model = folder / f"{name}.model"
    if "svm-train" in parts:
        times = [seconds([b / "svm-train", "-q", *options.split(), train, m]) for b, m in ((theirs, f"{model}.1"), (ours, model))]
        row(name, "svm-train", times[1], times[0])
    else:
        seconds([ours / "svm-train", "-q", *options.split(), train, model])
    if "svm-predict" in parts:
        times = [seconds([b / "svm-predict", "-q", test, model, folder / "out"]) for b in (theirs, ours)]
        row(name, "svm-predict", times[1], times[0])
    if "svmutil" in parts:
        times = [printed(TRAIN.format(package=p), train, f"{options} -q") for p in ("libsvm", "dcsvm")]
        row(name, "svmutil, file to model", times[1], times[0])
    if "predict-rows" in parts:
        rows = np.resize(np.arange(len(yt)), n_rows)
        np.savez(folder / "rows.npz", x=xt[rows], y=yt[rows])
        for form in ("csr", "array"):
            times = [printed(PREDICT.format(package=p), folder / "rows.npz", model, form) for p in ("libsvm", "dcsvm")]
            row(name, f"svm_predict of {n_rows:,} rows, {form}", times[1], times[0])


def main() -> None:
    parts = ["svm-train", "svm-predict", "svmutil", "predict-rows"]
    parser = argparse.ArgumentParser("python -m dcsvm._tools.bench.libsvm_faces", description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS), help=f"of {', '.join(PROBLEMS)} or dcsvm bench --list")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--rows", type=int, default=90_000, help="that predict-rows predicts")
    parser.add_argument("--ours", type=Path, default=Path(sys.executable).parent, help="folder of our commands")
    parser.add_argument("--theirs", type=Path, default=Path("/usr/bin"), help="folder of LIBSVM's commands")
    a = parser.parse_args()
    print(f"{os.cpu_count()} cores\n\n| problem | what | LIBSVM s | dcsvm s | times |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in a.problems:
            measure(name, Path(folder), (a.ours, a.theirs), a.parts, a.rows)


if __name__ == "__main__":
    main()
