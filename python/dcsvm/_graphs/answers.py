"""What follows from decision values: labels, the shapes of decision_function, probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._input.validate import FloatArray, IndexArray
from .coupling import couple
from .graph import Graph

_LEAST = 1e-7  # pairwise probabilities keep this far from 0 and 1

Chance = Callable[[Graph, str], str]  # probabilities (n, columns) from decision values


class Decisions(NamedTuple):
    """Decision values (n, columns), with the core's signs, and what they mean.

    rule: "vote" of pairs of classes | "largest" | "positive": of two classes the first where positive, the second where
    negative | "sides": 1 where positive, else -1 | "number"
    zero: which class of two, and of a pair, a value of 0 is for: "later" (LIBSVM, LIBLINEAR) | "earlier" (scikit-learn)
    order: the classes in the order that says what is earlier; None: as they are
    """

    values: str
    columns: int
    rule: str
    classes: FloatArray
    chance: Chance | None = None
    zero: str = "earlier"
    order: IndexArray | None = None

    @property
    def flipped(self) -> bool:
        """Whether decision_function has the other sign: there the second of two classes is positive."""
        return self.columns == 1 and len(self.classes) == 2


def pairs_of(k: int) -> list[tuple[int, int]]:
    """(0, 1), (0, 2), ..., (k-2, k-1)."""
    return [(i, j) for i in range(k) for j in range(i + 1, k)]


def _incidence(k: int) -> FloatArray:
    """(pairs, k): 1 for a pair's first class, -1 for its second."""
    table = np.zeros((k * (k - 1) // 2, k))
    for p, (i, j) in enumerate(pairs_of(k)):
        table[p, i], table[p, j] = 1.0, -1.0
    return table


def codes(g: Graph, d: Decisions) -> str:
    """(n,): which of the classes."""
    k = len(d.classes)
    if d.rule == "largest":
        return largest(g, d.values, d.order)
    if d.rule == "positive" or k == 2:
        return _of_two(g, d)
    place = np.arange(k) if d.order is None else np.argsort(d.order)
    first = np.array([(place[i] < place[j]) == (d.zero == "earlier") for i, j in pairs_of(k)], dtype=np.float64)
    positive, zero = (g.cast(g.node(operator, d.values, 0.0), "float") for operator in ("Greater", "Equal"))
    won = g.node("Add", positive, g.node("Mul", zero, first))
    return largest(g, _votes(g, won, k), d.order)


def _of_two(g: Graph, d: Decisions) -> str:
    """(n,): of a single column, or of Crammer and Singer's two, of which LIBLINEAR looks at that of its first class."""
    first, second = (0, 1) if d.order is None else d.order
    values = g.flat(g.column(d.values, first if d.columns == 2 else 0))
    if d.columns == 1 and first == 1:
        values = g.node("Neg", values)
    is_second = g.node("Less", values, 0.0) if d.zero == "earlier" else g.node("Not", g.node("Greater", values, 0.0))
    return g.node("Where", is_second, np.array(second), np.array(first))


def largest(g: Graph, values: str, order: IndexArray | None = None) -> str:
    """(n,): the column of the largest value; of equal ones the first in the order."""
    if order is None:
        return g.node("ArgMax", values, axis=1, keepdims=0)
    return g.node("Gather", order, g.node("ArgMax", g.node("Gather", values, order, axis=1), axis=1, keepdims=0))


def _votes(g: Graph, won: str, k: int) -> str:
    """(n, k) from (n, pairs): 1 where the pair's first class has won, else 0."""
    incidence = _incidence(k)
    return g.node("Add", g.node("MatMul", won, incidence), (incidence < 0).sum(axis=0).astype(float))


def scores_of_classes(g: Graph, d: Decisions) -> str:
    """(n, k): scikit-learn's ``decision_function_shape="ovr"``, votes with a confidence below 1/3 to break ties."""
    k = len(d.classes)
    lost = g.cast(g.node("Less", d.values, 0.0), "float")
    sums = g.node("MatMul", d.values, _incidence(k))
    size = g.node("Mul", g.node("Add", g.node("Abs", sums), 1.0), 3.0)
    return g.node("Add", _votes(g, g.node("Sub", 1.0, lost), k), g.node("Div", sums, size))


def side(g: Graph, values: str, *, zero_inside: bool = False) -> str:
    """(n,): 1 inside, -1 outside."""
    inside = g.node("Greater", g.flat(values), 0.0)
    if zero_inside:
        inside = g.node("Not", g.node("Less", g.flat(values), 0.0))
    return g.node("Where", inside, np.array(1), np.array(-1))


# Probabilities


def _beside(g: Graph, p: str) -> str:
    """(n, 2): p and 1 - p."""
    return g.node("Concat", p, g.node("Sub", 1.0, p), axis=1)


def sigmoid_pair(g: Graph, values: str) -> str:
    """Of two classes by logistic regression."""
    return _beside(g, g.node("Sigmoid", values))


def one_against_the_rest(k: int) -> Chance:
    """Of several classes by logistic regression."""

    def chance(g: Graph, values: str) -> str:
        each = g.node("Sigmoid", values)
        return g.node("Div", each, g.row_sums(each, k))

    return chance


def softmax(g: Graph, values: str) -> str:
    return g.node("Softmax", values, axis=1)


def coupled(a: FloatArray, b: FloatArray, k: int) -> Chance:
    """Platt's sigmoids, joined by pairwise coupling where there are several classes."""

    def chance(g: Graph, values: str) -> str:
        logits = g.node("Sub", g.node("Mul", values, -a), b)
        r = g.node("Clip", g.node("Sigmoid", logits), np.array(_LEAST), np.array(1 - _LEAST))
        return _beside(g, r) if k == 2 else couple(g, r, k)

    return chance


def calibrated(a: FloatArray, b: FloatArray) -> Chance:
    """A sigmoid of each column, of values whose sign is that of decision_function: several classes are divided by their sum."""

    def chance(g: Graph, values: str) -> str:
        each = g.node("Sigmoid", g.node("Sub", g.node("Mul", values, -a), b))
        if len(a) == 1:
            return g.node("Concat", g.node("Sub", 1.0, each), each, axis=1)
        total = g.row_sums(each, len(a))
        some = g.node("Greater", total, 0.0)
        shares = g.node("Div", each, g.node("Where", some, total, 1.0))
        return g.node("Where", some, shares, 1 / len(a))

    return chance


def marked(marks: FloatArray) -> Chance:
    """Of a one-class model: inside and outside, in steps of its marks."""
    steps = np.array([0.001, *(i / len(marks) for i in range(1, len(marks))), 0.999])

    def chance(g: Graph, values: str) -> str:
        passed = g.cast(g.node("Not", g.node("Less", values, marks)), "float")
        place = g.cast(g.row_sums(passed, len(marks)), "int64")
        return _beside(g, g.node("Gather", steps, place))

    return chance
