"""Pairwise coupling as a loop of the graph: the rounds of cpp/src/svm/probability/pairwise_coupling.cpp for all rows at once.

Wu, Lin, Weng: Probability estimates for multi-class classification by pairwise coupling (2004), Algorithm 2. A row keeps its
values from the round on that finds them good enough, as it would alone.
"""

from __future__ import annotations

import numpy as np
from onnx import helper

from .graph import Graph


def couple(g: Graph, r: str, k: int) -> str:
    """Probabilities (n, k) from those of the pairs' first classes, (n, pairs)."""
    q = _coupling_matrix(g, r, k)
    start = g.node("Add", g.node("Mul", g.node("Gather", r, np.zeros(k, dtype=np.int64), axis=1), 0.0), 1.0 / k)
    # The matrix is carried along: converters that sort nodes do not see what a body takes from outside.
    results = [g.new_name("p"), g.new_name("matrix")]
    return g.node("Loop", np.array(max(100, k)), np.array(True), start, q, outputs=results, body=_round(g, k))


def _coupling_matrix(g: Graph, r: str, k: int) -> str:
    """(n, k, k): Q_tt = sum over j of r_jt^2, Q_tj = -r_jt r_tj."""
    pairs = k * (k - 1) // 2
    known = g.node("Concat", r, g.node("Sub", 1.0, r), g.node("Mul", g.column(r, 0), 0.0), axis=1)
    place = np.full((k, k), 2 * pairs)
    place[np.triu_indices(k, 1)] = np.arange(pairs)
    place.T[np.triu_indices(k, 1)] = pairs + np.arange(pairs)
    rows = g.node("Reshape", g.node("Gather", known, place.ravel(), axis=1), np.array([-1, k, k]))
    other = g.node("Transpose", rows, perm=[0, 2, 1])
    diagonal = g.node("MatMul", g.node("Mul", other, other), np.ones((k, 1)))
    return g.node("Sub", g.node("Mul", diagonal, np.eye(k)), g.node("Mul", rows, other))


def _round(g: Graph, k: int) -> object:
    """One round for the rows that are not done: each p_t in turn moves to where the objective is least."""
    body = g.body()
    number, go_on, p, q = (body.new_name(name) for name in ("round", "go_on", "p", "matrix"))
    columns = np.array([-1, k])
    qp = body.node("Reshape", body.node("MatMul", q, body.node("Reshape", p, np.array([-1, k, 1]))), columns)
    pqp = body.row_sums(body.node("Mul", p, qp), k)
    far = body.node("Abs", body.node("Sub", qp, pqp))
    off = body.row_sums(body.cast(body.node("Not", body.node("Less", far, 0.005 / k)), "float"), k)
    active = body.node("Greater", off, 0.5)
    moved = p
    for t in range(k):
        row = body.node("Reshape", body.node("Gather", q, np.array([t]), axis=1), columns)
        own, own_q = body.column(row, t), body.column(qp, t)
        step = body.node("Div", body.node("Sub", pqp, own_q), own)
        scale = body.node("Add", step, 1.0)
        change = body.node("Mul", step, body.node("Add", body.node("Mul", step, own), body.node("Mul", own_q, 2.0)))
        pqp = body.node("Div", body.node("Div", body.node("Add", pqp, change), scale), scale)
        qp = body.node("Div", body.node("Add", qp, body.node("Mul", row, step)), scale)
        moved = body.node("Div", body.node("Add", moved, body.node("Mul", step, np.eye(k)[t])), scale)
    result = body.node("Where", active, moved, p)
    any_left = body.cast(body.node("ReduceMax", body.cast(active, "float"), keepdims=0), "bool")
    same, matrix = body.node("Identity", q), body.as_type(q, [None, k, k])
    return helper.make_graph(
        body.nodes,
        "coupling",
        [body.as_type(number, [], "int64"), body.as_type(go_on, [], "bool"), body.as_type(p, [None, k]), matrix],
        [body.as_type(any_left, [], "bool"), body.as_type(result, [None, k]), body.as_type(same, [None, k, k])],
    )
