"""l1_ratio and C=inf: the elastic net, |w|_1 and no penalty, for the solvers from the primal side and the multinomial model."""

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.special import log_softmax, softmax

import dcsvm

SHAPES = {"more rows": (400, 9), "more columns": (80, 150)}


def data(shape, classes, seed=0):
    n, d = SHAPES[shape]
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.6, rng.normal(size=(n, d)), 0.0)
    scores = X[:, :5] @ rng.normal(size=(5, classes)) + 1.5 * rng.normal(size=(n, classes)) + np.linspace(0, 1, classes)
    return X, np.argmax(scores, axis=1)


def losses(kind, W, X, y):
    """Their sum and its gradient; W: (columns, vectors)."""
    Z = X @ W
    if kind == "multinomial":
        rows = np.arange(len(y))
        A = softmax(Z, axis=1)
        A[rows, y] -= 1
        return -log_softmax(Z, axis=1)[rows, y].sum(), X.T @ A
    z, s = Z[:, 0], np.where(y == 1, 1.0, -1.0)
    if kind == "logistic":
        return np.logaddexp(0, -s * z).sum(), X.T @ (-s / (1 + np.exp(s * z)))[:, None]
    if kind == "squared_hinge":
        left = np.maximum(0, 1 - s * z)
        return (left**2).sum(), X.T @ (-2 * s * left)[:, None]
    left = np.sign(z - y) * np.maximum(0, np.abs(z - y) - 0.1)
    return (left**2).sum(), X.T @ (2 * left)[:, None]


def weights(model):
    """(columns, vectors), the bias last."""
    return np.column_stack([model.coef_, np.atleast_1d(model.intercept_)]).T


def with_bias(X):
    return np.column_stack([X, np.ones(len(X))])


def penalty(W, r, regularize_bias):
    V = W if regularize_bias else W[:-1]
    return r * np.abs(V).sum() + (1 - r) / 2 * (V**2).sum()


def distance(W, G, r, regularize_bias):
    """Of each weight from the condition of optimality, for the losses' gradient G."""
    S = G + (1 - r) * W
    far = np.where(W == 0, np.maximum(np.abs(S) - r, 0), np.abs(S + r * np.sign(W)))
    return far if regularize_bias else np.vstack([far[:-1], np.abs(G[-1:])])


def slow(kind, X, y, C, r, regularize_bias, vectors):
    """The minimum by L-BFGS-B on W = P - N, P, N >= 0."""
    d = X.shape[1]
    free = np.zeros((d, vectors))
    free[-1] = not regularize_bias

    def value(v):
        P, N = v.reshape(2, d, vectors)
        W = P - N
        f, G = losses(kind, W, X, y)
        S = C * G + (1 - r) * W * (1 - free)
        both = np.stack([S + r * (1 - free), -S + r * (1 - free)])
        return C * f + (1 - r) / 2 * (W**2 * (1 - free)).sum() + r * ((P + N) * (1 - free)).sum(), both.ravel()

    bounds = [(0, None)] * (2 * d * vectors)
    options = {"maxiter": 20000, "maxfun": 100000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
    return optimize.minimize(value, np.zeros(2 * d * vectors), jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("regularize_bias", [True, False])
@pytest.mark.parametrize("r", [0.3, 1.0])
@pytest.mark.parametrize("kind", ["multinomial", "logistic", "squared_hinge", "svr_squared"])
def test_a_share_of_l1_reaches_the_minimum_and_its_conditions(kind, r, regularize_bias, shape):
    X, y = data(shape, 4 if kind == "multinomial" else 2)
    y = X[:, 0] - X[:, 1] + y if kind == "svr_squared" else y
    C = 0.5
    tol = 1e-7
    model = dcsvm.train_linear(X, y, solver=kind, C=C, l1_ratio=r, tol=tol, regularize_bias=regularize_bias)
    W, B = weights(model), with_bias(X)
    f, G = losses(kind, W, B, y)
    ours = C * f + penalty(W, r, regularize_bias)
    assert model.report.stop_reason == "converged"
    assert model.report.primal_objective == pytest.approx(ours, rel=1e-9)
    least = slow(kind, B, y, C, r, regularize_bias, W.shape[1])
    assert ours <= least * (1 + 1e-6)
    G0 = losses(kind, np.zeros_like(W), B, y)[1]
    at_zero = np.linalg.norm(distance(np.zeros_like(W), C * G0, r, regularize_bias))
    assert np.linalg.norm(distance(W, C * G, r, regularize_bias)) <= 2e-3 * at_zero
    assert 0 < np.count_nonzero(W) < W.size
    if regularize_bias:
        assert -1e-9 * ours <= ours - model.report.dual_objective <= 1e-4 * ours
        assert model.report.dual_objective <= least * (1 + 1e-9)
    else:
        assert np.isnan(model.report.dual_objective)


@pytest.mark.parametrize("regularize_bias", [True, False])
@pytest.mark.parametrize("r", [0.05, 0.7, 1.0])
def test_the_multinomial_gap_is_what_is_left(r, regularize_bias):
    X, y = data("more rows", 4)
    best = dcsvm.train_linear(X, y, solver="multinomial", l1_ratio=r, tol=1e-11, regularize_bias=regularize_bias)
    at_zero = len(y) * np.log(4)
    for tol in (1e-1, 1e-3, 1e-5):
        model = dcsvm.train_linear(X, y, solver="multinomial", l1_ratio=r, tol=tol, regularize_bias=regularize_bias)
        left = model.report.primal_objective - best.report.primal_objective
        unit = min(model.report.primal_objective, at_zero - best.report.primal_objective)
        assert model.report.violation <= tol
        assert left <= 1.01 * tol * unit


@pytest.mark.parametrize("r", [0.5, 1.0])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_nearly_dependent_columns_do_not_slow_the_multinomial_down(r, C):
    """Descent on one weight after another alone needs passes in proportion to the condition of the Hessian, here above 1e10."""
    X, y = data("more rows", 3)
    rng = np.random.default_rng(1)
    X = np.hstack([X, X[:, :6] @ rng.normal(size=(6, 6)) + 1e-5 * rng.normal(size=(len(X), 6))])
    unused = rng.random(len(X)) < 0.1  # weights of 0 have no probabilities
    weight = np.where(unused, 0.0, 1.0)
    options = {"solver": "multinomial", "C": C, "l1_ratio": r, "tol": 1e-8, "regularize_bias": False}
    model = dcsvm.train_linear(X, y, **options, sample_weight=weight)
    assert model.report.stop_reason == "converged"
    assert model.report.problems[0]["n_inner"] < 20000
    alone = dcsvm.train_linear(X[~unused], y[~unused], **options)
    assert model.report.primal_objective == pytest.approx(alone.report.primal_objective, rel=1e-7)


def test_two_classes_of_the_multinomial_are_logistic_with_a_gap():
    X, y = data("more rows", 2)
    model = dcsvm.train_linear(X, y, solver="multinomial", l1_ratio=0.4, tol=1e-6)
    assert model.report.violation <= 1e-6
    gap = model.report.primal_objective - model.report.dual_objective
    assert gap <= 1e-6 * model.report.primal_objective
    plain = dcsvm.train_linear(X, y, solver="logistic", l1_ratio=0.4, tol=1e-8)
    assert model.coef_ == pytest.approx(plain.coef_, abs=2e-3)


def test_one_is_the_solver_with_l1():
    X, y = data("more rows", 2)
    for solver in ("logistic", "squared_hinge"):
        share = dcsvm.train_linear(X, y, solver=solver, l1_ratio=1.0)
        assert np.array_equal(share.coef_, dcsvm.train_linear(X, y, solver=f"l1_{solver}").coef_)


@pytest.mark.parametrize("kind", ["multinomial", "logistic", "squared_hinge", "svr_squared"])
def test_without_a_penalty_the_gradient_is_small(kind):
    X, y = data("more rows", 4 if kind == "multinomial" else 2)
    y = X[:, 0] - X[:, 1] + y if kind == "svr_squared" else y
    model = dcsvm.train_linear(X, y, solver=kind, C=np.inf, tol=1e-8)
    W, B = weights(model), with_bias(X)
    f, G = losses(kind, W, B, y)
    assert model.report.stop_reason == "converged"
    assert model.report.primal_objective == pytest.approx(f, rel=1e-9)
    assert np.isnan(model.report.dual_objective)
    assert np.linalg.norm(G) <= 1.1e-8 * np.linalg.norm(losses(kind, np.zeros_like(W), B, y)[1])
    if kind == "multinomial":
        assert np.abs(W.sum(axis=1)).max() < 1e-9
    twice = dcsvm.train_linear(X, y, solver=kind, C=np.inf, tol=1e-8, sample_weight=np.full(len(y), 2.0))
    assert twice.coef_ == pytest.approx(model.coef_, abs=1e-5)


@pytest.mark.parametrize("kind", ["multinomial", "logistic", "squared_hinge"])
def test_without_a_penalty_classes_that_a_plane_divides_end_the_solve(kind):
    X, y = data("more columns", 3 if kind == "multinomial" else 2)
    model = dcsvm.train_linear(X, y, solver=kind, C=np.inf)
    assert model.report.stop_reason == "converged"
    assert np.isfinite(model.coef_).all()
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts_agree_and_threads_change_no_bit(kind, dtype):
    X, y = data("more rows", 4)
    options = {"solver": "multinomial", "l1_ratio": 0.5, "C": 0.2}
    models = [dcsvm.train_linear(kind(X.astype(dtype)), y, n_jobs=n, **options) for n in (1, 2, 3)]
    assert all(np.array_equal(models[0].coef_, m.coef_) for m in models)
    plain = dcsvm.train_linear(X, y, tol=1e-9, **options)
    assert models[0].report.primal_objective == pytest.approx(plain.report.primal_objective, rel=1e-4)


def test_units_change_no_answer_and_a_solution_is_a_start():
    X, y = data("more rows", 4)
    options = {"solver": "multinomial", "regularize_bias": False, "tol": 1e-8}
    plain = dcsvm.train_linear(X, y, l1_ratio=1.0, C=0.3, **options)
    scaled = dcsvm.train_linear(X * 1e6, y, l1_ratio=1.0, C=0.3e-6, **options)
    # Weights of a column in which |w| has many minima may differ by a constant in all classes.
    assert scaled.predict_proba(1e6 * X) == pytest.approx(plain.predict_proba(X), abs=1e-4)
    assert scaled.report.primal_objective == pytest.approx(1e-6 * plain.report.primal_objective, rel=1e-9)
    again = dcsvm.train_linear(X, y, l1_ratio=1.0, C=0.3, initial_w=weights(plain), **options)
    assert again.report.n_iter == 0


def test_where_the_penalty_is_too_large_zero_is_the_answer():
    X, y = data("more rows", 4)
    model = dcsvm.train_linear(X, y, solver="multinomial", l1_ratio=1.0, C=1e-6)
    assert model.report.stop_reason == "converged"
    assert not model.coef_.any()
    free = dcsvm.train_linear(X, y, solver="multinomial", l1_ratio=1.0, C=1e-6, regularize_bias=False, tol=1e-8)
    assert not free.coef_.any()
    assert softmax(free.intercept_) == pytest.approx(np.bincount(y) / len(y), abs=1e-4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "hinge_dual", "l1_ratio": 0.5}, "l1_ratio.*hinge_dual"),
        ({"solver": "l1_logistic", "l1_ratio": 0.5}, "l1_ratio.*l1_logistic"),
        ({"solver": "logistic", "l1_ratio": 1.5}, "l1_ratio"),
        ({"solver": "logistic_dual", "C": np.inf}, "C: infinity.*logistic_dual"),
        ({"solver": "logistic", "C": -np.inf}, "C must be"),
        ({"solver": "logistic", "C": np.nan}, "C must be"),
        ({"solver": "logistic", "C": np.inf, "l1_ratio": 0.5}, "l1_ratio.*no penalty"),
    ],
)
def test_what_makes_no_sense_is_refused(options, words):
    X, y = data("more rows", 2)
    with pytest.raises(ValueError, match=words):
        dcsvm.train_linear(X, y, **options)
