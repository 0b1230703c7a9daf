"""Training progress on stderr: a bar on a terminal (tqdm's where it is installed), plain lines elsewhere."""

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

_WIDTH = 24
_SECONDS_BETWEEN_LINES = 5.0


class _Fraction:
    """How much of a phase is done. A solve has no known end: the violation falls about exponentially towards tol."""

    def __init__(self, tol: float) -> None:
        self._tol = tol
        self._phase = ("", 0)
        self._done = 0.0

    def __call__(self, p: Progress) -> float:
        if (p.phase, p.level) != self._phase:
            self._phase, self._done = (p.phase, p.level), 0.0
        if p.total > 1:
            now = p.done / p.total
        elif p.violation > 0:
            now = 1 - math.log(max(p.violation / self._tol, 1.0)) / math.log(max(2.0 / self._tol, math.e))
        else:
            now = 0.0
        self._done = max(self._done, min(now, 1.0))
        return self._done


def _describe(p: Progress) -> str:
    where = f"level {p.level}" if p.phase == "level" else p.phase
    parts = [f"{where:<10}"]
    if p.total > 1:
        parts.append(f"{p.done}/{p.total}")
    if p.violation > 0:
        parts.append(f"violation {p.violation:.1e}")
    if p.n_iter > 0:
        parts.append(f"{p.n_iter:,} steps")
    if p.active > 0:
        parts.append(f"{p.active:,} active")
    return "  ".join(parts)


def _columns() -> int:
    """Of the terminal; of a usual one where it does not say."""
    return max(shutil.get_terminal_size().columns - 1, 10)


class _Bar:
    """One line, redrawn in place."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def draw(self, fraction: float, text: str, seconds: float) -> None:
        full = round(fraction * _WIDTH)
        line = f"[{'#' * full}{'.' * (_WIDTH - full)}] {seconds:6.1f} s  {text}"
        width = _columns()
        self._stream.write("\r" + line[:width].ljust(width))
        self._stream.flush()

    def close(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class _Tqdm:
    def __init__(self, stream: TextIO) -> None:
        tqdm: Any = importlib.import_module("tqdm").tqdm
        # tqdm draws nothing on a terminal that does not say its size, so it is told.
        size = {"ncols": _columns(), "nrows": shutil.get_terminal_size().lines}
        layout = "{percentage:3.0f}%|{bar:24}| {elapsed}  {desc}"
        self._bar = tqdm(total=100, file=stream, leave=False, bar_format=layout, **size)

    def draw(self, fraction: float, text: str, seconds: float) -> None:
        self._bar.n = round(100 * fraction)
        self._bar.set_description_str(text)

    def close(self) -> None:
        self._bar.close()


class _Lines:
    """A line for each phase and every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._phase = ""
        self._last = 0.0

    def draw(self, fraction: float, text: str, seconds: float) -> None:
        phase = text.split("  ")[0]
        if phase == self._phase and seconds - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._phase, self._last = phase, seconds
        print(f"{seconds:8.1f} s  {text}", file=self._stream, flush=True)

    def close(self) -> None:
        pass


@contextmanager
def showing(tol: float) -> Iterator[Callable[[Progress], None]]:
    """Gives a callback that shows progress on stderr."""
    view: _Bar | _Tqdm | _Lines
    if not sys.stderr.isatty():
        view = _Lines(sys.stderr)
    else:
        try:
            view = _Tqdm(sys.stderr)
        except ImportError:
            view = _Bar(sys.stderr)
    fraction = _Fraction(tol)
    try:
        yield lambda p: view.draw(fraction(p), _describe(p), p.seconds)
    finally:
        view.close()
