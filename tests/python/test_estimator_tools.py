"""The estimators among scikit-learn's tools: pipelines, searches, frames, files, routing, display; and what is ours alone."""

import copy
import doctest
import io
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
import joblib
import sklearn
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

NAMES = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "DCSVC", "RandSVC", "CascadeSVC"]
rng = np.random.default_rng(1)
X = rng.standard_normal((200, 3))
Y = (X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(200) > 0).astype(int)


def fitted(name, **params):
    return getattr(dcsvm, name)(**params).fit(X, Y)


def same(a, b, x=X):
    np.testing.assert_array_equal(a.predict(x), b.predict(x))
    np.testing.assert_array_equal(a.dual_coef_, b.dual_coef_)
    np.testing.assert_array_equal(a.support_vectors_, b.support_vectors_)


# Files


def through_skops(model):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    data = skops.dumps(model)
    return skops.loads(data, trusted=skops.get_untrusted_types(data=data))


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


WAYS = {
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "copy": copy.deepcopy,
    "joblib": through_joblib,
    "skops": through_skops,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded(name, way):
    model = fitted(name)
    again = WAYS[way](model)
    same(model, again)
    assert again.get_params() == model.get_params()
    assert again.report_.objective == model.report_.objective


def test_a_pickle_names_the_class_by_its_public_path_and_holds_a_model_file():
    data = pickle.dumps(fitted("SVC"), protocol=0)
    assert b"cdcsvm\nSVC\n" in data
    assert b"dcsvm.estimators" not in data
    assert isinstance(fitted("SVC").__getstate__()["_model"], bytes)


def test_a_changed_coefficient_survives_a_pickle():
    model = fitted("SVC")
    model._dual_coef_ = 2 * model._dual_coef_
    np.testing.assert_array_equal(WAYS["pickle"](model).decision_function(X), model.decision_function(X))


def test_unfitted_ones_pickle_clone_and_say_so():
    model = dcsvm.SVC(C=3, callback=print)
    assert pickle.loads(pickle.dumps(model)).get_params() == clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError, match="This SVC instance is not fitted yet"):
        model.predict(X)
    for attribute in ("support_vectors_", "n_support_", "coef_", "report_", "model_", "probA_"):
        assert not hasattr(model, attribute)


def test_the_native_model_saves_and_predicts_the_same(tmp_path):
    model = fitted("SVC")
    model.model_.save(tmp_path / "svc.model")
    native = dcsvm.load_model(tmp_path / "svc.model")
    np.testing.assert_array_equal(native.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(model.classes_[native.predict(X)], model.predict(X))


# Data


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", NAMES)
def test_frames(name, library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    frame = frames.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    model = getattr(dcsvm, name)().fit(frame, frames.Series(Y))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(frame), fitted(name).predict(X))
    with pytest.raises(ValueError, match=r"feature names should match|Feature names unseen"):
        model.predict(frame.rename(columns={"a": "z"}) if library == "pandas" else frame.rename({"a": "z"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)


# Tools


def test_kinds_and_tags():
    assert all(is_classifier(getattr(dcsvm, n)()) for n in ("SVC", "NuSVC", "DCSVC"))
    assert all(is_regressor(getattr(dcsvm, n)()) for n in ("SVR", "NuSVR"))
    assert is_outlier_detector(dcsvm.OneClassSVM())
    for name in NAMES:
        plain, precomputed = get_tags(getattr(dcsvm, name)()), get_tags(getattr(dcsvm, name)(kernel="precomputed"))
        assert (plain.input_tags.sparse, plain.input_tags.pairwise) == (True, False)
        assert (precomputed.input_tags.sparse, precomputed.input_tags.pairwise) == (False, True)


def test_grid_search_in_a_pipeline():
    search = GridSearchCV(make_pipeline(StandardScaler(), dcsvm.SVC()), {"svc__C": [0.1, 1, 10], "svc__gamma": [0.1, 1]}, cv=3)
    theirs = GridSearchCV(make_pipeline(StandardScaler(), sklearn.svm.SVC()), search.param_grid, cv=3)
    np.testing.assert_allclose(
        search.fit(X, Y).cv_results_["mean_test_score"], theirs.fit(X, Y).cv_results_["mean_test_score"], atol=0.011
    )
    parallel = clone(search).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(parallel.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


def test_precomputed_kernels_are_cut_by_rows_and_columns():
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    np.testing.assert_allclose(
        cross_val_score(dcsvm.SVC(kernel="precomputed"), K, Y, cv=4),
        cross_val_score(dcsvm.SVC(gamma=0.5), X, Y, cv=4),
        atol=0.021,
    )


def test_calibration_on_top():
    model = CalibratedClassifierCV(dcsvm.SVC(), ensemble=False, cv=3).fit(X, Y)
    theirs = CalibratedClassifierCV(sklearn.svm.SVC(), ensemble=False, cv=3).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=0.01)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "DCSVC"])
def test_probabilities_are_the_cores_and_follow_the_decisions(name):
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.2 * rng.standard_normal(200), [-0.4, 0.4])]
    params = {"early_level": 1} if name == "DCSVC" else {}
    model = getattr(dcsvm, name)(probability=True, random_state=0, **params).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), probabilities)
    np.testing.assert_array_equal(probabilities, model.model_.predict_proba(X))
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).mean() > 0.9
    two = getattr(dcsvm, name)(probability=True, random_state=0, **params).fit(X, Y)
    p, decision = two.predict_proba(X)[:, 1], two.decision_function(X)
    assert (np.diff(p[np.argsort(decision)]) >= -1e-12).all()  # one sigmoid of what predict looks at
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(two)).predict_proba(X)[:, 1], p)


def test_weights_are_routed():
    weights = rng.uniform(0.1, 3, 200)
    with sklearn.config_context(enable_metadata_routing=True):
        model = dcsvm.SVC(gamma=1).set_fit_request(sample_weight=True)
        routed = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        values = routed.fit(X, Y, sample_weight=weights).decision_function(X)
    direct = dcsvm.SVC(gamma=1).fit(StandardScaler().fit_transform(X), Y, sample_weight=weights)
    np.testing.assert_array_equal(values, direct.decision_function(StandardScaler().fit_transform(X)))


@pytest.mark.parametrize("name", NAMES)
def test_html(name):
    model = getattr(dcsvm, name)(kernel="poly")
    html = model._repr_html_()
    assert name in html
    assert "poly" in html
    assert repr(model) == f"{name}(kernel='poly')"


def test_subclasses_may_add_parameters():
    class Mine(dcsvm.SVC):
        def __init__(self, *, extra=1, C=2.0):
            super().__init__(C=C)
            self.extra = extra

    assert clone(Mine(extra=5)).fit(X, Y).get_params() == {"C": 2.0, "extra": 5}


# Ours


def test_callback_gets_a_dict_and_may_stop():
    seen = []
    x, y = dcsvm.datasets.make_checkerboard(4000, noise=0.2, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(cancelled\)\."):
        model = dcsvm.SVC(C=100, gamma=4, callback=lambda p: seen.append(p) or True).fit(x, y)
    names = {"phase", "level", "done", "total", "n_iter", "violation", "objective", "active", "seconds"}
    assert set(seen[0]) == names
    assert model.fit_status_ == 1
    assert model.report_.stop_reason == "cancelled"
    from dcsvm.estimators._docs import _PARAMETERS

    assert all(name in _PARAMETERS["callback"][1] for name in names)


def test_verbose_shows_progress(capsys):
    x, y = dcsvm.datasets.make_checkerboard(4000, noise=0.2, random_state=0)
    dcsvm.SVC(C=100, gamma=4, verbose=1).fit(x, y)
    shown = capsys.readouterr()
    assert "solve" in shown.err
    assert shown.out == ""


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


@pytest.mark.parametrize(("name", "values"), [("SVR", {"C": [1, 5, 2, 2]}), ("OneClassSVM", {"nu": [0.1, 0.3, 0.3]})])
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


def test_dcsvc_stops_early_by_itself():
    x, y = dcsvm.datasets.make_checkerboard(9000, random_state=0)
    model = dcsvm.DCSVC(C=100, gamma=4, random_state=0).fit(x, y)
    assert model.model_.clustered
    assert [level["level"] for level in model.report_.levels] == [2]  # 9000 / 4^2 < 2000 rows
    assert model.score(x, y) > 0.97
    assert model.n_iter_.shape == (1,)
    again = dcsvm.DCSVC(C=100, gamma=4, random_state=0).fit(x, y)
    np.testing.assert_array_equal(model.decision_function(x), again.decision_function(x))
    same(model, WAYS["pickle"](model), x)
    with pytest.raises(AttributeError, match="clustered"):
        _ = dcsvm.DCSVC(kernel="linear", early_level=1).fit(x[:3000], y[:3000]).coef_


@pytest.mark.parametrize("prediction", ["early", "naive", "bcm"])
def test_dcsvc_is_the_native_early_model(prediction):
    x, y = dcsvm.datasets.make_checkerboard(3000, noise=0.05, random_state=0)
    names = np.array(["minus", "plus"])[(y > 0).astype(int)]
    model = dcsvm.DCSVC(C=10, gamma=4, early_level=1, prediction=prediction, random_state=3, precision="single").fit(x, names)
    seed = int(np.random.RandomState(3).randint(np.iinfo("i").max))
    native = dcsvm.train(
        x, y, C=10, gamma=4, early_level=1, prediction=prediction, solver="dc", random_state=seed, cache_size=200
    )
    np.testing.assert_array_equal(model.decision_function(x[:300]), native.decision_function(x[:300]))
    assert set(model.predict(x[:300])) == {"minus", "plus"}


def test_dcsvc_without_levels_is_exact():
    x, y = dcsvm.datasets.make_checkerboard(2500, random_state=0)
    exact = dcsvm.SVC(C=10, gamma=4, tol=1e-5).fit(x, y)
    for params in ({"early_level": None}, {"early_level": None, "prediction": "naive"}):
        model = dcsvm.DCSVC(C=10, gamma=4, tol=1e-5, **params).fit(x, y)
        assert not model.model_.clustered
        assert model.report_.solver == "dc"
        np.testing.assert_allclose(model.decision_function(x[:99]), exact.decision_function(x[:99]), atol=1e-3)
    assert not dcsvm.DCSVC(prediction="bcm").fit(x[:1000], y[:1000]).model_.clustered


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


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_the_docstrings(name):
    (example,) = (t for t in doctest.DocTestFinder(recurse=False).find(getattr(dcsvm, name), name, module=False) if t.examples)
    assert doctest.DocTestRunner().run(example).failed == 0


WITHOUT = """
import sys
sys.modules["sklearn"] = None  # as if it were not installed
import dcsvm
assert not any(m.startswith(("dcsvm.estimators", "sklearn.", "scipy")) for m in sys.modules)
assert "SVC" in dir(dcsvm) and "SVC" not in dcsvm.__all__
dcsvm.train([[0.0], [1.0]], [0, 1])
try:
    dcsvm.SVC
except ImportError as error:
    assert "dcsvm.SVC needs scikit-learn" in str(error) and "pip install 'dcsvm[sklearn]'" in str(error), error
else:
    raise SystemExit("no ImportError")
"""


def test_without_scikit_learn():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True, timeout=60)


def test_scikit_learn_is_loaded_on_first_use_only():
    code = "import sys, dcsvm; assert 'sklearn' not in sys.modules; dcsvm.SVR; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_fits_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in NAMES:
            fitted(name)
