"""The steps of a distributed training that look at the rows of a partition: how far are they from the solution.

Pure functions, as those of tasks.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .._input.validate import FloatArray, IndexArray
from .problem import Problem
from .rows import Part, Rows
from .tasks import Change, ForNextSolve


@dataclass(frozen=True)
class Look:
    """What a partition knows of its rows under the current coefficients, and what it tells the caller.

    sums : (n, columns); pool : its rows that are in the pool, ascending, and their coefficients, (m, columns)
    """

    sums: FloatArray
    pool: IndexArray
    beta: FloatArray
    finding: Finding


@dataclass(frozen=True)
class Finding:
    """What a partition tells the caller: extremes over its rows, and rows outside the pool that violate."""

    up: FloatArray
    low: FloatArray
    number: IndexArray  #: of the violators that are named: the worst, and others at random
    excess: FloatArray
    n_violators: int
    n_kernel_values: int
    objective: float = 0.0  #: the partition's part, where it was computed in double precision


def look(
    problem: Problem,
    part: Part,
    first: int,
    before: Look | None,
    change: Change,
    quota: int,
    slack: float,
    seed: int,
    *,
    n_jobs: int,
) -> Look:
    """The partition's rows under the new coefficients. quota: violators that it may name; slack: excess from which a row counts
    as one."""
    target = problem.targets(part)
    step = problem.sums(part.X, target, change.points, change.step, problem.double, n_jobs)
    sums = step if before is None else before.sums + step
    pool, beta = _own_coefficients(problem, part.n, first, target, before, change)
    finding = _finding(problem, part, first, target, sums, (pool, beta), change.bias, quota, slack, seed)
    values = part.n * len(change.number)
    return Look(sums, pool, beta, replace(finding, n_kernel_values=values))


def look_again(problem: Problem, part: Part, first: int, before: Look, support: Rows, *, n_jobs: int) -> Look:
    """The same look with all sums computed anew, in the problem's precision."""
    target = problem.targets(part)
    sums = problem.sums(part.X, target, support.X, support.beta, problem.double, n_jobs)
    return replace(before, sums=sums)


def finding_of(state: Look, *, n_jobs: int) -> Finding:
    return state.finding


def _own_coefficients(
    problem: Problem, n: int, first: int, target: FloatArray, before: Look | None, change: Change
) -> tuple[IndexArray, FloatArray]:
    """The partition's rows in the pool, and their coefficients in their own pairs."""

    def own(number: IndexArray) -> npt.NDArray[np.bool_]:
        return np.asarray((number >= first) & (number < first + n))

    pool = np.zeros(n, dtype=bool)
    beta = np.zeros((n, problem.pair_of.shape[1]))
    if before is not None:
        pool[before.pool] = True
        beta[before.pool] = before.beta
    pool[change.left[own(change.left)] - first] = False
    pool[change.joined[own(change.joined)] - first] = True
    mine = own(change.number)
    index = change.number[mine] - first
    beta[index] = np.take_along_axis(change.beta[:, mine].T, problem.own_pairs(target[index]), axis=1)
    members = np.flatnonzero(pool)
    return members, beta[members]


def _finding(
    problem: Problem,
    part: Part,
    first: int,
    target: FloatArray,
    sums: FloatArray,
    own: tuple[IndexArray, FloatArray],
    bias: FloatArray,
    quota: int,
    slack: float,
    seed: int,
) -> Finding:
    rise, fall = problem.rise_and_fall(target, problem.upper(part), _full_beta(own, sums), sums)
    up, low = problem.extremes(target, rise, fall)
    excess = problem.excess(target, bias, rise, fall)
    excess[own[0]] = -np.inf  # the pool's rows are solved already
    violators = np.flatnonzero(excess > slack)
    named = violators
    if len(violators) > quota:
        # Half the worst, half at random: the worst alone lie close to each other. Equal ones by row number.
        order = violators[np.lexsort((violators, -excess[violators]))]
        random = np.random.default_rng((seed, first))
        worst, rest = order[: quota - quota // 2], order[quota - quota // 2 :]
        named = np.sort(np.concatenate([worst, random.choice(rest, quota // 2, replace=False)]))
    return Finding(up, low, first + named, excess[named], len(violators), 0)


def _full_beta(own: tuple[IndexArray, FloatArray], sums: FloatArray) -> FloatArray:
    beta = np.zeros_like(sums)
    beta[own[0]] = own[1]
    return beta


def certify(
    problem: Problem,
    part: Part,
    first: int,
    state: Look,
    support: Rows,
    bias: FloatArray,
    quota: int,
    slack: float,
    *,
    n_jobs: int,
) -> Finding:
    """Extremes of the partition and its part of the objective in double precision, from all support vectors. All rows that take
    part are computed: how wrong single precision is differs from row to row, so that no sample bounds it."""
    target, upper = problem.targets(part), problem.upper(part)
    own = np.flatnonzero(upper > 0)
    sums = np.zeros_like(state.sums)
    rows = part.X if len(own) == part.n else part.X[own]
    sums[own] = problem.sums(rows, target[own], support.X, support.beta, True, n_jobs)
    beta = _full_beta((state.pool, state.beta), sums)
    rise, fall = problem.rise_and_fall(target, upper, beta, sums)
    up, low = problem.extremes(target, rise, fall)
    excess = problem.excess(target, bias, rise, fall)
    excess[state.pool] = -np.inf
    violators = np.flatnonzero(excess > slack)
    named = np.sort(violators[np.lexsort((violators, -excess[violators]))][:quota])
    objective = problem.objective(target, beta, sums)
    return Finding(up, low, first + named, excess[named], len(violators), len(own) * support.n, objective)


def join(problem: Problem, part: Part, first: int, state: Look, number: IndexArray, *, n_jobs: int) -> ForNextSolve:
    """number : of the partition's rows that join the pool, ascending."""
    index = np.union1d(state.pool, number - first)
    return ForNextSolve(problem.rows_of(part, first, number - first), first + index, state.sums[index])
