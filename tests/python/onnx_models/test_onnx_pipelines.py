"""to_onnx of estimators, and skl2onnx with dcsvm.onnx.register(): the answers are those of the estimators."""

import numpy as np
import pytest

import dcsvm

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")

from skl2onnx import convert_sklearn, to_onnx
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from _onnx_graphs import agrees, blobs, error, run, wave

CLASSIFIERS = {
    "SVC": lambda: dcsvm.SVC(gamma=0.3),
    "SVC pairs": lambda: dcsvm.SVC(gamma=0.3, decision_function_shape="ovo"),
    "SVC ties": lambda: dcsvm.SVC(gamma=0.3, break_ties=True),
    "SVC platt": lambda: dcsvm.SVC(gamma=0.3, probability="platt", random_state=0),
    "NuSVC": lambda: dcsvm.NuSVC(gamma=0.3, nu=0.6),
    "DCSVC": lambda: dcsvm.DCSVC(gamma=0.3, early_level=1, random_state=0),
    "RandSVC": lambda: dcsvm.RandSVC(gamma=0.3, random_state=0),
    "CascadeSVC": lambda: dcsvm.CascadeSVC(gamma=0.3, random_state=0),
    "OnlineSVC": lambda: dcsvm.OnlineSVC(gamma=0.3),
    "LowRankSVC": lambda: dcsvm.LowRankSVC(gamma=0.3, n_landmarks=50, random_state=0),
    "DCPredSVC": lambda: dcsvm.DCPredSVC(gamma=0.3, n_leaves=3, random_state=0),
    "LDKLSVC": lambda: dcsvm.LDKLSVC(depth=3, random_state=0),
    "LinearSVC": lambda: dcsvm.LinearSVC(random_state=0),
    "LinearSVC in one": lambda: dcsvm.LinearSVC(multi_class="crammer_singer", C=0.1, tol=1e-2, random_state=0),
    "LogisticRegression": lambda: dcsvm.LogisticRegression(random_state=0),
    "LogisticRegressionCV": lambda: dcsvm.LogisticRegressionCV(
        Cs=2, cv=2, l1_ratios=(0,), scoring="accuracy", use_legacy_attributes=False, random_state=0
    ),
    "LSSVC": lambda: dcsvm.LSSVC(gamma=0.3, gamma_ls=10, method="exact"),
    "SVCCV": lambda: dcsvm.SVCCV(C=1.0, gamma=[0.3, 0.5], cv=2, random_state=0),
    "NuSVCCV": lambda: dcsvm.NuSVCCV(nu=0.6, gamma=[0.3, 0.5], cv=2, random_state=0),
}
CALIBRATED = {
    "LinearSVC": lambda: dcsvm.LinearSVC(probability=True, random_state=0),
    "LinearSVC in one": lambda: dcsvm.LinearSVC(multi_class="crammer_singer", C=0.1, tol=1e-2, probability=True, random_state=0),
    "LowRankSVC": lambda: dcsvm.LowRankSVC(gamma=0.3, n_landmarks=50, probability=True, random_state=0),
    "LowRankSVC pairs": lambda: dcsvm.LowRankSVC(gamma=0.3, n_landmarks=50, multi_class="ovo", probability=True, random_state=0),
    "DCPredSVC": lambda: dcsvm.DCPredSVC(gamma=0.3, n_leaves=3, probability=True, random_state=0),
    "LDKLSVC": lambda: dcsvm.LDKLSVC(depth=3, probability=True, random_state=0),
}
CLASSIFIERS.update({f"{name}, calibrated": make for name, make in CALIBRATED.items()})
PROBABLE = [*(f"{name}, calibrated" for name in CALIBRATED), "SVC platt", "LogisticRegression", "LogisticRegressionCV", "LSSVC"]
# whose own kernel values are float32
FLOAT = {"CascadeSVC", "LowRankSVC", "LowRankSVC pairs", "DCPredSVC", "RandSVC", "DCSVC"}


def kind(name):
    return name.removesuffix(", calibrated")


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, k):
    X, y = blobs(400, 4, k)
    labels = np.array(["low", "mid", "high", "top"])[y.astype(int)]
    model = CLASSIFIERS[name]().fit(X, labels)
    single = {"DCPredSVC": 1e-2}.get(kind(name), 2e-5)  # see test_onnx_models.test_dc_pred
    queries = blobs(300, 4, k, seed=1)[0]
    assert ("probabilities" in run(model.to_onnx(), queries)) == hasattr(model, "predict_proba") == (name in PROBABLE)
    agrees(model, queries, single=single, double=None if kind(name) in FLOAT else 1e-11)


REGRESSORS = [
    dcsvm.SVR(gamma=0.3),
    dcsvm.NuSVR(gamma=0.3),
    dcsvm.QuantileSVR(gamma=0.3, quantile=0.7),
    dcsvm.SVRCV(C=1.0, gamma=[0.3, 0.5], cv=2, random_state=0),
    dcsvm.KernelRidge(kernel="rbf", gamma=0.3),
    dcsvm.LinearSVR(random_state=0),
    dcsvm.LSSVR(gamma=0.3, gamma_ls=10, method="exact"),
    dcsvm.DCPredRidge(gamma=0.3, n_leaves=3, random_state=0),
]
DETECTORS = [dcsvm.OneClassSVM(gamma=0.3), dcsvm.LinearOneClassSVM(random_state=0)]


def test_every_estimator_is_tested_here():
    from dcsvm import estimators

    tested = {type(make()) for make in CLASSIFIERS.values()} | {type(model) for model in REGRESSORS + DETECTORS}
    kinds = {getattr(estimators, name) for name in estimators.__all__}
    assert tested == {kind for kind in kinds if hasattr(kind, "predict")}


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_regressors_alone_and_by_skl2onnx(model):
    X, y = wave(400, 4)
    dcsvm.onnx.register()
    pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
    assert error(run(model.to_onnx(), X)["prediction"], model.predict(X)) < 1e-4
    found = run(to_onnx(pipeline, X[:1]), X)["variable"]
    assert error(found[:, 0], pipeline.predict(X)) < (1e-4 if isinstance(model, dcsvm.DCPredRidge) else 1e-10)


def test_regression_of_several_targets_keeps_the_shape_of_y():
    X, y = wave(300, 3)
    dcsvm.onnx.register()
    for targets in (np.stack([y, -y], axis=1), y[:, None]):
        model = dcsvm.LSSVR(gamma=0.3, gamma_ls=10, method="exact").fit(X, targets)
        assert error(run(model.to_onnx(dtype="float64"), X)["prediction"], model.predict(X)) < 1e-12
        assert error(run(to_onnx(model, X[:1]), X)["variable"], model.predict(X)) < 1e-12


@pytest.mark.parametrize("model", DETECTORS, ids=lambda model: type(model).__name__)
def test_outlier_detectors_alone_and_by_skl2onnx(model):
    X, _ = wave(400, 4)
    queries, _ = wave(300, 4, seed=1)
    dcsvm.onnx.register()
    pipeline = make_pipeline(StandardScaler(), model).fit(X)
    agrees(model, queries, double=1e-11)
    found = run(to_onnx(pipeline, X[:1]), queries)
    assert np.array_equal(found["label"][:, 0], pipeline.predict(queries))
    assert error(found["scores"][:, 0], pipeline.decision_function(queries)) < 1e-11


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("dtype", [FloatTensorType, DoubleTensorType])
def test_pipelines_by_skl2onnx(name, dtype):
    X, y = blobs(400, 4, 3)
    dcsvm.onnx.register()
    model = make_pipeline(StandardScaler(), CLASSIFIERS[name]()).fit(X, np.array(["a", "b", "c"])[y.astype(int)])
    graph = convert_sklearn(model, initial_types=[("X", dtype([None, 4]))], options={type(model[-1]): {"zipmap": False}})
    found = run(graph, X)
    assert np.array_equal(found["label"], model.predict(X))
    tolerance = 1e-2 if kind(name) == "DCPredSVC" else 5e-5 if dtype is FloatTensorType or kind(name) in FLOAT else 1e-10
    if hasattr(model, "predict_proba"):
        assert error(found["probabilities"], model.predict_proba(X)) < tolerance
    else:
        assert error(found["decision"], model.decision_function(X)) < tolerance


def test_two_classes_have_two_columns_and_a_zipmap_of_probabilities():
    X, y = blobs(300, 3, 2)
    dcsvm.onnx.register()
    types = [("X", DoubleTensorType([None, 3]))]
    model = dcsvm.SVC(gamma=0.3).fit(X, y)
    decision = model.decision_function(X)
    assert error(run(convert_sklearn(model, initial_types=types), X)["decision"], np.stack([-decision, decision], axis=1)) < 1e-12
    model = dcsvm.LogisticRegression(random_state=0).fit(X, y.astype(int))
    found = run(convert_sklearn(model, initial_types=[("X", FloatTensorType([None, 3]))]), X)  # a ZipMap is of float32
    assert abs(found["output_probability"][5][1] - model.predict_proba(X)[5, 1]) < 1e-6
    raw = run(convert_sklearn(model, initial_types=types, options={id(model): {"raw_scores": True}}), X)
    assert error(raw["decision"][:, 1], model.decision_function(X)) < 1e-12


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", PROBABLE)
def test_probabilities_in_a_vote_one_against_the_rest_and_a_zipmap(name, k):
    X, y = blobs(200, 4, k)
    dcsvm.onnx.register()
    make, tolerance = CLASSIFIERS[name], 1e-3 if kind(name) == "DCPredSVC" else 1e-6
    vote = VotingClassifier([("a", make()), ("b", make())], voting="soft", flatten_transform=False).fit(X, y)
    found = run(to_onnx(vote, X[:1], options={"zipmap": False}), X)
    assert error(found["probabilities"], vote.predict_proba(X)) < tolerance
    assert np.array_equal(found["label"], vote.predict(X))
    rest = OneVsRestClassifier(make()).fit(X, y)
    assert error(run(to_onnx(rest, X[:1], options={"zipmap": False}), X)["probabilities"], rest.predict_proba(X)) < tolerance
    alone = make().fit(X, y.astype(int))
    mapped = run(to_onnx(alone, X[:1].astype(np.float32)), X)["output_probability"]
    assert error([[row[c] for c in range(k)] for row in mapped], alone.predict_proba(X)) < max(tolerance, 1e-5)


@pytest.mark.parametrize("name", ["LinearSVC", "LowRankSVC", "DCPredSVC", "LDKLSVC", "SVC pairs"])
def test_a_fit_without_the_probabilities_that_are_asked_for_is_refused(name):
    X, y = blobs(100, 3, 3)
    model = CLASSIFIERS[name]().fit(X, y).set_params(probability="platt" if name == "SVC pairs" else True)
    dcsvm.onnx.register()
    for export in (model.to_onnx, lambda: to_onnx(model, X[:1])):
        with pytest.raises(ValueError, match="the last fit calibrated no probabilities: fit the estimator again"):
            export()
    model.set_params(probability=False)
    assert "probabilities" not in run(model.to_onnx(), X)


# A row of zeros, as a text without a known word: without a bias its decision is 0.


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "OnlineSVC"])
def test_ties_are_decided_as_by_the_estimator(name, k):
    X, y = blobs(200, 4, k)
    model, zeros = CLASSIFIERS[name](), np.zeros((2, 4))
    how = {"kernel": "linear", "fit_intercept": False}
    model.set_params(**{key: value for key, value in how.items() if key in model.get_params()}).fit(X, y)
    decisions = model.decision_function(zeros)
    assert not np.signbit(decisions).any() or decisions.any(), decisions
    for dtype in ("float32", "float64"):
        found = run(model.to_onnx(dtype=dtype), zeros)
        assert np.array_equal(found["label"], model.predict(zeros))
        assert not np.signbit(found["decision"][found["decision"] == 0]).any()


def test_one_class_rows_on_the_boundary_are_a_warning():
    X = load_iris().data
    model = dcsvm.OneClassSVM(nu=0.01).fit(X)
    with pytest.warns(UserWarning, match=r"free support vectors .* lie on its boundary.*dtype='float64'"):
        single = model.to_onnx()
    assert (run(single, X)["label"] != model.predict(X)).any()  # what the warning is about
    assert np.array_equal(run(model.to_onnx(dtype="float64"), X)["label"], model.predict(X))
    dcsvm.onnx.register()
    with pytest.warns(UserWarning, match="lie on its boundary"):
        to_onnx(model, X[:1].astype(np.float32))


def test_the_operator_is_an_option():
    X, y = blobs(300, 3, 3)
    dcsvm.onnx.register()
    model = make_pipeline(StandardScaler(), dcsvm.SVC(gamma=0.3)).fit(X, y)
    graph = to_onnx(model, X[:1].astype(np.float32), options={dcsvm.SVC: {"op": "ml"}})
    assert "SVMClassifier" in {node.op_type for node in graph.graph.node}
    assert np.array_equal(run(graph, X)["label"], model.predict(X))


def test_inside_of_scikit_learns_meta_estimators():
    X, y = blobs(300, 3, 3)
    X2, y2 = blobs(300, 3, 2)
    dcsvm.onnx.register()
    for model, rows, labels in (
        (CalibratedClassifierCV(dcsvm.SVC(gamma=0.3), ensemble=False, cv=3), X, y),
        (CalibratedClassifierCV(dcsvm.SVC(gamma=0.3), ensemble=False, cv=3), X2, y2),
        (VotingClassifier([("a", dcsvm.SVC(gamma=0.3)), ("b", dcsvm.LinearSVC(random_state=0))], flatten_transform=False), X, y),
        (StackingClassifier([("a", dcsvm.LogisticRegression(random_state=0))], LogisticRegression(), cv=3), X, y),
        (make_pipeline(ColumnTransformer([("s", StandardScaler(), [0, 1])], remainder="passthrough"), dcsvm.SVC()), X, y),
    ):
        model.fit(rows, labels)
        graph = to_onnx(model, rows[:1], options={"zipmap": False})
        found = run(graph, rows)
        assert np.array_equal(found["label"], model.predict(rows)), model
        if hasattr(model, "predict_proba"):
            assert error(found["probabilities"], model.predict_proba(rows)) < 1e-5, model


def test_what_is_refused():
    X, y = blobs(60, 3, 2)
    model = dcsvm.SVC(kernel=lambda a, b: a @ b.T).fit(X, y)
    with pytest.raises(ValueError, match="callable kernel has no form in ONNX"):
        model.to_onnx()
    with pytest.raises(ValueError, match="kernel='precomputed'"):
        dcsvm.SVC(kernel="precomputed").fit(X @ X.T, y).to_onnx()
    with pytest.raises(ValueError, match="not fitted"):
        dcsvm.SVC().to_onnx()
    with pytest.raises(TypeError, match="a dcsvm model or fitted estimator was expected, got a LogisticRegression"):
        dcsvm.onnx.to_onnx(LogisticRegression().fit(X, y))
    dcsvm.onnx.register()
    with pytest.raises(ValueError, match="target_opset must be at least 13"):
        to_onnx(dcsvm.SVC().fit(X, y), X[:1], target_opset=12)


def test_changed_coefficients_count():
    X, y = blobs(100, 3, 2)
    model = dcsvm.SVC(gamma=0.3).fit(X, y)
    model._dual_coef_ = model._dual_coef_ * 2
    assert error(run(model.to_onnx(dtype="float64"), X)["decision"], model.decision_function(X)) < 1e-12
