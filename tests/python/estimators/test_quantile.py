"""QuantileSVR: the pinball loss's optimum by a slow twin, shares of rows, order of quantiles, and scikit-learn's conventions."""

import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import d2_pinball_score, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import check_estimator

import dcsvm
from dcsvm._bench import quality

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (300, 2))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + (0.2 + 0.2 * np.abs(X[:, 0])) * RNG.exponential(size=300)
GAMMA, C = 0.7, 3.0


def kernel(a, b):
    return np.exp(-GAMMA * ((a[:, None] - b[None]) ** 2).sum(axis=2))


def pinball(y, predicted, quantile, weight=1.0):
    r = y - predicted
    return float((weight * np.maximum(quantile * r, (quantile - 1) * r)).sum())


def dual(b, k):
    return 0.5 * b @ k @ b - Y[: len(b)] @ b


def twin(n, quantile, fit_intercept, weight):
    """The dual of n rows, by scipy."""
    k = kernel(X[:n], X[:n])
    box = [(-(1 - quantile) * C * w, quantile * C * w) for w in weight]
    sums = [{"type": "eq", "fun": np.sum, "jac": lambda b: np.ones(len(b))}] if fit_intercept else []
    found = minimize(
        lambda b: (dual(b, k), k @ b - Y[:n]), np.zeros(n), jac=True, bounds=box, constraints=sums, method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )  # fmt: skip
    assert found.success
    return found.fun


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.85])
def test_a_slow_twin(quantile, fit_intercept):
    n = 40
    weight = RNG.choice([0.5, 1.0, 2.0], n)
    model = dcsvm.QuantileSVR(quantile=quantile, C=C, gamma=GAMMA, fit_intercept=fit_intercept).fit(X[:n], Y[:n], weight)
    lowest = twin(n, quantile, fit_intercept, weight)
    assert model.report_.objective == pytest.approx(lowest, rel=1e-6)
    b = np.zeros(n)
    b[model.support_] = model.dual_coef_.ravel()
    assert (b <= quantile * C * weight).all()
    assert (b >= -(1 - quantile) * C * weight).all()
    # Strong duality: what the model predicts has the primal value.
    k = kernel(X[:n], X[:n])
    primal = 0.5 * b @ k @ b + C * pinball(Y[:n], model.predict(X[:n]), quantile, weight)
    assert primal == pytest.approx(-lowest, rel=1e-6)


@pytest.mark.parametrize("how", [{}, {"solver": "dc", "n_levels": 1}, {"epsilon": 0.1}, {"kernel": "linear"}])
@pytest.mark.parametrize("quantile", [0.1, 0.7])
def test_the_certificate_of_the_core(quantile, how):
    given = {"epsilon": 0.0, "gamma": GAMMA, "tol": 1e-4, **how}
    weight = RNG.choice([0.0, 1.0, 3.0], len(Y))
    model = dcsvm.train(X, Y, formulation="epsilon_svr", quantile=quantile, C=C, sample_weight=weight, **given)
    took = weight > 0
    k = X @ X.T if how.get("kernel") == "linear" else kernel(X, X)
    b = model.alpha[took]
    judged = quality.judge_epsilon_svr(
        b, k[np.ix_(took, took)] @ b, Y[took], C * weight[took], given["epsilon"], near=quality.Near(0, 1e-12), quantile=quantile
    )
    assert judged.violation <= 1.01e-4
    assert judged.infeasibility < 1e-12
    assert model.report.objective == pytest.approx(judged.objective, rel=1e-5)


def test_a_linear_kernel_has_the_loss_of_the_peer():
    plane = 1 + X @ [0.5, -1.0] + RNG.exponential(size=len(X))
    for quantile in (0.2, 0.6):
        ours = dcsvm.QuantileSVR(quantile=quantile, kernel="linear", C=30).fit(X, plane)
        theirs = QuantileRegressor(quantile=quantile, alpha=0).fit(X, plane)
        losses = [mean_pinball_loss(plane, m.predict(X), alpha=quantile) for m in (ours, theirs)]
        assert losses[0] == pytest.approx(losses[1], rel=1e-3)


@pytest.mark.parametrize("quantile", [0.05, 0.25, 0.5, 0.9])
def test_a_share_of_the_rows_lies_below(quantile):
    n = len(Y)
    model = dcsvm.QuantileSVR(quantile=quantile, C=C, gamma=GAMMA, tol=1e-8, precision="double").fit(X, Y)
    off = Y - model.predict(X)
    assert (off < -1e-6).sum() <= quantile * n + 1e-9
    assert (off < 1e-6).sum() >= quantile * n - 1e-9


def test_quantiles_do_not_cross_and_come_in_the_given_order():
    few = slice(0, 60)
    model = dcsvm.QuantileSVR(quantile=[0.6, 0.4, 0.5], C=100, gamma=5).fit(X[few], Y[few])
    high, low, middle = model.predict(X).T
    alone = np.column_stack([one.predict(X) for one in model.estimators_])
    assert not ((alone[:, 1] <= alone[:, 2]) & (alone[:, 2] <= alone[:, 0])).all()  # by themselves they cross
    assert ((low <= middle) & (middle <= high)).all()
    np.testing.assert_array_equal(np.sort(alone, axis=1), np.column_stack([low, middle, high]))
    single = dcsvm.QuantileSVR(quantile=0.4, C=100, gamma=5).fit(X[few], Y[few])
    np.testing.assert_array_equal(single.predict(X), alone[:, 1])
    scores = [d2_pinball_score(Y, column, alpha=q) for column, q in zip((high, low, middle), (0.6, 0.4, 0.5), strict=True)]
    assert model.score(X, Y) == pytest.approx(np.mean(scores))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(AttributeError, match=r"estimators_\[0\]\.model_"):
        _ = model.model_
    one = model.set_params(quantile=0.5).fit(X, Y)
    assert one.predict(X).shape == (300,)
    assert not hasattr(one, "estimators_")
    assert one.set_params(quantile=[0.5]).fit(X, Y).predict(X).shape == (300, 1)
    assert not hasattr(one, "dual_coef_")


def test_rows_and_tools_as_the_other_estimators(tmp_path):
    model = dcsvm.QuantileSVR(quantile=0.8, C=C, gamma=GAMMA).fit(X, Y)
    sparse = clone(model).fit(csr_matrix(X), Y)
    np.testing.assert_allclose(sparse.predict(csr_matrix(X)), model.predict(X), atol=2e-3)
    given = clone(model).set_params(kernel="precomputed").fit(kernel(X, X), Y)
    np.testing.assert_allclose(given.predict(kernel(X, X)), model.predict(X), atol=2e-3)
    model.save(tmp_path / "model")
    loaded = dcsvm.QuantileSVR.load(tmp_path / "model")
    assert loaded.quantile == 0.8
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(dcsvm.load_model(tmp_path / "model").predict(X), model.predict(X))
    np.testing.assert_allclose(model.to_sklearn().predict(X), model.predict(X), atol=1e-6)
    assert cross_val_score(model, X, Y).mean() > 0.2
    search = GridSearchCV(model, {"C": [0.01, 3]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"C": 3}


@pytest.mark.parametrize("after", [0.8, 0.3])
def test_a_warm_start_in_another_box(after):
    model = dcsvm.QuantileSVR(quantile=0.8, C=C, gamma=GAMMA, warm_start=True).fit(X, Y)
    steps = model.n_iter_
    model.set_params(quantile=after).fit(X, Y)
    cold = dcsvm.QuantileSVR(quantile=after, C=C, gamma=GAMMA).fit(X, Y)
    assert model.report_.objective == pytest.approx(cold.report_.objective, rel=1e-4)
    if after == 0.8:
        assert model.n_iter_ < steps / 4
    several = dcsvm.QuantileSVR(quantile=[0.2, 0.8], C=C, gamma=GAMMA, warm_start=True).fit(X, Y)
    first = [one.n_iter_ for one in several.estimators_]
    several.fit(X, Y)
    assert all(one.n_iter_ < n / 4 for one, n in zip(several.estimators_, first, strict=True))


@pytest.mark.parametrize("wrong", [0.0, 1.0, -1, "low", [], [0.5, 1.5], [[0.5]], None])
def test_bad_quantiles(wrong):
    with pytest.raises((InvalidParameterError, ValueError), match="quantile"):
        dcsvm.QuantileSVR(quantile=wrong).fit(X, Y)


def test_bad_values_in_the_core():
    for wrong in (0.0, 1.0, -0.5, np.nan):
        with pytest.raises(ValueError, match="quantile must be a finite number > 0 and < 1 or None"):
            dcsvm.train(X, Y, formulation="epsilon_svr", quantile=wrong)
    with pytest.raises(ValueError, match='quantile is for formulation "epsilon_svr"'):
        dcsvm.train(X, Y, formulation="nu_svr", quantile=0.5)
    start = np.zeros(300)
    start[:2] = 0.9, -0.9
    with pytest.raises(ValueError, match="beyond the row's bound"):
        dcsvm.train(X, Y, formulation="epsilon_svr", quantile=0.5, warm_start_alpha=start)


def test_no_tube_is_the_same_problem_with_half_the_variables():
    tube = dcsvm.train(X, Y, formulation="epsilon_svr", epsilon=1e-12, gamma=GAMMA, tol=1e-6, precision="double")
    none = dcsvm.train(X, Y, formulation="epsilon_svr", epsilon=0, gamma=GAMMA, tol=1e-6, precision="double")
    assert none.report.objective == pytest.approx(tube.report.objective, rel=1e-7)
    np.testing.assert_allclose(none.predict(X), tube.predict(X), atol=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_check_estimator():
    results = check_estimator(dcsvm.QuantileSVR(), on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"] == []
