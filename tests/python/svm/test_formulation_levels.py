"""Divide and conquer for epsilon-SVR and one-class: to the exact solution, and early models."""

import numpy as np
import pytest

import dcsvm
from certificate import rbf

CASES = {
    "svr": {"formulation": "epsilon_svr", "C": 5, "epsilon": 0.1},
    "svr without bias": {"formulation": "epsilon_svr", "C": 5, "epsilon": 0.1, "fit_intercept": False},
    "one class": {"formulation": "one_class", "nu": 0.1},
}


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, (3000, 3))
    return x, np.sin(2 * x[:, 0]) * x[:, 1] + np.cos(x[:, 2]) + 0.1 * rng.standard_normal(len(x))


def check_feasible(model, n, what, weight=1.0):
    """For the whole problem: LIBSVM's box and constraint."""
    alpha, weight = model.alpha, np.broadcast_to(weight, n)
    if what["formulation"] == "one_class":
        assert alpha.min() >= 0
        assert (alpha <= weight * (1 + 1e-12)).all()
        assert alpha.sum() == pytest.approx(what["nu"] * weight.sum())
    else:
        assert (np.abs(alpha) <= what["C"] * weight * (1 + 1e-12)).all()
        if what.get("fit_intercept", True):
            assert abs(alpha.sum()) < 1e-9 * n


def objective(model, x, y, what):
    """The dual objective of the whole problem at the model's coefficients, for gamma 1."""
    a = model.alpha
    loss = 0 if what["formulation"] == "one_class" else what["epsilon"] * np.abs(a).sum() - y @ a
    return 0.5 * a @ rbf(x, x, 1) @ a + loss


@pytest.mark.parametrize("gamma", [1, 50])
@pytest.mark.parametrize("case", CASES)
def test_levels_lead_to_the_exact_solution(waves, case, gamma):
    x, y = waves
    how = {**CASES[case], "gamma": gamma, "tol": 1e-5, "precision": "double"}
    plain = dcsvm.train(x, y, solver="smo", **how)
    levels = dcsvm.train(x, y, solver="dc", n_levels=2, sample_size=300, **how)
    assert [level["level"] for level in levels.report.levels] == [2, 1, 0]
    assert levels.report.violation < 1e-5
    assert levels.report.objective == pytest.approx(plain.report.objective, rel=1e-6)
    np.testing.assert_allclose(levels.decision_function(x[:200]), plain.decision_function(x[:200]), atol=2e-3)
    check_feasible(levels, len(x), CASES[case])


@pytest.mark.parametrize("case", CASES)
def test_early_models(waves, case):
    x, y = waves
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.5, 1.5, len(x)) * (rng.random(len(x)) < 0.95)
    how = {**CASES[case], "gamma": 1, "sample_weight": weight}
    exact = dcsvm.train(x, y, **how)
    early = dcsvm.train(x, y, early_level=1, sample_size=300, **how)
    assert early.clustered
    assert early.report.levels[-1]["violation"] < 1e-3
    check_feasible(early, len(x), CASES[case], weight)
    again = dcsvm.Model.from_bytes(early.to_bytes())
    np.testing.assert_array_equal(again.predict(x), early.predict(x))
    naive = early.with_prediction("naive")
    if CASES[case]["formulation"] == "one_class":
        assert np.mean(early.predict(x) == exact.predict(x)) > 0.8
        assert set(naive.predict(x)) == {-1, 1}
    else:
        assert np.mean((early.predict(x) - y) ** 2) < 1.5 * np.mean((exact.predict(x) - y) ** 2)
        assert np.corrcoef(naive.predict(x), y)[0, 1] > 0.9
    # Far apart clusters: the kernel is 0 between them, so what each solves is the whole (Lemma 1).
    apart = np.repeat(np.arange(4.0) * 100, 100)[:, None] * np.ones(3)
    points, heights = apart + x[:400], y[:400]
    how = {**CASES[case], "gamma": 1, "tol": 1e-6, "precision": "double"}
    parts = dcsvm.train(points, heights, early_level=1, balance_clusters=False, clustering="kmeans", **how)
    assert parts.report.levels[-1]["sizes"] == [100] * 4
    assert parts.report.objective == pytest.approx(objective(parts, points, heights, CASES[case]), rel=1e-9)
    sums = parts.alpha.reshape(4, 100).sum(axis=1)
    if CASES[case]["formulation"] == "one_class":
        np.testing.assert_allclose(sums, 10, rtol=1e-9)  # nu n of each cluster
    elif CASES[case].get("fit_intercept", True):
        np.testing.assert_allclose(sums, 0, atol=1e-9)


@pytest.mark.parametrize("case", ["svr", "one class"])
def test_early_on_a_precomputed_kernel(waves, case):
    x, y = waves[0][:600], waves[1][:600]
    k = rbf(x, x, 1)
    given = dcsvm.train(k, y, kernel="precomputed", early_level=1, sample_size=200, **CASES[case])
    check_feasible(given, 600, CASES[case])
    assert given.report.levels[-1]["clusters"] == 4
    assert given.predict(k).shape == (600,)


@pytest.mark.parametrize("early_level", [None, 1])
@pytest.mark.parametrize("case", CASES)
def test_cancelled_in_the_levels_stays_feasible(waves, case, early_level):
    x, y = waves
    calls = []

    def stop(progress):
        calls.append(progress.phase)
        return len(calls) == 2

    how = {**CASES[case], "gamma": 1, "n_levels": 2, "sample_size": 300, "early_level": early_level}
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train(x, y, solver="dc", callback=stop, **how)
    check_feasible(model, len(x), CASES[case])
    if early_level is None:
        assert model.report.objective == pytest.approx(objective(model, x, y, CASES[case]), rel=1e-5)


@pytest.mark.parametrize("clustering", ["kmeans", "kernel_kmeans"])
def test_cancelled_while_rows_are_clustered(waves, clustering):
    x, y = waves[0], waves[1] > 0
    seen = []

    def stop(progress):
        seen.append(progress.phase)
        return progress.phase == "clustering"

    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train(x, y, C=10, gamma=1, early_level=2, clustering=clustering, sample_size=300, callback=stop)
    assert seen[-1] == "clustering"
    assert model.report.levels[-1]["clusters"] == 1  # instead of 16: nothing more was clustered
    assert model.report.n_support == 0
    heavier = model.classes_[np.argmax(np.bincount(y))]
    assert np.all(model.predict(x) == heavier)


def test_what_cannot_be_divided_says_why(waves):
    x, y = waves[0][:100], waves[1][:100]
    for name, own in (("nu_svr", "tube"), ("nu_svc", "margin")):
        for how in ({"solver": "dc"}, {"early_level": 1}):
            with pytest.raises(ValueError, match=rf'"{name}" cannot be divided: each cluster would have its own {own}'):
                dcsvm.train(x, y > 0, formulation=name, **how)
    assert dcsvm.train(x, y, formulation="nu_svr").report.solver == "smo"
