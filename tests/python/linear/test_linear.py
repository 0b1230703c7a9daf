"""train_linear: parameters, models, files, and scikit-learn's answers."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

import dcsvm
from dcsvm._linear.train import SOLVERS

CLASSIFIERS = [s for s in SOLVERS if not s.startswith("svr") and s != "one_class"]


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
    if "logistic" in solver:
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
    ],
)
def test_bad_parameters_are_named(problem, bad, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.train_linear(*problem, **bad)


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
    with pytest.warns(dcsvm.ConvergenceWarning, match="max_iter"):
        dcsvm.train_linear(X, y, solver="hinge_dual", tol=1e-9, max_iter=2)
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        dcsvm.train_linear(X, y, callback=lambda progress: True)


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
@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "l1_logistic", "l1_squared_hinge", "svr_squared", "one_class"])
def test_a_relative_stop_is_not_converged_where_rounding_hides_the_regulariser(problem, solver, scale):
    X, y = problem
    with pytest.warns(dcsvm.ConvergenceWarning, match=r"stagnated.*scale the features|max_iter"):
        model = dcsvm.train_linear(X * scale, y, **options(solver))
    if solver.endswith("logistic"):  # what is left is nearly the problem without a regulariser
        free = dcsvm.train_linear(X, y, C=100, **options(solver))
        assert (model.predict(X * scale) == free.predict(X)).mean() > 0.98


@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "l1_logistic", "svr_squared", "one_class"])
def test_a_tiny_scale_is_converged(problem, solver):
    X, y = problem
    assert dcsvm.train_linear(X * 1e-100, y, **options(solver)).report.stop_reason == "converged"
