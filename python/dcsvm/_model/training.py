"""The frame of every training."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.columns import feature_names
from .._input.labels import in_words
from .._input.parameters import DECLARED_AS, parameters_of
from .._model_file.frame import Names
from .._shown.watching import Callback, watching
from .native import NativeModel

M = TypeVar("M", bound=NativeModel[Any])


def trained(
    kind: Callable[[Any], M],
    solve: Callable[[Callback | None], Any],
    *,
    tol: float,
    verbose: object,
    callback: Callback | None,
    params: _core._AnyParams,
    X: Any = None,
    classes: npt.NDArray[Any] | None = None,
) -> M:
    """The model that ``solve`` of the core gives: watched, with the user's names in its errors and in the model.

    solve : the core's function of what it reports progress to
    params : what it trains with; the model keeps it
    X : as it was given, where the model has names of features from it
    classes : the text of the labels, where y holds text
    """
    with watching(tol, verbose, callback) as watch, in_words(classes):
        return kind(solve(watch))._named(Names(classes, feature_names(X), training=_how(params)))


_SHOWN_ANYWAY = ("kernel", "gamma", "formulation", "regression", "solver")  # of every model


def _how(params: _core._AnyParams) -> dict[str, Any]:
    """The training as its model remembers it: what can be written as JSON."""
    python_names = {core: name for name, core in DECLARED_AS.items()}
    parameters: dict[str, Any] = {}
    changed = []
    for name, declared in parameters_of(type(params)).items():
        if name in ("n_threads", "balanced", "keep_levels"):  # no model depends on threads
            continue
        value = getattr(params, name)
        if name == "gamma" and params.gamma_rule != "value":
            value = params.gamma_rule
        elif name == "class_weight":
            value = "balanced" if params.balanced else [list(pair) for pair in value] or None
        elif value == 0 and declared.zero is not None:
            value = None
        name = python_names.get(name, name)
        parameters[name] = value = np.asarray(value).tolist() if hasattr(value, "tolist") else value
        default = None if declared.zero is not None and declared.default == 0 else declared.default
        if name not in _SHOWN_ANYWAY and value not in (default, []) and not (name == "class_weight" and value is None):
            changed.append(name)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return {"version": _core.__version__, "date": date, "parameters": parameters, "changed": changed}
