"""Local deep kernel models: the nodes on a row's path through a tree decide."""

from __future__ import annotations

import numpy as np

from .._input.validate import FloatArray
from .._model_file.fields import ModelFile
from .answers import Decisions
from .graph import Graph


def ldkl(g: Graph, x: str, file: ModelFile) -> Decisions:
    """The decisions of a local deep kernel model."""
    head = file["LDKL"]
    d, depth, sigma = head.number("q"), head.number("q"), head.number("d")
    classes = file["CLAS"].array("f8")
    problems = 1 if len(classes) == 2 else len(classes)
    w, v, theta = (file[tag].array("f8").reshape(problems, -1, d + 1) for tag in ("LDKW", "LDKV", "LDKT"))
    columns = [_tree(g, x, w[p], sigma * v[p], theta[p], depth) for p in range(problems)]
    values = columns[0] if problems == 1 else g.node("Concat", *columns, axis=1)
    return Decisions(values, problems, "positive" if problems == 1 else "largest", classes)


def _tree(g: Graph, x: str, w: FloatArray, v: FloatArray, theta: FloatArray, depth: int) -> str:
    """(n, 1). Every node is computed; those off a row's path count 0."""
    terms = g.node("Mul", _products(g, x, w), g.node("Tanh", _products(g, x, v)))
    if depth > 0:
        turns, lefts = _turns(len(w), len(theta))
        right = g.cast(g.node("Greater", _products(g, x, theta), np.zeros(1)), "float")
        score = g.node("Add", g.node("MatMul", right, turns), lefts)  # 0 on the path, at most -1 elsewhere
        terms = g.node("Mul", terms, g.cast(g.node("Greater", score, np.array([-0.5])), "float"))
    return g.row_sums(terms, len(w))


def _products(g: Graph, x: str, vectors: FloatArray) -> str:
    return g.node("Add", g.node("MatMul", x, np.ascontiguousarray(vectors[:, :-1].T)), vectors[:, -1].copy())


def _turns(nodes: int, inner: int) -> tuple[FloatArray, FloatArray]:
    """With r in {0, 1} of the inner nodes' turns to the right, r @ turns + lefts is 0 at the nodes on the path, and below for
    every turn towards a node that differs."""
    turns, lefts = np.zeros((inner, nodes)), np.zeros(nodes)
    for node in range(nodes):
        at = node
        while at > 0:
            parent, is_right = (at - 1) // 2, at % 2 == 0
            turns[parent, node] = 1.0 if is_right else -1.0
            lefts[node] -= 1.0 if is_right else 0.0
            at = parent
    return turns, lefts
