"""Is "converged" true? A judge recomputes decisions, violations and objectives of low-rank SVMs in float64, on random trainings.

``python tests/python/low_rank/test_low_rank_certificates.py 0 1000`` judges the trainings of these seeds.
"""

import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import dcsvm


def kernel_matrix(a, b, kernel, gamma, coef0, degree):
    """K in float64 from differences and inner products of the rows, without a shift of any kind."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if kernel == "rbf":
        return np.exp(-gamma * cdist(a, b, "sqeuclidean"))
    inner = a @ b.T
    return inner if kernel == "linear" else (gamma * inner + coef0) ** degree


def random_training(seed):
    """Data, targets, and the parameters of train_low_rank."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(100, 1500)), int(rng.integers(1, 8))
    z = rng.normal(size=(n, d))
    smooth = np.sin(2 * z[:, 0]) + 0.5 * z[:, -1]
    y = np.digitize(smooth, np.quantile(smooth, [1 / 3, 2 / 3] if rng.random() < 0.3 else [0.5])).astype(float)
    flipped = rng.random(n) < rng.choice([0, 0.05, 0.2])
    y[flipped] = rng.permutation(y[flipped])
    x = z * 10 ** rng.uniform(-2, 2)
    if rng.random() < 0.3:
        x += 10 ** rng.uniform(0, 2) * x.std() * rng.normal(size=d)
    x = x.astype(rng.choice([np.float32, np.float64]))
    features = str(rng.choice(["nystrom", "nystrom", "nystrom", "rks", "fastfood"]))
    kernel = str(rng.choice(["rbf", "rbf", "rbf", "linear", "poly"])) if features == "nystrom" else "rbf"
    gamma = 10 ** rng.uniform(-1.5, 1) / (x.astype(float).var() * d)
    if kernel == "poly":
        gamma = 1.0 / (x.astype(float) ** 2).sum(axis=1).max()
    weight = rng.uniform(0.1, 2, n) * (rng.random(n) < 0.95)
    options = {
        "kernel": kernel,
        "gamma": gamma,
        "coef0": 1.0,
        "degree": 2,
        "C": 10 ** rng.uniform(-2, 4),
        "tol": 10 ** rng.uniform(-6 if features == "nystrom" else -2, -1),  # of random features the judge has float decisions
        "features": features,
        "n_landmarks": int(rng.integers(5, min(n, 200))),
        "landmarks": str(rng.choice(["kmeans", "uniform"])),
        "loss": str(rng.choice(["hinge", "squared_hinge"])),
        "fit_intercept": bool(rng.random() < 0.7),
        "multi_class": str(rng.choice(["ovr", "ovo"])),
        "supervised": bool(rng.random() < 0.15) and features == "nystrom",
        "sample_weight": weight if rng.random() < 0.3 else None,
        "random_state": seed,
    }
    return (sp.csr_matrix(x) if rng.random() < 0.2 else x), x, y, options


def concentrated_training(seed):
    """As random_training, with what uniform data has not: five rows far larger than the others, one that weighs up to 10^6 times
    as much, near-duplicates."""
    rng = np.random.default_rng(seed)
    n, weight = 500, np.ones(500)
    x = rng.normal(size=(n, 3))
    x[:5] *= 10 ** rng.uniform(1, 3)
    if seed % 4 == 1:
        weight[rng.integers(n)] = 10 ** rng.uniform(2, 6)
    elif seed % 4 == 3:
        x[100:] = x[:100].repeat(4, axis=0) + 1e-4 * rng.normal(size=(400, 3))
    x, y = rng.permutation(x), rng.integers(0, 2, n).astype(float)
    options = {
        "kernel": "poly",
        "gamma": 100 / (x**2).sum(axis=1).max(),
        "coef0": 1.0,
        "degree": 2,
        "C": 0.1,
        "tol": 10 ** rng.uniform(-4, -2),
        "features": "nystrom",
        "n_landmarks": 12,
        "landmarks": "uniform",
        "loss": "hinge",
        "fit_intercept": True,
        "multi_class": "ovr",
        "supervised": False,
        "sample_weight": weight,
        "max_iter": 3000,
    }
    return x, x, y, options


def signs(y, classes, multi_class):
    """Of each binary problem: +1, -1, or 0 for rows that take no part, in C++'s order (the first class is +1)."""
    if len(classes) == 2:
        return [np.where(y == classes[0], 1, -1)]
    if multi_class == "ovr":
        return [np.where(y == c, 1, -1) for c in classes]
    return [(y == a) * 1 - (y == b) * 1 for i, a in enumerate(classes) for b in classes[i + 1 :]]


def judge(x, y, model, options):
    """Violation and dual objective in float64 (of the model's own decisions, and of those that alpha makes), and their error."""
    weight, named = options["sample_weight"], [options[k] for k in ("kernel", "gamma", "coef0", "degree")]
    hi = options["C"] * (np.ones(len(y)) if weight is None else weight)
    turned = -1 if len(model.classes_) == 2 else 1
    coefs, biases, unsure = turned * model.coef_, turned * model.intercept_, 0.0
    nystrom, hinge = options["features"] == "nystrom", options["loss"] == "hinge"
    if nystrom:
        phi = kernel_matrix(x, model.landmarks_, *named)
        of_model = phi @ coefs.T + biases
        unsure = 8 * np.finfo(float).eps * (np.abs(phi) @ np.abs(coefs.T)).max()
    else:
        of_model = turned * model.decision_function(x).reshape(len(y), -1)
        unsure = 1e-3
    if options["kernel"] == "rbf":  # of exponents
        unsure *= max(1, options["gamma"] * (x.astype(np.float64) ** 2).sum(axis=1).max())
    worst, objective = 0.0, 0.0
    for own, alpha, sign in zip(of_model.T, model.alpha, signs(y, model.classes_, options["multi_class"]), strict=True):
        beta = alpha * sign
        decisions = [own]
        if nystrom and not options["supervised"] and len(model.landmarks_) < 60:
            inner = kernel_matrix(model.landmarks_, model.landmarks_, *named)
            from_alpha = phi @ np.linalg.solve(inner, phi.T @ beta) + (beta.sum() if options["fit_intercept"] else 0)
            lost = np.finfo(float).eps * np.linalg.cond(inner) * max(np.abs(from_alpha).max(), np.linalg.norm(beta))
            if lost < 0.01 * options["tol"]:
                decisions.append(from_alpha)
        part = (sign != 0) & (hi > 0)
        assert not alpha[~part].any()
        assert (alpha >= 0).all()
        assert not hinge or (alpha <= hi).all()
        extra = np.zeros(len(y)) if hinge else alpha / (2 * np.where(hi > 0, hi, 1))
        for decision in decisions:
            g = sign * decision - 1 + extra
            pg = np.where(alpha <= 0, np.minimum(g, 0), np.where(hinge & (alpha >= hi), np.maximum(g, 0), g))
            worst = max(worst, np.abs(pg[part]).max())
        objective += 0.5 * beta @ own + 0.5 * alpha @ extra - alpha.sum()
    return worst, objective, unsure


def primal_objective(x, y, model, options):
    """Of two classes and a Nystrom map: the model's decisions, and w from alpha, in float64."""
    named = [options[k] for k in ("kernel", "gamma", "coef0", "degree")]
    decision = -(kernel_matrix(x, model.landmarks_, *named) @ model.coef_[0] + model.intercept_[0])
    sign = np.where(y == model.classes_[0], 1, -1)
    lost = np.maximum(0, 1 - sign * decision) ** (1 if options["loss"] == "hinge" else 2)
    return 0.5 * (model.alpha[0] * sign) @ decision + options["C"] * options["sample_weight"] @ lost


def trained(training, seed):
    """The training, and its model or why the data was refused."""
    given, x, y, options = training(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return x, y, options, dcsvm.train_low_rank(given, y, **options)
        except ValueError as refused:
            return x, y, options, str(refused)


def verdict(seed, training=random_training):
    """Stop reason, true violation, tol; empty where the data was refused."""
    x, y, options, model = trained(training, seed)
    if isinstance(model, str):
        return model, 0.0, options["tol"]
    report = model.report
    violation, objective, unsure = judge(x, y, model, options)
    assert report.violation == pytest.approx(violation, rel=0.01, abs=unsure + 1e-3 * options["tol"]), seed
    terms = abs(report.objective) + abs(report.primal_objective)
    assert report.objective == pytest.approx(objective, abs=1e-6 * terms + unsure * model.alpha.sum()), seed
    return report.stop_reason, max(violation - unsure, 0), options["tol"]


def judged(seeds, training=random_training):
    wrong, converged = [], 0
    for seed in seeds:
        stop_reason, violation, tol = verdict(seed, training)
        converged += stop_reason == "converged"
        if stop_reason == "converged" and violation > tol:
            wrong.append((seed, violation / tol))
    return wrong, converged


def test_low_rank_svms_say_converged_only_when_they_are():
    wrong, converged = judged(range(20))
    assert wrong == []
    assert converged >= 8


def test_rows_that_a_sample_would_not_meet_are_judged_too():
    wrong, converged = judged(range(60), concentrated_training)
    assert wrong == []
    assert converged >= 20


def test_the_primal_objective_is_that_of_float64():
    for seed in range(20):
        x, y, options, model = trained(concentrated_training, seed)
        assert model.report.primal_objective == pytest.approx(primal_objective(x, y, model, options), rel=1e-6), seed


@pytest.mark.parametrize(("C", "loss"), [(1.0, "squared_hinge"), (10.0, "hinge")])
def test_trainings_in_blocks_say_converged_only_when_they_are(C, loss):
    x, y = dcsvm.datasets.make_checkerboard(6000, noise=0.05, random_state=1)
    options = {"kernel": "rbf", "gamma": 4.0, "coef0": 0.0, "degree": 3, "C": C, "features": "nystrom", "loss": loss}
    options |= {"fit_intercept": True, "multi_class": "ovr", "supervised": False, "sample_weight": None, "tol": 0.1}
    model = dcsvm.train_low_rank(x, y, n_landmarks=60, cache_size=1.0, n_passes=60, **options)
    assert model.report.stop_reason == "converged"
    assert model.report.n_blocks > 1
    violation, objective, unsure = judge(x, y, model, options)
    assert violation <= 0.1 + unsure
    assert model.report.violation == pytest.approx(violation, abs=unsure)
    assert model.report.objective == pytest.approx(objective, rel=1e-9)


@pytest.mark.slow
def test_low_rank_svms_say_converged_only_when_they_are_on_many_problems():
    wrong, converged = judged(range(20, 180))
    assert wrong == []
    assert converged >= 70
    assert judged(range(60, 360), concentrated_training)[0] == []


if __name__ == "__main__":
    print(judged(range(int(sys.argv[1]), int(sys.argv[2]))))
