"""Many classes, regression, the nu formulations and one class: dcsvm against LIBSVM and the Extension for Scikit-learn.

    python -m bench.formulations                          all cases, three runs of each
    python -m bench.formulations usps nu-svc-usps --repeats 5 --threads 2

Each run is a process of its own (a user's first training also pays for memory that was never touched), peers take turns, and the
clock starts when each side has the data in its own form: LIBSVM its nodes, the Extension float32, dcsvm the arrays as they are.
Objective and KKT violation are computed for every peer alike, in float64, from its coefficients. Ratios are of medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from . import problems

PEERS = ("dcsvm", "libsvm", "sklearnex")
TOL = 1e-3
AT_BOUND = 1e-6  # of the bound: a coefficient this near to 0 or to its bound counts as there (float32 peers round)
LONG = 20.0  # seconds: a peer whose first run took longer is not run again
BLOCK = 1 << 24  # kernel values at once


@dataclass(frozen=True)
class Case:
    """data: a name of problems.py, or a function of this module that makes (X, y)."""

    data: str
    formulation: str = "c_svc"
    params: dict[str, Any] = field(default_factory=dict)


def gaussians() -> tuple[np.ndarray, np.ndarray]:
    """26 classes of 600 rows with 16 features, which overlap."""
    random = np.random.default_rng(0)
    centre = random.standard_normal((26, 16))
    y = np.repeat(np.arange(26.0), 600)
    x = centre[y.astype(int)] + 0.9 * random.standard_normal((len(y), 16))
    order = random.permutation(len(y))
    return x[order] / 4, y[order]


def noisy_labels() -> tuple[np.ndarray, np.ndarray]:
    """25,000 rows of 10 features in ten classes; 40 % of the labels are drawn anew."""
    random = np.random.default_rng(0)
    centre = random.standard_normal((10, 10))
    y = random.integers(0, 10, 25_000)
    x = centre[y] + random.standard_normal((len(y), 10))
    anew = random.random(len(y)) < 0.4
    return x / 4, np.where(anew, random.integers(0, 10, len(y)), y).astype(float)


def smooth() -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of 8 features with noise 0.1, 50,000 rows."""
    random = np.random.default_rng(0)
    x = random.uniform(0, 1, (50_000, 8))
    t = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + np.cos(2 * x[:, 3] + x[:, 4])
    return x, t + 0.1 * random.standard_normal(len(t))


_POLY = {"kernel": "poly", "degree": 3, "coef0": 1.0, "gamma": 1.0}
CASES = {
    "pendigits": Case("pendigits"),
    "usps": Case("usps"),
    "26-classes": Case("gaussians", params={"C": 1.0, "gamma": 1.0}),
    "26-classes-C1000": Case("gaussians", params={"C": 1000.0, "gamma": 1.0}),
    "26-classes-poly": Case("gaussians", params={"C": 1.0, **_POLY}),
    "26-classes-poly-C1000": Case("gaussians", params={"C": 1000.0, **_POLY}),
    "noisy-labels": Case("noisy_labels", params={"C": 1.0, "gamma": 1.0}),
    "svr-cadata": Case("cadata", "epsilon_svr", {"epsilon": 0.01}),
    "nu-svr-cadata": Case("cadata", "nu_svr", {"nu": 0.5}),
    "svr-smooth": Case("smooth", "epsilon_svr", {"C": 1.0, "gamma": 1.0, "epsilon": 0.1}),
    "nu-svr-smooth": Case("smooth", "nu_svr", {"C": 1.0, "gamma": 1.0, "nu": 0.3}),
    "nu-svc-usps": Case("usps", "nu_svc", {"nu": 0.1}),
    "nu-svc-ijcnn1": Case("ijcnn1", "nu_svc", {"nu": 0.05}),
    "one-class-covtype85k": Case("covtype85k", "one_class", {"nu": 0.1}),
}


def load(case: Case) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """X, y and all parameters."""
    params: dict[str, Any] = {"kernel": "rbf", "degree": 3, "coef0": 0.0, "C": 1.0, "nu": 0.5, "epsilon": 0.1}
    if case.data in globals():
        x, y = globals()[case.data]()
    else:
        p = problems.load(case.data)
        x, y, params = np.ascontiguousarray(p.X_train), p.y_train, params | p.params
    return x, y, params | case.params


def timed(train: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = train()
    return model, time.perf_counter() - start


# Coefficients as (n, n_pairs): y alpha, alpha - alpha* or alpha.


def by_pair(y: np.ndarray, support: np.ndarray, counts: Any, coef: np.ndarray, labels: Any) -> np.ndarray:
    """From LIBSVM's layout: support vectors by class, coef (n_classes - 1, n_support)."""
    k = len(labels)
    end = np.cumsum(counts)
    of_class = [slice(e - c, e) for e, c in zip(end, counts, strict=True)]
    out = np.zeros((len(y), k * (k - 1) // 2))
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        out[support[of_class[i]], p] = coef[j - 1, of_class[i]]
        out[support[of_class[j]], p] = coef[i, of_class[j]]
    return out


def by_dcsvm(case: Case, x: np.ndarray, y: np.ndarray, params: dict[str, Any], threads: int) -> tuple[np.ndarray, Any, float]:
    import dcsvm

    shape = {name: params[name] for name in ("kernel", "degree", "coef0", "gamma", "C", "nu", "epsilon")}
    arguments = {**shape, "formulation": case.formulation, "tol": TOL, "cache_size": 4000, "n_jobs": threads}
    model, seconds = timed(lambda: dcsvm.train(x, None if case.formulation == "one_class" else y, **arguments))
    labels = model.classes_ if case.formulation in ("c_svc", "nu_svc") else None
    if labels is None:
        beta = np.zeros((len(x), 1))
        beta[model.support_, 0] = np.asarray(model.dual_coef_).ravel()
        return beta, labels, seconds
    coef = np.asarray(model.dual_coef_)
    owner = np.searchsorted(labels, y[model.support_])
    return by_pair(y, model.support_, np.bincount(owner, minlength=len(labels)), coef, labels), labels, seconds


def by_libsvm(case: Case, x: np.ndarray, y: np.ndarray, params: dict[str, Any], threads: int) -> tuple[np.ndarray, Any, float]:
    import ctypes

    import scipy.sparse as sp
    from libsvm import svm

    number = {"c_svc": 0, "nu_svc": 1, "one_class": 2, "epsilon_svr": 3, "nu_svr": 4}[case.formulation]
    kernel = {"poly": 1, "rbf": 2}[params["kernel"]]
    data = svm.svm_problem(y, sp.csr_matrix(x))
    text = (
        f"-s {number} -t {kernel} -d {params['degree']} -r {params['coef0']!r} -g {params['gamma']!r} -c {params['C']!r} "
        f"-n {params['nu']!r} -p {params['epsilon']!r} -e {TOL!r} -m 4000 -q"
    )
    param = svm.svm_parameter(text)
    svm.libsvm.svm_set_print_string_function(param.print_func)
    raw, seconds = timed(lambda: svm.libsvm.svm_train(data, param))
    model = svm.toPyModel(raw)
    n = model.l
    support = np.ctypeslib.as_array(ctypes.cast(model.sv_indices, ctypes.POINTER(ctypes.c_int)), (n,)) - 1
    coef = np.array([np.ctypeslib.as_array(model.sv_coef[i], (n,)) for i in range(model.nr_class - 1)])
    if number > 1:
        beta = np.zeros((len(x), 1))
        beta[support, 0] = coef[0]
        return beta, None, seconds
    labels = np.array(model.get_labels(), dtype=float)
    return by_pair(y, support, [model.nSV[i] for i in range(model.nr_class)], coef, labels), labels, seconds


def by_sklearnex(case: Case, x: np.ndarray, y: np.ndarray, params: dict[str, Any], threads: int) -> tuple[np.ndarray, Any, float]:
    from sklearnex import svm

    shape = {name: params[name] for name in ("kernel", "degree", "coef0", "gamma")} | {"tol": TOL, "cache_size": 4000}
    make: dict[str, Callable[[], Any]] = {
        "c_svc": lambda: svm.SVC(C=params["C"], **shape),
        "nu_svc": lambda: svm.NuSVC(nu=params["nu"], **shape),
        "epsilon_svr": lambda: svm.SVR(C=params["C"], epsilon=params["epsilon"], **shape),
        "nu_svr": lambda: svm.NuSVR(C=params["C"], nu=params["nu"], **shape),
    }
    x32 = x.astype(np.float32)
    model, seconds = timed(lambda: make[case.formulation]().fit(x32, y))
    coef, support = np.asarray(model.dual_coef_), np.asarray(model.support_)
    if case.formulation in ("epsilon_svr", "nu_svr"):
        beta = np.zeros((len(x), 1))
        beta[support, 0] = coef.ravel()
        return beta, None, seconds
    if len(model.classes_) == 2:
        coef = -coef  # scikit-learn's sign for two classes
    return by_pair(y, support, model.n_support_, coef, model.classes_), model.classes_, seconds


def products(x: np.ndarray, beta: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    """K beta in float64."""
    x = np.asarray(x, dtype=np.float64)
    used = np.flatnonzero(beta.any(axis=1))
    points, coef, g = x[used], beta[used], params["gamma"]
    out = np.empty_like(beta)
    step = max(1, BLOCK // max(1, len(used)))
    for begin in range(0, len(x), step):
        rows = x[begin : begin + step]
        k = rows @ points.T
        if params["kernel"] == "poly":
            k = (g * k + params["coef0"]) ** params["degree"]
        else:
            square = np.einsum("ij,ij->i", rows, rows)[:, None] + np.einsum("ij,ij->i", points, points)
            k = np.exp(-g * np.maximum(square - 2 * k, 0))
        out[begin : begin + step] = k @ coef
    return out


def span(gradient: np.ndarray, up: np.ndarray, low: np.ndarray) -> float:
    return float(gradient[up].max(initial=-np.inf) - gradient[low].min(initial=np.inf))


def judge(case: Case, x: np.ndarray, y: np.ndarray, params: dict[str, Any], beta: np.ndarray, labels: Any) -> tuple[float, float]:
    """Objective and KKT violation; several classes: the sum, and the worst. nu_svc: of the problem before its coefficients are
    divided by the margin, whose inverse is the largest coefficient."""
    kb = products(x, beta, params)
    if labels is None:
        b, g, nu = beta[:, 0], kb[:, 0], case.formulation in ("nu_svr", "one_class")
        bound = 1.0 if case.formulation == "one_class" else params["C"]
        target = np.zeros(len(x)) if case.formulation == "one_class" else y
        tube = 0.0 if nu else params["epsilon"]
        slope, near = target - g, AT_BOUND * bound
        objective = float(0.5 * b @ g - target @ b + tube * np.abs(b).sum())
        if case.formulation == "one_class":
            return objective, span(slope, b < bound - near, b > near)
        if nu:
            grows, falls = span(slope, b < bound - near, b > near), span(-slope, b > near - bound, b < -near)
            return objective, max(grows, falls)
        rise = slope - np.where(b >= -near, tube, -tube)
        fall = slope - np.where(b > near, tube, -tube)
        return objective, float(rise[b < bound - near].max() - fall[b > near - bound].min())
    objective, violation = 0.0, 0.0
    for p, (i, j) in enumerate(combinations(range(len(labels)), 2)):
        rows = np.flatnonzero((y == labels[i]) | (y == labels[j]))
        s = np.where(y[rows] == labels[i], 1.0, -1.0)
        a, g = np.abs(beta[rows, p]), kb[rows, p]
        b = s * a
        if case.formulation == "nu_svc":
            margin = 1.0 / a.max()
            b, g, a, bound, slope = b * margin, g * margin, a * margin, 1.0, -g * margin
            objective += float(0.5 * b @ g)
        else:
            bound, slope = params["C"], s - g
            objective += float(0.5 * b @ g - a.sum())
        grows, falls = a < bound * (1 - AT_BOUND), a > bound * AT_BOUND
        up, low = np.where(s > 0, grows, falls), np.where(s > 0, falls, grows)
        groups = [s > 0, s < 0] if case.formulation == "nu_svc" else [np.ones(len(s), dtype=bool)]
        violation = max([violation, *(span(slope, up & group, low & group) for group in groups)])
    return objective, violation


def one(name: str, peer: str, threads: int, judged: bool) -> None:
    """A run in this process; prints what it found as JSON."""
    case = CASES[name]
    x, y, params = load(case)
    train = {"dcsvm": by_dcsvm, "libsvm": by_libsvm, "sklearnex": by_sklearnex}[peer]
    beta, labels, seconds = train(case, x, y, params, threads)
    found: dict[str, Any] = {"seconds": seconds, "support": int(beta.any(axis=1).sum())}
    if judged:
        found["objective"], found["violation"] = judge(case, x, y, params, beta, labels)
    print(json.dumps(found))


def run(name: str, peer: str, threads: int, judged: bool) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "bench.formulations", "--one", name, peer, "--threads", str(threads), *["--judge"] * judged]
    env = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name} {peer}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def compare(name: str, peers: list[str], repeats: int, threads: int) -> None:
    runs: dict[str, list[dict[str, Any]]] = {}
    for turn in range(repeats):
        for peer in peers:
            if peer == "sklearnex" and CASES[name].formulation == "one_class":
                continue  # it has none of its own
            if turn and runs.get(peer, [{"seconds": 0.0}])[0]["seconds"] > LONG:
                continue
            found = run(name, peer, threads, judged=turn == 0)
            if found is not None:
                runs.setdefault(peer, []).append(found)
    mine = statistics.median(r["seconds"] for r in runs["dcsvm"])
    for peer, found in runs.items():
        seconds = statistics.median(r["seconds"] for r in found)
        ratio = "" if peer == "dcsvm" else f"{seconds / mine:.1f}x"
        first = found[0]
        judged = f"{first['objective']:.7g} | {first['violation']:.1e} | {first['support']:,}"
        print(f"| {name} | {peer} | {seconds:.3g} ({len(found)}) | {ratio} | {judged} |", flush=True)


def main() -> int:
    p = argparse.ArgumentParser("bench.formulations", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)} (default all)")
    p.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    p.add_argument("--repeats", type=int, default=3, help="runs of each (default 3)")
    p.add_argument("--threads", type=int, default=2, help="of every peer (default 2)")
    p.add_argument("--one", nargs=2, metavar=("CASE", "PEER"), help=argparse.SUPPRESS)
    p.add_argument("--judge", action="store_true", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.one:
        one(*a.one, a.threads, a.judge)
        return 0
    unknown = [name for name in a.cases if name not in CASES]
    if unknown:
        p.error(f"CASE must be one of {', '.join(CASES)}; got {', '.join(unknown)}")
    print(
        "| case | peer | seconds | times dcsvm's | objective | KKT violation | support vectors |\n|---|---|---|---|---|---|---|"
    )
    for name in a.cases or CASES:
        compare(name, a.peers, a.repeats, a.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
