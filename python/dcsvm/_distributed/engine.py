"""What a distributed training asks of the engine that runs its tasks.

A task is a pure function of its arguments, some of which are results of other tasks; it may be run again at any time, anywhere.
Results stay where they were made until they are gathered or another task needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol


class PartitionError(ValueError):
    """A partition cannot be used; the text names the partition and the cause."""


class TaskError(RuntimeError):
    """A step could not be done, after it was tried again; the text names the step, the partition and the cause."""


class Engine(Protocol):
    """Runs tasks. `name` is what a dashboard shows; `part` the partition's number, None for tasks of the whole."""

    def submit(self, name: str, function: Callable[..., Any], *args: Any, part: int | None = None) -> Any:
        """A handle of function(*args, n_jobs=...), whose args may be handles. Returns at once; the task may wait for `send`."""

    def send(self) -> None:
        """Starts what was submitted, before what will be submitted later. `gather` does so too."""

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """The results, in the order of the handles. PartitionError, TaskError."""

    def tree_reduce(self, name: str, function: Callable[..., Any], handles: Sequence[Any], fan_in: int) -> Any:
        """A handle of the results joined by function(*results), at most fan_in at a time, in the order of the handles."""

    def cancel(self) -> None:
        """Stops what is under way and forgets all results."""

    def n_threads(self) -> int:
        """Threads of all workers together."""


def reduce_by(submit: Callable[..., Any], name: str, function: Callable[..., Any], handles: Sequence[Any], fan_in: int) -> Any:
    """A tree of submits, level by level."""
    level = list(handles)
    while len(level) > 1:
        level = [
            submit(name, function, *level[i : i + fan_in]) if len(level[i : i + fan_in]) > 1 else level[i]
            for i in range(0, len(level), fan_in)
        ]
    return level[0]


def same(value: Any, *, n_jobs: int) -> Any:
    """A task whose result is what many others need: it is sent once, and workers pass it on."""
    return value


@contextmanager
def naming(name: str, part: int | None) -> Iterator[None]:
    """Errors of a task name its partition: ValueError and TypeError are the data's fault, MemoryError says what to do."""
    where = name if part is None else f"partition {part}"
    try:
        yield
    except (PartitionError, TaskError):
        raise
    except MemoryError as error:
        raise TaskError(
            f"{where}: out of memory in {name}: give the workers more memory, or make partitions smaller ({error})"
        ) from error
    except (ValueError, TypeError) as error:
        raise PartitionError(f"{where}: {error}") from error


for _public in (PartitionError, TaskError):  # what users import from, and what pickles name
    _public.__module__ = "dcsvm.dask"
