"""The decision values of each kind of model, with the core's signs, as plain operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .._input.linear_solvers import SIDES, SOLVERS
from .._input.validate import FloatArray
from .._model_file.fields import ModelFile, order_of_ties
from .answers import Decisions, coupled, marked, one_against_the_rest, sigmoid_pair, softmax
from .graph import Graph
from .kernels import KernelSums, kernels_with_form, normalised
from .leaves import dc_pred
from .pairs import Svm, whole
from .routes import early, naive
from .trees import ldkl


def refuse_kernels(file: ModelFile) -> None:
    """ValueError for kernels that are no formula."""
    if any(tag in file and file[tag].kernel().type == "precomputed" for tag in ("META", "LRNK", "DPRD", "LSSV")):
        raise ValueError(
            "to_onnx: kernel='precomputed' (and a callable kernel) has no form in ONNX: its values come from outside. "
            f"Train with kernel {kernels_with_form()}"
        )


def decisions(g: Graph, x: str, file: ModelFile, kind: str) -> Decisions:
    """What the model decides for the rows x. ValueError for what has no form in ONNX, TypeError for a kind that KINDS lacks."""
    refuse_kernels(file)
    for tag, decide in KINDS.items():
        if tag in file:
            return decide(g, x, file)
    raise TypeError(
        f"to_onnx: a {kind} has no graph: its decisions are missing in KINDS of dcsvm/_graphs/decisions.py. Take another kind of "
        "model, or save() it and predict with dcsvm"
    )


def svm(g: Graph, x: str, file: ModelFile) -> Decisions:
    parts = Svm(file)
    return of_svm(parts, _svm_values(g, x, parts))


def _svm_values(g: Graph, x: str, parts: Svm) -> str:
    if not parts.clustered:
        return whole(g, x, parts)
    return {"early": early, "naive": naive}[parts.prediction](g, x, parts)


def of_svm(parts: Svm, values: str) -> Decisions:
    """Decision values of an SVM, whatever computed them, with what follows from them."""
    a = b = marks = np.empty(0)
    if "PROB" in parts.file:
        fields = parts.file["PROB"]
        a, b, marks = (fields.array("f8") for _ in range(3))
    if not len(parts.classes):
        chance = marked(marks) if parts.one_class and len(marks) else None
        return Decisions(values, 1, "sides" if parts.one_class else "number", parts.classes, chance)
    chance = coupled(a, b, len(parts.classes)) if len(a) else None
    return Decisions(values, parts.n_pairs, "vote", parts.classes, chance, "later", order_of_ties(parts.file))


def low_rank(g: Graph, x: str, file: ModelFile) -> Decisions:
    head, classes = file["LRNK"], file["CLAS"].array("f8")
    kernel, _, one_against_one = head.kernel(), head.number("I"), head.number("I")
    fields = file["LRCF"]
    coef, intercept = fields.array("f8"), fields.array("f8")
    coef = coef.reshape(len(intercept), -1)
    points = file["PNTS"].points()
    if "LRPH" in file:  # random features
        angles = g.node("Add", g.node("MatMul", x, points.rows().T), file["LRPH"].array("f8"))
        sums = g.node("MatMul", g.node("Cos", angles), coef.T)
    else:
        sums = KernelSums(g, x, kernel, points).sums(coef)
    votes = len(classes) == 2 or one_against_one
    return Decisions(g.node("Add", sums, intercept), len(intercept), "vote" if votes else "largest", classes)


def ls_svm(g: Graph, x: str, file: ModelFile) -> Decisions:
    head = file["LSSV"]
    kernel, normalise, _ = head.kernel(), head.number("I"), head.number("I")
    classes, fields, points = file["CLAS"].array("f8"), file["LSCF"], file["PNTS"].points()
    coef, intercept = fields.array("f8"), fields.array("f8")
    rows = normalised(g, x, points.shape[1]) if normalise else x
    sums = KernelSums(g, rows, kernel, points).sums(coef.reshape(len(intercept), -1))
    values = g.node("Add", sums, intercept)
    if not len(classes):
        return Decisions(values, len(intercept), "number", classes)
    return Decisions(values, len(intercept), "largest", classes, softmax)


def linear_weights(file: ModelFile) -> tuple[FloatArray, FloatArray]:
    """Weights (n_features, n_vectors), and what is added to the products: with the core's signs."""
    head = file["LINR"]
    _, d, bias, rho = head.number("I"), head.number("q"), head.number("d"), head.number("d")
    w = file["LIWT"].array("f8").reshape(d + (bias >= 0), -1)
    return w[:d], (bias * w[d] if bias >= 0 else np.zeros(w.shape[1])) - rho


def linear(g: Graph, x: str, file: ModelFile) -> Decisions:
    weights, added = linear_weights(file)
    return of_linear(file, g.node("Add", g.node("MatMul", x, weights), added), weights.shape[1])


def of_linear(file: ModelFile, values: str, n: int) -> Decisions:
    """Decision values (rows, n) of a linear model, whatever computed them, with what follows from them."""
    classes, solver = file["LICL"].array("f8"), list(SOLVERS)[file["LINR"].number("I")]
    if not len(classes):
        return Decisions(values, n, "sides" if solver in SIDES else "number", classes)
    chance = None
    if SOLVERS[solver]["probabilities"]:
        several = softmax if SOLVERS[solver]["softmax"] else one_against_the_rest(n)
        chance = sigmoid_pair if len(classes) == 2 else several
    order = order_of_ties(file)  # LIBLINEAR's, whose rule then holds
    if order is None:
        return Decisions(values, n, "positive" if n == 1 else "largest", classes, chance)
    return Decisions(values, n, "positive" if len(classes) == 2 else "largest", classes, chance, "later", order)


#: by a section that only this kind of model has
KINDS: Mapping[str, Callable[[Graph, str, ModelFile], Decisions]] = {
    "META": svm,
    "LRNK": low_rank,
    "DPRD": dc_pred,
    "LSSV": ls_svm,
    "LINR": linear,
    "LDKL": ldkl,
}
