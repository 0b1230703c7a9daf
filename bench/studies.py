"""Measurements of the figures of papers that compare no peers: functions that give rows of a table, of options and of what loads
the problem, because a log needs no data."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dcsvm

from . import clustering_gap as theorem_1
from . import problems
from .problems import Problem

Rows = list[dict[str, Any]]
Load = Callable[[], Problem]
LS_LOG = Path(__file__).parent / "results" / "ls-svm.jsonl"
CLUSTERS = 5  # levels of Figure 2: 4^5 = 1,024 clusters and up


def clustering_gap(load: Load, options: dict[str, Any], threads: int) -> Rows:
    """Figure 1 of DC-SVM for some C: f(a) - f(a*), and the bound C^2 D / 2."""

    def over(value: float, difference: float) -> float | str:
        return float(value / difference) if difference else ""

    p = load()
    clusters = [int(k) for k in options["n_clusters"].split()]
    rows = []
    for C in map(float, options["costs"].split()):
        good, bad = (
            theorem_1.clustering_gap(p.X_train, p.y_train, clusters, how, C, gamma=p.gamma, tol=1e-5, n_jobs=threads)
            for how in ("kernel_kmeans", "random")
        )
        rows += [
            {
                "C": C,
                "clusters": int(k),
                "difference": float(good.difference[i]),
                "bound": float(good.bound[i]),
                "bound over difference": over(good.bound[i], good.difference[i]),
                "difference, random clusters": float(bad.difference[i]),
                "random over kernel k-means": over(bad.difference[i], good.difference[i]),
            }
            for i, k in enumerate(good.clusters)
        ]
    return rows


def support_found(load: Load, options: dict[str, Any], threads: int) -> Rows:
    """Figure 2 of DC-SVM: precision and recall of each level's support vectors, with kernel k-means and random clusters (as the
    cascade divides)."""
    p = load()
    shares: dict[int, dict[str, Any]] = {}
    for how, title in (("kernel_kmeans", "kernel k-means"), ("random", "random")):
        params = {**p.params, "n_jobs": threads, "solver": "dc", "n_levels": CLUSTERS, "clustering": how, "keep_levels": True}
        model = dcsvm.train(p.X_train, p.y_train, **params)
        for level in model.levels_:
            if level.cluster_of is None:
                continue
            precision, recall = level.found(model.support_)
            row = shares.setdefault(level.n_clusters, {"clusters": level.n_clusters})
            row |= {f"precision, {title}": f"{100 * precision:.1f} %", f"recall, {title}": f"{100 * recall:.1f} %"}
    return list(shares.values())


def pseudo_landmarks(load: Load, options: dict[str, Any], threads: int) -> Rows:
    """Figure 1 of DC-Pred++: ||G - G_bar|| / ||G|| by NumPy; landmarks by k-means, Eq. (5) on all of G."""
    from sklearn.cluster import KMeans

    p = load()
    x = np.asarray(p.X_train, dtype=np.float64)
    rng = np.random.default_rng(0)
    squared = lambda a, b: np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0)  # noqa: E731
    g = np.exp(-p.gamma * squared(x, x))

    def error(c: np.ndarray) -> str:
        u, s, _ = np.linalg.svd(c, full_matrices=False)
        u = u[:, s > 1e-6 * s[0]]
        return f"{np.linalg.norm(g - u @ (u.T @ g @ u) @ u.T) / np.linalg.norm(g):.4f}"

    rows = []
    for m in (2, 3, 5, 8, 12, 20, 30):
        centres = KMeans(m, n_init=1, random_state=0).fit(x).cluster_centers_
        c = np.exp(-p.gamma * squared(x, centres))
        v = x[rng.choice(len(x), 4 * m, replace=False)]
        r, b = np.sqrt(squared(x, centres)), np.sqrt(squared(v, centres))
        lower = np.max([np.abs(r[:, [j]] - b[:, j]) for j in range(m)], axis=0)
        upper = np.min([r[:, [j]] + b[:, j] for j in range(m)], axis=0)
        i, j = np.triu_indices(m)
        pairs = rng.permutation(len(i))[: 4 * m]
        bounds = {f"triangle, {t}": np.exp(-p.gamma * d**2) for t, d in (("lower", lower), ("upper", upper))}
        added = {**bounds, "products": c[:, i[pairs]] * c[:, j[pairs]]}
        rows.append(
            {"landmarks": m, "Nyström": error(c)} | {f"with {t}": error(np.hstack([c, more])) for t, more in added.items()}
        )
    return rows


def ls_svm_curves(load: Load, options: dict[str, Any], threads: int) -> Rows:
    """Figures 2 and 3 of LS-SVM, from a committed log (python -m bench.randomised ls, in the history up to commit 25815bd)."""
    series: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in LS_LOG.read_text().splitlines():
        row = json.loads(line)
        series.setdefault((row["method"], row["features"], row["J"]), []).append(row)
    rows = []
    for (method, features, J), points in series.items():
        last = max(points, key=lambda x: x["t"])
        rows.append(
            {
                "method": method,
                "features": features,
                "J": f"{J:,}",
                "steps": last["t"],
                "error %": f"{last['error']:.2f}",
                "best on the way": f"{min(x['error'] for x in points):.2f}",
                "s a step": f"{last['step_seconds']:.2f}" if "step_seconds" in last else "",
            }
        )
    return rows


STUDIES: dict[str, Callable[[Load, dict[str, Any], int], Rows]] = {
    f.__name__: f for f in (clustering_gap, support_found, pseudo_landmarks, ls_svm_curves)
}


def run(case: dict[str, Any]) -> dict[str, Any]:
    """What a case of kind "study" finds: seconds, those of reading the data included, and "table"."""
    from . import phases

    options = dict(case["options"])
    study = STUDIES[options.pop("study")]
    phases.enter("study")
    start, cpu = time.perf_counter(), time.process_time()
    rows = study(lambda: problems.load(case["problem"]), options, case.get("threads", 2))
    return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu, "table": rows}
