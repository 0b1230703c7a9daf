"""LogisticRegression and LogisticRegressionCV: scikit-learn's problem, no worse objective, its parameters and attributes."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn.linear_model
from scipy import sparse
from scipy.special import log_softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version

import dcsvm

THEIRS = sklearn.linear_model.LogisticRegression
# scikit-learn before 1.8 passes options that newer releases of SciPy are going to drop.
pytestmark = pytest.mark.filterwarnings("ignore:scipy.optimize. The `disp` and `iprint`:DeprecationWarning")
NAMES_ITS_PENALTY = THEIRS().get_params()["penalty"] != "deprecated"  # scikit-learn before 1.8
THEIRS_CV = sklearn.linear_model.LogisticRegressionCV
HAS_MULTI_CLASS = "multi_class" in THEIRS_CV().get_params()  # scikit-learn before 1.8
SCALED = StandardScaler().fit_transform


def text(rows=300, columns=2000, classes=4):
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    X = sparse.random(rows, columns, 0.02, format="csr", random_state=1, data_rvs=lambda n: rng.gamma(1.0, size=n))
    own = sparse.csr_matrix((rng.random(rows), (np.arange(rows), 10 * y + rng.integers(0, 10, rows))), (rows, columns))
    return (X + own).tocsr(), y


DATA = {
    "iris": lambda: load_iris(return_X_y=True),
    "iris, scaled": lambda: (SCALED(load_iris().data), load_iris().target),
    "wine, scaled": lambda: (SCALED(load_wine().data), load_wine().target),
    "cancer, scaled": lambda: (SCALED(load_breast_cancer().data), load_breast_cancer().target),
    "digits": lambda: tuple(values[:300] for values in load_digits(return_X_y=True)),
    "text of four classes": text,
    "text of two classes": lambda: text(classes=2),
}


def objective(model, X, y, C=1.0, weights=None, l1_ratio=0.0):
    """scikit-learn's, of any fitted model."""
    Z = np.asarray(X @ model.coef_.T) + model.intercept_
    Z = np.column_stack([np.zeros(len(y)), Z]) if Z.shape[1] == 1 else Z
    losses = -log_softmax(Z, axis=1)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    W = model.coef_
    return (
        C * np.sum(losses if weights is None else weights * losses)
        + l1_ratio * np.abs(W).sum()
        + (1 - l1_ratio) / 2 * (W**2).sum()
    )


def fitted(model, X, y, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **how)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("name", DATA)
def test_the_objective_at_the_default_tolerance_is_not_above_the_best_of_scikit_learns_solvers(name, C):
    X, y = DATA[name]()
    ours = objective(dcsvm.LogisticRegression(C=C).fit(X, y), X, y, C)
    for solver in ("lbfgs", "newton-cg", "newton-cholesky", "saga"):
        if solver == "newton-cholesky" and (sparse.issparse(X) or name == "digits"):
            continue  # its matrix has a row for each column and class
        theirs = objective(fitted(THEIRS(C=C, solver=solver), X, y), X, y, C)
        assert ours <= theirs * (1 + 1e-9), solver


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
@pytest.mark.parametrize("name", ["iris, scaled", "wine, scaled", "cancer, scaled", "text of four classes"])
def test_with_l1_it_is_not_above_either(name, l1_ratio):
    X, y = DATA[name]()
    own = {"solver": "saga", "l1_ratio": l1_ratio, "C": 0.5}
    if NAMES_ITS_PENALTY:
        own["penalty"] = "elasticnet"
    ours = objective(dcsvm.LogisticRegression(**own).fit(X, y), X, y, 0.5, l1_ratio=l1_ratio)
    for more in ({}, {"max_iter": 3000}):
        theirs = objective(fitted(THEIRS(**own, random_state=0, **more), X, y), X, y, 0.5, l1_ratio=l1_ratio)
        assert ours <= theirs * (1 + 1e-7)


@pytest.mark.parametrize(
    "own", [{}, {"solver": "saga", "l1_ratio": 0.5}, {"C": np.inf, "tol": 1e-6}, {"multi_class": "ovr", "tol": 1e-8}]
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_whole_weights_are_repetitions(own, n_classes):
    X, y = make_classification(300, 6, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=0)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    for class_weight in (None, "balanced", {0: 2.0}):
        weighted = dcsvm.LogisticRegression(class_weight=class_weight, **own).fit(X, y, times)
        repeated = dcsvm.LogisticRegression(class_weight=class_weight, **own).fit(
            np.repeat(X, times, axis=0), np.repeat(y, times)
        )
        assert weighted.coef_ == pytest.approx(repeated.coef_, abs=1e-3)
        assert weighted.intercept_ == pytest.approx(repeated.intercept_, abs=1e-3)


def test_a_class_without_weight_keeps_its_place():
    X, y = load_iris(return_X_y=True)
    for model in (
        dcsvm.LogisticRegression(class_weight={1: 0}).fit(X, y),
        dcsvm.LogisticRegression().fit(X, y, sample_weight=(y != 1).astype(float)),
    ):
        assert model.classes_.tolist() == [0, 1, 2]
        assert set(model.predict(X)) == {0, 2}
        theirs = fitted(THEIRS(class_weight={1: 0}, max_iter=10000, tol=1e-8), X, y)
        assert model.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-3)


def test_weights_that_are_changed_answer_and_are_exported(tmp_path):
    X, y = load_iris(return_X_y=True)
    for n_classes in (2, 3):
        rows = y < n_classes
        model = dcsvm.LogisticRegression().fit(X[rows], y[rows])
        assert model.model_ is model._trained
        model.coef_ = 2 * model.coef_
        model.intercept_[...] = 0.25
        decisions = X @ model.coef_.T + 0.25
        assert model.decision_function(X) == pytest.approx(decisions.ravel() if n_classes == 2 else decisions)
        assert model.model_.predict_proba(X) == pytest.approx(model.predict_proba(X))
        model.save(tmp_path / "m")
        for again in (dcsvm.LogisticRegression.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
            assert again.predict_proba(X) == pytest.approx(model.predict_proba(X))
        before = model.decision_function(X)
        assert model.sparsify().decision_function(sparse.csr_matrix(X)) == pytest.approx(before)
        assert sparse.issparse(model.coef_)
        assert isinstance(model.densify().coef_, np.ndarray)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_float32_stays_float32(n_classes, tmp_path):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes].astype(np.float32), y[y < n_classes]
    model = dcsvm.LogisticRegression().fit(X, y)
    model.save(tmp_path / "m")
    for one in (model, dcsvm.LogisticRegression.load(tmp_path / "m")):
        answers = (one.coef_, one.intercept_, one.decision_function(X), one.predict_proba(X))
        assert {a.dtype for a in answers} == {np.dtype(np.float32)}
        assert one.n_iter_.tolist() == model.n_iter_.tolist()
    assert dcsvm.LogisticRegression(solver="liblinear", multi_class="ovr").fit(X, y).coef_.dtype == np.float64


@pytest.mark.parametrize("n_classes", [2, 3])
def test_warm_starts_and_no_step_at_all(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model = dcsvm.LogisticRegression(warm_start=True).fit(X, y)
    assert model.n_iter_.dtype == np.int32
    assert model.n_iter_.shape == (1,)
    found = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ <= 1
    with pytest.warns(ConvergenceWarning, match="lbfgs failed to converge"):
        model.set_params(max_iter=0).fit(X, y)
    assert model.coef_ == pytest.approx(found, rel=1e-3)
    with pytest.warns(ConvergenceWarning):
        none = dcsvm.LogisticRegression(max_iter=0).fit(X, y)
    assert not none.coef_.any()
    assert none.n_iter_.tolist() == [0]
    model.set_params(max_iter=100).fit(X[:, :2], y)  # another shape is no start
    assert model.coef_.shape[1] == 2


def test_one_class_against_the_rest_is_still_there():
    X, y = load_iris(return_X_y=True)
    model = dcsvm.LogisticRegression(multi_class="ovr", tol=1e-8).fit(X, y)
    two = [dcsvm.LogisticRegression(tol=1e-8).fit(X, y == k) for k in range(3)]
    assert model.coef_ == pytest.approx(np.vstack([one.coef_ for one in two]), abs=1e-3)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert model.n_iter_.shape == (3,)


@pytest.mark.parametrize(
    "own", [{}, {"solver": "liblinear"}, {"refit": False}, {"solver": "saga", "penalty": "elasticnet", "l1_ratios": [0.2, 0.9]}]
)
def test_one_class_against_the_rest_chooses_a_C_for_each_class(own):
    """As scikit-learn did until 1.7."""
    X, y = load_iris(return_X_y=True)
    X, folds = StandardScaler().fit_transform(X), list(StratifiedKFold(3).split(X, y))
    own = {"l1_ratios": None, **own, "Cs": [0.1, 1, 10], "cv": folds, "tol": 1e-5, "max_iter": 10000, "scoring": "accuracy"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = dcsvm.LogisticRegressionCV(multi_class="ovr", **own).fit(X, np.array(["a", "b", "c"])[y])
        two = [dcsvm.LogisticRegressionCV(**own).fit(X, y == k) for k in range(3)]
        others = [THEIRS_CV(multi_class="ovr", **own).fit(X, np.array(["a", "b", "c"])[y])] if HAS_MULTI_CLASS else []
    assert len(set(model.C_)) > 1
    assert pytest.approx(np.concatenate([one.C_ for one in two])) == model.C_
    assert model.coef_ == pytest.approx(np.vstack([one.coef_ for one in two]), abs=1e-4)
    for k, label in enumerate("abc"):
        np.testing.assert_array_equal(model.scores_[label], two[k].scores_[True])
        np.testing.assert_allclose(model.coefs_paths_[label], two[k].coefs_paths_[True], rtol=0, atol=2e-3)
    assert model.n_iter_.shape == (3, *two[0].n_iter_.shape[1:])
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    for other in others:
        assert pytest.approx(other.C_) == model.C_
        assert model.coef_ == pytest.approx(other.coef_, abs=1e-2)  # where saga ends
        assert {k: v.shape for k, v in model.coefs_paths_.items()} == {k: v.shape for k, v in other.coefs_paths_.items()}


def test_the_names_of_the_multinomial_model_with_cross_validation():
    X, y = load_iris(return_X_y=True)
    fits = [
        dcsvm.LogisticRegressionCV(multi_class=name, Cs=[1, 10], **CV, l1_ratios=(0,)).fit(X, y)
        for name in ("auto", "multinomial", "deprecated")
    ]
    for one in fits[1:]:
        np.testing.assert_array_equal(one.coef_, fits[0].coef_)
    with pytest.raises(ValueError, match=r"The .multi_class. parameter of LogisticRegressionCV .* Got 'ovo' instead"):
        dcsvm.LogisticRegressionCV(multi_class="ovo").fit(X, y)


CV = {"scoring": "neg_log_loss", "use_legacy_attributes": False}


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="scikit-learn before 1.8 shows the folds' results in other shapes, and 1.8 fails at refit=False",
)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "own",
    [
        {"l1_ratios": (0,)},
        {"solver": "saga", "l1_ratios": (0.2, 1.0), "max_iter": 5000, "Cs": [0.1, 0.3, 1.0]},
        {"l1_ratios": (0,), "refit": False},
    ],
)
def test_cv_is_scikit_learns(n_classes, own):
    X, y = make_classification(200, 6, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=0)
    given = {"Cs": [0.01, 0.1, 1.0], "cv": StratifiedKFold(3), "tol": 1e-6, **own}
    for more in (CV, {**CV, "use_legacy_attributes": True}):
        ours = dcsvm.LogisticRegressionCV(**given, **more).fit(X, y)
        theirs = fitted(sklearn.linear_model.LogisticRegressionCV(**given, **more, random_state=0), X, y)
        for name in ("C_", "l1_ratio_", "Cs_", "l1_ratios_"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
        for name in ("scores_", "coefs_paths_", "coef_", "intercept_"):
            one, other = getattr(ours, name), getattr(theirs, name)
            if isinstance(other, dict):
                assert list(one) == list(other)
                one, other = np.array(list(one.values())), np.array(list(other.values()))
            assert one == pytest.approx(other, abs=2e-3), name
        assert ours.n_iter_.shape == theirs.n_iter_.shape
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-4)


def test_cv_starts_each_C_from_the_one_before():
    X, y = load_digits(return_X_y=True)
    given = {"Cs": [0.01, 0.02, 0.04], "cv": 2, "l1_ratios": (0,), **CV}
    path = dcsvm.LogisticRegressionCV(**given).fit(X, y)
    alone = dcsvm.LogisticRegressionCV(**{**given, "Cs": [0.04]}).fit(X, y)
    assert path.n_iter_[..., 2].sum() < alone.n_iter_.sum()
    assert path.scores_[..., 2] == pytest.approx(alone.scores_[..., 0], abs=1e-4)


def test_cv_weights_are_repetitions():
    X, y = make_classification(240, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)
    times = np.random.default_rng(1).integers(0, 3, len(y))
    fold = np.arange(len(y)) % 3
    given = {"Cs": [0.1, 1.0], "l1_ratios": (0,), "tol": 1e-8, **CV}
    splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(3)]
    weighted = dcsvm.LogisticRegressionCV(cv=splits, **given).fit(X, y, times)
    fold = np.repeat(fold, times)
    splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(3)]
    repeated = dcsvm.LogisticRegressionCV(cv=splits, **given).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.scores_ == pytest.approx(repeated.scores_, abs=1e-5)
    assert weighted.coef_ == pytest.approx(repeated.coef_, abs=1e-4)


def test_cv_pickles_and_its_model_is_saved(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = dcsvm.LogisticRegressionCV(Cs=[0.1, 1.0], l1_ratios=(0,), **CV).fit(X, np.array(["a", "b", "c"])[y])
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba(X) == pytest.approx(model.predict_proba(X))
    assert np.array_equal(again.scores_, model.scores_)
    model.save(tmp_path / "m")
    loaded = dcsvm.LogisticRegressionCV.load(tmp_path / "m")
    assert loaded.C_ == model.C_
    assert (loaded.predict(X) == model.predict(X)).all()
    assert (dcsvm.load_model(tmp_path / "m").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("how", [{}, {"intercept_scaling": 3.0}])
def test_a_class_of_weight_0_stays_a_class_with_liblinear_too(how):
    X, y = DATA["cancer, scaled"]()
    model = dcsvm.LogisticRegression(class_weight={0: 0}, solver="liblinear", **how).fit(X, y)
    theirs = THEIRS(class_weight={0: 0}, solver="liblinear", **how, tol=1e-9, max_iter=100000).fit(X, y)
    assert list(model.classes_) == [0, 1]
    assert model.coef_ == pytest.approx(theirs.coef_, abs=1e-4)
    assert model.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    assert (dcsvm.LogisticRegression(class_weight={0: 0}).fit(X, y).predict(X) == 1).all()
    weights = (y == 1).astype(float)
    for dual in (False, True):
        same = dcsvm.LogisticRegression(solver="liblinear", dual=dual, **how).fit(X, y, weights)
        assert same.coef_ == pytest.approx(model.coef_, abs=1e-12)


def test_max_seconds_ends_a_fit_with_a_warning():
    X, y = text()
    model = dcsvm.LogisticRegression(C=100, max_seconds=1e-9)
    with pytest.warns(ConvergenceWarning, match="'time_limit'. Raise max_seconds, or leave it out: 1e-09 s were over"):
        model.fit(X, y)
    assert model.report_.stop_reason == "time_limit"
    assert dcsvm.LogisticRegression(max_seconds=1000).fit(X, y).report_.stop_reason == "converged"
