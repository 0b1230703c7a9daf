"""The decision values of each kind of model, with the core's signs, as plain operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._base.validate import FloatArray
from .._dc_pred.train import DCPredModel
from .._ldkl.model import LDKLModel
from .._least_squares.ls_svm import LsSvmModel
from .._linear.model import LinearModel
from .._low_rank.model import LowRankModel
from .._svm.model import Model
from ._answers import Decisions, coupled, marked, one_against_the_rest, sigmoid_pair, softmax
from ._graph import Graph
from ._kernels import KernelSums, normalised
from ._leaves import dc_pred
from ._model_file import ModelFile, order_of_ties
from ._pairs import Svm, whole
from ._routes import early, naive
from ._trees import ldkl


def refuse_kernels(model: Any) -> None:
    """ValueError for kernels that are no formula."""
    if getattr(model, "kernel", "") == "precomputed":
        raise ValueError(
            "to_onnx: kernel='precomputed' (and a callable kernel) has no form in ONNX: its values come from outside. "
            "Train with kernel 'linear', 'poly', 'rbf' or 'sigmoid'"
        )


def decisions(g: Graph, x: str, model: Any) -> Decisions:
    """What the model decides for the rows x. ValueError for what has no form in ONNX."""
    refuse_kernels(model)
    return _KINDS[type(model)](g, x, model)


def svm(g: Graph, x: str, model: Model) -> Decisions:
    parts = Svm(ModelFile(model))
    return of_svm(model, parts, _svm_values(g, x, parts))


def _svm_values(g: Graph, x: str, parts: Svm) -> str:
    if not parts.clustered:
        return whole(g, x, parts)
    if parts.prediction == "bcm":
        raise ValueError(
            "to_onnx: prediction='bcm' needs a factorisation of each cluster, which is too large for a graph. "
            "Take model.with_prediction('early') or 'naive'"
        )
    return early(g, x, parts) if parts.prediction == "early" else naive(g, x, parts)


def of_svm(model: Model, parts: Svm, values: str) -> Decisions:
    """Decision values of an SVM, whatever computed them, with what follows from them."""
    calibration = model.calibration
    if not len(parts.classes):
        marks = None if calibration is None else calibration["density_marks"]
        sides = model.formulation == "one_class"
        chance = marked(marks) if sides and marks is not None else None
        return Decisions(values, 1, "sides" if sides else "number", parts.classes, chance)
    chance = None if calibration is None else coupled(calibration["a"], calibration["b"], len(parts.classes))
    return Decisions(values, parts.n_pairs, "vote", parts.classes, chance, "later", order_of_ties(parts.file))


def low_rank(g: Graph, x: str, model: LowRankModel) -> Decisions:
    file = ModelFile(model)
    kernel, classes = file["LRNK"].kernel(), file["CLAS"].array("f8")
    fields = file["LRCF"]
    coef, intercept = fields.array("f8"), fields.array("f8")
    coef = coef.reshape(len(intercept), -1)
    points = file["PNTS"].points()
    if "LRPH" in file:  # random features
        angles = g.node("Add", g.node("MatMul", x, points.rows().T), file["LRPH"].array("f8"))
        sums = g.node("MatMul", g.node("Cos", angles), coef.T)
    else:
        sums = KernelSums(g, x, kernel, points).sums(coef)
    votes = len(classes) == 2 or model.multi_class == "ovo"
    return Decisions(g.node("Add", sums, intercept), len(intercept), "vote" if votes else "largest", classes)


def ls_svm(g: Graph, x: str, model: LsSvmModel) -> Decisions:
    file = ModelFile(model)
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


def linear_weights(model: LinearModel) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights (n_features, n_vectors), what is added to the products, classes: with the core's signs."""
    file = ModelFile(model)
    head = file["LINR"]
    _, d, bias, rho = head.number("I"), head.number("q"), head.number("d"), head.number("d")
    w = file["LIWT"].array("f8").reshape(-1, model._core.n_vectors)
    return w[:d], (bias * w[d] if bias >= 0 else np.zeros(w.shape[1])) - rho, file["LICL"].array("f8")


def linear(g: Graph, x: str, model: LinearModel) -> Decisions:
    weights, added, _ = linear_weights(model)
    return of_linear(model, g.node("Add", g.node("MatMul", x, weights), added))


def of_linear(model: LinearModel, values: str) -> Decisions:
    """Decision values of a linear model, whatever computed them, with what follows from them."""
    file, n = ModelFile(model), model._core.n_vectors
    classes = file["LICL"].array("f8")
    if not len(classes):
        return Decisions(values, n, "sides" if model.solver == "one_class" else "number", classes)
    chance = None
    if model.solver in ("logistic", "l1_logistic", "logistic_dual"):
        chance = sigmoid_pair if len(classes) == 2 else one_against_the_rest(n)
    order = order_of_ties(file)  # LIBLINEAR's, whose rule then holds
    if order is None:
        return Decisions(values, n, "positive" if n == 1 else "largest", classes, chance)
    return Decisions(values, n, "positive" if len(classes) == 2 else "largest", classes, chance, "later", order)


_KINDS: Mapping[type, Callable[[Graph, str, Any], Decisions]] = {
    Model: svm,
    LowRankModel: low_rank,
    DCPredModel: dc_pred,
    LsSvmModel: ls_svm,
    LinearModel: linear,
    LDKLModel: ldkl,
}
