"""A hint for the most common mistake: features whose ranges differ by orders of magnitude."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .names import column_name

_FACTOR = 1e4  # from here on a kernel of unscaled features hardly sees the smaller ones
_ROWS = 1000  # that are looked at


class ScaleWarning(UserWarning):
    """The ranges of the features differ by a factor of more than 10^4."""


def hint_of_scales(X: Any, kernel: object) -> None:
    """Warns when some dense features span more than 10^4 times what others span. Looks at 1000 rows, evenly spaced; data that is
    not a table of finite numbers is left to the checks of the training."""
    if kernel == "precomputed" or hasattr(X, "indptr") or hasattr(X, "tocsr"):
        return
    try:
        n = len(X)
        sample = np.asarray(X[:: max(1, n // _ROWS)])
        rows = sample.astype(np.float64) if sample.dtype.kind in "fiubO" else np.empty(0)
    except (TypeError, ValueError, KeyError, IndexError):
        return
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        return
    with np.errstate(over="ignore"):
        spans = np.ptp(rows, axis=0)
    varying = np.flatnonzero(spans > 0)
    if not len(varying):
        return
    large, small = varying[np.argmax(spans[varying])], varying[np.argmin(spans[varying])]
    if spans[large] / _FACTOR > spans[small]:
        most, least = spans[large], spans[small]
        warnings.warn(
            f"features differ in scale by a factor of {most / least:.1e}: {column_name(X, int(large))} spans "
            f"{most:.3g}, {column_name(X, int(small))} {least:.3g}. A kernel hardly sees the "
            "small ones; scale the features to similar ranges first",
            ScaleWarning,
            stacklevel=3,
        )
