"""The exact solution by an outer working-set loop: which rows join the pool, when to stop, in which order.

    1. each partition solves its own rows roughly, alone; its support vectors are sent up
    2. with many partitions, groups of these are solved as well: one more step of a cascade
    3. one worker solves the pool of all rows sent so far, from the coefficients at hand; their sums of kernel values come from
       tasks: at first for shares of the pool (not of clusters), later from the partitions
    4. every partition learns which coefficients changed and looks at its own rows: extremes of the gradient, violators
    5. violation below tol: the gradients of all rows are computed again in double precision, and that is the certificate.
       Else the worst violators join the pool; on with 3. What the report says of a loop that ended otherwise is computed so too

This is RandSVM's loop (Krishnan, Bhattacharyya, Hariharan 2007) started by a cascade (Graf et al. 2004). It ends because the
pool's objective falls in every round and rows stay in the pool: dropping rows whose coefficients are 0 was measured to take up to
ten times the rounds. Nothing here depends on which worker ran a task, or on which result came first.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._input.validate import IndexArray
from .._shown.items import Items
from . import looks, tasks
from .engine import Engine, same
from .problem import Problem

_INSIDE = 0.45  # of tol: to which the pool is solved, and from which a row outside it counts as a violator
_ROUGH = 10.0  # times tol: first solves
_PROGRESS = 20.0  # a pool is solved to this part of the last violation
_FEW = 10  # rows that join are few below the pool's rows divided by this
_GROUPS_FROM = 16  # partitions from which their support vectors are first solved in groups
_LEAST_QUOTA, _QUOTA_SHARE = 1000, 4  # rows that join in a round: at least; one for so many in the pool


@dataclass(frozen=True)
class Round(Items):
    """The results of one round.

    Attributes
    ----------
    number : int
        Of the round, from 1.
    n_pool : int
        Rows of the pool.
    n_held : int
        Rows of the pool that were held fixed, while ``max_pool_rows`` others were solved together.
    n_joined : int
        Rows of the pool that are new in this round.
    n_support : int
        Support vectors.
    n_changed : int
        Rows whose coefficients changed.
    objective : float
        Of the pool's solution.
    violation : float
        Largest KKT violation over all rows, as the partitions found it.
    n_violators : int
        Rows outside the pool that violated.
    solve_tol : float
        To which the pool was solved.
    certified : bool
        Whether ``violation`` is from double precision.
    n_kernel_values : int
        Kernel values computed.
    seconds : float
        Seconds of this round.
    """

    number: int
    n_pool: int
    n_held: int
    n_joined: int
    n_support: int
    n_changed: int
    objective: float
    violation: float
    n_violators: int
    solve_tol: float
    certified: bool
    n_kernel_values: int
    seconds: float


@dataclass
class Outcome:
    """solution : handle of a tasks.Solution"""

    solution: Any
    report: tasks.SolveReport
    stop_reason: str
    objective: float
    violation: float
    rounds: list[Round]


@dataclass(frozen=True)
class Settings:
    max_pool_rows: int = 2_000_000
    max_rounds: int = 100
    seed: int = 0


def first_tol(problem: Problem) -> float:
    """The tolerance of the problems whose support vectors form the first pool."""
    return _ROUGH * problem.tol


@dataclass
class OuterLoop:
    """parts : handles of rows.Part, those without rows left out; first : number of the first row of each."""

    engine: Engine
    problem: Problem
    parts: Sequence[Any]
    labels: Sequence[int]  #: numbers of the partitions, for messages
    first: Sequence[int]
    settings: Settings = field(default_factory=Settings)
    on_round: Callable[[Round], bool] = lambda _: False  #: True: stop with the model so far

    rounds: list[Round] = field(default_factory=list)
    last_looks: list[Any] = field(default_factory=list)
    changes: list[Any] = field(default_factory=list)  # kept, so that a lost look can be made again without solving again
    _solve_tol: float = 0.0

    def run(self, pool: Any = None) -> Outcome:
        """pool : handle of a tasks.Solution to start from, as `start_pool` makes it; None: the partitions' own problems are
        solved first."""
        self._share_problem()
        tol = self.problem.tol
        self._solve_tol = first_tol(self.problem)
        if pool is None:
            pool = self.start()
            solution = self._solve(pool, self._sums_of(pool))
        else:  # the clusters' coefficients are so near that to divide the rows again would take longer
            solution = self._solve(pool, [], keep_start=True)
        joined = 0
        while True:
            begin = time.monotonic()
            report: tasks.SolveReport = self.engine.gather([self.engine.submit("report", tasks.report_of, solution)])[0]
            findings = self._look(solution, report)
            violation, chosen = self._merged(findings, report)
            objective = report.objective
            tight = self._solve_tol <= _INSIDE * tol
            certified = tight and (violation < tol or self._nothing_left(report, chosen))
            certified = certified or bool(self._stop(report, violation, chosen, certified))
            if certified:
                violation, chosen, objective, findings = self._certified(solution, report)
            self._record(report, joined, objective, violation, findings, certified, begin)
            stop_asked = self.on_round(self.rounds[-1])
            reason = self._stop(report, violation, chosen, certified) or "cancelled" * stop_asked
            if reason:
                if not certified:
                    violation, _, objective, _ = self._certified(solution, report)
                return Outcome(solution, report, reason, objective, violation, self.rounds)
            if certified and self._nothing_left(report, chosen):
                self._to_double(solution)
            self._solve_tol = max(_INSIDE * tol, min(self._solve_tol, violation / _PROGRESS))
            few = len(chosen) * _FEW < report.n_pool
            if few:
                self._solve_tol = _INSIDE * tol  # little changes: the last round may be the next
            joined = len(chosen)
            solution = self._solve(solution, self._send_to_solve(chosen), keep_start=few)

    # The steps

    def _share_problem(self) -> None:
        self._problem = self.engine.submit("problem", same, self.problem)

    def start(self) -> Any:
        """A handle of the first pool: the partitions' support vectors."""
        seed, tol = self.settings.seed, first_tol(self.problem)
        rows = [
            self.engine.submit("own", tasks.solve_part, self._problem, part, first, tol, seed, part=label)
            for part, first, label in self._each()
        ]
        if len(rows) > _GROUPS_FROM:
            # Every n_groups-th partition, so that data sorted by label has all labels in each group.
            n_groups = math.ceil(math.sqrt(len(rows)))
            rows = [
                self.engine.submit("group", tasks.solve_group, self._problem, tol, seed, *rows[g::n_groups])
                for g in range(n_groups)
            ]
        return self.engine.submit("pool", tasks.start_pool, self._problem, *rows)

    def _each(self) -> list[tuple[Any, int, int]]:
        return list(zip(self.parts, self.first, self.labels, strict=True))

    def _sums_of(self, pool: Any) -> list[Any]:
        """Handles of the first pool's sums, in one task for each partition, so that the solve needs not compute them."""
        shares = len(self.parts)
        return [self.engine.submit("sums", tasks.sums_of_pool, self._problem, pool, share, shares) for share in range(shares)]

    def _solve(self, before: Any, new: Sequence[Any], keep_start: bool = False) -> Any:
        most = self.settings.max_pool_rows
        return self.engine.submit("solve", tasks.solve_pool, self._problem, self._solve_tol, most, keep_start, before, *new)

    def _look(self, solution: Any, report: tasks.SolveReport) -> list[looks.Finding]:
        change = self.engine.submit("change", tasks.change_of, solution)
        self.changes.append(change)
        number, slack = len(self.rounds), _INSIDE * self.problem.tol
        quota = self._part_quota(report.n_pool)
        seed = self.settings.seed + 7919 * number
        befores = self.last_looks or [None] * len(self.parts)
        self.last_looks = [
            self.engine.submit("look", looks.look, self._problem, part, first, before, change, quota, slack, seed, part=label)
            for (part, first, label), before in zip(self._each(), befores, strict=True)
        ]
        return self.engine.gather(
            [
                self.engine.submit("finding", looks.finding_of, one, part=p)
                for one, p in zip(self.last_looks, self.labels, strict=True)
            ]
        )

    def _certified(self, solution: Any, report: tasks.SolveReport) -> tuple[float, IndexArray, float, list[looks.Finding]]:
        """Violation, violators that join the pool, objective and what the partitions found, in double precision."""
        findings = self._certify(solution, report)
        violation, chosen = self._merged(findings, report)
        return violation, chosen, sum(f.objective for f in findings), findings

    def _certify(self, solution: Any, report: tasks.SolveReport) -> list[looks.Finding]:
        support = self.engine.submit("support", tasks.support_of, solution)
        bias = self.engine.submit("bias", tasks.bias_of, solution)
        quota, slack = self._part_quota(report.n_pool), _INSIDE * self.problem.tol
        return self.engine.gather(
            [
                self.engine.submit(
                    "certify", looks.certify, self._problem, part, first, one, support, bias, quota, slack, part=label
                )
                for (part, first, label), one in zip(self._each(), self.last_looks, strict=True)
            ]
        )

    def _to_double(self, solution: Any) -> None:
        """Single precision is not enough: the pool's own rows violate although it was solved."""
        self.problem = self.problem.in_double()
        self._share_problem()
        support = self.engine.submit("support", tasks.support_of, solution)
        self.last_looks = [
            self.engine.submit("look", looks.look_again, self._problem, part, first, one, support, part=label)
            for (part, first, label), one in zip(self._each(), self.last_looks, strict=True)
        ]

    def _send_to_solve(self, chosen: IndexArray) -> list[Any]:
        """Handles of what each partition sends to the next solve."""
        owner = np.searchsorted(np.asarray(self.first), chosen, side="right") - 1
        return [
            self.engine.submit("rows", looks.join, self._problem, part, first, one, chosen[owner == p], part=label)
            for p, ((part, first, label), one) in enumerate(zip(self._each(), self.last_looks, strict=True))
        ]

    # The rules

    def _quota(self, n_pool: int) -> int:
        return max(_LEAST_QUOTA, n_pool // _QUOTA_SHARE)

    def _part_quota(self, n_pool: int) -> int:
        return max(20, math.ceil(4 * self._quota(n_pool) / len(self.parts)))

    def _merged(self, findings: Sequence[looks.Finding], report: tasks.SolveReport) -> tuple[float, IndexArray]:
        """The violation over all rows, and the violators that join the pool: half the worst, half at random, ascending."""
        up = np.max([f.up for f in findings], axis=0)
        low = np.min([f.low for f in findings], axis=0)
        number = np.concatenate([f.number for f in findings])
        excess = np.concatenate([f.excess for f in findings])
        most = self.settings.max_pool_rows
        quota = min(self._quota(report.n_pool), max(most - report.n_support, math.ceil(most / 2)))
        if len(number) > quota:
            order = np.lexsort((number, -excess))
            worst, rest = order[: quota - quota // 2], order[quota - quota // 2 :]
            random = np.random.default_rng((self.settings.seed, len(self.rounds)))
            number = number[np.concatenate([worst, random.choice(rest, quota // 2, replace=False)])]
        return self.problem.violation(up, low), np.sort(number)

    @staticmethod
    def _nothing_left(report: tasks.SolveReport, chosen: IndexArray) -> bool:
        """Whether another round would solve the same again."""
        return not len(chosen) and not (report.n_held and report.n_changed)

    def _stop(self, report: tasks.SolveReport, violation: float, chosen: IndexArray, certified: bool) -> str:
        """Why the loop ends; empty: it goes on."""
        if certified and violation < self.problem.tol:
            return "converged"
        if report.stop_reason == "max_iter" or len(self.rounds) >= self.settings.max_rounds:
            return "max_iter"
        if certified and self._nothing_left(report, chosen) and self.problem.double:
            return "stagnated"
        return ""

    def _record(
        self,
        report: tasks.SolveReport,
        joined: int,
        objective: float,
        violation: float,
        findings: Sequence[looks.Finding],
        certified: bool,
        begin: float,
    ) -> None:
        self.rounds.append(
            Round(
                len(self.rounds) + 1,
                report.n_pool,
                report.n_held,
                joined or report.n_pool * (not self.rounds),
                report.n_support,
                report.n_changed,
                objective,
                violation,
                sum(f.n_violators for f in findings),
                self._solve_tol,
                certified,
                report.n_kernel_values + sum(f.n_kernel_values for f in findings),
                time.monotonic() - begin,
            )
        )


Round.__module__ = "dcsvm.dask"  # what users import from, and what pickles name
