"""No unit changes an answer: the same problem in other units, and problems that are small in the unit of tol.

The judge is written from the mathematics: relative gap (P - D) / (P(0) - D) from the whole kernel matrix in float64.
"""

import warnings

import numpy as np
import pytest

import dcsvm
from certificate import kernel_matrix

TOL = 1e-3
NOT_SMALL = 10 * TOL  # a relative gap above it makes a training go on


def classes(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 3)) + np.outer(y, [1.2, 0.6, 0.0]), y


def curve(n=150, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return x, x[:, 0] - 0.5 * x[:, 1] ** 2 + 0.3 * rng.normal(size=n)


def moved(slope, below, above):
    """max of slope'd over -below <= d <= above with sum d = 0."""
    order = np.argsort(slope)
    order_down, order_up = order, order[::-1]
    gain, i, j = 0.0, 0, 0
    below, above = below.copy(), above.copy()
    while i < len(slope) and j < len(slope):
        low, high = order_down[i], order_up[j]
        if not slope[high] > slope[low]:
            break
        step = min(below[low], above[high])
        gain += step * (slope[high] - slope[low])
        below[low] -= step
        above[high] -= step
        i += below[low] <= 0
        j += above[high] <= 0
    return gain


def relative_gap(k, beta, q, lo, hi, groups=None, equality=True):
    """(P - D) / (P(0) - D) of min 1/2 b'Kb - q'b."""
    g = q - k @ beta
    if not equality:
        left, linear = (np.maximum(s * (hi - beta), s * (lo - beta)).sum() for s in (g, q))
    else:
        parts = [np.ones(len(beta), bool)] if groups is None else [groups == c for c in (0, 1)]
        left, linear = (sum(moved(s[p], (beta - lo)[p], (hi - beta)[p]) for p in parts) for s in (g, q))
    return left / (0.5 * beta @ k @ beta + linear)


def gap_of(model, k, y, formulation="c_svc", C=1.0, epsilon=0.1, weight=1.0, equality=True):
    n, alpha = len(k), model.alpha.ravel()
    w = np.full(n, weight)
    if formulation == "one_class":
        return relative_gap(k, alpha, np.zeros(n), np.zeros(n), w)
    if formulation == "epsilon_svr":
        two = np.tile(k, (2, 2))
        beta = np.concatenate([np.maximum(alpha, 0), np.minimum(alpha, 0)])
        zero = np.zeros(n)
        bounds = np.concatenate([zero, -C * w]), np.concatenate([C * w, zero])
        return relative_gap(two, beta, np.concatenate([y - epsilon, y + epsilon]), *bounds, equality=equality)
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    upper = C * w
    if formulation == "nu_svc":
        alpha, upper = alpha * model.report.problems[0]["r"], w
    bounds = np.where(sign > 0, 0, -upper), np.where(sign > 0, upper, 0)
    if formulation == "nu_svc":
        return relative_gap(k, sign * alpha, np.zeros(n), *bounds, groups=(sign < 0).astype(int))
    return relative_gap(k, sign * alpha, sign, *bounds, equality=equality)


def trained(x, y, **params):
    """The model; what it warns of is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return dcsvm.train(x, y, **params)


@pytest.mark.parametrize("rows", [50, 200, 201, 1000])
@pytest.mark.parametrize("nu", [1e-4, 0.01, 0.1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nu_is_at_least_the_share_of_rows_that_are_outside(rows, nu, dtype):
    """Schoelkopf et al. (2001), proposition 3. With nu = 1e-4, 37 % of 201 rows were outside, and 0 % of 200."""
    x = np.random.default_rng(0).normal(size=(rows, 2)).astype(dtype)
    for model in (trained(x, None, formulation="one_class", nu=nu), dcsvm.OneClassSVM(nu=nu).fit(x)):
        assert np.mean(model.predict(x) == -1) <= nu
    assert len(model.support_) >= nu * rows


@pytest.mark.parametrize("weight", [1e-12, 1e-8, 1e-4, 1e4, 1e12])
@pytest.mark.parametrize("formulation", ["one_class", "nu_svc"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_weights_in_any_unit_are_the_same_problem(formulation, kernel, weight):
    x, y = classes()
    x = x + 3  # a linear kernel's one class is then away from the origin
    kernel_params = {"kernel": kernel, "gamma": 0.3, "degree": 2, "coef0": 1.0, "nu": 0.2 if formulation == "one_class" else 0.5}
    usual = trained(x, y, formulation=formulation, **kernel_params)
    k = kernel_matrix(x, kernel, 0.3, 2, 1.0)
    rounding = len(x) * weight * k.max() * 2.0**-50  # of a gradient
    options = {"formulation": formulation, "sample_weight": np.full(len(x), weight), **kernel_params}
    if rounding > TOL:  # what double tells of a gradient is less than tol asks for: the solution is as good, and claims no more
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
            other = dcsvm.train(x, y, **options)
        assert other.report.stop_reason == "stagnated" or other.report.violation < TOL
    else:
        other = trained(x, y, **options)
    assert gap_of(other, k, y, formulation, weight=weight) <= NOT_SMALL * (3 if formulation == "nu_svc" else 1)
    assert np.mean(usual.predict(x) != other.predict(x)) <= 0.02
    assert other.report.violation < other.report.tol <= max(TOL, rounding)


@pytest.mark.parametrize("unit", [1e-8, 1e-3, 1e3, 1e8])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("formulation", ["c_svc", "epsilon_svr"])
@pytest.mark.parametrize("bias", [True, False])
def test_features_in_any_unit_are_the_same_problem(formulation, kernel, unit, bias):
    x, y = classes() if formulation == "c_svc" else curve()
    fixed = {"formulation": formulation, "kernel": kernel, "degree": 2, "coef0": 1.0, "fit_intercept": bias}
    usual = trained(x, y, gamma=0.3, **fixed)
    C = unit**-2 if kernel == "linear" else 1.0
    other = trained(x * unit, y, gamma=0.3 / unit**2, C=C, **fixed)
    k = kernel_matrix(x * unit, kernel, 0.3 / unit**2, 2, 1.0)
    assert gap_of(other, k, y, formulation, C=C, equality=bias) <= NOT_SMALL
    found = usual.predict(x), other.predict(x * unit)
    if formulation == "c_svc":
        assert np.mean(found[0] != found[1]) <= 0.02
    else:
        assert np.abs(found[0] - found[1]).max() <= 5 * TOL


@pytest.mark.parametrize("unit", [1e16, 1e18, 1.7e18, 3e18, 1e19])
def test_float_features_whose_distances_are_beyond_float(unit):
    """At 1.7e18 float holds every |x|^2, but not every |x - y|^2, as of opposite rows; fewer rows are solved in double anyway."""
    rng = np.random.default_rng(0)
    half = rng.standard_normal((650, 30))
    x = np.concatenate([half, -half])
    y = (x[:, 0] > 0).astype(float)
    other = trained((x * unit).astype(np.float32), y, gamma=0.03 / unit**2, precision="single")
    usual = trained(x.astype(np.float32), y, gamma=0.03)
    assert other.report.stop_reason == "converged"
    assert other.report.objective == pytest.approx(usual.report.objective, rel=1e-4)


@pytest.mark.parametrize("unit", [1e18, 1.6e18, 3e18])
def test_float_features_whose_sums_of_squares_are_beyond_float(unit):
    """At 1.6e18 float holds every |x|^2, but not every |x|^2 + |y|^2 - x'y."""
    rng = np.random.default_rng(0)
    half = rng.standard_normal((100, 30))
    x = (np.concatenate([half, -half]) * unit).astype(np.float32)
    model = trained(x, (x[:, 0] > 0).astype(float), kernel="tanimoto", precision="single")
    np.testing.assert_allclose(model.decision_function(x), model.with_precision("double").decision_function(x), atol=1e-5)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("formulation", ["epsilon_svr", "nu_svr"])
def test_targets_in_any_unit_are_the_same_problem(formulation, unit):
    x, y = curve()
    usual = trained(x, y, formulation=formulation, gamma=0.3, tol=1e-5)
    other = trained(x, y * unit, formulation=formulation, gamma=0.3, C=unit, epsilon=0.1 * unit)
    assert np.abs(usual.predict(x) - other.predict(x) / unit).max() <= 5 * TOL


@pytest.mark.parametrize("solver", ["smo", "dc", "rand", "cascade"])
@pytest.mark.parametrize("C", [1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_small_C_is_solved_to_scale(kernel, C, solver):
    """More rows of one class than of the other: before, which of them had weight was chance."""
    x, y = classes()
    few = np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:20]]
    x, y = x[few], y[few]
    for small in ({"C": C}, {"sample_weight": np.full(len(x), C)}):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            model = dcsvm.train(x, y, kernel=kernel, gamma=0.3, solver=solver, **small)
        if C == 1e-12 and found:  # so small a gain is near what rounds gradients of 1: a solution, or this warning
            assert all("is not small beside this solution" in str(warning.message) for warning in found)
            continue
        assert not found
        assert gap_of(model, kernel_matrix(x, kernel, 0.3), y, C=C) <= NOT_SMALL


@pytest.mark.parametrize("C", [1e-9, 1e-5])
def test_a_regression_with_a_small_C_is_solved_to_scale(C):
    x, y = curve()
    model = trained(x, y, formulation="epsilon_svr", gamma=0.3, C=C)
    assert gap_of(model, kernel_matrix(x, "rbf", 0.3), y, "epsilon_svr", C=C) <= NOT_SMALL


def test_usual_problems_end_at_tol():
    x, y = classes(400)
    for params in ({}, {"C": 100}, {"formulation": "one_class", "nu": 0.1}, {"kernel": "linear"}):
        report = trained(x, y, **params).report
        assert report.tol == TOL
        assert [p["tol"] for p in report.problems] == [TOL]


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-8])  # of 1e-10, the rounding of double is half
def test_one_class_where_w_is_zero(tol):
    """The image of the origin is inside the rows' images, up to rounding: nothing is left to gain, and nothing to warn of."""
    x = np.random.default_rng(0).normal(size=(150, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = dcsvm.train(x, None, formulation="one_class", kernel="poly", gamma=0.3, nu=0.5, tol=tol)
    assert model.report.stop_reason == "converged"
    assert abs(model.report.objective) < 1e-12


def test_libsvms_faces_end_at_tol_and_warn(capfd):
    """As LIBSVM: rows are outside although nu is 1e-4."""
    svmutil = pytest.importorskip("dcsvm.svmutil")
    x = np.random.default_rng(0).normal(size=(300, 2))
    model = svmutil.svm_train(np.ones(300), x, "-s 2 -n 0.0001 -g 0.5")
    assert "WARNING: tol=0.001 is not small beside this solution" in capfd.readouterr().err
    labels, _, _ = svmutil.svm_predict(np.ones(300), x, model, "-q")
    assert np.mean(np.array(labels) < 0) > 0.1


def test_sigmoids_of_decisions_in_any_unit():
    """Platt's fit: its limits are those of decision values near 1."""
    x, y = classes(300)
    usual = dcsvm.SVC(kernel="linear", probability="platt", random_state=0).fit(x, y)
    few = np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:60]]  # then all decision values are near the bias
    for rows in (np.arange(300), few):
        small = dcsvm.train(x[rows], y[rows], kernel="linear", C=1e-9, probability=True)
        p = small.predict_proba(x)[:, 1]
        assert np.ptp(p) > 0.3
        assert np.corrcoef(p, usual.predict_proba(x)[:, 1])[0, 1] > 0.9


def test_targets_with_a_large_mean_and_of_several_units():
    """LS-SVM: the bias explains the mean, so residuals are small beside the spread; each column of y has a unit."""
    x, y = curve(400)
    least_squares = dcsvm.LSSVR(gamma=0.3, gamma_ls=10, method="matching_pursuit", n_iter=20_000, tol=1e-3, random_state=0)
    usual = least_squares.fit(x, y).predict(x)
    kelvin = least_squares.fit(x, y + 1e6).predict(x) - 1e6
    assert np.abs(kelvin - usual).max() <= 0.05
    both = least_squares.fit(x, np.c_[y, 1e-6 * y]).predict(x)
    assert np.abs(both[:, 1] * 1e6 - usual).max() <= 0.05
