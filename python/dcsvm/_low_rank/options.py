"""Parameters of train_low_rank, for the type checkers of functions that hand them on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from .._input.choices import Balanced, FeatureKernel, GammaRule, LowRankFeatures, LowRankLoss, MultiClass
from .._shown.watching import Callback


class _Options(TypedDict, total=False):
    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    n_landmarks: int | None
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
    callback: Callback | None
    verbose: bool


class LowRankFileOptions(_Options, total=False):
    """Those of train_low_rank_file and train_low_rank_batches."""

    C: float
    budget: float | str | None


class LowRankPathOptions(_Options, total=False):
    """Those of low_rank_path."""

    budget: float | str | None
    landmark_kernel: Any
    cache_size: float
    sample_weight: Any


class LowRankCurveOptions(_Options, total=False):
    """Those of cost_curve."""

    C: float
    landmark_kernel: Any
    cache_size: float
    sample_weight: Any
    warm_start_alpha: Any
