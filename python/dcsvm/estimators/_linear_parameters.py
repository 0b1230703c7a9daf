"""The parameters of the linear estimators, here and on a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from .._input.choices import Balanced, LowRankLoss
from ._calibrated import CalibratedParameters
from ._parameters import POSITIVE, FiniteCostParameter, ThreadsParameter, TimeParameter, at_least, parameter

LogisticSolver = Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"]
LOGISTIC_SOLVERS = get_args(LogisticSolver)
NOT_NEGATIVE = Interval(Real, 0.0, None, closed="left")


@dataclass(kw_only=True, repr=False, eq=False)
class LinearParameters(ThreadsParameter):
    """Of all linear estimators."""

    tol: float = parameter(1e-4, "Stop when the violation is below; its meaning is LIBLINEAR's for each problem.", POSITIVE)
    max_iter: int = parameter(1000, "Newton steps or passes at most. Reaching it is a ConvergenceWarning.", at_least(1))
    verbose: bool | int = parameter(0, "Show progress on stderr.", "verbose")
    random_state: Any = parameter(None, "Seed of the order of rows.", "random_state")


@dataclass(kw_only=True, repr=False, eq=False)
class InterceptParameter:
    fit_intercept: bool = parameter(True, "With a bias.", "boolean")


@dataclass(kw_only=True, repr=False, eq=False)
class LinearClassWeightParameter:
    class_weight: Mapping[Any, float] | Balanced | None = parameter(
        None,
        "Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where rows count "
        "as much as their ``sample_weight``.",
        dict,
        ("balanced",),
        None,
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LinearBiasParameters(InterceptParameter):
    intercept_scaling: float = parameter(
        1, "Value of the feature whose weight is the bias, which is regularised: the larger, the less so.", POSITIVE
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LinearClassifierParameters(LinearParameters, LinearBiasParameters, LinearClassWeightParameter, FiniteCostParameter):
    """Of LinearSVC, here and on a cluster."""


@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVCParameters(CalibratedParameters, LinearClassifierParameters):
    """Of LinearSVC."""

    penalty: Literal["l1", "l2"] = parameter("l2", "l1: |w|_1, with which many weights are 0.", ("l1", "l2"), positional=True)
    loss: LowRankLoss = parameter("squared_hinge", "max(0, 1 - yz)^2, or its root.", ("hinge", "squared_hinge"), positional=True)
    dual: bool | Literal["auto"] = parameter(
        "auto", "What tol means: of the dual problem or of the primal one.", "boolean", ("auto",)
    )
    multi_class: Literal["ovr", "crammer_singer"] = parameter(
        "ovr", "Each class against the rest, or all in one problem.", ("ovr", "crammer_singer")
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LogisticModelParameters(LinearParameters, InterceptParameter, LinearClassWeightParameter):
    """Of LogisticRegression, with and without CV, and on a cluster."""

    solver: LogisticSolver = parameter(
        "lbfgs",
        "All mean the multinomial model, found by Newton's method. 'liblinear': two classes, and the bias is regularised.",
        LOGISTIC_SOLVERS,
    )
    intercept_scaling: float = parameter(
        1,
        "For solver='liblinear': value of the feature whose weight is the bias; the larger, the less it is regularised.",
        POSITIVE,
    )
    multi_class: Literal["auto", "ovr", "multinomial", "deprecated"] = parameter(
        "auto",
        "'auto' and 'multinomial': all classes in one problem. 'ovr': each class against the rest, probabilities divided by "
        "their sum, as scikit-learn did until 1.7.",
        ("auto", "ovr", "multinomial"),
        Hidden(StrOptions({"deprecated"})),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LogisticSharedParameters(LogisticModelParameters):
    """Of LogisticRegression, with and without CV."""

    solver: LogisticSolver = parameter(
        "lbfgs",
        "All mean the multinomial model, found by Newton's method, and l2. 'saga': also l1 and the elastic net. 'liblinear': l2 "
        "or l1 of two classes, and the bias is regularised.",
        LOGISTIC_SOLVERS,
    )
    tol: float = parameter(
        1e-4,
        "Stop when the objective is within 1e-12 ``tol`` of its minimum, relative; with l1 1e-6 ``tol``. By the gradient, "
        "relative to that of weights 0: C=inf 1e-2 ``tol``, two classes with l1 0.1 ``tol``. solver='liblinear': LIBLINEAR's.",
        NOT_NEGATIVE,
    )
    max_iter: int = parameter(
        100, "Newton steps at most, 0: the weights stay 0, or where they are. Reaching it is a ConvergenceWarning.", at_least(0)
    )
    dual: bool = parameter(False, "Whether tol is that of the dual problem, for solver 'liblinear' with l2.", "boolean")


@dataclass(kw_only=True, repr=False, eq=False)
class LogisticParameters(TimeParameter, LogisticSharedParameters):
    """Of LogisticRegression."""

    C: float = parameter(
        1.0,
        "Price of errors: the larger, the fewer errors in training and the longer it takes. Infinity: no penalty.",
        Interval(Real, 0.0, None, closed="right"),
    )
    penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None = parameter(
        "deprecated",
        "l1: |w|_1, with which many weights are 0; l2: |w|^2; None: no penalty. scikit-learn 1.8 replaces it by l1_ratio and "
        "C=inf.",
        ("l1", "l2", "elasticnet"),
        None,
        Hidden(StrOptions({"deprecated"})),
        positional=True,
    )
    l1_ratio: float | None = parameter(
        0.0,
        "Share of |w|_1 in the penalty, the rest is 1/2 |w|^2. 0 and None: l2; 1: l1.",
        Interval(Real, 0, 1, closed="both"),
        None,
    )
    warm_start: bool = parameter(False, "Start from the present weights, where these have the same shape.", "boolean")


@dataclass(kw_only=True, repr=False, eq=False)
class LogisticCVParameters(LogisticSharedParameters):
    """Of LogisticRegressionCV."""

    Cs: int | Sequence[float] = parameter(
        10, "Values of C; a number: so many from 1e-4 to 1e4.", at_least(1), "array-like", kind="int or array-like"
    )
    l1_ratios: Sequence[float] | Literal["warn"] | None = parameter(
        "warn", "Values of l1_ratio. 'warn' and None: l2.", "array-like", None, Hidden(StrOptions({"warn"}))
    )
    cv: Any = parameter(
        None,
        "Folds of equal classes, a splitter, or pairs of rows to train on and to test on; None: 5.",
        "cv_object",
        kind="int, splitter, iterable or None",
    )
    penalty: Literal["l1", "l2", "elasticnet", "deprecated"] = parameter(
        "deprecated",
        "As of LogisticRegression, with l1_ratios in the place of l1_ratio.",
        ("l1", "l2", "elasticnet"),
        Hidden(StrOptions({"deprecated"})),
    )
    scoring: Any = parameter(
        "warn",
        "Name of a score or function (estimator, X, y). 'warn' and None: accuracy; scikit-learn 1.11 will take 'neg_log_loss'.",
        callable,
        str,
        None,
        kind="str, callable or None",
    )
    refit: bool = parameter(
        True, "Train on all rows with the best C. False: the mean of the folds' weights, each for its own best C.", "boolean"
    )
    use_legacy_attributes: bool | Literal["warn"] = parameter(
        "warn",
        "Whether attributes are as in scikit-learn until 1.9. 'warn': they are.",
        "boolean",
        Hidden(StrOptions({"warn"})),
    )
    intercept_scaling: float = parameter(
        1.0,
        "For solver='liblinear': value of the feature whose weight is the bias; the larger, the less it is regularised.",
        POSITIVE,
    )
