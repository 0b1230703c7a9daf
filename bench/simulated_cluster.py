"""A cluster of a thousand workers in one process: tasks really run, their time and their transfers are modelled.

The model: one client; one scheduler, a serial server that needs some time for each task; workers with a clock, a number of cores
and a link. A task starts where it would start first, as Dask chooses: when its inputs have arrived and the worker is free. A
transfer costs latency + bytes / bandwidth, and its sender serves one at a time; a result that many workers need spreads from
those that have it already. Compute time is what the task took here, times `slowness`, divided among the cores that it may use.
Workers fail at random moments of the simulated time: what was kept there is lost, and what is still needed is computed again,
really, and compared bit by bit with the first result.
"""

from __future__ import annotations

import pickle
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dcsvm._distributed.engine import naming, reduce_by

# What Dask's scheduler believes when it chooses a worker: loads and times of tasks are not known more exactly than to a
# millisecond, and links carry 100 MB a second (its configuration's default).
_DASK_TIME_RESOLUTION = 1e-3  # seconds
_DASK_ASSUMED_BANDWIDTH = 1e8  # bytes a second


def size_of(value: Any) -> int:
    """Bytes of a result when it travels."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return len(body) + sum(b.raw().nbytes for b in buffers)


@dataclass(frozen=True)
class Network:
    """Links between simulated workers.

    Parameters
    ----------
    latency : float, default=1e-3
        Seconds of a transfer, whatever its size.
    bandwidth : float, default=1.25e9
        Bytes a second of one link.
    """

    latency: float = 1e-3
    bandwidth: float = 1.25e9


@dataclass(frozen=True)
class Failures:
    """How often simulated workers are lost.

    Parameters
    ----------
    mean_time : float
        Simulated seconds after which a worker is lost, on average.
    restart : float, default=5.0
        Simulated seconds after which a new one takes its place.
    seed : int, default=0
        Of the moments.
    """

    mean_time: float
    restart: float = 5.0
    seed: int = 0


@dataclass
class PhaseCost:
    """Of all tasks of one name."""

    tasks: int = 0
    compute: float = 0.0  #: seconds of all workers together
    waited: float = 0.0  #: simulated seconds by which these tasks moved the end
    bytes_moved: int = 0  #: between workers
    replayed: int = 0  #: runs after a loss


@dataclass(eq=False)
class SimulatedResult:
    name: str
    part: int | None
    function: Callable[..., Any]
    args: tuple[Any, ...]
    value: Any
    n_bytes: int
    cpu: float  #: seconds of one core
    ready: float = 0.0
    holders: dict[int, float] = field(default_factory=dict)  #: worker -> from when on it has the result
    serving: dict[int, float] = field(default_factory=dict)  #: worker -> until when its link is busy with this result


@dataclass
class SimulatedEngine:
    """engine.Engine on modelled workers."""

    workers: int = 1000
    cores: int = 8
    network: Network = field(default_factory=Network)
    failures: Failures | None = None
    scheduler_seconds: float = 3e-4  #: for each task
    slowness: float = 1.0  #: of a simulated core against this process

    phases: dict[str, PhaseCost] = field(default_factory=lambda: defaultdict(PhaseCost))
    now: float = 0.0  #: of the client
    scheduler_free: float = 0.0
    scheduler_busy: float = 0.0
    client_bytes: int = 0
    n_failures: int = 0

    def __post_init__(self) -> None:
        self._free = np.zeros(self.workers)
        self._bytes = np.zeros(self.workers)  # of the results that each keeps
        self._kept: list[set[SimulatedResult]] = [set() for _ in range(self.workers)]
        self._last = 0.0
        seed = 0 if self.failures is None else self.failures.seed
        self._random = np.random.default_rng(seed)
        self._next_failure = self._failure_after(0.0)

    # The engine

    def submit(self, name: str, function: Callable[..., Any], *args: Any, part: int | None = None) -> SimulatedResult:
        self._fail_until(self.now)
        result = SimulatedResult(name, part, function, args, None, 0, 0.0)
        result.value, result.cpu = self._run(result)
        result.n_bytes = size_of(result.value)
        self.phases[name].tasks += 1
        self._place(result)
        return result

    def gather(self, handles: Sequence[SimulatedResult]) -> list[Any]:
        last = max((h.ready for h in handles), default=self.now)
        n_bytes = sum(h.n_bytes for h in handles)
        self.client_bytes += n_bytes
        self.now = max(self.now, last) + self.network.latency + n_bytes / self.network.bandwidth
        self._fail_until(self.now)
        for handle in handles:
            if not handle.holders:
                self._replay(handle)
        return [h.value for h in handles]

    def send(self) -> None:
        pass

    def tree_reduce(self, name: str, function: Callable[..., Any], handles: Sequence[SimulatedResult], fan_in: int) -> Any:
        return reduce_by(self.submit, name, function, handles, fan_in)

    def cancel(self) -> None:
        pass

    def n_threads(self) -> int:
        return self.workers * self.cores

    # The model

    def _run(self, result: SimulatedResult) -> tuple[Any, float]:
        values = [a.value if isinstance(a, SimulatedResult) else a for a in result.args]
        begin = time.process_time()
        with naming(result.name, result.part):
            value = result.function(*values, n_jobs=1)
        return value, (time.process_time() - begin) * self.slowness

    def _place(self, result: SimulatedResult) -> None:
        """Chooses the worker and charges transfers and compute time."""
        self.scheduler_free = max(self.scheduler_free, self.now) + self.scheduler_seconds
        self.scheduler_busy += self.scheduler_seconds
        inputs = [a for a in result.args if isinstance(a, SimulatedResult)]
        for one in inputs:
            if not one.holders:
                self._replay(one)
        known = max([self.scheduler_free, *(i.ready for i in inputs)])
        worker = self._choose(inputs, known)
        arrived, moved = known, 0
        for one in inputs:
            arrived = max(arrived, self._arrival(one, worker, known))
            moved += one.n_bytes * (worker not in one.holders)
        for one in inputs:
            if worker not in one.holders:
                one.holders[worker] = arrived
                self._keep(one, worker)
        cores = self.cores if result.part is None else 1
        start = max(arrived, float(self._free[worker]))
        # Tasks of partitions share a worker's cores: the worker is free again after a core's share of its time.
        self._free[worker] = start + result.cpu / self.cores
        result.ready = start + result.cpu / cores
        result.holders = {worker: result.ready}
        self._keep(result, worker)
        cost = self.phases[result.name]
        cost.compute += result.cpu
        cost.bytes_moved += moved
        cost.waited += max(0.0, result.ready - max(self._last, self.now))
        self._last = max(self._last, result.ready)

    def _keep(self, result: SimulatedResult, worker: int) -> None:
        self._kept[worker].add(result)
        self._bytes[worker] += result.n_bytes

    def _choose(self, inputs: Sequence[SimulatedResult], known: float) -> int:
        """The worker where the task could start first; of equal ones that which keeps least, then the least number."""
        missing = np.full(self.workers, float(sum(i.n_bytes for i in inputs)))
        for one in inputs:
            for worker in one.holders:
                missing[worker] -= one.n_bytes
        start = np.maximum(known, self._free) + missing / _DASK_ASSUMED_BANDWIDTH
        first = np.flatnonzero(start <= start.min() + _DASK_TIME_RESOLUTION)
        return int(first[np.argmin(self._bytes[first])])

    def _arrival(self, one: SimulatedResult, worker: int, known: float) -> float:
        if worker in one.holders:
            return one.holders[worker]
        seconds = self.network.latency + one.n_bytes / self.network.bandwidth
        sender = min(one.holders, key=lambda w: (max(one.holders[w], one.serving.get(w, 0.0)), w))
        begin = max(known, one.holders[sender], one.serving.get(sender, 0.0))
        one.serving[sender] = begin + seconds
        return begin + seconds

    # Failures

    def _failure_after(self, moment: float) -> float:
        if self.failures is None:
            return np.inf
        return moment + float(self._random.exponential(self.failures.mean_time / self.workers))

    def _fail_until(self, moment: float) -> None:
        while self._next_failure < moment:
            worker = int(self._random.integers(self.workers))
            assert self.failures is not None
            self.n_failures += 1
            self._free[worker] = max(float(self._free[worker]), self._next_failure) + self.failures.restart
            for one in self._kept[worker]:
                one.holders.pop(worker, None)
                one.serving.pop(worker, None)
            self._kept[worker].clear()
            self._bytes[worker] = 0.0
            self._next_failure = self._failure_after(self._next_failure)

    def _replay(self, result: SimulatedResult) -> None:
        """Computes a lost result again, with what it needs, and checks that the task is a pure function."""
        value, result.cpu = self._run(result)
        if not same_bits(value, result.value):
            raise AssertionError(f"step '{result.name}' of partition {result.part} gave another result when it was run again")
        self.phases[result.name].replayed += 1
        self._place(result)


def same_bits(one: Any, two: Any) -> bool:
    """Whether two results are equal; models without their seconds."""
    if hasattr(one, "to_bytes") and not isinstance(one, (int, np.generic)):
        return bool(one.to_bytes(timings=False) == two.to_bytes(timings=False))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, two, equal_nan=one.dtype.kind == "f"))
    if hasattr(one, "indptr"):
        return all(np.array_equal(getattr(one, n), getattr(two, n)) for n in ("data", "indices", "indptr"))
    if hasattr(one, "__dataclass_fields__"):
        return all(same_bits(getattr(one, n), getattr(two, n)) for n in one.__dataclass_fields__)
    if isinstance(one, (tuple, list)):
        return len(one) == len(two) and all(same_bits(a, b) for a, b in zip(one, two, strict=True))
    return bool(one == two)
