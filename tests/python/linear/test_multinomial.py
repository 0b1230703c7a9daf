"""train_linear(solver="multinomial"): scikit-learn's problem and answers, weights, bits, files and graphs."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax, softmax

import dcsvm

sklearn_linear = pytest.importorskip("sklearn.linear_model")


def data(n=400, d=9, k=4, filled=0.6, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < filled, rng.normal(size=(n, d)), 0.0)
    y = np.argmax(X[:, :k] + 0.7 * rng.normal(size=(n, k)), axis=1)
    return X, y


def objective(coef, intercept, X, y, C=1.0, weights=None, regularize_bias=False):
    losses = -log_softmax(X @ coef.T + intercept, axis=1)[np.arange(len(y)), y]
    penalty = 0.5 * (coef**2).sum() + (0.5 * (intercept**2).sum() if regularize_bias else 0.0)
    return penalty + C * np.sum(losses if weights is None else weights * losses)


@pytest.mark.parametrize("shape", [(400, 9), (120, 300)], ids=["more rows", "more columns"])
@pytest.mark.parametrize("regularize_bias", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_objective_is_scikit_learns_optimum(shape, regularize_bias, kind, dtype):
    X, y = data(*shape)
    X = X.astype(dtype)
    model = dcsvm.train_linear(kind(X), y, solver="multinomial", C=2.0, tol=1e-9, regularize_bias=regularize_bias)
    ours = objective(model.coef_, model.intercept_, X.astype(float), y, 2.0, regularize_bias=regularize_bias)
    assert model.report.stop_reason == "converged"
    assert model.report.primal_objective == pytest.approx(ours, rel=1e-10)
    if regularize_bias:
        assert 0 <= ours - model.report.dual_objective <= 2e-9 * ours
        with_bias = np.column_stack([X.astype(float), np.ones(len(X))])
        peer = sklearn_linear.LogisticRegression(C=2.0, tol=1e-10, max_iter=10000, fit_intercept=False).fit(with_bias, y)
        theirs = objective(peer.coef_[:, :-1], peer.coef_[:, -1], X.astype(float), y, 2.0, regularize_bias=True)
    else:
        assert np.isnan(model.report.dual_objective)
        peer = sklearn_linear.LogisticRegression(C=2.0, tol=1e-10, max_iter=10000).fit(X.astype(float), y)
        theirs = objective(peer.coef_, peer.intercept_, X.astype(float), y, 2.0)
        assert model.coef_ == pytest.approx(peer.coef_, abs=1e-3)
        assert model.predict_proba(X) == pytest.approx(peer.predict_proba(X.astype(float)), abs=1e-3)
    assert ours <= theirs * (1 + 1e-8)


def test_two_classes_are_the_logistic_model():
    X, y = data(k=2)
    model = dcsvm.train_linear(X, y, solver="multinomial", tol=1e-10, regularize_bias=False)
    peer = sklearn_linear.LogisticRegression(tol=1e-10, max_iter=10000).fit(X, y)
    assert model.coef_.shape == (1, 9)
    assert model.coef_ == pytest.approx(peer.coef_, abs=1e-4)
    assert model.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-4)


@pytest.mark.parametrize("shape", [(200, 9), (90, 200)])
def test_weights_equal_repetitions_and_class_weights_their_rows(shape):
    X, y = data(*shape)
    rng = np.random.default_rng(1)
    times = rng.integers(0, 4, len(y))
    weighted = dcsvm.train_linear(X, y, solver="multinomial", tol=1e-10, sample_weight=times)
    repeated = dcsvm.train_linear(np.repeat(X, times, axis=0), np.repeat(y, times), solver="multinomial", tol=1e-10)
    assert weighted.coef_ == pytest.approx(repeated.coef_, abs=1e-4)
    by_class = dcsvm.train_linear(X, y, solver="multinomial", tol=1e-10, class_weight={1: 3.0})
    by_row = dcsvm.train_linear(X, y, solver="multinomial", tol=1e-10, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert by_class.coef_ == pytest.approx(by_row.coef_, abs=1e-6)


@pytest.mark.parametrize("shape", [(3000, 12), (500, 4000)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_threads_change_no_bit(shape, kind):
    X, y = data(*shape, filled=0.3)
    models = [dcsvm.train_linear(kind(X), y, solver="multinomial", n_jobs=n) for n in (1, 2, 3)]
    assert all(np.array_equal(models[0].coef_, m.coef_) for m in models)


def test_a_solution_is_a_start_that_needs_no_step():
    X, y = data()
    model = dcsvm.train_linear(X, y, solver="multinomial")
    w = np.column_stack([model.coef_, model.intercept_]).T
    again = dcsvm.train_linear(X, y, solver="multinomial", initial_w=w)
    assert again.report.n_iter == 0
    assert again.coef_ == pytest.approx(model.coef_, abs=1e-14)  # their mean over the classes is taken out again


def test_probabilities_are_the_softmax_and_files_keep_the_model(tmp_path):
    X, y = data()
    model = dcsvm.train_linear(X, y, solver="multinomial")
    assert model.predict_proba(X) == pytest.approx(softmax(model.decision_function(X), axis=1))
    assert model.coef_.shape == (4, 9)
    model.save(tmp_path / "m")
    loaded = dcsvm.load_model(tmp_path / "m")
    assert loaded.solver == "multinomial"
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="LIBLINEAR's files have no number for the solver multinomial of 4 classes"):
        model.save(tmp_path / "t", format="liblinear")


def test_steps_are_limited_and_callbacks_stop_it():
    X, y = data()
    with pytest.warns(dcsvm.ConvergenceWarning):
        model = dcsvm.train_linear(X, y, solver="multinomial", max_iter=1, tol=1e-12)
    assert model.report.n_iter == 1
    assert model.report.stop_reason == "max_iter"


def test_a_cap_that_cannot_be_met_names_its_parameter():
    n = 5_000_000
    X = sparse.csr_matrix((np.ones(n), np.zeros(n, np.int32), np.arange(n + 1)), shape=(n, 1))
    with pytest.raises(MemoryError, match="cache_size"):
        dcsvm.train_linear(X, np.arange(n) % 100, solver="multinomial", cache_size=100)


def test_a_tolerance_that_the_start_meets_is_refused():
    X, y = data()
    for more in ({}, {"l1_ratio": 0.5}, {"C": np.inf}):
        with pytest.raises(ValueError, match=r"tol: multinomial's must be below 1.*got 1; give a smaller number, or none"):
            dcsvm.train_linear(X, y, solver="multinomial", tol=1, **more)
    assert dcsvm.train_linear(X, y, solver="multinomial", C=1e-3, tol=0.99).coef_.any()


def test_two_classes_are_saved_for_liblinear_as_the_logistic_model_that_they_are(tmp_path):
    X, y = data()
    y = (y > 1).astype(int)
    model = dcsvm.train_linear(X, y, solver="multinomial")
    model.save(tmp_path / "t", format="liblinear")
    loaded = dcsvm.load_model(tmp_path / "t")
    assert loaded.solver == "logistic"
    assert np.array_equal(loaded.coef_, model.coef_)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(loaded.predict(X), model.predict(X))
