"""Parameters of train_dc_pred that other functions hand on, for type checkers. Made by python -m generate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from .._input.choices import Balanced, FeatureKernel, GammaRule, Landmarks, PseudoLandmarks
from .._shown.watching import Callback


class CompressOptions(TypedDict, total=False):
    """Those of compress."""

    n_leaves: int
    n_landmarks: int
    n_pseudo: int
    pseudo: PseudoLandmarks
    landmarks: Landmarks
    budget: float | str | None
    refine: int
    sample_size: int
    fit_intercept: bool
    tol: float
    cache_size: float
    random_state: Any
    n_jobs: int | None
    max_seconds: float | None
    callback: Callback | None
    verbose: bool


class DCPredCurveOptions(TypedDict, total=False):
    """Those of cost_curve."""

    C: float
    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    n_leaves: int
    n_landmarks: int
    n_pseudo: int
    pseudo: PseudoLandmarks
    landmarks: Landmarks
    refine: int
    sample_size: int
    fit_intercept: bool
    tol: float
    cache_size: float
    class_weight: Mapping[Any, float] | Balanced | None
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    max_seconds: float | None
    callback: Callback | None
    verbose: bool


class RidgeCurveOptions(TypedDict, total=False):
    """Those of cost_curve with regression=True."""

    alpha: float
    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    n_leaves: int
    n_landmarks: int
    n_pseudo: int
    pseudo: PseudoLandmarks
    refine: int
    sample_size: int
    fit_intercept: bool
    tol: float
    cache_size: float
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    max_seconds: float | None
    callback: Callback | None
    verbose: bool
