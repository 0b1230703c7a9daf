"""The precision of predictions: double decisions are numpy's, whatever precision the training had."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm


def by_numpy(model, X):
    squares = (X**2).sum(axis=1)[:, None] + (model.support_vectors_**2).sum(axis=1) - 2 * X @ model.support_vectors_.T
    return np.exp(-model.gamma * np.maximum(squares, 0)) @ model.dual_coef_[0] + model.intercept_[0]


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    y = 50 * np.sin(X[:, 0]) + X[:, 1] ** 2
    return dcsvm.train(X, y, formulation="epsilon_svr", C=100, epsilon=0.1, gamma=0.05), rng.normal(size=(500, 8))


@pytest.mark.parametrize("rows", [1, 3, 500])
@pytest.mark.parametrize("storage", [np.asarray, np.float32, sp.csr_matrix])
def test_decisions_in_double_are_numpys(regression, rows, storage):
    single, X = regression
    X = X[:rows].astype(np.float32).astype(np.float64)
    assert single.precision == "single"
    double = single.with_precision("double")
    assert double.precision == "double"
    expected = by_numpy(single, X)
    np.testing.assert_allclose(double.predict(storage(X)), expected, rtol=0, atol=1e-9)
    error = abs(single.predict(storage(X)) - expected).max()
    assert 1e-8 < error < 1e-2, "else this test would pass without double"


def test_there_and_back_and_files(regression, tmp_path):
    single, X = regression
    double = single.with_precision("double")
    double.save(tmp_path / "m")
    for again in (dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(double))):
        assert again.precision == "double"
        assert again.report.precision == single.report.precision  # of the training
        np.testing.assert_array_equal(again.predict(X), double.predict(X))
    np.testing.assert_array_equal(double.with_precision("single").predict(X), single.predict(X))
    with pytest.raises(ValueError, match="precision must be"):
        single.with_precision("half")


@pytest.mark.parametrize("kind", ["epsilon_svr", "c_svc"])
def test_decisions_of_a_libsvm_file_are_libsvms(kind, tmp_path):
    """Of a regression without asking. The reader lets single precision pass where it changes no label."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = np.sin(X[:, 0]) if kind == "epsilon_svr" else np.where(X[:, 0] > 0, 1, 0)
    model = dcsvm.train(X, y, formulation=kind)
    model.save(tmp_path / "m", format="libsvm")
    expected = by_numpy(model, X)
    read = dcsvm.load_model(tmp_path / "m", n_features=8)
    assert read.precision == ("double" if kind == "epsilon_svr" else "single")
    for rows in (1, 300):
        np.testing.assert_allclose(read.with_precision("double").decision_function(X[:rows]), expected[:rows], rtol=0, atol=1e-12)
        assert abs(read.with_precision("single").decision_function(X[:rows]) - expected[:rows]).max() > 1e-9
    if kind == "epsilon_svr":
        from dcsvm import svmutil

        theirs = svmutil.svm_load_model(str(tmp_path / "m"))
        found = svmutil.svm_predict([0] * 300, X.tolist(), theirs, "-q")[2]
        np.testing.assert_allclose(np.ravel(found), expected, rtol=0, atol=1e-12)


def test_far_support_vectors_are_not_left_out_in_double():
    """Many rows under a local kernel skip what is negligible, which in double is less."""
    rng = np.random.default_rng(0)
    X = 4 * rng.random((5200, 2))
    model = dcsvm.train(X, formulation="one_class", nu=1.0, gamma=60)
    assert len(model.support_) > 4096
    queries = 4 * rng.random((2500, 2))
    found = model.with_precision("double").decision_function(queries)
    np.testing.assert_allclose(found, by_numpy(model, queries), rtol=0, atol=1e-10)
