"""Parameters of DC-Pred++, for the type checkers of functions that hand them on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from .._input.choices import Balanced, FeatureKernel, GammaRule, Landmarks, PseudoLandmarks
from .._shown.watching import Callback


class _Options(TypedDict, total=False):
    n_leaves: int
    n_landmarks: int
    n_pseudo: int
    pseudo: PseudoLandmarks
    refine: int
    sample_size: int
    fit_intercept: bool
    tol: float
    cache_size: float
    random_state: Any
    n_jobs: int | None
    callback: Callback | None
    verbose: bool


class CompressOptions(_Options, total=False):
    """Those of compress."""

    landmarks: Landmarks
    budget: float | str | None


class _KernelOptions(_Options, total=False):
    kernel: FeatureKernel
    degree: int
    gamma: float | GammaRule
    coef0: float
    sample_weight: Any


class DCPredCurveOptions(_KernelOptions, total=False):
    """Those of cost_curve."""

    C: float
    landmarks: Landmarks
    class_weight: Mapping[Any, float] | Balanced | None


class RidgeCurveOptions(_KernelOptions, total=False):
    """Those of cost_curve with regression=True."""

    alpha: float
