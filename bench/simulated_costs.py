"""What a training costs on clusters and data that are not there: a simulated run, and its trace at other sizes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dcsvm._distributed import early, setup
from dcsvm._distributed.outer_loop import Outcome, OuterLoop, Round, Settings, first_tol
from dcsvm._distributed.rows import Part, checked_part

from .simulated_cluster import Failures, Network, PhaseCost, SimulatedEngine

#: Kernel values a second of one core, d about 50, measured on a core with AVX-512; and a solve's work in looks at its own pool.
CORE_VALUES = 6e8
_SOLVE = 1.5
_DOUBLE = 3.0  # cost of a kernel value in double precision


@dataclass(frozen=True)
class Simulation:
    """A simulated training. `str` gives a table.

    Attributes
    ----------
    outcome : object
        The solution, with ``objective``, ``violation``, ``stop_reason`` and ``report``.
    seconds : float
        Simulated, of the whole training.
    phases : dict
        By name of a step: tasks, compute (seconds of all workers together), waited (simulated seconds by which these tasks moved
        the end), bytes_moved and replayed (runs after a loss).
    n_workers, n_partitions, n_rows : int
        Sizes.
    n_tasks : int
        Tasks, those that were run again too.
    client_bytes : int
        Bytes that went to the client.
    scheduler_seconds : float
        Simulated seconds that the scheduler was busy.
    n_failures : int
        Workers lost.
    rounds : list of Round
        What each round did.
    """

    outcome: Outcome
    seconds: float
    phases: dict[str, PhaseCost]
    n_workers: int
    n_partitions: int
    n_rows: int
    n_tasks: int
    client_bytes: int
    scheduler_seconds: float
    n_failures: int

    @property
    def rounds(self) -> list[Round]:
        return self.outcome.rounds

    def __str__(self) -> str:
        head = (
            f"{self.n_rows:,} rows in {self.n_partitions:,} partitions on {self.n_workers:,} workers: "
            f"{self.outcome.stop_reason} after {len(self.rounds)} rounds, {self.seconds:.1f} simulated seconds\n"
            f"{self.n_tasks:,} tasks, scheduler busy {self.scheduler_seconds:.1f} s, "
            f"{self.client_bytes / 1e6:.2f} MB to the client, {self.n_failures} workers lost\n"
        )
        lines = [f"{'step':10} {'tasks':>8} {'again':>6} {'compute s':>10} {'waited s':>9} {'MB moved':>9}"]
        for name, cost in self.phases.items():
            moved = cost.bytes_moved / 1e6
            lines.append(f"{name:10} {cost.tasks:8,} {cost.replayed:6,} {cost.compute:10.2f} {cost.waited:9.2f} {moved:9.2f}")
        return head + "\n".join(lines)


def simulate(
    X: Any,
    y: Any,
    *,
    workers: int = 1000,
    cores: int = 8,
    partitions: int | None = None,
    network: Network | None = None,
    failures: Failures | None = None,
    slowness: float = 1.0,
    seed: int = 0,
    **params: Any,
) -> Simulation:
    """Trains DaskSVC's problem on modelled workers in this process: real rounds, rows and bytes, modelled time.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        Rows, cut into partitions of about equal size.
    y : array of shape (n,)
        Labels, numbers.
    workers : int, default=1000
        Workers of the cluster.
    cores : int, default=8
        Cores of each worker.
    partitions : int or None, default=None
        Partitions of the rows; None: one for each worker.
    network : Network or None, default=None
        Latency and bandwidth of the links; None: ``Network()``.
    failures : Failures or None, default=None
        How workers are lost; None: none is.
    slowness : float, default=1.0
        Seconds of a simulated core for one second of this process.
    seed : int, default=0
        Of the choices of rows.
    **params
        Of DaskSVC: C, kernel, gamma, degree, coef0, tol, fit_intercept, class_weight, cache_size.

    Returns
    -------
    Simulation
        The solution, and what it would have cost.

    Raises
    ------
    ValueError
        For bad data and bad values.
    TypeError
        For unknown parameters.
    """
    options = {**_DEFAULTS, **params}
    unknown = set(options) - set(_DEFAULTS)
    if unknown:
        raise TypeError(f"simulate() has no parameter {sorted(unknown)[0]!r}; there are {', '.join(_DEFAULTS)}")
    engine = SimulatedEngine(workers, cores, network or Network(), failures, slowness=slowness)
    n = X.shape[0]
    borders = np.linspace(0, n, (partitions or workers) + 1).astype(int)
    handles = [engine.submit("load", _loaded, X[a:b], y[a:b], part=p) for p, (a, b) in enumerate(itertools.pairwise(borders))]
    data = setup.described(engine, handles)
    class_weight = options.pop("class_weight")
    problem = setup.c_svc(data, options, class_weight)
    pool = early.start_from_clusters(engine, problem, data, first_tol(problem), seed)
    outcome = OuterLoop(engine, problem, data.parts, data.labels, data.first, Settings(seed=seed)).run(pool)
    n_tasks = sum(cost.tasks + cost.replayed for cost in engine.phases.values())
    return Simulation(
        outcome,
        engine.now,
        dict(engine.phases),
        workers,
        len(data.parts),
        n,
        n_tasks,
        engine.client_bytes,
        engine.scheduler_busy,
        engine.n_failures,
    )


_DEFAULTS: dict[str, Any] = {
    "C": 1.0,
    "kernel": "rbf",
    "degree": 3,
    "gamma": "scale",
    "coef0": 0.0,
    "fit_intercept": True,
    "tol": 1e-3,
    "cache_size": 200,
    "class_weight": None,
}


def _loaded(X: Any, y: Any, *, n_jobs: int) -> Part:
    return checked_part(X, y, None, "labels")


@dataclass(frozen=True)
class Cost:
    """Seconds of a training at another size, by what they are spent on.

    Attributes
    ----------
    n_rows, n_support, n_workers : int
        Sizes.
    look : float
        Every row times the rows that changed, and every row times the support vectors in double precision for the certificate,
        on all cores of all workers.
    broadcast : float
        Those rows to every worker, each passing them on to the next.
    tasks : float
        The scheduler, four tasks of a partition and round, one partition for each worker.
    solve : float
        1.5 times the pool's rows times the support vectors, on one worker, shared among rounds by what changed.
    total : float
        The sum of the four.
    """

    n_rows: int
    n_support: int
    n_workers: int
    look: float
    broadcast: float
    tasks: float
    solve: float

    @property
    def total(self) -> float:
        return self.look + self.broadcast + self.tasks + self.solve


def scaled_cost(
    rounds: Sequence[Round],
    n_rows: int,
    n_support: int,
    workers: int,
    *,
    n_features: int = 50,
    cores: int = 8,
    network: Network | None = None,
    core_values: float = CORE_VALUES,
    scheduler_seconds: float = 3e-4,
) -> Cost:
    """The cost of a training whose rounds are like those of a trace: the same number, the same shares of the support vectors.

    Parameters
    ----------
    rounds : sequence of Round
        The trace: ``rounds_`` of an estimator, or ``rounds`` of a :class:`Simulation`.
    n_rows, n_support, workers : int
        The other size: rows, support vectors and workers.
    n_features : int, default=50
        Columns, held as float32.
    cores : int, default=8
        Cores of each worker.
    network : Network or None, default=None
        Latency and bandwidth of the links; None: ``Network()``.
    core_values : float, default=6e8
        Kernel values a second of one core.
    scheduler_seconds : float, default=3e-4
        Seconds of the scheduler for one task.

    Returns
    -------
    Cost
        Seconds by what they are spent on.
    """
    network = network or Network()
    final = max(rounds[-1].n_support, 1)
    changed = np.array([r.n_changed for r in rounds]) / final * n_support
    pool = np.array([r.n_pool for r in rounds]) / final * n_support
    row_bytes = 4 * n_features + 16
    hops = max(1.0, np.log2(workers))
    return Cost(
        n_rows,
        n_support,
        workers,
        look=float((n_rows * changed.sum() + _DOUBLE * n_rows * n_support) / (workers * cores * core_values)),
        broadcast=float((changed * row_bytes / network.bandwidth + network.latency).sum() * hops),
        tasks=4 * scheduler_seconds * workers * len(rounds),
        solve=float(_SOLVE * (pool * n_support * changed / changed.sum()).sum() / (cores * core_values)),
    )
