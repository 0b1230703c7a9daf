"""Model files of every kind."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._base import validate
from ._dc_pred.train import DCPredModel
from ._least_squares.ls_svm import LsSvmModel
from ._low_rank.model import LowRankModel
from ._svm.model import Model

_CLASSES: dict[type, Any] = {kind._core_type: kind for kind in (Model, LowRankModel, DCPredModel, LsSvmModel)}


def load_model(path: str | os.PathLike[str], *, n_features: int | None = None) -> Model | LowRankModel | DCPredModel | LsSvmModel:
    """Reads a model that LIBSVM or the ``save`` of one of our models wrote, and returns one of that kind.

    n_features : columns of the data to predict, for LIBSVM's files, which do not say (default: the largest index in them)

    Raises OSError when the file cannot be read, dcsvm.ModelError (a ValueError) when it is damaged.
    """
    core = _core.load_model(path, 0 if n_features is None else validate.integer("n_features", n_features, low=1))
    model: Model | LowRankModel | DCPredModel | LsSvmModel = _CLASSES[type(core)](core)
    return model
