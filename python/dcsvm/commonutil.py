"""The module ``commonutil`` of LIBSVM's Python interface (libsvm 3.37): reading files, scaling, metrics."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._input.packed import unpacked

try:
    from scipy import sparse
except ImportError:  # only CSR matrices need it
    sparse = None

__all__ = ["svm_read_problem", "evaluations", "csr_find_scale_param", "csr_scale"]  # noqa: RUF022  as LIBSVM lists them


def svm_read_problem(data_source: Any, return_scipy: bool = False) -> tuple[Any, Any]:
    """Reads labels y and rows x from a file of "label index:value ..." lines.

    data_source : a path (of a name that ends in .gz, .bz2 or .xz: unpacked), or a text file that is open
    return_scipy : y as an array and x as a scipy csr_matrix, instead of a list and a list of dicts {index: value}
    """
    as_csr = return_scipy and sparse is not None
    if hasattr(data_source, "read"):
        return _parsed(data_source, as_csr)
    if not isinstance(data_source, (str, bytes, os.PathLike)):
        with open(data_source) as file:
            return _parsed(file, as_csr)
    with unpacked(os.fsdecode(data_source)) as path:
        loaded = _load(path)
        if loaded is not None:
            return _as_csr(*loaded) if as_csr else _as_dicts(*loaded)
        with open(path) as file:
            return _parsed(file, as_csr)


def _parsed(lines: Iterable[str], as_csr: bool) -> tuple[Any, Any]:
    y, x = _parse(lines)
    if not as_csr:
        return y, x
    lengths = [len(row) for row in x]
    indices = np.array([i for row in x for i in row], dtype=np.int64)
    return _as_csr(
        np.array([v for row in x for v in row.values()]),
        indices,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array(y),
    )


def _load(path: str | os.PathLike[str]) -> tuple[Any, ...] | None:
    """Values, indices as in the file, row ends and labels. None for a file that the fast reader refuses: LIBSVM's way of reading
    it may still succeed (indices that do not ascend), or fail with LIBSVM's message."""
    try:
        values, indices, indptr, _, y = _core.load_svmlight(path, 0, True, 0, True)
    except ValueError:
        return None
    return values, indices, indptr, y


def _as_dicts(values: Any, indices: Any, indptr: Any, y: Any) -> tuple[list[float], list[dict[int, float]]]:
    v, i, ends = values.tolist(), indices.tolist(), indptr.tolist()
    return y.tolist(), [dict(zip(i[a:b], v[a:b], strict=True)) for a, b in pairwise(ends)]


def _as_csr(values: Any, indices: Any, indptr: Any, y: Any) -> tuple[Any, Any]:
    if len(indices) and not np.any(indices == 0):
        indices = indices - 1
    kept = values != 0
    if not np.all(kept):
        indptr = np.concatenate([[0], np.cumsum(kept)])[indptr]
        values, indices = values[kept], indices[kept]
    columns = int(indices.max()) + 1 if len(indices) else 0
    return y, sparse.csr_matrix((values, indices, indptr), shape=(len(y), columns))


def _parse(lines: Iterable[str]) -> tuple[list[float], list[dict[int, float]]]:
    y, x = [], []
    for line in lines:
        parts = line.split(None, 1)
        if len(parts) == 1:
            parts.append("")
        label, features = parts
        y.append(float(label))
        row = {}
        for entry in features.split():
            index, value = entry.split(":")
            row[int(index)] = float(value)
        x.append(row)
    return y, x


def evaluations_scipy(ty: npt.NDArray[Any], pv: npt.NDArray[Any]) -> tuple[float, float, float]:
    """evaluations for arrays."""
    if not (isinstance(ty, np.ndarray) and isinstance(pv, np.ndarray)):
        raise TypeError("type of ty and pv must be ndarray")
    if len(ty) != len(pv):
        raise ValueError("len(ty) must be equal to len(pv)")
    n = len(ty)
    ACC = 100.0 * (ty == pv).mean()
    MSE = ((ty - pv) ** 2).mean()
    sum_v, sum_y, sum_vy, sum_vv, sum_yy = pv.sum(), ty.sum(), (pv * ty).sum(), (pv * pv).sum(), (ty * ty).sum()
    with np.errstate(all="raise"):
        try:
            SCC = (n * sum_vy - sum_v * sum_y) ** 2 / ((n * sum_vv - sum_v * sum_v) * (n * sum_yy - sum_y * sum_y))
        except (FloatingPointError, ZeroDivisionError):
            SCC = float("nan")
    return float(ACC), float(MSE), float(SCC)


def evaluations(ty: Any, pv: Any, useScipy: bool = True) -> tuple[float, float, float]:
    """Accuracy in %, mean squared error and squared correlation of predictions pv against true values ty."""
    if useScipy:
        return evaluations_scipy(np.asarray(ty), np.asarray(pv))
    if len(ty) != len(pv):
        raise ValueError("len(ty) must be equal to len(pv)")
    return _evaluations_plainly(ty, pv)


def _evaluations_plainly(ty: Sequence[float], pv: Sequence[float]) -> tuple[float, float, float]:
    n = len(ty)
    right = sum(1 for v, y in zip(pv, ty, strict=True) if y == v)
    error = sum((v - y) * (v - y) for v, y in zip(pv, ty, strict=True))
    sum_v, sum_y = sum(pv), sum(ty)
    sum_vv, sum_yy, sum_vy = sum(v * v for v in pv), sum(y * y for y in ty), sum(v * y for v, y in zip(pv, ty, strict=True))
    ACC = 100.0 * right / n
    MSE = error / n
    try:
        SCC = (n * sum_vy - sum_v * sum_y) ** 2 / ((n * sum_vv - sum_v * sum_v) * (n * sum_yy - sum_y * sum_y))
    except ZeroDivisionError:
        SCC = float("nan")
    return float(ACC), float(MSE), float(SCC)


def csr_find_scale_param(x: Any, lower: float = -1, upper: float = 1) -> dict[str, npt.NDArray[Any]]:
    """{'coef', 'offset'} such that column * coef + offset spans [lower, upper]; 0 for constant columns."""
    assert sparse is not None
    assert isinstance(x, sparse.csr_matrix)
    assert lower < upper
    low = x.min(axis=0).toarray().flatten()
    high = x.max(axis=0).toarray().flatten()
    coef = (high - low) / (upper - lower)
    coef[coef != 0] = 1.0 / coef[coef != 0]
    offset = -low * coef + lower
    offset[coef == 0] = 0
    if np.count_nonzero(offset) * x.shape[0] > 3 * x.getnnz():
        print(
            "WARNING: The #nonzeros of the scaled data is at least 2 times larger than the original one.\n"
            "If feature values are non-negative and sparse, set lower=0 rather than the default lower=-1.",
            file=sys.stderr,
        )
    return {"coef": coef, "offset": offset}


def _resized(v: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    return np.concatenate([v[:n], np.zeros(max(0, n - len(v)))])


def csr_scale(x: Any, scale_param: dict[str, npt.NDArray[Any]]) -> Any:
    """Applies what csr_find_scale_param found; columns that it did not see become 0."""
    assert sparse is not None
    assert isinstance(x, sparse.csr_matrix)
    offset, coef = scale_param["offset"], scale_param["coef"]
    assert len(coef) == len(offset)
    rows, n = x.shape
    if n != len(coef):
        print("WARNING: The dimension of scaling parameters and feature number do not match.", file=sys.stderr)
        coef, offset = _resized(coef, n), _resized(offset, n)
    shift = sparse.csr_matrix(offset.reshape(1, n))
    shift = sparse.vstack([shift] * rows, format="csr", dtype=x.dtype)
    scaled = x.dot(sparse.diags(coef, 0, shape=(n, n))) + shift
    if scaled.getnnz() > x.getnnz():
        print(
            f"WARNING: original #nonzeros {x.getnnz()}\n"
            f"       > new      #nonzeros {scaled.getnnz()}\n"
            "If feature values are non-negative and sparse, get scale_param by setting lower=0 rather than the default lower=-1.",
            file=sys.stderr,
        )
    return scaled
