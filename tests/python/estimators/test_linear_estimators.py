"""LinearSVC, LogisticRegression, LinearSVR and LinearOneClassSVM: scikit-learn's checks and answers."""

import pickle
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse

import dcsvm
from dcsvm._linear import train

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn import linear_model, svm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

EXACT = {"tol": 1e-9, "max_iter": 1000000}


def expected(estimator):
    """The check compares to 1e-9; the hinge-like losses end at a relative duality gap of 1e-11, where decisions agree to 1e-7."""
    if not isinstance(estimator, dcsvm.LinearSVR):
        return {}
    same = "agrees to 1e-7, not to 1e-9"
    return {f"check_sample_weight_equivalence_on_{kind}_data": same for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [
        dcsvm.LinearSVC(**EXACT),
        dcsvm.LogisticRegression(),
        dcsvm.LinearSVR(tol=1e-7, max_iter=1000000),
        dcsvm.LinearOneClassSVM(**EXACT),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("params", [{}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}, {"multi_class": "crammer_singer"}])
@pytest.mark.parametrize("data", ["cancer", "iris"])
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_linear_svc_is_scikit_learns(params, data, request):
    X, y = request.getfixturevalue(data)
    mine = dcsvm.LinearSVC(**params, tol=1e-6, max_iter=1000000).fit(X, y)
    theirs = svm.LinearSVC(**params, tol=1e-8, max_iter=100000, random_state=0).fit(X, y)
    assert mine.coef_.shape == theirs.coef_.shape
    assert mine.intercept_.shape == theirs.intercept_.shape
    assert (mine.predict(X) == theirs.predict(X)).mean() > 0.99
    if params.get("multi_class") != "crammer_singer":  # whose weights are unique only up to what all classes share
        assert mine.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=2e-2)


def test_logistic_regression_is_scikit_learns(cancer):
    X, y = cancer
    mine = dcsvm.LogisticRegression(tol=1e-7, max_iter=1000000).fit(X, y)
    theirs = linear_model.LogisticRegression(tol=1e-10, max_iter=10000).fit(X, y)
    assert mine.coef_ == pytest.approx(theirs.coef_, abs=1e-3)
    assert mine.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)
    assert mine.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-4)


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_linear_svr_is_scikit_learns(cancer):
    X, y = cancer
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        mine = dcsvm.LinearSVR(loss=loss, tol=1e-7, max_iter=1000000).fit(X, y)
        theirs = svm.LinearSVR(loss=loss, tol=1e-8, max_iter=200000, random_state=0).fit(X, y)
        assert mine.coef_.shape == theirs.coef_.shape
        assert mine.predict(X) == pytest.approx(theirs.predict(X), abs=2e-2)


def test_combinations_without_a_solver_are_named(cancer):
    for params, message in (
        ({"penalty": "l1", "loss": "hinge"}, "penalty='l1' and loss='hinge' is not supported.*: l1 goes with squared_hinge"),
        (
            {"loss": "hinge", "dual": False},
            "penalty='l2' and loss='hinge' are not supported when dual=False.*hinge with l2 and dual=True",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            dcsvm.LinearSVC(**params).fit(*cancer)
    with pytest.raises(ValueError, match="no dual solver"):
        dcsvm.LogisticRegression(solver="liblinear", l1_ratio=1, dual=True).fit(*cancer)
    with pytest.raises(ValueError, match=r"not supported when dual=False.*dual must be True"):
        dcsvm.LinearSVR(dual=False).fit(*cancer)


def test_logistic_regression_with_the_names_of_scikit_learn(cancer, iris):
    X, y = cancer
    exact = {"tol": 1e-7, "max_iter": 100000}
    theirs = linear_model.LogisticRegression(solver="liblinear", intercept_scaling=2.0, tol=1e-9).fit(X, y)
    mine = dcsvm.LogisticRegression(solver="liblinear", intercept_scaling=2.0, **exact).fit(X, y)
    assert mine.coef_ == pytest.approx(theirs.coef_, abs=1e-4)
    assert mine.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    plain = dcsvm.LogisticRegression(**exact).fit(X, y)
    for params in ({"solver": "newton-cg"}, {"solver": "saga", "l1_ratio": 0}, {"multi_class": "multinomial"}):
        assert np.array_equal(dcsvm.LogisticRegression(**params, **exact).fit(X, y).coef_, plain.coef_)
    sparse_weights = dcsvm.LogisticRegression(solver="saga", l1_ratio=1.0, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_name = dcsvm.LogisticRegression("l1", solver="saga", random_state=0).fit(X, y)
    assert np.array_equal(sparse_weights.coef_, by_name.coef_)
    X, y = iris
    mine = dcsvm.LogisticRegression(solver="liblinear", multi_class="ovr", **exact).fit(X, y)
    theirs = OneVsRestClassifier(linear_model.LogisticRegression(solver="liblinear", tol=1e-9)).fit(X, y)
    assert mine.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-4)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"solver": "liblinear"}, "'liblinear' solver does not support multiclass.*multi_class='ovr'"),
        ({"l1_ratio": 0.5}, "Solver lbfgs supports only 'l2' or None penalties, got elasticnet penalty: take solver='saga'"),
        ({"solver": "liblinear", "C": np.inf}, "not supported for the liblinear solver"),
        ({"solver": "newton"}, "'solver' parameter of LogisticRegression must be"),
        ({"C": 0.0}, r"range \(0\.0, inf\]\. Got"),
    ],
)
def test_what_logistic_regression_refuses(iris, params, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.LogisticRegression(**params).fit(*iris)


def test_one_class_leaves_nu_outside():
    X = np.random.default_rng(0).normal(size=(400, 3)) + 3
    model = dcsvm.LinearOneClassSVM(nu=0.2, tol=1e-6).fit(X)
    assert np.mean(model.predict(X) == -1) == pytest.approx(0.2, abs=0.02)
    assert model.score_samples(X) - model.offset_ == pytest.approx(model.decision_function(X))


def test_files_keep_labels_and_parameters(iris, tmp_path):
    X, y = iris
    for estimator in (dcsvm.LinearSVC(C=0.5), dcsvm.LogisticRegression(C=2.0)):
        estimator.fit(X, y).save(tmp_path / "m")
        loaded = type(estimator).load(tmp_path / "m")
        assert loaded.get_params() == estimator.get_params()
        assert (loaded.predict(X) == estimator.predict(X)).all()
        assert (dcsvm.load_model(tmp_path / "m").predict(X) == estimator.predict(X)).all()


def shuffled_and_split(X):
    """The same matrix with the columns of each row backwards and each entry as two halves."""
    X = sparse.csr_matrix(X)
    rows = [np.repeat(np.arange(a, b)[::-1], 2) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    order = np.concatenate(rows)
    return sparse.csr_matrix((X.data[order] / 2, X.indices[order], X.indptr * 2), shape=X.shape)


@pytest.mark.parametrize("name", ["LinearSVC", "LogisticRegression", "LinearSVR", "LinearOneClassSVM"])
def test_unsorted_and_duplicate_columns_mean_their_sums(iris, name):
    X, y = iris[0], np.unique(iris[1], return_inverse=True)[1]
    twin = shuffled_and_split(X)
    before = twin.indices.copy()
    model = getattr(dcsvm, name)().fit(twin, y)
    expected = getattr(dcsvm, name)().fit(sparse.csr_matrix(X), y)
    assert model.predict(twin) == pytest.approx(expected.predict(X), abs=1e-9)
    assert (twin.indices == before).all()


@pytest.mark.parametrize("estimator", [dcsvm.LinearSVC, dcsvm.LogisticRegression])
def test_balanced_classes_count_rows_by_their_weight(estimator, cancer):
    """As in scikit-learn from 1.7 on."""
    X, y = cancer
    weights = np.where(y == 0, 3.0, 0.5)
    of_class = [weights[y == c].sum() for c in (0, 1)]
    factors = {c: sum(of_class) / (2 * of_class[c]) for c in (0, 1)}
    balanced = estimator(class_weight="balanced").fit(X, y, weights)
    assert np.allclose(balanced.coef_, estimator(class_weight=factors).fit(X, y, weights).coef_, rtol=1e-12)
    assert not np.allclose(balanced.coef_, estimator().fit(X, y, weights).coef_, rtol=1e-3)


def test_a_bad_class_weight_names_its_label(cancer):
    X, y = cancer
    for bad in (-1.0, np.nan):
        with pytest.raises(ValueError, match=r"class_weight\['ill'\] must be a finite number >= 0, got"):
            dcsvm.LinearSVC(class_weight={"ill": bad}).fit(X, np.where(y == 0, "ill", "well"))


def test_the_advice_fits_the_reason_of_the_stop(cancer):
    said = r"LinearSVC stopped with 'max_iter' \(max_iter=1\) after 1 steps at .*: scale the features, lower C, or raise max_iter"
    with pytest.warns(ConvergenceWarning, match=f"^Liblinear failed to converge, .*{said}"):
        dcsvm.LinearSVC(max_iter=1, tol=1e-12).fit(*cancer)
    with pytest.warns(ConvergenceWarning, match=r"^LinearOneClassSVM stopped .*: scale the features, or raise max_iter or tol$"):
        dcsvm.LinearOneClassSVM(max_iter=1, tol=1e-12).fit(cancer[0])  # which has no C
    with pytest.warns(ConvergenceWarning, match=r"lbfgs failed to converge after 1 iteration.*\(max_iter=1\) or scale"):
        dcsvm.LogisticRegression(max_iter=1, tol=1e-12).fit(*cancer)


def test_fits_side_by_side_leave_the_filters_of_warnings_alone(monkeypatch):
    """A change of the process's filters for the time of a fit would stay when the fits of two threads overlap."""
    train = dcsvm._core.train_linear
    first_trains, second_trains, first_ended = threading.Event(), threading.Event(), threading.Event()

    def overlapping(*args):
        if threading.current_thread() is first:
            first_trains.set()
            assert second_trains.wait(60)
        else:
            second_trains.set()
            assert first_ended.wait(60)
        return train(*args)

    def fit():
        dcsvm.LinearSVC().fit(np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1])

    monkeypatch.setattr(dcsvm._core, "train_linear", overlapping)
    filters, show = list(warnings.filters), warnings.showwarning
    first, second = threading.Thread(target=fit), threading.Thread(target=fit)
    first.start()
    assert first_trains.wait(60)
    second.start()
    first.join()
    first_ended.set()
    second.join()
    assert list(warnings.filters) == filters
    assert warnings.showwarning is show


@pytest.mark.parametrize(
    ("classes", "how"), [(2, {}), (2, {"multi_class": "crammer_singer"}), (3, {}), (2, {"fit_intercept": False})]
)
def test_weights_of_a_classifier_can_be_set(classes, how):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 4)), rng.integers(0, classes, 60)
    model = dcsvm.LinearSVC(**how).fit(x, y)
    coef, intercept = rng.normal(size=model.coef_.shape), rng.normal(size=model.intercept_.shape)
    model.coef_, model.intercept_ = coef, intercept
    decisions = x @ coef.T + intercept
    np.testing.assert_allclose(model.decision_function(x), decisions.ravel() if classes == 2 else decisions, rtol=1e-12)
    expected = (decisions.ravel() > 0).astype(int) if classes == 2 else decisions.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(x), expected)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(x), model.decision_function(x))


def test_sparse_weights_of_a_classifier_are_its_weights():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(80, 30)), rng.integers(0, 3, 80)
    model = dcsvm.LinearSVC(penalty="l1", C=0.1, random_state=0).fit(x, y)
    decisions, dense = model.decision_function(x), np.array(model.coef_)
    assert (dense == 0).any()
    assert model.sparsify() is model
    assert sparse.issparse(model.coef_)
    assert model.coef_.nnz == np.count_nonzero(dense)
    np.testing.assert_array_equal(model.decision_function(x), decisions)
    assert sparse.issparse(pickle.loads(pickle.dumps(model)).coef_)
    model.intercept_ = np.zeros(3)
    assert sparse.issparse(model.coef_), "setting the intercept leaves the weights as they are"
    np.testing.assert_array_equal(model.densify().coef_, dense)
    model.sparsify().fit(x, y)
    np.testing.assert_array_equal(model.coef_, dense)


def test_weights_of_a_regression_can_be_set():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 3))
    model = dcsvm.LinearSVR().fit(x, x[:, 0])
    model.coef_, model.intercept_ = np.array([1.0, -2.0, 0.5]), 3.0
    np.testing.assert_allclose(model.predict(x), x @ [1.0, -2.0, 0.5] + 3.0, rtol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0] = 0.0


@pytest.mark.parametrize("estimator", [dcsvm.LinearSVC(), dcsvm.LinearSVR()])
def test_weights_of_another_shape_are_refused(estimator):
    x, y = np.eye(4), np.array([0, 1, 0, 1])
    with pytest.raises(NotFittedError):
        estimator.coef_ = np.zeros(4)
    estimator.fit(x, y)
    before = np.array(estimator.coef_)
    with pytest.raises(ValueError, match=r"coef_ must have the shape of the fitted model's, .*4.*, got \(5,\)"):
        estimator.coef_ = np.zeros(5)
    with pytest.raises(ValueError, match=r"intercept_ must be a number or have the shape \(1,\), got \(2,\)"):
        estimator.intercept_ = np.zeros(2)
    np.testing.assert_array_equal(estimator.coef_, before)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "how", [{}, {"penalty": "l1"}, {"loss": "hinge"}, {"dual": False}, {"multi_class": "crammer_singer"}, None]
)
def test_weights_of_any_width_find_room(monkeypatch, how, classes):
    """Estimators have no cache_size that a user could raise. Here the default is 1 MB, and a vector of weights 1.6 MB."""
    given = train.defaults()
    monkeypatch.setattr(train, "defaults", lambda: {**given, "cache_size": 1.0})
    rows, columns = np.repeat(np.arange(6), 2), np.array([0, 9, 1, 199_999, 0, 8, 1, 7, 2, 6, 2, 5])
    x, y = sparse.csr_matrix((np.ones(12), (rows, columns)), (6, 200_000)), np.array([0, 1, 0, 1, classes - 1, classes - 1])
    model = dcsvm.LogisticRegression() if how is None else dcsvm.LinearSVC(C=10, **how)
    np.testing.assert_array_equal(model.fit(x, y).predict(x), y)
    assert np.isfinite(dcsvm.LinearSVR().fit(x, y).predict(x)).all()


def test_small_data_is_polished_with_half_of_max_iter():
    """As train_linear without max_iter: the objective is the optimum's, not what scikit-learn's tol alone asks for."""
    rng = np.random.default_rng(0)
    X = sparse.random(20, 50, density=0.3, format="csr", random_state=0)
    y = np.where(rng.random(20) < 0.5, 1, -1)
    for given in ({"dual": False}, {"dual": True}, {"dual": True, "loss": "hinge"}, {"multi_class": "crammer_singer"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            report = dcsvm.LinearSVC(C=1e4, **given).fit(X, y).report_
        assert report.primal_objective - report.dual_objective <= 1e-6 * report.primal_objective, given
