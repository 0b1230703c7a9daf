"""Linear solvers against liblinear-multicore, which has LIBLINEAR's module names and therefore an environment of its own.

    python -m bench.linear_multicore --python path/of/its/python newsgroups20b:0,1,2,3,5,6 imdb:1

Wall seconds of both at the same number of threads (default 2), in turn, medians; data are converted before the clock starts. A
second process of that Python, started with this file, waits for solver numbers on its standard input.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

PARALLEL = (0, 1, 2, 3, 5, 6)  # classifiers that liblinear-multicore has in parallel


def serve(folder: str, threads: int) -> None:
    """For each solver number that comes in: trains, writes w and prints the seconds."""
    from liblinear import liblinear

    x, y = sp.load_npz(f"{folder}/x.npz"), np.load(f"{folder}/y.npy")
    nodes = liblinear.problem(y, x)
    print("ready", flush=True)
    for line in sys.stdin:
        param = liblinear.parameter(f"-s {int(line)} -q -m {threads}")
        liblinear.liblinear.set_print_string_function(param.print_func)
        start = time.perf_counter()
        m = liblinear.liblinear.train(nodes, param)
        seconds = time.perf_counter() - start
        m = liblinear.toPyModel(m)
        w = np.ctypeslib.as_array(m.w, (x.shape[1],)).copy()
        np.save(f"{folder}/w.npy", w if m.get_labels()[0] > 0 else -w)
        print(seconds, flush=True)


def compare(name: str, solvers: list[int], python: str, threads: int, repeats: int) -> None:
    import dcsvm

    from .linear import NAMES, clock, load, objective

    x, y = load(name)
    y = np.where(y == np.unique(y)[1], 1.0, -1.0)
    with tempfile.TemporaryDirectory() as folder:
        sp.save_npz(f"{folder}/x.npz", x, compressed=False)
        np.save(f"{folder}/y.npy", y)
        command = [python, __file__, "--serve", folder, "--threads", str(threads)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
            assert peer.stdin
            assert peer.stdout
            if peer.stdout.readline() != "ready\n":
                sys.exit(f"{python} cannot import liblinear; install liblinear-multicore there")
            for s in solvers:
                ours, theirs, goals = [], [], []
                for _ in range(repeats):
                    model, _, wall = clock(lambda s=s: dcsvm.train_linear(x, y, solver=NAMES[s], bias=-1, n_jobs=threads))
                    ours.append(wall)
                    print(s, file=peer.stdin, flush=True)
                    theirs.append(float(peer.stdout.readline()))
                    goals.append(objective(s, x, y, np.load(f"{folder}/w.npy").reshape(-1, 1), np.array([1.0, -1.0])))
                excess = objective(s, x, y, model.coef_.T, np.array([1.0, -1.0])) / statistics.median(goals) - 1
                a, b = statistics.median(ours), statistics.median(theirs)
                print(f"{name:22} {s:>3}  wall {a:8.4f} {b:8.4f} {b / a:7.2f}x  excess {excess:+.1e}", flush=True)
            peer.stdin.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="problem[:solvers]")
    parser.add_argument("--python", help="interpreter of the environment that has liblinear-multicore")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve, args.threads)
        return
    if not args.python or not Path(args.python).exists():
        parser.error("--python: name the interpreter of an environment that has liblinear-multicore")
    for case in args.cases:
        name, _, solvers = case.partition(":")
        numbers = [int(s) for s in solvers.split(",")] if solvers else list(PARALLEL)
        compare(name, numbers, args.python, args.threads, args.repeats)


if __name__ == "__main__":
    main()
