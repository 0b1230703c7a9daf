"""finish of the linear estimators against fit, and the rows that partial_fit keeps for it."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import dcsvm
from _linear_batches import CLASSIFIERS, blobs, in_batches

CONTAINERS = {"dense": np.asarray, "csr": sp.csr_matrix, "array": sp.csr_array}


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("container", CONTAINERS)
def test_finish_is_fit_on_all_rows(name, classes, container):
    X, y = blobs(400, classes)
    labels = np.array(["red", "green", "blue", "grey"])[y]
    weights = np.random.default_rng(2).integers(0, 3, size=len(X)).astype(float)
    factors = {"red": 2.0, "green": 0.5}
    rows = CONTAINERS[container](X)
    exact = CLASSIFIERS[name](class_weight=factors).fit(rows, labels, weights)
    model = in_batches(CLASSIFIERS[name](class_weight=factors), rows, labels, weights=weights)
    assert model.report_.stop_reason == "one_pass"
    assert np.isnan(model.report_.primal_objective)
    model.finish()
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, exact.intercept_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(rows), exact.predict(rows))
    assert model.report_.stop_reason == exact.report_.stop_reason


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_finish_of_regression_is_fit(loss):
    X, y = blobs(400, 3)
    y = X @ np.arange(6) + y
    exact = dcsvm.LinearSVR(loss=loss, epsilon=0.1).fit(X, y)
    model = dcsvm.LinearSVR(loss=loss, epsilon=0.1)
    for begin in range(0, 400, 100):
        model.partial_fit(X[begin : begin + 100], y[begin : begin + 100])
    assert model.score(X, y) > 0.9
    model.finish()
    np.testing.assert_array_equal(model.coef_, exact.coef_)
    assert model.report_.stop_reason == "converged"


def test_finish_does_not_depend_on_batches_and_more_rows_may_follow():
    X, y = blobs(400, 3)
    exact = dcsvm.LogisticRegression().fit(X, y)
    order = np.random.default_rng(0).permutation(400)
    for sizes in [(400,), (10,) * 40, (399, 1)]:
        model = dcsvm.LogisticRegression()
        begin = 0
        for k, size in enumerate(sizes):
            rows = order[begin : begin + size]
            model.partial_fit(sp.csr_matrix(X[rows]) if k % 2 else X[rows], y[rows], classes=range(3))
            begin += size
            if k == 20:
                model.finish()  # and on
        objective = model.finish().report_.primal_objective
        assert objective == pytest.approx(exact.report_.primal_objective, rel=1e-9)
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-5)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_batch_of_one_class_and_classes_that_never_came(name):
    X, y = blobs(300, 3)
    model = CLASSIFIERS[name]()
    model.partial_fit(X[y == 1], y[y == 1], classes=[0, 1, 2])
    assert model.score(X[y == 1], y[y == 1]) > 0.9
    model.partial_fit(X[y == 0], y[y == 0])
    with pytest.raises(ValueError, match=r"finish needs rows of every class; none came of .*2"):
        model.finish()
    model.partial_fit(X[y == 2], y[y == 2]).finish()
    assert model.score(X, y) == pytest.approx(CLASSIFIERS[name]().fit(X, y).score(X, y), abs=0.01)


@pytest.mark.parametrize("name", ["svc", "logistic"])
def test_fit_forgets_rows_and_partial_fit_goes_on_from_its_weights(name, tmp_path):
    X, y = blobs(300, 3)
    model = CLASSIFIERS[name]().partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    np.testing.assert_array_equal(model.fit(X, y).coef_, CLASSIFIERS[name]().fit(X, y).coef_)
    fitted = model.coef_.copy()
    wrong = np.flatnonzero(model.predict(X) != y)[:1]
    model.partial_fit(X[wrong], y[wrong])
    step = model.coef_ - fitted  # from these weights, along the row
    along = step @ X[wrong[0]] / (X[wrong[0]] @ X[wrong[0]])
    assert np.abs(along).max() > 1e-3
    np.testing.assert_allclose(step, np.outer(along, X[wrong[0]]), atol=1e-9)
    with pytest.raises(ValueError, match="they are gone"):
        model.finish()
    model = CLASSIFIERS[name]().partial_fit(X, y, classes=[0, 1, 2])
    model.save(tmp_path / "model")
    again = type(model).load(tmp_path / "model")
    with pytest.raises(ValueError, match="they are gone"):
        again.finish()
    np.testing.assert_array_equal(again.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)


def test_rows_beyond_the_limit_are_dropped(monkeypatch):
    X, y = blobs(300, 3)
    monkeypatch.setattr("dcsvm.estimators._linear_online._MOST_KEPT", 200 * (6 + 1) * 8)
    model = dcsvm.LinearSVC().partial_fit(X[:150], y[:150], classes=[0, 1, 2]).finish()
    assert model.partial_fit(X[150:], y[150:]).score(X, y) > 0.7
    with pytest.raises(ValueError, match="they are gone: partial_fit keeps up to 1000 MB"):
        model.finish()


def test_single_rows_become_few_batches(monkeypatch):
    X, y = blobs(120, 3)
    monkeypatch.setattr("dcsvm.estimators._linear_online._JOINED", 40 * (6 + 2) * 8)
    for rows, weights in [(X, None), (sp.csr_array(X), None), (X, np.arange(120) % 2 + 1.0)]:
        model = dcsvm.LinearSVC()
        for i in range(120):
            model.partial_fit(rows[[i]], y[i : i + 1], [0, 1, 2], None if weights is None else weights[i : i + 1])
        kept = model._kept["batches"]
        assert len(kept) < 16
        arrays = [a for X_, *more in kept for a in ((X_.data, X_.indices, X_.indptr) if sp.issparse(X_) else (X_,), more)]
        assert model._kept["bytes"] == sum(a.nbytes for group in arrays for a in group if a is not None)
        np.testing.assert_array_equal(model.finish().coef_, dcsvm.LinearSVC().fit(rows, y, weights).coef_)


@pytest.mark.parametrize("name", ["svc", "logistic"])
def test_a_fit_that_fails_leaves_rows_and_classes(name, monkeypatch):
    X, y = blobs(300, 3)
    model = CLASSIFIERS[name]().partial_fit(X, y, classes=[0, 1, 2])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"1 class|one class"):
        model.fit(X[:, :4], np.zeros(300))
    assert pickle.dumps(model) == before

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dcsvm._core.train_linear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[:, :4], y + 5)
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(model.partial_fit(X[:1], y[:1]).classes_, [0, 1, 2])


def test_time_that_is_over_is_said_without_a_violation():
    X, y = blobs(50_000, 2)
    model = dcsvm.LinearSVC(max_seconds=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"'time_limit' \(max_seconds\) after a pass over \d+ of 50000 rows"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.report_.stop_reason == "time_limit"
    assert model.set_params(max_seconds=None).finish().report_.stop_reason == "converged"  # the rows were kept


def test_batches_are_copies_and_pickles_go_on():
    X, y = blobs(300, 3)
    room = X[:100].copy()
    model = dcsvm.LogisticRegression().partial_fit(room, y[:100], classes=[0, 1, 2])
    room[:] = 1e9  # the caller's array for the next batch
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(again.coef_, model.coef_)
    exact = dcsvm.LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(again.finish().coef_, exact.coef_)
    assert not hasattr(clone(model), "classes_")


def test_ctrl_c_leaves_the_estimator_as_it_was(monkeypatch):
    X, y = blobs(300, 3)
    model = dcsvm.LinearSVC().partial_fit(X, y, classes=[0, 1, 2])
    before = pickle.dumps(model)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dcsvm._core.train_linear_online", interrupted)
    monkeypatch.setattr("dcsvm._core.train_linear", interrupted)
    for call in (lambda: model.partial_fit(X, y), model.finish):
        with pytest.raises(KeyboardInterrupt):
            call()
        assert pickle.dumps(model) == before


def test_probabilities_come_with_finish():
    X, y = blobs(400, 3)
    model = dcsvm.LinearSVC(probability=True, random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="until finish"):
        model.predict_proba(X)
    exact = dcsvm.LinearSVC(probability=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.finish().predict_proba(X), exact.predict_proba(X))
    assert dcsvm.LogisticRegression().partial_fit(X, y, classes=[0, 1, 2]).predict_proba(X).shape == (400, 3)
