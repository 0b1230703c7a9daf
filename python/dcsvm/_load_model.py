"""Model files of every kind."""

from __future__ import annotations

import os
import warnings
from typing import Any, get_args

from . import _core
from ._dc_pred.model import DCPredModel
from ._input import validate
from ._input.packed import unpacked
from ._ldkl.model import LDKLModel
from ._least_squares.ls_svm import LsSvmModel
from ._linear.model import LinearModel
from ._low_rank.model import LowRankModel
from ._model_file.frame import names_in_file
from ._svm.model import Model

AnyModel = Model | LowRankModel | DCPredModel | LsSvmModel | LinearModel | LDKLModel
_KINDS: tuple[Any, ...] = get_args(AnyModel)
_CLASSES: dict[type, Any] = {kind._core_type: kind for kind in _KINDS}
CLASS_OF: dict[str, Any] = {kind.__name__: kind for kind in _KINDS}


def load_model(path: str | os.PathLike[str], *, n_features: int | None = None) -> AnyModel:
    """Reads a model that LIBSVM or the ``save`` of one of our models wrote, and returns one of that kind.

    Parameters
    ----------
    path : str or os.PathLike[str]
        The file. One whose name ends in .gz, .bz2 or .xz is unpacked.
    n_features : int or None, default=None
        Columns of the data to predict, for LIBSVM's files, which do not say. None: the largest index in them.

    Returns
    -------
    Model, LowRankModel, DCPredModel, LDKLModel, LsSvmModel or LinearModel
        The kind that the file holds.

    Raises
    ------
    OSError
        When the file cannot be read.
    dcsvm.ModelError
        When it is damaged or of another version; a ValueError.

    Warns
    -----
    UserWarning
        When a text of LIBSVM's or LIBLINEAR's ends without a line end, so that something may be missing, and when it has more
        text than its header says, which is left out.
    """
    path = validate.path("path", path)
    columns = 0 if n_features is None else validate.integer("n_features", n_features, low=1)
    with unpacked(path) as file:
        core, texts = _core.load_model(str(file), columns)
        names = names_in_file(file, len(core.classes), core.n_features)
    for text in texts:
        warnings.warn(text.replace(str(file), path), UserWarning, stacklevel=2)
    model: AnyModel = _CLASSES[type(core)](core)
    return model._named(names)
