"""What the whole training must know of each partition, and how these summaries are merged.

Means and sums of squared deviations are merged as in Chan, Golub, LeVeque (1983): the result does not depend on how the rows were
cut into partitions, up to the rounding of float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._input.kernels import scaled_gamma
from .._input.validate import FloatArray
from .rows import Part, is_sparse

_BLOCK = 2**20  # entries of X that are looked at together


@dataclass(frozen=True)
class Moments:
    """Weight, mean and sum of squared deviations of numbers."""

    weight: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def merged(self, other: Moments) -> Moments:
        total = self.weight + other.weight
        if total == 0:
            return self
        step = other.mean - self.mean
        return Moments(
            total,
            self.mean + step * other.weight / total,
            self.squares + other.squares + step * step * self.weight * other.weight / total,
        )

    @property
    def variance(self) -> float:
        return self.squares / self.weight if self.weight > 0 else 0.0


@dataclass(frozen=True)
class Summary:
    """Of one partition, or of several."""

    n: int
    n_features: int
    dtype: str  #: of X
    sparse: bool
    entries: Moments  #: of all entries of X
    weighted: Moments  #: the same with each row counted as often as its weight says
    whole_weights: bool  #: all weights are whole numbers
    least_weight: float
    most_weight: float
    weight: float  #: sum of the weights
    labels: npt.NDArray[Any]  #: ascending
    label_rows: FloatArray  #: rows of each label
    label_weight: FloatArray  #: sum of weights of each label
    n_bytes: int  #: of X

    def merged(self, other: Summary) -> Summary:
        """ValueError when the partitions do not fit together."""
        if self.n == 0 or other.n == 0:
            return other if self.n == 0 else self
        for name in ("n_features", "dtype", "sparse"):
            one, two = getattr(self, name), getattr(other, name)
            if one != two:
                raise ValueError(
                    f"partitions differ in {name}: {one} and {two}; all must have the same columns, type and storage"
                )
        if (self.labels.dtype.kind in "SU") != (other.labels.dtype.kind in "SU"):
            raise ValueError("partitions differ in y: some hold text labels, others numbers")
        labels, place = np.unique(np.concatenate([self.labels, other.labels]), return_inverse=True)
        rows, weight = (
            np.bincount(place.ravel(), np.concatenate(both), len(labels)).astype(np.float64)
            for both in ([self.label_rows, other.label_rows], [self.label_weight, other.label_weight])
        )
        return Summary(
            self.n + other.n,
            self.n_features,
            self.dtype,
            self.sparse,
            self.entries.merged(other.entries),
            self.weighted.merged(other.weighted),
            self.whole_weights and other.whole_weights,
            min(self.least_weight, other.least_weight),
            max(self.most_weight, other.most_weight),
            self.weight + other.weight,
            labels,
            rows,
            weight,
            self.n_bytes + other.n_bytes,
        )

    def gamma(self, gamma: float | str, kernel: str) -> float:
        """The number that a rule stands for: SVC's. Whole weights that differ count as repetitions of rows."""
        if gamma == "auto":
            return 1.0 / self.n_features
        if gamma != "scale":
            return float(gamma)
        repeated = self.whole_weights and self.least_weight != self.most_weight
        variance = (self.weighted if repeated else self.entries).variance
        return scaled_gamma(kernel, 1.0 / (self.n_features * variance), self.n_features) if variance > 0 else 1.0


@np.errstate(over="ignore", invalid="ignore")  # sums that overflow are refused where all partitions are known
def summarise(part: Part, *, n_jobs: int) -> Summary:
    """ValueError naming row and column of an entry of X that is not finite."""
    weight = np.ones(part.n) if part.weight is None else part.weight
    labels, place = (np.zeros(0), np.zeros(0, dtype=np.intp)) if part.y is None else _labels(part.y)
    entries = _moments(part.X, np.ones(part.n))
    return Summary(
        part.n,
        int(part.X.shape[1]),
        str(part.X.dtype),
        is_sparse(part.X),
        entries,
        entries if part.weight is None else _moments(part.X, weight),
        bool((weight == np.floor(weight)).all()),
        float(weight.min(initial=np.inf)),
        float(weight.max(initial=0.0)),
        float(weight.sum()),
        labels,
        np.bincount(place, minlength=len(labels)).astype(np.float64),
        np.bincount(place, weight if part.y is not None else None, len(labels)).astype(np.float64),
        int(part.X.data.nbytes),
    )


def _labels(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    if y.dtype.kind == "f" and y.size and not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y)))
        raise ValueError(f"y has {y[row]} at row {row} of the partition")
    values, place = np.unique(y, return_inverse=True)
    return values, place.ravel()


@np.errstate(over="ignore", invalid="ignore")
def _moments(X: Any, weight: FloatArray) -> Moments:
    n, d = X.shape
    total = Moments()
    step = max(1, _BLOCK // max(d, 1))
    for begin in range(0, n, step):
        rows, w = X[begin : begin + step], weight[begin : begin + step]
        values = (rows.toarray() if is_sparse(rows) else rows).astype(np.float64, copy=False)
        sums = values.sum(axis=1)
        if not np.isfinite(sums).all():
            _refuse(values, begin)
        mass = float(w.sum()) * d
        if mass > 0:
            mean = float(w @ sums) / mass
            total = total.merged(Moments(mass, mean, float(w @ ((values - mean) ** 2).sum(axis=1))))
    return total


def _refuse(values: FloatArray, begin: int) -> None:
    """Names the first entry that is not finite; a sum of finite entries may still be infinite."""
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise ValueError(f"X has {values[row, column]} at row {begin + row} of the partition, column {column}")
    raise ValueError(f"X has values so large that the sum of a row overflows, in rows {begin} to {begin + len(values)}")
