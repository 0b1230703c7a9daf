"""Embeddings of a real model: digits of mnist as a text recogniser sees them, which the package rapidocr-onnxruntime ships.

    pip install onnx onnxruntime && pip install --no-deps rapidocr-onnxruntime==1.4.4
    python -m bench.embedded        # two minutes; writes mnist_ocr.npz beside mnist.npz, which the problem embeddings-ocr reads

Each digit stands in the middle of a line of 48 x 48, dark on white. The model (PP-OCRv4, Apache-2.0) looks at six places of
the line; what its last layer gets from each are 120 features, so there are 720, divided by the row's 2-norm.
"""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from .problems import OCR_FILE, data_dir

MODEL, LAYER = "ch_PP-OCRv4_rec_infer.onnx", "transpose_51.tmp_0"  # what the last matrix product reads
SIDE, BATCH = 48, 256
N_TRAIN, N_TEST = 10_000, 5_000


def session() -> Any:
    """Of the model without its last layer."""
    import onnx
    import onnxruntime

    found = importlib.util.find_spec("rapidocr_onnxruntime")  # its import would need packages that are not used here
    if found is None or found.origin is None:
        raise SystemExit("python -m bench.embedded needs the model: pip install --no-deps rapidocr-onnxruntime==1.4.4")
    model = onnx.load(Path(found.origin).parent / "models" / MODEL)
    del model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info(LAYER, onnx.TensorProto.FLOAT, None))
    return onnxruntime.InferenceSession(model.SerializeToString())


def embed(session: Any, pixels: np.ndarray) -> np.ndarray:
    """pixels: (n, 784), 0 to 255. Returns (n, 720) in float32, unit vectors."""
    margin = (SIDE - 28) // 2
    parts = []
    for first in range(0, len(pixels), BATCH):
        images = pixels[first : first + BATCH].reshape(-1, 28, 28).astype(np.float32) / 255
        lines = 1 - 2 * np.pad(images, ((0, 0), (margin, margin), (margin, margin)))
        parts.append(session.run([LAYER], {"x": np.repeat(lines[:, None], 3, axis=1)})[0].reshape(len(images), -1))
    x = np.concatenate(parts)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def main() -> None:
    argparse.ArgumentParser(prog="python -m bench.embedded", description=(__doc__ or "").partition("\n")[0]).parse_args()
    with np.load(data_dir() / "mnist.npz") as z:
        digits = {part: (z[f"X_{part}"][:n], z[f"y_{part}"][:n]) for part, n in (("train", N_TRAIN), ("test", N_TEST))}
    model = session()
    arrays = {f"X_{part}": embed(model, x) for part, (x, _) in digits.items()}
    arrays |= {f"y_{part}": y for part, (_, y) in digits.items()}
    np.savez(data_dir() / OCR_FILE, **arrays)


if __name__ == "__main__":
    main()
