"""Leave-one-out: the closed form against n trainings, spans against a projection, the xi-alpha bound against what it bounds."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

TIGHT = {"tol": 1e-9, "precision": "double"}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 18)
    x = rng.normal(size=(54, 3)) + 0.8 * labels[:, None]
    x[5], x[30] = x[4], x[31]  # equal rows
    return x, labels, np.sin(x[:, 0]) + 0.1 * rng.normal(size=54)


def n_trainings(train, x, y, weights=None):
    """Decisions and predictions of each row by a model of the others: slow and obvious."""
    decisions, predictions = [], []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        more = {} if weights is None else {"sample_weight": weights[others]}
        model = train(x[others], y[others], **more)
        decisions.append(model.decision_function(x[i : i + 1])[0])
        predictions.append(model.predict(x[i : i + 1])[0])
    return np.array(decisions), np.array(predictions)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_is_n_trainings(rows, kernel, weighted):
    x, _, y = rows
    weights = np.random.default_rng(1).integers(0, 4, len(y)) + 0.0 if weighted else None

    def train(x, y, **more):
        return dcsvm.train_ridge(x, y, alpha=0.2, gamma=0.5, kernel=kernel, tol=1e-12, precision="double", **more)

    found = dcsvm.leave_one_out(train(x, y, sample_weight=weights), x, y, sample_weight=weights)
    _, slow = n_trainings(train, x, y, weights)
    np.testing.assert_allclose(found.predictions, slow, atol=1e-9)
    np.testing.assert_array_equal(found.predictions, found.decisions)
    used = slice(None) if weights is None else weights > 0
    residual = y[used] - slow[used]
    assert found.score == pytest.approx(1 - (residual @ residual) / np.sum((y[used] - y[used].mean()) ** 2))
    assert found.errors is None
    assert "exact" in repr(found)


@pytest.mark.parametrize("kernel", ["rbf", "cosine_poly"])
@pytest.mark.parametrize("what", ["two classes", "three classes", "text", "one target", "two targets", "sparse"])
def test_ls_svm_is_n_trainings(rows, kernel, what):
    x, labels, y = rows
    regression = "target" in what
    y = {"three classes": labels, "one target": y, "two targets": np.column_stack([y, 3 - y**2])}.get(what, labels // 2)
    if what == "text":
        y = np.array(["no", "yes"])[y]
    if what == "sparse":
        x = sp.csr_matrix(np.where(x > 0, x, 0))

    def train(x, y):
        options = {"gamma_ls": 20, "gamma": 0.5, "coef0": 1.0, "tol": 1e-10, "method": "exact"}
        return dcsvm.train_ls_svm(x, y, kernel=kernel, regression=regression, **options)

    found = dcsvm.leave_one_out(train(x, y), x, y)
    decisions, predictions = n_trainings(train, x, y)
    np.testing.assert_allclose(found.decisions, decisions, atol=1e-6)
    if regression:
        np.testing.assert_allclose(found.predictions, predictions, atol=1e-6)
        columns = y.reshape(len(y), -1)
        left = np.sum((columns - predictions.reshape(len(y), -1)) ** 2, axis=0)
        assert found.score == pytest.approx(np.mean(1 - left / np.sum((columns - columns.mean(axis=0)) ** 2, axis=0)))
        return
    np.testing.assert_array_equal(found.predictions, predictions)
    np.testing.assert_array_equal(found.errors, predictions != y)
    assert found.score == np.mean(predictions == y)


def test_ls_svm_by_other_methods_is_that_of_the_exact_solution(rows):
    x, labels, _ = rows
    options = {"gamma_ls": 5, "gamma": 0.5}
    rough = dcsvm.train_ls_svm(x, labels, method="kaczmarz", block_size=20, n_iter=3000, tol=1e-3, **options)
    exact = dcsvm.train_ls_svm(x, labels, method="exact", **options)
    assert rough.report.stop_reason == "converged"
    np.testing.assert_allclose(
        dcsvm.leave_one_out(rough, x, labels).decisions, dcsvm.leave_one_out(exact, x, labels).decisions, atol=1e-12
    )


# SVMs


def rbf(x, z):
    return np.exp(-0.5 * ((x[:, None] - z[None]) ** 2).sum(axis=2))


def span_twin(model, x, target, bound, bias):
    """decision - coef S^2, with S the distance to the other free support vectors' span by least squares in feature space."""
    K, coef = rbf(x, x), target * np.abs(model.alpha) if len(model.classes_) else model.alpha
    values, vectors = np.linalg.eigh(K)
    phi = vectors * np.sqrt(np.maximum(values, 0))  # phi phi' = K
    sign = -1 if len(model.classes_) else 1  # of decisions: above 0 for the second class, which has target -1
    out = sign * model.with_precision("double").decision_function(x)
    free = [i for i in range(len(x)) if 1e-7 < abs(coef[i]) < bound[i] * (1 - 1e-7)]
    for i in np.flatnonzero(np.abs(coef) > 1e-7):
        others = [j for j in free if j != i]
        if not bias:
            away, hull = phi[i], phi[others].T
        elif others:
            away, hull = phi[i] - phi[others[0]], (phi[others[1:]] - phi[others[0]]).T
        else:
            away, hull = phi[i], np.empty((len(x), 0))
        nearest = hull @ np.linalg.lstsq(hull, away, rcond=1e-12)[0] if hull.size else 0
        out[i] -= coef[i] * np.sum((away - nearest) ** 2)
    return sign * out


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
@pytest.mark.parametrize("regression", [False, True])
def test_span_is_the_distance_to_the_span(rows, bias, C, regression):
    x, labels, y = rows
    weights = np.random.default_rng(2).uniform(0.5, 2, len(x))
    more = {"formulation": "epsilon_svr", "epsilon": 0.02} if regression else {}
    y = y if regression else labels // 2
    model = dcsvm.train(x, y, C=C, gamma=0.5, fit_intercept=bias, sample_weight=weights, **more, **TIGHT)
    found = dcsvm.leave_one_out(model, x, y, sample_weight=weights)
    twin = span_twin(model, x, np.where(y == 0, 1, -1), C * weights, bias)
    np.testing.assert_allclose(found.decisions, twin, atol=2e-5 * max(1, C))


@pytest.mark.parametrize(("C", "gamma", "light"), [(10.0, 20.0, 0), (1.0, 0.5, 26)])
def test_span_is_exact_where_the_support_vectors_stay(rows, C, gamma, light):
    """Nearly orthogonal rows, which are all free; or rows of so small a weight that the others hardly notice them."""
    x, y = np.delete(rows[0], [5, 30], axis=0), np.delete(rows[1] // 2, [5, 30])  # of equal rows, which share a coefficient, one
    weights = np.ones(52)
    weights[:light] = 1e-4
    options = {"C": C, "gamma": gamma, **TIGHT}
    model = dcsvm.train(x, y, sample_weight=weights, **options)
    found = dcsvm.leave_one_out(model, x, y, sample_weight=weights)

    def kinds(alpha, weights):
        return (np.abs(alpha) > 1e-9).astype(int) + (np.abs(alpha) > C * weights * (1 - 1e-9))

    before, stayed = kinds(model.alpha, weights), 0
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        without = dcsvm.train(x[others], y[others], sample_weight=weights[others], **options)
        if (kinds(without.alpha, weights[others]) == before[others]).all():
            stayed += before[i] > 0
            decision = without.decision_function(x[i : i + 1])[0]
            assert found.decisions[i] == pytest.approx(decision, abs=1e-6)
    assert stayed >= 10


@pytest.mark.parametrize(
    ("data", "C", "gamma", "apart"), [("twonorm", 3, 0.02, 0.01), ("noisy", 0.3, 4, 0.02), ("noisy", 10, 4, 0.1)]
)
def test_span_is_near_the_errors_of_n_trainings(data, C, gamma, apart):
    """Least where a large C fits noise: there the support vectors change most."""
    if data == "noisy":
        x, y = dcsvm.datasets.make_checkerboard(200, noise=0.1, random_state=3)
    else:
        x, y = dcsvm.datasets.make_twonorm(200, random_state=0)

    def train(x, y):
        return dcsvm.train(x, y, C=C, gamma=gamma)

    found = dcsvm.leave_one_out(train(x, y), x, y)
    _, slow = n_trainings(train, x, y)
    assert abs(found.score - np.mean(slow == y)) <= apart
    assert np.mean(found.predictions == slow) >= 1 - 2 * apart
    assert not (slow != y)[~dcsvm.leave_one_out(train(x, y), x, y, method="xi_alpha").errors].any()


def test_three_classes_vote(rows):
    x, labels, _ = rows
    names = np.array(["a", "b", "c"])[labels]
    options = {"C": 0.5, "gamma": 0.5, "class_weight": "balanced", **TIGHT}
    estimator = pytest.importorskip("dcsvm.estimators").SVC(C=0.5, gamma=0.5, class_weight="balanced").fit(x, names)
    model = dcsvm.train(x, names, **options)
    found = dcsvm.leave_one_out(model, x, names)
    assert found.decisions.shape == (54, 3)
    assert set(found.predictions) <= set("abc")
    np.testing.assert_array_equal(found.errors, found.predictions != names)
    np.testing.assert_array_equal(dcsvm.leave_one_out(estimator, x, names).predictions, found.predictions)
    factors = dict.fromkeys("abc", 1.0)
    _, slow = n_trainings(lambda x, y: dcsvm.train(x, y, **{**options, "class_weight": factors}), x, names)
    assert np.mean(slow == found.predictions) > 0.9
    bound = dcsvm.leave_one_out(model, x, names, method="xi_alpha")
    assert not (slow != names)[~bound.errors].any()
    assert bound.decisions is None
    assert bound.predictions is None
    assert bound.score == np.mean(~bound.errors)


def random_set(seed):
    """Few rows with ties, equal rows, a class of one row, and weights that a few rows hold."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16))
    x = rng.normal(size=(n, int(rng.integers(1, 4))))
    if rng.random() < 0.4:
        x = np.round(x)
    if rng.random() < 0.4:
        x[rng.integers(0, n, n // 3)] = x[rng.integers(0, n, n // 3)]
    y = (x[:, 0] + rng.choice([0.1, 0.5, 1.5]) * rng.normal(size=n) > 0).astype(int)
    if rng.random() < 0.2:
        y = (np.arange(n) == rng.integers(n)).astype(int)
    weights = [np.ones(n), rng.integers(0, 4, n) + 0.0, np.exp(2 * rng.normal(size=n))][rng.integers(3)]
    kernel = ["rbf", "linear", "laplacian", "poly"][rng.integers(4)]
    gamma, C = float(10 ** rng.uniform(-3, 1)), float(10 ** rng.uniform(-3, 2))
    options = {"kernel": kernel, "gamma": gamma, "C": C, "degree": 2, "coef0": 1.0, "fit_intercept": bool(rng.random() < 0.75)}
    return x, y, weights, options


def two_classes(y, weights):
    return all(weights[y == c].sum() > 0 for c in (0, 1))


@pytest.mark.parametrize("seed", range(0, 200, 20))
@pytest.mark.filterwarnings("ignore:tol=")  # of weights that leave nothing to gain
def test_xi_alpha_misses_no_error(seed):
    errors = 0
    for own in range(seed, seed + 20):
        x, y, weights, options = random_set(own)
        if not two_classes(y, weights):
            continue
        model = dcsvm.train(x, y, sample_weight=weights, **options, **TIGHT)
        found = dcsvm.leave_one_out(model, x, y, sample_weight=weights, method="xi_alpha")
        for i in np.flatnonzero(weights > 0):
            others = np.arange(len(y)) != i
            wrong = not two_classes(y[others], weights[others])
            if not wrong:
                without = dcsvm.train(x[others], y[others], sample_weight=weights[others], **options, **TIGHT)
                wrong = without.predict(x[i : i + 1])[0] != y[i]
            errors += wrong
            assert found.errors[i] or not wrong, (own, i)
    assert errors > 10


def test_xi_alpha_without_a_stable_bias():
    """One row of weight 3 decides which class the bias prefers. Its slack is near 0 and the kernel tiny, so that 2 alpha R^2 + xi
    is far below 1, as Joachims wants it of a row that stays right; without it the other class is larger."""
    x, y = np.array([[0.1], [0.2], [-0.1]]) * 1e-3, np.array([1, 1, 0])
    weights = np.array([3, 1, 3.5])
    options = {"kernel": "linear", **TIGHT}
    model = dcsvm.train(x, y, sample_weight=weights, **options)
    slack = 1 - model.decision_function(x)[0]
    assert 2 * abs(model.alpha[0]) * np.ptp(x @ x.T) + slack < 0.01
    assert dcsvm.train(x[1:], y[1:], sample_weight=weights[1:], **options).predict(x[:1])[0] == 0
    assert dcsvm.leave_one_out(model, x, y, sample_weight=weights, method="xi_alpha").errors[0]


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_xi_alpha_tells_something(noise):
    """With room in the free support vectors it is Joachims' condition."""
    x, y = dcsvm.datasets.make_twonorm(600, random_state=0)
    model = dcsvm.train(x, y, C=0.5, gamma=0.02 + noise / 100)
    found = dcsvm.leave_one_out(model, x, y, method="xi_alpha")
    span = dcsvm.leave_one_out(model, x, y, method="span")
    assert 0.85 < found.score <= span.score
    decisions = np.where(y == model.classes_[1], 1, -1) * model.decision_function(x)
    joachims = 2 * np.abs(model.alpha) + np.maximum(0, 1 - decisions) >= 1  # R = 1
    assert found.errors.sum() <= joachims.sum() + 3


def test_precomputed_kernels_are_as_computed_ones(rows):
    x, labels, y = rows
    K = rbf(x, x)
    for given in (K, sp.csr_matrix(K)):
        for how in ("span", "xi_alpha"):
            model = dcsvm.train(given, labels, kernel="precomputed", **TIGHT)
            same = dcsvm.train(x, labels, gamma=0.5, **TIGHT)
            a = dcsvm.leave_one_out(model, given, labels, method=how)
            b = dcsvm.leave_one_out(same, x, labels, method=how)
            np.testing.assert_array_equal(a.errors, b.errors)
    ridge = dcsvm.train_ridge(K, y, kernel="precomputed"), dcsvm.train_ridge(x, y, gamma=0.5)
    np.testing.assert_allclose(
        dcsvm.leave_one_out(ridge[0], K, y).decisions, dcsvm.leave_one_out(ridge[1], x, y).decisions, atol=1e-9
    )


def test_loaded_models_and_large_blocks(tmp_path):
    """More rows than one block of the factor, of a model from a file."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1200, 2))
    y = np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=1200)
    dcsvm.train_ridge(x, y, alpha=0.1, gamma=1.0).save(tmp_path / "model")
    found = dcsvm.leave_one_out(dcsvm.load_model(tmp_path / "model"), x, y)
    K = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2))
    inverse = np.linalg.inv(K + 0.1 * np.eye(1200))
    np.testing.assert_allclose(found.decisions, y - inverse @ y / np.diagonal(inverse), atol=1e-9)


# What is refused


def test_other_data_than_the_training_is_refused(rows):
    x, labels, y = rows
    weights = np.linspace(0.1, 3, len(y))
    for model, truth in (
        (dcsvm.train_ridge(x, y, gamma=0.5, sample_weight=weights), y),
        (dcsvm.train(x, labels, gamma=0.5, sample_weight=weights), labels),
        (dcsvm.train(x, y, gamma=0.5, formulation="epsilon_svr", sample_weight=weights), y),
    ):
        dcsvm.leave_one_out(model, x, truth, sample_weight=weights)
        for other in (
            (x, truth, None),
            (x[::-1], truth, weights),
            (x, truth[::-1], weights),
            (x + 0.3 * (x > 1), truth, weights),
        ):
            with pytest.raises(ValueError, match="must be those that the model was trained with"):
                dcsvm.leave_one_out(model, *other[:2], sample_weight=other[2])
        with pytest.raises(ValueError, match=r"X must be the training data, of shape \(54, 3\), got \(53, 3\)"):
            dcsvm.leave_one_out(model, x[1:], truth[1:], sample_weight=weights[1:])
    ls = dcsvm.train_ls_svm(x, labels, method="exact")
    with pytest.raises(ValueError, match="must be those that the model was trained with"):
        dcsvm.leave_one_out(ls, x, labels[::-1])
    with pytest.raises(ValueError, match="sample_weight must be None for an LS-SVM"):
        dcsvm.leave_one_out(ls, x, labels, sample_weight=weights)
    with pytest.raises(ValueError, match="y has the label 7 at row 2"):
        dcsvm.leave_one_out(ls, x, np.where(np.arange(54) == 2, 7, labels))
    with pytest.raises(ValueError, match=r"y must have shape \(54,\)"):
        dcsvm.leave_one_out(ls, x, labels[1:])
    two = dcsvm.train_ls_svm(x, np.column_stack([y, y]), method="exact", regression=True)
    for wrong in (y, np.column_stack([y, y, y])):
        with pytest.raises(ValueError, match="y must have a column for each of the model's 2 targets"):
            dcsvm.leave_one_out(two, x, wrong)


def test_models_without_a_solution_are_refused(rows, tmp_path):
    x, labels, _ = rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [
            (dcsvm.train_ls_svm(x, labels, method="nystrom"), "is a committee"),
            (dcsvm.train_ls_svm(x, labels, n_iter=1, block_size=5), "has not converged"),
            (dcsvm.train(x, labels, max_iter=3), "has not converged"),
            (dcsvm.train(x, labels, solver="dc", early_level=1, n_levels=1, branching=2), "is of clusters"),
            (dcsvm.train(x, labels, formulation="nu_svc", nu=0.3), "got one of nu_svc"),
            (dcsvm.train(x, formulation="one_class"), "got one of one_class"),
        ]
    model = dcsvm.train(x, labels)
    model.save(tmp_path / "text", format="libsvm")
    models.append((dcsvm.load_model(tmp_path / "text"), "does not know how it was trained"))
    for wrong, message in models:
        with pytest.raises(ValueError, match=message):
            dcsvm.leave_one_out(wrong, x, labels)
    for wrong in (dcsvm.train_linear(x, labels), None, "model"):
        with pytest.raises(TypeError, match=r"model must be what dcsvm\.train"):
            dcsvm.leave_one_out(wrong, x, labels)


def test_bad_arguments_are_refused(rows):
    x, labels, y = rows
    model, ridge = dcsvm.train(x, labels), dcsvm.train_ridge(x, y)
    with pytest.raises(ValueError, match="method must be 'span' or 'xi_alpha' for a model of c_svc, got 'exact'"):
        dcsvm.leave_one_out(model, x, labels, method="exact")
    with pytest.raises(ValueError, match="method must be 'span' for a model of epsilon_svr"):
        dcsvm.leave_one_out(dcsvm.train(x, y, formulation="epsilon_svr"), x, y, method="xi_alpha")
    with pytest.raises(ValueError, match="did you mean 'span'"):
        dcsvm.leave_one_out(model, x, labels, method="spam")
    with pytest.raises(MemoryError, match="cache_size must be at least 1 MB for the matrix of 54 rows"):
        dcsvm.leave_one_out(ridge, x, y, cache_size=0.01)
    with pytest.raises(MemoryError, match="free support vectors"):
        dcsvm.leave_one_out(model, x, labels, cache_size=1e-6)
    with pytest.raises(ValueError, match="cache_size must be a finite number > 0"):
        dcsvm.leave_one_out(ridge, x, y, cache_size=0)
    with pytest.raises(ValueError, match="sample_weight must have shape"):
        dcsvm.leave_one_out(ridge, x, y, sample_weight=[1.0])
    bad = x.copy()
    bad[3, 1] = np.nan
    for own, truth in ((model, labels), (ridge, y)):
        with pytest.raises(ValueError, match="NaN"):
            dcsvm.leave_one_out(own, bad, truth)
