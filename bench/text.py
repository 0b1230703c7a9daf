"""Problems as LIBSVM text, for the reading benchmark.

A name is a problem's, or mnist-digits: mnist with the pixels 0..255 as they are published.
"""

from __future__ import annotations

import os
from pathlib import Path

from scipy.sparse import csr_matrix

from . import problems


def write_text(name: str, path: Path) -> None:
    """Writes the training part unless it is there. By no contestant's writer; 9 digits are a float32's."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    p = problems.load("mnist" if name == "mnist-digits" else name)
    x = csr_matrix(p.X_train * 255).rint() if name == "mnist-digits" else csr_matrix(p.X_train)
    part = path.with_suffix(".part")
    with open(part, "w") as f:
        for i in range(x.shape[0]):
            row = slice(x.indptr[i], x.indptr[i + 1])
            values = " ".join(f"{j + 1}:{v:.9g}" for j, v in zip(x.indices[row].tolist(), x.data[row].tolist(), strict=True))
            f.write(f"{p.y_train[i]:g} {values}\n")
    os.replace(part, path)
