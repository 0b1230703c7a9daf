"""partial_fit of the linear estimators against a slow twin."""

import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor

import dcsvm
from _linear_batches import CLASSIFIERS, blobs, in_batches


def text(n, classes, seed, d=5000):
    """Counts of words, of length 1: words of a class are three times as likely in it."""
    rng = np.random.default_rng(seed)
    base = 1.0 / np.arange(5, d + 5)
    y = rng.integers(classes, size=n)
    own = (np.arange(d) * 7919) % (4 * classes)
    rows = []
    for label in y:
        p = base * np.where(own == label, 3.0, 1.0)
        rows.append(np.bincount(rng.choice(d, size=60, p=p / p.sum()), minlength=d))
    X = sp.csr_matrix(np.array(rows), dtype=np.float64)
    return sp.csr_matrix(sp.diags(1 / np.sqrt(X.multiply(X).sum(axis=1).A1)) @ X), y


def twin(loss, X, y, C, vectors):
    """Row by row: the minimum of 1/2 |W - W_before|^2 + C loss(W x) over the scores. A bias counts for a part of |x|^2."""
    W = np.zeros((vectors, X.shape[1] + 1))
    for features, label in zip(X, y, strict=True):
        x, step = np.append(features, 1.0), np.append(features, min(1.0, features @ features / 16))
        q, z = step @ x, W @ x

        def objective(u, q=q, z=z, label=label):
            return ((u - z) ** 2).sum() / (2 * q) + C * loss(u, label)

        u = scipy.optimize.minimize(objective, z, method="Nelder-Mead" if vectors == 1 else "Powell", tol=1e-11).x
        W += np.outer((u - z) / q, step)
    return W


def softmax_loss(u, label):
    return scipy.special.logsumexp(u) - u[label]


def squared_hinges(u, label):
    signs = np.where(np.arange(len(u)) == label, 1, -1)
    return (np.maximum(0, 1 - signs * u) ** 2).sum()


@pytest.mark.parametrize(
    ("make", "loss"), [(dcsvm.LogisticRegression, softmax_loss), (dcsvm.LinearSVC, squared_hinges)], ids=["softmax", "ovr"]
)
def test_a_pass_is_the_twin(make, loss):
    X, y = blobs(12, 3)
    model = make(C=0.3)
    for i in range(len(X)):  # one row in a call: in this order
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2])
    W = twin(loss, X, y, 0.3, 3)
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), W, atol=2e-5)


def test_a_pass_of_two_classes_and_of_targets_is_the_twin():
    X, y = blobs(40, 2)
    pairs = [
        (dcsvm.LogisticRegression(C=0.3), lambda u, label: np.logaddexp(0, -label * u[0])),
        (dcsvm.LinearSVC(C=0.3), lambda u, label: max(0.0, 1 - label * u[0]) ** 2),
        (dcsvm.LinearSVR(C=0.3, epsilon=0.2), lambda u, label: max(0.0, abs(label - u[0]) - 0.2)),
    ]
    for model, loss in pairs:
        for i in range(len(X)):
            more = {"classes": [0, 1]} if hasattr(model, "predict_proba") or isinstance(model, dcsvm.LinearSVC) else {}
            model.partial_fit(X[i : i + 1], y[i : i + 1] if more else 2.0 * y[i : i + 1] - 1, **more)
        W = twin(loss, X, 2 * y - 1, 0.3, 1)
        np.testing.assert_allclose(np.append(model.coef_.ravel(), model.intercept_), W[0], atol=2e-5)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_pass_over_text_is_near_fit(name):
    X, y = text(3000, 4, 0)
    X_test, y_test = text(1000, 4, 1)
    exact = CLASSIFIERS[name]().fit(X, y)
    model = in_batches(CLASSIFIERS[name](), X, y, sizes=(500,) * 6)
    assert exact.score(X_test, y_test) > 0.75
    assert model.score(X_test, y_test) > exact.score(X_test, y_test) - 0.08  # hinge of SGDClassifier, one pass: 0.05 below


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_same_bits_for_all_threads_layouts_and_types(name):
    X, y = blobs(400, 4)
    X = X.astype(np.float32).astype(np.float64)
    first = in_batches(CLASSIFIERS[name](n_jobs=1, random_state=3), X, y)
    two = in_batches(CLASSIFIERS[name](n_jobs=2, random_state=3), X, y)
    np.testing.assert_array_equal(two.coef_, first.coef_)
    other = in_batches(CLASSIFIERS[name](n_jobs=1, random_state=4), X, y)
    if name not in ("logistic", "ovr"):  # whose default solver has no random order in scikit-learn
        assert not np.array_equal(other.coef_, first.coef_)
    single = in_batches(CLASSIFIERS[name](random_state=3), X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, first.coef_, rtol=1e-5, atol=1e-6)
    sparse = in_batches(CLASSIFIERS[name](random_state=3), sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_, first.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["svc", "logistic"])
def test_bad_rows_leave_the_estimator_as_it_was(name):
    X, y = blobs(100, 3)
    bad = X.copy()
    bad[3, 2] = np.nan
    refused = [
        (X, np.where(np.arange(100) == 7, 9, y), {}, r"y has the label 9 at row 7, which is not in classes=\[0, 1, 2\]"),
        (X[:, :4], y, {}, "X has 4 features, but .* is expecting 6"),
        (bad, y, {}, "NaN"),
        (X[:0], y[:0], {}, "0 sample"),
        (X, y[:50], {}, "inconsistent numbers of samples"),
        (X, y, {"classes": [0, 1]}, "is not the same as on last call"),
        (X, y, {"sample_weight": -np.ones(100)}, "Negative values in data passed to `sample_weight`"),
        (X, y, {"sample_weight": np.zeros(100)}, "at least one non-zero number"),
    ]
    new = CLASSIFIERS[name]()
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        new.partial_fit(X, y)
    with pytest.raises(ValueError, match="at least two labels"):
        new.partial_fit(X, y, classes=[1])
    with pytest.raises(ValueError, match=r"label 2 at row"):
        new.partial_fit(X, y, classes=[0, 1])
    assert vars(new) == vars(CLASSIFIERS[name]())
    model = new.partial_fit(X, y, classes=[0, 1, 2])
    before = pickle.dumps(model)
    for rows, labels, more, text_of_error in refused:
        with pytest.raises(ValueError, match=text_of_error):
            model.partial_fit(rows, labels, **more)
        assert pickle.dumps(model) == before


def test_refused_parameters():
    X, y = blobs(100, 2)
    for model, text_of_error in [
        (dcsvm.LinearSVC(penalty="l1"), "penalty='l1' is for fit"),
        (dcsvm.LogisticRegression(C=np.inf), "l2 penalty alone"),
        (dcsvm.LogisticRegression(solver="saga", l1_ratio=0.5), "l2 penalty alone"),
        (dcsvm.LinearSVC(class_weight="balanced"), "class_weight='balanced' is for fit"),
        (dcsvm.LinearSVC(class_weight={0: 0, 1: 1}), r"class_weight\[0\] is 0"),
    ]:
        with pytest.raises(ValueError, match=text_of_error):
            model.partial_fit(X, y, classes=[0, 1])
        assert not hasattr(model, "classes_")
    model = dcsvm.LinearSVC().partial_fit(X, y, classes=[0, 1]).set_params(loss="hinge")
    with pytest.raises(ValueError, match=r"goes on from a model of 'squared_hinge_dual' .* now mean 'hinge_dual'"):
        model.partial_fit(X, y)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_rows_out_of_the_range_of_double_are_refused(name):
    X, y = blobs(100, 3)
    model = CLASSIFIERS[name]().partial_fit(X, y, classes=[0, 1, 2])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"range of float64|maximum value > 1e30"):
        model.partial_fit(1e160 * X, y)
    assert pickle.dumps(model) == before


def test_a_large_bias_feature_changes_no_decision():
    X, y = blobs(300, 3)
    wide = 10.0 + X  # the bias counts for a sixteenth of |x|^2 whatever its feature is
    decisions = [
        make(intercept_scaling=scale, **more).partial_fit(wide, y == 1, classes=[False, True]).decision_function(wide)
        for make, more in [(dcsvm.LinearSVC, {}), (dcsvm.LogisticRegression, {"solver": "liblinear"})]
        for scale in (100.0, 1e9)
    ]
    np.testing.assert_allclose(decisions[0], decisions[1], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(decisions[2], decisions[3], rtol=1e-6, atol=1e-6)


def test_data_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    X, y = blobs(200, 2)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = dcsvm.LinearSVC().partial_fit(frame[:100], y[:100], classes=[0, 1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[100:][list("fedcba")], y[100:])
    model.partial_fit(frame[100:], y[100:]).finish()
    assert model.feature_names_in_.tolist() == list("abcdef") == model.model_.feature_names_in_.tolist()


def test_wrappers_of_scikit_learn_find_partial_fit():
    X, y = blobs(400, 3)
    rest = OneVsRestClassifier(dcsvm.LinearSVC(random_state=0))
    several = MultiOutputClassifier(dcsvm.LogisticRegression())
    numbers = MultiOutputRegressor(dcsvm.LinearSVR())
    for rows in (slice(0, 200), slice(200, 400)):
        rest.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        several.partial_fit(X[rows], np.column_stack([y, y == 1])[rows], classes=[[0, 1, 2], [0, 1]])
        numbers.partial_fit(X[rows], X[rows][:, :2] + 1)
    assert rest.score(X, y) > 0.7
    assert several.score(X, np.column_stack([y, y == 1])) > 0.6  # both right
    assert numbers.score(X, X[:, :2] + 1) > 0.8


def test_set_weights_are_gone_on_from():
    X, y = blobs(200, 3)
    for model in (dcsvm.LinearSVC(), dcsvm.LogisticRegression()):
        model.partial_fit(X, y, classes=[0, 1, 2])
        model.coef_ = 0 * model.coef_
        model.intercept_ = 0 * model.intercept_
        model.sparsify()
        begun = clone(model).partial_fit(X, y, classes=[0, 1, 2])
        np.testing.assert_allclose(model.partial_fit(X, y).coef_, begun.coef_, atol=1e-12)
