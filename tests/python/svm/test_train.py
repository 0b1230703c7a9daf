"""train, Model and Report: answers with certificates."""

import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import dcsvm
from certificate import objective, rbf, violation


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_solution_is_optimal_and_reported_as_it_is(board, fit_intercept, precision):
    x, y = board
    tol = 1e-3 if precision == "single" else 1e-6
    m = dcsvm.train(x, y, C=10, gamma=4, fit_intercept=fit_intercept, precision=precision, tol=tol)
    k = rbf(x, x, 4)
    signs = np.where(y == 1, -1.0, 1.0)  # the core's first class, -1, is its positive one
    assert m.report.stop_reason == "converged"
    assert m.report.violation < tol
    slack = 1e-4 if precision == "single" else 1e-9  # float32 kernel values
    assert violation(k, signs, m.alpha, 10, fit_intercept) < tol + slack
    assert m.report.objective == pytest.approx(objective(k, signs, m.alpha), rel=1e-6)
    assert m.alpha.min() >= 0
    assert m.alpha.max() <= 10
    if fit_intercept:
        assert abs(signs @ m.alpha) < 1e-8 * m.alpha.sum()
    else:
        np.testing.assert_array_equal(m.intercept_, [0.0])


def test_decision_function_is_the_expansion(board, model):
    x, _ = board
    np.testing.assert_array_equal(model.support_vectors_, x[model.support_])
    expected = model.dual_coef_[0] @ rbf(model.support_vectors_, x, 4) + model.intercept_[0]
    rounding = 2e-7 * np.abs(model.dual_coef_).sum()  # of float32 kernel values
    np.testing.assert_allclose(model.decision_function(x), expected, atol=rounding)
    np.testing.assert_array_equal(model.predict(x), np.where(model.decision_function(x) > 0, 1, -1))


def test_decision_function_of_several_classes(blobs):
    x, y = blobs
    m = dcsvm.train(x, y, C=2, gamma=0.5)
    values = m.decision_function(x)
    assert values.shape == (len(x), 6)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    votes = np.zeros((len(x), 4))
    for column, (i, j) in enumerate(pairs):
        # the pair alone, trained as a problem of two classes: positive means the second, here the first
        mask = np.isin(y, m.classes_[[i, j]])
        alone = dcsvm.train(x[mask], y[mask], C=2, gamma=0.5, precision="double", tol=1e-5)
        np.testing.assert_allclose(values[:, column], -alone.decision_function(x), atol=0.02)
        votes[np.arange(len(x)), np.where(values[:, column] > 0, i, j)] += 1
    np.testing.assert_array_equal(m.predict(x), m.classes_[votes.argmax(axis=1)])
    assert m.alpha.shape == (6, len(x))
    assert m.dual_coef_.shape == (3, len(m.support_))
    assert m.n_support_.tolist() == [int((y[m.support_] == c).sum()) for c in m.classes_]


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", "rbf"])
def test_kernels_agree_with_precomputed(board, kernel):
    x, y = board[0][:400] - 2, board[1][:400]
    gamma, coef0 = {"sigmoid": (0.02, -0.1)}.get(kernel, (0.5, 1.0))
    dot = x @ x.T
    k = {
        "linear": lambda: dot,
        "poly": lambda: (gamma * dot + coef0) ** 3,
        "sigmoid": lambda: np.tanh(gamma * dot + coef0),
        "rbf": lambda: rbf(x, x, gamma),
    }[kernel]()
    a = dcsvm.train(x, y, kernel=kernel, gamma=gamma, coef0=coef0, tol=1e-5, precision="double")
    b = dcsvm.train(k, y, kernel="precomputed", tol=1e-5, precision="double")
    assert a.report.objective == pytest.approx(b.report.objective, rel=1e-7)
    np.testing.assert_allclose(a.decision_function(x), b.decision_function(k), atol=1e-3)
    assert b.support_vectors_.size == 0


def test_gamma_rules(board):
    x, y = board
    scale = dcsvm.train(x, y)
    assert scale.gamma == pytest.approx(1 / (2 * x.var()), rel=1e-9)
    assert scale.report.gamma == scale.gamma
    assert dcsvm.train(x, y, gamma="auto").gamma == 0.5
    assert dcsvm.train(x, y, gamma=3).gamma == 3.0


def test_sample_weight_is_a_repeated_row(board):
    x, y = board[0][:300], board[1][:300]
    w = np.random.default_rng(0).integers(0, 3, 300)
    # weights scale C_i; a row twice is a box twice as wide
    a = dcsvm.train(x, y, C=2, gamma=2, sample_weight=w, tol=1e-5, precision="double")
    b = dcsvm.train(np.repeat(x, w, axis=0), np.repeat(y, w), C=2, gamma=2, tol=1e-5, precision="double")
    assert a.report.objective == pytest.approx(b.report.objective, rel=1e-7)
    assert not set(a.support_) & set(np.flatnonzero(w == 0))


def test_class_weight(board):
    x, y = board
    counts = {c: int((y == c).sum()) for c in (-1, 1)}
    balanced = dcsvm.train(x, y, gamma=4, class_weight="balanced")
    by_hand = dcsvm.train(x, y, gamma=4, class_weight={c: len(y) / (2 * n) for c, n in counts.items()})
    np.testing.assert_allclose(balanced.alpha, by_hand.alpha, rtol=1e-12)
    heavy = dcsvm.train(x, y, gamma=4, class_weight={1: 20})
    assert (heavy.predict(x) == 1).sum() > (balanced.predict(x) == 1).sum()


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([0, 1], np.int64),
        ([-1.0, 1.0], np.int64),
        ([0.5, 1.5], np.float64),
        ([False, True], np.int64),
        ([2**53 - 1, 2**53], np.int64),
    ],
)
def test_labels_come_back(board, labels, dtype):
    x, y = board
    given = np.array(labels)[(y > 0).astype(int)]
    m = dcsvm.train(x, given, C=100, gamma=4)
    assert m.classes_.dtype == dtype
    assert m.predict(x).dtype == dtype
    np.testing.assert_array_equal(m.classes_, labels)
    assert (m.predict(x) == given).mean() > 0.9


def test_warm_start(board, model):
    x, y = board
    again = dcsvm.train(x, y, C=10, gamma=4, warm_start_alpha=model.alpha)
    assert again.report.n_iter <= model.report.n_iter // 10
    assert again.report.objective == pytest.approx(model.report.objective, rel=5e-6)
    shrunk = dcsvm.train(x, y, C=12, gamma=4, warm_start_alpha=model.alpha)  # still feasible
    cold = dcsvm.train(x, y, C=12, gamma=4)
    assert shrunk.report.objective == pytest.approx(cold.report.objective, rel=5e-6)


def test_warm_start_of_several_classes(blobs):
    x, y = blobs
    m = dcsvm.train(x, y, gamma=0.5)
    again = dcsvm.train(x, y, gamma=0.5, warm_start_alpha=m.alpha)
    assert again.report.n_iter <= m.report.n_iter // 5
    assert again.report.objective == pytest.approx(m.report.objective, rel=5e-6)


def test_a_local_kernel_is_divided_again_unless_the_start_is_near():
    """Going on from a far start takes longer than the divide step; from a near one it does not."""
    rng = np.random.default_rng(0)
    of, centres = rng.integers(0, 200, 20000), rng.uniform(-1, 1, (200, 12))
    X, y = centres[of] + 0.05 * rng.standard_normal((20000, 12)), of % 3
    parameters = {"C": 1.0, "gamma": 4.0, "tol": 0.01}
    first = dcsvm.train(X, y, **parameters)
    near, far = (dcsvm.train(X, y, warm_start_alpha=f * first.alpha, **parameters).report for f in (1.0, 0.5))
    assert (first.report.solver, near.solver, far.solver) == ("dc", "smo", "dc")
    assert near.solver_reason == "warm_start_alpha is near the solution"
    assert near.n_iter == 0
    assert near.objective == pytest.approx(first.report.objective, rel=1e-6)
    assert far.objective == pytest.approx(first.report.objective, rel=1e-4)


def test_callback_sees_progress_and_cancels(board):
    x, y = dcsvm.datasets.make_checkerboard(6000, noise=0.4)
    seen = []

    def stop(progress):
        seen.append(progress)
        return np.bool_(len(seen) == 2)  # anything true cancels

    with pytest.warns(dcsvm.ConvergenceWarning, match="'cancelled'"):
        m = dcsvm.train(x, y, C=1000, gamma=4, tol=1e-6, precision="double", callback=stop, solver="smo")
    assert m.report.stop_reason == "cancelled"
    assert len(seen) == 2
    first, second = seen
    assert first.phase == "solve"
    assert 0 <= first.seconds < second.seconds, "each call has its own object, which stays valid"
    assert second.violation > 1e-6
    assert "violation=" in repr(second)
    assert m.predict(x).shape == y.shape, "the model as it is can be used"


def test_exceptions_of_a_callback_come_out_unchanged(board):
    class MyError(Exception):
        pass

    error = MyError("here")

    def fail(progress):
        raise error

    with pytest.raises(MyError) as caught:
        dcsvm.train(*board, C=1000, gamma=4, tol=1e-7, precision="double", callback=fail)
    assert caught.value is error


def test_max_iter_warns(board):
    with pytest.warns(dcsvm.ConvergenceWarning, match=r"'max_iter' \(max_iter=20\) after at least 10 steps.*: scale"):
        m = dcsvm.train(*board, C=1000, gamma=4, max_iter=20)
    assert m.report.stop_reason == "max_iter"
    assert m.report.violation > 1e-3


def test_max_iter_0_takes_no_step(board):
    with pytest.warns(
        dcsvm.ConvergenceWarning, match=r"'max_iter' \(max_iter=0\) after 0 steps at a violation of [12]e\+00 or more,? "
    ):
        m = dcsvm.train(*board, C=10, gamma=4, max_iter=0)
    assert m.report.n_support == 0
    assert m.report.violation == pytest.approx(2.0)


def test_report(model):
    r = model.report
    assert r.n_support == len(model.support_) == (model.alpha > 0).sum()
    assert r.n_kernel_values > 0
    assert r.n_iter > 0
    assert 0 < r.peak_cache_bytes < 100e6
    assert r.seconds["total"] > 0
    assert r.solver in ("smo", "dc")
    assert r.solver_reason
    assert (r.precision, r.levels) == ("single", [])
    assert r.isa == dcsvm.build_config()["isa"]
    text = repr(r)
    for word in ("converged", "violation", "support vectors", "seconds"):
        assert word in text


def test_levels_of_divide_and_conquer():
    x, y = dcsvm.datasets.make_checkerboard(5000, random_state=4)
    smo = dcsvm.train(x, y, C=10, gamma=4, solver="smo")
    dc = dcsvm.train(x, y, C=10, gamma=4, solver="dc", n_levels=2, sample_size=500)
    assert dc.report.solver == "dc"
    assert not dc.clustered
    assert dc.report.objective == pytest.approx(smo.report.objective, rel=5e-6)
    assert (dc.predict(x) == smo.predict(x)).mean() > 0.999
    levels = [v["level"] for v in dc.report.levels]
    assert levels[:2] == [2, 1]
    for v in dc.report.levels[:2]:
        assert v["clusters"] == len(v["sizes"])
        assert 1 <= v["clusters"] <= 4 ** v["level"]
        assert v["violation"] < 1e-3
    assert sum(dc.report.levels[0]["sizes"]) == 5000
    assert "level  clusters" in str(dc.report)


def test_early_model(early_model):
    x, y = dcsvm.datasets.make_checkerboard(3000, random_state=5)
    assert early_model.clustered
    assert early_model.prediction == "early"
    assert (early_model.predict(x) == y).mean() > 0.95
    naive = early_model.with_prediction("naive")
    assert naive.prediction == "naive"
    assert early_model.prediction == "early", "the original stays"
    assert (naive.predict(x) == y).mean() > 0.9
    assert "early" in repr(early_model)
    assert early_model.alpha.shape == (4000,)


def test_with_prediction_needs_clusters(model):
    with pytest.raises(ValueError, match="early_level"):
        model.with_prediction("naive")


def test_repr_teaches(model):
    text = repr(model)
    for word in ("rbf", "gamma=4", "2 classes (-1, 1)", ".predict(X)", ".save(path)", "converged"):
        assert word in text


def test_verbose_writes_to_stderr_only(board, capfd):
    dcsvm.train(*board, C=1000, gamma=4, verbose=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert re.match(r" +\d+\.\d s  solve", err)


def test_import_is_light():
    heavy = ("scipy", "sklearn", "argparse", "dcsvm.datasets", "dcsvm._command.cli")
    code = f"import sys, dcsvm; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    "training",
    [
        "dcsvm.train(x, y).predict(x)",
        "dcsvm.train(x, x[:, 0], formulation='epsilon_svr').predict(x)",
        "dcsvm.train_linear(x, y).predict(x)",
        "dcsvm.train_linear(x, y, solver='squared_hinge', initial_w=np.zeros((3, 1))).predict(x)",
        "dcsvm.train_low_rank(x, y, n_landmarks=5, warm_start_alpha=np.zeros((1, 40))).predict(x)",
        "dcsvm.train_ls_svm(x, y, warm_start=dcsvm.train_ls_svm(x, y)).predict(x)",
        "dcsvm.train_ridge(x, y).predict(x)",
        "dcsvm.train_dc_pred(x, y).predict(x)",
        "dcsvm.train_ldkl(x, y).predict(x)",
    ],
)
def test_a_first_training_imports_little(training):
    """numpy.ma and numpy.random take 15 ms, more than a small training. Neither loading nor calling a function imports them."""
    functions = ", ".join(re.findall(r"dcsvm\.\w+", training))
    code = (
        "import sys, numpy as np; start = set(sys.modules)\n"
        f"import dcsvm; {functions}; before = set(sys.modules)\n"
        "assert not {'numpy.ma', 'numpy.random'} & (before - start)\n"
        "x = np.arange(80.0).reshape(40, 2); y = x[:, 0] % 4\n"
        f"{training}\n"
        "print(sorted({m for m in set(sys.modules) - before if not m.startswith('dcsvm')}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_of_the_package():
    assert dcsvm.__version__ == dcsvm.build_config()["version"]
    imported = {}
    exec("from dcsvm import *", imported)
    assert imported.keys() - {"__builtins__"} == set(dcsvm.__all__)
    assert not hasattr(dcsvm, "no_such_thing")


def test_documented_examples():
    import doctest

    from dcsvm._svm import train as _train

    for module in (dcsvm, _train):
        assert doctest.testmod(module).failed == 0


def test_no_warning_when_converged(board):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dcsvm.train(*board, gamma=4)


@pytest.mark.parametrize("n", [2, 3, 5, 17])
def test_levels_of_very_few_rows(n):
    x, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    exact = dcsvm.train(x, y, C=100, gamma=2, solver="smo")
    model = dcsvm.train(x, y, C=100, gamma=2, solver="dc")
    assert model.report.objective == pytest.approx(exact.report.objective, rel=1e-3)
    np.testing.assert_array_equal(model.predict(x), y)
    early = dcsvm.train(x, y, C=100, gamma=2, early_level=3)
    deepest = 2 if n == 17 else 1
    assert early.report.levels[-1]["level"] == deepest
    assert f"early_level {deepest} instead of 3: {n} samples" in early.report.solver_reason
    np.testing.assert_array_equal(early.predict(x), y)
    np.testing.assert_array_equal(early.with_prediction("naive").predict(x), y)


def test_rand_svm_says_that_it_is_near_optimal():
    x, y = dcsvm.datasets.make_checkerboard(1000, random_state=0)
    with pytest.warns(dcsvm.ConvergenceWarning, match="'support_limit' .* near-optimal"):
        model = dcsvm.train(x, y, solver="rand", C=10, gamma=4, n_support_estimate=50)
    assert "near-optimal" in model.report.solver_reason
    assert model.report.violation == np.inf  # not known
    exact = dcsvm.train(x, y, C=10, gamma=4)
    assert model.report.objective > exact.report.objective
    solved = dcsvm.train(x, y, solver="rand", C=10, gamma=4, n_support_estimate=900, sample_factor=1)
    assert solved.report.stop_reason == "converged"
    assert solved.report.violation < 1e-3
    assert solved.report.objective == pytest.approx(exact.report.objective, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_sampled_solution_has_the_bias_of_its_own_coefficients(seed):
    rng = np.random.default_rng(seed)
    x, y, weight = rng.normal(size=(600, 2)), rng.integers(0, 2, 600), np.exp(2.5 * rng.normal(size=600))
    options = {"C": 10, "gamma": 1.0, "solver": "rand", "n_support_estimate": 100, "random_state": 0}
    with pytest.warns(dcsvm.ConvergenceWarning, match="support_limit"):
        model = dcsvm.train(x, y, sample_weight=weight, **options)
    sign, free = np.where(y == 1, 1, -1), (model.alpha > 0) & (model.alpha < 10 * weight)
    g = sign - rbf(x, x, 1.0) @ (sign * model.alpha)
    assert model.intercept_[0] == pytest.approx(g[free].mean(), abs=1e-6)


@pytest.mark.parametrize("formulation", ["c_svc", "nu_svc"])
def test_many_classes_share_one_matrix_of_wide_rows(formulation):
    """Each value is computed once; rows of weight 0 are in no pair; every pair has the solution that it has alone."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 400)
    X = rng.normal(size=(5, 80))[y] + 3 * rng.normal(size=(400, 80))
    weight = rng.choice([0.0, 0.5, 1.0, 2.0], 400)
    options = {"formulation": formulation, "tol": 1e-6, "gamma": 1 / 400, "precision": "double"}
    options |= {"C": 2.0} if formulation == "c_svc" else {"nu": 0.3}
    model = dcsvm.train(X, y, sample_weight=weight, **options)
    kept = weight > 0
    without = dcsvm.train(X[kept], y[kept], sample_weight=weight[kept], **options)
    np.testing.assert_allclose(model.decision_function(X), without.decision_function(X), rtol=0, atol=1e-5)
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    for found, (a, b) in zip(model.report.problems, pairs, strict=True):
        rows = kept & np.isin(y, (a, b))
        alone = dcsvm.train(X[rows], y[rows], sample_weight=weight[rows], **options).report
        assert found["objective"] == pytest.approx(alone.objective, rel=1e-6)
    assert model.report.n_kernel_values < 0.75 * kept.sum() ** 2
