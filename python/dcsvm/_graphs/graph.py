"""A graph under construction: nodes and constants of one precision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

OPSET = 17  # of 2022: every runtime since reads it, and the operators used mean the same from 13 on
ML_OPSET = 3
LARGEST = 2**31 - 2**20  # bytes of a file, which is one protocol buffer
_SHARED = 256  # bytes up to which equal constants are kept once
_TYPES = {"f": TensorProto.FLOAT, "d": TensorProto.DOUBLE, "l": TensorProto.INT64, "?": TensorProto.BOOL}

Value = str | float | npt.NDArray[Any]  # a name in the graph, or a constant


class Graph:
    """Values are names. ``dtype`` is that of all floating-point numbers."""

    def __init__(self, dtype: str, model: str, unique: Callable[[str], str] | None = None, inside: Graph | None = None) -> None:
        counter = itertools.count()
        self.dtype = np.dtype(dtype)
        self.nodes: list[Any] = []
        self._model = model
        self._unique = unique or (lambda name: f"{name}_{next(counter)}")
        self.constants: list[Any] = [] if inside is None else inside.constants
        self._bytes: list[int] = [0] if inside is None else inside._bytes
        self._known: dict[Any, str] = {} if inside is None else inside._known

    def body(self) -> Graph:
        """The graph of a loop's body, which sees this one's values."""
        return Graph(self.dtype.str, self._model, self._unique, self)

    def reserve(self, n_values: int) -> None:
        """ValueError where so many more values would not fit a file."""
        if self._bytes[0] + n_values * self.dtype.itemsize > LARGEST:
            raise ValueError(
                f"the ONNX file of {self._model} would be larger than 2 GB, the most that the format holds: "
                "take dtype='float32', or a smaller model such as a low-rank or DC-Pred++ model"
            )

    def constant(self, values: Any) -> str:
        """Numbers, whole numbers (int64), truth values, or text."""
        a = np.asarray(values)
        a = a.astype(self.dtype) if a.dtype.kind == "f" else a.astype(np.int64) if a.dtype.kind in "iu" else a
        key = (a.dtype.str, a.shape, a.tobytes()) if a.nbytes <= _SHARED else None
        if key is not None and key in self._known:
            return self._known[key]
        self.reserve(-(-a.nbytes // self.dtype.itemsize))
        self._bytes[0] += a.nbytes
        return self.tensor(a.astype(object) if a.dtype.kind == "U" else a, key)

    def tensor(self, a: npt.NDArray[Any], key: Any = None) -> str:
        """A constant of exactly this dtype."""
        name = self._unique("constant")
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(a).reshape(a.shape), name))
        if key is not None:
            self._known[key] = name
        return name

    def node(self, operator: str, *inputs: Value, domain: str = "", outputs: Sequence[str] = (), **attributes: Any) -> str:
        """Adds an operator; its output, the first where there are several."""
        names = [v if isinstance(v, str) else self.constant(v) for v in inputs]
        results = list(outputs) or [self._unique(operator)]
        self.nodes.append(helper.make_node(operator, names, results, domain=domain, **attributes))
        return results[0]

    def new_name(self, kind: str) -> str:
        return self._unique(kind)

    def cast(self, value: str, kind: str) -> str:
        """To "float" (the graph's), "int64" or "bool"."""
        types = {"float": _TYPES[self.dtype.char], "int64": TensorProto.INT64, "bool": TensorProto.BOOL}
        return self.node("Cast", value, to=types[kind])

    def column(self, value: str, j: int) -> str:
        """(n, 1)."""
        return self.node("Gather", value, np.array([j]), axis=1)

    def flat(self, value: str) -> str:
        """(n, 1) as (n,)."""
        return self.node("Reshape", value, np.array([-1]))

    def as_columns(self, value: str) -> str:
        """(n,) as (n, 1)."""
        return self.node("Reshape", value, np.array([-1, 1]))

    def row_sums(self, value: str, columns: int) -> str:
        """(n, columns) to (n, 1), without ReduceSum, whose form differs between opsets."""
        return self.node("MatMul", value, np.ones((columns, 1)))

    def as_type(self, name: str, shape: Sequence[int | str | None], kind: str = "float") -> Any:
        """The description of an input or output."""
        elements = {"float": _TYPES[self.dtype.char], "int64": TensorProto.INT64, "double": TensorProto.DOUBLE}
        elements.update(bool=TensorProto.BOOL, text=TensorProto.STRING)
        return helper.make_tensor_value_info(name, elements[kind], list(shape))
