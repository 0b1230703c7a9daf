"""Linear SVMs and logistic regression by Newton's method on sums over partitions.

    min over (w, b):  1/2 |w|^2 + r/2 b^2 + sum_i C_i loss(y_i (w'x_i + b B))        two classes, or each class against the rest

loss: max(0, 1 - z)^2 or log(1 + exp(-z)); B is the value of the bias's feature; r is 1, or 0 where the bias is not regularised.
multinomial, of three classes and more: sum_m 1/2 |w_m|^2 + r/2 b_m^2, and of a row log sum_m exp(z_m) - z_y, z_m = w_m'x + b_m B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.validate import FloatArray
from .._linear.model import LinearModel
from .engine import Engine, same
from .newton import Columns, Loss, Minimum, Newton, Pass, Sums, add_sums, multinomial_sums_of_rows, sums_of_rows
from .problem import Problem
from .rows import Part, is_sparse

_FAN_IN = 8
_HESSIAN_BYTES = 2**24  # most bytes that a partition sends in a pass, for all problems; above, conjugate gradients
_BLOCK = 2**22  # entries of X that are converted to double at once


@dataclass(frozen=True)
class LinearProblem:
    """rows : which rows take part, their classes, and C times their weights
    factors : (n_classes,) that multiply C. Two classes and multinomial: each row's by its class; more: only the rows of the
        positive class (LIBLINEAR's rule)
    bias : value of the bias's feature; below 0: no bias
    """

    rows: Problem
    loss: Loss
    factors: FloatArray
    bias: float
    regularize_bias: bool

    @property
    def n_problems(self) -> int:
        """Weight vectors; of multinomial, whose vectors are one problem, too."""
        return 1 if len(self.factors) == 2 else len(self.factors)

    @property
    def multinomial(self) -> bool:
        return self.loss == "multinomial" and self.n_problems > 1

    def classes_and_costs(self, part: Part) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """(n,) each, for multinomial."""
        own = self.rows.targets(part).astype(np.intp)
        return own, self.rows.upper(part) * self.factors[own]

    def signs_and_costs(self, part: Part) -> tuple[FloatArray, FloatArray]:
        """(n, n_problems) each. The sign is +1 for the first of two classes; with more, for the class of the column."""
        own, cost = self.rows.targets(part).astype(np.intp), self.rows.upper(part)[:, None]
        if self.n_problems == 1:
            return np.where(own == 0, 1.0, -1.0)[:, None], cost * self.factors[own][:, None]
        mine = own[:, None] == np.arange(self.n_problems)
        return np.where(mine, 1.0, -1.0), cost * np.where(mine, self.factors, 1.0)


@dataclass
class LinearLoop:
    """parts : handles of rows.Part; labels : of the partitions; n_features : columns of X."""

    engine: Engine
    problem: LinearProblem
    parts: Sequence[Any]
    labels: Sequence[int]
    n_features: int
    tol: float  #: of the relative duality gap
    max_passes: int
    on_pass: Callable[[Pass], bool] = lambda _: False

    def run(self) -> Minimum:
        k, vectors = self.n_features + (self.problem.bias >= 0), self.problem.n_problems
        regularised, shared = np.ones(k), None
        free = self.problem.bias >= 0 and not self.problem.regularize_bias
        if free:
            regularised[-1] = 0.0
        at_once = vectors if self.problem.multinomial else 1  # vectors that are one problem
        if at_once > 1:
            regularised = np.tile(regularised, vectors)
            shared = np.arange(1, vectors + 1) * k - 1 if free else None
        self._problem = self.engine.submit("problem", same, self.problem)
        self._hessian = 8 * vectors * k * k * at_once <= _HESSIAN_BYTES
        newton = Newton(self._sums, self._product, regularised, self.tol, self.max_passes, self.on_pass, shared)
        found = newton.run(np.zeros((vectors // at_once, k * at_once)))
        found.weights = found.weights.reshape(vectors, k)
        if shared is not None:  # conjugate gradients may have added a constant
            found.weights[:, -1] -= found.weights[:, -1].mean()
        return found

    def _sums(self, weights: FloatArray) -> Sums:
        shared = self.engine.submit("weights", same, weights)
        self._passes = [
            self.engine.submit("pass", pass_of, self._problem, part, shared, self._hessian, part=label)
            for part, label in self._each()
        ]
        sums = [
            self.engine.submit("sums", sums_of, one, part=label) for one, label in zip(self._passes, self.labels, strict=True)
        ]
        total: Sums = self.engine.gather([self.engine.tree_reduce("sum", add_sums, sums, _FAN_IN)])[0]
        return total

    def _product(self, vectors: FloatArray) -> FloatArray:
        shared = self.engine.submit("weights", same, vectors)
        products = [
            self.engine.submit("product", product_of, self._problem, part, one, shared, part=label)
            for (part, label), one in zip(self._each(), self._passes, strict=True)
        ]
        total: FloatArray = self.engine.gather([self.engine.tree_reduce("sum", add_arrays, products, _FAN_IN)])[0]
        return total

    def _each(self) -> list[tuple[Any, int]]:
        return list(zip(self.parts, self.labels, strict=True))


def model_of(problem: LinearProblem, weights: FloatArray, n_features: int) -> LinearModel:
    """A native model, whose labels are 0 .. n_classes - 1."""
    classes = np.arange(len(problem.factors), dtype=np.float64)
    w = np.ascontiguousarray(weights.T).ravel()
    return LinearModel(_core.make_linear_model(problem.loss, classes, n_features, problem.bias, w))


# Tasks


def _blocks(X: Any) -> list[slice]:
    n, d = X.shape
    step = n if is_sparse(X) else max(1, _BLOCK // max(d, 1))
    return [slice(begin, begin + step) for begin in range(0, n, max(step, 1))]


def pass_of(
    problem: LinearProblem, part: Part, weights: FloatArray, hessian: bool, *, n_jobs: int
) -> tuple[Sums, FloatArray | None]:
    """The partition's sums and, for conjugate gradients, (n, n_problems) second derivatives of its rows' losses."""
    of_rows = (
        _multinomial_sums(problem, part, weights, hessian) if problem.multinomial else _sums(problem, part, weights, hessian)
    )
    found, curvatures = [], []
    for rows in _blocks(part.X):
        sums, curvature = of_rows(Columns(part.X[rows].astype(np.float64), problem.bias), rows)
        found.append(sums)
        curvatures.append(curvature)
    return add_sums(*found, n_jobs=n_jobs), None if hessian else np.concatenate(curvatures)


_SumsOfRows = Callable[[Columns, slice], tuple[Sums, FloatArray]]


def _sums(problem: LinearProblem, part: Part, weights: FloatArray, hessian: bool) -> _SumsOfRows:
    sign, cost = problem.signs_and_costs(part)
    return lambda columns, rows: sums_of_rows(columns, cost[rows], sign[rows], weights, problem.loss, hessian)


def _multinomial_sums(problem: LinearProblem, part: Part, weights: FloatArray, hessian: bool) -> _SumsOfRows:
    own, cost = problem.classes_and_costs(part)
    vectors = weights.reshape(problem.n_problems, -1)
    return lambda columns, rows: multinomial_sums_of_rows(columns, cost[rows], own[rows], vectors, hessian)


def sums_of(found: tuple[Sums, npt.NDArray[Any] | None], *, n_jobs: int) -> Sums:
    return found[0]


def product_of(
    problem: LinearProblem, part: Part, found: tuple[Sums, FloatArray], vectors: FloatArray, *, n_jobs: int
) -> FloatArray:
    """The partition's Hessian times vectors, in their shape."""
    shape, vectors = vectors.shape, vectors.reshape(problem.n_problems, -1)
    total = np.zeros_like(vectors)
    for rows in _blocks(part.X):
        columns = Columns(part.X[rows].astype(np.float64), problem.bias)
        curvature, moved = found[1][rows], columns.times(vectors)
        if problem.multinomial:
            cost = curvature.sum(axis=1, keepdims=True)
            moved -= (curvature * moved).sum(axis=1, keepdims=True) / np.where(cost > 0, cost, 1.0)
        total += columns.transposed(curvature * moved)
    return total.reshape(shape)


def add_arrays(*arrays: FloatArray, n_jobs: int) -> FloatArray:
    return np.asarray(np.sum(arrays, axis=0))
