"""What users watch of a training: a callback, progress on stderr, and the warning of one that did not converge."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from .. import _core
from .._input import validate
from .training_warnings import users_line

Callback = Callable[[_core.Progress], Any]


_listener: ContextVar[Callback | None] = ContextVar("listener", default=None)


class ConvergenceWarning(UserWarning):
    """Training stopped before the violation fell below ``tol``; ``Model.report.stop_reason`` says why."""

    __module__ = "dcsvm"  # what users import from, and what pickles name


#: what to do about a limit of time
MORE_TIME = "raise max_seconds (of tune: budget), or take the model as it is: its report says how good"


def stopped(reason: str, after: str, where: str, advice: str = "", limit: str = "", who: str = "training") -> str:
    """What a training says that did not converge. where: "" if that is not known. limit: the one that it met."""
    if reason == "time_limit":
        limit, advice = "max_seconds", MORE_TIME
    met, at, then = f" ({limit})" * bool(limit), f" {where}" * bool(where), f": {advice}" * bool(advice)
    return f"{who} stopped with {reason!r}{met} after {after}{at}{then}"


def warn_stopped(reason: str, after: str, where: str, advice: str = "", limit: str = "") -> None:
    """Warns of a training that did not converge."""
    warnings.warn(stopped(reason, after, where, advice, limit), ConvergenceWarning, stacklevel=users_line())


def watching(tol: float, verbose: object, callback: Callback | None) -> contextlib.AbstractContextManager[Callback | None]:
    """What the core reports progress to."""
    validate.callback(callback)
    if (listener := _listener.get()) is not None:
        callback = _both(listener, callback)
    return _showing(tol, callback) if validate.boolean("verbose", verbose) else contextlib.nullcontext(callback)


@contextlib.contextmanager
def listening(listener: Callback | None) -> Iterator[None]:
    """Every training in this block reports to the listener too, which may stop it as a callback does; None: to none."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextlib.contextmanager
def _showing(tol: float, callback: Callback | None) -> Iterator[Callback | None]:
    from .progress import showing

    with showing(tol) as show:
        yield _both(show, callback)


def _both(first: Callback, second: Callback | None) -> Callback:
    def run(progress: _core.Progress) -> bool:
        asked = bool(first(progress))
        return (second is not None and bool(second(progress))) or asked

    return run
