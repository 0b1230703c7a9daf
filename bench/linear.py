"""Linear solvers against LIBLINEAR: seconds of processor time, objectives and certificates of the same problem, in turn.

    python -m bench.linear                        all problems and solvers of the table
    python -m bench.linear a9a:0 imdb:1,3,7       some
    python -m bench.linear --threads 2 mnist:4    our threads (processor time, then, is of both)
    python -m bench.linear newsgroups20b:C2 newsgroups20b:v2    the search over C, and five folds, with solver 2

Both sides have the data in their own form before the clock starts (LIBLINEAR: its nodes; dcsvm: float64 CSR) and start in turn.
`excess` is our objective over the median of LIBLINEAR's, less one: its random order moves its own from run to run. `gap` is the
certificate of ours: primal less dual objective, relative (primal solvers too); nan where no dual is known. Of a search over C and
of folds: the largest excess of all values of C, of the folds' sum and of a single fold.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from liblinear import liblinear

import dcsvm
import dcsvm.liblinear

from . import problems
from .linear_folds import fold_objectives, liblinear_folds
from .linear_problems import TEXT, cadata, text_problem

CLASSIFIERS = (0, 1, 2, 3, 5, 6, 7)
TABLE = {
    **dict.fromkeys(("newsgroups20b", "newsgroups20b-bigrams", "imdb", "a9a", "w8a", "covtype85k", "mnist-round"), CLASSIFIERS),
    "newsgroups20": (1, 4),
    "mnist": (1, 2, 4),
    "imdb-rating": (11, 12, 13),
    "cadata": (11, 12, 13),
}
NAMES = {
    0: "logistic",
    1: "squared_hinge_dual",
    2: "squared_hinge",
    3: "hinge_dual",
    4: "crammer_singer",
    5: "l1_squared_hinge",
    6: "l1_logistic",
    7: "logistic_dual",
    11: "svr_squared",
    12: "svr_squared_dual",
    13: "svr_dual",
}
LOSSES = {
    "logistic": lambda z, y, p: np.logaddexp(0.0, -y * z),
    "squared_hinge": lambda z, y, p: np.maximum(0.0, 1 - y * z) ** 2,
    "hinge": lambda z, y, p: np.maximum(0.0, 1 - y * z),
    "squared_tube": lambda z, y, p: np.maximum(0.0, abs(z - y) - p) ** 2,
    "tube": lambda z, y, p: np.maximum(0.0, abs(z - y) - p),
}
LOSS_OF = {
    **dict.fromkeys((0, 6, 7), "logistic"),
    **dict.fromkeys((1, 2, 5), "squared_hinge"),
    3: "hinge",
    11: "squared_tube",
    12: "squared_tube",
    13: "tube",
}


@lru_cache(maxsize=2)
def load(name: str):
    """X (float64 CSR), y and C = 1, without bias."""
    if name in TEXT:
        x, y = text_problem(name)
    elif name == "cadata":
        x, y = cadata()
    else:
        p = problems.load(name)
        x, y = sp.csr_matrix(p.X_train), p.y_train
    x.sort_indices()
    return x, np.asarray(y, dtype=np.float64)


def objective(solver: int, x, y: np.ndarray, w: np.ndarray, classes: np.ndarray, C: float = 1.0) -> float:
    """Recomputed from w (features x vectors); several vectors: the sum of their problems."""
    z = x @ w
    if solver == 4:
        rows = np.arange(len(y))
        own = np.searchsorted(classes, y)
        margin = z - z[rows, own][:, None] + 1
        margin[rows, own] -= 1
        return 0.5 * (w**2).sum() + C * margin.max(axis=1).sum()
    total = abs(w).sum() if solver in (5, 6) else 0.5 * (w**2).sum()
    loss = LOSSES[LOSS_OF[solver]]
    for k in range(w.shape[1]):
        target = y if solver >= 11 else np.where(y == classes[k], 1.0, -1.0)
        total += C * loss(z[:, k], target, 0.1).sum()
    return float(total)


def binary_cases(parser: argparse.ArgumentParser, cases: list[str], default: Callable[[str], Iterable[int]]):
    """Name, X, y in {-1, 1} and solvers of each "problem[:solvers]"; default(name): where none are named."""
    for case in cases:
        name, _, solvers = case.partition(":")
        x, y = load(name)
        labels = np.unique(y)
        if len(labels) != 2:
            parser.error(f"{name} has {len(labels)} classes; peers are compared on problems of 2")
        yield name, x, np.where(y == labels[1], 1.0, -1.0), list(map(int, solvers.split(","))) if solvers else default(name)


def clock(work: Callable):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    out = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    # The system's part is left out: clearing fresh pages depends on who ran before.
    return out, after.ru_utime - before.ru_utime, time.perf_counter() - start


class Contest:
    """One problem and solver (or "C2", "v2": parameter search and folds)."""

    def __init__(self, name: str, what: str, threads: int, tol: float | None):
        self.x, self.y = load(name)
        self.mode, self.solver = (what[0], int(what[1:])) if what[0] in "Cv" else ("", int(what))
        self.threads, self.tol = threads, tol
        self.nodes = liblinear.problem(self.y, self.x)
        text = f"-s {self.solver} -q" + (f" -e {tol!r}" if tol else "")
        self.param = liblinear.parameter(text)
        liblinear.liblinear.set_print_string_function(self.param.print_func)
        if self.mode:
            os.environ["DCSVM_NUM_THREADS"] = str(threads)  # LIBLINEAR's functions have no argument for it
            self.own = dcsvm.liblinear.problem(self.y, self.x), dcsvm.liblinear.parameter(text)
            dcsvm.liblinear.liblinear.set_print_string_function(self.own[1].print_func)

    def theirs(self):
        if self.mode:
            return None, *clock(lambda: self._folds(liblinear, self.nodes, self.param))[1:]
        m, cpu, wall = clock(lambda: liblinear.liblinear.train(self.nodes, self.param))
        m = liblinear.toPyModel(m)
        vectors = 1 if m.nr_class <= 2 and self.solver != 4 else m.nr_class
        w = np.ctypeslib.as_array(m.w, (self.x.shape[1] * vectors,)).reshape(-1, vectors).copy()
        labels = np.array(m.get_labels(), dtype=float)
        return self._objective(w, labels), cpu, wall

    def _folds(self, face, nodes, param):
        if self.mode == "v":
            return face.liblinear.cross_validation(nodes, param, 5, (ctypes.c_double * nodes.l)())
        best = [ctypes.c_double() for _ in range(3)]
        return face.liblinear.find_parameters(nodes, param, 5, -1.0, -1.0, *map(ctypes.byref, best))

    def ours(self):
        if self.mode:
            return None, float("nan"), *clock(lambda: self._folds(dcsvm.liblinear, *self.own))[1:]
        options = {"tol": self.tol} if self.tol else {}
        m, cpu, wall = clock(
            lambda: dcsvm.train_linear(self.x, self.y, solver=NAMES[self.solver], bias=-1, n_jobs=self.threads, **options)
        )
        gap = (m.report.primal_objective - m.report.dual_objective) / abs(m.report.primal_objective)
        w = m.coef_.T
        labels = np.asarray(m.classes_, dtype=float)
        if w.shape[1] == 1:
            labels = labels[::-1]  # a positive decision is the second class
        return self._objective(w, labels), gap, cpu, wall

    def excess(self) -> tuple[float, float]:
        """Of a search over C or of folds: of the folds' sum, and of a single fold; the largest of all values of C."""
        of_row = liblinear_folds(len(self.y), 5)
        cv = [(np.flatnonzero(of_row != f), np.flatnonzero(of_row == f)) for f in range(5)]
        found = dcsvm.linear_path(
            self.x, self.y, solver=NAMES[self.solver], C=None if self.mode == "C" else 1.0, cv=cv, bias=-1, tol=self.tol
        )
        extra = f"-e {self.tol!r}" if self.tol else ""

        def measure(rows, C, w, labels):
            return self._objective(w, labels, C, rows)

        theirs = fold_objectives(self.x, self.y, self.solver, of_row, found.C.tolist(), measure, extra)
        ours = found.objectives
        return float((ours.sum(axis=1) / theirs.sum(axis=1) - 1).max()), float((ours / theirs - 1).max())

    def _objective(self, w: np.ndarray, labels: np.ndarray, C: float = 1.0, rows=slice(None)) -> float:
        if self.solver == 4:
            order = np.argsort(labels)
            w, labels = w[:, order], labels[order]
        return objective(self.solver, self.x[rows], self.y[rows], w, labels, C)


def row(name: str, what: str, threads: int, repeats: int, tol: float | None) -> tuple[str, float]:
    contest = Contest(name, what, threads, tol)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(contest.ours())
        theirs.append(contest.theirs())
    ours_cpu, ours_wall = (statistics.median(r[k] for r in ours) for k in (2, 3))
    their_cpu, their_wall = (statistics.median(r[k] for r in theirs) for k in (1, 2))
    ratio = their_cpu / max(ours_cpu, 1e-9) if threads == 1 else their_wall / max(ours_wall, 1e-9)
    text = f"{name:22} {what:>3}  {ours_cpu:8.4f} {their_cpu:8.4f} {ratio:7.2f}x  wall {ours_wall:7.3f} {their_wall:7.3f}"
    if contest.mode:
        total, fold = contest.excess()
        text += f"  largest excess {total:+.1e}, of a fold {fold:+.1e}"
    else:
        their_objective = statistics.median(r[0] for r in theirs)
        text += f"  {ours[0][0]:14.7g} excess {ours[0][0] / their_objective - 1:+.1e} gap {ours[0][1]:.0e}"
    return text, ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="problem[:solvers]")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tol", type=float)
    args = parser.parse_args()
    os.environ["DCSVM_NUM_THREADS"] = str(args.threads)  # of the C interface
    print("problem               solver    ours   theirs   ratio (processor seconds, wall seconds), objective of ours")
    ratios = []
    for case in args.cases or list(TABLE):
        name, _, solvers = case.partition(":")
        for what in solvers.split(",") if solvers else map(str, TABLE[name]):
            text, ratio = row(name, what, args.threads, args.repeats, args.tol)
            ratios.append(ratio)
            print(text, flush=True)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}x")


if __name__ == "__main__":
    main()
