"""Training progress on stderr: tqdm's bar on a terminal where tqdm is installed, else plain lines."""

from __future__ import annotations

import importlib
import math
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from .._core import Progress

_SECONDS_BETWEEN_LINES = 5.0


def _phase(p: Progress) -> str:
    return f"level {p.level}" if p.phase == "level" else p.phase


def _describe(p: Progress) -> str:
    parts = [f"{_phase(p):<10}"]
    if p.total > 1:
        parts.append(f"{p.done}/{p.total}")
    if p.violation > 0:
        parts.append(f"violation {p.violation:.1e}")
    if p.n_iter > 0:
        parts.append(f"{p.n_iter:,} steps")
    if p.active > 0:
        parts.append(f"{p.active:,} active")
    return "  ".join(parts)


def _percentage(p: Progress, tol: float) -> int:
    """How much of a phase is done. A solve has no known end, but the violation falls about exponentially towards tol."""
    done = 0.0
    if p.total > 1:
        done = p.done / p.total
    elif p.violation > 0:
        done = 1 - math.log(max(p.violation / tol, 1.0)) / math.log(max(2.0 / tol, math.e))
    return round(100 * min(max(done, 0.0), 1.0))


class _Bar:
    def __init__(self, tqdm: Any, stream: TextIO, tol: float) -> None:
        columns, lines = shutil.get_terminal_size()
        # tqdm draws nothing on a terminal that does not say its size, so it is told.
        size = {"ncols": max(columns - 1, 10), "nrows": lines}
        layout = "{percentage:3.0f}%|{bar:24}| {elapsed}  {desc}"
        self._bar = tqdm(total=100, file=stream, leave=False, bar_format=layout, **size)
        self._tol = tol
        self._phase = ""

    def show(self, p: Progress) -> None:
        if _phase(p) != self._phase:
            self._phase, self._bar.n = _phase(p), 0
        self._bar.n = max(self._bar.n, _percentage(p, self._tol))
        self._bar.set_description_str(_describe(p))

    def close(self) -> None:
        self._bar.close()


class _Lines:
    """A line for each phase and every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._phase = ""
        self._last = 0.0

    def show(self, p: Progress) -> None:
        if _phase(p) != self._phase or p.seconds - self._last >= _SECONDS_BETWEEN_LINES:
            self._phase, self._last = _phase(p), p.seconds
            print(f"{p.seconds:8.1f} s  {_describe(p)}", file=self._stream, flush=True)

    def close(self) -> None:
        pass


@contextmanager
def showing(tol: float) -> Iterator[Callable[[Progress], None]]:
    """Gives a callback that shows progress on stderr."""
    view: _Bar | _Lines = _Lines(sys.stderr)
    if sys.stderr.isatty():
        try:
            view = _Bar(importlib.import_module("tqdm").tqdm, sys.stderr, tol)
        except ImportError:
            pass
    try:
        yield view.show
    finally:
        view.close()
