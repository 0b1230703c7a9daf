"""The contract along C: the C that the search chooses is as good as LIBLINEAR's."""

import numpy as np
import pytest

import dcsvm
from _liblinear_cases import objective, sparse, theirs
from _liblinear_folds import liblinear_folds

SOLVERS = {"logistic": 0, "squared_hinge": 2}


def case(shape="wide"):
    """Wide: the diagonal preconditions. Narrow: the Hessian is factored."""
    n, d, density = {"wide": (400, 1700, 0.03), "narrow": (500, 25, 1.0)}[shape]
    rng = np.random.default_rng(d)
    X = sparse.random(n, d, density=density, random_state=d, format="csr")
    X.data = rng.normal(size=X.nnz)
    if shape == "narrow":
        X = sparse.csr_matrix(X @ rng.normal(size=(d, 4)) @ rng.normal(size=(4, d)) / 10 + 0.3 * X)
    return X, np.where(X @ rng.normal(size=d) + rng.normal(size=n) * np.sqrt(d * density) > 0, 1.0, -1.0)


def plain_score(X, y, number, cv, C):
    """The score of LIBLINEAR's own trainings with one C, and its standard error."""
    right = np.empty(len(y))
    for train, test in cv:
        m = theirs.train(y[train], X[train], f"-s {number} -e 1e-6 -c {float(C)!r} -q")
        right[test] = np.array(theirs.predict(y[test], X[test], m, "-q")[0]) == y[test]
    return right.mean(), right.std() / np.sqrt(len(y))


@pytest.mark.parametrize("shape", ["wide", "narrow"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_search_chooses_a_C_as_good_as_liblinears(solver, shape, capfd):
    X, y = case(shape)
    of_row = liblinear_folds(len(y), 5)
    assert np.bincount(of_row).tolist() == [len(y) // 5] * 5
    cv = [(np.flatnonzero(of_row != f), np.flatnonzero(of_row == f)) for f in range(5)]
    found = dcsvm.linear_path(X, y, solver=solver, cv=cv, bias=-1)
    assert len(found.C) > 8
    their_C = theirs.train(y, X, f"-s {SOLVERS[solver]} -C -q")[0]
    capfd.readouterr()
    ours, _ = plain_score(X, y, SOLVERS[solver], cv, found.best_params["C"])
    score, error = plain_score(X, y, SOLVERS[solver], cv, their_C)
    assert ours >= score - error


def test_objectives_along_C_are_those_of_the_weights():
    """Checked where they come without a certificate."""
    X, y = case()
    cv = [(np.arange(len(y)) % 2 == f).nonzero()[0] for f in range(2)]
    cv = [(cv[1], cv[0]), (cv[0], cv[1])]
    values = [0.25, 0.5, 1.0]
    found = dcsvm.linear_path(X, y, solver="logistic", C=values, cv=cv, bias=-1, tol=1e-7)
    for k, C in enumerate(values):
        for f, (train, _) in enumerate(cv):
            m = theirs.train(y[train], X[train], f"-s 0 -e 1e-8 -c {C} -q")
            assert found.objectives[k, f] == pytest.approx(objective(m, X[train], y[train], C=C).sum(), rel=1e-8)
