"""The callbacks of scikit-learn 1.9 (``sklearn.callback``), which every ``fit`` and ``partial_fit`` calls."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _core
from .._shown.watching import listening

F = TypeVar("F", bound=Callable[..., Any])


class _Steps:
    """Subtasks of a fit: each lasts from one report of a training's progress to the next."""

    def __init__(self, task: Any, given: dict[str, Any]) -> None:
        self._task = task
        self._given = given
        self._step: Any = None

    def __call__(self, progress: _core.Progress) -> bool:
        with listening(None):  # a callback may train too
            asked = self.end()
            if progress.phase != "done" and not asked:
                self._step = self._task.subcontext(task_name=progress.phase)
                self._step.call_on_fit_task_begin(**self._given)
        return asked

    def end(self) -> bool:
        """Ends the present step; whether a callback asked to stop."""
        step, self._step = self._step, None
        return step is not None and bool(step.call_on_fit_task_end(**self._given))


def with_callbacks(fit: F) -> F:
    """``fit`` as a task whose begin and end the callbacks of its estimator are told, and those of its steps."""
    signature = inspect.signature(fit)

    @functools.wraps(fit)
    def run(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        own = vars(estimator)
        if "_skl_callbacks" not in own and "_parent_callback_ctx" not in own:
            return fit(estimator, *args, **kwargs)
        arguments = signature.bind(estimator, *args, **kwargs).arguments
        weights = arguments.get("sample_weight")
        given = {
            "estimator": estimator,
            "X": arguments["X"],
            "y": arguments.get("y"),
            "metadata": None if weights is None else {"sample_weight": weights},
        }
        task = estimator._init_callback_context(task_name=fit.__name__, max_subtasks=None)
        task.call_on_fit_task_begin(**given)
        steps = _Steps(task, given)
        with listening(steps):
            fitted = fit(estimator, *args, **kwargs)
        steps.end()
        task.call_on_fit_task_end(**given, reconstruction_attributes={})
        return fitted

    done: Any = run
    return done  # type: ignore[no-any-return]
