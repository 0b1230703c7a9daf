"""Model files of every kind."""

from __future__ import annotations

import os

from . import _core, _validate
from ._low_rank import LowRankModel
from ._ls_svm import LsSvmModel
from ._model import Model

_HEAD = 64  # bytes that tell the kinds apart


def load_model(path: str | os.PathLike[str], *, n_features: int | None = None) -> Model | LowRankModel | LsSvmModel:
    """Reads a model that :meth:`Model.save`, :meth:`LowRankModel.save`, :meth:`LsSvmModel.save` or LIBSVM wrote.

    n_features : columns of the data to predict, for LIBSVM's files, which do not say (default: the largest index in them)

    Raises OSError when the file cannot be read, dcsvm.ModelError (a ValueError) when it is damaged.
    """
    columns = 0 if n_features is None else _validate.integer("n_features", n_features, low=1)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            head = file.read(_HEAD)
        if _core.is_low_rank_model(head):
            return LowRankModel(_core.load_low_rank_model(path))
        if _core.is_ls_svm_model(head):
            return LsSvmModel(_core.load_ls_svm_model(path))
    return Model(_core.load_model(path, columns))
