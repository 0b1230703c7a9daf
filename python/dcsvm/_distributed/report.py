"""What a distributed training reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .newton import Pass
from .outer_loop import Round


@dataclass(frozen=True)
class DistributedReport:
    """What a training on several machines did.

    ``violation`` is the largest KKT violation over all rows of all partitions, computed in double precision when ``stop_reason``
    is "converged"; ``objective`` likewise. (Early models: within clusters, and the sum of theirs.) ``stop_reason``: "converged",
    "max_iter" (``max_iter`` or ``max_rounds`` was reached), "cancelled" (by the callback), "pool_limit" (``max_pool_rows`` cannot
    hold the support vectors) or "stagnated" (double precision is not enough for ``tol``).
    """

    objective: float
    violation: float
    stop_reason: str
    n_rows: int
    n_partitions: int  #: that have rows
    n_support: int
    n_pool: int  #: rows that were solved together in the end
    n_sent: int  #: rows that left their partition
    gamma: float
    precision: str
    rounds: list[Round]
    n_clusters: int = 0  #: of an early model
    n_tasks: int = 0
    n_repeated: int = 0  #: tasks that were submitted again
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class DistributedLinearReport:
    """What a training of a linear model on several machines did.

    ``primal_objective`` is 1/2 |w|^2 + sum C_i loss_i; several classes: the sum over their problems. ``gap``, the duality gap as
    a share of it, bounds how far the objective is above the optimum; for a bias that is not regularised its share is an estimate.
    ``stop_reason``: "converged" (``gap`` below ``tol``), "max_iter" or "cancelled".
    """

    primal_objective: float
    gap: float
    stop_reason: str
    n_rows: int
    n_partitions: int
    C: float
    passes: list[Pass]
    n_tasks: int
    n_repeated: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class DistributedLowRankReport(DistributedLinearReport):
    """What a training of a low-rank model on several machines did; ``objective`` is that of the dual problem, minimised."""

    objective: float
    n_landmarks: int
    gamma: float
