"""The quality contract along C: no fold's objective is above LIBLINEAR's, which starts from its own solutions for the C before.

It holds on wide data; docs/developers/benchmarks.md says by how much narrow data misses it.
"""

import ctypes

import numpy as np
import pytest

import dcsvm
from _liblinear_cases import objective, sparse, their_linear, theirs

SOLVERS = {"logistic": 0, "squared_hinge": 2}


def case():
    """Wide data: a start is the best combination of earlier solutions."""
    n, d, density = 400, 1700, 0.03
    rng = np.random.default_rng(d)
    X = sparse.random(n, d, density=density, random_state=d, format="csr")
    X.data = rng.normal(size=X.nnz)
    return X, np.where(X @ rng.normal(size=d) + rng.normal(size=n) * np.sqrt(d * density) > 0, 1.0, -1.0)


def their_objectives(X, y, number, train, values):
    """Of one fold."""
    nodes, start = their_linear.problem(y[train], X[train]), None
    for C in values:
        param = their_linear.parameter(f"-s {number} -c {C!r} -q")
        if start is not None:
            param.init_sol = ctypes.cast(start.ctypes.data, ctypes.POINTER(ctypes.c_double))
        m = theirs.train(nodes, param)
        start = np.array(m.w[: X.shape[1]])
        yield objective(m, X[train], y[train], C=C).sum()


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_fold_of_wide_data_is_above_liblinear_along_C(solver):
    X, y = case()
    of_row = np.random.default_rng(1).permutation(len(y)) % 5
    cv = [(np.flatnonzero(of_row != f), np.flatnonzero(of_row == f)) for f in range(5)]
    found = dcsvm.linear_path(X, y, solver=solver, cv=cv, bias=-1)
    values = found.C.tolist()
    assert len(values) > 8
    for f, (train, _) in enumerate(cv[:2]):
        limits = np.array(list(their_objectives(X, y, SOLVERS[solver], train, values)))
        excess = found.objectives[:, f] / limits - 1
        assert excess.max() <= 1e-6, (f, values[int(excess.argmax())])


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
