"""A large C on classes that overlap, where steps of pairs alone take millions: solved, and judged in float64."""

import warnings

import numpy as np
import pytest

import certificate
import dcsvm

FEW = 1_500_000  # steps; without walks along the free variables none of these has ended after ten times as many


def overlapping(n, d, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).round(3)
    return x, np.where(x[:, 0] + 0.5 * np.sin(3 * x[:, 1]) + 1.5 * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("kernel", "C"), [("linear", 1e5), ("poly", 1e4), ("rbf", 1e6)])
def test_a_classification_is_solved(kernel, C, fit_intercept):
    x, y = overlapping(600, 6, 3)
    options = {"kernel": kernel, "gamma": 0.2, "C": C, "tol": 1e-3, "fit_intercept": fit_intercept, "max_iter": FEW}
    if kernel == "poly":
        options |= {"degree": 2, "coef0": 1.0}
    model = dcsvm.train(x, y, **options, n_jobs=1)
    again = dcsvm.train(x, y, **options, n_jobs=3)
    np.testing.assert_array_equal(model.alpha, again.alpha)
    alpha = np.abs(np.ravel(model.alpha))
    k = certificate.kernel_matrix(x, kernel, 0.2, degree=2, coef0=1.0)
    assert model.report.stop_reason == "converged"
    assert certificate.violation(k, y, alpha, C, fit_intercept) < 1e-3
    assert alpha.max() <= C
    if fit_intercept:
        assert abs(y @ alpha) < 1e-9 * C


@pytest.mark.parametrize(("kernel", "C"), [("linear", 1e4), ("rbf", 1e4)])
def test_a_regression_is_solved(kernel, C):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(500, 5)).round(3)
    y = x @ [1.0, 0.5, 0.0, -1.0, 2.0] + 0.5 * rng.normal(size=500)
    model = dcsvm.train(x, y, formulation="epsilon_svr", kernel=kernel, gamma=0.05, C=C, epsilon=0.05, tol=1e-3, max_iter=FEW)
    assert model.report.stop_reason == "converged"
    beta = np.zeros(len(x))
    beta[model.support_] = np.ravel(model.dual_coef_)
    g = y - certificate.kernel_matrix(x, kernel, 0.05) @ beta
    rises = np.where(beta < 0, g + 0.05, g - 0.05)[beta < C]  # of alpha, or of -alpha*
    falls = np.where(beta > 0, g - 0.05, g + 0.05)[beta > -C]
    assert rises.max() - falls.min() < 1e-3
    assert abs(beta.sum()) < 1e-9 * C


def test_a_linear_kernel_claims_no_more_than_its_products_know():
    """Features far from zero: what is w'x in double is wrong by more than tol, where the weights are large."""
    claimed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        offset, C, fit_intercept = [0, 10, 1000][seed % 3], [1e5, 1e6, 1e9][seed // 3 % 3], bool(seed // 18 % 2)
        x = rng.standard_normal((80, 3)) + offset
        y = np.where(x[:, 0] - offset + rng.standard_normal(80) > 0, 1.0, -1.0)
        tol = 1e-3 if offset == 1000 or C == 1e9 else 1e-6
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
            model = dcsvm.train(x, y, kernel="linear", C=C, tol=tol, fit_intercept=fit_intercept, max_iter=300_000)
        if model.report.stop_reason != "converged":
            continue
        claimed += 1
        long = x.astype(np.longdouble)
        k = sum(np.outer(column, column) for column in long.T)
        alpha = np.abs(np.ravel(model.alpha)).astype(np.longdouble)
        assert certificate.violation(k, y, alpha, C, fit_intercept) < tol, seed
    assert claimed > 5
