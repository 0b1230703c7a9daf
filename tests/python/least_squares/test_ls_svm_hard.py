"""LS-SVM where the system is singular to rounding, badly scaled or barely determined: what is reported stays true."""

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.datasets import load_digits, load_wine, make_circles, make_classification, make_moons

rng = np.random.default_rng(0)
DIGITS, DIGIT = (v[:600] for v in load_digits(return_X_y=True))


def system(x, y, gamma_ls, kernel, regression=False):
    """Theta and Z of Eq. (17), (19)."""
    n = len(x)
    theta = np.ones((n + 1, n + 1))
    theta[:n, :n] = kernel(x, x) + np.eye(n) / gamma_ls
    theta[n, n] = 0
    columns = y.reshape(n, -1) if regression else (y[:, None] == np.unique(y)).astype(float)
    return theta, np.vstack([columns, np.zeros((1, columns.shape[1]))])


def left(model, theta, z):
    """The relative residual, in double."""
    w = np.vstack([model.dual_coef_.T, model.intercept_[None]])
    return np.linalg.norm(z - theta @ w) / np.linalg.norm(z)


def rbf(gamma):
    return lambda a, b: np.exp(-gamma * ((a[:, None] - b[None]) ** 2).sum(-1))


def poly(gamma, degree, coef0):
    return lambda a, b: (gamma * a @ b.T + coef0) ** degree


def pairs():
    x = rng.standard_normal((60, 3))
    return np.vstack([x, x]), np.repeat([0, 1], 60), {"gamma": 0.5, "gamma_ls": 1e6, "n_iter": 100}


def circles():
    x, y = make_circles(280, noise=0.1, random_state=0)
    return x, y, {"gamma_ls": 100}


HARD = {
    "rows of zeros": lambda: (np.vstack([np.zeros((5, 4)), rng.standard_normal((115, 4))]), np.arange(120) % 3, {}),
    "digits, poly": lambda: (DIGITS, DIGIT, {"kernel": "poly"}),
    "equal rows, two labels": pairs,
    "one row": lambda: (np.ones((50, 2)), np.arange(50) % 2, {}),
    "circles": circles,
    "unscaled": lambda: (*load_wine(return_X_y=True), {"gamma_ls": 100}),
    "sigmoid": lambda: (30 * rng.standard_normal((50, 2)), np.arange(50) % 2, {"kernel": "sigmoid"}),
    "linear": lambda: (rng.standard_normal((50, 2)), np.arange(50) % 2, {"kernel": "linear", "gamma_ls": 100}),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["matching_pursuit", "kaczmarz_mp"])
@pytest.mark.parametrize("case", HARD)
def test_residuals_never_grow(case, method, seed):  # Eq. (54), (60)
    x, y, options = HARD[case]()
    residuals = np.array([1, *dcsvm.train_ls_svm(x, y, method=method, random_state=seed, **options).report.residuals])
    assert np.all(residuals[1:] <= residuals[:-1] * (1 + 1e-9))


def test_equal_rows_with_two_labels_are_undecided():
    x, y, options = pairs()
    decisions = dcsvm.train_ls_svm(x, y, **options).decision_function(x)
    np.testing.assert_allclose(decisions, 0.5, atol=1e-2)


@pytest.mark.parametrize("seed", range(4))
def test_kaczmarz_converged_means_all_rows(seed):
    x = rng.standard_normal((400, 3))
    y = np.zeros(400)
    y[:5] = rng.random(5) + 1
    options = {"gamma": 1.0, "gamma_ls": 1.0, "regression": True, "method": "kaczmarz", "random_state": seed}
    theta, z = system(x, y, 1.0, rbf(1.0), regression=True)
    model = dcsvm.train_ls_svm(x, y, block_size=50, n_iter=400, **options)
    assert model.report.stop_reason == "converged"
    assert model.report.residual < 1e-3
    assert left(model, theta, z) == pytest.approx(model.report.residual, rel=1e-2)
    assert max(model.report.residuals) < 10
    few = dcsvm.train_ls_svm(x, y, block_size=50, n_iter=3, **options)
    assert few.report.stop_reason == "max_iter"


def test_kaczmarz_does_not_overshoot():
    """What the ridge holds back must not lengthen the step where it holds back nothing."""
    x, y = make_classification(2000, 10, random_state=0)
    model = dcsvm.train_ls_svm(x[:1000], y[:1000], kernel="linear", method="kaczmarz")
    assert (model.predict(x[1000:]) == y[1000:]).mean() > 0.95
    assert max(model.report.residuals) < 1.5
    x, y = dcsvm.datasets.make_checkerboard(1200, random_state=0)
    new, labels = dcsvm.datasets.make_checkerboard(1000, random_state=1)
    model = dcsvm.train_ls_svm(x, y, gamma=4, gamma_ls=100, method="kaczmarz")
    assert (model.predict(new) == labels).mean() > 0.9


def test_kaczmarz_ends_with_a_look_at_all_rows():
    x = rng.standard_normal((100, 3))
    options = {"gamma": 1.0, "gamma_ls": 1.0, "block_size": 20, "random_state": 0}
    start = dcsvm.train_ls_svm(x, x[:, 0] > 0, method="exact", **options)
    model = dcsvm.train_ls_svm(x, x[:, 0] > 0, method="kaczmarz", n_iter=4, warm_start=start, **options)
    assert model.report.stop_reason == "converged"


@pytest.mark.parametrize("gamma_ls", [100, 1e4])
def test_committees_of_any_block_size(gamma_ls):
    """Columns are nearly dependent, and two inverses of rounded products meet."""
    x, y = load_digits(return_X_y=True)
    x = x / 16
    for block_size in range(180, 221, 10):
        model = dcsvm.train_ls_svm(x[:1200], y[:1200], gamma=0.05, gamma_ls=gamma_ls, method="nystrom", block_size=block_size)
        assert (model.predict(x[1200:]) == y[1200:]).mean() > 0.93


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_kaczmarz_on_a_handful_of_rows(n):
    x = rng.standard_normal((n, 2))
    model = dcsvm.train_ls_svm(x, np.arange(n) % 2, gamma=1.0, gamma_ls=10, method="kaczmarz", n_iter=5000)
    theta, z = system(x, np.arange(n) % 2, 10, rbf(1.0))
    assert model.report.stop_reason == "converged"
    assert left(model, theta, z) < 1.1e-3


@pytest.mark.parametrize(
    ("x", "y", "params", "kernel"),
    [
        (DIGITS, DIGIT, {"kernel": "linear"}, lambda a, b: a @ b.T),
        (*make_moons(300, noise=0.2, random_state=0), {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}, poly(1, 2, 1)),
        (rng.standard_normal((300, 5)), np.arange(300) % 3, {"kernel": "poly", "gamma": 0.3, "coef0": 1.0}, poly(0.3, 3, 1)),
        (np.repeat(rng.standard_normal((100, 3)), 2, axis=0), np.arange(200) % 2, {"gamma": 1.0, "gamma_ls": 1e7}, rbf(1.0)),
    ],
    ids=["digits", "moons", "cubic", "pairs"],
)
def test_exact_needs_no_float(x, y, params, kernel):
    """1 / gamma_ls is below the rounding of kernel values in float."""
    options = {"gamma_ls": 1e4, **params}
    model = dcsvm.train_ls_svm(x, y, method="exact", **options)
    theta, z = system(x, y, options["gamma_ls"], kernel)
    assert model.report.stop_reason == "converged"
    assert model.report.residual < 1e-5
    assert left(model, theta, z) < 1e-5
    w = np.linalg.solve(theta, z)
    np.testing.assert_allclose(model.decision_function(x), (theta @ w)[:-1] - w[:-1] / options["gamma_ls"], atol=1e-3)


def test_a_converged_start_keeps_its_residual():
    x = rng.standard_normal((10001, 3))  # conjugate gradients
    options = {"gamma": 1.0, "gamma_ls": 1.0, "method": "exact"}
    first = dcsvm.train_ls_svm(x, x[:, 0] > 0, **options)
    again = dcsvm.train_ls_svm(x, x[:, 0] > 0, warm_start=first, **options)
    assert 0 < first.report.residual < 1e-3
    assert again.report.residual == pytest.approx(first.report.residual, rel=1e-2)


def test_a_committee_knows_no_residual():
    x = rng.standard_normal((100, 3))
    seen = []
    model = dcsvm.train_ls_svm(x, x[:, 0] > 0, method="nystrom", callback=lambda p: seen.append(p.violation))
    assert model.report.residual == np.inf
    assert seen == [np.inf] * 6
    assert "not known" in str(model.report)
    estimator = dcsvm.LSSVC(method="nystrom", warm_start=True).fit(x, x[:, 0] > 0)
    assert estimator.fit(x, x[:, 0] > 0).score(x, x[:, 0] > 0) > 0.9


def test_the_averages_residual_is_reported():
    x = rng.standard_normal((100, 4))
    y = np.arange(100) % 3
    model = dcsvm.train_ls_svm(x, y, gamma=0.5, gamma_ls=10, n_average=4, n_iter=3)
    assert left(model, *system(x, y, 10, rbf(0.5))) == pytest.approx(model.report.residual, rel=1e-3)


def test_a_cancelled_model_does_not_join_the_average():
    x = rng.standard_normal((100, 4))
    options = {"gamma": 0.5, "gamma_ls": 10, "n_iter": 20}
    calls = []
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train_ls_svm(x, x[:, 0] > 0, n_average=3, callback=lambda p: calls.append(p) or len(calls) > 20, **options)
    one = dcsvm.train_ls_svm(x, x[:, 0] > 0, **options)
    np.testing.assert_array_equal(model.dual_coef_, one.dual_coef_)


@pytest.mark.parametrize("method", ["matching_pursuit", "kaczmarz", "exact"])
@pytest.mark.parametrize("scale", [2.0**-660, 2.0**660])
def test_targets_of_any_size(method, scale):
    x = rng.standard_normal((100, 2))
    y = np.sin(x[:, 0])
    options = {"regression": True, "gamma": 1.0, "gamma_ls": 10, "method": method, "random_state": 0}
    model, scaled = dcsvm.train_ls_svm(x, y, **options), dcsvm.train_ls_svm(x, y * scale, **options)
    np.testing.assert_array_equal(scaled.predict(x), model.predict(x) * scale)
    assert scaled.report.residual == model.report.residual


def test_targets_too_large_for_their_coefficients():
    x = rng.standard_normal((100, 2))
    with pytest.raises(ValueError, match=r"^y: the coefficients overflow"):
        dcsvm.train_ls_svm(x, 1e307 * np.sign(x[:, 0]), regression=True, gamma=1.0, gamma_ls=1e4, method="exact")
    start = dcsvm.train_ls_svm(x, x[:, 0], regression=True, gamma=1.0)
    with pytest.raises(ValueError, match=r"^warm_start: its coefficients are too large"):
        dcsvm.train_ls_svm(x, x[:, 0] * 1e-310, regression=True, gamma=1.0, warm_start=start)


def test_exact_is_complete_when_it_reports():
    x = rng.standard_normal((100, 2))
    model = dcsvm.train_ls_svm(x, x[:, 0] > 0, gamma_ls=10, method="exact", callback=lambda p: True)
    assert model.report.stop_reason == "converged"


def test_cosines_of_rows_of_any_size():
    x = rng.standard_normal((80, 3))
    model = dcsvm.train_ls_svm(x, x[:, 0] > 0, kernel="cosine_poly", degree=2, gamma=1.0, gamma_ls=10, method="exact")
    for scale in (1e-170, 1e160):
        np.testing.assert_allclose(model.decision_function(x * scale), model.decision_function(x), atol=1e-9)


def test_memory_of_a_factor_is_counted():
    x = rng.standard_normal((1500, 3))
    report = dcsvm.train_ls_svm(x, x[:, 0] > 0, gamma=1.0, gamma_ls=10, method="exact").report
    assert 8 * 1500**2 < report.peak_bytes < 16 * 1500**2
