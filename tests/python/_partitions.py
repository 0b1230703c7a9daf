"""Trainings on partitions in this process, without an engine of others."""

import itertools

import numpy as np
import scipy.sparse as sp

from _local_engine import LocalEngine
from dcsvm._distributed import setup
from dcsvm._distributed.outer_loop import OuterLoop, Settings
from dcsvm._distributed.rows import checked_part

DEFAULTS = {
    "C": 1.0,
    "kernel": "rbf",
    "degree": 3,
    "gamma": "scale",
    "coef0": 0.0,
    "fit_intercept": True,
    "tol": 1e-3,
    "epsilon": 0.1,
    "nu": 0.5,
    "cache_size": 200,
}
USED = {"c_svc": {"epsilon", "nu"}, "epsilon_svr": {"nu"}, "one_class": {"epsilon", "C"}}  # not theirs


def identity(value, *, n_jobs):
    return value


def even(n, parts):
    """The borders of about equal partitions."""
    return np.linspace(0, n, parts + 1).astype(int)


def described(engine, X, y=None, weight=None, borders=None, what="labels"):
    handles = []
    for p, (a, b) in enumerate(itertools.pairwise(borders)):
        part = checked_part(X[a:b], None if y is None else y[a:b], None if weight is None else weight[a:b], what)
        handles.append(engine.submit("part", identity, part, part=p))
    return setup.described(engine, handles)


def options_of(formulation, options):
    return {name: value for name, value in {**DEFAULTS, **options}.items() if name not in USED[formulation]}


def problem_of(formulation, data, options, class_weight=None):
    own = options_of(formulation, options)
    if formulation == "c_svc":
        return setup.c_svc(data, own, class_weight)
    return (setup.epsilon_svr if formulation == "epsilon_svr" else setup.one_class)(data, own)


def outer_loop(
    X, y, borders, formulation="c_svc", weight=None, class_weight=None, engine=None, settings=None, on_round=None, **options
):
    engine = engine or LocalEngine(threads=2)
    what = {"c_svc": "labels", "epsilon_svr": "targets", "one_class": "nothing"}[formulation]
    data = described(engine, X, y, weight, borders, what)
    problem = problem_of(formulation, data, options, class_weight)
    loop = OuterLoop(engine, problem, data.parts, data.labels, data.first, settings or Settings(), on_round or (lambda _: False))
    return loop.run(), loop


def gathered(outcome):
    """The solution of a LocalEngine's run."""
    return outcome.solution.value


def twin(problem, X, y, weight, outcome):
    """Objective and KKT violation of an outcome in double precision, from the whole kernel matrix."""
    rows = gathered(outcome).rows
    n = X.shape[0]
    target = np.zeros(n) if y is None else np.searchsorted(problem.classes, y) if len(problem.classes) else y
    K = kernel(problem, X)
    weight = np.ones(n) if weight is None else weight
    total, worst = 0.0, 0.0
    for p, (i, j) in enumerate(problem.pairs):
        b = np.zeros(n)
        b[rows.number] = rows.beta[p]
        slope = -(K @ b)
        if len(problem.classes):
            sign = np.where(target == i, 1.0, np.where(target == j, -1.0, 0.0))
            bound = problem.cost[target.astype(int)] * weight
            rise, fall = sign + slope, sign + slope
            up, low = np.where(sign > 0, b < bound, (sign < 0) & (b < 0)), np.where(sign < 0, b > -bound, (sign > 0) & (b > 0))
            up, low = up & (bound > 0), low & (bound > 0)
            total += 0.5 * b @ K @ b - sign @ b
        elif problem.formulation == "epsilon_svr":
            bound = problem.cost[0] * weight
            rise = target + slope - np.where(b >= 0, 1, -1) * problem.epsilon
            fall = target + slope - np.where(b > 0, 1, -1) * problem.epsilon
            up, low = b < bound, b > -bound
            total += 0.5 * b @ K @ b - target @ b + problem.epsilon * np.abs(b).sum()
        else:
            rise = fall = slope
            up, low = b < weight, b > 0
            total += 0.5 * b @ K @ b
        if problem.fit_intercept or problem.formulation == "one_class":
            worst = max(worst, rise[up].max() - fall[low].min())
        else:
            worst = max(worst, rise[up].max(), -fall[low].min())
    return total, worst


def kernel(problem, X):
    from certificate import kernel_matrix

    o = problem.options
    dense = np.asarray(X.todense() if sp.issparse(X) else X, dtype=np.float64)
    return kernel_matrix(dense, o["kernel"], o["gamma"], o["degree"], o["coef0"])
