"""Rows of the Python interfaces of LIBSVM and LIBLINEAR: arrays, CSR matrices, lists and dicts become nodes or a matrix, all rows
at once."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, Structure, c_double, c_int, c_void_p
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

try:
    from scipy import sparse
except ImportError:  # then nobody has a CSR matrix
    sparse = None


def genFields(names: Sequence[str], types: Sequence[Any]) -> list[tuple[str, Any]]:
    return list(zip(names, types, strict=False))


class Node(Structure):
    """One feature of a row. A row is an array of nodes with ascending indices, closed by a node of index -1."""

    _names = ("index", "value")
    _types = (c_int, c_double)
    _fields_ = genFields(_names, _types)

    def __init__(self, index: int = -1, value: float = 0) -> None:
        self.index: int = index
        self.value: float = value

    def __str__(self) -> str:
        return f"{self.index}:{self.value:g}"


def view(array: Any, dtype: Any) -> npt.NDArray[Any]:
    """A ctypes array as a numpy array."""
    return np.frombuffer(array, dtype=dtype)


_WRONG_ROW = "xi should be a dictionary, list, tuple, 1-d numpy array, or tuple of (index, data)"
_Row = tuple[npt.NDArray[Any], npt.NDArray[Any]]


def _is_pair(xi: Any) -> bool:
    return isinstance(xi, tuple) and len(xi) == 2 and isinstance(xi[0], np.ndarray) and isinstance(xi[1], np.ndarray)


def _row_entries(xi: Any, is_kernel: bool) -> _Row:
    """Indices, ascending, and values of one row."""
    first = 0 if is_kernel else 1
    if _is_pair(xi):
        order = np.argsort(xi[0], kind="stable")
        return xi[0][order] + first, xi[1][order]
    if isinstance(xi, dict):
        keys = sorted(xi)
        indices, values = np.array(keys, dtype=np.int64 if not keys else None), np.array([xi[k] for k in keys], dtype=np.float64)
        if indices.dtype.kind not in "iu":
            raise TypeError(f"an index must be an integer, got {keys[0]!r}")
    elif isinstance(xi, (list, tuple)) or (isinstance(xi, np.ndarray) and xi.ndim == 1):
        values = np.array(xi, dtype=np.float64)
        indices = np.arange(first, first + len(values))
    else:
        raise TypeError(_WRONG_ROW)
    kept = slice(None) if is_kernel else values != 0
    return indices[kept], values[kept]


def node_array(xi: Any, feature_max: int | None, is_kernel: bool, node: type[Node], ends: int) -> tuple[Any, int]:
    """One row as an array of `node` with `ends` nodes of index -1 behind it, and its largest index. See gen_svm_nodearray."""
    if feature_max:
        assert isinstance(feature_max, int)
    indices, values = _row_entries(xi, is_kernel)
    if feature_max:
        kept = indices <= feature_max
        indices, values = indices[kept], values[kept]
    nodes = (node * (len(indices) + ends))()
    array = view(nodes, node)
    array["index"][:-ends] = indices
    array["value"][:-ends] = values
    array["index"][-ends:] = -1
    return nodes, int(indices[-1]) if len(indices) else 0


class Entries(NamedTuple):
    """All rows, one behind the other."""

    indices: npt.NDArray[Any]  # from 1; a precomputed kernel's from 0
    values: npt.NDArray[Any]
    lengths: npt.NDArray[Any]  # of the rows
    n: int  # the number of features as LIBSVM and LIBLINEAR count it


class Rows:
    """All rows in one array of nodes, each row with `ends` nodes of index -1 behind it: ``x`` is the C array of pointers to the
    rows."""

    def __init__(self, entries: Entries, node: type[Node], ends: int) -> None:
        indices, values, lengths, columns = entries
        self.n: int = columns
        rows = len(lengths)
        self.rowptr: npt.NDArray[np.int64] = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(lengths + ends, out=self.rowptr[1:])
        self.space: npt.NDArray[Any] = np.zeros(int(self.rowptr[-1]), dtype=node)
        is_entry = np.ones(len(self.space), dtype=bool)
        for end in range(1, ends + 1):
            is_entry[self.rowptr[1:] - end] = False
        self.space["index"][is_entry] = indices
        self.space["value"][is_entry] = values
        self.space["index"][~is_entry] = -1
        self.x: Any = (POINTER(node) * rows)()
        if rows:
            pointers = view(self.x, np.uintp)
            pointers[:] = self.rowptr[:-1] * np.dtype(node).itemsize + self.space.ctypes.data


def set_rows(problem: Any, converted: Rows) -> None:
    """Sets x_space and rowptr of a problem."""
    problem.x_space, problem.rowptr, problem._pointers = converted.space, converted.rowptr, converted.x


def _canonical(x: Any) -> Any:
    """The same CSR matrix with ascending columns in each row; no copy where they already ascend."""
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    return x


def csr_entries(x: Any, is_kernel: bool) -> Entries:
    x = _canonical(x)
    stored = int(x.indptr[-1])
    return Entries(x.indices[:stored] + (0 if is_kernel else 1), x.data[:stored], np.diff(x.indptr), x.shape[1])


def _dense_entries(x: npt.NDArray[Any], is_kernel: bool) -> Entries:
    rows, cols = x.shape
    if is_kernel:
        return Entries(np.tile(np.arange(cols), rows), x.ravel(), np.full(rows, cols), max(cols - 1, 0) if rows else 0)
    i, j = np.nonzero(x)
    return Entries(j + 1, x[i, j], np.bincount(i, minlength=rows), int(j.max()) + 1 if len(j) else 0)


def flat_numbers(values: Any) -> npt.NDArray[Any] | None:
    """The values as a 1-d array, or None where they are not all numbers."""
    try:
        array = np.array(list(values))
    except ValueError:
        return None
    if len(array) == 0:
        return np.empty(0)
    return array if array.ndim == 1 and array.dtype.kind in "iuf" else None


def _list_entries(x: Sequence[Any], is_kernel: bool) -> Entries | None:
    """Rows that are all dicts, all lists or all 1-d arrays, converted together; None for anything else."""
    kinds = set(map(type, x))
    lengths = np.fromiter(map(len, x), dtype=np.int64, count=len(x)) if kinds <= {dict, list, tuple, np.ndarray} else None
    if lengths is None or len(kinds) != 1 or (kinds == {tuple} and any(map(_is_pair, x))):
        return None
    row = np.repeat(np.arange(len(x)), lengths)
    starts = np.cumsum(lengths) - lengths
    if kinds == {dict}:
        indices = flat_numbers(chain.from_iterable(x))
        values = flat_numbers(chain.from_iterable(xi.values() for xi in x))
        if indices is None or values is None or (len(indices) and indices.dtype.kind == "f"):
            return None
        if len(indices) and np.any((np.diff(indices) <= 0) & (np.diff(row) == 0)):
            order = np.lexsort((indices, row))
            indices, values = indices[order], values[order]
    else:
        if kinds == {np.ndarray}:
            flat = flat_numbers(np.concatenate(x)) if all(xi.ndim == 1 for xi in x) else None
        else:
            flat = flat_numbers(chain.from_iterable(x))
        if flat is None:
            return None
        values = flat
        indices = np.arange(len(values)) - starts[row] + (0 if is_kernel else 1)
    if not is_kernel:
        kept = values != 0
        indices, values = indices[kept], values[kept]
        lengths = np.bincount(row[kept], minlength=len(x))
    return Entries(indices, values, lengths, max(int(indices.max()), 0) if len(indices) else 0)


def entries_of(x: Any, is_kernel: bool) -> Entries:
    """All rows of x, in any form that svm_problem takes."""
    if sparse is not None and isinstance(x, sparse.spmatrix):
        return csr_entries(x.tocsr(), is_kernel)
    if isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind in "biuf":
        return _dense_entries(x, is_kernel)
    if isinstance(x, (list, tuple)) and len(x) > 0:
        try:
            entries = _list_entries(x, is_kernel)
        except TypeError:  # a row without a length
            entries = None
        if entries is not None:
            return entries
    parts = [_row_entries(xi, is_kernel) for xi in x]
    lengths = np.array([len(p[0]) for p in parts], dtype=np.int64)
    n = max((int(p[0][-1]) for p in parts if len(p[0])), default=0)
    empty = np.empty(0)
    return Entries(
        np.concatenate([empty, *(p[0] for p in parts)]), np.concatenate([empty, *(p[1] for p in parts)]), lengths, max(n, 0)
    )


class Matrix(Structure):
    """struct dcsvm_matrix of c_call.h. It points into arrays and keeps them alive."""

    _fields_ = (("rows", c_int), ("cols", c_int), ("values", c_void_p), ("indices", c_void_p), ("indptr", c_void_p))

    def __init__(self, shape: tuple[int, int], values: Any, indices: Any = None, indptr: Any = None) -> None:
        self._kept = values, indices, indptr
        super().__init__(*shape, *(None if a is None else a.ctypes.data for a in self._kept))


def as_matrix(x: Any) -> Matrix | None:
    """A 2-d array or CSR matrix as it is; None for rows in another form."""
    if sparse is not None and isinstance(x, sparse.spmatrix):
        x = _canonical(x.tocsr())
        indices, indptr = np.ascontiguousarray(x.indices, np.int32), np.ascontiguousarray(x.indptr, np.int64)
        return Matrix(x.shape, np.ascontiguousarray(x.data, np.float64), indices, indptr)
    if isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind in "biuf":
        return Matrix(x.shape, np.ascontiguousarray(x, np.float64))
    return None


def is_matrix(x: Any) -> bool:
    return isinstance(x, np.ndarray) or (sparse is not None and isinstance(x, sparse.spmatrix))
