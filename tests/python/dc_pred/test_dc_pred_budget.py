"""What budget= chooses costs no more than the budget. How it chooses: tests/cpp/dc_pred/test_model_selection.cpp."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import dcsvm
from dcsvm._model_file.fields import ModelFile


@pytest.mark.parametrize("pseudo", ["none", "triangle", "polynomial"])
@pytest.mark.parametrize("budget", [13, 17.5, 30])
def test_the_budget_holds(pseudo, budget):
    x, y = dcsvm.datasets.make_checkerboard(2000, random_state=2)
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=4, budget=budget, pseudo=pseudo, refine=5)
    assert fast.cost <= budget * (1 + 1e-9)
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (1500, 3))
    ridge = dcsvm.train_dc_pred_ridge(a, np.sin(3 * a[:, 0]), alpha=0.1, gamma=1, budget=f"{budget}x", pseudo=pseudo, refine=5)
    assert ridge.cost <= budget * (1 + 1e-9)


def test_a_compressed_model_keeps_to_its_budget_and_its_own_C():
    x, y = dcsvm.datasets.make_checkerboard(2000, random_state=2)
    exact = dcsvm.train(x, y, C=50, gamma=4)
    fast = dcsvm.compress(exact, x, budget=40, refine=5)
    assert fast.cost <= 40 * (1 + 1e-9)
    assert (fast.predict(x) == exact.predict(x)).mean() > 0.9
    poly = dcsvm.compress(dcsvm.train(x, y, kernel="poly", gamma=1.0, coef0=1.0), x, budget=40)
    assert poly.cost <= 40 * (1 + 1e-9)


def test_a_budget_takes_the_better_of_both_kinds_of_landmarks():
    """1,000 small clusters: 240 products nearly hold the exact model's support vectors, 40 do not."""
    rng = np.random.default_rng(0)
    centres, classes = rng.uniform(-1, 1, (1000, 5)), rng.integers(0, 2, 1000)
    cluster = rng.integers(0, 1000, 5000)
    x, y = centres[cluster] + rng.normal(0, 0.03, (5000, 5)), classes[cluster]
    options = {"C": 10, "gamma": 8, "refine": 2}
    for budget, chosen in ((40, "kmeans"), (240, "support")):
        models = {
            kind: dcsvm.train_dc_pred(x[:3000], y[:3000], budget=budget, landmarks=kind, **options)
            for kind in ("kmeans", "support", "auto")
        }
        right = {kind: (model.predict(x[3000:]) == y[3000:]).mean() for kind, model in models.items()}
        assert {kind: model.report.landmarks for kind, model in models.items()} == {
            "kmeans": "kmeans",
            "support": "support",
            "auto": chosen,
        }
        assert right["auto"] == max(right.values()), right
        np.testing.assert_array_equal(models["auto"].decision_function(x), models[chosen].decision_function(x))
        assert f"{models['auto'].report.n_landmarks} " in repr(models["auto"])
        assert ("support vectors" in repr(models["auto"])) == (chosen == "support")
        loaded = dcsvm.DCPredModel.from_bytes(models["auto"].to_bytes())
        assert loaded.report.landmarks == chosen
        for kind, model in models.items():
            counts = counted(model, x[:3000])
            assert counts <= budget * (1 + 1e-9), kind
            assert counts == pytest.approx(model.cost, rel=1e-3)  # rows at a split may turn the other way in float32
    exact = dcsvm.train(x[:3000], y[:3000], C=10, gamma=8)
    near, fitted = (dcsvm.compress(exact, x[:3000], budget=240, landmarks=kind, refine=2) for kind in ("auto", "kmeans"))
    assert near.report.landmarks == "support"
    truth = exact.predict(x[3000:])
    assert (near.predict(x[3000:]) == truth).mean() > (fitted.predict(x[3000:]) == truth).mean()


def counted(model, x):
    """The mean cost of rows, counted from the model's file: the levels that it walks, and 1 + 11 / d a landmark of its leaf."""
    file = ModelFile(model.to_bytes())
    head, tree = file["DPRD"], file["DPTR"]
    head.kernel(), head.number("I"), head.number("q"), head.array("f8")
    shift = head.array("f4")
    directions, thresholds, children = (tree.array(dtype) for dtype in ("f4", "f4", "i4"))
    directions = directions.reshape(-1, x.shape[1])
    cost = []
    for row in x.astype(np.float32) - shift:
        node, depth = 0, 0
        while node >= 0:
            right = directions[node] @ row > thresholds[node]
            node, depth = children[2 * node + int(right)], depth + 1
        cost.append(depth + len(model.landmarks(~node)) * (1 + 11 / x.shape[1]))
    return np.mean(cost)


def test_landmarks_of_more_classes_and_of_regressions_are_centres():
    x, _ = dcsvm.datasets.make_checkerboard(600, random_state=2)
    three = np.arange(600) % 3
    assert dcsvm.train_dc_pred(x, three, gamma=4, budget=30, refine=2).report.landmarks == "kmeans"
    assert dcsvm.train_dc_pred_ridge(x, x[:, 0], gamma=4, budget=30, refine=2).report.landmarks == "kmeans"
    ridge = dcsvm.train_ridge(x, np.sin(9 * x[:, 0] * x[:, 1]), alpha=1e-3, gamma=4)
    small = dcsvm.compress(ridge, x, budget=2000, refine=0)
    assert small.cost <= 2000 * (1 + 1e-9)
    assert small.report.landmarks in ("kmeans", "support")
    assert np.abs(small.predict(x) - ridge.predict(x)).mean() < 0.05


def test_sparse_rows_are_the_same_rows():
    x, y = dcsvm.datasets.make_checkerboard(600, random_state=2)
    dense, sparse = (dcsvm.train_dc_pred(a, y, C=10, gamma=4, budget=20, refine=3) for a in (x, csr_matrix(x)))
    assert (dense.decision_function(x) == sparse.decision_function(x)).all()


def test_cost_curve_at_its_defaults_on_two_features():
    x, y = dcsvm.datasets.make_checkerboard(900, random_state=0)
    curve = dcsvm.cost_curve(x[:600], y[:600], x[600:], y[600:], C=10, gamma=4, refine=5)
    assert curve.budgets.tolist() == [24, 48, 96, 192], "6 and 12 do not allow two landmarks of two features"
    assert (curve.costs <= curve.budgets).all()
    with pytest.raises(ValueError, match="must allow two landmarks"):
        dcsvm.cost_curve(x[:600], y[:600], x[600:], y[600:], budgets=[6])
    with pytest.raises(ValueError, match=r"^C "):
        dcsvm.cost_curve(x[:600], y[:600], x[600:], y[600:], C=-1)
    with pytest.raises(TypeError, match=r"^cost_curve\(\) has no parameter 'n_threads' \(did you mean 'n_jobs'\?\)"):
        dcsvm.cost_curve(x[:600], y[:600], x[600:], y[600:], n_threads=2)
    for x_test, y_test, message in (
        (None, y[600:], "X_test must have 2 dimensions"),
        (csr_matrix(x[600:]), y[600:], "X_test must be dense"),
        (x[600:], 1.0, r"y_test must have shape \(\d+,\), one entry for each row of X_test"),
    ):
        with pytest.raises(ValueError, match=message):
            dcsvm.cost_curve(x[:600], y[:600], x_test, y_test)
