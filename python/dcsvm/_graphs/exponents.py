"""-gamma |x - z|^2 by matrix products, also where float32 would lose digits of |x|^2 + |z|^2 - 2 x'z."""

from __future__ import annotations

import math

import numpy as np

from .._input.validate import FloatArray, IndexArray
from .graph import Graph

# gamma |z|^2 above which float32 products are split: their error, times this, shows in kernel values.
_LARGE = 4.0
_BITS = 11  # of a split row's norm: sums of products of two such rows are whole multiples of one step, below 2^24 of them


class Exponents:
    """Of the rows `near` (n, d) of a graph and of fixed points (m, d); both lie around 0.

    Rows and points are scaled by the root of gamma: E = 2 s's_z - |s|^2 - |s_z|^2 is the product of [s, |s|^2, 1] and
    [2 s_z, -1, -|s_z|^2]. Where that loses digits s = h + l, with h a multiple of a power of two: the same product of h is
    exact in float32, and what is left, 2 h'l_z + 2 l's_z - l'(s + h) - l_z'(s_z + h_z), is small.
    """

    def __init__(self, g: Graph, near: str, points: FloatArray, gamma: float) -> None:
        self._g = g
        self._points = points * math.sqrt(gamma)
        largest = float(np.einsum("ij,ij->i", self._points, self._points).max(initial=0.0))
        self._split = g.dtype == np.float32 and largest > _LARGE
        rows, d = g.node("Mul", near, math.sqrt(gamma)), points.shape[1]
        if not self._split:
            self._rows = [self._with_norms(rows, g.row_sums(g.node("Mul", rows, rows), d))]
            return
        self._step = 2.0 ** (math.ceil(math.log2(largest) / 2) - _BITS)
        high = g.node("Mul", g.node("Round", g.node("Mul", rows, 1 / self._step)), self._step)
        low = g.node("Sub", rows, high)
        mixed = g.row_sums(g.node("Mul", low, g.node("Add", rows, high)), d)
        exact = self._with_norms(high, g.row_sums(g.node("Mul", high, high), d))
        self._rows = [exact, self._with_norms(g.node("Concat", high, low, axis=1), mixed)]

    def _with_norms(self, rows: str, norms: str) -> str:
        ones = self._g.node("Add", self._g.node("Mul", norms, 0.0), 1.0)
        return self._g.node("Concat", rows, norms, ones, axis=1)

    def of(self, which: IndexArray) -> str:
        """(n, some of the points), at most 0."""
        g, points = self._g, self._points[which]
        if not self._split:
            return g.node("Min", g.node("MatMul", self._rows[0], _table(points, (points * points).sum(axis=1))), 0.0)
        high = np.round(points / self._step) * self._step
        low = points - high
        exact = g.node("MatMul", self._rows[0], _table(high, (high * high).sum(axis=1)))
        mixed = _table(np.hstack([low, points]), (low * (points + high)).sum(axis=1))
        return g.node("Min", g.node("Add", exact, g.node("MatMul", self._rows[1], mixed)), 0.0)


def _table(points: FloatArray, norms: FloatArray) -> FloatArray:
    return np.vstack([2 * points.T, np.full(len(points), -1.0), -norms])
