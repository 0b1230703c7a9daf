"""SpSVM: landmarks chosen one after another. The choice and the final problem are compared with slow, obvious twins in numpy."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_matrix

import dcsvm

GREEDY = {"landmarks": "greedy", "loss": "squared_hinge"}


def rbf(a, b, gamma):
    return np.exp(-gamma * ((a[:, None].astype(float) - b[None].astype(float)) ** 2).sum(axis=2))


def loss(u, b, K, basis, y, C):
    slack = np.maximum(0, 1 - y * (K[:, basis] @ u + b))
    return 0.5 * u @ K[np.ix_(basis, basis)] @ u + 0.5 * b * b + C * slack @ slack


def loss_along(v, u, *problem):
    return loss(np.append(u, v), *problem)


def best_coefficients(K, basis, y, C):
    def value(w):
        return loss(w[:-1], w[-1], K, basis, y, C)

    def slope(w):
        slack = np.maximum(0, 1 - y * (K[:, basis] @ w[:-1] + w[-1]))
        return np.append(
            K[np.ix_(basis, basis)] @ w[:-1] - 2 * C * K[:, basis].T @ (y * slack), w[-1] - 2 * C * (y * slack).sum()
        )

    return minimize(value, np.zeros(len(basis) + 1), jac=slope, method="L-BFGS-B", options={"maxiter": 10_000, "ftol": 1e-15}).x


def greedy_twin(K, y, C, k):
    """Every row is a candidate, and all coefficients are optimised after every landmark."""
    basis, u, b = [], np.zeros(0), 0.0
    for _ in range(k):
        found = {}
        for j in set(range(len(y))) - set(basis):
            problem = (u, b, K, [*basis, j], y, C)
            found[j] = minimize_scalar(loss_along, args=problem, method="brent", tol=1e-10).fun
        basis.append(min(found, key=found.get))
        *u, b = best_coefficients(K, basis, y, C)
        u = np.array(u)
    return basis


@pytest.mark.parametrize("seed", [0, 1])
def test_the_choice_is_that_of_a_slow_twin(seed):
    """55 rows are fewer than a step's 59 candidates: all are compared."""
    x, y = dcsvm.datasets.make_checkerboard(55, random_state=seed)
    C, gamma = 2.0, 4.0
    expected = greedy_twin(rbf(x, x, gamma), y, C, 5)
    for k in range(1, 6):
        model = dcsvm.train_low_rank(x, y, C=C, gamma=gamma, n_landmarks=k, **GREEDY)
        assert {tuple(z) for z in model.landmarks_} == {tuple(x[i]) for i in expected[:k]}


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_model_is_the_minimum_of_its_problem(board, fit_intercept):
    x, y = board
    C, gamma = 5.0, 4.0
    options = {"tol": 1e-5, "max_iter": 100_000, "fit_intercept": fit_intercept}
    model = dcsvm.train_low_rank(x, y, C=C, gamma=gamma, n_landmarks=20, **GREEDY, **options)
    assert model.report.stop_reason == "converged"
    rows = np.vstack([model.landmarks_, x])  # the landmarks are rows of x: they only stand first here to be found
    K = rbf(rows, rows, gamma)
    basis, n = list(range(len(model.landmarks_))), len(model.landmarks_)
    mine = loss(model.coef_[0], model.intercept_[0], K, basis, np.append(np.zeros(n), y), C) - C * n
    assert model.report.primal_objective == pytest.approx(mine, rel=1e-4)
    assert model.report.objective + model.report.primal_objective == pytest.approx(0, abs=1e-3 * mine)  # the duality gap
    if not fit_intercept:
        assert model.intercept_[0] == 0


def test_landmarks_are_better_than_random_ones(board):
    x, y = board
    objectives = {}
    for how in ("uniform", "greedy"):
        options = {"C": 10, "gamma": 4, "n_landmarks": 40, "loss": "squared_hinge"}
        model = dcsvm.train_low_rank(x, y, landmarks=how, **options)
        objectives[how] = model.report.primal_objective
        assert all(tuple(z) in {tuple(r) for r in x} for z in model.landmarks_)
    assert objectives["greedy"] < 0.9 * objectives["uniform"]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_several_classes_share_the_landmarks(blobs, multi_class):
    x, y = blobs
    model = dcsvm.train_low_rank(x, y, gamma=0.5, n_landmarks=12, multi_class=multi_class, **GREEDY)
    options = {**GREEDY, "landmarks": "uniform"}
    uniform = dcsvm.train_low_rank(x, y, gamma=0.5, n_landmarks=12, multi_class=multi_class, **options)
    assert model.landmarks_.shape == (12, x.shape[1])
    assert (model.predict(x) == y).mean() >= (uniform.predict(x) == y).mean()


def test_same_model_for_any_number_of_threads_and_storage(board):
    x, y = board
    options = {"C": 10, "gamma": 4, "n_landmarks": 30, **GREEDY}
    one, three = (dcsvm.train_low_rank(x, y, n_jobs=n, **options) for n in (1, 3))
    assert one.to_bytes(timings=False) == three.to_bytes(timings=False)
    other = dcsvm.train_low_rank(x, y, random_state=5, **options)
    assert not np.array_equal(other.landmarks_, one.landmarks_)
    assert dcsvm.train_low_rank(csr_matrix(x), y, **options).landmarks_.shape == (30, 2)


def test_rows_that_take_no_part_are_no_landmarks(board):
    x, y = board
    known = np.arange(len(y)) % 3 == 0
    labels = np.where(known, (y + 3) // 2, 0)
    by_label = dcsvm.train_low_rank(x, labels, gamma=4, n_landmarks=25, unlabelled=0, **GREEDY)
    by_weight = dcsvm.train_low_rank(x, y, gamma=4, n_landmarks=25, sample_weight=known.astype(float), **GREEDY)
    assert np.array_equal(by_label.landmarks_, by_weight.landmarks_)
    assert {tuple(z) for z in by_label.landmarks_} <= {tuple(r) for r in x[known]}


def test_fewer_landmarks_where_the_rows_give_no_more():
    x = np.repeat([[0.0], [1.0], [3.0]], 40, axis=0)
    y = np.repeat([1, -1, 1], 40)
    model = dcsvm.train_low_rank(x, y, gamma=1, n_landmarks=10, C=10, **GREEDY)
    assert model.report.n_landmarks <= 3
    assert (model.predict(x) == y).all()
    with pytest.raises(ValueError, match="no row of X lowers the training loss"):
        dcsvm.train_low_rank(np.zeros((40, 2)), np.arange(40) % 2, kernel="linear", n_landmarks=2, **GREEDY)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
@pytest.mark.filterwarnings("ignore:.*not positive semi-definite")
def test_other_kernels(board, kernel):
    x, y = board
    model = dcsvm.train_low_rank(x - 2, y, kernel=kernel, gamma=0.2, coef0=1, C=0.1, n_landmarks=10, tol=1, **GREEDY)
    assert 1 <= model.report.n_landmarks <= 10


def test_other_features_take_the_same_landmarks(board):
    x, y = board
    models = [
        dcsvm.train_low_rank(x, y, C=1, gamma=4, n_landmarks=20, **GREEDY, **o)
        for o in ({}, {"features": "reduced"}, {"supervised": True})
    ]
    assert len({frozenset(map(tuple, m.landmarks_)) for m in models}) == 1


@pytest.mark.parametrize("budget", [40, "100x"])
@pytest.mark.parametrize("landmarks", ["greedy", "uniform"])
def test_the_budget_holds(board, budget, landmarks):
    x, y = board
    model = dcsvm.train_low_rank(x, y, C=10, gamma=4, budget=budget, landmarks=landmarks)
    number = float(str(budget).rstrip("x"))
    each = 1 + (10 + 1) / 2  # a landmark: an inner product of two features, a kernel's function, one sum
    assert model.cost == pytest.approx(model.report.n_landmarks * each)
    assert number - each < model.cost <= number
    svc = dcsvm.LowRankSVC(C=10, gamma=4, budget=budget, landmarks=landmarks, random_state=0).fit(x, y)
    assert svc.model_.cost <= number
    with pytest.raises(ValueError, match="need a kernel by name"):
        dcsvm.LowRankSVC(kernel=lambda a, b: a @ b.T, budget=budget).fit(x, y)
    whole = dcsvm.train_low_rank(x[:30], y[:30], gamma=4, budget=1e9, landmarks="uniform")
    assert whole.report.n_landmarks <= 30


def test_cost_curve(board):
    x, y = board
    options = {"budgets": (40, 130), "C": 10, "gamma": 4, "method": "low_rank", **GREEDY}
    curve = dcsvm.cost_curve(x[:1000], y[:1000], x[1000:], y[1000:], **options)
    assert (curve.costs <= curve.budgets).all()
    assert curve.scores[1] > curve.scores[0]
    assert all(isinstance(m, dcsvm.LowRankModel) for m in curve.models)
    first = dcsvm.cost_curve(x, y, x, y, gamma=4, method="low_rank", landmarks="uniform")
    assert first.budgets.tolist() == [24, 48, 96, 192]
    with pytest.raises(ValueError, match="method must be one of"):
        dcsvm.cost_curve(x, y, x, y, method="spsvm")
    with pytest.raises(ValueError, match="regression needs method='dc_pred'"):
        dcsvm.cost_curve(x, y, x, y, method="low_rank", regression=True)


def test_a_callback_ends_the_choice(board):
    x, y = board
    seen = []

    def stop(p):
        seen.append(p.phase)
        return True

    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=300, callback=stop, **GREEDY)
    assert seen[0] == "landmarks"
    assert model.report.n_landmarks < 300

    def interrupt(p):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=300, callback=interrupt, **GREEDY)


def test_memory(board, tmp_path):
    x, y = dcsvm.datasets.make_checkerboard(20_000, random_state=0)
    with pytest.raises(MemoryError, match="cache_size"):
        dcsvm.train_low_rank(x, y, gamma=4, n_landmarks=300, cache_size=1, **GREEDY)
    dcsvm.save_svmlight(tmp_path / "text", x, y)
    with pytest.warns(dcsvm.ConvergenceWarning):  # features of all rows take 9 MB: they come in blocks
        model = dcsvm.train_low_rank_file(tmp_path / "text", memory_mb=6, C=10, gamma=4, n_landmarks=100, **GREEDY)
    assert model.report.n_blocks > 1
    assert model.report.n_landmarks == 100
    assert (model.predict(x) == y).mean() > 0.9


@pytest.mark.filterwarnings("ignore::dcsvm.ConvergenceWarning")  # both stop after the same steps
@pytest.mark.parametrize("by_label", [GREEDY, {"supervised": True, "n_labelled": 300}], ids=["greedy", "supervised"])
def test_a_path_judges_a_fold_without_its_labels(by_label):
    """Each score is that of a training that never saw the fold's labels."""
    rng = np.random.default_rng(4)
    x, fold = rng.standard_normal((600, 3)), rng.integers(0, 3, 600)
    y = (x[:, 0] + rng.standard_normal(600) > 0).astype(int)
    params = {"gamma": 2.0, "n_landmarks": 60, **by_label}
    path = dcsvm.low_rank_path(x, y, [0.1], cv=fold, **params)
    for f in range(3):
        model = dcsvm.train_low_rank(x, np.where(fold == f, -1, y), C=0.1, unlabelled=-1, **params)
        assert path.scores[0, f] == pytest.approx((model.predict(x[fold == f]) == y[fold == f]).mean())
