"""skl2onnx: our estimators in scikit-learn's pipelines."""

from __future__ import annotations

from typing import Any

from .._graphs.convert import OPERATORS, Output, answers, describe
from .._graphs.graph import OPSET, Graph
from .._least_squares.ls_svm import LsSvmModel
from .._shown.packages import installed_by

_LEAST_OPSET = 13


def register() -> None:
    """Teaches skl2onnx to convert all estimators of dcsvm, alone, in pipelines, and inside of scikit-learn's meta-estimators.

    Outputs follow skl2onnx's habits: classifiers ``label`` and ``probabilities``, a ``ZipMap`` unless the option ``zipmap`` is
    False. Without probabilities, or with the option ``raw_scores``, the second output is ``decision``, (n, n_classes), of two
    classes minus and plus the decision value; SVC with ``decision_function_shape="ovo"``: (n, pairs). Outlier detectors:
    ``label`` and ``scores``; regressors: ``variable``; all of them (n, 1). The option ``op`` is "plain" or "ml", as in
    :func:`to_onnx`. Calling it again changes nothing.

    Raises
    ------
    ImportError
        Without the packages skl2onnx and scikit-learn.
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError(f"register needs skl2onnx: {installed_by('onnx')} ({error})", name=error.name) from error
    from sklearn.base import ClassifierMixin

    from .. import estimators

    for name in estimators.__all__:
        kind = getattr(estimators, name)
        if not hasattr(kind, "to_onnx"):  # transformers
            continue
        options: dict[str, Any] = {"op": list(OPERATORS)}
        if issubclass(kind, ClassifierMixin):
            options.update(zipmap=[True, False, "columns"], raw_scores=[True, False], output_class_labels=[True, False])
            options["nocl"] = [True, False]
        update_registered_converter(
            kind, f"Dcsvm{name}", _shapes, _converted, parser=_parsed if "zipmap" in options else None, options=options
        )


def _parsed(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """The outputs of a classifier: a ZipMap is of probabilities alone."""
    from skl2onnx import get_model_alias
    from skl2onnx._parse import _parse_sklearn_classifier
    from skl2onnx.common.data_types import Int64TensorType, guess_tensor_type

    raw = (scope.get_options(model, {}, fail=False) or {}).get("raw_scores")
    if hasattr(model, "predict_proba") and not raw:
        return _parse_sklearn_classifier(scope, model, inputs, custom_parsers=custom_parsers)
    operator = scope.declare_local_operator(get_model_alias(type(model)), model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("label", Int64TensorType()))
    operator.outputs.append(scope.declare_local_variable("decision", guess_tensor_type(inputs[0].type)))
    return operator.outputs


def _is_double(operator: Any) -> bool:
    from skl2onnx.common.data_types import DoubleTensorType

    return isinstance(operator.inputs[0].type, DoubleTensorType)


def _shapes(operator: Any) -> None:
    """Types and shapes of the outputs."""
    from skl2onnx.common import data_types as types

    model = operator.raw_operator
    trained, wanted = model._exported()
    n = operator.inputs[0].get_first_dimension()
    numbers = types.DoubleTensorType if _is_double(operator) else types.FloatTensorType
    if len(operator.outputs) == 1:
        targets = len(trained.intercept_) if isinstance(trained, LsSvmModel) else 1
        operator.outputs[0].set_type(numbers([n, targets]))
        return
    if not len(trained.classes_):
        operator.outputs[0].set_type(types.Int64TensorType([n, 1]))
        operator.outputs[1].set_type(numbers([n, 1]))
        return
    label = {"f": types.DoubleTensorType, "U": types.StringTensorType}.get(trained.classes_.dtype.kind, types.Int64TensorType)
    operator.outputs[0].set_type(label([n]))
    k = len(trained.classes_)
    known = k == 2 or wanted.decision != "native" or operator.outputs[1].raw_name != "decision"
    operator.outputs[1].set_type(numbers([n, k if known else None]))


def _converted(scope: Any, operator: Any, container: Any) -> None:
    """Adds the estimator's nodes to skl2onnx's graph."""
    if container.target_opset < _LEAST_OPSET:
        raise ValueError(f"dcsvm: target_opset must be at least {_LEAST_OPSET}, got {container.target_opset}")
    model = operator.raw_operator
    options = {"op": "plain", "raw_scores": False, **(container.get_options(model, {}, fail=False) or {})}
    trained, wanted = model._exported()
    g = Graph("float64" if _is_double(operator) else "float32", describe(trained), scope.get_unique_variable_name)
    x = g.cast(operator.inputs[0].full_name, "float")
    found = {output.name: output for output in answers(g, x, trained, wanted, options["op"])}
    names = [output.full_name for output in operator.outputs]
    if len(names) == 1:
        values = [_two_dimensional(g, found["prediction"])]
    elif not len(trained.classes_):
        values = [_two_dimensional(g, found["label"]), _two_dimensional(g, found["decision"])]
    elif "probabilities" in found and not options["raw_scores"]:
        values = [found["label"].value, found["probabilities"].value]
    else:
        values = [found["label"].value, _columns(g, found["decision"])]
    for value, name in zip(values, names, strict=True):
        g.node("Identity", value, outputs=[name])
    container.initializers.extend(g.constants)
    container.nodes.extend(g.nodes)
    domains = {node.domain for node in g.nodes}
    container.node_domain_version_pair_sets.update((d, min(OPSET, container.target_opset) if d == "" else 1) for d in domains)


def _two_dimensional(g: Graph, output: Output) -> str:
    return g.as_columns(output.value) if output.columns is None else output.value


def _columns(g: Graph, decision: Output) -> str:
    """Two classes: (n, 2), minus and plus the decision value."""
    if decision.columns is not None:
        return decision.value
    values = _two_dimensional(g, decision)
    return g.node("Concat", g.node("Neg", values), values, axis=1)
