"""Kernel values against fixed points, as plain operators: x is (n, n_features), n is not known before the graph runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._base.validate import FloatArray
from ._graph import Graph
from ._model_file import Kernel, Points

# Up to so many features float distances come from differences: |x|^2 + |z|^2 - 2 x'z loses digits where gamma |x|^2 is large,
# which is the rule for narrow kernels on few features.
_FEW = 8
# Points whose kernel values are summed at once: the values of a block stay in the cache, and sums of few terms of either sign,
# mixed, lose few digits.
_BLOCK = 256


class KernelSums:
    """Sums of kernel values over some of the points: sum_j coef_j K(x, z_j)."""

    def __init__(self, g: Graph, x: str, kernel: Kernel, points: Points) -> None:
        self._g, self._x, self._kernel, self._points = g, x, kernel, points
        n, self._columns = points.shape
        self._form: Any = {"rbf": self._rbf, "poly": self._poly, "sigmoid": self._sigmoid}.get(kernel.type)
        if kernel.type not in ("linear", "rbf") or n == 0:
            return
        # Distances, and a linear kernel's sums, lose fewest digits near 0. Rounded, so that the graph subtracts the same number.
        mean = points.weighted(np.full((1, n), 1 / n))[0]
        self._shift = mean.astype(g.dtype).astype(np.float64)
        self._near = g.node("Sub", x, self._shift)
        if kernel.type == "linear":
            return
        if self._by_differences:
            scaled = g.node("Mul", self._near, math.sqrt(kernel.gamma))
            self._features = [g.column(scaled, j) for j in range(self._columns)]
        else:
            norms = g.row_sums(g.node("Mul", self._near, self._near), self._columns)
            ones = g.node("Add", g.node("Mul", norms, 0.0), 1.0)
            self._rows = g.node("Concat", self._near, norms, ones, axis=1)

    @property
    def _by_differences(self) -> bool:
        return self._columns <= _FEW and self._g.dtype == np.float32

    def sums(self, coef: FloatArray) -> str:
        """(n, p) from coef (p, points)."""
        g, (n, columns) = self._g, self._points.shape
        if not n:
            return g.node("MatMul", self._x, np.zeros((columns, len(coef))))
        if self._form is None:
            weights = self._points.weighted(coef)
            return g.node("Add", g.node("MatMul", self._near, weights.T), weights @ self._shift)
        g.reserve(n * (columns + len(coef)))
        order = np.random.default_rng(0).permutation(n)
        count = -(-n // _BLOCK)
        blocks = [order[i::count] for i in range(count)]
        parts = [g.node("MatMul", self._form(self._points.rows(block)), coef[:, block].T) for block in blocks]
        while len(parts) > 1:  # in pairs, which rounds least
            odd = parts[len(parts) - len(parts) % 2 :]
            parts = [g.node("Add", a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + odd
        return parts[0]

    def values(self) -> str:
        """K(x, z), (n, points)."""
        return str(self._form(self._points.rows())) if self._form else self.sums(np.eye(self._points.shape[0]))

    def distances(self) -> str:
        """|x - z| of an rbf kernel of gamma 1, (n, points)."""
        return self._g.node("Sqrt", self._g.node("Neg", self._exponents(self._points.rows())))

    def _rbf(self, points: FloatArray) -> str:
        return self._g.node("Exp", self._exponents(points))

    def _exponents(self, points: FloatArray) -> str:
        """-gamma |x - z|^2."""
        g, gamma = self._g, self._kernel.gamma
        near = points - self._shift
        if self._by_differences:
            differences = [g.node("Sub", x, math.sqrt(gamma) * z) for x, z in zip(self._features, near.T, strict=True)]
            return g.node("Neg", g.node("Sum", *(g.node("Mul", v, v) for v in differences)))
        # [x', |x'|^2, 1] [2 gamma z', -gamma, -gamma |z'|^2] = -gamma |x' - z'|^2
        norms = np.einsum("ij,ij->i", near, near)
        other = np.vstack([2 * gamma * near.T, np.full(len(near), -gamma), -gamma * norms])
        return g.node("Min", g.node("MatMul", self._rows, other), 0.0)

    def _inner(self, points: FloatArray) -> str:
        product = self._g.node("MatMul", self._x, self._kernel.gamma * points.T)
        return self._g.node("Add", product, self._kernel.coef0)

    def _poly(self, points: FloatArray) -> str:
        g, base, degree = self._g, self._inner(points), self._kernel.degree
        result = None
        while degree > 0:
            if degree % 2:
                result = base if result is None else g.node("Mul", result, base)
            degree //= 2
            base = g.node("Mul", base, base) if degree else base
        return g.node("Add", g.node("Mul", base, 0.0), 1.0) if result is None else result

    def _sigmoid(self, points: FloatArray) -> str:
        return self._g.node("Tanh", self._inner(points))


def normalised(g: Graph, x: str, columns: int) -> str:
    """Rows of norm 1; rows of zeros stay."""
    norm = g.node("Sqrt", g.row_sums(g.node("Mul", x, x), columns))
    return g.node("Div", x, g.node("Where", g.node("Equal", norm, 0.0), 1.0, norm))
