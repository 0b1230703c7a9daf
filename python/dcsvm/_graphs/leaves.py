"""DC-Pred++: a tree finds each row's leaf, whose few landmarks decide."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import _core
from .._input.parameters import parameters_of
from .._input.validate import FloatArray, IndexArray
from .._model_file.fields import Array, Kernel, Leaf, ModelFile, Points, leaves
from .answers import Decisions
from .graph import Graph
from .kernels import KernelSums
from .routes import routed

_PSEUDO = parameters_of(_core.DcPredParams)["pseudo"].choices  # in the order of their numbers in files


def dc_pred(g: Graph, x: str, file: ModelFile) -> Decisions:
    """The decisions of a DC-Pred++ model."""
    head = file["DPRD"]
    kernel, pseudo, d = head.kernel(), _PSEUDO[head.number("I")], head.number("q")
    classes, shift = head.array("f8"), head.array("f4")
    tree = file["DPTR"]
    directions, thresholds, children = (tree.array(dtype) for dtype in ("f4", "f4", "i4"))
    outputs = len(classes) if len(classes) > 2 else 1
    found = leaves(file)
    moved = g.node("Sub", x, shift.astype(np.float64))
    place = _leaf_of(g, moved, directions.reshape(-1, d).astype(np.float64), thresholds, children)
    base = g.node("Gather", np.array([leaf.intercept for leaf in found], dtype=np.float64), place, axis=0)
    decide = {i: _in_leaf(g, kernel, pseudo, leaf, d, outputs) for i, leaf in enumerate(found) if leaf.m > 0}
    values = routed(g, moved, place, base, decide)
    rule = "number" if not len(classes) else "positive" if len(classes) == 2 else "largest"
    return Decisions(values, outputs, rule, classes)


def _leaf_of(g: Graph, moved: str, directions: FloatArray, thresholds: Array, children: IndexArray) -> str:
    """(n,): the leaf of each row: the one whose path agrees with all nodes on it."""
    n_nodes = len(thresholds)
    turns, lefts = np.zeros((n_nodes, n_nodes + 1)), np.zeros(n_nodes + 1)
    if n_nodes == 0:
        directions, thresholds, turns = np.zeros((1, directions.shape[1])), np.zeros(1), np.zeros((1, 1))
    paths: list[list[tuple[int, int]]] = [[] for _ in range(n_nodes)]
    for node in range(n_nodes):  # parents come first
        for side in (0, 1):
            child, path = int(children[2 * node + side]), [*paths[node], (node, side)]
            if child >= 0:
                paths[child] = path
                continue
            for at, turn in path:
                turns[at, ~child] = 1.0 if turn else -1.0
            lefts[~child] = -sum(turn for _, turn in path)
    # A row's score of a leaf is 0 on its path, and below for every turn that differs.
    second = g.cast(g.node("Greater", g.node("MatMul", moved, directions.T), thresholds.astype(np.float64)), "float")
    return g.node("ArgMax", g.node("Add", g.node("MatMul", second, turns), lefts), axis=1, keepdims=0)


def _in_leaf(g: Graph, kernel: Kernel, pseudo: str, leaf: Leaf, d: int, outputs: int) -> Callable[[str], str]:
    coef = leaf.coef.astype(np.float64).reshape(outputs, leaf.m + leaf.p)
    landmarks = Points((leaf.m, d), leaf.landmarks)
    own = kernel._replace(gamma=float(leaf.gamma)) if kernel.type == "rbf" else kernel

    def decide(rows: str) -> str:
        sums = KernelSums(g, rows, own, landmarks)
        if leaf.p == 0:
            return sums.sums(coef)
        values = sums.values()
        if pseudo == "polynomial":
            first, second = (leaf.pairs[side::2].astype(np.int64) for side in (0, 1))
            more = g.node("Mul", g.node("Gather", values, first, axis=1), g.node("Gather", values, second, axis=1))
        else:
            distances = KernelSums(g, rows, own._replace(gamma=1.0), landmarks).distances()
            more = _bounded(g, distances, leaf, {"triangle": False, "triangle_upper": True}[pseudo])
        return g.node("MatMul", g.node("Concat", values, more, axis=1), coef.T)

    return decide


def _bounded(g: Graph, distances: str, leaf: Leaf, upper: bool) -> str:
    """Kernel values of pseudo landmarks whose distance is bounded by the triangle inequality, (n, p)."""
    between = leaf.between.astype(np.float64).reshape(leaf.m, leaf.p)
    bounds = []
    for j in range(leaf.m):
        own = g.column(distances, j)
        bounds.append(g.node("Add", own, between[j]) if upper else g.node("Abs", g.node("Sub", own, between[j])))
    bound = g.node("Min" if upper else "Max", *bounds)
    return g.node("Exp", g.node("Mul", g.node("Mul", bound, bound), -float(leaf.gamma)))
