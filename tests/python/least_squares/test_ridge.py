"""Kernel ridge regression: exact against scikit-learn's, DC-Pred++'s against the exact; what is refused."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

sklearn_ridge = pytest.importorskip("sklearn.kernel_ridge", reason="the peer and the estimators need scikit-learn")


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (2400, 3))
    return x, np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.02 * rng.normal(size=2400)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_is_scikit_learns(waves, kernel, solver):
    x, y = waves[0][:500], waves[1][:500]
    weight = np.random.default_rng(1).integers(0, 3, 500).astype(float)
    options = {"alpha": 0.3, "kernel": kernel, "gamma": 0.7, "coef0": 1.0, "degree": 2}
    ours = dcsvm.train_ridge(x, y, solver=solver, tol=1e-12, precision="double", sample_weight=weight, **options)
    keep = weight > 0
    peer = sklearn_ridge.KernelRidge(**options).fit(x[keep], y[keep], sample_weight=weight[keep])
    np.testing.assert_allclose(ours.predict(waves[0][500:]), peer.predict(waves[0][500:]), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ours.alpha[keep], peer.dual_coef_, rtol=1e-4, atol=1e-6)
    assert ours.formulation == "kernel_ridge"
    assert ours.report.solver == solver
    assert ours.report.violation < 1e-8
    a, k = peer.dual_coef_, peer._get_kernel(x[keep], x[keep])
    objective = a @ k @ a + a @ (0.3 / weight[keep] * a) - 2 * a @ y[keep]
    assert ours.report.objective == pytest.approx(objective, rel=1e-6)


def test_layouts_precomputed_files_and_libsvm(waves, tmp_path):
    x, y = waves[0][:300], waves[1][:300]
    model = dcsvm.train_ridge(x, y, alpha=0.1, gamma=1.0)
    new = waves[0][300:400]
    np.testing.assert_allclose(
        dcsvm.train_ridge(sp.csr_matrix(x), y, alpha=0.1, gamma=1.0).predict(new), model.predict(new), atol=1e-3
    )
    gram = np.exp(-((x[:, None] - x[None]) ** 2).sum(-1))
    given = dcsvm.train_ridge(gram, y, alpha=0.1, kernel="precomputed")
    cross = np.exp(-((new[:, None] - x[None]) ** 2).sum(-1))
    np.testing.assert_allclose(given.predict(cross), model.predict(new), atol=1e-3)
    model.save(tmp_path / "m")
    for other in (dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(new), model.predict(new))
        assert other.formulation == "kernel_ridge"
    model.save(tmp_path / "l", format="libsvm")
    text = dcsvm.load_model(tmp_path / "l")
    assert text.formulation == "epsilon_svr"
    np.testing.assert_allclose(text.predict(new), model.predict(new), atol=1e-4)


@pytest.mark.parametrize("refine", [0, 30])
@pytest.mark.parametrize("pseudo", ["none", "triangle", "triangle_upper", "polynomial"])
def test_fast_ridge_is_near_the_exact(waves, pseudo, refine):
    x, y = waves
    exact = dcsvm.train_ridge(x[:2000], y[:2000], alpha=0.05, gamma=0.5).predict(x[2000:])
    fast = dcsvm.train_dc_pred_ridge(
        x[:2000], y[:2000], alpha=0.05, gamma=0.5, n_leaves=8, n_landmarks=10, n_pseudo=10, pseudo=pseudo, refine=refine
    )
    rmse = lambda p: np.sqrt(np.mean((p - y[2000:]) ** 2))  # noqa: E731
    assert rmse(fast.predict(x[2000:])) < (1.5 if refine else 2.5) * rmse(exact)
    np.testing.assert_array_equal(fast.predict(x[:50]), fast.decision_function(x[:50]))
    assert fast.classes_.size == 0
    assert fast.n_leaves == 8


def test_fast_ridge_files_weights_scale_and_constants(waves, tmp_path, capsys):
    from dcsvm._command import cli as cli

    x, y = waves[0][:600], waves[1][:600]
    options = {"alpha": 0.05, "gamma": 0.5, "n_leaves": 4, "n_landmarks": 6}
    fast = dcsvm.train_dc_pred_ridge(x, y, **options)
    fast.save(tmp_path / "m")
    assert dcsvm.load_model(tmp_path / "m").report == fast.report
    np.testing.assert_array_equal(dcsvm.load_model(tmp_path / "m").predict(x), fast.predict(x))
    assert cli.main(["info", str(tmp_path / "m")]) in (0, None)
    assert "inner products a row" in capsys.readouterr().out
    dcsvm.save_svmlight(tmp_path / "rows", x, y)
    assert cli.main(["predict", str(tmp_path / "rows"), str(tmp_path / "m"), str(tmp_path / "out")]) in (0, None)
    assert "mean squared error" in capsys.readouterr().out
    np.testing.assert_allclose(np.loadtxt(tmp_path / "out"), fast.predict(x), rtol=1e-5, atol=1e-5)
    assert cli.main(["predict", str(tmp_path / "rows"), str(tmp_path / "m"), str(tmp_path / "out"), "--probabilities"]) == 1
    assert "DC-Pred" in capsys.readouterr().err
    keep = np.arange(600) % 4 > 0
    weighted = dcsvm.train_dc_pred_ridge(x, y, sample_weight=keep.astype(float), **options)
    np.testing.assert_array_equal(weighted.predict(x), dcsvm.train_dc_pred_ridge(x[keep], y[keep], **options).predict(x))
    flat = dcsvm.train_dc_pred_ridge(x, np.full(600, 2.5), **options)
    assert (flat.predict(x) == 2.5).all()
    assert flat.report.n_constant == flat.n_leaves
    pulled = dcsvm.train_dc_pred_ridge(x, np.full(600, 2.5), fit_intercept=False, **options)
    assert np.abs(pulled.predict(x) - 2.5).mean() < 0.1
    few = dcsvm.train_dc_pred_ridge(x[:5], y[:5], gamma=0.5, n_landmarks=50)
    assert few.report.n_landmarks <= 5
    chosen = dcsvm.train_dc_pred_ridge(x, y, alpha=0.05, gamma=0.5, budget=60, refine=10)
    assert chosen.cost <= 62


def test_regressions_can_be_compressed(waves):
    x, y = waves
    for full in (
        dcsvm.train_ridge(x, y, alpha=0.05, gamma=0.5),
        dcsvm.train(x, y, formulation="epsilon_svr", C=10, gamma=0.5, epsilon=0.05),
    ):
        fast = dcsvm.compress(full, x, alpha=0.01, n_leaves=8, n_landmarks=10)
        assert np.std(fast.predict(x) - full.predict(x)) < 0.1 * np.std(y)
    assert dcsvm.compress(full, x, alpha=0.01, budget=80, refine=5).cost <= 82


@pytest.mark.parametrize("train", ["train_ridge", "train_dc_pred_ridge"])
def test_bad_input(waves, train):
    x, y = waves[0][:100], waves[1][:100]
    train = getattr(dcsvm, train)
    for alpha in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^alpha\b"):
            train(x, y, alpha=alpha)
    for name, value in {"tol": 0, "cache_size": 0, "gamma": -1, "kernel": "cosine", "n_jobs": 0}.items():
        with pytest.raises(ValueError, match=rf"^{name}\b"):
            train(x, y, **{name: value})
    broken = y.copy()
    broken[7] = np.nan
    with pytest.raises(ValueError, match=r"^y\b.*7"):
        train(x, broken)
    with pytest.raises(ValueError, match=r"y\b"):
        train(x, y[:50])
    with pytest.raises(ValueError, match=r"^sample_weight: every row"):
        train(x, y, sample_weight=np.zeros(100))
    with pytest.raises(ValueError, match=r"X has 2 features"):
        train(x, y).predict(x[:, :2])


def test_bad_input_of_the_exact(waves):
    x, y = waves[0][:100], waves[1][:100]
    for name, value in {"solver": "lu", "max_iter": 0, "precision": "half", "callback": 3}.items():
        with pytest.raises(ValueError, match=rf"^{name}\b"):
            dcsvm.train_ridge(x, y, **{name: value})
    with pytest.raises(ValueError, match="square"):
        dcsvm.train_ridge(x, y, kernel="precomputed")
    with pytest.raises(ValueError, match="not positive definite"):
        dcsvm.train_ridge(x, y, kernel="sigmoid", gamma=50, coef0=-3, alpha=1e-6, solver="cholesky")
    with pytest.raises(ValueError, match="kernel_ridge"):
        dcsvm.train(x, y, formulation="kernel_ridge")
    with pytest.raises(MemoryError, match="cache_size"):
        dcsvm.train_ridge(x, y, solver="cholesky", cache_size=0.01)
    with pytest.warns(dcsvm.ConvergenceWarning, match="max_iter"):
        dcsvm.train_ridge(x, y, solver="cg", alpha=1e-6, max_iter=1)


def test_cost_curve(waves):
    pytest.importorskip("matplotlib", reason="draws the curve").use("Agg")
    x, y = waves
    curve = dcsvm.cost_curve(
        x[:1500], y[:1500], x[1500:], y[1500:], budgets=(20, 60), regression=True, alpha=0.05, gamma=0.5, refine=10
    )
    assert (curve.costs <= curve.budgets * 1.05).all()
    assert curve.scores[1] < curve.scores[0] * 1.05
    assert (curve.times > 0).all()
    ax = curve.plot()
    assert ax.get_ylabel() == "root mean squared error"
    assert curve.plot(ax, against="times") is ax
    with pytest.raises(ValueError, match="against"):
        curve.plot(against="money")
    with pytest.raises(ValueError, match="budget"):
        dcsvm.cost_curve(x, y, x, y, budget=3, regression=True)
    with pytest.raises(ValueError, match="budgets"):
        dcsvm.cost_curve(x, y, x, y, budgets=(-1,), regression=True)
