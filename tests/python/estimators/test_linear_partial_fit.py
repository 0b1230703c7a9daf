"""partial_fit of the linear estimators against a slow twin, and finish against fit."""

import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor

import dcsvm

CLASSIFIERS = {
    "svc": lambda **p: dcsvm.LinearSVC(**p),
    "hinge": lambda **p: dcsvm.LinearSVC(loss="hinge", **p),
    "crammer_singer": lambda **p: dcsvm.LinearSVC(multi_class="crammer_singer", tol=0.1, **p),
    "logistic": lambda **p: dcsvm.LogisticRegression(**p),
    "ovr": lambda **p: dcsvm.LogisticRegression(multi_class="ovr", **p),
    "liblinear": lambda **p: dcsvm.LogisticRegression(solver="liblinear", multi_class="ovr", **p),
}
CONTAINERS = {"dense": np.asarray, "csr": sp.csr_matrix, "array": sp.csr_array}


def blobs(n, classes, seed=0, d=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    centres = np.random.default_rng(1).normal(size=(classes, d))
    return np.round(rng.normal(size=(n, d)) + 1.5 * centres[y], 3), y


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


def in_batches(model, X, y, sizes=(70, 1, 129, 200), weights=None, classes=None):
    begin, known = 0, np.unique(y) if classes is None else classes
    for size in sizes:
        rows = slice(begin, begin + size)
        model.partial_fit(X[rows], y[rows], classes=known, sample_weight=None if weights is None else weights[rows])
        begin += size
    assert begin == X.shape[0]
    return model


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
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("container", CONTAINERS)
def test_finish_is_fit_on_all_rows(name, classes, container):
    X, y = blobs(400, classes)
    labels = np.array(["red", "green", "blue", "grey"])[y]
    weights = np.random.default_rng(2).integers(0, 3, size=len(X)).astype(float)
    factors = {"red": 2.0, "green": 0.5}
    rows = CONTAINERS[container](X)
    exact = CLASSIFIERS[name](class_weight=factors).fit(rows, labels, weights)
    model = in_batches(CLASSIFIERS[name](class_weight=factors), rows, labels, weights=weights)
    assert model.report_.stop_reason == "one_pass"
    assert np.isnan(model.report_.primal_objective)
    model.finish()
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, exact.intercept_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(rows), exact.predict(rows))
    assert model.report_.stop_reason == exact.report_.stop_reason


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_finish_of_regression_is_fit(loss):
    X, y = blobs(400, 3)
    y = X @ np.arange(6) + y
    exact = dcsvm.LinearSVR(loss=loss, epsilon=0.1).fit(X, y)
    model = dcsvm.LinearSVR(loss=loss, epsilon=0.1)
    for begin in range(0, 400, 100):
        model.partial_fit(X[begin : begin + 100], y[begin : begin + 100])
    assert model.score(X, y) > 0.9
    model.finish()
    np.testing.assert_array_equal(model.coef_, exact.coef_)
    assert model.report_.stop_reason == "converged"


def test_finish_does_not_depend_on_batches_and_more_rows_may_follow():
    X, y = blobs(400, 3)
    exact = dcsvm.LogisticRegression().fit(X, y)
    order = np.random.default_rng(0).permutation(400)
    for sizes in [(400,), (10,) * 40, (399, 1)]:
        model = dcsvm.LogisticRegression()
        begin = 0
        for k, size in enumerate(sizes):
            rows = order[begin : begin + size]
            model.partial_fit(sp.csr_matrix(X[rows]) if k % 2 else X[rows], y[rows], classes=range(3))
            begin += size
            if k == 20:
                model.finish()  # and on
        objective = model.finish().report_.primal_objective
        assert objective == pytest.approx(exact.report_.primal_objective, rel=1e-9)
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-5)


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


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_batch_of_one_class_and_classes_that_never_came(name):
    X, y = blobs(300, 3)
    model = CLASSIFIERS[name]()
    model.partial_fit(X[y == 1], y[y == 1], classes=[0, 1, 2])
    assert model.score(X[y == 1], y[y == 1]) > 0.9
    model.partial_fit(X[y == 0], y[y == 0])
    with pytest.raises(ValueError, match=r"finish needs rows of every class; none came of .*2"):
        model.finish()
    model.partial_fit(X[y == 2], y[y == 2]).finish()
    assert model.score(X, y) == pytest.approx(CLASSIFIERS[name]().fit(X, y).score(X, y), abs=0.01)


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


@pytest.mark.parametrize("name", ["svc", "logistic"])
def test_fit_forgets_rows_and_partial_fit_goes_on_from_its_weights(name, tmp_path):
    X, y = blobs(300, 3)
    model = CLASSIFIERS[name]().partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    np.testing.assert_array_equal(model.fit(X, y).coef_, CLASSIFIERS[name]().fit(X, y).coef_)
    fitted = model.coef_.copy()
    wrong = np.flatnonzero(model.predict(X) != y)[:1]
    model.partial_fit(X[wrong], y[wrong])
    step = model.coef_ - fitted  # from these weights, along the row
    along = step @ X[wrong[0]] / (X[wrong[0]] @ X[wrong[0]])
    assert np.abs(along).max() > 1e-3
    np.testing.assert_allclose(step, np.outer(along, X[wrong[0]]), atol=1e-9)
    with pytest.raises(ValueError, match="they are gone"):
        model.finish()
    model = CLASSIFIERS[name]().partial_fit(X, y, classes=[0, 1, 2])
    model.save(tmp_path / "model")
    again = type(model).load(tmp_path / "model")
    with pytest.raises(ValueError, match="they are gone"):
        again.finish()
    np.testing.assert_array_equal(again.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)


def test_rows_beyond_the_limit_are_dropped(monkeypatch):
    X, y = blobs(300, 3)
    monkeypatch.setattr("dcsvm.estimators._linear_online._MOST_KEPT", 200 * (6 + 1) * 8)
    model = dcsvm.LinearSVC().partial_fit(X[:150], y[:150], classes=[0, 1, 2]).finish()
    assert model.partial_fit(X[150:], y[150:]).score(X, y) > 0.7
    with pytest.raises(ValueError, match="they are gone: partial_fit keeps up to 1000 MB"):
        model.finish()


def test_single_rows_become_few_batches(monkeypatch):
    X, y = blobs(120, 3)
    monkeypatch.setattr("dcsvm.estimators._linear_online._JOINED", 40 * (6 + 2) * 8)
    for rows, weights in [(X, None), (sp.csr_array(X), None), (X, np.arange(120) % 2 + 1.0)]:
        model = dcsvm.LinearSVC()
        for i in range(120):
            model.partial_fit(rows[[i]], y[i : i + 1], [0, 1, 2], None if weights is None else weights[i : i + 1])
        kept = model._kept["batches"]
        assert len(kept) < 16
        arrays = [a for X_, *more in kept for a in ((X_.data, X_.indices, X_.indptr) if sp.issparse(X_) else (X_,), more)]
        assert model._kept["bytes"] == sum(a.nbytes for group in arrays for a in group if a is not None)
        np.testing.assert_array_equal(model.finish().coef_, dcsvm.LinearSVC().fit(rows, y, weights).coef_)


@pytest.mark.parametrize("name", ["svc", "logistic"])
def test_a_fit_that_fails_leaves_rows_and_classes(name, monkeypatch):
    X, y = blobs(300, 3)
    model = CLASSIFIERS[name]().partial_fit(X, y, classes=[0, 1, 2])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"1 class|one class"):
        model.fit(X[:, :4], np.zeros(300))
    assert pickle.dumps(model) == before

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dcsvm._core.train_linear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[:, :4], y + 5)
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(model.partial_fit(X[:1], y[:1]).classes_, [0, 1, 2])


def test_time_that_is_over_is_said_without_a_violation():
    X, y = blobs(50_000, 2)
    model = dcsvm.LinearSVC(max_seconds=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"'time_limit' \(max_seconds=1e-09\) after a pass over \d+ of 50000 rows"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.report_.stop_reason == "time_limit"
    assert model.set_params(max_seconds=None).finish().report_.stop_reason == "converged"  # the rows were kept


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


def test_batches_are_copies_and_pickles_go_on():
    X, y = blobs(300, 3)
    room = X[:100].copy()
    model = dcsvm.LogisticRegression().partial_fit(room, y[:100], classes=[0, 1, 2])
    room[:] = 1e9  # the caller's array for the next batch
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(again.coef_, model.coef_)
    exact = dcsvm.LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(again.finish().coef_, exact.coef_)
    assert not hasattr(clone(model), "classes_")


def test_ctrl_c_leaves_the_estimator_as_it_was(monkeypatch):
    X, y = blobs(300, 3)
    model = dcsvm.LinearSVC().partial_fit(X, y, classes=[0, 1, 2])
    before = pickle.dumps(model)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dcsvm._core.train_linear_online", interrupted)
    monkeypatch.setattr("dcsvm._core.train_linear", interrupted)
    for call in (lambda: model.partial_fit(X, y), model.finish):
        with pytest.raises(KeyboardInterrupt):
            call()
        assert pickle.dumps(model) == before


def test_data_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    X, y = blobs(200, 2)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = dcsvm.LinearSVC().partial_fit(frame[:100], y[:100], classes=[0, 1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[100:][list("fedcba")], y[100:])
    model.partial_fit(frame[100:], y[100:]).finish()
    assert model.feature_names_in_.tolist() == list("abcdef") == model.model_.feature_names_in_.tolist()


def test_probabilities_come_with_finish():
    X, y = blobs(400, 3)
    model = dcsvm.LinearSVC(probability=True, random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="until finish"):
        model.predict_proba(X)
    exact = dcsvm.LinearSVC(probability=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.finish().predict_proba(X), exact.predict_proba(X))
    assert dcsvm.LogisticRegression().partial_fit(X, y, classes=[0, 1, 2]).predict_proba(X).shape == (400, 3)


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
