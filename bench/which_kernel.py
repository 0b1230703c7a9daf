"""Which kernel is the most accurate? `dcsvm.tune` with every kernel on eight data sets, judged by rows that it has not seen.

    python -m bench.which_kernel            # measures what bench/results/kernels.jsonl lacks
    python -m bench.which_kernel --page     # writes the table of docs/guide/kernels.md
    python -m bench.which_kernel --problems usps --kernels rbf laplacian --splits 1 --out mine.jsonl

For each split the rows of a data set are drawn anew: 1,000 or 3,000 to train on, but at most two thirds of all, and at most
10,000 of the others to judge by. All kernels see the same rows, scaled to [0, 1] by the training rows, as chi2 needs values that
are not negative. C and gamma are searched by five folds; poly has its degree 3 and coef0 = 1. A run holds the error in % on the
rows that judge, the parameters that the search chose, and of the training with these the support vectors and the kernel values
computed. Seconds are not among them: they would depend on what else the machine did.

Two data sets are not among those of bench/problems.py. `breast_cancer` is a part of scikit-learn. `bace` needs RDKit and
MoleculeNet's file bace.csv (columns "smiles" and "Class") in DCSVM_DATA: for 1,513 molecules whether they inhibit the enzyme
BACE-1. A molecule's features are the 1,024 bits of its Morgan fingerprint (radius 2).
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import dcsvm
from dcsvm._bench.quality import Array

from .problems import data_dir, load
from .report import rewrite
from .runner import ROOT
from .store import RunFile

PROBLEMS = {  # and their features
    "svmguide1": 4,
    "pendigits": 16,
    "usps": 256,
    "ijcnn1": 22,
    "a9a": 123,
    "bace": 1024,
    "breast_cancer": 30,
    "heart": 13,
}
KERNELS: dict[str, dict[str, float]] = {
    **{name: {} for name in ("rbf", "exponential", "matern32", "matern52", "laplacian", "chi2", "tanimoto", "linear")},
    "poly": {"degree": 3, "coef0": 1.0},
}
TRAIN, JUDGE = {"svmguide1": 3000, "pendigits": 3000, "usps": 3000, "bace": 3000}, 10_000  # rows at most; others train on 1,000

RESULTS, PAGE = ROOT / "bench/results/kernels.jsonl", ROOT / "docs/guide/kernels.md"
BEGIN = "<!-- python -m bench.which_kernel --page: begin. The table is made from bench/results/kernels.jsonl. -->"
END = "<!-- python -m bench.which_kernel --page: end -->"

Rows = tuple[Array, Array, Array, Array]  # X and y to train on, X and y to judge by


def molecules() -> tuple[Array, Array]:
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    with (data_dir() / "bace.csv").open() as file:
        rows = list(csv.DictReader(file))
    bits = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=1024)
    x = np.array([bits.GetFingerprintAsNumPy(Chem.MolFromSmiles(row["smiles"])) for row in rows])
    return x, np.array([float(row["Class"]) for row in rows])


def pooled(name: str) -> tuple[Array, Array]:
    """All rows of a data set. Those that have no test part of their own hold the training rows twice: one copy is taken."""
    if name == "bace":
        return molecules()
    if name == "breast_cancer":
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(return_X_y=True)
    p = load(name)
    if p.X_test is None or p.tested_on == "train":
        return p.X_train, np.asarray(p.y_train)
    return np.concatenate([p.X_train, p.X_test]), np.concatenate([p.y_train, p.y_test])


def split(name: str, seed: int) -> Rows:
    x, y = pooled(name)
    rows = np.random.default_rng(seed).permutation(len(y))
    n = min(TRAIN.get(name, 1000), 2 * len(y) // 3)
    train, judge = rows[:n], rows[n : n + JUDGE]
    low, high = x[train].min(axis=0), x[train].max(axis=0)
    x = np.clip((x - low) / np.where(high > low, high - low, 1), 0, 1).astype(np.float32)
    return x[train], y[train], x[judge], y[judge]


def judged(model: dcsvm.Model, fresh: Array, truth: Array) -> dict[str, float]:
    return {
        "error": round(100 * float((model.predict(fresh) != truth).mean()), 3),
        "judged_by": len(truth),
        "n_support": int(model.report.n_support),
        "n_kernel_values": int(model.report.n_kernel_values),
    }


def measure(rows: Rows, kernel: str, seed: int, threads: int) -> dict[str, Any]:
    x, y, fresh, truth = rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cells at the edge of a range do not converge
        found = dcsvm.tune(x, y, kernel=kernel, cv=5, random_state=seed, n_jobs=threads, **KERNELS[kernel])
    best = {k: float(v) for k, v in found.best_params.items()}
    return {"rows": len(y), "best_params": best, **judged(found.model, fresh, truth)}


def table(runs: Iterable[dict[str, Any]]) -> str:
    """A row for each data set, a column for each kernel: the mean error over the splits, the smallest in bold. +-: the standard
    error of rbf's error on the rows that judge one split; those of the splits overlap. The last row has the geometric means of
    the trainings' kernel values over those of rbf."""
    of: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in sorted(runs, key=lambda run: run["seed"]):
        of.setdefault((run["problem"], run["kernel"]), []).append(run)
    lines = ["| data | training rows x features | +- | " + " | ".join(KERNELS) + " |", "|---" * (len(KERNELS) + 3) + "|"]
    names = [name for name in PROBLEMS if (name, "rbf") in of]
    for name in names:
        means = {k: np.mean([run["error"] for run in of[name, k]]) for k in KERNELS}
        share, first = means["rbf"] / 100, of[name, "rbf"][0]
        doubt = 100 * np.sqrt(share * (1 - share) / first["judged_by"])
        shown = [f"{mean:.2f}" for mean in means.values()]
        cells = (f"**{cell}**" if cell == min(shown, key=float) else cell for cell in shown)
        lines.append(f"| {name} | {first['rows']:,} x {PROBLEMS[name]:,} | {doubt:.2f} | " + " | ".join(cells) + " |")
    costs = []
    for kernel in KERNELS:
        pairs = ((mine, rbf) for name in names for mine, rbf in zip(of[name, kernel], of[name, "rbf"], strict=True))
        logs = [np.log(mine["n_kernel_values"] / rbf["n_kernel_values"]) for mine, rbf in pairs]
        costs.append(f"{np.exp(np.mean(logs)):.2g}" if kernel != "linear" else "")
    lines.append("| kernel values, rbf = 1 | | | " + " | ".join(costs) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.which_kernel", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--problems", nargs="+", default=[*PROBLEMS], choices=[*PROBLEMS])
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=list(KERNELS))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--threads", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines; runs that it has are not measured again")
    parser.add_argument("--page", action="store_true", help=f"measure nothing: write the table of --out into {PAGE.name}")
    a = parser.parse_args()
    file = RunFile(a.out)
    if a.page:
        rewrite(PAGE, table(file.runs), (BEGIN, END))
        return
    done = {(r["problem"], r["kernel"], r["seed"]) for r in file.runs}
    missing = [(p, s, k) for p in a.problems for s in range(a.splits) for k in a.kernels if (p, k, s) not in done]
    for name, seed, kernel in missing:
        run = {"problem": name, "kernel": kernel, "seed": seed}
        file.add({**run, **measure(split(name, seed), kernel, seed, a.threads)}, a.threads)
        print(json.dumps(file.runs[-1]), flush=True)


if __name__ == "__main__":
    main()
