"""What a distributed training reports."""

from __future__ import annotations

from dataclasses import dataclass

from .._shown.docstrings import with_attributes
from .._shown.report import Facts
from .newton import Pass
from .outer_loop import Round

_TASKS = {
    "n_tasks": "Tasks that were submitted.",
    "n_repeated": "Of those, submitted again.",
    "seconds": "Seconds of the training, as the client saw them.",
}


def _of_data(n_rows: int, n_partitions: int) -> list[tuple[str, str]]:
    return [("rows", f"{n_rows:,} in {n_partitions:,} partition{'s' * (n_partitions != 1)}")]


def _of_tasks(n_tasks: int, n_repeated: int, seconds: float) -> list[tuple[str, str]]:
    repeated = f" ({n_repeated:,} submitted again)" if n_repeated else ""
    return [("tasks", f"{n_tasks:,}{repeated}"), ("seconds", f"{seconds:.2f}")]


@with_attributes(
    objective="LIBSVM's dual objective, in double precision; early models: the sum of the clusters'.",
    violation="Largest KKT violation over all rows of all partitions, in double precision; early models: within clusters.",
    stop_reason='"converged", "max_iter" (``max_iter`` or ``max_rounds`` was reached), "cancelled" (by the callback) '
    'or "stagnated" (double precision is not enough for ``tol``).',
    n_rows="Rows of all partitions.",
    n_partitions="Partitions that have rows.",
    n_support="Support vectors.",
    n_pool="Rows of the pool in the end: those that were solved together, unless ``max_pool_rows`` is less.",
    n_sent="Rows that left their partition.",
    precision='Of kernel values, "single" or "double", as used.',
    rounds="What each round did.",
    n_clusters="Clusters of an early model.",
    **_TASKS,
)
@dataclass(frozen=True, repr=False)
class DistributedReport(Facts):
    """The report of a training on several machines.

    Attributes
    ----------
    objective : float
        LIBSVM's dual objective, in double precision; early models: the sum of the clusters'.
    violation : float
        Largest KKT violation over all rows of all partitions, in double precision; early models: within clusters.
    stop_reason : str
        "converged", "max_iter" (``max_iter`` or ``max_rounds`` was reached), "cancelled" (by the callback) or
        "stagnated" (double precision is not enough for ``tol``).
    n_rows : int
        Rows of all partitions.
    n_partitions : int
        Partitions that have rows.
    n_support : int
        Support vectors.
    n_pool : int
        Rows of the pool in the end: those that were solved together, unless ``max_pool_rows`` is less.
    n_sent : int
        Rows that left their partition.
    gamma : float
        Of the kernel, as used.
    precision : str
        Of kernel values, "single" or "double", as used.
    rounds : list[Round]
        What each round did.
    n_clusters : int
        Clusters of an early model.
    n_tasks : int
        Tasks that were submitted.
    n_repeated : int
        Of those, submitted again.
    seconds : float
        Seconds of the training, as the client saw them.
    """

    objective: float
    violation: float
    stop_reason: str
    n_rows: int
    n_partitions: int
    n_support: int
    n_pool: int
    n_sent: int
    gamma: float
    precision: str
    rounds: list[Round]
    n_clusters: int = 0
    n_tasks: int = 0
    n_repeated: int = 0
    seconds: float = 0.0

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("stop reason", self.stop_reason),
            ("objective", f"{self.objective + 0.0:.6g}"),
            ("violation", f"{self.violation:.2e}"),
            ("support vectors", f"{self.n_support:,}"),
            *[("clusters", f"{self.n_clusters:,}")] * bool(self.n_clusters),
            ("gamma", f"{self.gamma:.6g}"),
            ("precision", self.precision),
            *_of_data(self.n_rows, self.n_partitions),
            ("rows sent", f"{self.n_sent:,} ({self.n_pool:,} in the pool)"),
            ("rounds", f"{len(self.rounds):,}"),
            *_of_tasks(self.n_tasks, self.n_repeated, self.seconds),
        ]


_LINEAR = {
    "primal_objective": "1/2 |w|^2 + sum C_i loss_i; several classes: the sum over their problems.",
    "gap": "Duality gap as a share of it, which bounds how far the objective is above the optimum; for a bias that is not "
    "regularised its share is an estimate.",
    "stop_reason": '"converged" (``gap`` below ``tol``), "max_iter" or "cancelled" (by the callback).',
    "n_rows": "Rows of all partitions.",
    "n_partitions": "Partitions that have rows.",
    "C": "As used.",
    "passes": "What each pass over the data did.",
    **_TASKS,
}


@with_attributes(**_LINEAR)
@dataclass(frozen=True, repr=False)
class DistributedLinearReport(Facts):
    """The report of a training of a linear model on several machines.

    Attributes
    ----------
    primal_objective : float
        1/2 |w|^2 + sum C_i loss_i; several classes: the sum over their problems.
    gap : float
        Duality gap as a share of it, which bounds how far the objective is above the optimum; for a bias that is not
        regularised its share is an estimate.
    stop_reason : str
        "converged" (``gap`` below ``tol``), "max_iter" or "cancelled" (by the callback).
    n_rows : int
        Rows of all partitions.
    n_partitions : int
        Partitions that have rows.
    C : float
        As used.
    passes : list[Pass]
        What each pass over the data did.
    n_tasks : int
        Tasks that were submitted.
    n_repeated : int
        Of those, submitted again.
    seconds : float
        Seconds of the training, as the client saw them.
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

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("stop reason", self.stop_reason),
            ("objective", f"{self.primal_objective:.6g} (primal)"),
            ("gap", f"{self.gap:.2e} of it"),
            ("C", f"{self.C:.6g}"),
            *self._own_facts(),
            *_of_data(self.n_rows, self.n_partitions),
            ("passes", f"{len(self.passes):,}"),
            *_of_tasks(self.n_tasks, self.n_repeated, self.seconds),
        ]

    def _own_facts(self) -> list[tuple[str, str]]:
        return []


@with_attributes(
    objective="Of the dual problem, minimised.",
    n_landmarks="Landmarks that the map uses.",
    **_LINEAR,
)
@dataclass(frozen=True, repr=False)
class DistributedLowRankReport(DistributedLinearReport):
    """The report of a training of a low-rank model on several machines.

    Attributes
    ----------
    objective : float
        Of the dual problem, minimised.
    n_landmarks : int
        Landmarks that the map uses.
    gamma : float
        Of the kernel, as used.
    primal_objective : float
        1/2 |w|^2 + sum C_i loss_i; several classes: the sum over their problems.
    gap : float
        Duality gap as a share of it, which bounds how far the objective is above the optimum; for a bias that is not
        regularised its share is an estimate.
    stop_reason : str
        "converged" (``gap`` below ``tol``), "max_iter" or "cancelled" (by the callback).
    n_rows : int
        Rows of all partitions.
    n_partitions : int
        Partitions that have rows.
    C : float
        As used.
    passes : list[Pass]
        What each pass over the data did.
    n_tasks : int
        Tasks that were submitted.
    n_repeated : int
        Of those, submitted again.
    seconds : float
        Seconds of the training, as the client saw them.
    """

    objective: float
    n_landmarks: int
    gamma: float


for _public in (
    DistributedLinearReport,
    DistributedLowRankReport,
    DistributedReport,
):  # what users import from, and what pickles name
    _public.__module__ = "dcsvm.dask"
