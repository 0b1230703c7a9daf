"""The steps of a distributed training that solve: pure functions of their arguments, run where a partition is.

Every function takes n_jobs, the threads that it may use; no result depends on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from .._input import validate
from .._input.parameters import fill
from .._input.validate import FloatArray, IndexArray
from .._svm.model import Model
from .._svm.train import defaults
from .problem import Problem
from .rows import Part, Rows, stacked

_PASSES = 10  # over a pool that is solved in parts, at most
_SAMPLE = 1000  # rows that a partition sends when it has one class only, at most


@dataclass(frozen=True)
class Solution:
    """The solution on a pool of rows."""

    rows: Rows
    bias: FloatArray  #: (n_pairs,)
    model: Model | None  #: None where nothing could be solved: no rows, or one class
    before: FloatArray  #: (n_pairs, m): the coefficients that the solve started from
    left: IndexArray  #: numbers of rows that left the pool, ascending
    joined: IndexArray  #: numbers of rows that joined it, ascending
    report: SolveReport | None = None  #: None: not yet solved

    def moved(self) -> IndexArray:
        """Rows of the pool whose coefficients the solve changed."""
        return np.flatnonzero((self.rows.beta != self.before).any(axis=0))


@dataclass(frozen=True)
class ForNextSolve:
    """What a partition sends to the next solve: rows that join the pool, and the sums of all its rows that are in the pool then.

    number, sums : those rows, ascending, and their sums, (m, columns)
    """

    rows: Rows
    number: IndexArray
    sums: FloatArray


@dataclass(frozen=True)
class SolveReport:
    """What the caller must know of a Solution."""

    n_pool: int
    n_held: int  #: rows of the pool that were held fixed
    n_support: int
    n_changed: int  #: rows whose coefficients the solve changed
    objective: float
    violation: float
    stop_reason: str
    n_iter: int
    n_kernel_values: int
    precision: str


@dataclass(frozen=True)
class Change:
    """What a solve changed: a partition that knows the sums before it needs no more to know those after it."""

    points: Any  #: rows whose coefficients changed
    number: IndexArray  #: their row numbers
    step: FloatArray  #: (n_pairs, m): the change
    beta: FloatArray  #: (n_pairs, m): the coefficients now
    bias: FloatArray
    left: IndexArray
    joined: IndexArray


def _trained(
    problem: Problem, rows: Rows, sums: FloatArray | None, tol: float, n_jobs: int, fixed: FloatArray | None = None
) -> Model:
    """sums : (n_pairs, m) of K beta, or None: not known
    fixed : the same of rows that are not here and whose coefficients stay, or None: there are none
    """
    options = {**defaults(), **problem.options, "formulation": problem.formulation, "tol": tol, "n_jobs": n_jobs}
    weight = rows.upper
    if problem.formulation == "one_class":
        # The rows that are not here have alpha 0, so the sum of alpha over all rows is the sum here.
        options["nu"] = min(1.0, float(rows.beta.sum() / rows.upper.sum()))
    else:
        weight = weight / options["C"]
    # Not by train(), which warns of what the whole training warns of once.
    params, start, known = fill(_core.TrainParams(), options), None, None
    if rows.beta.any():
        start = _by_present_pairs(problem, rows, np.abs(rows.beta) if len(problem.classes) else rows.beta)
        known = _by_present_pairs(problem, rows, sums)
    core_model = _core.train(
        validate.as_data("X", rows.X),
        rows.target,
        params,
        sample_weight=weight,
        warm_start_alpha=start,
        checkpoint=None,
        checkpoint_interval=options["checkpoint_interval"],
        progress=None,
        warm_start_sums=known,
        fixed_row_sums=_by_present_pairs(problem, rows, fixed),
    )
    return Model(core_model)


def _by_present_pairs(problem: Problem, rows: Rows, values: FloatArray | None) -> FloatArray | None:
    """Values (n_pairs, m) as the core takes them: one pair after the other, of the classes that the rows have."""
    if values is None:
        return None
    return np.asarray((values[_present_pairs(problem, rows.target)] if len(problem.classes) else values).ravel())


def _present_pairs(problem: Problem, target: FloatArray) -> list[int]:
    present = set(np.unique(target).astype(int).tolist())
    return [p for p, (i, j) in enumerate(problem.pairs) if i in present and j in present]


def _coefficients(problem: Problem, rows: Rows, model: Model) -> tuple[FloatArray, FloatArray]:
    """beta (n_pairs, m) and bias (n_pairs,) of a model that was trained on the rows; beta stays in pairs of absent classes."""
    beta, bias = rows.beta.copy(), np.zeros(problem.n_pairs)
    alpha = model.alpha.reshape(-1, rows.n)
    rho = model._core.rho()
    if not len(problem.classes):
        return alpha, -rho
    for own, p in enumerate(_present_pairs(problem, rows.target)):
        beta[p] = np.where(rows.target == problem.pairs[p][0], alpha[own], -alpha[own])
        bias[p] = -rho[own]
    return beta, bias


def solved(
    problem: Problem,
    rows: Rows,
    tol: float,
    n_jobs: int,
    sums: FloatArray | None = None,
    fixed: FloatArray | None = None,
) -> tuple[Rows, FloatArray, Model | None]:
    """The rows with the coefficients that solve their problem to tol, the bias and the model. sums, fixed : as _trained; in pairs
    of which a row is not: anything."""
    one_class_left = len(problem.classes) and len(np.unique(rows.target)) < 2
    if rows.n == 0 or one_class_left:
        return rows, np.zeros(problem.n_pairs), None
    model = _trained(problem, rows, sums, tol, n_jobs, fixed)
    beta, bias = _coefficients(problem, rows, model)
    return replace(rows, beta=beta), bias, model


def solve_part(problem: Problem, part: Part, first: int, tol: float, seed: int, *, n_jobs: int) -> Rows:
    """The support vectors of a partition's own problem."""
    taking_part = np.flatnonzero(problem.upper(part) > 0)
    rows = problem.rows_of(part, first, taking_part)
    if problem.formulation == "one_class":
        rows = started(problem, rows)
    return _support_of(problem, *solved(problem, rows, tol, n_jobs), seed)


def solve_group(problem: Problem, tol: float, seed: int, *parts: Rows, n_jobs: int) -> Rows:
    """The support vectors of the problem of several partitions' support vectors: one step of a cascade (Graf et al. 2004)."""
    return _support_of(problem, *solved(problem, stacked(parts), tol, n_jobs), seed)


def started(problem: Problem, rows: Rows) -> Rows:
    """one_class: the first rows at their upper bound, so that sum b = nu sum w."""
    missing = problem.nu * rows.upper.sum() - (np.cumsum(rows.upper) - rows.upper)
    return replace(rows, beta=np.asarray(np.clip(missing, 0.0, rows.upper)[None, :]))


def _support_of(problem: Problem, rows: Rows, bias: FloatArray, model: Model | None, seed: int) -> Rows:
    if model is None:  # one class: nobody knows yet which rows matter
        random = np.random.default_rng((seed, int(rows.number[0]) if rows.n else 0))
        return rows.take(np.sort(random.choice(rows.n, min(rows.n, _SAMPLE), replace=False)))
    keep = rows.support()
    for own in np.unique(rows.target) if len(problem.classes) else ():
        if not (keep & (rows.target == own)).any():
            keep[np.argmax(rows.target == own)] = True  # every class must reach the pool
    return rows.take(np.flatnonzero(keep))


def start_pool(problem: Problem, *parts: Rows, n_jobs: int) -> Solution:
    """All rows that the partitions sent, not yet solved together."""
    rows = stacked(parts)
    order = np.argsort(rows.number, kind="stable")
    rows = rows.take(order)
    nobody = np.zeros(0, dtype=np.int64)
    return Solution(rows, np.zeros(problem.n_pairs), None, np.zeros_like(rows.beta), nobody, rows.number)


def sums_of_pool(problem: Problem, pool: Solution, share: int, of: int, *, n_jobs: int) -> ForNextSolve:
    """The sums of one share of a first pool's rows under the coefficients that they came with; no new rows."""
    index = np.array_split(np.arange(pool.rows.n), of)[share]
    rows, own = pool.rows.take(np.flatnonzero(pool.rows.support())), pool.rows.take(index)
    sums = problem.sums(own.X, own.target, rows.X, rows.beta, problem.double, n_jobs)
    return ForNextSolve(own.take(index[:0]), own.number, sums)


def solve_pool(
    problem: Problem, tol: float, most: int, keep_start: bool, before: Solution, *new: ForNextSolve, n_jobs: int
) -> Solution:
    """Adds rows to the pool and solves it from the coefficients at hand.

    most : rows that are solved together. When the pool would have more, those with coefficients 0 leave it first; they may come
        back. If the others are still more, they are solved in parts, each with the others held fixed
    keep_start : the coefficients are so near the solution that dividing the rows, which solver="auto" may choose, would only find
        them again
    new : of all partitions, or all shares of the first pool, in their order
    """
    kept, left = before.rows, np.zeros(0, dtype=np.int64)
    if before.rows.n + sum(one.rows.n for one in new) > most:
        stays = before.rows.support()
        left = np.sort(before.rows.number[~stays])
        kept = before.rows.take(np.flatnonzero(stays))
    first = before.model is None
    joined = before.joined if first else np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *(one.rows.number for one in new)]))
    rows = stacked([kept, *(one.rows for one in new)])
    if len(problem.classes) and problem.n_pairs > 1:
        assert len(np.unique(rows.target)) == len(problem.classes), "every class reaches the pool"
    start = np.zeros_like(rows.beta) if first else rows.beta
    known = _known_sums(problem, rows, new) if new else None
    n_held = max(0, rows.n - max(most, 2, len(problem.classes)))
    steps: list[Model] = []
    if n_held:
        rows, bias, model, steps = _solved_in_parts(problem, rows, known, tol, rows.n - n_held, n_jobs)
    else:
        rows, bias, model = solved(problem.undivided() if keep_start else problem, rows, tol, n_jobs, known)
    assert model is not None
    found = Solution(rows, bias, model, start, left, joined)
    whole = model.report
    solves = [step.report for step in steps or [model]]
    report = SolveReport(
        rows.n,
        n_held,
        int(rows.support().sum()),
        len(found.moved()),
        whole.objective,
        whole.violation,
        solves[-1].stop_reason,
        sum(one.n_iter for one in solves),
        sum(one.n_kernel_values for one in solves),
        whole.precision,
    )
    return replace(found, report=report)


def _known_sums(problem: Problem, rows: Rows, new: tuple[ForNextSolve, ...]) -> FloatArray:
    """(n_pairs, m): what the partitions know of the pool's rows, so that the solve needs not compute it."""
    place = np.searchsorted(np.concatenate([one.number for one in new]), rows.number)
    return _by_pair(problem, rows.target, np.concatenate([one.sums for one in new])[place])


def _by_pair(problem: Problem, target: FloatArray, own: FloatArray) -> FloatArray:
    """(n_pairs, m) of (m, columns): values of each row's own pairs."""
    values = np.zeros((problem.n_pairs, len(target)))
    np.put_along_axis(values, problem.own_pairs(target).T, own.T, axis=0)
    return values


def _sums_over(problem: Problem, rows: Rows, points: Rows, n_jobs: int) -> FloatArray:
    """(n_pairs, m): K beta of the points, for the rows."""
    points = points.take(np.flatnonzero(points.support()))
    return _by_pair(problem, rows.target, problem.sums(rows.X, rows.target, points.X, points.beta, problem.double, n_jobs))


def _solved_in_parts(
    problem: Problem, rows: Rows, sums: FloatArray | None, tol: float, most: int, n_jobs: int
) -> tuple[Rows, FloatArray, Model | None, list[Model]]:
    """As `solved` by block descent: again and again the `most` rows that violate most are solved, and the others held fixed. Also
    gives the models of these solves. It may end before tol is reached: the next round goes on."""
    smo = replace(problem, options={**problem.options, "solver": "smo"})
    sums = _sums_over(problem, rows, rows, n_jobs) if sums is None else sums
    models: list[Model] = []
    for _ in range(_PASSES * math.ceil(rows.n / most)):
        index = _worst(problem, rows, sums, tol, most)
        if not len(index):
            break
        some = rows.take(index)
        own = _sums_over(problem, some, some, n_jobs)
        found, _, model = solved(smo, some, tol, n_jobs, own, sums[:, index] - own)
        assert model is not None
        models.append(model)
        beta = rows.beta.copy()
        beta[:, index] = found.beta
        rows = replace(rows, beta=beta)
        sums = sums + _sums_over(problem, rows, replace(some, beta=found.beta - some.beta), n_jobs)
        if model.report.stop_reason != "converged" or not (found.beta != some.beta).any():
            break
    # A training without a step makes the model of all rows, with their bias, objective and violation.
    no_step = replace(smo, options={**smo.options, "max_iter": 0})
    return *solved(no_step, rows, tol, n_jobs, sums), models


def _worst(problem: Problem, rows: Rows, sums: FloatArray, tol: float, most: int) -> IndexArray:
    """The `most` rows that violate most, or are nearest to it, ascending; of each class at least one. Empty: all rows are solved
    to tol."""
    pairs = problem.own_pairs(rows.target)
    own = [np.take_along_axis(values.T, pairs, axis=1) for values in (rows.beta, sums)]
    rise, fall = problem.rise_and_fall(rows.target, rows.upper, *own)
    up, low = problem.extremes(rows.target, rise, fall)
    if problem.violation(up, low) < tol:
        return np.zeros(0, dtype=np.intp)
    bias = np.where(np.isfinite(up + low), (up + low) / 2, 0.0) if problem.has_bias else np.zeros(problem.n_pairs)
    order = np.lexsort((rows.number, -problem.excess(rows.target, bias, rise, fall)))
    if len(problem.classes):  # the core needs rows of both classes of a pair
        first = np.unique(rows.target[order], return_index=True)[1]
        order = np.concatenate([order[first], np.delete(order, first)])
    return np.sort(order[:most])


def report_of(solution: Solution, *, n_jobs: int) -> SolveReport:
    assert solution.report is not None
    return solution.report


def change_of(solution: Solution, *, n_jobs: int) -> Change:
    rows = solution.rows
    moved = solution.moved()
    step = rows.beta[:, moved] - solution.before[:, moved]
    return Change(rows.X[moved], rows.number[moved], step, rows.beta[:, moved], solution.bias, solution.left, solution.joined)


def support_of(solution: Solution, *, n_jobs: int) -> Rows:
    return solution.rows.take(np.flatnonzero(solution.rows.support()))


def bias_of(solution: Solution, *, n_jobs: int) -> FloatArray:
    return solution.bias


def final_of(solution: Solution, *, n_jobs: int) -> tuple[Model | None, Any, int]:
    """The model, the numbers of the pool's rows, and how many these are."""
    return solution.model, solution.rows.number, solution.rows.n
