"""What a model predicts from, read off its file (docs/model-format.md): arrays, the same way for every kind of model."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._input.kernels import KERNELS
from .._input.validate import FloatArray, IndexArray
from .frame import sections

Array = npt.NDArray[Any]


class Kernel(NamedTuple):
    type: str
    degree: int
    gamma: float
    coef0: float


class Points(NamedTuple):
    """Rows of a matrix, dense or CSR."""

    shape: tuple[int, int]
    values: Array
    indptr: Array | None = None
    indices: Array | None = None

    def rows(self, which: Any = slice(None)) -> FloatArray:
        """Some of them, dense."""
        if self.indptr is None or self.indices is None:
            return np.asarray(self.values.reshape(self.shape)[which], dtype=np.float64)
        chosen = np.arange(self.shape[0])[which]
        dense = np.zeros((len(chosen), self.shape[1]))
        for to, row in enumerate(chosen):
            stored = slice(self.indptr[row], self.indptr[row + 1])
            dense[to, self.indices[stored]] = self.values[stored]
        return dense

    def weighted(self, coef: FloatArray) -> FloatArray:
        """coef (p, rows) times the rows, (p, columns)."""
        if self.indptr is None or self.indices is None:
            return np.asarray(coef @ self.rows())
        row_of = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        columns = self.shape[1]
        return np.array([np.bincount(self.indices, c[row_of] * self.values, columns) for c in coef]).reshape(-1, columns)


class Fields:
    """The payload of a section, field after field."""

    def __init__(self, payload: memoryview) -> None:
        self._payload, self._at = payload, 0

    def number(self, code: str) -> Any:
        """One number, by its code in ``struct``."""
        form = struct.Struct("<" + code)
        (value,) = form.unpack_from(self._payload, self._at)
        self._at += form.size
        return value

    def array(self, dtype: str) -> Array:
        count = self.number("Q")
        values = np.frombuffer(self._payload, dtype=np.dtype(dtype).newbyteorder("<"), count=count, offset=self._at)
        self._at += values.nbytes
        return values

    def kernel(self) -> Kernel:
        return Kernel(list(KERNELS)[self.number("I")], self.number("i"), self.number("d"), self.number("d"))

    def points(self) -> Points:
        dtype, sparse = ("f4", "f8")[self.number("I")], self.number("I")
        shape = self.number("q"), self.number("q")
        values = self.array(dtype)
        return Points(shape, values, self.array("i8"), self.array("i8")) if sparse else Points(shape, values)


class ModelFile:
    """The sections of a model, by their tags."""

    def __init__(self, content: bytes) -> None:
        self._sections = {tag.decode(): payload for tag, payload in sections(memoryview(content))}

    def __contains__(self, tag: str) -> bool:
        return tag in self._sections

    def __getitem__(self, tag: str) -> Fields:
        return Fields(self._sections[tag])


def order_of_ties(file: ModelFile) -> IndexArray | None:
    """The classes in the order of LIBSVM's or LIBLINEAR's file; None for models from elsewhere."""
    return np.argsort(file["TIES"].array("i4")) if "TIES" in file else None


class Expansion(NamedTuple):
    """A sum over support vectors: of the whole model, or of a cluster."""

    first: int
    classes: Array
    n_support: Array
    rho: FloatArray


def expansions(file: ModelFile) -> list[Expansion]:
    fields = file["EXPN"]
    return [
        Expansion(fields.number("q"), fields.array("i4"), fields.array("i8"), fields.array("f8"))
        for _ in range(fields.number("Q"))
    ]


class Leaf(NamedTuple):
    """A leaf of DC-Pred++."""

    m: int
    p: int
    gamma: float
    landmarks: Array
    between: Array
    pairs: Array
    coef: Array
    intercept: Array


def leaves(file: ModelFile) -> list[Leaf]:
    fields = file["DPLF"]
    numbers, arrays = "qqf", ("f4", "f4", "i4", "f4", "f4")
    return [
        Leaf(*(fields.number(code) for code in numbers), *(fields.array(dtype) for dtype in arrays))
        for _ in range(fields.number("Q"))
    ]
