"""What budget= chooses costs no more than the budget. How it chooses: tests/cpp/dc_pred/test_model_selection.cpp."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import dcsvm


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
    for x_test, y_test, message in (
        (None, y[600:], "X_test must have 2 dimensions"),
        (csr_matrix(x[600:]), y[600:], "X_test must be dense"),
        (x[600:], 1.0, r"y_test must have shape \(\d+,\), one entry for each row of X_test"),
    ):
        with pytest.raises(ValueError, match=message):
            dcsvm.cost_curve(x[:600], y[:600], x_test, y_test)
