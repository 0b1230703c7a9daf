"""Probabilities against LIBSVM (through scikit-learn), against slow twins, and through files."""

import pickle

import numpy as np
import pytest

import dcsvm

svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
MOST = 0.02  # mean absolute difference; folds are random in both, and LIBSVM differs from itself by up to 0.01


def case(real_data, name):
    if name == "heart":
        z = real_data("heart_scale.npz")
        return z["X"], z["y"], z["X"], 1.0, 1 / 13
    z = real_data(f"{name}.npz")
    X, T = z["X_train"], z["X_test"]
    C, gamma = {"svmguide1": (32, 8), "usps": (10, 1 / 128), "pendigits": (10, 2)}[name]
    if name == "svmguide1":
        low, high = X.min(axis=0), X.max(axis=0)
        X, T = (X - low) / (high - low), (T - low) / (high - low)
    if name == "pendigits":
        X, T = X / 100, T / 100
    rows = np.random.default_rng(0).permutation(len(X))[:1000]
    return X[rows], z["y_train"][rows], T[:1000], C, gamma


@pytest.mark.data
@pytest.mark.parametrize("name", ["heart", "svmguide1", "usps", "pendigits"])
def test_as_libsvm_on_real_data(real_data, name):
    X, y, T, C, gamma = case(real_data, name)
    ours = dcsvm.train(X, y, C=C, gamma=gamma, probability=True).predict_proba(T)
    theirs = svm.SVC(C=C, gamma=gamma, probability=True, random_state=0).fit(X, y).predict_proba(T)
    assert np.abs(ours - theirs).mean() < MOST


@pytest.mark.parametrize("params", [{"C": 2.0}, {"formulation": "nu_svc", "nu": 0.4}], ids=["c_svc", "nu_svc"])
def test_as_libsvm(blobs, params):
    X, y = blobs
    model = dcsvm.train(X, y, gamma=0.5, probability=True, **params)
    kind = svm.NuSVC(nu=0.4, gamma=0.5, probability=True) if "nu" in params else svm.SVC(C=2.0, gamma=0.5, probability=True)
    ours, theirs = model.predict_proba(X), kind.fit(X, y).predict_proba(X)
    assert np.abs(ours - theirs).mean() < MOST
    np.testing.assert_allclose(ours.sum(axis=1), 1)
    assert np.mean(model.classes_[ours.argmax(axis=1)] == model.predict(X)) > 0.95


def test_class_order_and_signs(board):
    X, y = board
    model = dcsvm.train(X, y, C=10, gamma=4, probability=True)
    p, f = model.predict_proba(X), model.decision_function(X)
    assert p.shape == (len(y), 2)
    assert np.all(np.diff(p[np.argsort(f), 1]) >= 0)
    a, b = model.calibration["a"][0], model.calibration["b"][0]
    np.testing.assert_allclose(p[:, 0], 1 / (1 + np.exp(-a * f + b)), rtol=1e-6)


def test_sigmoid_is_the_optimum_that_scipy_finds(board):
    optimize = pytest.importorskip("scipy.optimize")
    X, y = board[0][:400], board[1][:400]
    model = dcsvm.train(X, y, C=10, gamma=4, probability=True, random_state=7, tol=1e-5)
    folds = dcsvm._core.make_folds(np.where(y > 0, 1.0, 0.0), 5, True, 7)
    f, positive = [], []
    for train, test in folds:
        f.append(-dcsvm.train(X[train], y[train], C=10, gamma=4, tol=1e-5).decision_function(X[test]))
        positive.append(y[test] < 0)
    f, positive = np.concatenate(f), np.concatenate(positive)
    n = positive.sum()
    target = np.where(positive, (n + 1) / (n + 2), 1 / (len(f) - n + 2))

    def loss(ab):
        z = ab[0] * f + ab[1]
        return np.sum(np.logaddexp(0, z) - (1 - target) * z)

    best = optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 5000})
    np.testing.assert_allclose([model.calibration["a"][0], model.calibration["b"][0]], best.x, rtol=1e-3, atol=1e-3)


def test_regression_scale():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (400, 1))
    y = np.sin(2 * X[:, 0]) + rng.laplace(0, 0.2, 400)
    model = dcsvm.train(X, y, formulation="epsilon_svr", C=1, gamma=1, probability=True)
    assert 0.15 < model.calibration["a"][0] < 0.27
    with pytest.raises(ValueError, match="regression has no classes"):
        model.predict_proba(X)


def test_one_class_marks():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    model = dcsvm.train(X, None, formulation="one_class", nu=0.3, gamma=0.5, probability=True)
    marks, f, p = model.calibration["density_marks"], model.decision_function(X), model.predict_proba(X)
    assert marks.shape == (10,)
    assert np.all(np.diff(marks) >= 0)
    wanted = np.clip(np.searchsorted(marks, f, side="right") / 10, 0.001, 0.999)
    np.testing.assert_allclose(p[:, 0], wanted)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p[f > marks[5] + 1e-9, 0] > 0.5).all()
    few = dcsvm.train(X[:6], None, formulation="one_class", nu=0.3, gamma=0.5, probability=True)
    assert few.calibration is None
    with pytest.raises(ValueError, match="fewer than 5 rows"):
        few.predict_proba(X)


def test_early_models_calibrate_their_own_decisions():
    X, y = dcsvm.datasets.make_checkerboard(3000, noise=0.1, random_state=2)
    T, t = dcsvm.datasets.make_checkerboard(2000, random_state=5)
    how = {"C": 10, "gamma": 4}
    early = dcsvm.train(X, y, early_level=1, n_levels=1, sample_size=300, probability=True, **how)
    p, exact = early.predict_proba(T), dcsvm.train(X, y, probability=True, **how).predict_proba(T)
    assert np.abs(p - exact).mean() < 0.05
    assert np.mean(early.classes_[p.argmax(axis=1)] == t) > 0.95
    with pytest.raises(ValueError, match="another prediction"):
        early.with_prediction("naive").predict_proba(T)
    assert np.array_equal(early.with_prediction("early").predict_proba(T), p)


def test_seed_threads_and_files(blobs, tmp_path):
    X, y = blobs
    models = [dcsvm.train(X, y, probability=True, random_state=s, n_jobs=j) for s, j in ((1, 1), (1, 2), (2, 2))]
    p = [m.predict_proba(X) for m in models]
    assert np.array_equal(p[0], p[1])
    assert not np.array_equal(p[0], p[2])
    assert np.array_equal(models[0].decision_function(X), models[2].decision_function(X))
    models[0].save(tmp_path / "m")
    for back in (dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(models[0]))):
        assert np.array_equal(back.predict_proba(X), p[0])


def test_bad_input(blobs, model):
    X, y = blobs
    with pytest.raises(ValueError, match="trained without probability=True"):
        model.predict_proba(np.zeros((1, 2)))
    assert model.calibration is None
    with pytest.raises(ValueError, match=r"^probability must be True or False"):
        dcsvm.train(X, y, probability="yes")
    calibrated = dcsvm.train(X, y, probability=True)
    with pytest.raises(ValueError, match="features"):
        calibrated.predict_proba(X[:, :2])
    with pytest.raises(ValueError, match="row 0, column 1"):
        calibrated.predict_proba(np.array([[0, np.nan, 0]]))


def test_cancelled_training_has_no_probabilities(board):
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train(*board, C=10, gamma=4, probability=True, callback=lambda p: True)
    assert model.calibration is None


@pytest.mark.parametrize("params", [{"formulation": "epsilon_svr"}, {"solver": "rand"}])
def test_cancelled_calibration_by_training(board, params):
    X, y = board
    started = []

    def cancel(progress):  # where the second problem starts: the first is the training itself, the second a fold
        started.extend([progress] if progress.n_iter == 0 else [])
        return len(started) > 1

    with pytest.warns(dcsvm.ConvergenceWarning, match="'cancelled'"):
        model = dcsvm.train(X, y, probability=True, callback=cancel, **params, gamma=4)
    assert model.report.stop_reason == "cancelled"
    assert model.report.violation < 1e-3
    np.testing.assert_array_equal(model.predict(X), dcsvm.train(X, y, **params, gamma=4).predict(X))


def test_cancelled_estimator_says_why_it_has_no_probabilities(board):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    estimator = dcsvm.SVC(probability="platt", gamma=4, callback=lambda p: True)
    with pytest.warns(UserWarning, match="cancelled"):
        estimator.fit(*board)
    assert estimator.fit_status_ == 1
    with pytest.raises(ValueError, match="when the callback stopped fit"):
        estimator.predict_proba(board[0])
