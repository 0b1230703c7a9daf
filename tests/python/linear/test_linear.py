"""train_linear: parameters, models, files, and scikit-learn's answers."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

import dcsvm
from dcsvm._input.linear_solvers import SOLVERS

CLASSIFIERS = [name for name, has in SOLVERS.items() if has["classes"]]


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 12)) < 0.5, rng.normal(size=(300, 12)), 0.0)
    y = np.argmax(X[:, :3] + 0.3 * rng.normal(size=(300, 3)), axis=1)
    return X, y


def options(solver):
    return {"solver": solver, **({"bias": -1} if solver == "one_class" else {})}


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_trains_predicts_saves_and_reports(problem, solver, tmp_path):
    X, y = problem
    model = dcsvm.train_linear(sparse.csr_matrix(X), y, **options(solver))
    report = model.report
    assert report.stop_reason == "converged"
    assert report.primal_objective - report.dual_objective >= -1e-9 * abs(report.primal_objective)
    assert report.tol == pytest.approx(0.1 if "dual" in solver or solver == "crammer_singer" else report.tol)
    decisions = model.decision_function(X)
    expected = X @ model.coef_.T + model.intercept_
    assert decisions == pytest.approx(expected if expected.shape[1] > 1 else expected[:, 0])
    assert model.predict(X).shape == (300,)
    model.save(tmp_path / "m")
    loaded = dcsvm.load_model(tmp_path / "m")
    assert isinstance(loaded, dcsvm.LinearModel)
    assert loaded.solver == solver
    assert np.array_equal(loaded.decision_function(X), decisions)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)
    assert solver in repr(model)


@pytest.mark.parametrize("solver", CLASSIFIERS)
def test_two_classes_are_positive_for_the_upper_one(problem, solver):
    X, y = problem
    labels = np.where(y == 1, 5, -3)
    model = dcsvm.train_linear(X, labels, **options(solver))
    assert model.classes_.tolist() == [-3, 5]
    assert (model.predict(X) == labels).mean() > 0.75
    if solver != "crammer_singer":
        assert np.array_equal(model.predict(X) == 5, model.decision_function(X) > 0)
    if "logistic" in solver or solver == "multinomial":
        proba = model.predict_proba(X)
        assert proba[:, 1] == pytest.approx(1 / (1 + np.exp(-model.decision_function(X))))
    else:
        with pytest.raises(ValueError, match="no probabilities"):
            model.predict_proba(X)


def test_the_answers_are_those_of_scikit_learn(problem):
    linear = pytest.importorskip("sklearn.linear_model")
    svm = pytest.importorskip("sklearn.svm")
    X, y = problem
    y = (y == 1).astype(int)
    for solver, theirs in {
        "logistic": linear.LogisticRegression(solver="liblinear", tol=1e-8),
        "l1_logistic": linear.LogisticRegression(solver="liblinear", penalty="l1", tol=1e-8, random_state=0),
        "squared_hinge_dual": svm.LinearSVC(tol=1e-8, max_iter=100000),
        "hinge_dual": svm.LinearSVC(loss="hinge", tol=1e-8, max_iter=100000),
        "svr_dual": svm.LinearSVR(epsilon=0.1, tol=1e-8, max_iter=100000),
    }.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the name of the penalty changes between versions
            theirs.fit(X, y)
        mine = dcsvm.train_linear(X, y, solver=solver, tol=1e-7, max_iter=100000)
        assert mine.coef_.ravel() == pytest.approx(theirs.coef_.ravel(), abs=1e-3), solver
        assert mine.intercept_ == pytest.approx(np.ravel(theirs.intercept_), abs=1e-3), solver


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"solver": "newton"}, "solver must be one of"),
        ({"C": 0}, "C must be"),
        ({"tol": 0}, "tol must be"),
        ({"bias": float("nan")}, "bias must be"),
        ({"regularize_bias": False, "solver": "hinge_dual"}, "regularize_bias"),
        ({"initial_w": [[1.0]], "solver": "logistic"}, "initial_w must have shape"),
        ({"sample_weight": [1.0]}, "sample_weight"),
        ({"class_weight": {9: 1.0}}, "class_weight names label 9"),
        ({"class_weight": "balanced", "solver": "svr_dual"}, "class_weight is for classifiers; svr_dual has no classes"),
        ({"class_weight": {1: 2.0}, "solver": "one_class"}, "class_weight is for classifiers"),
        ({"sample_weight": np.full(300, 2.0), "solver": "one_class"}, "sample_weight must be 0 or 1 for one_class, row 0"),
        ({"initial_w": np.zeros(13), "solver": "logistic"}, r"initial_w must have shape \(13, 3\) .* got \(13,\)"),
        ({"initial_w": np.full((13, 3), np.nan), "solver": "logistic"}, "initial_w is not finite at row 0, column 0"),
    ],
)
def test_bad_parameters_are_named(problem, bad, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.train_linear(*problem, **bad)


def test_labels_that_are_targets_get_the_names_of_regressions(problem):
    with pytest.raises(ValueError, match="train_linear: solver='svr_squared'"):
        dcsvm.train_linear(problem[0], problem[0][:, 0] + np.arange(300))
    with pytest.raises(ValueError, match=r"one class only \(0\)"):
        dcsvm.train_linear(problem[0], np.where(problem[1] > 0, 0.0, -0.0))


def test_unknown_parameters_and_missing_labels(problem):
    with pytest.raises(TypeError, match="kernel"):
        dcsvm.train_linear(*problem, kernel="rbf")
    with pytest.raises(ValueError, match="y is missing"):
        dcsvm.train_linear(problem[0])


def test_a_start_a_limit_and_a_callback(problem):
    X, y = problem
    y = (y == 1).astype(int)
    model = dcsvm.train_linear(X, y, solver="logistic", tol=1e-6)
    start = -np.append(model.coef_[0], model.intercept_[0])[:, None]
    again = dcsvm.train_linear(X, y, solver="logistic", tol=1e-4, initial_w=start)
    assert again.report.n_iter == 0
    with pytest.warns(
        dcsvm.ConvergenceWarning,
        match=r"'max_iter' \(max_iter=2\) after .*, or raise max_iter",
    ):
        dcsvm.train_linear(X, y, solver="hinge_dual", tol=1e-9, max_iter=2)
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        dcsvm.train_linear(X, y, callback=lambda progress: True)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_limit_that_is_enough_is_not_what_ended_the_training(problem, solver):
    X, y = problem
    report = dcsvm.train_linear(X, y, max_iter=1000, **options(solver)).report
    assert report.stop_reason == "converged"
    most = max(p["n_iter"] for p in report.problems)
    assert dcsvm.train_linear(X, y, max_iter=most, **options(solver)).report.stop_reason == "converged"


@pytest.mark.parametrize("solver", ["squared_hinge", "hinge_dual", "l1_logistic", "crammer_singer"])
def test_the_last_record_of_a_history_is_what_the_report_says(problem, solver):
    history = dcsvm.History()
    report = dcsvm.train_linear(*problem, solver=solver, callback=history).report
    last = history.records[-1]
    assert (last["phase"], last["done"], last["total"]) == ("done", 1, 1)
    assert last["objective"] == report.primal_objective
    assert (last["violation"], last["n_iter"], last["n_support"]) == (report.violation, report.n_iter, report.n_support)
    assert [record["phase"] for record in history.records].count("done") == 1


def test_the_command_predicts_and_shows_linear_models(problem, tmp_path, capsys):
    from dcsvm._command import cli

    X, y = problem
    model = dcsvm.train_linear(X, y)
    model.save(tmp_path / "m")
    dcsvm.save_svmlight(tmp_path / "data", X, y)
    assert cli.main(["predict", str(tmp_path / "data"), str(tmp_path / "m"), str(tmp_path / "out")]) == 0
    assert np.array_equal(np.loadtxt(tmp_path / "out"), model.predict(X))
    capsys.readouterr()
    assert cli.main(["info", str(tmp_path / "m")]) == 0
    assert "squared_hinge_dual" in capsys.readouterr().out


@pytest.mark.parametrize(
    "solver", ["logistic", "logistic_dual", "squared_hinge", "hinge_dual", "crammer_singer", "svr_squared", "svr_dual"]
)
def test_what_leaves_the_range_of_double_is_refused(problem, solver):
    X, y = problem
    with pytest.raises(ValueError, match=r"left the range of float64 .*scale X"):
        dcsvm.train_linear(X * 1e300, y, **options(solver))
    if solver != "crammer_singer":  # which stops with finite weights
        with pytest.raises(ValueError, match=r"left the range of float64 .*C=1e\+300"):
            dcsvm.train_linear(X, y, C=1e300, **options(solver))


@pytest.mark.parametrize("scale", [1e20, 1e100])
@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "l1_logistic", "l1_squared_hinge", "svr_squared"])
def test_a_relative_stop_is_not_converged_where_rounding_hides_the_regulariser(problem, solver, scale):
    X, y = problem
    with pytest.warns(dcsvm.ConvergenceWarning, match=r"stagnated.*scale the features|max_iter"):
        model = dcsvm.train_linear(X * scale, y, **options(solver))
    if solver.endswith("logistic"):  # what is left is nearly the problem without a regulariser
        free = dcsvm.train_linear(X, y, C=100, **options(solver))
        assert (model.predict(X * scale) == free.predict(X)).mean() > 0.98


@pytest.mark.parametrize("scale", [1e-100, 1e20, 1e100])
def test_one_class_is_the_same_at_every_scale(problem, scale):
    X = problem[0] + 1.0
    model, scaled = (dcsvm.train_linear(A, None, **options("one_class")) for A in (X, X * scale))
    assert scaled.report.stop_reason == "converged"
    expected, got = model.decision_function(X), scaled.decision_function(X * scale) / scale / scale
    assert got == pytest.approx(expected, abs=1e-3 * abs(expected).max())


@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "l1_logistic", "svr_squared", "one_class"])
def test_a_tiny_scale_is_converged(problem, solver):
    X, y = problem
    assert dcsvm.train_linear(X * 1e-100, y, **options(solver)).report.stop_reason == "converged"


def offset_problem(offset, spread):
    """Sparse rows of float64 in which two columns are far from 0: rounded to float32, their differences are lost."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((1000, 200)) < 0.03, rng.normal(size=(1000, 200)), 0.0)
    signal = rng.normal(size=1000)
    X[:, 0], X[:, 1] = offset + spread * signal, -offset + spread * rng.normal(size=1000)
    return X, signal + X[:, 2] + 0.1 * rng.normal(size=1000)


@pytest.mark.parametrize(("offset", "spread"), [(1e6, 1.0), (1e8, 1.0), (1e8, 100.0)])
@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "svr_squared"])
def test_a_gradient_that_converged_is_small_on_the_values_as_given(solver, offset, spread):
    X, target = offset_problem(offset, spread)
    y = target if solver == "svr_squared" else np.where(target > 0, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        model = dcsvm.train_linear(sparse.csr_matrix(X), y, solver=solver)
    report = model.report
    rows = np.column_stack([X, np.ones(len(X))]).astype(np.longdouble)
    w = np.append(model.coef_[0], model.intercept_[0]).astype(np.longdouble)

    def gradient(w):
        z = rows @ w
        if solver == "svr_squared":
            slope = 2 * np.sign(z - y) * np.maximum(0, np.abs(z - y) - 0.1)
        elif solver == "logistic":
            slope = -y / (1 + np.exp(y * z))
        else:
            slope = -2 * y * np.maximum(0, 1 - y * z)
        return float(np.sqrt(((w + rows.T @ slope) ** 2).sum()))

    balance = 1.0 if solver == "svr_squared" else min((y > 0).mean(), (y < 0).mean())
    assert report.violation == report.gradient_norm
    assert report.stop_reason == "stagnated" or gradient(w) <= report.tol * balance * gradient(0 * w) * 1.01


@pytest.mark.parametrize(("offset", "spread"), [(1e6, 10.0), (1e8, 1.0), (1e8, 100.0)])
@pytest.mark.parametrize("solver", ["squared_hinge_dual", "svr_squared_dual", "logistic_dual"])
def test_a_duality_gap_that_converged_is_small_on_the_values_as_given(solver, offset, spread):
    X, target = offset_problem(offset, spread)
    y = target if solver == "svr_squared_dual" else (target > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        report = dcsvm.train_linear(sparse.csr_matrix(X), y, solver=solver).report
    gap = report.primal_objective - report.dual_objective
    assert report.stop_reason == "stagnated" or gap <= 1e-5 * report.tol * report.primal_objective * 1.01


@pytest.mark.parametrize("solver", ["l1_logistic", "l1_squared_hinge"])
def test_l1_weights_are_found_for_the_values_as_given(solver):
    X, target = offset_problem(1e6, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        report = dcsvm.train_linear(sparse.csr_matrix(X), target > 0, solver=solver, max_iter=100).report
        exact = dcsvm.train_linear(sparse.csr_matrix(X), target > 0, solver=solver, max_iter=100, tol=9e-5).report
    assert report.primal_objective <= exact.primal_objective * 1.01


@pytest.mark.parametrize("C", [1e12, 1e18, 1e25])
def test_crammer_singer_with_a_huge_price_separates_what_can_be_separated(C):
    X = np.random.default_rng(0).normal(size=(40, 5))
    y = X[:, 0] > 0
    model = dcsvm.train_linear(X, y, solver="crammer_singer", C=C, tol=1e-6)
    assert model.report.stop_reason == "converged"
    assert (model.predict(X) == y).all()
    # Where C binds no row, the dual problem and its solution do not depend on C.
    moderate = dcsvm.train_linear(X, y, solver="crammer_singer", C=1e6, tol=1e-6)
    assert model.report.dual_objective == pytest.approx(moderate.report.dual_objective, rel=1e-6)
    assert model.coef_ == pytest.approx(moderate.coef_, abs=1e-5)


@pytest.mark.parametrize("solver", ["logistic", "squared_hinge"])
def test_more_columns_than_one_piece_of_work(solver):
    # Columns are divided among threads, and vectors of columns go in pieces.
    rng = np.random.default_rng(0)
    x = sparse.random(300, 70_000, 0.001, format="csr", random_state=rng)
    y = np.where(x[:, :35_000].sum(axis=1).A1 > x[:, 35_000:].sum(axis=1).A1, 1, -1)
    models = [dcsvm.train_linear(x, y, solver=solver, C=10, bias=1, n_jobs=n) for n in (1, 2, 3)]
    for m in models[1:]:
        assert np.array_equal(m.coef_, models[0].coef_)
        assert np.array_equal(m.intercept_, models[0].intercept_)
        assert m.report.dual_objective == models[0].report.dual_objective
    assert models[0].report.stop_reason == "converged"
