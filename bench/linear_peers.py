"""Linear solvers of other packages to the objective that ours reaches, as `bench.linear` states the problems.

    python -m bench.linear_peers a9a:0,3,6 newsgroups20b:2
    python -m bench.linear_peers --peers snapml celer --threads 2 imdb:0

A peer gets tighter tolerances (0.1, 0.01, ... 1e-8) until its objective, recomputed from its weights in float64, is at most 1e-4
(relative) above ours at the default tolerance; seconds are of that last run: processor time, with several threads wall time.
"above" is what is left then.
Packages that are not installed are named and left out. The first run of each is not counted: some compile at first use.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable

import numpy as np

import dcsvm

from .linear import CLASSIFIERS, LOSS_OF, NAMES, TABLE, binary_cases, clock, objective

CLOSE = 1e-4
TOLS = [10.0**-k for k in range(1, 9)]
KINDS = {s: ("l1_" if s in (5, 6) else "") + LOSS_OF[s] for s in CLASSIFIERS}
Fit = Callable[[object, np.ndarray, float, int], np.ndarray]  # x, y (-1, 1), tol, threads -> w


def _coef(model, x, y) -> np.ndarray:
    return np.asarray(model.fit(x, y).coef_, dtype=float).ravel()


def _sklearn_svc(loss: str, penalty: str, dual: bool) -> Fit:
    from sklearn.svm import LinearSVC

    return lambda x, y, tol, threads: _coef(
        LinearSVC(loss=loss, penalty=penalty, dual=dual, tol=tol, fit_intercept=False, max_iter=100000), x, y
    )


def _sklearn_logistic(solver: str, l1: bool = False) -> Fit:
    from sklearn.linear_model import LogisticRegression

    return lambda x, y, tol, threads: _coef(
        LogisticRegression(solver=solver, l1_ratio=float(l1), tol=tol, fit_intercept=False, max_iter=100000), x, y
    )


def _snapml(kind: str) -> Fit:
    import snapml

    if kind == "hinge":
        return lambda x, y, tol, threads: _coef(
            snapml.SupportVectorMachine(
                loss="hinge", tol=tol, regularizer=1.0, fit_intercept=False, n_jobs=threads, max_iter=10000
            ),
            x,
            y,
        )
    penalty = "l1" if kind == "l1_logistic" else "l2"
    return lambda x, y, tol, threads: _coef(
        snapml.LogisticRegression(
            penalty=penalty,
            dual=penalty == "l2",
            tol=tol,
            regularizer=1.0,
            fit_intercept=False,
            n_jobs=threads,
            max_iter=10000,
        ),
        x,
        y,
    )


def _celer() -> Fit:
    import celer

    return lambda x, y, tol, threads: _coef(celer.LogisticRegression(C=1.0, tol=tol, max_iter=1000), x.tocsc(), y)


def _skglm() -> Fit:
    from skglm import SparseLogisticRegression

    return lambda x, y, tol, threads: _coef(
        SparseLogisticRegression(alpha=1.0 / len(y), tol=tol, fit_intercept=False, max_iter=1000), x.tocsc(), y
    )


def _glum(l1: bool) -> Fit:
    from glum import GeneralizedLinearRegressor

    return lambda x, y, tol, threads: _coef(
        GeneralizedLinearRegressor(
            family="binomial", alpha=1.0 / len(y), l1_ratio=float(l1), gradient_tol=tol, fit_intercept=False, max_iter=1000
        ),
        x,
        (y > 0).astype(float),
    )


PEERS: dict[str, dict[str, Callable[[], Fit]]] = {
    "sklearn liblinear primal": {
        "squared_hinge": lambda: _sklearn_svc("squared_hinge", "l2", False),
        "l1_squared_hinge": lambda: _sklearn_svc("squared_hinge", "l1", False),
        "logistic": lambda: _sklearn_logistic("liblinear"),
        "l1_logistic": lambda: _sklearn_logistic("liblinear", l1=True),
    },
    "sklearn liblinear dual": {
        "squared_hinge": lambda: _sklearn_svc("squared_hinge", "l2", True),
        "hinge": lambda: _sklearn_svc("hinge", "l2", True),
    },
    **{
        f"sklearn {solver}": {"logistic": lambda solver=solver: _sklearn_logistic(solver)}
        for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag")
    },
    "sklearn saga": {
        "logistic": lambda: _sklearn_logistic("saga"),
        "l1_logistic": lambda: _sklearn_logistic("saga", l1=True),
    },
    "snapml": {kind: lambda kind=kind: _snapml(kind) for kind in ("logistic", "hinge", "l1_logistic")},
    "celer": {"l1_logistic": _celer},
    "skglm": {"l1_logistic": _skglm},
    "glum": {"logistic": lambda: _glum(False), "l1_logistic": lambda: _glum(True)},
}
MOST_SECONDS = 10.0  # of one run, after which no tighter tolerance is tried
MANY_COLUMNS = 5000  # above this number, solvers that form X'X are left out


def to_objective(fit: Fit, solver: int, x, y: np.ndarray, goal: float, threads: int) -> tuple[float, float, float]:
    """Seconds, objective and tolerance of the first run within CLOSE of the goal, or of the best."""
    classes = np.array([1.0, -1.0])
    few = np.concatenate([np.flatnonzero(y == c)[:100] for c in classes])  # of both classes, whatever the order of the rows
    fit(x[few], y[few], 0.1, threads)
    best = (float("nan"), float("inf"), 0.0)
    for tol in TOLS:
        w, cpu, wall = clock(lambda tol=tol: fit(x, y, tol, threads))
        seconds = cpu if threads == 1 else wall
        reached = objective(solver, x, y, w.reshape(-1, 1), classes)
        if reached < best[1]:
            best = (seconds, reached, tol)
        if reached <= goal * (1 + CLOSE) or seconds > MOST_SECONDS:
            break
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="problem[:solvers]")
    parser.add_argument("--peers", nargs="*", default=[], help="beginnings of names; default: all")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, x, y, solvers in binary_cases(parser, args.cases, TABLE.__getitem__):
        for solver in solvers:
            dcsvm.train_linear(x, y, solver=NAMES[solver], bias=-1, n_jobs=args.threads)
            runs = [
                clock(lambda x=x, y=y, s=solver: dcsvm.train_linear(x, y, solver=NAMES[s], bias=-1, n_jobs=args.threads))
                for _ in range(3)
            ]
            goal = objective(solver, x, y, runs[0][0].coef_.T, np.array([1.0, -1.0]))
            seconds = statistics.median(r[1 if args.threads == 1 else 2] for r in runs)
            print(f"{name}:{solver}  dcsvm {seconds:.4f} s, objective {goal:.8g}", flush=True)
            for peer, kinds in PEERS.items():
                if KINDS[solver] not in kinds or (args.peers and not peer.startswith(tuple(args.peers))):
                    continue
                if peer in ("sklearn newton-cholesky", "glum") and x.shape[1] > MANY_COLUMNS:
                    continue
                try:
                    theirs, reached, tol = to_objective(kinds[KINDS[solver]](), solver, x, y, goal, args.threads)
                except ImportError as absent:
                    print(f"    {peer}: not installed ({absent.name})", flush=True)
                    continue
                except Exception as error:  # a peer's own failure is a result
                    print(f"    {peer}: {type(error).__name__}: {error}", flush=True)
                    continue
                ratio = theirs / max(seconds, 1e-9)
                print(f"    {peer:26} {theirs:8.4f} s {ratio:7.2f}x  above {reached / goal - 1:+.1e}  tol {tol:g}", flush=True)


if __name__ == "__main__":
    main()
