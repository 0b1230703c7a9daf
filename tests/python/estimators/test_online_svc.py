"""OnlineSVC: LaSVM against a slow twin, and its end against SVC."""

import pickle
import platform

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm


def twin(K, y, C, tau):
    """LaSVM's online iterations (Bordes et al. 2005, section 3.2), row by row as they are printed. Returns alpha and b."""
    n = len(y)
    A, B = np.minimum(0, C * y).tolist(), np.maximum(0, C * y).tolist()
    alpha, g, S = [0.0] * n, [0.0] * n, []

    def extremes():
        up = [s for s in S if alpha[s] < B[s]]
        low = [s for s in S if alpha[s] > A[s]]
        return (max(up, key=lambda s: g[s]) if up else None), (min(low, key=lambda s: g[s]) if low else None)

    def step(i, j):
        if i is None or j is None or g[i] - g[j] <= tau:
            return
        room_i, room_j = B[i] - alpha[i], alpha[j] - A[j]
        t = min((g[i] - g[j]) / max(K[i][i] + K[j][j] - 2 * K[i][j], 1e-12), room_i, room_j)
        alpha[i] = B[i] if t == room_i else alpha[i] + t
        alpha[j] = A[j] if t == room_j else alpha[j] - t
        for s in S:
            g[s] -= t * (K[i][s] - K[j][s])

    for k in range(n):
        g[k] = y[k] - sum(alpha[s] * K[k][s] for s in S)
        S.append(k)
        i, j = extremes()
        step(*((k, j) if y[k] > 0 else (i, k)))
        step(*extremes())
        i, j = extremes()
        if i is None or j is None:
            continue
        S = [s for s in S if alpha[s] != 0 or not (g[s] >= g[i] if y[s] < 0 else g[s] <= g[j])]
    i, j = extremes()
    return np.array(alpha), (g[i] + g[j]) / 2


def board(n, seed):
    X, y = dcsvm.datasets.make_checkerboard(n, noise=0.05, random_state=seed)
    return X.astype(np.float64), y


def blobs(n, seed, classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    return rng.normal(size=(n, 3)) + 1.2 * np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [1, 1, 2]])[y], y


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"),
    reason="a step makes two gradients equal up to rounding, and fused multiply-add then chooses the other one",
)
@pytest.mark.parametrize("batch", [1, 7, 150])
def test_process_and_reprocess_are_the_twin_whatever_the_batches(batch):
    rng = np.random.default_rng(3)
    X = rng.integers(-4, 5, size=(150, 2)).astype(np.float64)  # kernel values are whole numbers: no rounding
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=150) > 0, 1.0, -1.0)
    alpha, b = twin((X @ X.T + 1) ** 2, y, C=0.01, tau=1e-3)
    model = dcsvm.OnlineSVC(kernel="poly", degree=2, gamma=1, coef0=1, C=0.01, precision="double", n_jobs=1)
    for begin in range(0, len(X), batch):
        model.partial_fit(X[begin : begin + batch], y[begin : begin + batch], classes=[-1, 1])
    found = np.zeros(len(X))
    found[model.support_] = model.dual_coef_[0]
    assert 20 < len(model.support_) < 140
    np.testing.assert_allclose(found, alpha, atol=1e-9)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-9)
    assert model.shape_fit_ == X.shape


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("data", [board, blobs])
def test_finish_reaches_the_optimum_of_all_rows(data, container):
    X, y = data(900, 0)
    weights = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    exact = dcsvm.SVC(C=10, gamma=1, tol=1e-6).fit(container(X), y, weights)
    model = dcsvm.OnlineSVC(C=10, gamma=1, tol=1e-6)
    for begin in range(0, len(X), 150):
        rows = slice(begin, begin + 150)
        model.partial_fit(container(X)[rows], y[rows], classes=np.unique(y), sample_weight=weights[rows])
        assert np.isfinite(model.decision_function(container(X)[:5])).all()
        if begin == 450:  # learning goes on from the optimum
            model.finish()
    report = model.finish().report_
    assert report.violation < 1e-6
    assert report.objective == pytest.approx(exact.report_.objective, rel=1e-6)
    np.testing.assert_array_equal(model.predict(container(X)), exact.predict(container(X)))
    assert set(model.support_) <= set(np.flatnonzero(weights))
    np.testing.assert_array_equal(
        model.support_vectors_[0].ravel() if container is np.asarray else X[model.support_[0]], X[model.support_[0]]
    )


def test_fit_is_svc():
    X, y = blobs(400, 5)
    labels = np.array(["red", "green", "blue", "grey"])[y]
    exact = dcsvm.SVC(C=3, class_weight="balanced").fit(X, labels)
    model = dcsvm.OnlineSVC(C=3, class_weight="balanced").fit(X, labels)
    assert model.report_.objective == pytest.approx(exact.report_.objective, rel=1e-6)
    np.testing.assert_array_equal(model.support_, exact.support_)
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-2)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", ["rbf", "matern32", "laplacian"])
@pytest.mark.parametrize("rule", ["scale", "auto"])
def test_rules_of_gamma_are_those_of_train(rule, kernel, container):
    X, y = blobs(100, 5)
    X = container(X * (X > 0) + (1e4 if container is np.asarray else 0))
    weights = np.arange(100) % 3.0  # whole numbers: repeated rows
    for given in (None, weights):
        model = dcsvm.OnlineSVC(kernel=kernel, gamma=rule).partial_fit(X, y, classes=range(4), sample_weight=given)
        repeated = X[np.repeat(np.arange(100), np.ones(100, int) if given is None else given.astype(int))]
        trained = dcsvm.train(repeated, np.arange(repeated.shape[0]) % 2, kernel=kernel, gamma=rule)
        assert model.model_.gamma == pytest.approx(trained.gamma, rel=1e-9)


@pytest.mark.parametrize("data", [board, blobs])
def test_a_budget_bounds_the_rows_and_keeps_alpha_feasible(data):
    X, y = data(1500, 2)
    exact = dcsvm.SVC(C=2, gamma=2).fit(X, y)
    budget = 3 * len(exact.support_) // 4
    model = dcsvm.OnlineSVC(C=2, gamma=2, budget=budget)
    for begin in range(0, len(X), 100):
        model.partial_fit(X[begin : begin + 100], y[begin : begin + 100], classes=np.unique(y))
        rows, alpha = model._online.all()
        assert len(rows.codes) <= budget
        assert len(np.unique(rows.numbers)) == len(rows.codes)
        classes = range(len(model.classes_))
        signs = [np.where(rows.codes == a, 1, np.where(rows.codes == b, -1, 0)) for a in classes for b in classes if a < b]
        for sign, values in zip(signs, np.atleast_2d(alpha), strict=True):
            assert ((values >= 0) & (values <= 2) & ((sign != 0) | (values == 0))).all()
            assert abs(sign @ values) < 1e-9
    model.finish()
    assert len(model.support_) <= budget
    assert model.report_.violation < 1e-3
    X_test, y_test = data(1000, 9)
    assert model.score(X_test, y_test) > exact.score(X_test, y_test) - 0.06
    again = dcsvm.OnlineSVC(C=2, gamma=2, budget=budget, random_state=0).fit(X, y)
    assert len(again._online.all()[0].codes) <= budget
    assert again.score(X_test, y_test) > exact.score(X_test, y_test) - 0.06


def test_classes_that_never_came_are_not_predicted():
    X, y = blobs(300, 4)
    model = dcsvm.OnlineSVC(gamma=1)
    model.partial_fit(X[y == 2], y[y == 2], classes=range(4))
    assert (model.predict(X) == 2).all()
    model.partial_fit(X[y == 0], y[y == 0])
    assert set(model.predict(X)) == {0, 2}
    assert model.decision_function(X).shape == (len(X), 4)
    with pytest.raises(ValueError, match=r"finish needs rows of every class; none came of .*1"):
        model.finish()
    model.partial_fit(X[(y == 1) | (y == 3)], y[(y == 1) | (y == 3)]).finish()
    exact = dcsvm.SVC(gamma=1).fit(X, y)
    np.testing.assert_allclose(model.report_.objective, exact.report_.objective, rtol=1e-6)


def test_pickles_go_on_and_model_files_predict(tmp_path):
    X, y = blobs(600, 6)
    model = dcsvm.OnlineSVC(gamma=1).partial_fit(X[:300], y[:300], classes=range(4))
    copy = pickle.loads(pickle.dumps(model))
    for m in (model, copy):
        m.partial_fit(X[300:], y[300:])
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    model.save(tmp_path / "online.model")
    loaded = dcsvm.OnlineSVC.load(tmp_path / "online.model")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    for go_on in (lambda: loaded.partial_fit(X, y), loaded.finish):
        with pytest.raises(ValueError, match="cannot go on from a model file"):
            go_on()


def test_the_model_does_not_depend_on_threads():
    X, y = blobs(700, 7)
    one, two = (dcsvm.OnlineSVC(gamma=1, n_jobs=n).partial_fit(X, y, classes=range(4)) for n in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)


def test_progress_is_that_of_all_rows_and_can_end_them():
    X, y = board(1500, 3)
    seen = []
    dcsvm.OnlineSVC(gamma=4, callback=seen.append).partial_fit(X, y, classes=[-1, 1])
    assert [p["total"] for p in seen] == [1500] * len(seen)
    done, steps = ([p[name] for p in seen] for name in ("done", "n_iter"))
    assert done[0] == 0
    assert done == sorted(done)
    assert steps == sorted(steps)
    assert [p["phase"] for p in seen] == ["solve"] * (len(seen) - 1) + ["done"], "once for all pieces"
    assert seen[-1]["done"] == 1500
    model = dcsvm.OnlineSVC(gamma=4, callback=lambda p: p["done"] >= 256).partial_fit(X, y, classes=[-1, 1])
    assert model.report_.stop_reason == "cancelled"
    assert model.support_.max() < 1500 - 256
    assert model.shape_fit_ == X.shape
    model.set_params(callback=None).finish()
    exact = dcsvm.SVC(gamma=4).fit(X, y)
    np.testing.assert_allclose(model.report_.objective, exact.report_.objective, rtol=1e-6)


def test_one_pass_claims_no_optimum(capsys):
    X, y = blobs(200, 2)
    model = dcsvm.OnlineSVC(gamma=1, verbose=True).partial_fit(X, y, classes=range(4))
    assert model.report_.stop_reason == "one_pass"
    assert {p["stop_reason"] for p in model.report_.problems} == {"one_pass"}
    assert "200" in capsys.readouterr().err
    assert model.finish().report_.stop_reason == "converged"


def test_bad_input():
    X, y = blobs(60, 8)
    fresh = dcsvm.OnlineSVC
    cases = [
        (lambda: fresh().partial_fit(X, y), "classes must be passed on the first call"),
        (lambda: fresh().partial_fit(X, y, classes=[0, 1]), r"y has the label .* which is not in classes=\[0, 1\]"),
        (lambda: fresh().partial_fit(X, y, classes=[0]), "classes must name at least two labels"),
        (lambda: fresh(class_weight="balanced").partial_fit(X, y, classes=range(4)), "'balanced' is for fit"),
        (lambda: fresh(kernel="precomputed").partial_fit(X, y, classes=range(4)), "'kernel' parameter"),
        (lambda: fresh(budget=1).fit(X, y), "'budget' parameter"),
        (lambda: fresh(cache_size=1e-4).partial_fit(X, y, classes=range(4)), "cache_size must hold"),
        (lambda: fresh().partial_fit(X, y, classes=range(4)).partial_fit(sp.csr_matrix(X), y), "sparse rows after dense"),
        (lambda: fresh().partial_fit(X, y, classes=range(4)).partial_fit(X[:, :2], y), "features"),
        (lambda: fresh().partial_fit(np.full_like(X, np.nan), y, classes=range(4)), "NaN"),
    ]
    for call, message in cases:
        with pytest.raises((ValueError, MemoryError), match=message):
            call()


def test_the_core_refuses_states_that_do_not_fit():
    X, y = blobs(20, 9)
    p = dcsvm._core.TrainParams()
    ones, codes = np.ones(20), y.astype(float)

    def call(codes=codes, upper=ones, classes=4, alpha=None):
        return dcsvm._core.train_online(X, codes, p, classes, upper, alpha, None, None, 0, None)

    assert call()[0].n_train == 20
    with pytest.raises(ValueError, match=r"classes 0 .. n_classes - 1, got"):
        call(classes=2)
    with pytest.raises(ValueError, match="upper must be finite and > 0, got"):
        call(upper=np.zeros(20))
    with pytest.raises(ValueError, match=r"alpha\[0, 0\] must be within"):
        call(alpha=np.full(6 * 10, 2.0))
    with pytest.raises(ValueError, match="n_classes must be at least 2"):
        call(classes=1, codes=np.zeros(20))
