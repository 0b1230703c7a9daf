"""Checks of what users pass in. Each error names the parameter, the value and what is allowed."""

from __future__ import annotations

import math
import numbers
import os
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .columns import column_name, feature_names, text_columns
from .suggestions import did_you_mean

FloatArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]

_MAX_INT = 2**31 - 1


class CsrMatrix(NamedTuple):
    """CSR arrays without scipy: row i holds ``data[indptr[i]:indptr[i + 1]]`` at columns ``indices[...]``.

    What :func:`dcsvm.load_svmlight` returns where scipy is not installed; every function that takes scipy's CSR takes it.

    Parameters
    ----------
    data : ndarray of shape (n_stored,)
        Values, float32 or float64.
    indices : ndarray of shape (n_stored,)
        Columns, int32 or int64.
    indptr : ndarray of shape (n + 1,)
        Where each row begins in both, and the end.
    shape : tuple of int
        Rows and columns.
    """

    data: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    indptr: npt.NDArray[Any]
    shape: tuple[int, int]

    @property
    def format(self) -> str:
        """ "csr", as scipy says it."""
        return "csr"

    def toarray(self) -> npt.NDArray[Any]:
        """The same matrix as a dense array.

        Returns
        -------
        ndarray of shape (n, n_features)
            With the dtype of ``data``.
        """
        out = np.zeros(self.shape, dtype=self.data.dtype)
        for begin, end in _pieces(self.shape[0], len(self.data)):
            first, last = self.indptr[begin], self.indptr[end]
            rows = np.repeat(np.arange(begin, end), np.diff(self.indptr[begin : end + 1]))
            out[rows, self.indices[first:last]] = self.data[first:last]
        return out


CsrMatrix.__module__ = "dcsvm"  # what users import from, and what pickles name


def scipy_csr(x: CsrMatrix) -> Any:
    """The same arrays as a scipy.sparse.csr_matrix, where scipy is installed."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return x
    return csr_matrix((x.data, x.indices, x.indptr), shape=x.shape, copy=False)


def _pieces(rows: int, values: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows of about two million values: Python sees Ctrl-C between numpy's calls only."""
    step = max(1, rows * 2**21 // max(values, 1))
    return ((begin, min(rows, begin + step)) for begin in range(0, rows, step))


def _converted(a: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    out = np.empty_like(a, dtype=dtype, subok=False)
    if a.ndim == 0:
        out[()] = a
        return out
    for begin, end in _pieces(a.shape[0], a.size):
        out[begin:end] = a[begin:end]
    return out


def unknown_parameters(function: str, unknown: Iterable[str], known: Iterable[str]) -> TypeError:
    """The error for parameter names that do not exist, with the nearest that does."""
    known = list(known)
    return TypeError(f"{function}() has no parameter {', '.join(repr(name) + did_you_mean(name, known) for name in unknown)}")


def read_only(values: FloatArray) -> FloatArray:
    """The same array, of which a copy decides: a change in place would change no prediction, so that it is an error."""
    values.flags.writeable = False
    return values


def shown(value: object) -> str:
    """A value for the text of an error: numpy's scalars as plain numbers and text."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def in_a_row(names: Iterable[str], word: str) -> str:
    """Names in words, `word` ("and", "or") before the last: "a", "a or b", "a, b or c"."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _is_bool(value: object) -> bool:
    return isinstance(value, (bool, np.bool_))


def real(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
    also: str = "",
) -> float:
    """A finite number within limits, which are excluded (above, below) or included (at_least, at_most)."""
    if type(value) is float or (not _is_bool(value) and isinstance(value, numbers.Real)):  # isinstance alone takes longer
        number = float(value)
        if math.isfinite(number) and above < number < below and at_least <= number <= at_most:
            return number
    limits = (("> ", above), (">= ", at_least), ("< ", below), ("<= ", at_most))
    limit = " and ".join(f"{sign}{bound:g}" for sign, bound in limits if math.isfinite(bound))
    raise ValueError(f"{name} must be a finite number{' ' * bool(limit)}{limit}{also}, got {shown(value)}")


def integer(name: str, value: object, *, low: int, high: int = _MAX_INT, also: str = "") -> int:
    """A whole number in [low, high]."""
    number = int(value) if not _is_bool(value) and isinstance(value, numbers.Integral) else None
    if number is not None and low <= number <= high:
        return number
    upper = f" and <= {high}" if high != _MAX_INT or (number is not None and number > high) else ""
    raise ValueError(f"{name} must be a whole number >= {low}{upper}{also}, got {shown(value)}")


def multiple(name: str, value: object) -> float:
    """A number > 0, or one as text with x behind, such as '12x'."""
    if isinstance(value, str):
        number = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*x?\s*", value)
        if number is None or float(number.group(1)) == 0:
            raise ValueError(f"{name} must be a number > 0 or a text such as '12x', got {value!r}")
        value = float(number.group(1))
    return real(name, value, above=0)


def listed(value: Any) -> list[Any]:
    """The values of a sequence, an array or an iterator; anything else as a list of one."""
    single = isinstance(value, (str, Mapping)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0
    return [value] if single else list(value)


def values_of(name: str, value: Any) -> list[float]:
    """Numbers > 0, one or several."""
    values = listed(value)
    if not values:
        raise ValueError(f"{name} must hold at least one number > 0, got an empty list")
    return [real(name if len(values) == 1 else f"{name}[{i}]", v, above=0) for i, v in enumerate(values)]


def callback(value: object) -> None:
    if value is not None and not callable(value):
        raise ValueError(f"callback must be callable or None, got {shown(value)}")


def boolean(name: str, value: object) -> bool:
    if _is_bool(value):
        return bool(value)
    raise ValueError(f"{name} must be True or False, got {shown(value)}")


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    allowed = list(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
    raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {shown(value)}{hint}")


def path(name: str, value: Any) -> str:
    """The name of a file or folder, given as str, bytes or os.PathLike."""
    try:
        found = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} must be a str, bytes or os.PathLike object, got {type(value).__name__}") from None
    if "\0" in found:
        raise ValueError(f"{name} contains a null character, which no path has: give the name of a file, not its content")
    return found


def threads(n_jobs: object) -> int:
    """scikit-learn's n_jobs -> the core's n_threads (0: the library's default)."""
    if n_jobs is None:
        return 0
    n = integer("n_jobs", n_jobs, low=-_MAX_INT, also=", not 0 (None: the default; -1: all cores)")
    if n == 0:
        raise ValueError("n_jobs must not be 0 (None: the default; -1: all cores; -2: all but one)")
    if n > 0:
        return n
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n)


def seed(random_state: object) -> int:
    """An int, None (a new seed each time), a numpy Generator or RandomState -> a seed."""
    if random_state is None:
        return int.from_bytes(os.urandom(8), "little")
    if not _is_bool(random_state) and isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.Generator):  # after the others: numpy.random is imported when it is first named
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(
        "random_state must be a whole number >= 0 and < 2**64, None, a numpy Generator or a RandomState, "
        f"got {shown(random_state)}"
    )


def class_weight(value: object) -> tuple[list[tuple[float, float]], bool]:
    """None, "balanced" or {label: factor} -> (pairs, balanced)."""
    if value is None:
        return [], False
    if isinstance(value, str) and value == "balanced":
        return [], True
    if not isinstance(value, Mapping):
        hint = did_you_mean(value, ("balanced",)) if isinstance(value, str) else ""
        raise ValueError(f"class_weight must be None, 'balanced' or a dict {{label: factor}}, got {shown(value)}{hint}")
    pairs = []
    for label, factor in value.items():
        if not isinstance(label, (numbers.Real, np.bool_)):
            raise ValueError(f"class_weight has the label {shown(label)}, but y holds numbers: give it as one of them")
        pairs.append((float(label), real(f"class_weight[{shown(label)}]", factor, at_least=0)))
    return pairs, False


def _is_sparse(x: object) -> bool:
    return hasattr(x, "indptr") or (hasattr(x, "tocsr") and hasattr(x, "format"))


def canonical(x: Any) -> Any:
    """CSR with ascending columns in each row, equal ones added up, and nothing behind the last row: the same object where that is
    so, else another one; the caller's never changes. A CsrMatrix says nothing of its columns, which the core checks.

    What is no matrix of numbers, such as one whose rows end behind its arrays, stays as it is: scipy would read past their ends,
    and others say what is wrong.
    """
    indptr, stored = np.asarray(x.indptr), min(len(x.indices), len(x.data))
    ends = indptr.shape == (x.shape[0] + 1,) and indptr[0] == 0 and indptr[-1] <= stored
    if not ends or not (indptr[1:] >= indptr[:-1]).all() or np.asarray(x.data).dtype.kind not in "fiub":
        return x
    is_scipys = hasattr(x, "has_canonical_format")
    if max(len(x.indices), len(x.data)) > indptr[-1]:  # scipy permits room behind the end
        arrays = (x.data[: indptr[-1]], x.indices[: indptr[-1]], x.indptr)
        x = type(x)(arrays, shape=x.shape) if is_scipys else CsrMatrix(*arrays, x.shape)
    if is_scipys and not x.has_canonical_format:
        x = x.astype(x.dtype if x.dtype in (np.float32, np.float64) else np.float64)  # a copy, in which sums do not overflow
        x.sum_duplicates()
    return x


def _as_csr(name: str, x: Any) -> CsrMatrix:
    if getattr(x, "format", "csr") != "csr":
        x = x.tocsr()
    if len(x.shape) != 2:
        raise ValueError(f"{name} must have 2 dimensions (rows, features), got shape {tuple(x.shape)}")
    x = canonical(x)
    data = _floats(name, np.asarray(x.data))
    indices, indptr = (
        np.ascontiguousarray(a if a.dtype in (np.int32, np.int64) and a.dtype.isnative else a.astype(np.int64))
        for a in (np.asarray(x.indices), np.asarray(x.indptr))
    )
    return CsrMatrix(np.ascontiguousarray(data), indices, indptr, (int(x.shape[0]), int(x.shape[1])))


def _floats(name: str, a: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """float32 and float64 as they are; other numbers as float64."""
    if a.dtype in (np.float32, np.float64) and a.dtype.isnative:
        return a
    if a.dtype.kind == "c":
        raise ValueError(f"{name} must be real, got complex numbers ({a.dtype})")
    if a.dtype.kind in "fiub":
        native = np.float32 if a.dtype.kind == "f" and a.dtype.itemsize == 4 else np.float64
        return _converted(a, native)
    if a.dtype.kind == "O":
        try:
            return _converted(a, np.float64)
        except (TypeError, ValueError) as e:
            raise ValueError(f"{name} must hold numbers, got an object array ({e})") from None
    raise ValueError(f"{name} must hold numbers, got dtype {a.dtype}")


def as_array(name: str, x: object) -> npt.NDArray[Any]:
    """numpy.asarray that refuses masked entries, which it would unmask."""
    ma = sys.modules.get("numpy.ma")
    if ma is not None and isinstance(x, ma.MaskedArray) and ma.is_masked(x):
        raise ValueError(f"{name} has masked entries; fill or drop them first")
    try:
        return np.asarray(x)
    except ValueError as e:
        raise ValueError(f"{name} cannot be made an array: {e}") from None


def as_data(name: str, x: Any) -> Any:
    """X as the core reads it: an array (float32 or float64, any strides) or CSR. Copies only what has another type."""
    data = _as_csr(name, x) if _is_sparse(x) else _as_dense(name, x)
    if 0 in data.shape:
        raise ValueError(f"{name} is empty: {data.shape[0]} rows, {data.shape[1]} columns")
    return data


def _as_dense(name: str, x: Any) -> npt.NDArray[Any]:
    a = as_array(name, x)
    if a.ndim != 2:
        if a.ndim == 0:
            found = "shape ()" if isinstance(x, np.ndarray) else type(x).__name__
            if isinstance(x, (str, os.PathLike)):
                found = f"the text {reprlib.repr(str(x))}; dcsvm.load_svmlight, pandas and numpy read files"
            raise ValueError(f"{name} must have 2 dimensions (rows, features), got {found}")
        if a.ndim == 1 and text_columns(x):
            raise ValueError(f"{name} must be numbers in 2 dimensions (rows, features){text_columns(x)}")
        hint = "; one sample is X.reshape(1, -1), one feature X.reshape(-1, 1)" if a.ndim == 1 else ""
        raise ValueError(f"{name} must have 2 dimensions (rows, features), got shape {a.shape}{hint}")
    try:
        a = _floats(name, a)
    except ValueError as error:
        raise ValueError(f"{error}{text_columns(x)}") from None
    _refuse_not_finite(name, a, x)
    repeated = a.shape[0] > 1 and a.strides[0] == 0  # numpy.broadcast_to: the core takes a stride of 0 for a forgotten one
    if not a.flags.aligned or repeated or any(s % a.itemsize for s in a.strides):
        a = _converted(a, a.dtype)
    return a


def _refuse_not_finite(name: str, a: npt.NDArray[Any], frame: Any) -> None:
    """ValueError with the column's name where `frame` is a data frame; for other data the core finds such values."""
    if feature_names(frame) is None or not a.size:
        return
    with np.errstate(all="ignore"):
        if np.isfinite(a.sum()):  # one pass without an array; a sum that overflows is looked at in full
            return
    for row, values in enumerate(a):
        for j in np.flatnonzero(~np.isfinite(values)):
            what, cure = ("NaN", ": fill or drop missing values first") if np.isnan(values[j]) else ("infinity", "")
            raise ValueError(f"{name} has {what} at row {row}, {column_name(feature_names(frame), int(j))}{cure}")


def as_matrix(name: str, x: object, shape: tuple[int, int], meaning: str) -> FloatArray:
    """Numbers of this shape as contiguous float64. meaning: of rows and columns, for the error."""
    if not _is_sparse(x) and np.ndim(as_array(name, x)) != 2:
        raise ValueError(f"{name} must have shape {shape} ({meaning}), got {np.shape(as_array(name, x))}")
    data = as_data(name, x)
    if not isinstance(data, np.ndarray):
        raise ValueError(f"{name} must be dense, got a sparse matrix")
    a = np.ascontiguousarray(data, dtype=np.float64)
    if a.shape != shape:
        raise ValueError(f"{name} must have shape {shape} ({meaning}), got {a.shape}")
    return a


def as_vector(name: str, values: object, n: int, of: str = "X") -> FloatArray:
    """n numbers as contiguous float64: a copy, so that what is checked is what is used, whatever another thread writes."""
    a = as_array(name, values)
    if a.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one entry for each row of {of}; got {a.shape}")
    return np.array(_floats(name, a), dtype=np.float64)


def as_alpha(value: object, n: int, problems: int) -> FloatArray | None:
    """warm_start_alpha: None, (n,) for one problem, or (problems, n). Feasibility is checked by the core."""
    if value is None:
        return None
    a = np.ascontiguousarray(_floats("warm_start_alpha", as_array("warm_start_alpha", value)), dtype=np.float64)
    allowed = [(n,), (1, n)] if problems == 1 else [(problems, n)]
    if a.shape not in allowed:
        raise ValueError(f"warm_start_alpha must have shape {in_a_row(map(str, allowed), 'or')}, got {a.shape}")
    if not np.isfinite(a).all():
        raise ValueError(f"warm_start_alpha must be finite, got {float(a[~np.isfinite(a)][0])!r}")
    return a.ravel()
