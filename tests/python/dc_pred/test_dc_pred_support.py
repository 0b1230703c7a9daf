"""DC-Pred++ with an exact model's support vectors as landmarks: a twin in numpy, bounds, and what is refused."""

import numpy as np
import pytest

import dcsvm

GAMMA = 4.0


@pytest.fixture(scope="module")
def board():
    return dcsvm.datasets.make_checkerboard(3000, random_state=0)


@pytest.fixture(scope="module")
def exact(board):
    return dcsvm.train(*board, C=10, gamma=GAMMA)


def rbf(a, b, gamma=GAMMA):
    return np.exp(-gamma * ((a[:, None] - b[None]) ** 2).sum(axis=2))


def test_all_support_vectors_make_the_exact_model(board, exact):
    x = board[0]
    new, _ = dcsvm.datasets.make_checkerboard(2000, random_state=3)
    for leaves in (1, 16):
        fast = dcsvm.compress(exact, x, landmarks="support", n_leaves=leaves, n_landmarks=10_000, tol=1e-6)
        if leaves == 1:
            assert fast.report.n_landmarks <= len(exact.support_)
            np.testing.assert_allclose(fast.decision_function(new), exact.decision_function(new), atol=2e-3)
        assert (fast.predict(new) == exact.predict(new)).mean() > 0.99


def test_a_leaf_holds_what_weighs_most_in_it(board, exact):
    """The choice made slowly, in numpy: weights, landmarks, intercept."""
    x = board[0]
    m = 20
    fast = dcsvm.compress(exact, x, landmarks="support", n_leaves=1, n_landmarks=m, sample_size=len(x), tol=1e-6)
    vectors, coef = exact.support_vectors_, exact.dual_coef_[0]
    k = rbf(x, vectors)
    weight = np.abs(coef) * k.mean(axis=0)
    order = np.argsort(-weight)
    chosen, left = order[:m], order[m:]
    expected = vectors[chosen]
    np.testing.assert_allclose(fast.landmarks(0), expected, atol=1e-5)
    intercept = exact.intercept_[0] + (coef[left] * k.mean(axis=0)[left]).sum()
    np.testing.assert_allclose(fast.decision_function(x), rbf(x, expected) @ coef[chosen] + intercept, atol=2e-3)


def test_the_mean_error_is_below_tol_and_fewer_landmarks_err_more(board, exact):
    x = board[0]
    truth = exact.decision_function(x)
    errors, counts = [], []
    for tol in (0.5, 0.05, 0.005):
        fast = dcsvm.compress(exact, x, landmarks="support", n_leaves=4, n_landmarks=10_000, sample_size=10_000, tol=tol)
        assert fast.report.n_constant == 0
        errors.append(np.abs(fast.decision_function(x) - truth).mean())
        counts.append(fast.report.n_landmarks)
        assert errors[-1] <= 2 * tol  # what is left out, and what its mean in the intercept adds
    assert errors[0] > errors[1] > errors[2]
    assert counts[0] < counts[1] < counts[2]
    capped = dcsvm.compress(exact, x, landmarks="support", n_leaves=4, n_landmarks=7)
    assert capped.report.n_landmarks == 28
    assert capped.cost < 4 + 7 * (1 + 11 / 2) + 0.1


def test_training_is_compressing_the_exact_model(board, exact):
    x, y = board
    options = {"landmarks": "support", "n_leaves": 8, "n_landmarks": 64}
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=GAMMA, n_jobs=1, **options)
    again = dcsvm.train_dc_pred(x, y, C=10, gamma=GAMMA, n_jobs=2, **options)
    small = dcsvm.compress(exact, x, **options)
    np.testing.assert_array_equal(fast.decision_function(x), again.decision_function(x))
    np.testing.assert_array_equal(fast.decision_function(x), small.decision_function(x))
    assert fast.report.n_support == len(exact.support_)
    keep = np.arange(len(y)) % 3 > 0
    options["n_landmarks"] = 3000
    weighted = dcsvm.train_dc_pred(x, y, C=10, gamma=GAMMA, sample_weight=keep.astype(float), class_weight={1: 2.0}, **options)
    alone = dcsvm.train(x[keep], y[keep], C=10, gamma=GAMMA, class_weight={1: 2.0})
    assert (weighted.predict(x) == alone.predict(x)).mean() > 0.98


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_other_kernels_keep_their_place(kernel):
    """Rows move by their mean before rbf values alone."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (400, 3)) + 1
    y = np.where(x[:, 0] + x[:, 1] ** 2 > 4, 1, -1)
    exact = dcsvm.train(x, y, kernel=kernel, gamma=0.3, coef0=0.5, C=5)
    fast = dcsvm.compress(exact, x, landmarks="support", n_leaves=1, n_landmarks=400, tol=1e-9)
    truth = exact.decision_function(x)
    np.testing.assert_allclose(fast.decision_function(x), truth, atol=2e-4 * (1 + np.abs(truth).max()))


def test_regressions():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (1500, 2))
    t = np.sin(3 * x[:, 0]) * x[:, 1]
    for model in (
        dcsvm.train(x, t, formulation="epsilon_svr", C=10, epsilon=0.01, gamma=2),
        dcsvm.train_ridge(x, t, alpha=0.1, gamma=2),
    ):
        fast = dcsvm.compress(model, x, landmarks="support", n_leaves=1, n_landmarks=5000, tol=1e-6)
        np.testing.assert_allclose(fast.predict(x), model.predict(x), atol=5e-3)
        fast = dcsvm.compress(model, x, landmarks="support", n_leaves=8, n_landmarks=5000, tol=1e-2, sample_size=1500)
        assert np.abs(fast.predict(x) - model.predict(x)).mean() < 2e-2


def test_features_that_landmarks_share_are_not_multiplied_but_count():
    """Leaves of one kind of rows, marked one-hot: rows that differ there are told apart, alone and in batches."""
    rng = np.random.default_rng(2)
    n, kinds = 3000, 40
    kind = rng.integers(0, kinds, n)
    x = np.c_[rng.uniform(0, 1, (n, 3)), np.eye(kinds)[kind]].astype(np.float32)
    y = np.where(np.sin(7 * x[:, 0]) + x[:, 1] + 0.05 * kind > 1.2, 1, -1)
    exact = dcsvm.train(x, y, C=10, gamma=8.0)
    fast = dcsvm.compress(exact, x, landmarks="support", n_leaves=32, n_landmarks=4000, tol=1e-4, sample_size=n)
    shared = [leaf for leaf in range(fast.n_leaves) if len(u := fast.landmarks(leaf)) and (np.ptp(u, axis=0) == 0).sum() > 20]
    assert shared
    truth = exact.decision_function(x)
    answers = fast.decision_function(x)
    many = np.abs(answers - truth) < 5e-3
    assert many.mean() > 0.9  # all but leaves of one class, which answer by a constant
    odd = x.copy()
    odd[:, 3:] = np.eye(kinds)[(kind + 1) % kinds] / 2  # rows of no kind
    batch = fast.decision_function(odd)
    np.testing.assert_array_equal(batch, np.concatenate([fast.decision_function(row[None]) for row in odd]))
    loaded = dcsvm.DCPredModel.from_bytes(fast.to_bytes())
    np.testing.assert_array_equal(loaded.decision_function(odd), batch)


def test_what_is_refused(board, exact):
    x, y = board
    early = dcsvm.train(x, y, C=10, gamma=GAMMA, early_level=1, n_levels=1)
    with pytest.raises(ValueError, match=r"landmarks.*not an early one"):
        dcsvm.compress(early, x, landmarks="support")
    three = np.arange(len(y)) % 3
    with pytest.raises(ValueError, match=r"landmarks.*two classes"):
        dcsvm.train_dc_pred(x, three, landmarks="support")
    with pytest.raises(ValueError, match=r"landmarks.*two classes"):
        dcsvm.compress(dcsvm.train(x[:300], three[:300], C=1, gamma=1), x, landmarks="support")
    with pytest.raises(ValueError, match=r"^landmarks must be"):
        dcsvm.compress(exact, x, landmarks="best")
    with pytest.raises(ValueError, match=r"^budget must allow two landmarks"):
        dcsvm.compress(exact, x, landmarks="support", budget=12)
    for budget in ("cheap", -1, float("nan")):
        with pytest.raises(ValueError, match=r"^budget must be"):
            dcsvm.train_dc_pred(x, y, budget=budget)
    with pytest.raises(ValueError, match=r"landmarks.*two classes"):
        dcsvm.train_dc_pred(x, three, landmarks="support", budget=50)
    with pytest.raises(MemoryError, match="cache_size"):
        dcsvm.compress(exact, x, landmarks="support", cache_size=0.01)
    with pytest.raises(ValueError, match="3 features"):
        dcsvm.compress(exact, np.zeros((10, 3)), landmarks="support")


def test_cancelled_before_there_are_support_vectors():
    X, y = dcsvm.datasets.make_checkerboard(900)
    calls = []
    model = dcsvm.train_dc_pred(
        X, y, C=10, gamma=4, n_leaves=8, landmarks="support", n_landmarks=50, callback=lambda p: calls.append(p) or True
    )
    assert model.report.stop_reason == "cancelled"
    assert len(calls) == 1
    assert set(model.predict(X)) <= set(y)


def test_progress_counts_leaves_alone():
    X, y = dcsvm.datasets.make_checkerboard(2000, noise=0.1)
    seen = []
    dcsvm.train_dc_pred(X, y, C=100, gamma=4, n_leaves=8, callback=seen.append)
    assert {(p.phase, p.total) for p in seen} == {("leaves", 8)}, "the solver of a leaf reports as a part of all leaves"
