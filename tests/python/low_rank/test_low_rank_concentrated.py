"""Certificates of low-rank SVMs whose weights, bounds and densities differ by many powers of ten (bench.concentrated)."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from test_low_rank_certificates import judge

import dcsvm

sys.path.insert(0, str(Path(__file__).parents[3]))
concentrated = pytest.importorskip("bench.concentrated", reason="bench/ is not beside tests/")


def training(seed):
    """Data as given and dense, targets, and the parameters of train_low_rank."""
    rng = np.random.default_rng([seed, 39])
    n = int(10 ** rng.uniform(2.4, 3.2))
    kind = concentrated.pick(rng, {name: chance for name, (_, chance) in concentrated.SHAPES.items()})
    shape = concentrated.SHAPES[kind][0](rng, n)
    tol = 10 ** rng.uniform(-3, -0.5)
    y, _ = concentrated.labels(rng, shape.z, 0.5)
    y[:4] = (0, 0, 1, 1)
    bound, _ = concentrated.bounds(rng, shape.some, kind == "cluster", tol)
    scale = 10 ** rng.uniform(-2, 2)
    x = (shape.z * scale).astype(rng.choice([np.float32, np.float64]))
    kernel = str(rng.choice(["rbf", "rbf", "rbf", "linear", "poly"]))
    gamma = 10 ** rng.uniform(-0.7, 0.8) / scale**2
    if kernel == "poly":
        gamma = 1.0 / float(np.median((x.astype(float) ** 2).sum(axis=1)))
    C = 10 ** rng.uniform(-1, 3)
    options = {
        "kernel": kernel,
        "gamma": gamma,
        "coef0": 1.0,
        "degree": 2,
        "C": C,
        "tol": tol,
        "features": "nystrom",
        "n_landmarks": int(rng.integers(60, 150)),  # judge: of fewer it also recomputes what alpha says
        "landmarks": str(rng.choice(["kmeans", "uniform"])),
        "loss": str(rng.choice(["hinge", "squared_hinge"])),
        "fit_intercept": bool(rng.random() < 0.7),
        "multi_class": str(rng.choice(["ovr", "ovo"])),
        "supervised": bool(rng.random() < 0.1),
        "sample_weight": bound / C,
        "max_iter": 3000,
        "random_state": seed,
    }
    return (sp.csr_matrix(x) if rng.random() < 0.2 else x), x, y, options


def faults(seed):
    """What is wrong with a training that says "converged"; None: it does not say so, or the data was refused."""
    given, x, y, options = training(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = dcsvm.train_low_rank(given, y, **options)
        except ValueError:
            return None
    report, tol = model.report, options["tol"]
    if report.stop_reason != "converged":
        return None
    violation, objective, unsure = judge(x, y, model, options)
    found = []
    if violation > tol + unsure:
        found.append(f"seed {seed}: violation {violation / tol:.6g} tol, reported {report.violation / tol:.6g} tol")
    elif abs(report.violation - violation) > max(0.01 * violation, 1e-3 * tol) + unsure:
        found.append(f"seed {seed}: report: {report.violation / tol:.6g} tol, found {violation / tol:.6g} tol")
    terms = abs(report.objective) + abs(report.primal_objective)
    if abs(report.objective - objective) > 1e-6 * terms + unsure * model.alpha.sum():
        found.append(f"seed {seed}: objective {objective:.10g}, reported {report.objective:.10g}")
    return found


def judged(seeds):
    verdicts = [faults(seed) for seed in seeds]
    return [f for v in verdicts if v for f in v], sum(v is not None for v in verdicts)


def test_concentrated_low_rank_svms_are_what_they_say():
    wrong, converged = judged(range(40))
    assert wrong == []
    assert converged >= 8


@pytest.mark.slow
def test_many_concentrated_low_rank_svms_are_what_they_say():
    wrong, converged = judged(range(40, 540))
    assert wrong == []
    assert converged >= 100


if __name__ == "__main__":
    print(judged(range(int(sys.argv[1]), int(sys.argv[2]))))
