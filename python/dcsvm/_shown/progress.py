"""Progress on stderr: tqdm's bar on a terminal, else plain lines. Both end with a line that stays.

In a notebook tqdm's widget, or plain lines without ipywidgets; what stays is on stdout, as notebooks show stderr in red.
"""

from __future__ import annotations

import importlib.util
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from .._core import Progress

_SECONDS_BETWEEN_LINES = 5.0


def _phase(p: Progress) -> str:
    return f"level {p.level}" if p.phase == "level" else p.phase


def _numbers(p: Progress) -> str:
    parts = []
    if p.total > 1:
        parts.append(f"{p.done}/{p.total}")
    if p.violation > 0:
        parts.append(f"violation {p.violation:.1e}")
    if p.n_iter > 0:
        parts.append(f"{p.n_iter:,} steps")
    if p.active > 0:
        parts.append(f"{p.active:,} active")
    if p.n_support > 0:
        parts.append(f"{p.n_support:,} support vectors")
    return "  ".join(parts)


def _line(p: Progress, phase: str) -> str:
    return f"{p.seconds:8.1f} s  {phase:<10}  {_numbers(p)}".rstrip()


def _percentage(p: Progress, tol: float) -> int:
    """How much of one solve is done. It has no known end, but the violation falls about exponentially towards tol."""
    if p.violation <= 0:
        return 0
    done = 1 - math.log(max(p.violation / tol, 1.0)) / math.log(max(2.0 / tol, math.e))
    return round(100 * min(max(done, 0.0), 1.0))


class _Bar:
    """A phase of several clusters, pairs or folds counts these and estimates the time that is left from them. A single solve
    shows a percentage of the way to tol, and no estimate."""

    _CELLS, _LEAST_CELLS = 24, 4
    _TEXT = 57  # columns of what stands around the bar, as far as the violation

    def __init__(self, tqdm: Any, size: dict[str, int], tol: float) -> None:
        # On a narrow terminal the bar gives way to the numbers, and then leaves.
        cells = min(self._CELLS, size.get("ncols", 1000) - self._TEXT)
        bar = f"|{{bar:{cells}}}|" if cells >= self._LEAST_CELLS else ""
        self._single = f"{{percentage:3.0f}}%{bar} {{elapsed}}  {{desc}}"
        self._counted = f"{{percentage:3.0f}}%{bar} {{elapsed}}<{{remaining}}  {{desc}}"
        self._phase_width = 10 if bar else 0
        self._bar = tqdm(total=100, file=sys.stderr, leave=False, bar_format=self._single, **size)
        self._tol = tol
        self._phase = ""

    def show(self, p: Progress) -> None:
        if _phase(p) != self._phase:
            self._phase = _phase(p)
            self._bar.bar_format = self._counted if p.total > 1 else self._single
            self._bar.reset(p.total if p.total > 1 else 100)
        self._bar.n = max(self._bar.n, p.done if p.total > 1 else _percentage(p, self._tol))
        self._bar.set_description_str(f"{self._phase:<{self._phase_width}}  {_numbers(p)}")

    def close(self) -> None:
        self._bar.close()


class _Lines:
    """A line for each phase and every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._phase = ""
        self._last = 0.0

    def show(self, p: Progress) -> None:
        if p.phase != "done" and (_phase(p) != self._phase or p.seconds - self._last >= _SECONDS_BETWEEN_LINES):
            self._phase, self._last = _phase(p), p.seconds
            print(_line(p, _phase(p)), file=self._stream, flush=True)

    def close(self) -> None:
        pass


def _in_notebook() -> bool:
    """Whether this is a Jupyter kernel, as tqdm.auto finds out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


def _view(tol: float, stream: TextIO) -> _Bar | _Lines:
    on_terminal = _is_terminal(sys.stderr)
    has_widget = _in_notebook() and importlib.util.find_spec("ipywidgets") is not None
    if not on_terminal and not has_widget:
        return _Lines(stream)
    from tqdm.auto import tqdm

    columns, lines = shutil.get_terminal_size()
    # tqdm draws nothing on a terminal that does not say its size, so it is told. In a notebook the widget knows its own.
    return _Bar(tqdm, {"ncols": max(columns - 1, 10), "nrows": lines} if on_terminal else {}, tol)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


@contextmanager
def showing(tol: float) -> Iterator[Callable[[Progress], None]]:
    """Gives a callback that shows progress. Where the call ends without an error, a last line says what it reached."""
    stream = sys.stdout if _in_notebook() else sys.stderr
    if stream is None:
        yield lambda p: None
        return
    view, start = _view(tol, stream), time.perf_counter()
    last: Progress | None = None

    def show(p: Progress) -> None:
        nonlocal last
        last = p
        view.show(p)

    try:
        yield show
    finally:
        view.close()
    if last is not None:
        ended = last.phase == "done"  # else the last numbers are those of a moment before the end
        line = _line(last, "done") if ended else f"{time.perf_counter() - start:8.1f} s  done"
        print(line, file=stream, flush=True)
