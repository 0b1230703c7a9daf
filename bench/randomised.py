"""Figures of docs/ls-svm.md and docs/samples.md: python -m bench.randomised --help."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import dcsvm

from .problems import data_dir


def ls_svm(method: str, fft: bool, steps: int, block: int, rows: int) -> None:
    """mnist, 10 classes, degree 4, gamma 10^4: error and seconds a step."""
    with np.load(data_dir() / "mnist.npz") as a:
        names = {n.lower(): n for n in a.files}
        x, y = np.asarray(a[names["x_train"]], dtype=np.float32), a[names["y_train"]].astype(float)
        xt, yt = np.asarray(a[names["x_test"]], dtype=np.float32), a[names["y_test"]].astype(float)
    step: Any = dcsvm.FourierFeatures() if fft else dcsvm.TwoStepNormalizer()
    x, xt = step.fit_transform(x.reshape(len(x), -1)[:rows]), step.fit_transform(xt.reshape(len(xt), -1))
    start = time.perf_counter()
    model = dcsvm.train_ls_svm(
        x, y[:rows], kernel="poly", degree=4, gamma=1.0, gamma_ls=1e4, method=method, block_size=block, n_iter=steps, tol=1e-6
    )
    seconds = time.perf_counter() - start
    error = 100 * float((model.predict(xt) != yt).mean())
    r = model.report
    print(
        f"{method} {'fft' if fft else 'two-step'} J={block} T={steps}: error {error:.2f} %, residual {r.residual:.4f}, "
        f"{seconds:.1f} s, {r.seconds['solve'] / r.n_iter:.2f} s a step, {r.peak_bytes / 2**20:.0f} MB, "
        f"{r.n_threads} threads, {r.isa}"
    )


def rand_svm(problem: str, n: int, double: bool) -> None:
    """RandSVM with k of Eq. (4), epsilon .2, delta .9 (`double`: twice that, as for data that is not separable); exact too."""
    make = getattr(dcsvm.datasets, f"make_{problem}")
    x, y = make(n, random_state=0)
    xt, yt = make(10000, random_state=1)
    params = {"C": 10.0, "gamma": 4.0} if problem == "checkerboard" else {"C": 1.0, "gamma": 0.05}
    k = int(np.ceil((800 if double else 400) * np.log(4 * n / 0.9)))
    options: dict[str, dict[str, Any]] = {"rand": {"n_support_estimate": k}, "auto": {}}
    for solver, own in options.items():
        if solver == "auto" and n > 100_000:
            continue
        start = time.perf_counter()
        model = dcsvm.train(x, y, solver=solver, **params, **own)
        seconds = time.perf_counter() - start
        r = model.report
        print(
            f"{problem} {n:,} {solver}: {seconds:.1f} s, accuracy {100 * float((model.predict(xt) == yt).mean()):.2f} %, "
            f"{r.stop_reason}, {r.n_support:,} support vectors, k {k:,}, objective {r.objective:.3f}, "
            f"violation {r.violation:.2e}, "
            f"{len(r.levels)} rounds"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    ls = commands.add_parser("ls")
    ls.add_argument("method")
    ls.add_argument("--fft", action="store_true")
    ls.add_argument("--steps", type=int, default=30)
    ls.add_argument("--block", type=int, default=2000)
    ls.add_argument("--rows", type=int, default=60000)
    rand = commands.add_parser("rand")
    rand.add_argument("problem")
    rand.add_argument("n", type=int)
    rand.add_argument("--double", action="store_true", help="twice Eq. (4)'s k")
    a = parser.parse_args()
    if a.command == "ls":
        ls_svm(a.method, a.fft, a.steps, a.block, a.rows)
    else:
        rand_svm(a.problem, a.n, a.double)


if __name__ == "__main__":
    main()
