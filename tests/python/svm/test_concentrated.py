"""Certificates where few rows carry large coefficients, whose neighbours' gradients no sample of rows represents."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import dcsvm
from dcsvm._bench import quality

sys.path.insert(0, str(Path(__file__).parents[3]))
certificates = pytest.importorskip("bench.certificates", reason="bench/ is not beside tests/")
recipes = pytest.importorskip("bench.recipes", reason="bench/ is not beside tests/")

# Seeds whose certificates were once false under the instruction set whose turn they are on x86-64 with AVX512-VNNI.
ABOVE_TOL = [468, 1020, 1417, 2392, 2508, 3600, 6512, 9340]  # up to 13 tol
# The reported violation was wrong by 1 to 60 % (560 to 1600: baseline, 381 to 1561: AVX2, 319 to 755: AVX512-VNNI).
WRONG_REPORT = [560, 680, 1040, 1328, 1484, 1496, 1600, 381, 481, 517, 561, 937, 1253, 1261, 1561, 319, 539, 695, 715, 755]
WRONG_OBJECTIVE = [40768, 640, 498, 5052, 9204, 104764]
# Distances in double from norms and products (baseline, AVX2, AVX512-VNNI); sums in double of long rows of a given matrix; a and
# a* of a point both above 0, which the model does not have.
ROUNDING_IN_DOUBLE = [5372, 16001, 14305, 9967, 18289]
SHIFTED_IN_DOUBLE = [29431]  # features rounded when their mean was subtracted (AVX512-VNNI)
WEIGHTS_IN_DOUBLE = [50493]  # linear kernel, the sum of b_i x_i with b_i up to 10^6 (AVX2)
BOTH_ABOVE_0 = [11968, 13371, 7915]
IN_SUMS_OF_DOUBLE = [25393]  # AVX2
# Values in double from bytes: pieces of columns began in the middle of a panel of bytes (AVX2, AVX512-VNNI).
HALF_A_PANEL = [200457, 201097, 203323, 203807]
NEARLY_ZERO = [212189]  # one class with rows at the origin of a polynomial: the objective is 3e-19
SUMS_THAT_CANCEL = [221244]  # values of a given matrix up to 2,007, in double (baseline)
BIAS_OUTSIDE = [4754, 5435, 11538, 12047, 13602, 15245, 17359]  # one class, moved inwards by more than tol


def false(seeds, seconds):
    """Those that are false, each under the instruction set whose turn it is."""
    isas = certificates.instruction_sets()
    verdicts = certificates.sweep(seeds, jobs=1, quiet=True, seconds=seconds, make=certificates.concentrated, isas=isas)
    assert_most_converge(verdicts)
    return [certificates.describe(v, certificates.concentrated) for v in verdicts if v.faults]


def assert_most_converge(verdicts):
    """Of those that a slow machine did not cancel."""
    ended = [v for v in verdicts if v.stop != "cancelled"]
    assert sum(v.stop == "converged" for v in ended) >= 0.75 * len(ended) > 0


@pytest.mark.parametrize(
    ("seed", "few", "others", "spread", "C", "tol"), [(185, 20, 400, 20.0, 637.6, 1e-4), (482, 20, 800, 10.0, 6.856e4, 1e-3)]
)
def test_few_dense_rows_beside_many_scattered_ones(seed, few, others, spread, C, tol):
    """The dense rows' coefficients are a hundred times the others': "converged" was false here, with one C and no weights."""
    rng = np.random.default_rng(seed)
    x = np.vstack([rng.normal(size=(few, 2)), rng.normal(size=(others, 2)) * spread + 30])
    y = rng.integers(0, 2, few + others)
    model = dcsvm.train(x, y, C=C, gamma=1.0, tol=tol, n_jobs=1)
    s, alpha = np.where(y == 1, 1.0, -1.0), model.alpha
    slope = s - np.exp(-cdist(x, x, "sqeuclidean")) @ (s * alpha)
    up, low = np.where(s > 0, alpha < C, alpha > 0), np.where(s > 0, alpha > 0, alpha < C)
    violation = slope[up].max() - slope[low].min()
    assert model.report.stop_reason == "converged"
    assert violation <= tol * (1 + 1e-6)
    assert model.report.violation == pytest.approx(violation, rel=0.01, abs=1e-3 * tol)


def test_seeds_that_were_false():
    once = [*ABOVE_TOL, *WRONG_REPORT, *WRONG_OBJECTIVE, *ROUNDING_IN_DOUBLE, *BOTH_ABOVE_0, *IN_SUMS_OF_DOUBLE, *BIAS_OUTSIDE]
    once += [*HALF_A_PANEL, *NEARLY_ZERO, *SUMS_THAT_CANCEL]
    assert false([*once, *SHIFTED_IN_DOUBLE, *WEIGHTS_IN_DOUBLE], seconds=3.0) == []


def test_reports_where_roundings_are_not_independent():
    """Seeds of the other generator whose violation was reported 1 % too small: a coarse grid (171) and a polynomial (588)."""
    verdicts = certificates.sweep([171, 588], jobs=1, quiet=True, seconds=3.0)
    assert_most_converge(verdicts)
    assert [certificates.describe(v) for v in verdicts if v.faults] == []


def test_double_precision_of_distances_between_rows_far_apart():
    """|x|^2 + |y|^2 - 2 xy in double changes gradients by 1e-6 here (a seventh of tol), sums of squared differences by 1e-9."""
    assert false([8864], seconds=60.0) == []


def test_concentrated_trainings_are_what_they_say():
    verdicts = certificates.sweep([*range(60)], jobs=1, quiet=True, seconds=1.0, make=certificates.concentrated)
    assert not [certificates.describe(v, certificates.concentrated) for v in verdicts if v.faults]
    assert_most_converge(verdicts)


def test_concentrated_early_models_are_what_they_say():
    make = certificates.partial(certificates.early, make=certificates.concentrated)
    verdicts = certificates.sweep([*range(25)], jobs=1, quiet=True, seconds=1.0, make=make)
    assert not [certificates.describe(v, make) for v in verdicts if v.faults]
    assert_most_converge(verdicts)


def test_concentrated_trainings_in_many_dimensions_are_what_they_say():
    """Where close rows lose digits to their norms, which depend on the columns that are active."""
    make = certificates.partial(certificates.turned, make=certificates.concentrated)
    verdicts = certificates.sweep([*range(15)], jobs=1, quiet=True, seconds=1.0, make=make)
    assert not [certificates.describe(v, make) for v in verdicts if v.faults]
    assert_most_converge(verdicts)


def test_trainings_on_documents_of_equally_many_words_are_what_they_say():
    """Kernel values that are rounded alike: those of the few documents of other words all to one side."""
    verdicts = certificates.sweep([*range(3)], jobs=1, quiet=True, seconds=3.0, make=certificates.of_words)
    assert not [certificates.describe(v, certificates.of_words) for v in verdicts if v.faults]
    assert_most_converge(verdicts)


@pytest.mark.parametrize("make", [certificates.recipe, certificates.concentrated])
def test_trainings_on_bytes_that_float32_has_rounded_are_what_they_say(make):
    """Float products take the levels, double ones what float32 holds."""
    make = certificates.partial(certificates.on_bytes, make=make)
    verdicts = certificates.sweep([*range(20)], jobs=1, quiet=True, seconds=1.0, make=make)
    assert not [certificates.describe(v, make) for v in verdicts if v.faults]
    assert_most_converge(verdicts)


@pytest.mark.parametrize("make", [certificates.recipe, certificates.concentrated])
@pytest.mark.parametrize("kernel", ["rbf", *recipes.OF_LENGTH])
def test_trainings_with_kernels_that_see_how_rows_are_rounded_are_what_they_say(make, kernel):
    """Rows that differ by 2^-5 to 2^-40 of themselves: float does not see that, and double only in differences."""
    if kernel != "rbf":
        make = certificates.partial(certificates.other_kernel, make=make, kernels=(kernel,))
    make = certificates.partial(certificates.local, make=make)
    verdicts = certificates.sweep([*range(230, 240)], jobs=1, quiet=True, seconds=1.0, make=make)
    assert not [certificates.describe(v, make) for v in verdicts if v.faults]
    assert_most_converge(verdicts)


def regression_on_three_places(x, kernel):
    """What a report is off by, in what it may be, of a training of 6,000 rows that are near 0, 1 and 2."""
    gamma, C, tol = 4.1, 1.5e-3, 4.8e-5
    place = x.round().astype(int)
    y = 2 + np.sin(3 * place) + 0.3 * np.random.default_rng(0).standard_normal(len(x))
    model = dcsvm.train(
        x[:, None], y, formulation="epsilon_svr", kernel=kernel, gamma=gamma, C=C, epsilon=0.0, fit_intercept=False, tol=tol
    )
    b = np.asarray(model.alpha)
    g = y.copy()
    for i in range(0, len(x), 500):
        distance = abs(np.subtract.outer(x[i : i + 500].astype(float), x.astype(float)))
        g[i : i + 500] -= np.exp(-gamma * (distance**2 if kernel == "rbf" else distance)) @ b
    violation = float(max(g[b < C].max(initial=0), -(g[b > -C].min(initial=0))))
    assert model.report.stop_reason == "converged"
    assert violation <= tol
    return abs(violation - model.report.violation) / max(0.01 * violation, 1e-3 * tol)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential"])
@pytest.mark.parametrize("apart", [0, 1e-12])
def test_rows_that_are_equal_have_equal_roundings(kernel, apart):
    """Thousands of rows with three values, or more that float32 does not tell apart: what it loses adds up, in all of them."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        assert regression_on_three_places(rng.integers(0, 3, 6000) + apart * rng.random(6000), kernel) <= 1


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_error_of_a_kernels_function_is_nearly_the_same_in_rows_that_are_nearly_equal(kernel):
    """It adds up, too: the report of such a training is looked at in double before a digit of it is believed."""
    for seed in (3, 5, 7):
        for apart in (1e-4, 1e-3):
            rng = np.random.default_rng(seed)
            x = (rng.integers(0, 3, 6000) + apart * rng.random(6000)).astype(np.float32)
            assert regression_on_three_places(x, kernel) <= 1


def equal_features(seed, precision, ratio, c, d=8000):
    """A regression on 400 rows at one place, all at C, and 60 free ones at another, where all features but the first are equal:
    the sum of a distance then rounds each addition alike. Judged in long double from what a distance is: (d - 1) c and the
    first."""
    kind, u = (np.float32, 2.0**-24) if precision == "single" else (np.float64, 2.0**-53)
    rng = np.random.default_rng(seed)
    heavy, free, total = 400, 60, (d - 1) * c
    first = np.r_[1e-6 * rng.random(heavy), 0.5 * total * rng.random(free)].astype(kind)
    place = np.repeat([0, 1], [heavy, free])
    x = np.repeat((place * c).astype(kind)[:, None], d, axis=1)
    x[:, 0] = first
    wave = np.sin(20 * first / total) + 0.1 * rng.standard_normal(heavy + free)
    y = np.where(place == 0, 3000, 1000 * np.exp(-1.0 - first.astype(float) / total)) + wave
    weight, C, tol = np.where(place == 0, 1.0, 4.0), 1000 / heavy, ratio * u * 1000
    model = dcsvm.train(
        x,
        y,
        formulation="epsilon_svr",
        kernel="laplacian",
        gamma=1 / total,
        C=C,
        epsilon=0.0,
        fit_intercept=False,
        tol=tol,
        sample_weight=weight,
        precision=precision,
        max_seconds=30,
    )
    exact = first.astype(np.longdouble)
    apart = abs(np.subtract.outer(exact, exact)) + (d - 1) * np.longdouble(kind(c)) * abs(np.subtract.outer(place, place))
    b = np.asarray(model.alpha, dtype=np.longdouble)
    g = y - np.exp(-apart / np.longdouble(total)) @ b
    violation = float(max(g[b < C * weight].max(initial=0), -(g[b > -C * weight].min(initial=0))))
    return model.report, violation, tol


@pytest.mark.filterwarnings("ignore:.*stagnated.*")  # what double cannot tell, it says
@pytest.mark.parametrize(
    ("precision", "columns", "c"),
    [("single", 2000, 0.15523529052734375), ("double", 2000, 0.06407677301499594), ("double", 8000, 0.061061152009670897)],
)
def test_sums_of_equal_features_are_rounded_towards_one_side(precision, columns, c):
    for seed in range(2):
        report, violation, tol = equal_features(seed, precision, 600 if precision == "single" else 800, c, columns)
        if precision == "single":
            assert report.stop_reason == "converged"
        if report.stop_reason == "converged":
            assert violation <= 1.02 * tol
            assert abs(violation - report.violation) <= max(0.01 * violation, 1e-3 * tol)


@pytest.mark.parametrize(
    ("offset", "precision", "C"), [(1e6, "single", 10), (1.7e12, "double", 1), (1e12, "single", 1), (3e13, "single", 1)]
)
def test_targets_far_from_zero_round_every_gradient(offset, precision, C):
    """A gradient of 10^12 is rounded by 10^-4 whenever something is added to it."""
    rng = np.random.default_rng(0)
    x, tol, epsilon = rng.standard_normal((300, 2)), 1e-3, 0.1
    y = offset + np.round(rng.standard_normal(300) * 256) / 256
    params = {"formulation": "epsilon_svr", "gamma": 0.5, "C": C, "epsilon": epsilon, "tol": tol, "precision": precision}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        model = dcsvm.train(x, y, max_iter=200_000, **params)
    d = np.asarray(model.alpha, dtype=np.longdouble)
    k = np.exp(-0.5 * cdist(x, x, "sqeuclidean")).astype(np.longdouble)
    from_tube = np.array([(y - offset) - epsilon, (y - offset) + epsilon]) - k @ d  # an offset changes no violation
    up = np.where([d < C, d < 0], from_tube, -np.inf).max()
    low = np.where([d > 0, d > -C], from_tube, np.inf).min()
    violation = float(up - low)
    assert abs(violation - model.report.violation) <= 0.05 * violation + 1e-14 * offset
    if model.report.stop_reason == "converged":
        assert violation <= 1.02 * tol + 2 * np.spacing(offset)


def test_a_seed_decides_the_training():
    for seed in range(40):
        a, b = (certificates.concentrated(seed) for _ in range(2))
        assert a.words == b.words
        assert np.array_equal(a.y, b.y)
        assert str(a.params) == str(b.params)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_kernel_values_have_all_digits_where_inner_products_cancel(kernel):
    """Against sums of products in long double."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((30, 8)) * 10.0 ** rng.uniform(-3, 3, (30, 8))
    x[1], x[2] = x[0], -x[0]
    x[1, 0] += 1e-7
    params = {"kernel": kernel, "gamma": 1e-3, "coef0": -0.5, "degree": 3}
    exact = (x[:, None, :].astype(np.longdouble) * x).sum(axis=2)
    exact = {"linear": exact, "poly": (1e-3 * exact - 0.5) ** 3, "sigmoid": np.tanh(1e-3 * exact - 0.5)}[kernel]
    got = quality.kernel_matrix(x, params)
    assert np.all(np.abs(got - exact) <= 2.0**-51 * np.abs(exact))
