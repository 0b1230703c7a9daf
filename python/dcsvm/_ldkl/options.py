"""Parameters of train_ldkl that other functions hand on, for type checkers. Made by python -m generate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from .._input.choices import Balanced
from .._shown.watching import Callback


class LDKLCurveOptions(TypedDict, total=False):
    """Those of cost_curve."""

    depth: int
    lambda_w: float
    lambda_v: float
    lambda_theta: float
    sigma: float
    sharpness: float
    standardise: bool
    n_passes: int
    batch_size: int
    learning_rate: float
    tol: float
    max_iter: int | None
    cache_size: float
    class_weight: Mapping[Any, float] | Balanced | None
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    max_seconds: float | None
    callback: Callback | None
    verbose: bool
