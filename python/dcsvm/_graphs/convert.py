"""The graph of a model, from its file. No class of a model is known here."""

from __future__ import annotations

import importlib.util
import os
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .._shown.packages import installed_by

if importlib.util.find_spec("onnx") is None:
    raise ImportError(f"to_onnx needs the package onnx: {installed_by('onnx')}", name="onnx")

from onnx import helper

from .. import _core
from .._input import validate
from .._input.choices import GraphDtype, GraphOperators
from .._model_file.fields import ModelFile
from .._model_file.frame import write_whole
from .._shown.training_warnings import users_line
from .answers import Decisions, calibrated, codes, coupled, largest, scores_of_classes, side
from .decisions import decisions
from .graph import ML_OPSET, OPSET, Graph
from .operators import ml_decisions
from .wanted import Trained, Wanted

if TYPE_CHECKING:
    from onnx import ModelProto

_ON_BOUNDARY = 1e-6  # violation of a one-class model up to which float32 cannot tell on which side its free support vectors lie
OPERATORS: tuple[str, ...] = get_args(GraphOperators)
DTYPES: tuple[str, ...] = get_args(GraphDtype)


class Output(NamedTuple):
    """An output: its value, its kind ("float", "int64", "double", "text") and the columns, None: (n,)."""

    name: str
    value: str
    kind: str
    columns: int | None


def to_graph(
    model: Trained, wanted: Wanted, name: str, path: str | os.PathLike[str] | None, op: GraphOperators, dtype: GraphDtype
) -> ModelProto:
    """The graph of a native model, which answers as wanted. name: of the class that is exported."""
    target = None if path is None else validate.path("path", path)
    validate.choice("op", op, OPERATORS)
    g = Graph(validate.choice("dtype", dtype, DTYPES), describe(model))
    outputs = answers(g, "X", model, wanted, op)
    content = helper.make_graph(
        [*g.nodes, *(helper.make_node("Identity", [o.value], [o.name]) for o in outputs)],
        f"dcsvm {name}",
        [g.as_type("X", ["n", model.n_features_in_])],
        [g.as_type(o.name, ["n"] if o.columns is None else ["n", o.columns], o.kind) for o in outputs],
        g.constants,
    )
    opsets = [helper.make_opsetid("", OPSET)] + [helper.make_opsetid("ai.onnx.ml", ML_OPSET)] * (op == "ml")
    graph = helper.make_model(content, opset_imports=opsets, ir_version=8, producer_name="dcsvm")
    graph.producer_version = _core.__version__
    if target is not None:
        write_whole(target, graph.SerializeToString())
    return graph


def describe(model: Any) -> str:
    """The model in an error about its size."""
    n = len(getattr(model, "support_", ())) or getattr(model._core, "n_train", 0) or getattr(model._core, "n_landmarks", 0)
    return f"a {type(model).__name__}" + f" of {n:,} vectors with {model.n_features_in_:,} features each" * bool(n)


def answers(g: Graph, x: str, model: Trained, wanted: Wanted, op: str) -> list[Output]:
    """The outputs for the rows x, which have the graph's precision."""
    file = ModelFile(model.to_bytes(timings=False))
    d = (ml_decisions if op == "ml" else decisions)(g, x, file, type(model).__name__)
    if d.rule == "number":
        single = d.columns == 1 and not wanted.two_dimensional
        return [Output("prediction", g.flat(d.values) if single else d.values, "float", None if single else d.columns)]
    if d.rule == "sides":
        _warn_of_boundary(g, model)
        inside = side(g, d.values, zero_inside=wanted.zero_inside)
        found = [Output("label", inside, "int64", None), Output("decision", g.flat(d.values), "float", None)]
        chance = _probabilities(g, d, wanted, found[1])
        return found + ([] if chance is None else [Output("probabilities", chance, "float", 2)])
    decision = _decision(g, d, wanted)
    chance = _probabilities(g, d, wanted, decision)
    if wanted.label_by == "probabilities" and chance is not None:
        code = largest(g, chance)
    elif wanted.label_by == "decision" and decision.columns is not None:
        code = largest(g, decision.value)
    else:
        code = codes(g, d)
    labels, kind = _labels(g, model._as_labels(d.classes))
    found = [Output("label", g.node("Gather", labels, code), kind, None), decision]
    return found + ([] if chance is None else [Output("probabilities", chance, "float", len(d.classes))])


def _warn_of_boundary(g: Graph, model: Trained) -> None:
    """Of a one-class model whose free support vectors lie nearer to the boundary than float32 can tell."""
    if g.dtype != np.float32 or model.report is None or model.report.violation > _ON_BOUNDARY:
        return
    warnings.warn(
        "to_onnx: free support vectors of a one-class model lie on its boundary, and float32 rounds some of them, and rows like "
        "them, to the outside, where predict has them inside: take dtype='float64' (skl2onnx: an input of type double), or call "
        "rows inside whose `decision` is above a small negative number",
        UserWarning,
        stacklevel=users_line(),
    )


def _probabilities(g: Graph, d: Decisions, wanted: Wanted, decision: Output) -> str | None:
    """(n, classes), None where there are none. ValueError where an estimator was to have them, and its fit found none."""
    if wanted.probabilities is False:
        return None
    if wanted.sigmoids is not None:
        a, b, of_pairs = wanted.sigmoids
        chance = coupled(a, b, len(d.classes)) if of_pairs else calibrated(a, b)
        return chance(g, g.as_columns(decision.value) if decision.columns is None else decision.value)
    if d.chance is not None:
        return d.chance(g, d.values)
    if wanted.probabilities:
        raise ValueError(
            "to_onnx: probability is set, but the last fit calibrated no probabilities: fit the estimator again, or set "
            "probability=False for a graph without them"
        )
    return None


def _labels(g: Graph, labels: npt.NDArray[Any]) -> tuple[str, str]:
    if labels.dtype.kind == "f":
        return g.tensor(labels.astype(np.float64)), "double"
    return g.constant(labels), "text" if labels.dtype.kind == "U" else "int64"


def _decision(g: Graph, d: Decisions, wanted: Wanted) -> Output:
    value, columns = d.values, d.columns
    if wanted.decision == "of_classes" and len(d.classes) > 2:
        value, columns = scores_of_classes(g, d), len(d.classes)
    elif wanted.decision == "difference" and columns == 2:
        value, columns = g.node("Sub", g.column(value, 1), g.column(value, 0)), 1
    elif d.flipped:
        value = g.node("Sub", 0.0, value)  # of 0 it is 0, where Neg gives -0
    return Output("decision", g.flat(value) if columns == 1 else value, "float", None if columns == 1 else columns)
