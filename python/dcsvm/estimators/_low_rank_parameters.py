"""The parameters of LowRankSVC, here and on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .._input.choices import FeatureKernel, LowRankFeatures, LowRankLoss, MultiClass
from ._calibrated import CalibratedParameters
from ._parameters import (
    BUDGET,
    LOW_RANK,
    POSITIVE,
    ClassWeightParameter,
    KernelParameters,
    SeedParameter,
    at_least,
    declared,
    parameter,
)


@dataclass(kw_only=True, repr=False, eq=False)
class LowRankSharedParameters(SeedParameter, ClassWeightParameter, KernelParameters):
    """Of LowRankSVC, here and on a cluster."""

    n_landmarks: int = declared(LOW_RANK["n_landmarks"], more="At most the distinct rows are used.")
    fit_intercept: bool = declared(LOW_RANK["fit_intercept"])
    multi_class: MultiClass = declared(LOW_RANK["multi_class"])
    cache_size: float = declared(LOW_RANK["cache_size"])
    verbose: bool = parameter(False, "Show progress on stderr.", "boolean")


@dataclass(kw_only=True, repr=False, eq=False)
class LowRankParameters(CalibratedParameters, LowRankSharedParameters):
    """Of LowRankSVC."""

    C: Any = declared(
        LOW_RANK["C"],
        "array-like",
        more="A sequence: the value with the best cross-validated accuracy, from one matrix of features.",
        kind="float or sequence of float, > 0",
    )
    cv: Any = parameter(
        5,
        "Folds, or the fold of each row, when C is a sequence.",
        at_least(2),
        "array-like",
        kind="int or array of shape (n_samples,)",
    )
    kernel: FeatureKernel | Callable[[Any, Any], Any] = declared(
        LOW_RANK["kernel"],
        callable,
        text="As in SVC. A callable gets (X, landmarks) and returns kernel values; its landmarks are rows drawn uniformly, or "
        "given.",
        without=("precomputed",),
    )
    budget: float | str | None = parameter(
        None,
        "What a prediction may cost, as a multiple of a linear model's inner product (12 or '12x'): as many landmark points as "
        "that allows, in place of `n_landmarks`.",
        *BUDGET,
        kind="float, str or None",
    )
    landmarks: Any = declared(
        LOW_RANK["landmarks"],
        "array-like",
        text="How landmark points are chosen, or the points. 'greedy' is SpSVM: rows that lower the squared hinge loss most.",
        kind="{'kmeans', 'kmeans++', 'uniform', 'greedy'} or array of shape (n_landmarks, n_features)",
    )
    features: LowRankFeatures = declared(LOW_RANK["features"])
    supervised: bool = declared(
        LOW_RANK["supervised"],
        text="LLSVM^2: learn the spectrum from labelled rows, with `n_labelled`, `balance` and `lambda_`.",
    )
    n_labelled: int = declared(LOW_RANK["n_labelled"])
    balance: float = declared(LOW_RANK["balance"])
    lambda_: float | Literal["auto"] = parameter(
        "auto",
        "Regularisation in Eq. (23), for `supervised`; 'auto': chosen on held-out rows.",
        ("auto",),
        POSITIVE,
        kind="float or 'auto'",
    )
    unlabelled: Any = parameter(
        None, "Rows with this label (-1 in semi-supervised estimators) give landmark points only.", object, kind="label or None"
    )
    loss: LowRankLoss = declared(LOW_RANK["loss"])
    tol: float = declared(LOW_RANK["tol"])
    max_iter: int = declared(LOW_RANK["max_iter"])
    n_passes: int = declared(LOW_RANK["n_passes"])
