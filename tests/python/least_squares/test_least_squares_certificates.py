"""Is "converged" true? A judge recomputes the residuals of ridge regression and of LS-SVMs in float64, on random trainings."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm


def kernel_matrix(x, kernel, gamma, coef0, degree):
    """K in float64 from differences and inner products of the rows, without a shift of any kind."""
    x = np.asarray(x, dtype=np.float64)
    if kernel == "rbf":
        squares = np.zeros((len(x), len(x)))
        for feature in x.T:
            squares += (feature[:, None] - feature[None]) ** 2
        return np.exp(-gamma * squares)
    inner = x @ x.T
    return inner if kernel == "linear" else (gamma * inner + coef0) ** degree


def random_data(rng, n):
    """Rows of random scale and offset, in random precision and layout; the same as float64."""
    d = int(rng.integers(1, 6))
    x = rng.normal(size=(n, d)) * 10 ** rng.uniform(-2, 2)
    if rng.random() < 0.4:
        x += 10 ** rng.uniform(0, 3) * rng.normal(size=d)
    x = x.astype(rng.choice([np.float32, np.float64]))
    return (sp.csr_matrix(x) if rng.random() < 0.3 else x), x.astype(np.float64)


def random_kernel(rng, x):
    kernel = str(rng.choice(["rbf", "rbf", "rbf", "linear", "poly"]))
    gamma = 10 ** rng.uniform(-2, 1) / max(x.var() * x.shape[1], 1e-300)
    if kernel == "poly":
        gamma = 1.0 / (x**2).sum(axis=1).max()
    return {"kernel": kernel, "gamma": gamma, "coef0": 1.0, "degree": 2}


def ridge_case(seed):
    """One random training: what it said, and the relative residual that the judge finds."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 500))
    x, dense = random_data(rng, n)
    options = random_kernel(rng, dense)
    y = (np.sin(dense[:, 0]) + 0.1 * rng.normal(size=n)) * 10 ** rng.uniform(-3, 3)
    alpha, tol = 10 ** rng.uniform(-8, 2), 10 ** rng.uniform(-10, -2)
    weight = rng.uniform(0.1, 2, n) if rng.random() < 0.3 else np.ones(n)
    solver = str(rng.choice(["cholesky", "cg"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        try:
            model = dcsvm.train_ridge(x, y, alpha=alpha, tol=tol, solver=solver, sample_weight=weight, **options)
        except ValueError as refused:
            return str(refused), 0.0, 0.0
    k = kernel_matrix(dense, **options)
    residual = y - k @ model.alpha - alpha / weight * model.alpha
    # What rounding in float64 leaves open, in the judge's sums as in ours.
    unsure = 4 * np.finfo(float).eps * np.linalg.norm(np.abs(k) @ np.abs(model.alpha))
    if options["kernel"] == "rbf":  # of exponents
        reach = options["gamma"] * max((dense**2).sum(axis=1).max(), 1)
        unsure *= max(reach, 1)
    assert model.report.violation == pytest.approx(np.abs(residual).max(), rel=0.01, abs=unsure)
    return model.report.stop_reason, max(np.linalg.norm(residual) - unsure, 0) / np.linalg.norm(y), tol


def ls_svm_case(seed):
    """The same of an LS-SVM: its system is [K + I / gamma_ls, 1; 1', 0] [a; b] = [Z; 0]."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 400))
    x, dense = random_data(rng, n)
    options = random_kernel(rng, dense)
    regression = bool(rng.random() < 0.5)
    y = np.sin(dense[:, 0]) * 10 ** rng.uniform(-3, 3) if regression else rng.integers(0, 3, n).astype(float)
    gamma_ls, tol = 10 ** rng.uniform(-2, 7), 10 ** rng.uniform(-8, -1)
    method = str(rng.choice(["matching_pursuit", "kaczmarz", "kaczmarz_mp", "exact"]))
    n_average = int(rng.integers(1, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        try:
            model = dcsvm.train_ls_svm(
                x, y, gamma_ls=gamma_ls, tol=tol, method=method, regression=regression, n_iter=200, n_average=n_average, **options
            )
        except ValueError as refused:
            return str(refused), 0.0, tol
    k = kernel_matrix(dense, **options)
    z = y[:, None] if regression else (y[:, None] == np.unique(y)).astype(float)
    a, b = model.dual_coef_.T, model.intercept_
    residual = np.vstack([z - k @ a - a / gamma_ls - b, -a.sum(axis=0)])
    unsure = 4 * np.finfo(float).eps * np.linalg.norm(np.abs(k) @ np.abs(a))
    if options["kernel"] == "rbf":
        unsure *= max(options["gamma"] * (dense**2).sum(axis=1).max(), 1)
    spread = np.linalg.norm(z - z.mean(axis=0))  # the bias alone explains the mean
    scale = min(np.linalg.norm(z), 10 * spread) if spread > 0 else np.linalg.norm(z)
    relative = max(np.linalg.norm(residual) - unsure, 0) / scale
    assert model.report.residual == pytest.approx(relative, rel=0.01, abs=2 * unsure / scale + 1e-3 * tol), method
    return model.report.stop_reason, relative, tol


def judged(case, count):
    """The cases that said "converged" with a residual above tol; how many said so at all."""
    wrong, converged = [], 0
    for seed in range(count):
        stop_reason, residual, tol = case(seed)
        converged += stop_reason == "converged"
        if stop_reason == "converged" and residual > tol:
            wrong.append((seed, residual / tol))
    return wrong, converged


def test_ridge_regression_says_converged_only_when_it_is():
    wrong, converged = judged(ridge_case, 80)
    assert wrong == []
    assert converged >= 60


@pytest.mark.slow
def test_ridge_regression_says_converged_only_when_it_is_on_many_problems():
    wrong, converged = judged(ridge_case, 300)
    assert wrong == []
    assert converged >= 225


def test_ls_svms_say_converged_only_when_they_are():
    wrong, converged = judged(ls_svm_case, 30)
    assert wrong == []
    assert converged >= 10


@pytest.mark.slow
def test_ls_svms_say_converged_only_when_they_are_on_many_problems():
    wrong, converged = judged(ls_svm_case, 60)
    assert wrong == []
    assert converged >= 18


@pytest.mark.parametrize("method", ["matching_pursuit", "kaczmarz_mp"])
def test_rounding_that_keeps_a_residual_above_tol_is_said(method):
    x = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(dcsvm.ConvergenceWarning, match=r"stagnated.*tol.*exact"):
        model = dcsvm.train_ls_svm(x, x[:, 0] > 0, method=method, tol=1e-17, n_iter=3000, gamma_ls=0.1, gamma=1.0)
    assert model.report.stop_reason == "stagnated"
    assert model.report.residual < 1e-15  # refined as far as double goes, with kernel values in float


def test_estimators_of_ls_svms_warn_at_their_step_limit():
    pytest.importorskip("sklearn", reason="the estimators need scikit-learn")
    from sklearn.exceptions import ConvergenceWarning

    x = np.random.default_rng(0).normal(size=(200, 2))
    for estimator in (dcsvm.LSSVC, dcsvm.LSSVR):
        with pytest.warns(ConvergenceWarning, match=r"max_iter.* above tol = 1e-05: raise n_iter"):
            estimator(n_iter=1, tol=1e-5).fit(x, x[:, 0] > 0)
    with pytest.warns(ConvergenceWarning, match="stagnated"):
        dcsvm.LSSVC(tol=1e-300, method="exact").fit(x, x[:, 0] > 0)


def test_exact_ls_svms_are_trained_once_whatever_n_average():
    x = np.random.default_rng(0).normal(size=(200, 2))
    one, five = (dcsvm.train_ls_svm(x, x[:, 0] > 0, method="exact", n_average=n) for n in (1, 5))
    np.testing.assert_array_equal(one.dual_coef_, five.dual_coef_)
    assert five.report.n_iter == 1
