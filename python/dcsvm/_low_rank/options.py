"""Parameters of train_low_rank that other functions hand on, for type checkers. Made by python -m generate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from .._input.choices import Balanced, FeatureKernel, GammaRule, LowRankFeatures, LowRankLoss, MultiClass
from .._shown.watching import Callback


class LowRankFileOptions(TypedDict, total=False):
    """Those of train_low_rank_file and train_low_rank_batches."""

    C: float
    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    n_landmarks: int | None
    budget: float | str | None
    landmarks: Any
    landmark_sample: int | None
    landmark_iterations: int
    features: LowRankFeatures
    supervised: bool
    n_labelled: int
    balance: float
    lambda_: float | Literal["auto"]
    unlabelled: float | None
    loss: LowRankLoss
    fit_intercept: bool
    multi_class: MultiClass
    tol: float
    max_iter: int
    n_passes: int
    class_weight: Mapping[Any, float] | Balanced | None
    random_state: Any
    n_jobs: int | None
    max_seconds: float | None
    callback: Callback | None
    verbose: bool


class LowRankPathOptions(TypedDict, total=False):
    """Those of low_rank_path."""

    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    n_landmarks: int | None
    budget: float | str | None
    landmarks: Any
    landmark_sample: int | None
    landmark_iterations: int
    landmark_kernel: Any
    features: LowRankFeatures
    supervised: bool
    n_labelled: int
    balance: float
    lambda_: float | Literal["auto"]
    unlabelled: float | None
    loss: LowRankLoss
    fit_intercept: bool
    multi_class: MultiClass
    tol: float
    max_iter: int
    cache_size: float
    n_passes: int
    class_weight: Mapping[Any, float] | Balanced | None
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    callback: Callback | None
    verbose: bool


class LowRankCurveOptions(TypedDict, total=False):
    """Those of cost_curve."""

    C: float
    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    n_landmarks: int | None
    landmarks: Any
    landmark_sample: int | None
    landmark_iterations: int
    landmark_kernel: Any
    features: LowRankFeatures
    supervised: bool
    n_labelled: int
    balance: float
    lambda_: float | Literal["auto"]
    unlabelled: float | None
    loss: LowRankLoss
    fit_intercept: bool
    multi_class: MultiClass
    tol: float
    max_iter: int
    cache_size: float
    n_passes: int
    class_weight: Mapping[Any, float] | Balanced | None
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    warm_start_alpha: Any
    max_seconds: float | None
    callback: Callback | None
    verbose: bool
