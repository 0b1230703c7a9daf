"""Rows of a partition: where tasks get them from, and those that travel between tasks."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._input import validate
from .._input.labels import as_targets, refuse_missing
from .._input.validate import FloatArray, IndexArray


@dataclass(frozen=True)
class Part:
    """A partition as the user gave it, checked: X (n, d) dense or scipy CSR, y (n,) or None, weight (n,) or None."""

    X: Any
    y: npt.NDArray[Any] | None
    weight: FloatArray | None

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    def take(self, index: npt.NDArray[Any]) -> Part:
        y, weight = self.y, self.weight
        return Part(self.X[index], None if y is None else y[index], None if weight is None else weight[index])


@dataclass(frozen=True)
class Rows:
    """Some rows of the whole data, with what a solver needs of them.

    number : (m,) row numbers in the whole data
    target : (m,) float64: class number, or regression target; zeros for one_class
    upper : (m,) upper bounds of alpha
    beta : (n_pairs, m) signed coefficients: y alpha, alpha - alpha*, or alpha
    """

    X: Any
    number: IndexArray
    target: FloatArray
    upper: FloatArray
    beta: FloatArray

    @property
    def n(self) -> int:
        return len(self.number)

    def take(self, index: npt.NDArray[Any]) -> Rows:
        return Rows(self.X[index], self.number[index], self.target[index], self.upper[index], self.beta[:, index])

    def support(self) -> npt.NDArray[np.bool_]:
        """Which rows have a coefficient other than 0."""
        return np.asarray((self.beta != 0).any(axis=0))


def stacked(parts: Sequence[Rows]) -> Rows:
    """All rows, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    return Rows(
        stack_data([p.X for p in parts]),
        np.concatenate([p.number for p in parts]),
        np.concatenate([p.target for p in parts]),
        np.concatenate([p.upper for p in parts]),
        np.concatenate([p.beta for p in parts], axis=1),
    )


def is_sparse(X: Any) -> bool:
    return hasattr(X, "indptr")


def stack_data(blocks: Sequence[Any]) -> Any:
    """Dense or CSR blocks under each other; CSR when one of them is."""
    if not any(is_sparse(b) for b in blocks):
        return np.concatenate(blocks)
    import scipy.sparse as sp

    return sp.vstack([sp.csr_matrix(b) for b in blocks], format="csr")


def checked_part(X: Any, y: Any, weight: Any, what: str) -> Part:
    """One partition as the user gave it, checked. ValueError for shapes, types and values that cannot be trained on.

    X : array, DataFrame or scipy sparse (n, d), also of 0 rows
    y : (n,) labels or targets, or None; weight : (n,) numbers or None
    what : "labels", "targets" or "nothing": what y is
    """
    data = _data(X)
    n = data.shape[0]
    answers = None if what == "nothing" else checked_answers(y, n, what, " of the partition")
    return Part(data, answers, None if weight is None else checked_weights(weight, n, " of the partition"))


def checked_answers(y: Any, n: int, what: str, of: str = "") -> npt.NDArray[Any]:
    """Labels or targets of n rows. of: what the rows in errors are counted in"""
    values = _vector("y", y, n)
    if what == "labels":
        return _labels(values)
    targets = as_targets("y", values, n)
    _finite("y", targets, of)
    return targets


def checked_weights(weight: Any, n: int, of: str = "") -> FloatArray:
    weights = validate.as_vector("sample_weight", _vector("sample_weight", weight, n), n)
    _finite("sample_weight", weights, of)
    return np.maximum(weights, 0.0)  # as in scikit-learn


def _data(X: Any) -> Any:
    if is_sparse(X) or hasattr(X, "tocsr"):
        import scipy.sparse as sp

        matrix = sp.csr_matrix(X)
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        return validate.canonical(matrix)
    values = validate.as_array("X", X)
    if values.ndim == 2 and values.shape[0] == 0:
        return values.astype(np.float64) if values.dtype not in (np.float32, np.float64) else values
    return validate.as_data("X", values)


def _vector(name: str, values: Any, n: int) -> npt.NDArray[Any]:
    vector = validate.as_array(name, values)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.shape != (n,):
        raise ValueError(f"{name} must have one entry for each of the {n} rows of X, got shape {vector.shape}")
    return vector


def _labels(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Labels in an array of objects as text or numbers, whichever they are."""
    if y.dtype.kind != "O":
        return y
    refuse_missing("y", y)
    text = [isinstance(label, str) for label in y]
    if all(text):
        return y.astype(str)
    if any(text) or not all(isinstance(label, (numbers.Real, np.bool_)) for label in y):
        raise ValueError("y must hold only numbers or only text as labels, got several kinds")
    return np.array(y.tolist())


def _finite(name: str, values: FloatArray, of: str) -> None:
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} has {values[row]} at row {row}{of}")
