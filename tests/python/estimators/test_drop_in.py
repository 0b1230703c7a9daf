"""What programs written for scikit-learn's classes meet when they import dcsvm's: parameters, frames, attributes, messages."""

import importlib
import inspect
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dcsvm
from dcsvm.estimators._logistic_base import PENALTY_IS_DEPRECATED

X, Y = load_iris(return_X_y=True)
TWO = X[:100], Y[:100]
HOMES = {
    **dict.fromkeys(("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"), "sklearn.svm"),
    **dict.fromkeys(("LogisticRegression", "LogisticRegressionCV"), "sklearn.linear_model"),
    "KernelRidge": "sklearn.kernel_ridge",
}
SVMS = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "DCSVC", "RandSVC", "CascadeSVC", "OnlineSVC")

# Defaults before scikit-learn 1.9; ours mean the same.
OF_OLDER_RELEASES = {("probability", False), ("penalty", "l2"), ("multi_class", "deprecated")}
OF_OLDER_RELEASES |= {("scoring", None), ("l1_ratio", None), ("l1_ratios", None)}
if sklearn.utils.fixes.parse_version(sklearn.__version__) >= sklearn.utils.fixes.parse_version("1.9"):
    OF_OLDER_RELEASES = set()


@pytest.mark.parametrize("name", HOMES)
def test_every_parameter_has_scikit_learns_default_of_the_same_type(name):
    theirs = inspect.signature(getattr(importlib.import_module(HOMES[name]), name)).parameters
    ours = inspect.signature(getattr(dcsvm, name)).parameters
    for parameter, declared in theirs.items():
        if name == "LogisticRegressionCV" and parameter == "multi_class":  # until scikit-learn 1.7
            continue
        assert ours[parameter].kind == declared.kind, parameter
        default = ours[parameter].default
        if (parameter, declared.default) in OF_OLDER_RELEASES:
            continue
        assert type(default) is type(declared.default), parameter
        assert default == declared.default, parameter
    positional = [p.name for p in theirs.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == [p.name for p in ours.values() if p.kind is p.POSITIONAL_OR_KEYWORD]


@pytest.mark.filterwarnings(
    "ignore::FutureWarning",
    "ignore:Liblinear failed to converge",
    "ignore:scipy.optimize. The `disp` and `iprint`:DeprecationWarning",  # of scikit-learn before 1.8
)
@pytest.mark.parametrize("name", HOMES)
def test_scikit_learns_parameters_are_taken_as_a_whole(name):
    theirs = getattr(importlib.import_module(HOMES[name]), name)()
    ours = getattr(dcsvm, name)
    params = theirs.get_params()
    if name == "LogisticRegressionCV":
        params.pop("multi_class", None)  # until scikit-learn 1.7
    given = ours(**params).fit(*TWO)
    later = clone(ours().set_params(**params)).fit(*TWO)
    np.testing.assert_array_equal(given.predict(X), later.predict(X))
    if name == "LinearSVR":  # LIBLINEAR does not converge
        return
    theirs.fit(*TWO)
    # The decision value of a free support vector of one class is 0, so that its label is the sign of a rounding.
    answer = "decision_function" if name == "OneClassSVM" else "predict"
    np.testing.assert_allclose(getattr(given, answer)(TWO[0]), getattr(theirs, answer)(TWO[0]), atol=0.05)


def test_features_are_selected_by_weights():
    assert SelectFromModel(dcsvm.LogisticRegression()).fit(*TWO).transform(X).shape[1] < 4
    assert SelectFromModel(dcsvm.LinearSVC()).fit(*TWO).transform(X).shape[1] < 4


@pytest.mark.filterwarnings("ignore:the margin r")
@pytest.mark.parametrize("name", SVMS)
def test_frames_of_sparse_columns(name):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.get_dummies(pd.DataFrame({"a": list("abcd") * 25, "b": list("xyzzy") * 20}), sparse=True, dtype=float)
    y = (np.arange(100) % 4 > 1).astype(float)
    seed = {"random_state": 0} if "random_state" in getattr(dcsvm, name)().get_params() else {}
    model = getattr(dcsvm, name)(**seed).fit(frame, y)
    matrix = sp.csr_matrix(frame.to_numpy())
    same = getattr(dcsvm, name)(**seed).fit(matrix, y)
    np.testing.assert_array_equal(model.predict(frame), same.predict(matrix))
    np.testing.assert_array_equal(model.support_vectors_.toarray(), same.support_vectors_.toarray())
    if name not in ("OneClassSVM", "NuSVR", "SVR"):
        assert np.isfinite(cross_val_score(getattr(dcsvm, name)(**seed), frame, y, cv=3)).all()


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_frames_of_sparse_columns_in_scikit_learns_place(name):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.get_dummies(pd.DataFrame({"a": list("abcd") * 25, "b": list("xyzzy") * 20}), sparse=True, dtype=float)
    y = (np.arange(100) % 4 > 1).astype(float)
    matrix = sp.csr_matrix(frame.to_numpy())
    theirs = getattr(sklearn.svm, name)().fit(matrix, y)
    with dcsvm.patch_sklearn():
        ours = getattr(sklearn.svm, name)().fit(frame, y)
    answer = "decision_function" if name == "OneClassSVM" else "predict"  # no signs of rows on the boundary
    np.testing.assert_allclose(getattr(ours, answer)(frame), getattr(theirs, answer)(matrix), atol=1e-2)
    assert ours.feature_names_in_.tolist() == list(frame.columns)
    assert ours.support_vectors_.shape[1] == 7
    with pytest.raises(ValueError, match="feature names should match"):
        ours.predict(frame[frame.columns[::-1]])


def test_one_search_warns_in_one_text():
    """Filters and logs know equal texts; digits that are measured in each fold would make many of one warning."""
    grid = GridSearchCV(dcsvm.SVC(), {"C": [1, 10], "gamma": [1e-10, 1e-9]}, cv=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grid.fit(X * [1e5, 1, 1, 1], Y)
    found = {str(w.message) for w in caught if w.category is dcsvm.ScaleWarning}
    assert len(found) == 1, found
    assert min(found).startswith("features differ in scale by a factor of 1e+05 or more: column 0 is wide, column 1 narrow.")


SHORT = {
    "SVC": (dcsvm.SVC, {"max_iter": 3}),
    "LinearSVC": (dcsvm.LinearSVC, {"max_iter": 1, "tol": 1e-9}),
    "LogisticRegression": (dcsvm.LogisticRegression, {"max_iter": 1, "tol": 1e-12}),
    "LowRankSVC": (dcsvm.LowRankSVC, {"max_iter": 1, "tol": 1e-9}),
    "LSSVC": (dcsvm.LSSVC, {"n_iter": 1, "tol": 1e-12}),
    "KernelRidge": (dcsvm.KernelRidge, {"max_iter": 1, "tol": 1e-12, "solver": "cg"}),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_training_that_ends_early_says_what_to_do_in_a_text_that_stays(name):
    estimator, given = SHORT[name]
    texts = set()
    for part in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator(**given).fit(X[part:], Y[part:])
        endings = ("early", "stopped with", "failed to converge")
        texts |= {str(w.message) for w in caught if any(ending in str(w.message) for ending in endings)}
    assert len(texts) == 1, texts
    assert any(advice in min(texts) for advice in ("aise max_iter", "aise n_iter", "(max_iter=1)")), texts


DECIDING = ("coef_", "intercept_", "dual_coef_", "support_vectors_")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", sorted({*HOMES, *SVMS, "LSSVC", "LSSVR", "LinearOneClassSVM"}))
def test_a_change_in_place_is_seen_or_refused(name, n_classes):
    model = getattr(dcsvm, name)()
    if "kernel" in model.get_params():
        model.set_params(kernel="linear")
    model.fit(X[n_classes > Y], Y[n_classes > Y])
    for one in (model, pickle.loads(pickle.dumps(model))):
        answer = getattr(one, "decision_function", one.predict)
        for attribute in DECIDING:
            values = getattr(one, attribute, None)
            if values is None:
                continue
            before = answer(X)
            try:
                values[...] = 3 * values + 7
            except ValueError:
                continue
            assert not np.array_equal(answer(X), before), attribute
            values[...] = (values - 7) / 3


def test_dual_logistic_regression_is_that_of_liblinear():
    with pytest.raises(ValueError, match="Solver lbfgs supports only dual=False, got dual=True"):
        dcsvm.LogisticRegression(dual=True).fit(*TWO)
    dual = dcsvm.LogisticRegression(solver="liblinear", dual=True, tol=1e-8, max_iter=1000).fit(*TWO)
    primal = dcsvm.LogisticRegression(solver="liblinear", tol=1e-8).fit(*TWO)
    np.testing.assert_allclose(dual.coef_, primal.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["LinearSVC", "LinearSVR", "NuSVR"])
def test_the_range_in_the_message_is_the_true_one(name):
    for C in ("1", np.inf, 0.0):
        with pytest.raises(ValueError, match=r"range \(0\.0, inf\)\. Got"):
            getattr(dcsvm, name)(C=C).fit(*TWO)


def test_advice_for_what_another_function_does():
    with pytest.raises(TypeError, match=r"not an estimator, got SVC: .*sklearn\.model_selection\.cross_validate"):
        dcsvm.cross_validate(dcsvm.SVC(), X, Y)
    with pytest.raises(TypeError, match=r"got SVC: .*fit\(X, y\)"):
        dcsvm.train(dcsvm.SVC(), X)
    pipeline = make_pipeline(StandardScaler(), dcsvm.SVC()).fit(X, Y)
    pytest.importorskip("onnx", reason="onnx is not installed")
    with pytest.raises(TypeError, match=r"got a Pipeline: skl2onnx.*dcsvm\.onnx\.register\(\)"):
        dcsvm.onnx.to_onnx(pipeline)


def test_advice_for_probabilities_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), dcsvm.SVC()).fit(X, Y)
    with pytest.raises(AttributeError) as caught:
        pipeline.predict_proba(X)
    error, said = caught.value, ""
    while error is not None:
        said, error = said + str(error), error.__cause__
    assert "set probability='platt' before fit" in said


def test_no_probabilities_of_a_linear_svm_are_said_in_pythons_words_with_advice_as_the_cause():
    for model in (sklearn.svm.LinearSVC(), dcsvm.LinearSVC()):
        with pytest.raises(AttributeError, match=r"^'LinearSVC' object has no attribute 'predict_proba'$") as caught:
            model.predict_proba(X)
    assert "set probability=True before fit" in str(caught.value.__cause__)
    assert dcsvm.LinearSVC(probability=True).fit(*TWO).predict_proba(X).shape == (150, 2)


@pytest.mark.parametrize("train", [dcsvm.LinearSVC().fit, dcsvm.SVC().fit, dcsvm.train_linear, dcsvm.train])
def test_advice_for_texts(train):
    with pytest.raises(ValueError, match=r"list of texts: make features .*TfidfVectorizer"):
        train(["a good film", "a bad film"], [0, 1])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("LinearSVC", {"penalty": "l1", "loss": "hinge", "dual": True}),
        ("LinearSVC", {"penalty": "l1", "dual": True}),
        ("LinearSVC", {"loss": "hinge", "dual": False}),
        ("LinearSVR", {"dual": False}),
    ],
)
def test_a_combination_that_nobody_solves_is_refused_in_scikit_learns_words(name, given):
    with pytest.raises(ValueError, match="Unsupported set of arguments") as theirs:
        getattr(sklearn.svm, name)(**given).fit(*TWO)
    with pytest.raises(ValueError, match="or 'auto'") as ours:
        getattr(dcsvm, name)(**given).fit(*TWO)
    assert str(ours.value).startswith(str(theirs.value))


@pytest.mark.skipif(not PENALTY_IS_DEPRECATED, reason="since scikit-learn 1.8")
@pytest.mark.parametrize("given", [{"penalty": "l2"}, {"l1_ratio": None}, {"penalty": None}])
def test_what_is_deprecated_is_said_in_scikit_learns_words(given):
    with pytest.warns(FutureWarning) as theirs:
        sklearn.linear_model.LogisticRegression(**given).fit(*TWO)
    with pytest.warns(FutureWarning) as ours:
        dcsvm.LogisticRegression(**given).fit(*TWO)
    for one, other in zip(ours.list, theirs.list, strict=True):
        assert str(one.message).startswith(str(other.message))


BOTH = np.column_stack([Y, X[:, 0]])


# Without a penalty the kernel matrix of iris, which has a row twice, is singular: which of the two scikit-learn says depends on
# the rounding of LAPACK.
@pytest.mark.filterwarnings("ignore:Singular matrix")
@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix")
@pytest.mark.parametrize(
    ("given", "targets"),
    [
        ({}, Y),
        ({}, Y[:, None]),
        ({}, BOTH),
        ({"kernel": "rbf", "alpha": [1, 0.1]}, BOTH),
        ({"kernel": "rbf", "alpha": 0}, Y),
        ({"kernel": "rbf", "gamma": 0.3}, Y),
        ({"kernel": "polynomial"}, Y),
        ({"kernel": "poly", "degree": 2.5}, Y),
        ({"kernel": "sigmoid", "gamma": 0.01}, Y),
        ({"kernel": "laplacian"}, Y),
        ({"kernel": "chi2", "gamma": 0.5}, Y),
        ({"kernel": lambda a, b, factor: factor * (a @ b), "kernel_params": {"factor": 2}}, Y),
    ],
)
def test_kernel_ridge_is_scikit_learns(given, targets):
    ours, theirs = dcsvm.KernelRidge(**given).fit(X, targets), sklearn.kernel_ridge.KernelRidge(**given).fit(X, targets)
    assert ours.predict(X).shape == theirs.predict(X).shape
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape


@pytest.mark.parametrize("targets", [Y, BOTH])
def test_kernel_ridge_with_chi2_takes_the_gamma_of_scikit_learns_chi2_kernel(targets):
    """scikit-learn's own KernelRidge hands None on, with which chi2_kernel cannot compute."""
    model, same = dcsvm.KernelRidge(kernel="chi2").fit(X, targets), dcsvm.KernelRidge(kernel="chi2", gamma=1).fit(X, targets)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))


@pytest.mark.parametrize("given", [{}, {"kernel": "laplacian"}])
@pytest.mark.parametrize("targets", [Y, BOTH])
def test_weights_of_kernel_ridge_are_changed_or_refused(given, targets):
    model = dcsvm.KernelRidge(**given).fit(X, targets)
    for one in (model, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(one.dual_coef_, model.dual_coef_)
        with pytest.raises(AttributeError, match="dual_coef_"):
            one.dual_coef_ = 2 * one.dual_coef_
    assert not hasattr(dcsvm.KernelRidge(), "dual_coef_")


def test_kernel_ridge_of_many_rows_and_targets_has_a_model_for_each_target(monkeypatch):
    monkeypatch.setattr("dcsvm.estimators._ridge._ONE_FACTOR", 100)
    ours = dcsvm.KernelRidge(kernel="rbf", alpha=[1, 0.1]).fit(X, BOTH, sample_weight=np.linspace(0.5, 2, 150))
    theirs = sklearn.kernel_ridge.KernelRidge(kernel="rbf", alpha=[1, 0.1]).fit(X, BOTH, sample_weight=np.linspace(0.5, 2, 150))
    for one in (ours, pickle.loads(pickle.dumps(ours))):
        np.testing.assert_allclose(one.predict(X), theirs.predict(X), atol=1e-6)
        np.testing.assert_allclose(one.dual_coef_, theirs.dual_coef_, atol=1e-6)
    with pytest.raises(AttributeError, match=r"no native model of several targets.*pickle keeps the estimator"):
        _ = ours.model_
    with pytest.raises(ValueError, match="one for each of 2 targets"):
        dcsvm.KernelRidge(alpha=[1, 2, 3]).fit(X, BOTH)
