"""Where tune looks: gamma by the distances between rows, C from where all alphas are at the bound to where none is."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.formulations import CLASSIFIERS
from .._input.kernels import KERNELS
from .._input.parameters import fill
from .._input.rows import rows_at
from .._input.validate import FloatArray
from .._svm.model import Model
from .._svm.train import train

SAMPLE, CANDIDATES = 300, 3000  # rows that are measured; those among which their nearest neighbours are
STEP_C, STEP_GAMMA = 8.0, 4.0  # of the coarse grid: neighbouring values' ratio
_FLATTEST, _STEEPEST = 0.05, 4.0  # -log K of a typical pair of rows; of a row and its nearest neighbour
_WIDEST = 1e5  # largest C over smallest
_STEPS = 100  # of the solver, for each sampled row
_FEWEST, _MOST = 3, 8  # values of an axis
_NUS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
# What gamma multiplies. A kernel that is in neither has no range: its values are named. Of the core's traits none says it.
OF_PRODUCTS = ("poly", "sigmoid")  # x'z
OF_DISTANCES = ("rbf", "exponential", "matern32", "matern52", "laplacian", "chi2")  # those of sums: exp(-gamma sum)

_train: Callable[..., Model] = inspect.unwrap(train)  # without its warnings: this is a look at a sample


def lattice(low: float, high: float, step: float) -> list[float]:
    """Powers of ``step`` (a power of 2) from below ``low`` to above ``high``: equal values for similar data."""
    first, last = math.floor(math.log(low, step) + 1e-9), math.ceil(math.log(high, step) - 1e-9)
    while last - first + 1 < _FEWEST:
        first, last = first - 1, last + 1
    last = min(last, first + _MOST - 1)
    return [step**e for e in range(first, last + 1)]


def given_values(name: str, value: Any, step: float) -> list[float]:
    """The values of a parameter: those that are listed, or from a tuple (low, high) at most a factor ``step`` apart."""
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ValueError(f"{name}: a tuple is a range (low, high), got {value!r}; values that are tried stand in a list")
        low, high = (validate.real(f"{name}[{i}]", v, above=0) for i, v in enumerate(value))
        if not low < high:
            raise ValueError(f"{name}: a tuple is a range (low, high) with low < high, got {value!r}")
        return [float(v) for v in np.geomspace(low, high, max(_FEWEST, 1 + math.ceil(math.log(high / low, step) - 1e-9)))]
    return sorted(set(validate.values_of(name, value)))


def nu_values(formulation: str, labels: FloatArray) -> list[float]:
    """Of classifiers: up to the largest that the sizes of the classes allow."""
    if formulation not in CLASSIFIERS:
        return list(_NUS)
    counts = np.sort(np.unique(labels, return_counts=True)[1])
    largest = 2 * counts[0] / (counts[0] + counts[-1])
    return [nu for nu in _NUS if nu <= 0.95 * largest] or [0.5 * largest]


class Sample:
    """Rows that were drawn, and what distances and kernel values they have."""

    def __init__(self, data: Any, labels: FloatArray, order: npt.NDArray[Any], parameters: dict[str, Any]) -> None:
        self.rows = np.sort(order[:SAMPLE])
        self.labels = labels[self.rows]
        self.parameters = parameters
        self.kernel = parameters.get("kernel", "rbf")
        self.formulation = parameters.get("formulation", "c_svc")
        if self.kernel == "precomputed":
            self.data = np.asarray(data[np.ix_(self.rows, self.rows)], dtype=np.float64)
            return
        self.data = rows_at(data, self.rows)
        self.candidates = rows_at(data, np.concatenate([self.rows, order[SAMPLE:CANDIDATES]]))

    def _distances(self) -> FloatArray:
        """What gamma multiplies, between the sampled rows and the candidates: -log(K) / gamma of a K = exp(-gamma distance). That
        is the kernel itself where it is of sums over the features, and else rbf."""
        unit = KERNELS[self.kernel]["gamma_of"]
        widest = _widest(self.candidates, 1 if unit == "sum" else 2)
        gamma = 1 / widest if 0 < widest < math.inf else 1.0  # so that K is between 1 / e and 1
        K = self._kernel_values(self.candidates, kernel=self.kernel if unit == "sum" else "rbf", gamma=gamma)
        distances = np.maximum(-np.log(K) / gamma, 0)
        np.fill_diagonal(distances, 0)
        return np.asarray(np.sqrt(distances) if unit == "length" else distances)

    @np.errstate(over="ignore")  # infinite sizes are refused as 0 is
    def gammas(self) -> list[float]:
        """ValueError when all rows are equal, and for a kernel of which no range is known."""
        if self.kernel not in (*OF_PRODUCTS, *OF_DISTANCES):
            raise ValueError(f"gamma: no range is known of kernel={self.kernel!r}: name the values, as gamma=[0.1, 1]")
        if self.kernel in OF_PRODUCTS:
            typical = float(np.median(_sums(self.candidates, 2)))
            if not (0 < typical < math.inf):
                raise ValueError("gamma: at least half of the rows of X are 0: name the values, as gamma=[0.1, 1]")
            return lattice(1 / (16 * typical), 4 / typical, STEP_GAMMA)
        distances = self._distances()
        apart = np.where(distances > 1e-9 * distances.max(), distances, np.inf)
        if not (apart < np.inf).any():
            raise ValueError(
                f"X: all of {len(self.rows)} sampled rows are equal (every column is constant), so that distances give no range "
                "for gamma: check X, or name the values, as gamma=[0.1, 1]"
            )
        nearest = apart.min(axis=1)
        typical, near = float(np.median(apart[apart < np.inf])), float(np.median(nearest[nearest < np.inf]))
        return lattice(_FLATTEST / typical, max(_STEEPEST / near, 4 * _FLATTEST / typical), STEP_GAMMA)

    def costs(self, gamma: float | None) -> list[float]:
        """Values of C for one gamma: where all alphas are at the bound the classes' (or signs') mean kernel values decide, and
        from the largest alpha of a training without an effective bound on, C changes nothing."""
        K = self.data if self.kernel == "precomputed" else self._kernel_values(self.data, gamma=gamma or 1.0)
        low = self._lowest(K)
        if not (0 < low < math.inf):
            return lattice(2.0**-6, 2.0**12, STEP_C)
        most = _WIDEST * low
        limits = {"tol": 1e-2, "max_iter": _STEPS * len(self.rows), "probability": False, "solver": "smo", "early_level": None}
        given = {**self.parameters, **limits, "C": most, "gamma": gamma or 1.0, "class_weight": None, "random_state": 0}
        alpha = np.abs(np.asarray(_train(self.data, self.labels, **given).alpha))
        return lattice(low, max(float(alpha.max()), 8 * low), STEP_C)

    def _kernel_values(self, points: Any, **changed: Any) -> FloatArray:
        """Of the sampled rows and others."""
        names = ("kernel", "degree", "coef0", "n_jobs")
        given = {name: self.parameters[name] for name in names if name in self.parameters}
        own = {"n_jobs": None, "precision": "double", "random_state": 0}
        return np.asarray(_core.kernel_values(self.data, points, fill(_core.TrainParams(), {**own, **given, **changed})))

    def _lowest(self, K: FloatArray) -> float:
        """C below which (nearly) all alphas are at the bound."""
        if self.formulation in CLASSIFIERS:
            classes, codes = np.unique(self.labels, return_inverse=True)
            members = np.eye(len(classes))[codes]
            means = K @ members / members.sum(axis=0)
            own = means[np.arange(len(codes)), codes]
            means[np.arange(len(codes)), codes] = -np.inf
            reach = float(np.abs(own - means.max(axis=1)).max()) * float(members.sum(axis=0).min())
            return 1 / reach if reach > 0 else math.inf
        centred = self.labels - np.median(self.labels)
        pull = K @ np.sign(centred)
        reach = float(np.ptp(pull))
        return 2 * float(np.median(np.abs(centred))) / reach if reach > 0 else math.inf


def _sums(data: Any, power: int) -> FloatArray:
    """Of each row, sum |x|^power."""
    if isinstance(data, np.ndarray):
        return np.asarray((np.abs(data, dtype=np.float64) ** power).sum(axis=1))
    rows = np.repeat(np.arange(data.shape[0]), np.diff(data.indptr))
    return np.asarray(np.bincount(rows, np.abs(data.data, dtype=np.float64) ** power, data.shape[0]), dtype=np.float64)


def _widest(data: Any, power: int) -> float:
    """What sum |x - z|^power of no two rows exceeds: by the columns' ranges, of sparse data by the longest row."""
    if isinstance(data, np.ndarray):
        return float((np.ptp(data, axis=0).astype(np.float64) ** power).sum())
    return float(2**power * _sums(data, power).max())
