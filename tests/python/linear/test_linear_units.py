"""No unit changes an answer: X, y, C and weights times constants that leave the problem as it is, in every solver.

The judge is the decrease of the objective from w = 0, in extended precision and without the cancellation that subtracting
objectives has. What a training may leave of it does not depend on the units.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse

import dcsvm
from dcsvm import liblinearutil
from dcsvm._input.linear_solvers import REGRESSIONS, SOLVERS

L1 = ["l1_squared_hinge", "l1_logistic"]
SMOOTH = ["logistic", "squared_hinge", "svr_squared", *L1]
SHAPES = [(60, 3), (30, 80)]
SCALES = [1e-8, 1e-6, 1e-3, 1e3, 1e6, 1e8]
PART = 2e-3  # of the decrease, that a training may leave: the loosest default, a tube's, leaves 1e-3


def make_problem(solver, n, d, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + (2.0 if solver == "one_class" else 0.3)  # farther from 0: else w = 0 is the optimum
    score = X @ rng.normal(size=d) / np.sqrt(d) + 0.5 * rng.normal(size=n)
    if solver in REGRESSIONS:
        return X, score
    k = 3 if solver == "crammer_singer" else 2
    return X, np.digitize(score, np.quantile(score, np.arange(1, k) / k)).astype(float)


def matrix(X, layout):
    return sparse.csr_matrix(X) if layout == "csr" else X.astype(np.float32 if layout == "f4" else np.float64)


def weights(model):
    """One column for each vector, the bias's weight in the last row."""
    if model.bias < 0:
        return model.coef_.T.astype(np.longdouble)
    return np.vstack([model.coef_.T, model.intercept_ / model.bias]).astype(np.longdouble)


def fall(solver, z, y, epsilon):
    """loss(0) - loss(z) of each row with C = 1."""
    if solver in REGRESSIONS:
        before, after = np.maximum(0, abs(y) - epsilon), np.maximum(0, abs(y - z) - epsilon)
        return before - after if solver == "svr_dual" else (before - after) * (before + after)
    m = np.where(y > 0, z, -z)
    if solver == "hinge_dual":
        return np.minimum(1, m)
    if "hinge" in solver:
        return np.where(m < 1, m * (2 - m), 1)
    return np.where(m > -1, -np.log1p(np.expm1(-np.maximum(m, -1)) / 2), np.log(np.longdouble(2)) + m - np.log1p(np.exp(m)))


def decrease(solver, W, Z, y, C, epsilon=0.1, nu=0.3):
    """P(0) - P(w); y: -1 and +1, targets, or numbers of classes."""
    z = Z.astype(np.longdouble) @ W
    if solver == "one_class":
        order = np.sort(z[:, 0])  # the best rho is one of the decisions
        below = np.cumsum(order)
        count = np.arange(1, len(order) + 1)
        return (nu * len(order) * order - (count * order - below)).max() - 0.5 * (W**2).sum()
    if solver == "crammer_singer":
        own = z[np.arange(len(y)), y.astype(int)]
        z[np.arange(len(y)), y.astype(int)] = -np.inf
        return (C * np.minimum(1, own - z.max(axis=1))).sum() - 0.5 * (W**2).sum()
    norm = abs(W).sum() if solver in L1 else 0.5 * (W**2).sum()
    return (C * fall(solver, z[:, 0], y, epsilon)).sum() - norm


def trained(solver, X, y, **options):
    if solver == "one_class":
        options = {"nu": 0.3, **{k: v for k, v in options.items() if k == "tol"}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return dcsvm.train_linear(X, None if solver == "one_class" else y, solver=solver, **options)


def signed(solver, y):
    return y if solver in REGRESSIONS or solver == "crammer_singer" else np.where(y == y.max(), 1.0, -1.0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_features_times_a_constant_give_the_same_answer(solver, shape):
    X, y = make_problem(solver, *shape)
    bias = 0 if solver == "one_class" else 1
    Z = np.hstack([X, np.full((len(X), 1), 1.0)]) if bias else X
    C = 3.0 if solver in L1 else 1.0
    best = trained(solver, X, y, C=C, bias=1.0, tol=1e-6)
    most = decrease(solver, weights(best), Z, signed(solver, y), C)
    reference = trained(solver, X, y, C=C, bias=1.0)
    for s in SCALES:
        for layout in ("f8", "csr", *(["f4"] if 1e-6 <= s <= 1e6 else [])):
            data = matrix(X * s, layout)
            model = trained(solver, data, y, C=C / (s if solver in L1 else s * s), bias=s)
            unit = 1 / s if solver == "one_class" else s  # there w is a sum of rows of fixed weights
            got = decrease(solver, weights(model) * unit, Z, signed(solver, y), C)
            assert most - got <= PART * most, (s, layout)
            if solver in REGRESSIONS:
                assert model.predict(data) == pytest.approx(reference.predict(X), abs=0.1 * np.std(y)), (s, layout)
            else:
                sure = abs(reference.decision_function(X)) > 0.05 * np.std(reference.decision_function(X))
                sure = sure.all(axis=1) if sure.ndim > 1 else sure
                assert np.array_equal(model.predict(data)[sure], reference.predict(X)[sure]), (s, layout)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("solver", REGRESSIONS)
def test_targets_times_a_constant_give_the_same_answer(solver, shape):
    X, y = make_problem(solver, *shape)
    Z = np.hstack([X, np.ones((len(X), 1))])
    most = decrease(solver, weights(trained(solver, X, y, tol=1e-6)), Z, y, 1.0)
    for t in (1e-6, 1e-3, 1e3, 1e6):
        C = t if solver == "svr_dual" else 1.0  # |w|^2 grows by t^2, and so must the losses
        model = trained(solver, X, y * t, C=C, epsilon=0.1 * t)
        assert most - decrease(solver, weights(model) / t, Z, y, 1.0) <= PART * most, t


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("solver", [s for s in SOLVERS if s != "one_class"])
def test_weights_times_a_constant_give_the_same_answer(solver, shape):
    X, y = make_problem(solver, *shape)
    Z = np.hstack([X, np.ones((len(X), 1))])
    C = 3.0 if solver in L1 else 1.0
    most = decrease(solver, weights(trained(solver, X, y, C=C, tol=1e-6)), Z, signed(solver, y), C)
    for t in (1e-12, 1e-6, 1e6, 1e12):
        s = 1 / t if solver in L1 else t**-0.5
        model = trained(solver, X * s, y, C=C, bias=s, sample_weight=np.full(len(X), t))
        assert most - decrease(solver, weights(model) * s, Z, signed(solver, y), C) <= PART * most, t


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("C", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("solver", [s for s in SOLVERS if s not in L1 and s != "one_class"])
def test_small_C_does_not_stop_at_the_start(solver, C, shape):
    """With a small C, w is C times a sum of rows: far from 0 beside what can be gained, however large the losses are."""
    X, y = make_problem(solver, *shape)
    Z = np.hstack([X, np.ones((len(X), 1))])
    model = trained(solver, X, y, C=C)
    if solver == "crammer_singer":
        larger = trained(solver, X, y, C=1e-5, tol=1e-6)
        W = weights(larger) * np.longdouble(C / 1e-5)
    else:
        y = signed(solver, y)
        beyond = np.sign(y) * np.maximum(0, abs(y) - 0.1)
        slope = {"svr_dual": np.sign(beyond), "hinge_dual": y, "squared_hinge": 2 * y, "squared_hinge_dual": 2 * y}
        W = C * (Z.T @ slope.get(solver, 2 * beyond if solver in REGRESSIONS else 0.5 * y))[:, None].astype(np.longdouble)
    most = decrease(solver, W, Z, y, C)
    assert most > 0
    assert most - decrease(solver, weights(model), Z, y, C) <= PART * most
    assert model.report.stop_reason == "converged"


@pytest.mark.parametrize("solver", L1)
def test_where_zero_is_the_optimum_it_is_the_answer(solver):
    X, y = make_problem(solver, 60, 3)
    model = trained(solver, X, y, C=1e-9)
    assert not model.coef_.any()
    assert model.report.stop_reason == "converged"


@pytest.mark.parametrize("unit", [1e-5, 1e-6, 1e-8])
def test_every_face_sees_small_features(unit):
    X, y = np.array([[1.0], [2.0], [-1.0], [-2.0]]) * unit, np.array([1, 1, 0, 0])
    for model in (
        dcsvm.LinearSVC(),
        dcsvm.LinearSVC(loss="hinge"),
        dcsvm.LogisticRegression(),
        dcsvm.LogisticRegression(solver="liblinear", dual=True),
    ):
        assert model.fit(X, y).predict(X).tolist() == y.tolist(), model
    for s in (0, 1, 2, 3, 4, 7):
        trained_by_liblinear = liblinearutil.train(y.tolist(), X.tolist(), f"-s {s} -q -B {unit}")
        assert liblinearutil.predict(y.tolist(), X.tolist(), trained_by_liblinear, "-q")[0] == y.tolist(), s


@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "hinge_dual", "svr_squared", "svr_dual"])
def test_a_file_sees_small_features(solver, tmp_path):
    X, y = make_problem(solver, 60, 3)
    X = X.astype(np.float32)
    s = 2.0**-20
    dcsvm.save_svmlight(tmp_path / "t", X * np.float32(s), y)
    model = dcsvm.train_linear_file(tmp_path / "t", solver=solver, C=s**-2, bias=s, keep_cache=False)
    Z = np.hstack([X.astype(float), np.ones((len(X), 1))])
    most = decrease(solver, weights(trained(solver, X, y, tol=1e-6)), Z, signed(solver, y), 1.0)
    assert most - decrease(solver, weights(model) * s, Z, signed(solver, y), 1.0) <= PART * most


def test_a_tube_does_not_stop_far_above_the_optimum():
    """LIBLINEAR's rule, a share of the violations that the first pass met, is not enough on such data."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        X = rng.normal(size=(120, 200))
        X[::3] = 0
        y = X @ rng.normal(size=200) / 14 + 20 + 0.5 * rng.normal(size=120)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = dcsvm.train_linear(X, y, solver="svr_squared_dual", C=66.5, bias=10.0, tol=0.01, epsilon=1.0)
        report = model.report
        assert report.primal_objective - report.dual_objective <= 0.011 * report.primal_objective


def test_a_search_along_C_does_not_end_early_where_features_are_small():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 300)) * 1e-3
    score = X @ rng.normal(size=300)
    score = score / score.std() + 0.1 * rng.normal(size=150)
    y = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    C, _, accuracy = liblinearutil.train(y.tolist(), sparse.csr_matrix(X), "-s 2 -C -v 3 -B 1 -q")
    assert C > 64  # where it ended; what can be learnt needs a larger one
    assert accuracy > 0.36


FREE_BIAS = [
    {"solver": "logistic"},
    {"solver": "squared_hinge"},
    {"solver": "svr_squared"},
    {"solver": "multinomial"},
    {"solver": "l1_logistic"},
    {"solver": "l1_squared_hinge"},
    {"solver": "logistic", "l1_ratio": 0.5},
    {"solver": "squared_hinge", "l1_ratio": 0.5},
    {"solver": "svr_squared", "l1_ratio": 0.5},
    {"solver": "multinomial", "l1_ratio": 0.5},
    {"solver": "multinomial", "l1_ratio": 1.0},
    {"solver": "logistic", "C": np.inf},
    {"solver": "multinomial", "C": np.inf},
]


@pytest.mark.parametrize("options", FREE_BIAS, ids=lambda o: "-".join(str(v) for v in o.values()))
@pytest.mark.parametrize("shape", [(200, 3), (60, 90)], ids=["narrow", "wide"])
def test_a_number_added_to_columns_moves_a_free_bias_alone(options, shape):
    """Years, heights and pressures are far from 0. With a free bias the optimum is that of the centred columns."""
    if shape[1] > shape[0] and options.get("C") == np.inf:
        pytest.skip("more columns than rows and no penalty: there are many optima")
    rng = np.random.default_rng(8)
    Z = rng.normal(size=shape)
    score = Z[:, :3].sum(axis=1) + rng.normal(size=len(Z))
    y = (
        score
        if options["solver"] == "svr_squared"
        else np.digitize(score, [-0.7, 0.7] if "multi" in options["solver"] else [0.6])
    )
    near = dcsvm.train_linear(Z, y, regularize_bias=False, tol=1e-5, **options).report
    for shift in (1e2, 1e4, 1e5):
        report = dcsvm.train_linear(Z + shift, y, regularize_bias=False, **options).report
        assert report.stop_reason == "converged"
        assert near.primal_objective == pytest.approx(report.primal_objective, rel=2e-3)


@pytest.mark.parametrize("options", [{}, {"l1_ratio": 0.5}, {"C": np.inf}], ids=str)
def test_a_number_added_to_targets_moves_a_free_bias_alone(options):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(200, 3))
    y = 1e3 * (X.sum(axis=1) + rng.normal(size=200))
    options = {"solver": "svr_squared", "regularize_bias": False, **options}
    near, far = dcsvm.train_linear(X, y, **options), dcsvm.train_linear(X, y + 1e7, **options)
    assert far.report.stop_reason == "converged"
    assert far.report.primal_objective == pytest.approx(near.report.primal_objective, rel=1e-4)
    assert far.coef_ == pytest.approx(near.coef_, rel=1e-2)


def test_constant_columns_are_the_bias():
    """Nothing is left but the bias, and the gradients of all weights are rounding alone."""
    y = np.digitize(np.random.default_rng(4).normal(size=200), [-0.7, 0.7])
    for options in FREE_BIAS:
        if options["solver"] != "svr_squared":
            labels = y if options["solver"] == "multinomial" else y > 0
            report = dcsvm.train_linear(np.full((200, 3), 3.7), labels, regularize_bias=False, **options).report
            assert report.stop_reason == "converged", options
