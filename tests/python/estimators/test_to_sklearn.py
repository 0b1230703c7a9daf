"""Fitted estimators as scikit-learn's own."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import dcsvm

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
X[X < -1] = 0
LABELS = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
TARGETS = np.sin(X[:, 0]) + X[:, 1]
QUERIES = RNG.normal(size=(80, 3))


def twins(estimator, y=None, rows=X, queries=QUERIES, tolerance=1e-10):
    fitted = estimator.fit(rows, y)
    twin = fitted.to_sklearn()
    assert type(twin) is getattr(sklearn.svm, type(twin).__name__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn's, of probability
        np.testing.assert_array_equal(twin.support_, fitted.support_)
        for name in ("decision_function", "predict_proba", "score_samples"):
            if hasattr(fitted, name) and hasattr(twin, name):
                expected = getattr(fitted, name)(queries)
                np.testing.assert_allclose(getattr(twin, name)(queries), expected, rtol=tolerance, atol=tolerance)
        expected, found = fitted.predict(queries), pickle.loads(pickle.dumps(twin)).predict(queries)
    if isinstance(fitted, dcsvm.OneClassSVM):  # under a linear kernel its optimum is w = 0 here: decisions are rounding
        clear = np.abs(fitted.decision_function(queries)) > 1e-12
        expected, found = expected[clear], found[clear]
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found, expected)
    return twin


KERNELS = ("rbf", "linear", "poly", "sigmoid")


@pytest.mark.parametrize(
    ("name", "kernel"), [*((n, k) for n in ("SVC", "SVR", "NuSVR", "OneClassSVM") for k in KERNELS), ("NuSVC", "rbf")]
)
def test_predicts_the_same(name, kernel):
    labels = name in ("SVC", "NuSVC")
    more = {"decision_function_shape": "ovo"} if labels else {}
    twin = twins(getattr(dcsvm, name)(kernel=kernel, gamma=0.3, **more), LABELS if labels else TARGETS)
    assert twin.get_params()["kernel"] == kernel
    assert type(twin).__name__ == name


@pytest.mark.parametrize("container", ["csr_matrix", "csr_array"])
def test_sparse(container):
    import scipy.sparse as sp

    make = getattr(sp, container)
    for estimator, y in ((dcsvm.SVC(C=5), LABELS), (dcsvm.SVC(), LABELS != "b"), (dcsvm.SVR(), TARGETS)):
        twins(estimator, y, make(X), make(QUERIES))


def test_two_classes_and_float32():
    twins(dcsvm.SVC(fit_intercept=False), LABELS != "a")
    twins(dcsvm.SVC(), LABELS != "a", X.astype(np.float32), tolerance=1e-5)


def test_kernels_that_are_given():
    def own(a, b):
        return rbf_kernel(a, b, gamma=0.5)

    fitted = dcsvm.SVC(kernel=own).fit(X, LABELS)
    np.testing.assert_allclose(fitted.to_sklearn().decision_function(QUERIES), fitted.decision_function(QUERIES), atol=1e-10)
    twins(dcsvm.SVC(kernel="precomputed"), LABELS, own(X, X), own(QUERIES, X))


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_probabilities():
    for wanted in (True, "platt"):
        fitted = dcsvm.SVC(probability=wanted, random_state=0).fit(X, LABELS)
        twin = fitted.to_sklearn()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            np.testing.assert_allclose(twin.predict_proba(QUERIES), fitted.predict_proba(QUERIES), atol=1e-7)


def test_other_solvers_and_names_of_features():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(X, columns=["one", "two", "three"])
    twin = twins(dcsvm.DCSVC(early_level=None, n_jobs=1), LABELS, frame, pandas.DataFrame(QUERIES, columns=frame.columns))
    assert twin.feature_names_in_.tolist() == ["one", "two", "three"]
    assert "n_jobs" not in twin.get_params()


def test_refusals():
    with pytest.raises(NotFittedError):
        dcsvm.SVC().to_sklearn()
    early = dcsvm.DCSVC(early_level=1, branching=2, random_state=0).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"this DCSVC stopped early .*; fit with early_level=None"):
        early.to_sklearn()
