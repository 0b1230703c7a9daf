"""``to_onnx`` of any model or estimator."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._input.choices import GraphDtype, GraphOperators

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    op: GraphOperators = "plain",
    dtype: GraphDtype = "float32",
) -> ModelProto:
    """The model as an ONNX graph of one input X, (n, n_features), for any n.

    Parameters
    ----------
    model : a dcsvm model or a fitted estimator
        Of any kind but kernels that are no formula (precomputed, callable).
    path : str or path or None, default=None
        Where the graph is also written.
    op : {"plain", "ml"}, default="plain"
        Matrix products and functions that every runtime has, or the SVM operators of ai.onnx.ml: for exact SVMs and linear
        models, in float32.
    dtype : {"float32", "float64"}, default="float32"
        Of X, the numbers in the graph and the outputs.

    Returns
    -------
    onnx.ModelProto
        Outputs, with the shapes of the methods: ``label`` (predict), ``decision`` (decision_function) and, where the model
        has them, ``probabilities`` (predict_proba); of a regression ``prediction`` alone.

    Raises
    ------
    ValueError
        For models without a form in ONNX, and for files above 2 GB.
    ImportError
        Without the package onnx.
    OSError
        When the file cannot be written.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(500)
    >>> graph = dcsvm.train(X, y, C=10, gamma=4).to_onnx()
    >>> [output.name for output in graph.graph.output]
    ['label', 'decision']
    """
    if not any(c.__module__ == "dcsvm" for c in type(model).__mro__) or not hasattr(model, "to_onnx"):
        advice = ""
        if hasattr(model, "fit") and hasattr(model, "get_params"):  # a pipeline, a search, another package's estimator
            advice = ": skl2onnx.to_onnx converts it, with the dcsvm estimators in it, after dcsvm.onnx.register()"
        raise TypeError(f"to_onnx: a dcsvm model or fitted estimator was expected, got a {type(model).__name__}{advice}")
    graph: ModelProto = model.to_onnx(path, op=op, dtype=dtype)
    return graph
