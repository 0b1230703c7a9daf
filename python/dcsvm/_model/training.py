"""The frame of every training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy.typing as npt

from .._input.columns import feature_names
from .._input.labels import in_words
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
    X: Any = None,
    classes: npt.NDArray[Any] | None = None,
) -> M:
    """The model that ``solve`` of the core gives: watched, with the user's names in its errors and in the model.

    solve : the core's function of what it reports progress to
    X : as it was given, where the model has names of features from it
    classes : the text of the labels, where y holds text
    """
    with watching(tol, verbose, callback) as watch, in_words(classes):
        return kind(solve(watch))._named(Names(classes, feature_names(X)))
