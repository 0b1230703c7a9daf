"""Runs ONNX graphs, and the data and models that the tests of them share."""

from typing import Any

import numpy as np
import onnx
import onnxruntime


def run(graph: Any, X: Any) -> dict[str, Any]:
    """The outputs by name, of a graph that onnx's checker accepts."""
    onnx.checker.check_model(graph, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    rows = np.ascontiguousarray(X, dtype=np.float64 if given.type == "tensor(double)" else np.float32)
    outputs = session.run(None, {given.name: rows})
    for declared, value in zip(session.get_outputs(), outputs, strict=True):
        if isinstance(value, np.ndarray):
            known = [(s, v) for s, v in zip(declared.shape, value.shape, strict=True) if isinstance(s, int)]
            assert len(value) == len(rows), declared.name
            assert all(s == v for s, v in known), (declared.name, value.shape, declared.shape)
    return {declared.name: value for declared, value in zip(session.get_outputs(), outputs, strict=True)}


def blobs(n: int, d: int, k: int, seed: int = 0, far: float = 0.0) -> tuple[Any, Any]:
    """Overlapping classes 0 to k - 1, as numbers that float32 holds exactly."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % k
    centres = random.normal(size=(k, d)) * 2
    X = centres[y] + random.normal(size=(n, d)) + far
    return X.astype(np.float32).astype(np.float64), y.astype(np.float64)


def wave(n: int, d: int, seed: int = 0) -> tuple[Any, Any]:
    """A regression."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, -1] + 0.1 * random.normal(size=n)


def error(found: Any, expected: Any) -> float:
    """The largest difference, relative to the largest expected value."""
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    assert found.shape == expected.shape
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def agrees(model: Any, X: Any, *, single: float = 1e-5, double: float | None = 1e-12, op: str = "plain") -> None:
    """Labels equal, decisions and probabilities within the tolerances; double None: the model itself computes in float32."""
    for dtype, tolerance in (("float32", single), ("float64", single if double is None else double)):
        if op == "ml" and dtype == "float64":
            continue
        found = run(model.to_onnx(op=op, dtype=dtype), X)
        if "prediction" in found:
            assert error(found["prediction"], model.predict(X)) <= tolerance
            continue
        expected = model.decision_function(X)
        assert error(found["decision"], expected) <= tolerance
        predicted = model.predict(X)
        if len(getattr(model, "classes_", ())):
            assert found["label"].dtype == (predicted.dtype if predicted.dtype.kind != "U" else object)
        # A value that is 0 within the tolerance may have either sign: free support vectors of one-class models lie there.
        sure = np.abs(expected) > tolerance * np.abs(expected).max() if expected.ndim == 1 else slice(None)
        assert np.array_equal(found["label"][sure], predicted[sure])
        if "probabilities" in found:
            assert error(found["probabilities"], model.predict_proba(X)) <= tolerance
