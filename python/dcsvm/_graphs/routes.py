"""Clustered models: each row finds its cluster, and the rows of a cluster are decided together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .._input.validate import FloatArray
from .._model_file.fields import Points
from .answers import pairs_of
from .graph import Graph
from .kernels import KernelSums
from .pairs import Svm, pair_coefficients, sum_of_all


def routed(g: Graph, x: str, group: str, base: str, decide: Mapping[int, Callable[[str], str]]) -> str:
    """base (n, p) plus, for the rows whose `group` (n,) is i, what decide[i] makes of those rows of x, (rows, p)."""
    if not decide:
        return base
    places, values = [], []
    for i, decided in decide.items():
        rows = g.flat(g.node("NonZero", g.node("Equal", group, i)))
        places.append(rows)
        values.append(decided(g.node("Gather", x, rows, axis=0)))
    order = g.node("Reshape", g.node("Concat", *places, axis=0), np.array([-1, 1]))
    zeros = g.node("Sub", base, base)
    return g.node("Add", base, g.node("ScatterND", zeros, order, g.node("Concat", *values, axis=0)))


def clusters_of(g: Graph, x: str, parts: Svm) -> tuple[str, list[int]]:
    """For each row the place of its cluster in the list that is returned with it."""
    kernel_router = "RTRK" in parts.file
    fields = parts.file["RTRK" if kernel_router else "RTRC"]
    n_clusters = len(parts.expansions)
    if kernel_router:
        kernel, sample, first, constant = fields.kernel(), fields.points(), fields.array("i8"), fields.array("f8")
        sizes = np.diff(first)
        found = [c for c in range(n_clusters) if len(parts.expansions[c].classes) and sizes[c]]
        weights = np.zeros((len(found), len(sizes) and int(first[-1])))
        for row, c in enumerate(found):
            weights[row, first[c] : first[c + 1]] = -2.0 / sizes[c]
        if kernel.type == "precomputed":
            raise ValueError("to_onnx: clusters of a precomputed kernel have no form in ONNX")
        scores = g.node("Add", KernelSums(g, x, kernel, sample).sums(weights), constant[found])
    else:
        shape = fields.number("q"), fields.number("q")
        centres = fields.array("f8").reshape(shape)
        found = [c for c in range(n_clusters) if len(parts.expansions[c].classes)]
        # |x - c|^2 - |x - m|^2, from m, the mean of the centres
        mean = centres.mean(axis=0).astype(g.dtype).astype(np.float64)
        near = centres[found] - mean
        products = g.node("MatMul", g.node("Sub", x, mean), -2 * near.T)
        scores = g.node("Add", products, np.einsum("ij,ij->i", near, near))
    return g.node("ArgMin", scores, axis=1, keepdims=0), found


def _offsets(parts: Svm, clusters: list[int]) -> FloatArray:
    """(clusters, pairs): -rho; of pairs with one class in the cluster alone, that class's sign; else 0."""
    table = np.zeros((len(clusters), parts.n_pairs))
    for row, c in enumerate(clusters):
        expansion = parts.expansions[c]
        present, rho = set(expansion.classes.tolist()), iter(expansion.rho)
        for p, (i, j) in enumerate(pairs_of(parts.k)):
            both = i in present and j in present
            table[row, p] = -next(rho) if both else float(i in present) - float(j in present)
    return table


def naive(g: Graph, x: str, parts: Svm) -> str:
    """The sum over all clusters, with the bias of the nearest."""
    sums = sum_of_all(g, x, parts)
    if not parts.fit_intercept:
        return sums
    place, clusters = clusters_of(g, x, parts)
    return g.node("Add", sums, g.node("Gather", _offsets(parts, clusters), place, axis=0))


def early(g: Graph, x: str, parts: Svm) -> str:
    """The model of the nearest cluster."""
    place, clusters = clusters_of(g, x, parts)
    base = g.node("Gather", _offsets(parts, clusters), place, axis=0)
    return routed(g, x, place, base, {row: _in_cluster(g, parts, c) for row, c in enumerate(clusters) if _has_sums(parts, c)})


def _has_sums(parts: Svm, c: int) -> bool:
    return len(parts.expansions[c].classes) > 1 and parts.expansions[c].n_support.sum() > 0


def _in_cluster(g: Graph, parts: Svm, c: int) -> Callable[[str], str]:
    expansion = parts.expansions[c]
    n = int(expansion.n_support.sum())
    which = slice(expansion.first, expansion.first + n)
    points = Points((n, parts.points.shape[1]), parts.points.rows(which).ravel())
    coef = pair_coefficients(parts, which, set(expansion.classes.tolist()))
    return lambda rows: KernelSums(g, rows, parts.kernel, points).sums(coef)
