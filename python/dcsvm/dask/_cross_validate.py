"""Cross-validation over a grid on a cluster: a task is one gamma with all folds and values of C."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt
from dask.delayed import delayed

from .._distributed.engine import Engine
from .._distributed.rows import Part, checked_part, stack_data
from .._input import validate
from .._input.choices import GammaRule, Unpack
from .._input.formulations import SIDES
from .._search.cross_validate import CrossValidation, checked, evaluated, folds_or_splits
from .._search.scorers import check_scoring
from .._shown.training_warnings import reach_tol
from .._shown.watching import ConvergenceWarning
from .._svm.options import TrainOptions
from ._data import client_of, is_lazy, parts_of
from ._engine import DaskEngine

_NOT_HERE = ("callback", "checkpoint", "checkpoint_interval")
_ADDED = ("n_fits", "n_unconverged", "n_iter", "n_kernel_values")
_LARGEST = ("violation", "peak_cache_bytes")


def cross_validate(
    X: Any,
    y: Any = None,
    *,
    client: Any = None,
    C: float | Sequence[float] | npt.NDArray[Any] = 1.0,
    gamma: float | GammaRule | Sequence[float] | npt.NDArray[Any] = "scale",
    cv: Any = 5,
    scoring: Any = None,
    sample_weight: Any = None,
    **parameters: Unpack[TrainOptions],
) -> CrossValidation:
    """:func:`dcsvm.cross_validate` with one task for each gamma: the same scores, from up to as many workers as there are gammas.

    Every worker that gets a task holds all rows, so the data must fit one.

    Parameters
    ----------
    X, y, sample_weight : arrays in memory, or collections as DaskSVC takes
        Numbers as labels. Collections are put together on a worker, not on the client.
    client : distributed.Client or None, default=None
        None: the current one.
    C, gamma, cv, scoring, **parameters
        As dcsvm.cross_validate takes. For collections cv must be a number of folds. There are no callback and no checkpoint.

    Returns
    -------
    CrossValidation
        ``seconds`` are summed over the tasks.

    Raises
    ------
    ValueError, TypeError, PartitionError, TaskError
        As dcsvm.cross_validate and DaskSVC.
    """
    for name in _NOT_HERE:
        if name in parameters:
            raise TypeError(f"cross_validate() takes no {name} on a cluster")
    formulation = parameters.get("formulation", "c_svc")
    what = "nothing" if formulation in SIDES and y is None else "targets"
    given = {**parameters, "random_state": validate.seed(parameters.get("random_state", 0))}
    _, _, numbers = checked(C, gamma, given)
    gammas: Sequence[Any] = numbers or [gamma]  # a rule is one
    check_scoring(scoring, formulation, has_y=y is not None)
    if is_lazy(X):
        folds: Any = validate.integer("cv", cv, low=2, also=" for a collection")
    else:
        folds = folds_or_splits(cv, X, y, X.shape[0] if hasattr(X, "shape") else len(X))
    engine: Engine = DaskEngine(client_of(client))
    try:
        data = _whole(engine, X, y, sample_weight, what)
        tasks = [engine.submit("folds", folds_of, data, C, g, folds, scoring, given) for g in gammas]
        found = engine.gather(tasks)
    finally:
        engine.cancel()
    result = merged(found)
    if result.n_unconverged:
        text = f"{result.n_unconverged} of {result.n_fits} models did not reach tol; {reach_tol(result.violation)}"
        warnings.warn(text, ConvergenceWarning, stacklevel=2)
    return result


def _whole(engine: Any, X: Any, y: Any, weight: Any, what: str) -> Any:
    """A handle of all rows as one Part."""
    if is_lazy(X):
        parts, _ = parts_of(X, y, weight, what)
    else:
        parts = [delayed(checked_part(X, y, weight, what), pure=False)]
    loaded = engine.load(parts)
    return engine.submit("stack", stack_parts, *loaded) if len(loaded) > 1 else loaded[0]


def stack_parts(*parts: Part, n_jobs: int) -> Part:
    used = [p for p in parts if p.n] or list(parts[:1])

    def joined(name: str) -> Any:
        return None if getattr(used[0], name) is None else np.concatenate([getattr(p, name) for p in used])

    return Part(stack_data([p.X for p in used]), joined("y"), joined("weight"))


def folds_of(
    data: Part, C: Any, gamma: Any, cv: Any, scoring: Any, parameters: dict[str, Any], *, n_jobs: int
) -> CrossValidation:
    own = {"cv": cv, "scoring": scoring, "sample_weight": data.weight}
    found, _ = evaluated(data.X, data.y, C, gamma, **own, **{**parameters, "n_jobs": n_jobs})  # the client warns once
    return found


def merged(found: Sequence[CrossValidation]) -> CrossValidation:
    """One result of those of single gammas, in their order."""
    scores = np.concatenate([one.scores for one in found])
    gamma = np.concatenate([one.gamma for one in found])
    C = found[0].C
    c, g = divmod(int(np.argmax(scores.mean(axis=2).T)), len(gamma))  # of equal scores the first in the order of C, then gamma
    seconds: dict[str, float] = {}
    for one in found:
        for phase, value in one.seconds.items():
            seconds[phase] = seconds.get(phase, 0.0) + value
    own: dict[str, Any] = {f.name: getattr(found[0], f.name) for f in fields(CrossValidation)}
    own.update({name: sum(getattr(one, name) for one in found) for name in _ADDED})
    own.update({name: max(getattr(one, name) for one in found) for name in _LARGEST})
    own.update(
        gamma=gamma,
        scores=scores,
        predictions=np.concatenate([one.predictions for one in found]),
        best_params={"C": float(C[c]), "gamma": float(gamma[g])},
        best_score=float(scores[g, c].mean()),
        seconds=seconds,
    )
    return CrossValidation(**own)


cross_validate.__module__ = "dcsvm.dask"  # what users import from, and what pickles name
