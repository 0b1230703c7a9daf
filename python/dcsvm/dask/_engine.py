"""dcsvm's tasks on a Dask cluster.

Every step is an ordinary task whose dependencies are futures: Dask runs it again where a worker is lost, moves results between
workers itself, and nothing is pinned to an address. What Dask does not do is added here: a step that nobody seems to work on is
submitted once more under new keys, and then given up with an error that names it.
"""

from __future__ import annotations

import itertools
import time
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from dask.delayed import Delayed
from dask.sizeof import sizeof
from distributed import CancelledError, Client, KilledWorker, get_worker, wait

from .._distributed import early, looks, low_rank, newton, rows, tasks
from .._distributed.engine import PartitionError, TaskError, naming, reduce_by
from .._model.native import NativeModel
from .._svm.model import Model

_POLL = 5.0  # seconds between looks at the cluster while waiting
_SILENT = 40.0  # seconds without any sign of work after which a step is submitted again; twice this is the wait for an error
_LONGEST = 3600.0  # seconds without a result after which it is, even when its worker is alive
_PATIENCE = 10.0  # times the longest step so far, if that is more
_COPIES = 2  # of a partition at once in a worker: as it was read, and as an array
_USABLE = 0.6  # of the workers' memory, from where on Dask moves results to disk
_LOAD_RETRIES = 2  # more tries for tasks that load the partitions of the user


@dataclass(eq=False)
class Step:
    """A task: its future, and how to make it again. It knows the steps that it needs, also after their results were released."""

    name: str
    part: int | None
    function: Callable[..., Any] | None  #: None: `args` is one Delayed of the user's
    args: tuple[Any, ...]
    future: Any = None  #: None: not sent yet
    released: bool = False

    def release(self) -> None:
        self.released = True
        if self.future is not None:
            self.future.release()

    @property
    def status(self) -> str:
        return str(self.future.status) if self.future is not None and not self.released else "released"

    @property
    def pending(self) -> bool:
        """Also when a worker that held the result was lost: Dask then makes it again, and cancels what it cannot make again."""
        return self.status in ("pending", "lost")

    @property
    def failed(self) -> bool:
        return self.status in ("error", "cancelled")


class Handle:
    """What the caller holds of a step: the cluster keeps its result as long as this lives, and until the steps that need it were
    sent."""

    def __init__(self, step: Step, dropped: list[Step]) -> None:
        self.step, self._dropped = step, dropped

    def __del__(self) -> None:
        self._dropped.append(self.step)


@dataclass
class DaskEngine:
    """_distributed.engine.Engine on a Dask cluster."""

    client: Client
    silent_limit: float = _SILENT
    hard_limit: float = _LONGEST
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    handles: weakref.WeakSet[Handle] = field(default_factory=weakref.WeakSet)  # what the caller still holds
    n_submitted: int = 0
    n_repeated: int = 0  #: steps that were submitted again
    _unsent: list[Step] = field(default_factory=list)
    _dropped: list[Step] = field(default_factory=list)  # nobody holds them; released when the steps that need them were sent
    _count: Any = field(default_factory=itertools.count)
    _parts_at_once: int = 1
    _longest: float = 0.0
    _heard: dict[str, tuple[Any, float]] = field(default_factory=dict)  # a worker's last sign of life, and when it was seen here

    def load(self, parts: Sequence[Delayed]) -> list[Handle]:
        """Handles of the user's partitions, computed once and kept in the workers' memory."""
        futures = self.client.compute(list(parts), retries=_LOAD_RETRIES)
        self._parts_at_once = max(1, -(-len(parts) // max(1, len(self.client.nthreads()))))
        self.n_submitted += len(parts)
        return [self._held(Step("load", p, None, (d,), f)) for p, (d, f) in enumerate(zip(parts, futures, strict=True))]

    def submit(self, name: str, function: Callable[..., Any], *args: Any, part: int | None = None) -> Handle:
        step = Step(name, part, function, tuple(a.step if isinstance(a, Handle) else a for a in args))
        self.n_submitted += 1
        self._unsent.append(step)
        return self._held(step)

    def _held(self, step: Step) -> Handle:
        handle = Handle(step, self._dropped)
        self.handles.add(handle)
        return handle

    def send(self) -> None:
        """Sends the steps that were submitted since the last time. All in one graph: a message for each costs the client and the
        scheduler some milliseconds, and Dask would not know their order."""
        steps, self._unsent = self._unsent, []
        keys = {id(step): f"dcsvm-{step.name}-{self.token}-{next(self._count):06}" for step in steps}
        graph = {}
        for step in steps:
            at_once = self._parts_at_once if step.part is not None else 1
            inputs = [keys.get(id(a), a.future) if isinstance(a, Step) else a for a in step.args]
            graph[keys[id(step)]] = (_run, step.function, step.name, step.part, at_once, *inputs)
        if graph:
            futures = self.client.get(graph, list(graph), sync=False, fifo_timeout="0s")  # after the graphs before
            for step, future in zip(steps, futures, strict=True):
                step.future = future
        while self._dropped:
            self._dropped.pop().release()

    def gather(self, handles: Sequence[Handle]) -> list[Any]:
        self.send()
        begin = time.monotonic()
        steps = [handle.step for handle in handles]
        revived: list[Step] = []
        for last_try in (False, True):
            trouble = self._trouble(steps)
            if trouble is None:
                break
            if last_try:
                raise trouble
            self._again(steps, set(), revived)
            self.send()
        self._longest = max(self._longest, time.monotonic() - begin)
        values: list[Any] = self.client.gather([step.future for step in steps])
        for step in revived:
            step.release()
        for value in values:
            if isinstance(value, PartitionError):
                raise value.with_traceback(None)
        return values

    def _trouble(self, steps: Sequence[Step]) -> TaskError | None:
        """Waits for the steps; what stands in the way and may pass when they are submitted again. Raises what will not pass."""
        pending = list(steps)
        begin = seen = advanced = time.monotonic()
        while pending:
            try:
                wait([step.future for step in pending], timeout=_POLL)
            except (TimeoutError, CancelledError):
                pass
            before = len(pending)
            pending = [step for step in pending if step.pending]
            for step in steps:
                if step.failed:
                    return _cause(step)
            now = time.monotonic()
            if len(pending) < before:
                seen = advanced = now
            elif self._at_work(now):
                seen = now
            if now - seen > self.silent_limit or now - advanced > max(self.hard_limit, _PATIENCE * self._longest):
                return self._overdue(pending, now - begin)
        return None

    def _at_work(self, now: float) -> bool:
        """Whether a worker that was heard of lately has tasks: any, because those that read the user's data have other names.
        Only changes of the workers' times count, because the scheduler's clock is another one."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        for address, worker in workers.items():
            if self._heard.get(address, (None, 0.0))[0] != worker["last_seen"]:
                self._heard[address] = (worker["last_seen"], now)
        processing = self.client.processing()
        return any(
            keys and address in workers and now - self._heard[address][1] < self.silent_limit / 2
            for address, keys in processing.items()
        )

    def _overdue(self, pending: Sequence[Step], seconds: float) -> TaskError:
        parts = [str(step.part) for step in pending if step.part is not None]
        where = f" of partition{'s' * (len(parts) > 1)} {', '.join(parts[:8])}{', ...' * (len(parts) > 8)}" if parts else ""
        return TaskError(
            f"no result of step '{pending[0].name}'{where} after {seconds:.0f} s; the cluster has "
            f"{len(self.client.nthreads())} workers. Check that workers are running and have memory left"
        )

    def _again(self, steps: Iterable[Step], renewed: set[int], revived: list[Step]) -> None:
        """Submits what is not finished once more, to be sent under new keys, with what it waits for. revived: steps whose
        results had been released, and are to be released again."""
        for step in steps:
            if id(step) in renewed or step.status == "finished":
                continue
            renewed.add(id(step))
            self.n_repeated += 1
            if step.released:
                revived.append(step)
            if step.function is None:
                if step.released or step.failed:
                    step.future = self.client.compute(step.args[0], retries=_LOAD_RETRIES)
            else:
                self._again([a for a in step.args if isinstance(a, Step)], renewed, revived)
                if step.future is not None:
                    step.future.release()
                self._unsent.append(step)
            step.released = False

    def check_memory(self, n_bytes: int, counts: Sequence[int]) -> None:
        """Compares the workers' memory with data of n_bytes in partitions of `counts` rows. ValueError when a partition is too
        large for a worker; a warning when all are too large for all workers together: Dask then moves them to disk."""
        limits = [w["memory_limit"] for w in self.client.scheduler_info(n_workers=-1)["workers"].values()]
        if not limits or not all(limits):
            return
        largest = n_bytes * max(counts) // max(sum(counts), 1)
        if largest * _COPIES > max(limits):
            raise ValueError(
                f"the largest partition has {max(counts):,} rows and {largest / 1e9:.2f} GB, but no worker has more memory than "
                f"{max(limits) / 1e9:.2f} GB, and needs {_COPIES} times a partition: use smaller partitions"
            )
        if n_bytes > _USABLE * sum(limits):
            warnings.warn(
                f"the partitions have {n_bytes / 1e9:.2f} GB, all workers together {sum(limits) / 1e9:.2f} GB of memory: Dask "
                "will move partitions to disk, which is slow. Add workers or memory",
                UserWarning,
                stacklevel=5,
            )

    def tree_reduce(self, name: str, function: Callable[..., Any], handles: Sequence[Handle], fan_in: int) -> Any:
        return reduce_by(self.submit, name, function, handles, fan_in)

    def cancel(self) -> None:
        # Tasks that nobody wants are dropped. (Client.cancel may stop the scheduler: it does not expect tasks that were dropped.)
        self._unsent.clear()
        for step in (*self._dropped, *(handle.step for handle in list(self.handles))):
            step.release()
        self._dropped.clear()
        self.handles.clear()

    def n_threads(self) -> int:
        return sum(self.client.nthreads().values())


def _size(value: Any) -> int:
    """What Dask should know of a result's size: from it it decides where tasks run and when a worker's memory is full."""
    return sum(int(sizeof(getattr(value, f.name))) for f in fields(value))


def _size_of_model(model: Any) -> int:
    """Without serialising a kernel's model, which takes as long as sending it."""
    if isinstance(model, Model):
        return len(model.support_) * 8 * (model.n_features_in_ + 4)
    return int(memoryview(model.to_bytes(timings=False)).nbytes)


for _kind in (
    *(rows.Part, rows.Rows, tasks.Solution, tasks.ForNextSolve, tasks.Change, looks.Look, looks.Finding),
    *(early.Route, early.Assigned, early.Cluster, low_rank.Features, newton.Sums),
):
    sizeof.register(_kind, _size)
sizeof.register(NativeModel, _size_of_model)


def _run(function: Callable[..., Any], name: str, part: int | None, at_once: int, *args: Any) -> Any:
    """A task on a worker. Threads: the worker's, shared with the tasks of other partitions that run beside it. (Dask sets
    OMP_NUM_THREADS=1 in every worker, so the library's default would be one.)

    What is wrong with a partition is a result, which later steps pass on to the client: of an error that is raised Dask writes a
    traceback into the worker's log, and runs the task again."""
    for one in args:
        if isinstance(one, PartitionError):
            return one
    threads = int(get_worker().state.nthreads)
    try:
        with naming(name, part):
            return function(*args, n_jobs=max(1, threads // min(threads, at_once)))
    except PartitionError as error:
        return error


def _cause(step: Step) -> TaskError:
    """Why a future failed; raises what another try would not change."""
    for dependency in step.args:
        if isinstance(dependency, Step) and dependency.failed:
            return _cause(dependency)
    where = f"step '{step.name}'" if step.part is None else f"partition {step.part}, step '{step.name}'"
    if step.status == "cancelled":
        return TaskError(
            f"{where}: its data was lost. Data that was sent with Client.scatter cannot be made again when a worker is lost: "
            "pass collections that read it from files"
        )
    error = step.future.exception()
    died = (KilledWorker, CancelledError) if step.function is None else (KilledWorker, CancelledError, OSError)
    if isinstance(error, died):
        trouble = TaskError(
            f"{where}: the workers that ran it died, or could not be reached. Often they were out of memory: use smaller "
            f"partitions or workers with more memory ({error})"
        )
        if step.function is None:  # Dask has tried this partition on several workers already
            raise trouble
        return trouble
    if isinstance(error, TaskError):
        raise error
    if step.function is None:
        raise TaskError(f"partition {step.part} could not be loaded: {type(error).__name__}: {error}") from error
    raise TaskError(f"{where}: {type(error).__name__}: {error}") from error
