"""Kernel values against fixed points, as plain operators: x is (n, n_features), n is not known before the graph runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np

from .._input.kernels import KERNELS
from .._input.validate import FloatArray, IndexArray, in_a_row
from .._model_file.fields import Kernel, Points
from .exponents import Exponents
from .graph import Graph

# Points whose kernel values are computed at once, which stay in the cache, and sums that they make apart: short ones lose fewer
# digits.
_BLOCK, _LANES = 256, 16
_OF_LENGTH = {"exponential": 1.0, "matern32": 3.0**0.5, "matern52": 5.0**0.5}  # a is this times gamma |x - z|


class KernelSums:
    """Sums of kernel values over some of the points: sum_j coef_j K(x, z_j)."""

    def __init__(self, g: Graph, x: str, kernel: Kernel, points: Points) -> None:
        self._g, self._x, self._kernel, self._points = g, x, kernel, points
        n, self._columns = points.shape
        if kernel.type not in FORMS:
            why = ": a sum over the features is no matrix product" * (KERNELS[kernel.type]["gamma_of"] == "sum")
            raise ValueError(f"to_onnx: kernel={kernel.type!r} has no form in ONNX{why}. Train with kernel {kernels_with_form()}")
        form = FORMS[kernel.type]
        self._form = None if form is None else functools.partial(form, self)
        if kernel.type not in ("linear", "rbf", *_OF_LENGTH) or n == 0:
            return
        # Distances, and a linear kernel's sums, lose fewest digits near 0. Rounded, so that the graph subtracts the same number.
        mean = points.weighted(np.full((1, n), 1 / n))[0]
        self._shift = mean.astype(g.dtype).astype(np.float64)
        self._near = g.node("Sub", x, self._shift)
        if kernel.type != "linear":
            g.reserve(n * self._columns)
            square = kernel.gamma if kernel.type == "rbf" else (_OF_LENGTH[kernel.type] * kernel.gamma) ** 2
            self._exponents = Exponents(g, self._near, points.rows() - self._shift, square)

    def sums(self, coef: FloatArray) -> str:
        """(n, p) from coef (p, points)."""
        g, (n, columns) = self._g, self._points.shape
        if not n:
            return g.node("MatMul", self._x, np.zeros((columns, len(coef))))
        if self._form is None:
            weights = self._points.weighted(coef)
            sums = g.node("Add", g.node("MatMul", self._near, weights.T), weights @ self._shift)
            # Of a row of zeros, such as a text without a known word, exactly 0: a tie is a tie in the graph, too.
            nothing = g.node("Equal", g.row_sums(g.node("Abs", self._x), columns), 0.0)
            return g.node("Where", nothing, 0.0, sums)
        g.reserve(n * (columns + len(coef)))
        lanes = max(1, _LANES // len(coef))
        blocks = np.array_split(_mixed(coef.sum(axis=0)), -(-n // _BLOCK))
        parts = [g.node("MatMul", self._form(block), _in_lanes(coef[:, block], lanes)) for block in blocks]
        while len(parts) > 1:  # in pairs, which rounds least
            odd = parts[len(parts) - len(parts) % 2 :]
            parts = [g.node("Add", a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + odd
        return g.node("MatMul", parts[0], np.tile(np.eye(len(coef)), (lanes, 1))) if lanes > 1 else parts[0]

    def values(self) -> str:
        """K(x, z), (n, points)."""
        n = self._points.shape[0]
        return str(self._form(np.arange(n))) if self._form else self.sums(np.eye(n))

    def distances(self) -> str:
        """|x - z| of an rbf kernel of gamma 1, (n, points)."""
        return self._g.node("Sqrt", self._g.node("Neg", self._exponents.of(np.arange(self._points.shape[0]))))

    def _rbf(self, which: IndexArray) -> str:
        return self._g.node("Exp", self._exponents.of(which))

    def _length(self, which: IndexArray) -> tuple[str, str]:
        """a and exp(-a)."""
        a = self._g.node("Sqrt", self._g.node("Neg", self._exponents.of(which)))
        return a, self._g.node("Exp", self._g.node("Neg", a))

    def _exponential(self, which: IndexArray) -> str:
        return self._length(which)[1]

    def _matern32(self, which: IndexArray) -> str:
        g, (a, value) = self._g, self._length(which)
        return g.node("Mul", g.node("Add", a, 1.0), value)

    def _matern52(self, which: IndexArray) -> str:
        g, (a, value) = self._g, self._length(which)
        before = g.node("Add", g.node("Add", a, 1.0), g.node("Mul", g.node("Mul", a, a), 1 / 3))
        return g.node("Mul", before, value)

    def _tanimoto(self, which: IndexArray) -> str:
        g, points = self._g, self._points.rows(which)
        inner = g.node("MatMul", self._x, points.T)
        norms = g.row_sums(g.node("Mul", self._x, self._x), self._columns)
        either = g.node("Sub", g.node("Add", norms, (points * points).sum(axis=1)[None]), inner)
        nothing = g.node("Equal", either, 0.0)
        return str(g.node("Where", nothing, 1.0, g.node("Div", inner, g.node("Where", nothing, 1.0, either))))

    def _inner(self, which: IndexArray) -> str:
        product = self._g.node("MatMul", self._x, self._kernel.gamma * self._points.rows(which).T)
        return self._g.node("Add", product, self._kernel.coef0)

    def _poly(self, which: IndexArray) -> str:
        g, base, degree = self._g, self._inner(which), self._kernel.degree
        result = None
        while degree > 0:
            if degree % 2:
                result = base if result is None else g.node("Mul", result, base)
            degree //= 2
            base = g.node("Mul", base, base) if degree else base
        return g.node("Add", g.node("Mul", base, 0.0), 1.0) if result is None else result

    def _sigmoid(self, which: IndexArray) -> str:
        return self._g.node("Tanh", self._inner(which))


#: by kernel; None: a product with weights
FORMS: Mapping[str, Callable[[KernelSums, IndexArray], str] | None] = {
    "linear": None,
    "poly": KernelSums._poly,
    "rbf": KernelSums._rbf,
    "sigmoid": KernelSums._sigmoid,
    "exponential": KernelSums._exponential,
    "matern32": KernelSums._matern32,
    "matern52": KernelSums._matern52,
    "tanimoto": KernelSums._tanimoto,
}


def kernels_with_form() -> str:
    """Their names, as the end of an error message."""
    return in_a_row(map(repr, FORMS), "or")


def normalised(g: Graph, x: str, columns: int) -> str:
    """Rows of norm 1; rows of zeros stay."""
    norm = g.node("Sqrt", g.row_sums(g.node("Mul", x, x), columns))
    return g.node("Div", x, g.node("Where", g.node("Equal", norm, 0.0), 1.0, norm))


def _mixed(coef: FloatArray) -> IndexArray:
    """An order of the points in which the sum of coefficients so far stays near 0, as far as it can: terms of one sign in a row
    make large sums, which lose digits."""
    shuffled = np.random.default_rng(0).permutation(len(coef))
    signs = [list(shuffled[coef[shuffled] > 0]), list(shuffled[coef[shuffled] <= 0])]
    order, total = [], 0.0
    while signs[0] or signs[1]:
        chosen = signs[bool((total > 0 and signs[1]) or not signs[0])].pop()
        total += float(coef[chosen])
        order.append(chosen)
    return np.array(order)


def _in_lanes(coef: FloatArray, lanes: int) -> FloatArray:
    """(points, lanes * p) from coef (p, points): each run of points has columns of its own."""
    p, n = coef.shape
    table = np.zeros((n, lanes, p))
    table[np.arange(n), np.arange(n) * lanes // n] = coef.T
    return table.reshape(n, -1)
