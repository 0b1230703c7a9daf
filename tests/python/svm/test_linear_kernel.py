"""kernel="linear": weights of the features, and text with several classes, judged in float64."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm


def text(n=900, d=2000, classes=3, seed=0):
    """Rows of norm 1 with about 20 words each; some rows are duplicates, one is empty."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n).astype(float)
    words = (rng.zipf(1.3, (n, 20)) + 37 * (rng.random((n, 20)) < 0.15) * (y[:, np.newaxis] + 1).astype(int)) % d
    x = sp.csr_matrix((np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, 20)), shape=(n, d))
    x.sum_duplicates()
    scale = 1 / np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    scale[7] = 0
    rows = np.arange(n)
    rows[5] = 4
    x = sp.csr_matrix(sp.diags(scale) @ x)[rows]
    x.eliminate_zeros()
    x.sort_indices()
    return x, y


STORAGE = ["csr", "csr64", "float32", "dense", "fortran"]


@pytest.mark.parametrize(("storage", "classes"), [*((s, 3) for s in STORAGE), ("csr", 2), ("float32", 2)])
def test_every_pair_is_solved(storage, classes):
    """Two classes: so many rows and features that a descent on the weights comes first."""
    x, y = text(classes=3) if classes == 3 else text(n=2600, d=4000, classes=2)
    if storage == "csr64":
        x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    given = {"float32": x.astype(np.float32), "dense": x.toarray(), "fortran": np.asfortranarray(x.toarray())}.get(storage, x)
    tol, C = 1e-4, 2.0
    model = dcsvm.train(given, y, kernel="linear", C=C, tol=tol, n_jobs=1)
    again = dcsvm.train(given, y, kernel="linear", C=C, tol=tol, n_jobs=3)
    np.testing.assert_array_equal(model.alpha, again.alpha)
    exact = sp.csr_matrix(given).astype(np.float64)
    pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
    toward = -1 if classes == 2 else 1  # scikit-learn's signs
    assert model.report.stop_reason == "converged"
    for (a, b), alpha, problem, w in zip(pairs, np.atleast_2d(model.alpha), model.report.problems, model.coef_, strict=True):
        sign = np.where(y == a, 1.0, -1.0) * np.isin(y, (a, b))
        beta = sign * alpha
        assert abs(beta.sum()) < 1e-10
        np.testing.assert_allclose(exact.T @ beta, toward * w, atol=1e-6)
        g = sign - exact @ (exact.T @ beta)
        up = (sign > 0) & (alpha < C) | (sign < 0) & (alpha > 0)
        low = (sign > 0) & (alpha > 0) | (sign < 0) & (alpha < C)
        assert g[up].max() - g[low].min() < tol
        assert problem["violation"] == pytest.approx(g[up].max() - g[low].min(), abs=1e-9)
        assert problem["objective"] == pytest.approx(0.5 * w @ w - alpha.sum(), rel=1e-5)
    decisions = model.decision_function(given).reshape(len(y), -1)
    np.testing.assert_allclose(exact @ model.coef_.T + model.intercept_, decisions, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("dense", [False, True])
def test_coef_makes_the_decisions(classes, dense):
    x, y = text(classes=classes, n=400, d=300)
    given = x.toarray() if dense else x
    model = dcsvm.train(given, y, kernel="linear")
    assert model.coef_.shape == (classes * (classes - 1) // 2, 300)
    decisions = x @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(decisions[:, 0] if classes == 2 else decisions, model.decision_function(given), atol=1e-5)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0


@pytest.mark.parametrize("formulation", ["one_class", "epsilon_svr", "nu_svr"])
def test_coef_of_one_problem(formulation):
    x, y = text(n=300, d=200)
    model = dcsvm.train(x, y, formulation=formulation, kernel="linear")
    np.testing.assert_allclose(x @ model.coef_[0] + model.intercept_[0], model.decision_function(x), atol=1e-5)


def test_coef_without_scipy(monkeypatch):
    x, y = text(n=300, d=200)
    model = dcsvm.train(x, y, kernel="linear")
    expected = model.coef_
    monkeypatch.setattr("dcsvm._input.validate.scipy_csr", lambda csr: csr)
    assert isinstance(model.support_vectors_, dcsvm.CsrMatrix)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)


def test_no_coef():
    x, y = text(n=300, d=20)
    with pytest.raises(AttributeError, match="kernel='rbf'"):
        _ = dcsvm.train(x, y).coef_
    clustered = dcsvm.train(x, y, kernel="linear", early_level=1, n_levels=1, branching=2)
    with pytest.raises(AttributeError, match="clustered"):
        _ = clustered.coef_
