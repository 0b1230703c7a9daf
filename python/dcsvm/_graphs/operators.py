"""Decision values by the operators of ai.onnx.ml, which sum in float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._input.kernels import KERNELS
from .._model_file.fields import ModelFile
from .answers import Decisions
from .decisions import linear_weights, of_linear, of_svm, refuse_kernels
from .graph import Graph
from .pairs import Svm

_DOMAIN = "ai.onnx.ml"


def ml_decisions(g: Graph, x: str, file: ModelFile, kind: str) -> Decisions:
    """What the model decides for the rows x. ValueError, which names its kind, for models that these operators cannot express."""
    refuse_kernels(file)
    if g.dtype != np.float32:
        raise ValueError("to_onnx: op='ml' computes in float32: take dtype='float32', or op='plain'")
    if "LINR" in file:
        weights, added = linear_weights(file)
        values = g.node(
            "LinearRegressor",
            x,
            domain=_DOMAIN,
            coefficients=weights.T.ravel().tolist(),
            intercepts=added.tolist(),
            targets=weights.shape[1],
        )
        return of_linear(file, values, weights.shape[1])
    if "META" not in file or "CLSZ" in file:
        found = "a clustered model" if "META" in file else f"a {kind}"
        raise ValueError(f"to_onnx: op='ml' has no operator for {found}: take op='plain'")
    parts = Svm(file)
    if not KERNELS[parts.kernel.type]["in_libsvm"]:
        raise ValueError(f"to_onnx: kernel={parts.kernel.type!r} is none of the operators' kernels: take op='plain'")
    return of_svm(parts, _svm(g, x, parts))


def _svm(g: Graph, x: str, parts: Svm) -> str:
    n, d = parts.points.shape
    g.reserve(n * (d + parts.k))
    kernel = parts.kernel
    rho = parts.expansions[0].rho
    common: dict[str, Any] = {
        "domain": _DOMAIN,
        "kernel_type": kernel.type.upper(),
        "kernel_params": [kernel.gamma, kernel.coef0, float(kernel.degree)],
        "support_vectors": parts.points.rows().ravel().tolist(),
        "coefficients": parts.coef.ravel().tolist(),
        "rho": (-rho).tolist(),
    }
    if parts.k == 2:  # also of two classes: one value, with a sign that does not depend on the runtime
        return g.node("SVMRegressor", x, n_supports=n, **common)
    counts = np.bincount(parts.class_of, minlength=parts.k)
    labels, values = g.new_name("label"), g.new_name("votes")
    g.node(
        "SVMClassifier",
        x,
        outputs=[labels, values],
        classlabels_ints=list(range(parts.k)),
        vectors_per_class=counts.tolist(),
        **common,
    )
    return values
