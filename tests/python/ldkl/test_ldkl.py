"""train_ldkl against a twin in numpy, a peer for its convex part, and its own promises. C++ tests have the gradient."""

import warnings

import numpy as np
import pytest
from bench.methods import ldkl as twin
from scipy.sparse import csr_matrix

import dcsvm


@pytest.fixture(scope="module")
def board():
    return dcsvm.datasets.make_checkerboard(1500, random_state=0)


@pytest.fixture(scope="module")
def model(board):
    return dcsvm.train_ldkl(*board, depth=4, n_passes=40)


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    return x, np.array([5, 7, 9])[np.digitize(x[:, 0] * x[:, 1], [-0.3, 0.3])]


def with_constant(x):
    return np.hstack([x, np.ones((len(x), 1))])


def test_decisions_are_the_twins(board, model):
    x, _ = board
    expected = twin.decisions(with_constant(x), model.w_[0], model.v_[0], model.theta_[0], model.sigma)
    np.testing.assert_allclose(model.decision_function(x), expected, rtol=1e-10, atol=1e-10)
    assert model.w_.shape == model.v_.shape == (1, 31, 3)
    assert model.theta_.shape == (1, 15, 3)


def test_several_classes_have_a_tree_each(three):
    x, y = three
    model = dcsvm.train_ldkl(x, y, depth=3, n_passes=20)
    columns = [twin.decisions(with_constant(x), w, v, t, 1.0) for w, v, t in zip(model.w_, model.v_, model.theta_, strict=True)]
    np.testing.assert_allclose(model.decision_function(x), np.transpose(columns), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(x), model.classes_[np.argmax(model.decision_function(x), axis=1)])
    assert (model.predict(x) == y).mean() > 0.85
    assert model.classes_.tolist() == [5, 7, 9]


def path_features(x, model):
    """tanh(sigma v_k'x) (x, 1) for the nodes k on each row's path, 0 for the others: (rows, nodes, features + 1)."""
    z = with_constant(x)
    v, theta = model.v_[0], model.theta_[0]
    out = np.zeros((len(x), len(v), z.shape[1]))
    for i, row in enumerate(z):
        node = 0
        while node < len(v):
            out[i, node] = np.tanh(model.sigma * v[node] @ row) * row
            node = 2 * node + 1 + int(node < len(theta) and theta[node] @ row > 0)
    return out


def test_the_weights_are_the_optimum_of_a_linear_svm(board):
    """Given the tree, the weights' problem is a linear SVM on the path's features: train_linear must find the same minimum."""
    x, y = board
    x = (x - x.mean(axis=0)).astype(np.float32)
    lambda_w = 1e-3
    model = dcsvm.train_ldkl(x, y, depth=2, n_passes=10, lambda_w=lambda_w, standardise=False, tol=1e-3)
    features = path_features(x.astype(np.float64), model).reshape(len(x), -1)
    own = lambda_w / 2 * (model.w_**2).sum() + np.maximum(0, 1 - y * (features @ model.w_.ravel())).mean()
    assert model.report.objective == pytest.approx(own, rel=1e-9)
    peer = dcsvm.train_linear(features, y, solver="hinge_dual", C=1 / (lambda_w * len(x)), bias=-1, tol=1e-4)
    best = peer.report.primal_objective * lambda_w
    assert model.report.dual_objective <= best * (1 + 1e-6)
    assert own <= best * (1 + 1.01e-3)
    assert model.report.violation <= 1e-3


def test_standardised_objective(board):
    """The norm is that of the weights for standardised features; the loss that of the model on X as it is."""
    x, y = board
    model = dcsvm.train_ldkl(x * [1, 1000] + [0, 1e5], y, depth=2, n_passes=10)
    rows = x * [1, 1000] + [0, 1e5]
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    w = model.w_[0].copy()
    w[:, -1] += w[:, :-1] @ mean
    w[:, :-1] *= spread
    loss = np.maximum(0, 1 - y * model.decision_function(rows)).mean()
    assert model.report.objective == pytest.approx(1.5e-4 * (w**2).sum() + loss, rel=1e-6)


def test_a_board_of_two_features(board, model):
    x, y = board
    test_x, test_y = dcsvm.datasets.make_checkerboard(1500, random_state=1)
    deep = dcsvm.train_ldkl(x, y, depth=6, n_passes=60)
    linear = dcsvm.train_linear(x, y)
    assert (linear.predict(test_x) == test_y).mean() < 0.65
    assert (model.predict(test_x) == test_y).mean() > 0.8
    assert (deep.predict(test_x) == test_y).mean() > 0.88


def test_it_is_no_worse_than_the_reference_version(board):
    x, y = board
    test_x, test_y = dcsvm.datasets.make_checkerboard(1500, random_state=1)
    decide = twin.train(x, y, depth=4, epochs=40)
    reference = (np.sign(decide(test_x)) == test_y).mean()
    ours = np.mean(
        [(dcsvm.train_ldkl(x, y, depth=4, n_passes=40, random_state=s).predict(test_x) == test_y).mean() for s in range(3)]
    )
    assert ours > reference - 0.03


def test_same_model_for_any_number_of_threads(board, three):
    for x, y in (board, three):
        one, three_ = (dcsvm.train_ldkl(x, y, depth=3, n_passes=3, batch_size=700, n_jobs=n) for n in (1, 3))
        assert one.to_bytes(timings=False) == three_.to_bytes(timings=False)
        for n in (1, 3):
            np.testing.assert_array_equal(one.decision_function(x, n_jobs=n), one.decision_function(x, n_jobs=1))
    other = dcsvm.train_ldkl(x, y, depth=3, n_passes=3, random_state=5)
    assert not np.array_equal(other.theta_, one.theta_)


def test_storage_of_X(three):
    x, y = three
    x = np.where(np.abs(x) > 0.7, x, 0).round(2)
    exact = {"depth": 2, "n_passes": 3, "standardise": False}
    dense = dcsvm.train_ldkl(x, y, **exact)
    expected = dense.decision_function(x)
    sparse = dcsvm.train_ldkl(csr_matrix(x), y, **exact)
    np.testing.assert_array_equal(sparse.w_, dense.w_)
    np.testing.assert_array_equal(dcsvm.train_ldkl(np.asfortranarray(x), y, **exact).decision_function(x), expected)
    for storage in (np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], csr_matrix(x)):
        np.testing.assert_allclose(dense.decision_function(storage), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(dense.predict(storage), dense.predict(x))
    wide = csr_matrix(x)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for standard in (True, False):
        options = {"depth": 2, "n_passes": 3, "standardise": standard}
        first, second = (dcsvm.train_ldkl(kind, y, **options) for kind in (csr_matrix(x), wide))
        np.testing.assert_array_equal(first.w_, second.w_)


def test_weights(board):
    x, y = board
    keep = np.arange(len(y)) % 3 > 0
    options = {"depth": 2, "n_passes": 3}
    for rows in (x, csr_matrix(x)):
        left_out = dcsvm.train_ldkl(rows, y, sample_weight=keep * 2.0, **options)
        shorter = dcsvm.train_ldkl(rows[keep], y[keep], **options)
        np.testing.assert_array_equal(left_out.w_, shorter.w_)
    plain = dcsvm.train_ldkl(x, y, standardise=False, **options, sample_weight=keep.astype(float))
    np.testing.assert_array_equal(plain.w_, dcsvm.train_ldkl(x[keep], y[keep], standardise=False, **options).w_)
    by_class = dcsvm.train_ldkl(x, y, class_weight={1: 3}, **options)
    by_row = dcsvm.train_ldkl(x, y, sample_weight=np.where(y == 1, 3.0, 1.0), **options)
    np.testing.assert_array_equal(by_class.w_, by_row.w_)
    heavy = dcsvm.train_ldkl(x, y, class_weight={1: 50}, **options)
    assert (heavy.predict(x) == 1).mean() > (shorter.predict(x) == 1).mean()


def test_saved_and_loaded(model, board, tmp_path):
    x, _ = board
    model.save(tmp_path / "m")
    again = dcsvm.load_model(tmp_path / "m")
    assert isinstance(again, dcsvm.LDKLModel)
    np.testing.assert_array_equal(again.decision_function(x), model.decision_function(x))
    assert again.to_bytes() == model.to_bytes()
    assert again.report == model.report
    with pytest.raises(dcsvm.ModelError, match="a low-rank model was expected, the file holds a local deep kernel model"):
        dcsvm.LowRankModel.from_bytes(model.to_bytes())


def test_cost(board, model):
    assert model.cost == pytest.approx(3 * 4 + 2 + 11 * 5 / 2)
    assert model.report.cost == model.cost
    for budget in (10, "40x", 50):
        cheap = dcsvm.train_ldkl(*board, budget=budget, n_passes=2, lambda_w=0.01)
        assert cheap.cost <= float(str(budget).rstrip("x")) < cheap.cost + 3 + 11 / 2
    assert dcsvm.train_ldkl(*board, budget=1e9, n_passes=1, lambda_w=0.1).depth == 5  # 1500 rows: 46 in a leaf
    with pytest.raises(ValueError, match=r"budget must allow a tree of one node: at least 7\.5, got 7"):
        dcsvm.train_ldkl(*board, budget=7)


def test_cost_curve(board):
    x, y = board
    options = {"method": "ldkl", "n_passes": 10, "lambda_w": 1e-3}
    curve = dcsvm.cost_curve(x[:1000], y[:1000], x[1000:], y[1000:], budgets=(8, 50), **options)
    assert (curve.costs <= curve.budgets).all()
    assert curve.scores[1] > curve.scores[0]
    assert all(isinstance(m, dcsvm.LDKLModel) for m in curve.models)
    assert dcsvm.cost_curve(x, y, x, y, **options).budgets.tolist() == [12, 24, 48, 96]
    with pytest.raises(ValueError, match="regression needs method='dc_pred', got 'ldkl'"):
        dcsvm.cost_curve(x, y, x, y, regression=True, **options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("depth", v) for v in (-1, 17, 2.5, "3", None)],
        *[("budget", v) for v in (0, -1, "x", "0x", [3])],
        *[(name, v) for name in ("lambda_w", "sigma", "learning_rate", "tol", "cache_size") for v in (0, -1, np.inf, "a")],
        *[(name, v) for name in ("lambda_v", "lambda_theta") for v in (-1, np.inf, np.nan, None)],
        *[("sharpness", v) for v in (0.5, -1, np.nan)],
        *[(name, v) for name in ("n_passes", "batch_size", "max_iter") for v in (0, -1, 1.5)],
        *[("standardise", v) for v in (2, "yes", None)],
        *[("class_weight", v) for v in ({1: -1}, {8: 1}, "heavy")],
        *[("random_state", -1), ("n_jobs", 1.5), ("callback", 3), ("verbose", "loud")],
    ],
)
def test_bad_parameters_are_named(board, name, value):
    with pytest.raises(ValueError, match=name):
        dcsvm.train_ldkl(*board, **{name: value})


def test_bad_data_is_named(board):
    x, y = board
    with pytest.raises(TypeError, match="depht"):
        dcsvm.train_ldkl(x, y, depht=3)
    with pytest.raises(ValueError, match="y"):
        dcsvm.train_ldkl(x, y[:-1])
    with pytest.raises(ValueError, match="y"):
        dcsvm.train_ldkl(x, np.ones(len(y)))
    bad = x.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3"):
        dcsvm.train_ldkl(bad, y)
    with pytest.raises(ValueError, match="squares of column 1 overflow"):
        dcsvm.train_ldkl(x * [1, 1e200], y)
    with pytest.raises(ValueError, match="sample_weight"):
        dcsvm.train_ldkl(x, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="all weights of class"):
        dcsvm.train_ldkl(x, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(MemoryError, match="cache_size: a tree of depth 10"):
        dcsvm.train_ldkl(x, y, depth=10, cache_size=1)
    with pytest.raises(MemoryError, match="cache_size: the standardised copy"):
        dcsvm.train_ldkl(x, y, cache_size=0.001)


@pytest.mark.parametrize(("factor", "wrong"), [(1, {"learning_rate": 1e300}), (1e200, {"standardise": False})])
def test_a_descent_that_diverges_is_refused(board, factor, wrong):
    x, y = board
    with pytest.raises(ValueError, match="learning_rate: the tree's training diverged"):
        dcsvm.train_ldkl(factor * x, y, n_passes=2, **wrong)


def test_prediction_refuses_what_it_cannot_decide(model):
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="row 1"):
        model.predict(np.array([[0, 0], [1e308, 1e308]]) * 1.5)


def test_what_is_not_reached_is_said(board):
    with pytest.warns(dcsvm.ConvergenceWarning, match="duality gap"):
        model = dcsvm.train_ldkl(*board, depth=3, n_passes=2, max_iter=1, lambda_w=1e-6)
    assert model.report.stop_reason == "max_iter"
    assert model.report.violation > 0.01
    assert model.report.n_iter == 1


@pytest.mark.parametrize("phase", ["tree", "weights"])
def test_a_callback_ends_the_training(three, phase):
    x, y = three
    seen = []

    def stop(p):
        seen.append((p.phase, p.done, p.total))
        return p.phase == phase

    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train_ldkl(x, y, lambda_w=1e-7, tol=1e-9, max_iter=10**6, callback=stop)
    assert seen[-1] == (phase, 0, 3)
    assert model.report.stop_reason == "cancelled"
    assert np.isfinite(model.decision_function(x)).all()
    assert (model.decision_function(x)[:, 2] == 0).all()  # had no turn
    assert model.report.violation > 1e-9


def test_an_exception_in_the_callback_comes_out(three):
    def interrupt(p):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dcsvm.train_ldkl(*three, callback=interrupt)


def test_constant_and_far_features():
    x, y = dcsvm.datasets.make_checkerboard(400, random_state=0)
    far = np.hstack([x + 1e6, np.full((len(x), 1), 7.0)])
    model = dcsvm.train_ldkl(far, y, depth=3, n_passes=30)
    near = dcsvm.train_ldkl(np.hstack([x, np.zeros((len(x), 1))]), y, depth=3, n_passes=30)
    assert abs((model.predict(far) == y).mean() - (near.predict(np.hstack([x, np.zeros((len(x), 1))])) == y).mean()) < 0.05
    for m in (model, near):
        assert np.isfinite(m.w_).all()


def test_the_gap_is_that_of_the_model_on_the_rows_as_they_are():
    # So far from the origin, a model for X as it is has lost digits that the solver's copy, minus the mean, still has.
    wrong = []
    for seed in range(2, 4):
        rng = np.random.default_rng(seed)
        x, weight = rng.normal(size=(600, 3)), np.exp(2.5 * (seed % 2) * rng.normal(size=600))
        y = np.where(np.sin(2 * x[:, 0]) > 0, 1, 0)
        x += 1e12
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
            model = dcsvm.train_ldkl(x, y, depth=3, n_passes=5, sample_weight=weight, tol=1e-3)
        report = model.report
        gap = (report.objective - report.dual_objective) / report.objective
        assert report.violation == pytest.approx(gap, rel=1e-9), seed
        if report.stop_reason == "converged" and gap > 1e-3:
            wrong.append(seed)
    assert wrong == []
