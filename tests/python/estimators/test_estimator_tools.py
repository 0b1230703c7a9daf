"""The estimators among scikit-learn's tools: pipelines, searches, frames, files, routing, display, progress."""

import copy
import doctest
import io
import os
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
import joblib
import scipy.sparse as sp
import sklearn
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.utils import get_tags

NAMES = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "DCSVC", "RandSVC", "CascadeSVC", "OnlineSVC"]
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


not_converged = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
OTHERS = ["DCPredSVC", "DCPredRidge", "KernelRidge", "LDKLSVC", "LSSVC", "LSSVR", "LinearOneClassSVM", "LinearSVC", "LinearSVR"]


@not_converged
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [*OTHERS, "LogisticRegression", "LowRankSVC"])
def test_others_saved_and_loaded(name, way):
    model = fitted(name)
    again = WAYS[way](model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.get_params() == model.get_params()
    assert again.model_.to_bytes() == model.model_.to_bytes()


def test_a_pickle_names_the_class_by_its_public_path_and_holds_a_model_file():
    data = pickle.dumps(fitted("SVC"), protocol=0)
    assert b"cdcsvm\nSVC\n" in data
    assert b"dcsvm.estimators" not in data
    assert fitted("SVC").__getstate__()["_model"]["file"].tobytes().startswith(fitted("SVC").model_.to_bytes()[:8])


@not_converged
@pytest.mark.parametrize("name", [*NAMES, *OTHERS, "LogisticRegression", "LowRankSVC", "FourierFeatures", "TwoStepNormalizer"])
def test_skops_needs_to_trust_the_estimator_alone(name):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    assert skops.get_untrusted_types(data=skops.dumps(fitted(name))) == [f"dcsvm.{name}"]


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


def test_a_centred_kernel_in_cross_validation():
    """Two training rows with one target: scikit-learn-intelex deselects scikit-learn's test of it."""
    rows = np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3], [1, 1, 1]])
    pipeline = make_pipeline(KernelCenterer(), dcsvm.SVR(kernel="precomputed"))
    assert get_tags(pipeline).input_tags.pairwise
    np.testing.assert_allclose(cross_val_predict(pipeline, rows @ rows.T, np.ones(4), cv=2), 1)


def test_bags_of_sparse_rows_are_those_of_dense_ones():
    csr = sp.csr_matrix(X * (X > 0))
    for kernel in ("linear", "rbf"):
        bags = [BaggingClassifier(dcsvm.SVC(kernel=kernel), 3, random_state=1).fit(x, Y) for x in (csr, csr.toarray())]
        np.testing.assert_allclose(bags[0].decision_function(csr), bags[1].decision_function(csr.toarray()), atol=1e-8)


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


@pytest.mark.filterwarnings("ignore:the margin r")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "DCSVC"])
def test_platt_predicts_the_class_of_highest_probability(name, k):
    blur = np.random.default_rng(3).standard_normal(200)
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 1.5 * blur, [1.0, 2.0][: k - 1])]
    params = {"nu": 0.1} if name == "NuSVC" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # not deprecated
        platt = getattr(dcsvm, name)(probability="platt", random_state=0, **params).fit(X, y)
    probabilities = platt.predict_proba(X)
    np.testing.assert_array_equal(platt.predict(X), platt.classes_[probabilities.argmax(axis=1)])
    with pytest.warns(FutureWarning, match="`probability` parameter was deprecated"):
        true = getattr(dcsvm, name)(probability=True, random_state=0, **params).fit(X, y)
    np.testing.assert_array_equal(true.predict_proba(X), probabilities)
    np.testing.assert_array_equal(true.decision_function(X), platt.decision_function(X))
    assert (true.predict(X) != platt.predict(X)).any()  # scikit-learn's way: votes
    assert pickle.loads(pickle.dumps(clone(platt))).get_params()["probability"] == "platt"
    with pytest.raises(ValueError, match="break_ties must be False with probability='platt'"):
        platt.set_params(break_ties=True).predict(X)


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


def test_callback_gets_what_that_of_train_gets_and_may_stop():
    seen = []
    x, y = dcsvm.datasets.make_checkerboard(4000, noise=0.2, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(cancelled\)\."):
        model = dcsvm.SVC(C=100, gamma=4, callback=lambda p: seen.append(p) or True).fit(x, y)
    names = {"phase", "level", "done", "total", "n_iter", "violation", "objective", "active", "n_support", "seconds"}
    assert isinstance(seen[0], dcsvm.Progress)
    assert set(seen[0].keys()) == names
    assert model.fit_status_ == 1
    assert model.report_.stop_reason == "cancelled"
    described = dcsvm.SVC.__doc__.partition("callback : ")[2].partition(" : ")[0]
    assert all(name in described for name in names)


def test_what_a_callback_stopped_predicts_without_probabilities(tmp_path):
    x, y = dcsvm.datasets.make_checkerboard(1000, noise=0.2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="cancelled"):
        model = dcsvm.SVC(C=100, gamma=4, probability="platt", callback=lambda p: p.phase == "calibrate").fit(x, y)
    np.testing.assert_array_equal(model.predict(x), model.classes_[(model.decision_function(x) > 0).astype(int)])
    model.save(tmp_path / "stopped.model")
    np.testing.assert_array_equal(dcsvm.SVC.load(tmp_path / "stopped.model").predict(x), model.predict(x))
    with pytest.raises(NotFittedError, match="when the callback stopped fit"):
        model.predict_proba(x)
    with pytest.raises(ValueError, match="its training was stopped before they were fitted"):
        model.model_.predict_proba(x)


def test_verbose_shows_progress(capsys):
    x, y = dcsvm.datasets.make_checkerboard(4000, noise=0.2, random_state=0)
    dcsvm.SVC(C=100, gamma=4, verbose=1).fit(x, y)
    shown = capsys.readouterr()
    assert "solve" in shown.err
    assert shown.out == ""


BAR = """
import dcsvm
x, y = dcsvm.datasets.make_checkerboard(6000, noise=0.3, random_state=0)
dcsvm.SVC(C=100, gamma=4, verbose=1).fit(x, y)
"""


@pytest.mark.skipif(os.name != "posix", reason="a terminal as on POSIX")
def test_verbose_shows_a_bar_on_a_terminal(seen_on_terminal):
    environment = {**os.environ, "COLUMNS": "140", "LINES": "40"}
    seen = seen_on_terminal([sys.executable, "-c", BAR], env=environment).decode()
    line = next((text for text in seen.split("\r") if "active" in text and "steps" in text), seen)
    assert re.search(r"%\|.*violation \d\.\de[+-]\d\d  [\d,]+ steps  [\d,]+ active  [\d,]+ support vectors", line), line
    last = seen.rstrip().split("\r")[-1]
    assert re.search(r"^ +\d+\.\d s  done        violation \d\.\de-0[4-9]  [\d,]+ steps  [\d,]+ support vectors$", last), last


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
    assert "dcsvm.SVC needs scikit-learn" in str(error) and "pip install '.[sklearn]'" in str(error), error
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
