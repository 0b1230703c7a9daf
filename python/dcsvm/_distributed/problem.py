"""What is solved, the same on every machine: min 1/2 b'Kb - q(b) over lo <= b <= hi, for each pair of classes.

    c_svc        b = y alpha, one problem for each pair (i, j) of classes, y = 1 for class i
    epsilon_svr  b = alpha - alpha*, q(b) = t'b - epsilon |b|, one problem
    one_class    b = alpha, q = 0, sum b = nu sum w, one problem

A row's gradient has two one-sided values: `rise`, the rate at which the objective falls when its b grows (-infinity where it may
not), and `fall`, the rate at which it grows when b falls (+infinity where it may not). b is optimal to within tol when, with a
bias, the largest rise minus the least fall is below tol (Keerthi, Shevade, Bhattacharyya, Murthy 2001), and without a bias
neither rise nor -fall exceeds tol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.parameters import fill
from .._input.validate import FloatArray, IndexArray
from .rows import Part, Rows


@dataclass(frozen=True)
class Problem:
    """formulation : "c_svc", "epsilon_svr" or "one_class"
    options : arguments of dcsvm.train: kernel, gamma (a number), tol, cache_size, ...
    classes : labels, ascending; empty for the other formulations
    cost : upper bound of alpha for a row of weight 1: one for each class, or one
    """

    formulation: str
    options: dict[str, Any]
    cost: FloatArray
    classes: npt.NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    epsilon: float = 0.0
    nu: float = 0.5
    fit_intercept: bool = True
    tol: float = 1e-3
    double: bool = False  #: look at rows in double precision

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of classes in LIBSVM's order; [(0, 0)] for one problem without classes."""
        k = len(self.classes)
        return [(i, j) for i in range(k) for j in range(i + 1, k)] if k else [(0, 0)]

    @property
    def n_pairs(self) -> int:
        return len(self.pairs)

    @cached_property
    def pair_of(self) -> IndexArray:
        """(n_classes, n_classes - 1): the pairs in which a row of each class takes part, in order of the other class."""
        k = len(self.classes)
        if not k:
            return np.zeros((1, 1), dtype=np.int64)
        number = {pair: p for p, pair in enumerate(self.pairs)}
        return np.array([[number[min(c, o), max(c, o)] for o in range(k) if o != c] for c in range(k)])

    @cached_property
    def sign_of(self) -> FloatArray:
        """(n_classes, n_classes - 1): y of a row of each class in those pairs."""
        k = len(self.classes)
        return np.array([[1.0 if c < o else -1.0 for o in range(k) if o != c] for c in range(k)]) if k else np.ones((1, 1))

    def own_pairs(self, target: FloatArray) -> IndexArray:
        """(n, columns): the pairs in which each row takes part."""
        return self.pair_of[target.astype(np.intp) if len(self.classes) else np.zeros(len(target), dtype=np.intp)]

    @property
    def has_bias(self) -> bool:
        return self.fit_intercept or self.formulation == "one_class"

    def in_double(self) -> Problem:
        return replace(self, double=True, options={**self.options, "precision": "double"})

    def undivided(self) -> Problem:
        """With the solver that does not divide the rows, unless the user chose one."""
        return replace(self, options={**self.options, "solver": "smo"}) if self.options.get("solver") in (None, "auto") else self

    # Rows of a partition

    def rows_of(self, part: Part, first: int, index: npt.NDArray[Any] | None = None) -> Rows:
        """Rows of a partition whose first row has the number `first`, all or some, with coefficients 0."""
        index = np.arange(part.n) if index is None else index
        own = part.take(index)
        return Rows(own.X, first + index, self.targets(own), self.upper(own), np.zeros((self.n_pairs, len(index))))

    def targets(self, part: Part) -> FloatArray:
        if part.y is None:
            return np.zeros(part.n)
        if not len(self.classes):
            return np.asarray(part.y, dtype=np.float64)
        labels = part.y.astype(str) if part.y.dtype.kind == "O" else part.y
        return np.searchsorted(self.classes, labels).clip(max=len(self.classes) - 1).astype(np.float64)

    def upper(self, part: Part) -> FloatArray:
        """Upper bounds of alpha; 0 for rows that take no part: weight 0, or a class without weight."""
        cost = self.cost[self.targets(part).astype(np.intp)] if len(self.classes) else np.full(part.n, self.cost[0])
        if len(self.classes) and part.y is not None:
            labels = part.y.astype(str) if part.y.dtype.kind == "O" else part.y
            cost = np.where(np.isin(labels, self.classes), cost, 0.0)
        return cost if part.weight is None else cost * part.weight

    # Decisions and gradients

    def _core_params(self, double: bool, n_jobs: int) -> _core.TrainParams:
        names = ("kernel", "degree", "gamma", "coef0")
        given = {name: self.options[name] for name in names}
        return fill(
            _core.TrainParams(), {**given, "precision": "double" if double else "single", "random_state": 0, "n_jobs": n_jobs}
        )

    def values(self, X: Any, points: Any, n_jobs: int) -> FloatArray:
        """(n, n_points): K(X, points) in single precision."""
        return np.asarray(_core.kernel_values(X, points, self._core_params(False, n_jobs)))

    def sums(self, X: Any, target: FloatArray, points: Any, beta: FloatArray, double: bool, n_jobs: int) -> FloatArray:
        """(n, columns): K(X, points) beta for the pairs in which each row takes part, in the order of `pair_of`."""
        params = self._core_params(double, n_jobs)
        out = np.zeros((X.shape[0], self.pair_of.shape[1]))
        if not points.shape[0]:
            return out
        for own, index in self.by_class(target):
            rows = X if len(index) == len(target) else X[index]
            out[index] = _core.kernel_sums(rows, points, np.ascontiguousarray(beta[self.pair_of[own]]), params)
        return out

    def by_class(self, target: FloatArray) -> Iterator[tuple[int, IndexArray]]:
        """(class, rows) for each class that has rows; one group without classes. Two classes have one problem and one group."""
        if len(self.classes) <= 2:
            if len(target):
                yield 0, np.arange(len(target))
            return
        for own in range(len(self.classes)):
            index = np.flatnonzero(target == own)
            if len(index):
                yield own, index

    def rise_and_fall(
        self, target: FloatArray, upper: FloatArray, beta: FloatArray, sums: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Each (n, columns). beta, sums: (n, columns), of each row's own pairs."""
        bound = upper[:, None]
        if len(self.classes):
            sign = self.sign_of[target.astype(np.intp)]
            high, low, slope = np.where(sign > 0, bound, 0.0), np.where(sign > 0, 0.0, -bound), sign - sums
            rise, fall = slope, slope
        elif self.formulation == "epsilon_svr":
            high, low, slope = bound, -bound, target[:, None] - sums
            rise = slope - np.where(beta >= 0, self.epsilon, -self.epsilon)
            fall = slope - np.where(beta > 0, self.epsilon, -self.epsilon)
        else:
            high, low = bound, np.zeros_like(bound)
            rise = fall = -sums
        return np.where(beta < high, rise, -np.inf), np.where(beta > low, fall, np.inf)

    def objective(self, target: FloatArray, beta: FloatArray, sums: FloatArray) -> float:
        """The rows' part of the objective 1/2 b'Kb - q(b). beta, sums: (n, columns)."""
        if len(self.classes):
            gain = self.sign_of[target.astype(np.intp)] * beta
        elif self.formulation == "epsilon_svr":
            gain = target[:, None] * beta - self.epsilon * np.abs(beta)
        else:
            gain = np.zeros_like(beta)
        return float((0.5 * beta * sums - gain).sum())

    def excess(self, target: FloatArray, bias: FloatArray, rise: FloatArray, fall: FloatArray) -> FloatArray:
        """(n,): by how much each row violates the decision's bias, the worst of its pairs; below 0: not at all."""
        own = bias[self.own_pairs(target)]
        return np.asarray(np.maximum(rise - own, own - fall).max(axis=1, initial=-np.inf))

    def extremes(self, target: FloatArray, rise: FloatArray, fall: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The largest rise and the least fall in each pair, (n_pairs,) each."""
        up, low = np.full(self.n_pairs, -np.inf), np.full(self.n_pairs, np.inf)
        pairs = self.own_pairs(target)
        np.maximum.at(up, pairs, rise)
        np.minimum.at(low, pairs, fall)
        return up, low

    def violation(self, up: FloatArray, low: FloatArray) -> float:
        """The KKT violation, the largest over the pairs."""
        if self.has_bias:
            return float(max(0.0, (up - low).max()))
        return float(max(0.0, up.max(), (-low).max()))
