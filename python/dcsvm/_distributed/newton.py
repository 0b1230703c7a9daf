"""Newton's method on sums over partitions, for several problems at once.

    min over w:  1/2 sum_j r_j w_j^2 + L(w)        for each problem; r_j = 1, or 0 for a bias that is not regularised

L is a convex loss, summed over rows. A pass over the partitions gives L, its gradient g and its Hessian. Where Hessians are too
large to send, a Newton step is found by conjugate gradients (Lin, Weng, Keerthi 2008); each of their steps is one more pass.
With alpha = -L'(z), which is feasible for the dual problem, the duality gap is 1/2 |w + g|^2, so every pass gives a certificate.
A bias that is not regularised has no such bound; its share of the gap is estimated from its own curvature h as g^2 / (2 h).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._input.validate import FloatArray
from .._shown.items import Items
from .rows import is_sparse

Loss = Literal["squared_hinge", "logistic", "multinomial"]

_ROUNDING = 1e-12  # relative: an objective that grows by less than this has only been rounded
_LEAST_PRECISION, _MOST_PRECISION = 1e-3, 0.3  # conjugate gradients end at this share of the gradient's norm
_MOST_PRODUCTS = 100  # Hessian products (passes) of one Newton step


@dataclass(frozen=True)
class Sums:
    """Loss, gradient and Hessian of some rows at given weights, for each problem."""

    loss: FloatArray  #: (n_problems,)
    gradient: FloatArray  #: (n_problems, k) of the loss
    diagonal: FloatArray  #: (n_problems, k) of its Hessian
    hessian: FloatArray | None  #: (n_problems, k, k); None: too large to send


def add_sums(*sums: Sums, n_jobs: int) -> Sums:
    hessians = [s.hessian for s in sums if s.hessian is not None]
    return Sums(
        np.sum([s.loss for s in sums], axis=0),
        np.sum([s.gradient for s in sums], axis=0),
        np.sum([s.diagonal for s in sums], axis=0),
        np.sum(hessians, axis=0) if hessians else None,
    )


@dataclass(frozen=True)
class Columns:
    """Products, in double, of X (dense or CSR) with one more constant column `bias`; bias < 0: no such column."""

    X: Any
    bias: float = -1.0

    def times(self, weights: FloatArray) -> FloatArray:
        """(n, n_problems): X weights' (the transpose), for weights (n_problems, k)."""
        if self.bias < 0:
            return np.asarray(self.X @ weights.T)
        return np.asarray(self.X @ weights[:, :-1].T) + self.bias * weights[:, -1]

    def transposed(self, values: FloatArray) -> FloatArray:
        """(n_problems, k): values' X for values (n, n_problems)."""
        return self._with_bias(np.asarray(self.X.T @ values).T, self.bias * values.sum(axis=0))

    def squares_transposed(self, values: FloatArray) -> FloatArray:
        """As `transposed`, with the squares of X's entries."""
        squares = self.X.multiply(self.X).tocsr() if is_sparse(self.X) else self.X**2
        return self._with_bias(np.asarray(squares.T @ values).T, self.bias**2 * values.sum(axis=0))

    def gram(self, values: FloatArray) -> FloatArray:
        """(k, k): X' diag(values) X."""
        rows = np.flatnonzero(values)
        X, v = self.X[rows], values[rows]
        scaled = X.multiply(v[:, None]).tocsr() if is_sparse(X) else X * v[:, None]
        inner = X.T @ scaled
        inner = inner.toarray() if is_sparse(inner) else inner
        if self.bias < 0:
            return np.asarray(inner)
        cross = self.bias * np.asarray(scaled.sum(axis=0)).reshape(1, -1)
        return np.block([[inner, cross.T], [cross, np.full((1, 1), self.bias**2 * v.sum())]])

    def _with_bias(self, values: FloatArray, last: FloatArray) -> FloatArray:
        return values if self.bias < 0 else np.concatenate([values, last[:, None]], axis=1)


@np.errstate(over="ignore", invalid="ignore")
def sums_of_rows(
    columns: Columns, cost: FloatArray, sign: FloatArray, weights: FloatArray, loss: Loss, hessian: bool
) -> tuple[Sums, FloatArray]:
    """The rows' sums, and the second derivative of each row's loss, (n, n_problems).

    cost, sign: (n, n_problems); rows of cost 0 take no part. hessian: whether the sums include it.
    """
    margin = sign * columns.times(weights)
    if loss == "squared_hinge":
        slack = np.maximum(0.0, 1.0 - margin)
        value, slope, curvature = cost * slack**2, -2.0 * cost * sign * slack, 2.0 * cost * (slack > 0)
    else:
        value = cost * np.logaddexp(0.0, -margin)
        wrong = np.exp(-np.logaddexp(0.0, margin))  # probability of the other class
        slope, curvature = -cost * sign * wrong, cost * wrong * (1.0 - wrong)
    grams = np.stack([columns.gram(curvature[:, p]) for p in range(len(weights))]) if hessian else None
    diagonal = columns.squares_transposed(curvature) if grams is None else np.diagonal(grams, axis1=1, axis2=2).copy()
    return Sums(value.sum(axis=0), columns.transposed(slope), diagonal, grams), curvature


@np.errstate(over="ignore", invalid="ignore")
def multinomial_sums_of_rows(
    columns: Columns, cost: FloatArray, own: npt.NDArray[np.intp], weights: FloatArray, hessian: bool
) -> tuple[Sums, FloatArray]:
    """The rows' sums for the multinomial model, one problem whose variables are the weights of all classes, (n_classes, k), one
    class after another; and C_i p_im with the cost C_i and the probabilities p, (n, n_classes).

    cost, own: (n,), the number of the row's class.
    """
    scores = columns.times(weights)
    scores -= scores.max(axis=1, keepdims=True)
    exps = np.exp(scores)
    total, rows = exps.sum(axis=1), np.arange(len(own))
    value = cost @ (np.log(total) - scores[rows, own])
    p = exps / total[:, None]
    slope = cost[:, None] * p
    shares = slope.copy()
    slope[rows, own] -= cost
    n_classes, k = weights.shape
    if hessian:
        blocks = np.empty((n_classes, k, n_classes, k))
        for a in range(n_classes):
            for b in range(a + 1):
                blocks[a, :, b] = columns.gram(shares[:, a] * ((a == b) - p[:, b]))
                blocks[b, :, a] = blocks[a, :, b]
        whole = blocks.reshape(1, n_classes * k, n_classes * k)
        diagonal = np.diagonal(whole[0]).copy()
    else:
        whole, diagonal = None, columns.squares_transposed(shares * (1.0 - p)).ravel()
    return Sums(np.array([value]), columns.transposed(slope).reshape(1, -1), diagonal[None], whole), shares


@dataclass(frozen=True)
class Pass(Items):
    """The results of one pass over the data.

    Attributes
    ----------
    number : int
        Of the pass, from 1.
    primal_objective : float
        At the weights of this pass.
    gap : float
        Duality gap, relative to the primal objective.
    step : float
        Largest entry of the step that led here.
    n_products : int
        Further passes, of conjugate gradients, that found this step.
    seconds : float
        Seconds of this pass.
    """

    number: int
    primal_objective: float
    gap: float
    step: float
    n_products: int
    seconds: float


@dataclass
class Minimum:
    weights: FloatArray  #: (n_problems, k)
    stop_reason: str  #: "converged", "max_iter" or "cancelled"
    primal_objective: float
    gap: float
    passes: list[Pass] = field(default_factory=list)


@dataclass
class Newton:
    """sums : of all rows at given weights; product : the Hessian at the last of these weights, times vectors (n_problems, k)."""

    sums: Callable[[FloatArray], Sums]
    product: Callable[[FloatArray], FloatArray]
    regularised: FloatArray  #: (k,) r
    tol: float  #: of the relative gap
    max_passes: int
    on_pass: Callable[[Pass], bool] = lambda _: False  #: True: stop with the weights so far
    shared: npt.NDArray[np.intp] | None = None  #: variables to all of which a constant can be added, which changes nothing

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def run(self, start: FloatArray) -> Minimum:
        weights, passes = start, list[Pass]()
        best, best_primal = start, np.full(len(start), np.inf)
        step, n_products = np.zeros_like(start), 0
        while True:
            begin = time.monotonic()
            total = self.sums(weights)
            primal = 0.5 * (self.regularised * weights**2).sum(axis=1) + total.loss
            gradient = self.regularised * weights + total.gradient
            gaps = self._gaps(gradient, total)
            if np.isnan(primal).any() or not np.isfinite(gaps).all():
                raise ValueError(
                    "the training left the range of float64: X, sample_weight, class_weight or C is too large; scale X to values "
                    "near 1, or lower C"
                )
            gap = float(gaps.sum() / max(primal.sum(), 1e-300))
            size, seconds = float(np.abs(step).max(initial=0.0)), time.monotonic() - begin
            passes.append(Pass(len(passes) + 1, float(primal.sum()), gap, size, n_products, seconds))
            stop_asked = self.on_pass(passes[-1])
            reason = self._stop(passes) or "cancelled" * stop_asked
            if reason:
                return Minimum(weights, reason, passes[-1].primal_objective, gap, passes)
            worse = primal > best_primal * (1 + _ROUNDING) + 1e-300
            if worse.any():  # step halving, for the problems that got worse; the others wait
                step, n_products = np.where(worse[:, None], 0.5 * (best - weights), 0.0), 0
            else:
                best, best_primal = weights, primal
                step, n_products = self._step(gradient, total, np.sqrt(gaps / np.maximum(primal, 1e-300)))
            weights = weights + step

    def _gaps(self, gradient: FloatArray, total: Sums) -> FloatArray:
        free = np.where(self.regularised > 0, 1.0, np.maximum(total.diagonal, 1e-300))
        return np.asarray(0.5 * (gradient**2 / free).sum(axis=1))

    def _stop(self, passes: list[Pass]) -> str:
        if passes[-1].gap < self.tol:
            return "converged"
        return "max_iter" if len(passes) >= self.max_passes else ""

    def _step(self, gradient: FloatArray, total: Sums, precision: FloatArray) -> tuple[FloatArray, int]:
        """The Newton step, and the further passes that it took. precision: (n_problems,), for conjugate gradients alone."""
        if total.hessian is None:
            precision = np.clip(precision, _LEAST_PRECISION, _MOST_PRECISION)
            return self._by_conjugate_gradients(gradient, total, precision * np.linalg.norm(gradient, axis=1))
        hessian = total.hessian + np.diag(self.regularised)
        if self.shared is not None:  # the step that adds no constant
            hessian[:, self.shared[:, None], self.shared] += np.maximum(total.diagonal[:, self.shared].max(), 1e-300)
        return -np.asarray(np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0], dtype=np.float64), 0

    def _by_conjugate_gradients(self, gradient: FloatArray, total: Sums, enough: FloatArray) -> tuple[FloatArray, int]:
        """All problems side by side, preconditioned by the Hessian's diagonal; those that are solved wait for the rest."""
        scale = 1.0 / np.maximum(self.regularised + total.diagonal, 1e-300)
        step, residual = np.zeros_like(gradient), -gradient
        z = scale * residual
        direction, rz = z, (residual * z).sum(axis=1)
        for done in range(_MOST_PRODUCTS):
            active = np.linalg.norm(residual, axis=1) > enough
            if not active.any():
                return step, done
            product = self.regularised * direction + self.product(direction)
            curvature = (direction * product).sum(axis=1)
            length = np.where(active, rz / np.where(curvature > 0, curvature, np.inf), 0.0)[:, None]
            step = step + length * direction
            residual = residual - length * product
            z = scale * residual
            before, rz = rz, np.where(active, (residual * z).sum(axis=1), rz)
            ratio = np.where(before > 0, rz / np.where(before > 0, before, 1.0), 0.0)[:, None]
            direction = np.where(active[:, None], z + ratio * direction, direction)
        return step, _MOST_PRODUCTS


Pass.__module__ = "dcsvm.dask"  # what users import from, and what pickles name
