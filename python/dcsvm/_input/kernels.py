"""The kernels, as the core declares them (kernel_params.hpp)."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .validate import in_a_row

KERNELS = _core.kernels()  # by name, in the order of their numbers in files
OF_SUMS = tuple(name for name, kernel in KERNELS.items() if kernel["gamma_of"] == "sum")  # over the features


def with_gamma_of(what: str) -> str:
    """The kernels whose gamma is of "nothing", "square", "length" or "sum", in words."""
    return in_a_row((name for name, kernel in KERNELS.items() if kernel["gamma_of"] == what), "and")


def uses(kernel: Any, what: str) -> bool:
    """Whether a kernel uses "gamma", "coef0" or "degree"; False for callables."""
    own = KERNELS.get({"cosine_poly": "poly"}.get(kernel, kernel)) if isinstance(kernel, str) else None
    if own is None:
        return False
    return own["gamma_of"] != "nothing" if what == "gamma" else bool(own[what])  # type: ignore[literal-required]


def scaled_gamma(kernel: str, square: float, columns: int) -> float:
    """gamma='scale' of a kernel, from that of rbf, 1 / (n_features * X.var())."""
    unit = KERNELS[kernel]["gamma_of"]
    if unit in ("length", "sum"):
        return math.sqrt(square if unit == "length" else square / columns)
    return square
