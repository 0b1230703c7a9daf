"""ONNX: trained models as graphs that onnxruntime, and other programs, run without dcsvm. Needs the extra ``onnx``.

``model.to_onnx()`` of every model and estimator makes such a graph; :func:`register` teaches skl2onnx to convert pipelines.
"""

from ._export import to_onnx
from ._pipelines import register

__all__ = ["register", "to_onnx"]
