"""Objective and predictions of LIBSVM and scikit-learn, on generated and real problems."""

import ctypes

import numpy as np
import pytest

import dcsvm

libsvm = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
sklearn_svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")


def recipe(name, data):
    """../shared/data/README.md: (X, y, X_test, y_test, C, gamma)."""
    if name == "heart":
        return data["X"], data["y"], data["X"], data["y"], 1.0, 1 / 13
    x, xt = data["X_train"].astype(np.float64), data["X_test"].astype(np.float64)
    if name == "svmguide1":
        low, high = x.min(axis=0), x.max(axis=0)
        return (x - low) / (high - low), data["y_train"], (xt - low) / (high - low), data["y_test"], 32.0, 8.0
    return x[:2500] / 100, data["y_train"][:2500], xt / 100, data["y_test"], 10.0, 2.0


def generated(name):
    make = getattr(dcsvm.datasets, f"make_{name}")
    (x, y), (xt, yt) = make(2500, random_state=1), make(2000, random_state=2)
    return x, y, xt, yt, *{"twonorm": (1.0, 0.05), "ringnorm": (1.0, 0.05), "checkerboard": (10.0, 4.0)}[name]


@pytest.fixture(params=["twonorm", "ringnorm", "checkerboard", "heart", "svmguide1", "pendigits"], scope="module")
def problem(request, real_data):
    files = {"heart": "heart_scale.npz", "svmguide1": "svmguide1.npz", "pendigits": "pendigits.npz"}
    if request.param in files:
        return recipe(request.param, real_data(files[request.param]))
    return generated(request.param)


def libsvm_solution(x, y, C, gamma):
    """Predictor and dual objective of LIBSVM, summed over pairs (from its coefficients: it prints the objective, no more)."""
    model = libsvm.svm_train(libsvm.svm_problem(y.astype(float), x.astype(float)), f"-q -c {C!r} -g {gamma!r} -m 500")
    k, n = model.nr_class, model.l
    coef = np.array([[model.sv_coef[i][j] for j in range(n)] for i in range(k - 1)])
    rows = np.ctypeslib.as_array(ctypes.cast(model.sv_indices, ctypes.POINTER(ctypes.c_int)), (n,)) - 1
    sizes = [model.nSV[i] for i in range(k)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    sv = x[rows].astype(float)
    total = 0.0
    for i in range(k):
        for j in range(i + 1, k):
            a, b = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
            beta = np.concatenate([coef[j - 1, a], coef[i, b]])
            points = np.concatenate([sv[a], sv[b]])
            total += 0.5 * beta @ kernel_times(points, beta, gamma) - np.abs(beta).sum()

    def predict(xt):
        return np.array(libsvm.svm_predict([], xt.astype(float), model, "-q")[0])

    return predict, total


def kernel_times(points, beta, gamma):
    squares = (points**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0)
    return np.exp(-gamma * distances) @ beta


def test_libsvm(problem):
    x, y, xt, yt, C, gamma = problem
    predict, theirs = libsvm_solution(x, y, C, gamma)
    model = dcsvm.train(x, y, C=C, gamma=gamma)
    assert model.report.objective <= theirs + 5e-6 * abs(theirs)
    mine, other = model.predict(xt), predict(xt)
    assert (mine == other).mean() >= 0.999
    assert abs((mine == yt).mean() - (other == yt).mean()) <= 0.0005


def test_scikit_learn(problem):
    x, y, xt, _, C, gamma = problem
    peer = sklearn_svm.SVC(C=C, gamma=gamma, decision_function_shape="ovo").fit(x, y)
    model = dcsvm.train(x, y, C=C, gamma=gamma)
    np.testing.assert_array_equal(model.classes_, peer.classes_)
    assert (model.predict(xt) == peer.predict(xt)).mean() >= 0.999
    np.testing.assert_allclose(model.decision_function(xt), peer.decision_function(xt), atol=0.02)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=0.02)
    if len(model.classes_) == 2:  # single alphas may differ, |w|^2 may not; float32 kernel values
        norms = [m.dual_coef_[0] @ kernel_times(m.support_vectors_, m.dual_coef_[0], gamma) for m in (model, peer)]
        assert norms[0] == pytest.approx(norms[1], rel=1e-3)
        assert model.dual_coef_.shape[0] == 1
    assert abs(len(model.support_) - len(peer.support_)) <= 0.02 * len(peer.support_) + 2


def test_tight_tolerance_agrees_with_scikit_learn():
    x, y, xt, _, C, gamma = generated("checkerboard")
    peer = sklearn_svm.SVC(C=C, gamma=gamma, tol=1e-7).fit(x, y)
    model = dcsvm.train(x, y, C=C, gamma=gamma, tol=1e-7, precision="double")
    np.testing.assert_allclose(model.decision_function(xt), peer.decision_function(xt), atol=1e-4)
    np.testing.assert_array_equal(model.support_, peer.support_)
    np.testing.assert_allclose(model.dual_coef_, peer.dual_coef_, atol=2e-3 * C)


@pytest.mark.parametrize(
    "params", [{"kernel": "linear"}, {"kernel": "poly", "degree": 2, "coef0": 1.0}, {"kernel": "sigmoid", "coef0": 0.1}]
)
def test_other_kernels(params):
    x, y, xt, *_ = generated("twonorm")
    x, y = x[:800], y[:800]
    peer = sklearn_svm.SVC(gamma=0.02, tol=1e-5, **params).fit(x, y)
    model = dcsvm.train(x, y, gamma=0.02, tol=1e-5, precision="double", **params)
    np.testing.assert_allclose(model.decision_function(xt), peer.decision_function(xt), atol=2e-3)


def test_weights_like_scikit_learn():
    x, y, xt, _, C, gamma = generated("ringnorm")
    x, y = x[:800], y[:800]
    w = np.random.default_rng(0).uniform(0, 2, 800)
    for class_weight in ("balanced", {1: 3.0}, None):
        peer = sklearn_svm.SVC(C=C, gamma=gamma, class_weight=class_weight, tol=1e-5).fit(x, y, sample_weight=w)
        model = dcsvm.train(x, y, C=C, gamma=gamma, class_weight=class_weight, sample_weight=w, tol=1e-5, precision="double")
        np.testing.assert_allclose(model.decision_function(xt), peer.decision_function(xt), atol=2e-3)
