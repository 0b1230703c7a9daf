"""Files of fitted estimators: the native model's file, with the estimator's parameters in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from .._input import validate
from .._load_model import load_model

Own = TypeVar("Own", bound="SavedAsModel")


def _plain(value: Any) -> Any:
    """A value as JSON holds it; TypeError for others."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {"pairs": [[_plain(k), _plain(v)] for k, v in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} has no form in a file")


def _value(plain: Any) -> Any:
    return {k: _value(v) for k, v in plain["pairs"]} if isinstance(plain, dict) else plain


class SavedAsModel:
    """``save`` and ``load``. No code is run when a file is read, unlike a pickle's."""

    if TYPE_CHECKING:

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters by name."""
            ...

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted estimator: its native model with labels, names of features, and parameters.

        :func:`dcsvm.load_model` reads the native model from the same file. Callbacks are left out.

        Parameters
        ----------
        path : str or os.PathLike[str]
            The file, compressed when its name ends in .gz, .bz2 or .xz. A crash leaves the old file or the new one, never half.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For parameters that are functions or arrays: pickle the estimator then.
        OSError
            When the file cannot be written.
        """
        path = validate.path("path", path)
        check_is_fitted(self)
        parameters = {}
        for name, value in self.get_params(deep=False).items():
            try:
                parameters[name] = None if name == "callback" else _plain(value)
            except TypeError as error:
                raise ValueError(f"{name}: {error}; pickle the estimator instead") from None
        fitted = {}
        for name, value in vars(self).items():
            if name not in parameters:
                try:
                    fitted[name] = _plain(value)
                except TypeError:  # from the model
                    continue
        model: Any = self.model_
        kept = {"class": type(self).__name__, "parameters": parameters, "fitted": {**fitted, **self._fitted_values()}}
        model._named(model._names._replace(estimator=kept)).save(path)

    @classmethod
    def load(cls: type[Own], path: str | os.PathLike[str]) -> Own:
        """Reads what :meth:`save` of an estimator of this class wrote.

        Parameters
        ----------
        path : str or os.PathLike[str]
            The file. One whose name ends in .gz, .bz2 or .xz is unpacked.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        OSError
            When the file cannot be read.
        ValueError
            For a file that is damaged, or of something else.
        """
        model: Any = load_model(path)
        kept = model._names.estimator
        if kept is None or kept.get("class") != cls.__name__:
            name = None if kept is None else kept.get("class")
            found = "a model without an estimator" if name is None else f"the estimator {name}, which {name}.load reads"
            expected = f"{os.fsdecode(path)}: expected the estimator {cls.__name__}"
            raise ValueError(f"{expected}, found {found}; dcsvm.load_model reads the native model")
        try:
            estimator = cls(**{name: _value(value) for name, value in kept["parameters"].items()})
            estimator._restore(model, {name: _value(value) for name, value in kept["fitted"].items()})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{os.fsdecode(path)}: damaged, or of another version of dcsvm: {error}") from None
        return estimator

    def _fitted_values(self) -> dict[str, Any]:
        """More of the fit than simple attributes, in JSON's form."""
        return {}

    def _restore(self, model: Any, fitted: dict[str, Any]) -> None:
        """Sets the fitted attributes."""
        vars(self).update(fitted)
        if model._names.features is not None:
            self.feature_names_in_: npt.NDArray[Any] = model.feature_names_in_
        if len(model.classes_):
            self.classes_: npt.NDArray[Any] = model.classes_
        self._take(model)

    def _take(self, model: Any) -> None:
        self.model_: Any = model
