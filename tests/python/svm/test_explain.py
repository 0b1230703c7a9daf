"""Explanations: Shapley values against the sum over all sets of features, gradients against differences, support vectors against
numpy's own sums."""

import itertools
import math
import re
import signal
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from _pages import section, tables
from dcsvm._input import kernels

GAMMA = 0.4


def data(d, *, n=80, seed=0, kind="two"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + np.sin(3 * X[:, -1])
    if kind == "two":
        return X, np.where(score > 0, 5, 2)
    if kind == "four":
        return X, np.digitize(score, [-1, 0, 1])
    return X, score


FORMULATIONS = {
    "two": {"C": 3},
    "four": {"C": 3},
    "epsilon_svr": {"formulation": "epsilon_svr", "epsilon": 0.05},
    "one_class": {"formulation": "one_class", "nu": 0.4},
}


def trained(d, kind="two", X=None, **options):
    rows, y = data(d, kind=kind)
    rows = rows if X is None else X
    options = {"gamma": GAMMA, "precision": "double", **FORMULATIONS[kind], **options}
    return dcsvm.train(rows, None if kind == "one_class" else y, **options)


def as_columns(decisions):
    return decisions.reshape(len(decisions), -1)


def pair_coefficients(model):
    """(n_support, n_pairs) with the signs of the decisions."""
    dual, n_classes = model.dual_coef_, max(2, len(model.classes_))
    if n_classes == 2:
        return dual.T
    own = np.repeat(np.arange(n_classes), model.n_support_)
    pairs = list(itertools.combinations(range(n_classes), 2))
    out = np.zeros((dual.shape[1], len(pairs)))
    for p, (i, j) in enumerate(pairs):
        out[own == i, p] = dual[j - 1, own == i]
        out[own == j, p] = dual[i, own == j]
    return out


def worths(model, x):
    """v(S) of all sets of features, by their bits: (2^d, n_pairs)."""
    difference = abs(model.support_vectors_ - x)
    factors = np.exp(-model.gamma * (difference if model.kernel == "laplacian" else difference**2))
    d = len(x)
    products = np.ones((1 << d, len(factors)))
    for s in range(1, 1 << d):
        lowest = (s & -s).bit_length() - 1
        products[s] = products[s & (s - 1)] * factors[:, lowest]
    return products @ pair_coefficients(model) + model.intercept_


def by_enumeration(model, x):
    """Shapley's formula: (d, n_pairs)."""
    v, d = worths(model, x), len(x)
    size = np.array([s.bit_count() for s in range(1 << d)])
    weight = np.array([math.factorial(m) * math.factorial(d - 1 - m) / math.factorial(d) for m in range(d)])
    phi = []
    for j in range(d):
        without = np.flatnonzero((np.arange(1 << d) >> j) & 1 == 0)
        phi.append((weight[size[without], None] * (v[without | (1 << j)] - v[without])).sum(axis=0))
    return np.array(phi)


@pytest.mark.parametrize("kind", FORMULATIONS)
@pytest.mark.parametrize(("d", "kernel"), [(1, "rbf"), (2, "rbf"), (5, "rbf"), (12, "rbf"), (1, "laplacian"), (5, "laplacian")])
def test_values_are_those_of_the_sum_over_all_sets(d, kernel, kind):
    model, (X, _) = trained(d, kind, kernel=kernel), data(d, n=4, seed=1)
    values, base = model.explain(X)
    n_pairs = 6 if kind == "four" else 1
    assert values.shape == ((4, d) if n_pairs == 1 else (4, d, n_pairs))
    assert values.dtype == np.float64
    assert np.shape(base) == (() if n_pairs == 1 else (n_pairs,))
    for x, found in zip(X, values, strict=True):
        np.testing.assert_allclose(found.reshape(d, n_pairs), by_enumeration(model, x), rtol=0, atol=1e-12)
    none = np.ravel(worths(model, X[0])[0])
    np.testing.assert_allclose(np.ravel(base), none, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", FORMULATIONS)
@pytest.mark.parametrize("d", [3, 40, 300])
def test_values_add_up_to_the_decision(d, kind):
    """Also with fewer nodes than half as many as features."""
    model, (X, _) = trained(d, kind, gamma=2 / d), data(d, n=21, seed=1)
    values, base = model.explain(X)
    total = as_columns(values.sum(axis=1)) + base
    np.testing.assert_allclose(total, as_columns(model.decision_function(X)), rtol=0, atol=1e-11)


def test_values_of_many_features_that_differ_much():
    """All factors near 0: the integrand is nearly (1 - t)^(d - 1), which needs the most nodes, and each value is -sum / d."""
    d = 500
    model = trained(d, "one_class", gamma=50.0)
    values, base = model.explain(np.full((1, d), 100.0))
    bias = model.intercept_[0]
    np.testing.assert_allclose(values, np.full((1, d), (bias - base) / d), rtol=1e-12)


def test_equal_features_have_equal_values_and_constant_ones_none():
    X, y = data(4)
    X = np.hstack([X, X[:, :1], np.full((len(X), 1), 7.0)])
    model = dcsvm.train(X, y, gamma=GAMMA, C=3)
    values, _ = model.explain(X[:20])
    np.testing.assert_array_equal(values[:, 5], 0.0)
    np.testing.assert_allclose(values[:, 0], values[:, 4], rtol=0, atol=1e-13)
    assert abs(values[:, :4]).max() > 0.1


@pytest.mark.parametrize("kind", ["two", "four"])
def test_sparse_float32_strided_and_threads(kind):
    X, _ = data(9)
    X[X < 0.3] = 0
    X = X.astype(np.float32)
    dense, sparse = trained(9, kind, X=X), trained(9, kind, X=sp.csr_matrix(X))
    expected = dense.explain(X.astype(np.float64), n_jobs=1)
    given = [X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], sp.csr_matrix(X), sp.csr_matrix(X.astype(np.float64))]
    for rows in given:
        np.testing.assert_array_equal(dense.explain(rows, n_jobs=2).values, expected.values)
        np.testing.assert_allclose(sparse.explain(rows).values, expected.values, rtol=0, atol=1e-5)  # another training
        np.testing.assert_allclose(sparse.explain(rows).values, sparse.explain(X).values, rtol=0, atol=1e-15)
        np.testing.assert_allclose(dense.decision_gradient(rows), dense.decision_gradient(X), rtol=0, atol=1e-13)
        np.testing.assert_array_equal(dense.nearest_support_vectors(rows, 3).indices, dense.nearest_support_vectors(X, 3).indices)
    np.testing.assert_array_equal(dense.explain(X[7:8]).values[0], expected.values[7])  # no other row decides


def test_sparse_rows_of_a_large_space():
    rng = np.random.default_rng(0)
    X = sp.random(300, 20_000, density=3e-4, random_state=rng, format="csr")
    y = np.asarray(X[:, :10_000].sum(axis=1)).ravel() > np.asarray(X[:, 10_000:].sum(axis=1)).ravel()
    model = dcsvm.train(X, y.astype(int), gamma=0.5, precision="double")
    values, base = model.explain(X[:30])
    np.testing.assert_allclose(values.sum(axis=1) + base, model.decision_function(X[:30]), rtol=0, atol=1e-12)


KERNELS = {
    "rbf": {},
    "linear": {},
    "poly": {"degree": 3, "coef0": 0.5},
    "poly of degree 1": {"degree": 1},
    "poly of degree 0": {"degree": 0, "coef0": 0.5},
    "sigmoid": {"gamma": 0.05, "coef0": 0.1},
    "exponential": {},
    "matern32": {},
    "matern52": {},
}


@pytest.mark.parametrize("kind", FORMULATIONS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.filterwarnings("ignore::dcsvm.ConvergenceWarning")
def test_gradients_are_those_of_differences(kernel, kind):
    model = trained(6, kind, kernel=kernel.split()[0], tol=1e-2, max_iter=3000, **{"gamma": GAMMA, **KERNELS[kernel]})
    X, step = data(6, n=35, seed=1)[0], 1e-5
    gradient = model.decision_gradient(X)
    assert gradient.shape == ((35, 6, 6) if kind == "four" else (35, 6))
    size = max(1.0, abs(gradient).max())
    for j in range(6):
        h = step * np.eye(6)[j]
        differences = (model.decision_function(X + h) - model.decision_function(X - h)) / (2 * step)
        np.testing.assert_allclose(gradient[:, j], differences, rtol=0, atol=1e-7 * size)


@pytest.mark.parametrize("kind", FORMULATIONS)
@pytest.mark.parametrize("kernel", ["rbf", "poly", "precomputed"])
def test_nearest_support_vectors(kernel, kind):
    rows, _ = data(5)
    X = data(5, n=19, seed=1)[0]
    if kernel == "precomputed":
        model, X = trained(5, kind, X=rows @ rows.T, kernel="precomputed"), X @ rows.T
        K = X[:, model.support_]
    else:
        model = trained(5, kind, kernel=kernel, coef0=1.0)
        inner, square = X @ model.support_vectors_.T, (X**2).sum(axis=1)[:, None] + (model.support_vectors_**2).sum(axis=1)
        K = np.exp(-GAMMA * (square - 2 * inner)) if kernel == "rbf" else (GAMMA * inner + 1) ** 3
    contributions = K[:, :, None] * pair_coefficients(model)
    found = model.nearest_support_vectors(X, 7)
    shape = (19, 7, 6) if kind == "four" else (19, 7)
    assert all(part.shape == shape for part in found)
    indices, given, shares = (part.reshape(19, 7, -1) for part in found)
    assert indices.dtype == np.int64
    expected = np.take_along_axis(contributions, indices, axis=1)
    np.testing.assert_allclose(given, expected, rtol=1e-10)
    np.testing.assert_allclose(shares, abs(expected) / abs(contributions).sum(axis=1, keepdims=True), rtol=1e-10)
    largest = -np.sort(-abs(contributions), axis=1)[:, :7]
    np.testing.assert_allclose(abs(given), largest, rtol=1e-10)
    everything = model.nearest_support_vectors(X, len(model.support_) + 2)
    assert (everything.indices.reshape(19, -1, shape[-1] if kind == "four" else 1)[:, -2:] == -1).all()
    total = everything.contributions.sum(axis=1) + (model.intercept_ if kind == "four" else model.intercept_[0])
    np.testing.assert_allclose(total, model.decision_function(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", FORMULATIONS)
def test_a_linear_kernel_is_explained_by_its_weights(kind):
    model, (X, _) = trained(4, kind, kernel="linear"), data(4, n=9, seed=1)
    values, base = model.explain(X)
    np.testing.assert_allclose(as_columns(values.sum(axis=1)) + base, as_columns(model.decision_function(X)), atol=1e-10)
    background = X.mean(axis=0)
    moved, moved_base = model.explain(X, background=background)
    np.testing.assert_allclose(np.ravel(moved_base), np.ravel(model.decision_function(background[None])), atol=1e-10)
    gradient = model.decision_gradient(X)
    at = background.reshape((4, 1) if kind == "four" else 4)
    columns = X[:, :, None] if kind == "four" else X
    np.testing.assert_allclose(moved, gradient * (columns - at), rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.explain(sp.csr_matrix(X)).values, values, rtol=0, atol=1e-12)


def test_what_has_no_explanation_says_what_to_do():
    X, y = data(3)
    with pytest.raises(ValueError, match=r"kernel poly is not a product .* decision_gradient"):
        dcsvm.train(X, y, kernel="poly").explain(X)
    with pytest.raises(ValueError, match=r"not formed for kernel laplacian\. Train with kernel linear"):
        dcsvm.train(X, y, kernel="laplacian").decision_gradient(X)
    with pytest.raises(ValueError, match="a precomputed kernel is given in numbers"):
        dcsvm.train(X @ X.T, y, kernel="precomputed").decision_gradient(X @ X.T)
    model = dcsvm.train(X, y)
    with pytest.raises(ValueError, match="background is for linear models"):
        model.explain(X, background=X[0])
    with pytest.raises(ValueError, match="X has 2 features"):
        model.explain(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.decision_gradient(np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="k must be"):
        model.nearest_support_vectors(X, 0)
    with pytest.raises(ValueError, match="background must have shape"):
        dcsvm.train(X, y, kernel="linear").explain(X, background=X[0, :2])


METHODS = ("explain", "decision_gradient", "nearest_support_vectors")


def explained_by(kernel):
    """Which of the methods a model with this kernel has."""
    X, y = data(3)
    X = np.abs(X)
    rows = X @ X.T if kernel == "precomputed" else X
    model = dcsvm.train(rows, y, kernel=kernel)
    found = set()
    for method in METHODS:
        try:
            getattr(model, method)(rows[:5])
        except ValueError:
            continue
        found.add(method)
    return found


def test_what_is_said_of_explanations_holds_for_each_kernel():
    """On the page, and in the docstrings, which name the kernels that have them or do not."""
    has = {kernel: explained_by(kernel) for kernel in kernels.KERNELS}
    said = {}
    for listed, *cells in next(tables(section("docs/guide/explanations.md", "Speed and exactness")))[1:]:
        yes = {method for method, cell in zip(METHODS, cells, strict=True) if cell == "yes"}
        said |= dict.fromkeys(listed.split(", "), yes)
    assert said.pop("callable") == has["precomputed"]
    assert said == has
    explained = ", ".join(re.findall(r"Kernels? ([\w, ]+?):", dcsvm.Model.explain.__doc__))
    assert {*re.split(", | and ", explained)} == {kernel for kernel in has if "explain" in has[kernel]}
    (refused,) = re.findall(r"For kernels ([\w, ]+), and for", dcsvm.Model.decision_gradient.__doc__)
    assert {*re.split(", | and ", refused)} == {kernel for kernel in has if "decision_gradient" not in has[kernel]}


def test_clustered_models_refuse():
    X, y = dcsvm.datasets.make_checkerboard(600, random_state=0)
    for kernel in ("rbf", "linear"):
        model = dcsvm.train(X, y, kernel=kernel, solver="dc", n_levels=1, branching=4, early_level=1)
        for method in (model.explain, model.decision_gradient, model.nearest_support_vectors):
            with pytest.raises(ValueError, match="this model is clustered"):
                method(X)


def test_a_signal_ends_an_explanation():
    model = trained(400, gamma=1e-3)
    X = np.random.default_rng(0).normal(size=(20_000, 400))
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.explain(X)
    finally:
        timer.cancel()


def test_shap_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    X, y = data(3)
    with pytest.raises(ImportError, match="pip install shap"):
        dcsvm.train(X, y).explain(X[:5], as_shap=True)


def test_shap_takes_explanations():
    shap = pytest.importorskip("shap", reason="shap is not installed")
    pd = pytest.importorskip("pandas")
    X, y = data(3)
    frame = pd.DataFrame(X, columns=["length", "width", "age"])
    model = dcsvm.train(frame, y)
    found, (values, base) = model.explain(frame[:5], as_shap=True), model.explain(X[:5])
    assert isinstance(found, shap.Explanation)
    np.testing.assert_array_equal(found.values, values)
    np.testing.assert_array_equal(found.base_values, np.full(5, base))
    np.testing.assert_array_equal(found.data, X[:5])
    assert found.feature_names == ["length", "width", "age"]
