"""Parameters of train that other functions hand on, for type checkers. Made by python -m generate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from .._input.choices import Balanced, Clustering, Formulation, Kernel, Precision, Prediction, Solver


class TrainOptions(TypedDict, total=False):
    """Those of cross_validate."""

    kernel: Kernel
    degree: int
    coef0: float
    fit_intercept: bool
    formulation: Formulation
    nu: float
    epsilon: float
    quantile: float | None
    solver: Solver
    n_levels: int | None
    branching: int
    sample_size: int
    clustering: Clustering
    balance_clusters: bool
    keep_levels: bool
    early_level: int | None
    prediction: Prediction
    precision: Precision
    tol: float
    cache_size: float
    class_weight: Mapping[Any, float] | Balanced | None
    shrinking: bool
    max_iter: int
    random_state: Any
    n_jobs: int | None
    n_support_estimate: int | None
    rand_epsilon: float
    rand_delta: float
    sample_factor: float
    cascade_leaves: int
    cascade_passes: int | None


class TuneOptions(TypedDict, total=False):
    """Those of tune."""

    kernel: Kernel
    degree: int
    coef0: float
    fit_intercept: bool
    formulation: Formulation
    epsilon: float
    quantile: float | None
    solver: Solver
    n_levels: int | None
    branching: int
    sample_size: int
    clustering: Clustering
    balance_clusters: bool
    keep_levels: bool
    early_level: int | None
    prediction: Prediction
    precision: Precision
    tol: float
    cache_size: float
    class_weight: Mapping[Any, float] | Balanced | None
    shrinking: bool
    max_iter: int
    random_state: Any
    n_jobs: int | None
    n_support_estimate: int | None
    rand_epsilon: float
    rand_delta: float
    sample_factor: float
    cascade_leaves: int
    cascade_passes: int | None
