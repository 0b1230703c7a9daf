"""What our estimators have and scikit-learn's have not: warm starts, levels, early models, the other parameters."""

import pickle

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.datasets import make_classification

rng = np.random.default_rng(1)
X = rng.standard_normal((200, 3))
Y = (X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(200) > 0).astype(int)


def output(model, x):
    return model.decision_function(x) if hasattr(model, "decision_function") else model.predict(x)


def same_after_a_pickle(model, x):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(output(again, x), output(model, x))
    np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)
    np.testing.assert_array_equal(again.support_vectors_, model.support_vectors_)


@pytest.mark.parametrize("k", [2, 3])
def test_warm_start_along_c(k):
    x, y = dcsvm.datasets.make_checkerboard(1500, noise=0.1, random_state=0)
    y = np.where(x[:, 0] > 3, 2, y) if k == 3 else y
    model = dcsvm.SVC(gamma=4, warm_start=True, tol=1e-6)
    steps = []
    for C in (1.0, 10.0, 2.0, 2.0):
        model.set_params(C=C).fit(x, y)
        cold = dcsvm.SVC(C=C, gamma=4, tol=1e-6).fit(x, y)
        np.testing.assert_allclose(model.decision_function(x[:50]), cold.decision_function(x[:50]), atol=2e-5)
        steps.append((model.n_iter_.sum(), cold.n_iter_.sum()))
    assert steps[-1][0] < 0.1 * steps[-1][1]  # the same problem again: already solved
    model.fit(x, np.roll(y, 1)).fit(x[:500], y[:500])  # nothing of the last fit holds: from zero


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("SVR", {"C": [1, 5, 2, 2]}),
        ("OneClassSVM", {"nu": [0.1, 0.3, 0.3]}),
        ("NuSVR", {"C": [1, 5, 2, 2]}),
        ("NuSVR", {"nu": [0.2, 0.6, 0.3, 0.3]}),
    ],
)
def test_warm_start_of_one_problem(name, values):
    x = rng.standard_normal((600, 3))
    y = np.sin(2 * x[:, 0]) + 0.2 * rng.standard_normal(600)
    model = getattr(dcsvm, name)(gamma=0.5, warm_start=True, tol=1e-6)
    cold = getattr(dcsvm, name)(gamma=0.5, tol=1e-6)
    ((parameter, path),) = values.items()
    for value in path:
        model.set_params(**{parameter: value}).fit(x, y)
        cold.set_params(**{parameter: value}).fit(x, y)
        np.testing.assert_allclose(model.dual_coef_.sum(), cold.dual_coef_.sum(), atol=1e-6)
        np.testing.assert_allclose(model.predict(x)[:20], cold.predict(x)[:20], atol=2e-5)
    assert model.n_iter_ < 0.1 * cold.n_iter_


@pytest.mark.parametrize("k", [2, 3])
def test_warm_start_along_nu(k):
    x, y = dcsvm.datasets.make_checkerboard(900, noise=0.1, random_state=0)
    y = np.where(x[:, 0] > 3, 2, y) if k == 3 else y
    weights = np.linspace(0.5, 2, 900)
    model = dcsvm.NuSVC(gamma=4, warm_start=True, tol=1e-6)
    for nu in (0.3, 0.5, 0.4, 0.4):
        model.set_params(nu=nu).fit(x, y, weights)
        cold = dcsvm.NuSVC(nu=nu, gamma=4, tol=1e-6).fit(x, y, weights)
        np.testing.assert_allclose(model.decision_function(x[:50]), cold.decision_function(x[:50]), atol=1e-4)
    assert model.n_iter_.sum() < 0.1 * cold.n_iter_.sum()
    model.set_params(class_weight="balanced").fit(x, y)  # the SVC with nu's C starts from zero
    model.set_params(class_weight=None).fit(x[:500], y[:500])  # nothing of the last fit holds


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_warm_start_when_rows_are_added(name):
    x, y = dcsvm.datasets.make_checkerboard(3000, noise=0.1, random_state=0)
    make = getattr(dcsvm, name)
    model = make(gamma=4, warm_start=True, tol=1e-6).fit(x[:2990], y[:2990]).fit(x, y)
    cold = make(gamma=4, tol=1e-6).fit(x, y)
    np.testing.assert_allclose(output(model, x), output(cold, x), atol=1e-5)
    if name in ("SVC", "SVR"):  # the others' sums grow with the rows
        assert np.sum(model.n_iter_) < 0.8 * np.sum(cold.n_iter_)
    model.fit(x[:700], y[:700])  # fewer rows: from zero
    np.testing.assert_allclose(output(model, x), output(make(gamma=4, tol=1e-6).fit(x[:700], y[:700]), x), atol=1e-5)


def test_warm_start_of_several_classes_when_rows_are_added():
    x, y = dcsvm.datasets.make_checkerboard(3000, noise=0.1, random_state=0)
    y = np.where(x[:, 0] > 3, 2, y)
    model = dcsvm.SVC(gamma=4, warm_start=True, tol=1e-6).fit(x[:2990], y[:2990]).fit(x, y)
    cold = dcsvm.SVC(gamma=4, tol=1e-6).fit(x, y)
    np.testing.assert_allclose(model.decision_function(x), cold.decision_function(x), atol=1e-5)
    assert np.sum(model.n_iter_) < 0.8 * np.sum(cold.n_iter_)
    model.fit(np.vstack([x[:1], x]), np.append(y[-1], y))  # the old rows have other places, and so other labels: from zero


@pytest.mark.parametrize("name", ["NuSVC", "NuSVR"])
def test_nu_problems_cannot_be_divided(name):
    with pytest.raises(ValueError, match=rf"^The 'solver' parameter of {name} must be a str among .*'dc'"):
        getattr(dcsvm, name)(solver="dc").fit(X, Y)
    with pytest.raises(ValueError, match=r'^solver "dc": formulation "nu_sv[cr]" cannot be divided'):
        dcsvm.train(X, Y, formulation={"NuSVC": "nu_svc", "NuSVR": "nu_svr"}[name], solver="dc")


@pytest.mark.parametrize("name", ["SVR", "OneClassSVM"])
def test_early_models_of_one_problem(name):
    x = rng.standard_normal((2500, 3))
    y = np.sin(2 * x[:, 0]) + 0.2 * rng.standard_normal(2500)
    params = {"gamma": 0.5, "early_level": 1, "n_levels": 1, "branching": 3, "sample_size": 300}
    model = getattr(dcsvm, name)(**params).fit(x, y)
    exact = getattr(dcsvm, name)(gamma=0.5).fit(x, y)
    assert model.model_.clustered
    assert len(model.report_.levels[0]["sizes"]) == 3
    assert np.corrcoef(output(model, x), output(exact, x))[0, 1] > 0.85
    same_after_a_pickle(model, x)
    with pytest.raises(ValueError, match='early_level needs solver "dc" or "auto"'):
        model.set_params(solver="smo").fit(x, y)


def test_dcsvc_stops_early_by_itself():
    x, y = dcsvm.datasets.make_checkerboard(9000, random_state=0)
    model = dcsvm.DCSVC(C=100, gamma=4, random_state=0).fit(x, y)
    assert model.model_.clustered
    assert [level["level"] for level in model.report_.levels] == [1]  # 9000 / 4 < 4000 rows
    assert model.score(x, y) > 0.97
    assert model.n_iter_.shape == (1,)
    again = dcsvm.DCSVC(C=100, gamma=4, random_state=0).fit(x, y)
    np.testing.assert_array_equal(model.decision_function(x), again.decision_function(x))
    same_after_a_pickle(model, x)
    with pytest.raises(AttributeError, match="clustered"):
        _ = dcsvm.DCSVC(kernel="linear", early_level=1).fit(x[:3000], y[:3000]).coef_


@pytest.mark.parametrize("prediction", ["early", "naive"])
def test_dcsvc_is_the_native_early_model(prediction):
    x, y = dcsvm.datasets.make_checkerboard(3000, noise=0.05, random_state=0)
    names = np.array(["minus", "plus"])[(y > 0).astype(int)]
    model = dcsvm.DCSVC(C=10, gamma=4, early_level=1, prediction=prediction, random_state=3, precision="single").fit(x, names)
    seed = int(np.random.RandomState(3).randint(np.iinfo("i").max))
    native = dcsvm.train(
        x,
        y,
        C=10,
        gamma=4,
        early_level=1,
        prediction=prediction,
        solver="dc",
        clustering="kmeans",
        random_state=seed,
        cache_size=200,
    )
    np.testing.assert_array_equal(model.decision_function(x[:300]), native.decision_function(x[:300]))
    assert set(model.predict(x[:300])) == {"minus", "plus"}


def test_dcsvc_without_levels_is_exact():
    x, y = dcsvm.datasets.make_checkerboard(4500, random_state=0)
    exact = dcsvm.SVC(C=10, gamma=4, tol=1e-5).fit(x, y)
    for params in ({"early_level": None}, {"early_level": None, "prediction": "naive"}):
        model = dcsvm.DCSVC(C=10, gamma=4, tol=1e-5, **params).fit(x, y)
        assert not model.model_.clustered
        assert model.report_.solver == "dc"
        np.testing.assert_allclose(model.decision_function(x[:99]), exact.decision_function(x[:99]), atol=1e-3)
    assert not dcsvm.DCSVC(prediction="naive").fit(x[:1000], y[:1000]).model_.clustered


@pytest.mark.parametrize("params", [{"solver": "dc"}, {"solver": "dc", "n_levels": 1, "branching": 3}, {"fit_intercept": False}])
def test_our_parameters_of_svc(params):
    x, y = dcsvm.datasets.make_checkerboard(2500, random_state=0)
    model = dcsvm.SVC(C=10, gamma=4, tol=1e-5, n_jobs=1, precision="double", **params).fit(x, y)
    native = dcsvm.train(x, y, C=10, gamma=4, tol=1e-5, precision="double", cache_size=200, **params)
    np.testing.assert_allclose(model.decision_function(x[:99]), native.decision_function(x[:99]), atol=1e-3)
    assert model.report_.solver == params.get("solver", "smo")
    assert model.report_.precision == "double"
    assert model.report_.n_threads == 1
    assert bool(model.intercept_[0]) == params.get("fit_intercept", True)


@pytest.mark.parametrize("name", ["SVR", "OneClassSVM"])
def test_divide_and_conquer_of_one_problem(name):
    x = rng.standard_normal((2500, 3))
    y = np.sin(2 * x[:, 0]) + 0.2 * rng.standard_normal(2500)
    smo, dc = (getattr(dcsvm, name)(gamma=0.5, tol=1e-6, precision="double", solver=s).fit(x, y) for s in ("smo", "dc"))
    assert dc.report_.solver == "dc"
    assert dc.report_.levels
    np.testing.assert_allclose(dc.report_.objective, smo.report_.objective, rtol=1e-8)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_cascade_does_not_stagnate(pair):
    """Its progress per pass is below what float's gradient tells of the objective."""
    X, y = make_classification(2400, 10, n_informative=6, n_classes=3, random_state=0)
    rows = np.isin(y, pair)
    for seed in range(8):
        model = dcsvm.train(X[rows], y[rows], solver="cascade", C=10, gamma=1 / (10 * X.var()), random_state=seed)
        assert model.report.stop_reason == "converged"
        assert model.report.violation < 1e-3
