"""Model files of every kind."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._base import validate as _validate
from ._dc_pred.train import DCPredModel
from ._least_squares.ls_svm import LsSvmModel
from ._low_rank.model import LowRankModel
from ._svm.model import Model

_HEAD = 64  # bytes that tell the kinds apart


def load_model(path: str | os.PathLike[str], *, n_features: int | None = None) -> Model | LowRankModel | DCPredModel | LsSvmModel:
    """Reads a model that LIBSVM or the ``save`` of one of our models wrote, and returns one of that kind.

    n_features : columns of the data to predict, for LIBSVM's files, which do not say (default: the largest index in them)

    Raises OSError when the file cannot be read, dcsvm.ModelError (a ValueError) when it is damaged.
    """
    columns = 0 if n_features is None else _validate.integer("n_features", n_features, low=1)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            head = file.read(_HEAD)
        for kind in (LowRankModel, DCPredModel, LsSvmModel):
            if kind._core_type.begins(head):
                core: Any = kind._core_type.load(path)
                return kind(core)
    return Model(_core.load_model(path, columns))
