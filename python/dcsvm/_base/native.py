"""The base class of the native models: files, pickling, and the properties that all of them have."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from . import validate
from .validate import FloatArray

CoreModel = TypeVar("CoreModel", bound="_core._AnyModel")
Own = TypeVar("Own", bound="NativeModel[Any]")


class NativeModel(Generic[CoreModel]):
    """A model of the core. Immutable; it pickles as the content of its file."""

    __slots__ = ("_core",)

    _core_type: ClassVar[Any]  #: the class of ``_core``
    _origin: ClassVar[str]  # where such a model comes from, for an error message

    def __init__(self, core: CoreModel) -> None:
        if not isinstance(core, self._core_type):
            raise TypeError(f"{self._origin}, dcsvm.load_model or {type(self).__name__}.from_bytes")
        self._core = core

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model; a crash leaves the old file or the new one, never half. OSError when it cannot be written."""
        self._core.save(path)

    def to_bytes(self) -> bytes:
        """The content of the file that :meth:`save` writes."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls: type[Own], data: bytes) -> Own:
        """The model that :meth:`to_bytes` gave. Raises dcsvm.ModelError for anything damaged."""
        return cls(cls._core_type.from_bytes(bytes(data)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def _of_rows(self, function: Callable[..., FloatArray], X: Any, n_jobs: int | None) -> FloatArray:
        """What a function of the core gives for the rows of X."""
        return function(self._core, validate.as_data("X", X), validate.threads(n_jobs))

    def _as_labels(self, values: FloatArray) -> npt.NDArray[Any]:
        """With the dtype of ``classes_``."""
        return values.astype(self.classes_.dtype, copy=False)

    def _some_classes(self) -> str:
        """The number of classes, and the first of them."""
        classes = self.classes_
        return f"{len(classes)} classes ({', '.join(map(str, classes[:6].tolist()))}{', ...' * (len(classes) > 6)})"

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Labels, ascending: int64 when all are whole numbers, else float64."""
        classes = self._core.classes
        whole = bool(np.all((classes == np.floor(classes)) & (np.abs(classes) <= 2**53)))
        return classes.astype(np.int64) if whole else classes

    @property
    def n_features_in_(self) -> int:
        return self._core.n_features

    @property
    def kernel(self) -> str:
        return self._core.kernel.type

    @property
    def gamma(self) -> float:
        return self._core.kernel.gamma

    @property
    def degree(self) -> int:
        return self._core.kernel.degree

    @property
    def coef0(self) -> float:
        return self._core.kernel.coef0
