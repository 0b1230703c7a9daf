"""An engine that runs every task at once in this process."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dcsvm._distributed.engine import naming, reduce_by


@dataclass
class Result:
    """A handle."""

    value: Any


@dataclass
class LocalEngine:
    threads: int = 1
    names: list[str] = field(default_factory=list)  #: of the tasks that ran

    def submit(self, name: str, function: Callable[..., Any], *args: Any, part: int | None = None) -> Result:
        values = [a.value if isinstance(a, Result) else a for a in args]
        self.names.append(name)
        with naming(name, part):
            return Result(function(*values, n_jobs=self.threads))

    def gather(self, handles: Sequence[Result]) -> list[Any]:
        return [h.value for h in handles]

    def send(self) -> None:
        pass

    def tree_reduce(self, name: str, function: Callable[..., Any], handles: Sequence[Result], fan_in: int) -> Any:
        return reduce_by(self.submit, name, function, handles, fan_in)

    def cancel(self) -> None:
        pass

    def n_threads(self) -> int:
        return self.threads
