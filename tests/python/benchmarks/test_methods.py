"""The reference methods of bench/methods, each on a case that can be solved by hand."""

import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm

sys.path.insert(0, str(Path(__file__).parents[3]))
methods = pytest.importorskip("bench.methods", reason="bench/ is not beside tests/")
from bench.methods import aesvm, amm, bcm, bsgd, cvm, eigenpro, falkon, ldkl, ltpu, psvm, shared, svmperf  # noqa: E402
from bench.peers import PEERS, Settings, get  # noqa: E402
from bench.problems import Problem  # noqa: E402

X2, Y2 = np.array([[0.0], [1.0]]), np.array([1.0, -1.0])
XOR, Y_XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0, -1.0, -1.0])
K2 = np.exp(-0.5)  # of the two rows, with gamma 0.5


def test_ltpu_on_two_rows():
    """w = (a, -a) by symmetry; a^2 + 2 C (1 - a (1 - k))^2 is least at a = 2 C (1 - k) / (1 + 2 C (1 - k)^2)."""
    decide = ltpu.train(X2, Y2, C=3.0, gamma=0.5, n_units=2)
    a = 6 * (1 - K2) / (1 + 6 * (1 - K2) ** 2)
    assert decide(X2) == pytest.approx([a * (1 - K2), -a * (1 - K2)], rel=1e-3)


def test_cvm_on_two_rows():
    """The ball around two points has its centre between them: a = (1/2, 1/2), no bias."""
    assert cvm.train(X2, Y2, C=1.0, gamma=0.5)(X2) == pytest.approx([(1 - K2) / 2, -(1 - K2) / 2])


def test_cvm_is_the_l2_svm():
    """The smallest ball is the L2-SVM's dual: K~ a is the same for all rows with a > 0, and nowhere smaller."""
    x, y = dcsvm.datasets.make_twonorm(300, random_state=0)
    gamma, C = 0.05, 2.0
    decide = cvm.train(x, y, C=C, gamma=gamma, epsilon=1e-6)
    Q = np.outer(y, y) * (shared.rbf(x, x, gamma) + 1) + np.eye(len(y)) / C
    a = shared.simplex_qp(Q, np.zeros(len(y)), np.full(len(y), 1 / len(y)), 1e-8, max_iter=100_000)
    assert decide(x) == pytest.approx((shared.rbf(x, x, gamma) + 1) @ (a * y), abs=1e-4)


def test_aesvm_weighs_what_it_leaves_out():
    """Copies of a row are one representative with their number as weight, so the model is that of all rows."""
    x, y = dcsvm.datasets.make_checkerboard(40, random_state=0)
    many, labels = np.repeat(x, 3, axis=0), np.repeat(y, 3)
    chosen, weights = aesvm.representatives(many, labels, 4.0, 1e-9, 200)
    assert sorted(map(tuple, many[chosen])) == sorted(map(tuple, x))
    assert weights == pytest.approx(np.full(40, 3.0))
    exact = dcsvm.train(many, labels, C=10, gamma=4)
    assert aesvm.train(many, labels, 10, 4.0, 1e-9, 200)(x) == pytest.approx(exact.decision_function(x), abs=2e-2)


def test_aesvm_spreads_weights():
    """The middle of three points is nearly the mean of the outer two, which share its weight."""
    x, y = np.array([[0.0], [0.2], [0.1]]), np.ones(3)
    chosen, weights = aesvm.representatives(x, y, 0.1, 1e-3, 64)
    assert weights.sum() == pytest.approx(3)
    assert len(chosen) < 3


def test_amm_by_hand():
    """With the constant feature the rows are (1, 1) and (-1, 1), whose product is 0. Step 1: the first enters with 1 / lambda.
    Step 2: it is halved, the other class's enters with 1 / (2 lambda). So f(x) = ((1 + x)+ - (1 - x)+) / (2 lambda)."""
    decide = amm.train(np.array([[1.0], [-1.0]]), Y2, C=1.0, penalty=0.5, epochs=1)
    assert decide(np.array([[1.0], [0.5], [-3.0]])) == pytest.approx([2.0, 1.0, -4.0])


def test_amm_needs_two_vectors_a_class_for_xor():
    decide = amm.train(np.tile(XOR - 0.5, (50, 1)), np.tile(Y_XOR, 50), C=1.0, penalty=1e-3, epochs=20)
    assert np.array_equal(np.sign(decide(XOR - 0.5)), Y_XOR)
    one = amm.train(np.tile(XOR - 0.5, (50, 1)), np.tile(Y_XOR, 50), C=1.0, penalty=1e-3, epochs=20, max_vectors=1)
    assert not np.array_equal(np.sign(one(XOR - 0.5)), Y_XOR)


def test_bcm_is_tresps_formula():
    """Two clusters, left and right of 0: the formula for one query after another, also for those between the clusters."""
    x, y = dcsvm.datasets.make_checkerboard(600, random_state=0)
    x[:, 0] += np.where(np.arange(len(x)) % 2, 0.5, -4.5)
    C, gamma = 10.0, 4.0
    model = dcsvm.train(x, y, C=C, gamma=gamma, early_level=1, n_levels=1, branching=2, random_state=0)
    points, coef = model.support_vectors_, model.dual_coef_[0]
    sides = [points[:, 0] < 0, points[:, 0] > 0]
    decide, naive = bcm.committee(model, C), model.with_prediction("naive")
    queries = np.random.default_rng(0).uniform((-1, 0), (1, 4), (30, 2))
    for row in queries:
        k = shared.rbf(row[None], points, gamma)[0]
        mean, precision = 0.0, -1.0
        for own in sides:
            noisy = shared.rbf(points[own], points[own], gamma) + np.eye(own.sum()) / C
            variance = 1 - k[own] @ np.linalg.inv(noisy) @ k[own]
            mean += k[own] @ coef[own] / variance
            precision += 1 / variance
        bias = k @ coef - naive.decision_function(row[None])[0]
        assert decide(row[None])[0] == pytest.approx(mean / precision - bias, rel=1e-6)


def test_ldkl_walks_one_path():
    """Root: 2 x tanh(x), child left of 0: x tanh(-x), right: 3 x tanh(x)."""
    w, v, theta = np.array([[2.0], [1.0], [3.0]]), np.array([[1.0], [-1.0], [1.0]]), np.array([[1.0]])
    x = np.array([[-0.5], [0.7]])
    t = np.tanh(x[:, 0])
    expected = [2 * -0.5 * t[0] + -0.5 * -t[0], 2 * 0.7 * t[1] + 3 * 0.7 * t[1]]
    assert ldkl.decisions(x, w, v, theta, 1.0) == pytest.approx(expected)


def test_ldkl_descends_along_the_slope_of_its_loss():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 3)), np.where(rng.random(20) < 0.5, 1.0, -1.0)
    parameters = [rng.normal(size=(k, 3)) for k in (7, 7, 3)]
    loss, slopes = ldkl.gradient(x, y, *parameters, 0.7, 1.3)
    for p, slope in zip(parameters, slopes, strict=True):
        direction = 1e-6 * rng.normal(size=p.shape)
        p += direction
        moved = ldkl.gradient(x, y, *parameters, 0.7, 1.3)[0]
        p -= direction
        assert moved - loss == pytest.approx((slope * direction).sum(), abs=1e-10)
    hard = ldkl.decisions(x, *parameters, 0.7)
    assert ldkl.gradient(x, y, *parameters, 0.7, 1e6)[0] == pytest.approx(np.maximum(0, 1 - y * hard).mean())


def test_ldkl_learns_xor():
    decide = ldkl.train(np.tile(XOR, (50, 1)), np.tile(Y_XOR, 50), depth=2, epochs=60)
    assert np.array_equal(np.sign(decide(XOR)), Y_XOR)


def test_bsgd_by_hand():
    """lambda = 1 / (C n) = 1/2. Step 1: row 0 enters with 1 / lambda = 2. Step 2: it is halved, row 1 enters with -1."""
    decide = bsgd.train(X2, Y2, C=1.0, gamma=0.5, seed=None)
    assert decide(X2) == pytest.approx([1 - K2, K2 - 1])


def test_bsgd_merges_equal_vectors_without_loss():
    points, coef = np.array([[1.0], [1.0], [5.0], [0.0]]), np.array([2.0, 3.0, -9.0, 0.0])
    assert bsgd.merge(points, coef, 3, 0.5) == 2
    assert sorted(zip(points[:2, 0], coef[:2], strict=True)) == [(1.0, 5.0), (5.0, -9.0)]


@pytest.mark.parametrize(("C", "alpha"), [(100.0, 1 / (1 - K2)), (0.5, 0.5)])
def test_psvm_on_two_rows(C, alpha):
    """Both alphas are min(C, 1 / (1 - k))."""
    assert psvm.train(X2, Y2, C, 0.5, rank=2, tol=1e-8)(X2) == pytest.approx([alpha * (1 - K2), -alpha * (1 - K2)], rel=1e-4)


def test_psvm_of_full_rank_is_the_svm():
    x, y = dcsvm.datasets.make_checkerboard(200, random_state=0)
    H, _ = psvm.factor(x, 4.0, 200, tol=1e-12)
    assert pytest.approx(shared.rbf(x, x, 4.0), abs=1e-5) == H @ H.T
    exact = dcsvm.train(x, y, C=10, gamma=4, tol=1e-6, precision="double")
    assert psvm.train(x, y, 10, 4.0, rank=200, tol=1e-7)(x) == pytest.approx(exact.decision_function(x), abs=1e-3)


def test_psvm_of_low_rank_decides_as_it_was_trained():
    x, y = dcsvm.datasets.make_checkerboard(300, random_state=0)
    H, pivots = psvm.factor(x, 4.0, 20)
    assert H.shape == (300, 20)
    assert pivots.shape == (20,)
    a, bias = psvm.interior_point(H * y[:, None], y, 10, 1e-6, 100)
    assert psvm.train(x, y, 10, 4.0, rank=20, tol=1e-6)(x) == pytest.approx(H @ (H.T @ (a * y)) + bias, abs=1e-6)


@pytest.mark.parametrize(("C", "w"), [(10.0, 1.0), (0.25, 0.5)])
def test_svmperf_on_two_rows(C, w):
    """Rows at 1 and -1: w = min(1, 2 C), no bias."""
    decide = svmperf.train(np.array([[1.0], [-1.0]]), Y2, C, epsilon=1e-6)
    assert decide(np.array([[1.0], [0.0]])) == pytest.approx([w, 0.0], abs=1e-4)


def test_falkon_on_two_rows():
    """(K + I / C) a = y: a = (1, -1) / (1 - k + 1 / C)."""
    f = (1 - K2) / (1 - K2 + 1 / 5)
    assert falkon.train(X2, Y2, C=5.0, gamma=0.5, n_centres=2)(X2) == pytest.approx([f, -f])


def test_falkon_with_all_centres_is_ridge_regression():
    """(K + I / C) a = y."""
    x, y = dcsvm.datasets.make_twonorm(80, random_state=0)
    k = shared.rbf(x, x, 0.05)
    exact = k @ np.linalg.solve(k + np.eye(80) / 5, y)
    assert falkon.train(x, y, C=5.0, gamma=0.05, n_centres=80)(x) == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize("epochs", [1, 4])
def test_eigenpro_on_two_rows(epochs):
    """y lies along the second direction, whose eigenvalue is 1 - k. The first is damped to it, so the step's length is
    1 / (1 - k + (1 - k) / 2), and every epoch leaves a third of the error."""
    f = 1 - 3.0**-epochs
    assert eigenpro.train(X2, Y2, gamma=0.5, epochs=epochs, n_directions=1)(X2) == pytest.approx([f, -f])


def test_eigenpro_interpolates():
    x, y = dcsvm.datasets.make_twonorm(60, random_state=0)
    decide = eigenpro.train(x, y, gamma=0.02, epochs=100, n_sample=60, n_directions=50, batch=60)
    assert decide(x) == pytest.approx(y, abs=1e-3)
    plain = eigenpro.train(x, y, gamma=0.02, epochs=100, n_sample=60, n_directions=0, batch=60)
    assert np.abs(plain(x) - y).max() > np.abs(decide(x) - y).max()


def test_squared_hinge_meets_its_gradient():
    rng = np.random.default_rng(0)
    features, y = rng.normal(size=(50, 4)), np.where(rng.random(50) < 0.5, 1.0, -1.0)
    w = shared.squared_hinge(features, y, 2.0, tol=1e-8)
    gradient = w - 4 * features.T @ (y * np.maximum(1 - y * (features @ w), 0))
    assert gradient == pytest.approx(np.zeros(4), abs=1e-5)


@pytest.mark.parametrize("name", sorted(methods.METHODS))
def test_every_method_is_a_peer(name):
    """Labels other than +1 and -1, and an accuracy that guessing does not reach."""
    x, y = dcsvm.datasets.make_twonorm(400, random_state=0)
    problem = Problem("two", x, np.where(y > 0, 3.0, 2.0), x, y, {"C": 1.0, "gamma": 0.05})
    found = get(name).fit(problem, Settings(options={"n_iter": 20} if name == "falkon" else {}))
    labels = found.predict(found.predict_form(x))
    assert np.mean(labels == problem.y_train) > 0.9
    assert PEERS[name].paper
    three = Problem("three", x, np.arange(400) % 3, x, y, {"C": 1.0, "gamma": 0.05})
    with pytest.raises(ValueError, match="trains two classes, and three has others"):
        get(name).fit(three, Settings())


@pytest.mark.parametrize("name", ["mlp", "rks_ridge"])
def test_yardsticks_fit_numbers(name):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    x = np.random.default_rng(0).uniform(size=(300, 3))
    y = x[:, 0] + x[:, 1] ** 2
    problem = Problem("numbers", x, y, x, y, {"C": 8.0, "gamma": 1.0}, regression=True)
    options = {"n_components": 50} if name == "rks_ridge" else {}
    found = get(name).fit(problem, Settings(options=options))
    assert np.mean((found.predict(found.predict_form(x)) - y) ** 2) < 0.5 * np.var(y)
