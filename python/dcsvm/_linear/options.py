"""Parameters of train_linear that other functions hand on, for type checkers. Made by python -m generate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from .._input.choices import Balanced, LinearSolver
from .._shown.watching import Callback


class LinearOptions(TypedDict, total=False):
    """Those of linear_path."""

    l1_ratio: float
    tol: float | None
    epsilon: float
    nu: float
    bias: float
    regularize_bias: bool
    max_iter: int | None
    cache_size: float
    random_state: Any
    n_jobs: int | None


class LinearFileOptions(TypedDict, total=False):
    """Those of train_linear_file."""

    solver: LinearSolver
    C: float
    l1_ratio: float
    tol: float | None
    epsilon: float
    nu: float
    bias: float
    regularize_bias: bool
    class_weight: Mapping[Any, float] | Balanced | None
    max_iter: int | None
    random_state: Any
    n_jobs: int | None
    max_seconds: float | None
    callback: Callback | None
    verbose: bool
