"""Prints the figures of docs/developers/measurements.md, each beside what it must reach.

    python -m bench.dcpred targets            accuracy at a multiple of a linear model's prediction time
    python -m bench.dcpred peers              against LIBSVM's prediction and early models (covtype85k, ijcnn1)
    python -m bench.dcpred nystroem           test error at equal cost, 2 to 30 landmarks
    python -m bench.dcpred latency            one row from C++, C, Cython and Python

Timings are the shortest of several runs on one thread over the whole test part in float32, and mean something only on an
otherwise idle machine. A linear model's time is that of scikit-learn's LinearSVC.decision_function for the same rows: it too
checks its input; beside it stands the bare product X @ w.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: the linear model has one thread too
os.environ.setdefault("DCSVM_NUM_THREADS", str(len(os.sched_getaffinity(0))))  # for training
os.environ.setdefault("OMP_NUM_THREADS", "1")  # LIBSVM's package may predict with several

import numpy as np

import dcsvm

from . import latency
from .case import linear_model
from .problems import load

RUNS = 15
# options of train_dc_pred; the multiple and the accuracy or distance to the exact model that are asked
SETTINGS: dict[str, tuple[dict[str, Any], float, str]] = {
    "usps-round": ({"n_leaves": 1, "n_landmarks": 24, "refine": 200}, 14.4, "at least 95.5 %"),
    "a9a": ({"n_leaves": 1, "n_landmarks": 10}, 12.5, "at least 83.9 %"),
    "covtype85k": ({"n_leaves": 256, "n_landmarks": 24}, 18.8, "within 2 points of exact"),
    "ijcnn1": ({"n_leaves": 16, "n_landmarks": 12}, 20.0, "within 0.5 points of exact"),
    "cadata": ({"n_leaves": 16, "n_landmarks": 16, "refine": 200}, 30.0, "RMSE within 3 % of exact"),
}
# options of compress for a model nearly as accurate as the exact one
NEARLY_EXACT: dict[str, dict[str, Any]] = {
    "covtype85k": {"landmarks": "support", "n_leaves": 128, "n_landmarks": 4000, "tol": 0.2},
}
COUNTS = (2, 3, 5, 8, 12, 20, 30)  # landmarks of the comparison with Nystroem


def problem(name: str) -> tuple[Any, ...]:
    """Training and test part as float32, C and gamma."""
    p = load(name)
    rows = [np.ascontiguousarray(x, dtype=np.float32) for x in (p.X_train, p.X_test)]
    return rows[0], p.y_train, rows[1], p.y_test, p.C, p.gamma


def shortest(run: Callable[[], Any], runs: int = RUNS) -> float:
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def linear_seconds(x: np.ndarray) -> tuple[float, float]:
    """LinearSVC.decision_function, and X @ w."""
    model = linear_model(x.shape[1])
    return shortest(lambda: model.decision_function(x)), shortest(lambda: x @ model.coef_[0])


def trained(name: str, options: dict[str, Any]) -> tuple[Any, dcsvm.DCPredModel]:
    data = problem(name)
    x, y, _, _, C, gamma = data
    if name == "cadata":  # from the exact model's numbers, which have no noise
        exact = dcsvm.train_ridge(x, y, alpha=1 / (2 * C), gamma=gamma)
        return data, dcsvm.compress(exact, x, alpha=1 / (2 * C), **options)
    return data, dcsvm.train_dc_pred(x, y, C=C, gamma=gamma, **options)


def targets(names: list[str], options: dict[str, Any]) -> None:
    print("| problem | leaves, landmarks, pseudo | asked | exact | reached | at | LinearSVC | X @ w | ns a row | fit s | bytes |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in names or SETTINGS:
        own, multiple, asked = SETTINGS[name]
        start = time.perf_counter()
        (x, y, xt, yt, C, gamma), model = trained(name, {**own, **options})
        fit = time.perf_counter() - start
        seconds, (linear, product) = shortest(lambda m=model, t=xt: m.decision_function(t, n_jobs=1)), linear_seconds(xt)
        if name == "cadata":
            exact = dcsvm.train_ridge(x, y, alpha=1 / (2 * C), gamma=gamma)
            scores = [f"RMSE {np.sqrt(np.mean((m.predict(xt) - yt) ** 2)):.5f}" for m in (exact, model)]
        else:
            exact = dcsvm.train(x, y, C=C, gamma=gamma)
            scores = [f"{100 * np.mean(m.predict(xt) == yt):.2f} %" for m in (exact, model)]
        r = model.report
        print(
            f"| {name} | {r.n_leaves}, {r.n_landmarks}, {r.n_pseudo} | {asked} | {scores[0]} | {scores[1]} | {multiple}x "
            f"| {seconds / linear:.1f}x | {seconds / product:.1f}x | {1e9 * seconds / len(xt):.0f} | {fit:.1f} "
            f"| {len(model.to_bytes()):,} |",
            flush=True,
        )


def libsvm_seconds(exact: dcsvm.Model, rows: np.ndarray) -> float:
    """Of one row, by LIBSVM's own svm_predict."""
    import tempfile

    from libsvm import svmutil

    with tempfile.NamedTemporaryFile() as file:
        exact.save(file.name, format="libsvm")
        theirs = svmutil.svm_load_model(file.name)
        nodes = [svmutil.gen_svm_nodearray(row)[0] for row in rows.astype(np.float64)]  # made before the clock starts
        predict = svmutil.libsvm.svm_predict
        return shortest(lambda: [predict(theirs, n) for n in nodes], 2) / len(nodes)


def peers(names: list[str], options: dict[str, Any]) -> None:
    print("| problem | model | accuracy | ns a row, one thread | this many times slower | than the early model |")
    print("|---|---|---|---|---|---|")
    for name in names or ["covtype85k", "ijcnn1"]:
        (x, y, xt, yt, C, gamma), fast = trained(name, {**SETTINGS[name][0], **options})
        exact = dcsvm.train(x, y, C=C, gamma=gamma)
        early = dcsvm.train(x, y, C=C, gamma=gamma, solver="dc", n_levels=3, early_level=3)
        models = {"DC-Pred++": fast, "early, 64 clusters": early, "exact, dcsvm": exact}
        if name in NEARLY_EXACT:
            models["DC-Pred++, support vectors"] = dcsvm.compress(exact, x, **NEARLY_EXACT[name])
        seconds = dict.fromkeys(models, float("inf"))
        for _ in range(5):  # in turn: the machine's speed is no constant
            for what, m in models.items():
                one = shortest(lambda m=m, t=xt: m.predict(t, n_jobs=1), 1 if m is exact else 3)
                seconds[what] = min(seconds[what], one / len(xt))
        lines = [(what, f"{100 * np.mean(m.predict(xt) == yt):.2f} %", seconds[what]) for what, m in models.items()]
        lines.append(("exact, LIBSVM's svm_predict (300 rows)", "", libsvm_seconds(exact, xt[:300])))
        for what, accuracy, s in lines:
            print(
                f"| {name} | {what} | {accuracy} | {1e9 * s:,.0f} | {s / seconds['DC-Pred++']:,.1f} "
                f"| {s / seconds['early, 64 clusters']:.2f} |",
                flush=True,
            )


def cost(m: int, d: int) -> float:
    """Of m landmarks, in inner products, as DCPredModel.cost counts: kernel maps and coefficients too."""
    return m * (1 + 11 / d)


def nystroem(names: list[str], options: dict[str, Any], counts: list[int]) -> None:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.svm import LinearSVC

    print(
        "| problem | landmarks | cost | Nystroem's error | DC-Pred++'s | its leaves, landmarks, cost |\n|---|---|---|---|---|---|"
    )
    for name in names or ["usps-round", "ijcnn1", "covtype85k", "a9a"]:
        x, y, xt, yt, C, gamma = problem(name)
        some = np.sort(np.random.default_rng(0).permutation(len(y))[:20_000])
        x, y = x[some], y[some]
        for m in counts:
            features = Nystroem(gamma=gamma, n_components=m, random_state=0).fit(x)
            linear = LinearSVC(C=C, random_state=0).fit(features.transform(x), y)
            theirs = np.mean(linear.predict(features.transform(xt)) != yt)
            budget = cost(m, x.shape[1]) * (1 + 1e-9)
            model = dcsvm.train_dc_pred(x, y, C=C, gamma=gamma, budget=budget, pseudo="none", **options)
            r = model.report
            print(
                f"| {name} | {m} | {budget:.1f} | {100 * theirs:.2f} % | {100 * np.mean(model.predict(xt) != yt):.2f} % "
                f"| {r.n_leaves}, {r.n_landmarks}, {r.cost:.1f} |",
                flush=True,
            )


def main(arguments: list[str] | None = None) -> None:
    p = argparse.ArgumentParser("bench.dcpred", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("targets", "peers", "nystroem", "latency"))
    p.add_argument("--problems", nargs="+", default=[], help="these only")
    for name in ("n-leaves", "n-landmarks", "n-pseudo", "refine"):
        p.add_argument(f"--{name}", type=int, help="in place of the setting's")
    p.add_argument("--pseudo", help="likewise")
    p.add_argument("--counts", nargs="+", type=int, default=list(COUNTS), help="nystroem: landmarks (a9a: minutes for each)")
    a = p.parse_args(arguments)
    names = ("n_leaves", "n_landmarks", "n_pseudo", "refine", "pseudo")
    options = {k: v for k in names if (v := getattr(a, k)) is not None}
    print(f"dcsvm {dcsvm.__version__}, {dcsvm.build_config()['isa']}, numpy {np.__version__}, one thread\n")
    if a.what == "targets":
        targets(a.problems, options)
    elif a.what == "peers":
        peers(a.problems, options)
    elif a.what == "nystroem":
        nystroem(a.problems, options, a.counts)
    else:
        (_, _, xt, _, _, _), model = trained("ijcnn1", {**SETTINGS["ijcnn1"][0], **options})
        latency.print_table(model, xt[:20_000])


if __name__ == "__main__":
    main(sys.argv[1:])
