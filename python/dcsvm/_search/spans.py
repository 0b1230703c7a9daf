"""What one problem's solution tells of the trainings without one of its rows: spans and the xi-alpha bound, in float64.

A problem of classes a and b has targets 1 and -1, coefficients target * alpha and no tube; a regression has coefficients
alpha - alpha*. Both are min 1/2 b'Kb - target'b + epsilon |b|_1, low <= b <= high, and sum b = 0 with a bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._input.validate import FloatArray, IndexArray

#: values(rows, columns) of the kernel, by numbers of rows of X
KernelValues = Callable[[IndexArray, IndexArray], FloatArray]

_BLOCK = 512  # rows of the factor at once
_PART = 1 << 21  # kernel values at once where not all are needed: 16 MB
_AT_BOUND = 1e-9  # of the box: a coefficient this near to a bound is there
# Added to the free support vectors' matrix, relative to its largest value: equal rows, and more of them than a linear kernel has
# features, make it singular. Their spans are 0 up to this.
_RIDGE = 1e-10


class Problem(NamedTuple):
    """The rows of X that take part, and what belongs to each. decision: with the bias."""

    rows: IndexArray
    target: FloatArray
    decision: FloatArray
    coef: FloatArray
    low: FloatArray
    high: FloatArray
    epsilon: float
    bias: bool

    def violation(self) -> float:
        """By how much the optimality conditions are missed, at the bias that the decisions have."""
        slope, near = self.target - self.decision, self._near()
        rises = slope - np.where(self.coef >= -near, self.epsilon, -self.epsilon)
        falls = slope - np.where(self.coef > near, self.epsilon, -self.epsilon)
        up, down = rises[self.coef < self.high - near], falls[self.coef > self.low + near]
        return float(max(up.max(initial=0.0), -down.min(initial=0.0)))

    def support(self) -> tuple[IndexArray, IndexArray]:
        """The places of the free support vectors, and of those at a bound."""
        near = self._near()
        used = np.abs(self.coef) > near
        free = used & (self.coef > self.low + near) & (self.coef < self.high - near)
        return np.flatnonzero(free), np.flatnonzero(used & ~free)

    def _near(self) -> FloatArray:
        return np.asarray(_AT_BOUND * (self.high - self.low))


def invert_factor(a: FloatArray) -> None:
    """Puts L^-1 in the place of a symmetric positive definite a = L L'. By blocks of rows: no second matrix is needed, and Ctrl-C
    ends it between two blocks. 2/3 n^3 operations. numpy.linalg.LinAlgError where a is not positive definite to rounding."""
    for begin in range(0, len(a), _BLOCK):
        own, before = slice(begin, begin + _BLOCK), [slice(j, j + _BLOCK) for j in range(0, begin, _BLOCK)]
        row = a[own, :begin].copy()  # of a; above it there are the rows of L^-1, which end at the diagonal
        left = np.empty_like(row)  # the row of L
        for j in before:
            left[:, j] = row[:, : j.stop] @ a[j, : j.stop].T
        pivot = np.tril(np.linalg.inv(np.linalg.cholesky(a[own, own] - left @ left.T)))
        left = pivot @ left
        for j in before:
            a[own, j] = -left[:, j.start :] @ a[j.start : begin, j]
        a[own, own], a[own, begin + _BLOCK :] = pivot, 0


def inverse_diagonal(factor: FloatArray, bias: bool) -> FloatArray:
    """Diagonal of a^-1 = factor' factor, or of the first rows of the inverse of a bordered by ones."""
    own = np.einsum("ij,ij->j", factor, factor)
    if bias:
        ones = factor.sum(axis=1)
        own -= (ones @ factor) ** 2 / (ones @ ones)
    return np.asarray(own)


def _parts(places: IndexArray, at_once: int) -> Iterator[IndexArray]:
    return (places[begin : begin + max(1, at_once)] for begin in range(0, len(places), max(1, at_once)))


def _diagonal(values: KernelValues, rows: IndexArray) -> FloatArray:
    """K(x, x) of the rows."""
    return np.concatenate([np.diagonal(values(part, part)) for part in _parts(rows, 64)] or [np.empty(0)])


def span_decisions(p: Problem, values: KernelValues) -> FloatArray:
    """Decision of each row by the problem without it, when the other support vectors stay what they are, free or at a bound:
    decision - coef S^2 (Vapnik, Chapelle 2000), S the distance in feature space from the row to the span of the other
    free support vectors (affine with a bias). With M the matrix of the free ones, bordered by ones where there is a bias, S^2 is
    1 / (M^-1)_pp for a free one, and K_pp - v'M^-1 v for one at a bound, v its values with the free ones, and 1 (Chapelle,
    Vapnik, Bousquet, Mukherjee 2002). Where no other support vector is free, nothing tells how the bias moves: it is held.
    """
    free, bounded = p.support()
    square = np.zeros(len(p.rows))
    square[free] = _diagonal(values, p.rows[free])
    square[bounded] = _diagonal(values, p.rows[bounded])
    if len(free):
        factor = values(p.rows[free], p.rows[free])
        factor[np.diag_indices_from(factor)] += _RIDGE * (np.abs(factor).max() or 1)
        invert_factor(factor)
        if len(free) > 1 or not p.bias:
            square[free] = 1 / inverse_diagonal(factor, p.bias)
        ones = factor.sum(axis=1)
        for part in _parts(bounded, _PART // len(free)):
            k = factor @ values(p.rows[free], p.rows[part])
            square[part] -= np.einsum("ij,ij->j", k, k)
            if p.bias:
                square[part] += (1 - ones @ k) ** 2 / (ones @ ones)
    return np.asarray(p.decision - p.coef * np.maximum(square, 0))


def may_err(p: Problem, values: KernelValues, violation: float) -> npt.NDArray[np.bool_]:
    """Which rows of two classes the problem without them may put on the wrong side, or on the boundary. It puts all others right.

    A row with target t, alpha = |coef| and F = t decision is certainly right without itself when some mass m > alpha has

        (m - alpha) F - c(m) - m^2 D / 4 > 0

    D : its largest squared distance in feature space from another row; without a bias K(x, x)
    c(m) : the least sum of m_i |target_i - decision_i| where coefficients of other rows change by t m_i within their bounds and
        the m_i sum to m; 0 without a bias

    Where free support vectors have room for the best m = 2 F / D, which makes c(m) 0, this is F > alpha D: the condition of
    Joachims (2000), rho alpha R^2 + xi < 1, with D <= rho R^2 (rho 2 with a bias, else 1). He assumes a stable solution; c(m)
    takes the place of the assumption, which unequal weights break: the bias can jump while a row is taken out.

    Proof. Let P be the problem's value and w its weights, P' and w' those without the row: P' + |w - w'|^2 / 2 <= P - C xi. If w'
    puts the row wrong, w' is also the best under the constraint t f'(x) <= 0, and a point v of that problem's dual has a value of
    at most P' - |w' - v|^2 / 2. Take the coefficients as changed in c(m), and m - alpha as the multiplier of the constraint: then
    v = w + m d with |d|^2 <= D, and the value is P - C xi + (m - alpha) F - c(m) - m^2 |d|^2 / 2. The two squares together are at
    least m^2 |d|^2 / 4, so that (m - alpha) F - c(m) - m^2 D / 4 <= 0.

    F is lowered by the violation, which the decisions may be wrong by.
    """
    t, alpha = np.sign(p.target), np.abs(p.coef)
    right = t * p.decision - violation
    K = _diagonal(values, p.rows)
    if not p.bias:  # a training needs two classes, where the problem itself does not
        return np.asarray((right <= alpha * K) | (np.where(t > 0, np.sum(t > 0), np.sum(t < 0)) == 1))
    D = np.empty(len(K))
    for part in _parts(np.arange(len(K)), _PART // len(K)):
        D[part] = K[part] + np.max(K - 2 * values(p.rows[part], p.rows), axis=1)
    safe = np.zeros(len(K), dtype=bool)
    for sign in (1.0, -1.0):
        room = p.high - p.coef if sign > 0 else p.coef - p.low
        own = np.flatnonzero(t == sign)
        safe[own] = _safe(
            right[own], alpha[own], np.maximum(D[own], 0) / 2, room, np.maximum(0, sign * (p.decision - p.target)), own
        )
    return ~safe


def _safe(
    right: FloatArray, alpha: FloatArray, half: FloatArray, room: FloatArray, price: FloatArray, own: IndexArray
) -> npt.NDArray[np.bool_]:
    """Whether some m fulfils the condition, for the rows `own`. half: D / 2. room, price: of all rows; c(m) of a row leaves the
    row itself out."""
    order = np.argsort(price, kind="stable")
    cheap = price[order]
    mass, cost = np.append(0, np.cumsum(room[order])), np.append(0, np.cumsum(room[order] * cheap))
    before = np.empty(len(order))
    before[order] = mass[:-1]
    place = before[own]

    def found(shift: FloatArray, least: FloatArray, most: FloatArray, refund: FloatArray) -> npt.NDArray[np.bool_]:
        """Whether the best x = m + shift in [least, most] does. c(m) there: the cost of x less the refund."""
        low, high = np.zeros(len(own), dtype=np.intp), np.full(len(own), len(cheap))
        while (low < high).any():  # how many pieces of the cost rise more slowly at their begin than the rest falls
            middle = (low + high) // 2
            at = np.minimum(middle, len(cheap) - 1)
            more = (low < high) & (right - cheap[at] - (mass[at] - shift) * half > 0)
            low, high = np.where(more, middle + 1, low), np.where(more, high, np.minimum(high, middle))
        piece = np.maximum(low - 1, 0)
        x = np.where(half > 0, shift + (right - cheap[piece]) / np.where(half > 0, half, 1), np.inf)
        x = np.clip(np.where(low > 0, np.minimum(x, mass[piece + 1]), 0), least, most)
        m = x - shift
        return np.asarray((m > alpha) & ((m - alpha) * right - np.interp(x, mass, cost) + refund - m * m * half / 2 > 0))

    # Pieces before the row's own, or also those behind it.
    none, whole = np.zeros(len(own)), np.full(len(own), mass[-1])
    return found(none, none, place, none) | found(room[own], place + room[own], whole, room[own] * price[own])
