"""linear_path against single trainings, fold by fold, and against LIBLINEAR's search."""

import numpy as np
import pytest
from scipy import sparse

import dcsvm


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((180, 10)) < 0.6, rng.normal(size=(180, 10)), 0.0)
    y = np.argmax(X[:, :3] + 0.7 * rng.normal(size=(180, 3)), axis=1)
    return X, y


def kfold(n, folds):
    parts = np.arange(n) % folds
    return [(np.flatnonzero(parts != f), np.flatnonzero(parts == f)) for f in range(folds)]


@pytest.mark.parametrize(
    "solver", ["squared_hinge", "logistic", "hinge_dual", "l1_logistic", "crammer_singer", "svr_squared", "svr_dual"]
)
def test_scores_are_those_of_single_trainings(problem, solver):
    X, y = problem
    Cs, cv = [0.01, 1.0, 0.1], kfold(len(y), 4)
    options = {"solver": solver, "tol": 1e-6, "max_iter": 100000}
    found = dcsvm.linear_path(sparse.csr_matrix(X), y, C=Cs, cv=cv, **options)
    assert found.C.tolist() == Cs
    for p, C in enumerate(Cs):
        for f, (train, test) in enumerate(cv):
            predicted = dcsvm.train_linear(X[train], y[train], C=C, **options).predict(X[test])
            score = -np.mean((predicted - y[test]) ** 2) if solver.startswith("svr") else np.mean(predicted == y[test])
            assert found.scores[p, f] == pytest.approx(score, rel=1e-3, abs=1e-3), (C, f)
    best = int(np.argmax(found.mean_scores))
    assert found.best_params == {"C": Cs[best]}
    assert found.best_score == pytest.approx(found.mean_scores[best])
    assert f"C={Cs[best]:g}" in repr(found)


def wide_problem():
    """More columns than the solvers factor: a start then is the best combination of the solutions for the C before."""
    rng = np.random.default_rng(5)
    n, d = 300, 1600
    X = sparse.random(n, d, density=0.02, random_state=5, format="csr")
    X.data = rng.normal(size=X.nnz)
    return X, X @ rng.normal(size=d) + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("solver", ["squared_hinge", "logistic", "svr_squared"])
@pytest.mark.parametrize("options", [{}, {"bias": 1, "regularize_bias": False}, {"sample_weight": np.linspace(0, 2, 300)}])
def test_many_columns_along_C_are_single_trainings(solver, options):
    X, t = wide_problem()
    y = t if solver == "svr_squared" else np.digitize(t, [-2, 2])
    Cs, cv, weights = [0.001, 0.01, 0.1, 1.0, 1.0, 10.0, 0.03], kfold(300, 3), options.get("sample_weight")
    found = dcsvm.linear_path(X, y, solver=solver, C=Cs, cv=cv, tol=1e-9, **options)
    for p, C in enumerate(Cs):
        for f, (train, test) in enumerate(cv):
            own = {**options, "sample_weight": None if weights is None else weights[train]}
            predicted = dcsvm.train_linear(X[train], y[train], solver=solver, C=C, tol=1e-9, **own).predict(X[test])
            if solver == "svr_squared":
                assert -found.scores[p, f] == pytest.approx(np.mean((predicted - y[test]) ** 2), rel=1e-6), (C, f)
            else:
                assert abs(found.scores[p, f] - np.mean(predicted == y[test])) < 1.5 / len(test), (C, f)
    again = dcsvm.linear_path(X, y, solver=solver, C=Cs, cv=cv, tol=1e-9, n_jobs=3, **options)
    assert np.array_equal(found.scores, again.scores)


@pytest.mark.parametrize("solver", ["l1_logistic", "l1_squared_hinge"])
def test_many_columns_with_l1(solver):
    X, t = wide_problem()
    y, Cs, cv = (t > 0).astype(int), [0.3, 1.0], kfold(300, 3)
    found = dcsvm.linear_path(X, y, solver=solver, C=Cs, cv=cv, tol=1e-4)
    for p, C in enumerate(Cs):
        for f, (train, test) in enumerate(cv):
            model = dcsvm.train_linear(X[train], y[train], solver=solver, C=C, tol=1e-4)
            assert abs(found.scores[p, f] - np.mean(model.predict(X[test]) == y[test])) < 2.5 / len(test), (C, f)


def test_the_search_doubles_C_until_nothing_changes(problem):
    X, y = problem
    y = (y == 1).astype(int)
    found = dcsvm.linear_path(X, y, solver="logistic", bias=-1, cv=kfold(len(y), 3))
    assert np.array_equal(found.C[1:], 2 * found.C[:-1])
    assert found.C[-1] == 1024
    start = 1 / (len(y) * (X**2).sum(axis=1).max())
    assert found.C[0] <= start < 2 * found.C[0]
    later = dcsvm.linear_path(X, y, solver="logistic", bias=-1, cv=kfold(len(y), 3), start_C=2)
    assert later.C[0] == 2
    assert set(found.best_params) == {"C"}


def test_the_search_for_epsilon(problem):
    X, _ = problem
    t = X[:, 0] - 2 * X[:, 3] + 0.1
    found = dcsvm.linear_path(X, t, solver="svr_squared", cv=3, start_epsilon=0.5)
    assert set(found.best_params) == {"C", "epsilon"}
    largest = np.abs(t).max()
    assert found.epsilon[0] <= 0.5 < found.epsilon[0] + largest / 20
    assert found.epsilon[-1] == 0
    model = dcsvm.train_linear(X, t, solver="svr_squared", **found.best_params)
    assert np.mean((model.predict(X) - t) ** 2) < 1e-3 * t.var()


def test_text_labels_scoring_and_threads(problem):
    pytest.importorskip("sklearn")
    X, y = problem
    names = np.array(["b", "a", "c"])[y]
    cv = kfold(len(y), 3)
    found = dcsvm.linear_path(X, names, C=[0.1, 1], cv=cv, scoring="f1_macro", n_jobs=1)
    metrics = pytest.importorskip("sklearn.metrics")
    train, test = cv[1]
    codes = dcsvm.train_linear(X[train], np.unique(names, return_inverse=True)[1][train], solver="squared_hinge", C=1)
    assert found.scores[1, 1] == metrics.f1_score(names[test], np.unique(names)[codes.predict(X[test])], average="macro")
    assert np.array_equal(found.scores, dcsvm.linear_path(X, names, C=[0.1, 1], cv=cv, scoring="f1_macro", n_jobs=3).scores)
    weighted = dcsvm.linear_path(X, names, C=1, cv=cv, class_weight={"a": 50.0})
    assert weighted.best_score < dcsvm.linear_path(X, names, C=1, cv=cv).best_score


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ({"solver": "hinge_dual"}, ValueError, "C=None searches with solver logistic, squared_hinge, svr_squared"),
        ({"solver": "one_class"}, ValueError, "one_class does not have"),
        ({"C": [1, -1]}, ValueError, r"C\[1\] must be"),
        ({"C": []}, ValueError, "at least one"),
        ({"C": 1, "start_C": 2}, ValueError, "belong to the search"),
        ({"start_C": 0}, ValueError, "start_C must be"),
        ({"C": 1, "cv": 1}, ValueError, "cv must be"),
        ({"C": 1, "cv": [([0, 1], [2, 3])]}, ValueError, "cv: fold 0 must have test rows"),
        ({"C": 1, "initial_w": [[1.0]]}, TypeError, "initial_w"),
        ({"C": 1, "kernel": "rbf"}, TypeError, "kernel"),
    ],
)
def test_bad_parameters_are_named(problem, bad, error, message):
    with pytest.raises(error, match=message):
        dcsvm.linear_path(*problem, **bad)


def test_a_callback_stops_it(problem):
    with pytest.raises(KeyboardInterrupt):
        dcsvm.linear_path(*problem, callback=lambda _: True)


@pytest.mark.parametrize("C", [None, 1.0])
def test_a_fold_whose_training_rows_all_have_weight_0_is_refused(C):
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 0] > 0
    for weight in (np.zeros(60), np.arange(60) == 0):
        with pytest.raises(ValueError, match=r"all weights of class .* are zero"):
            dcsvm.linear_path(X, y, C=C, sample_weight=weight)
    first = np.arange(60) < 20  # of both classes
    cv = [(np.flatnonzero(~test), np.flatnonzero(test)) for test in (first, ~first)]
    with pytest.raises(ValueError, match="sample_weight: all training rows of fold 0 have weight 0"):
        dcsvm.linear_path(X, y, C=C, sample_weight=first, cv=cv)


def test_a_search_does_not_begin_at_0():
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(ValueError, match="X is too large for the search of C"):
        dcsvm.linear_path(X * 1e200, X[:, 0] > 0)
