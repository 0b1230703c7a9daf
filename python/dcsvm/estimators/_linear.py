"""Linear classification, regression and outlier detection: LIBLINEAR's problems under scikit-learn's names."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._graphs.wanted import Wanted
from .._input.parameters import parameters_of
from .._input.validate import FloatArray
from .._linear.model import LinearModel
from .._linear.train import defaults, solved
from ._bases import OutlierMixin
from ._calibrated import PROBABILITIES, CalibratedClassifier
from ._docs import LABELLED, REGRESSED, documented, of_rows, of_training
from ._estimator import NativeClassifier, NativeRegressor, RowsEstimator, with_own_names
from ._inputs import parameters_checked, targets_of
from ._linear_parameters import MULTINOMIAL, LinearBiasParameters, LinearParameters, LinearSVCParameters, LogisticParameters
from ._parameters import CostParameter, NuParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self

_DECLARED = parameters_of(_core.LinearParams)
_FORMS = {
    "coef_": ("ndarray of shape (n_vectors, n_features)", "Weights; two classes: (1, n_features); regression: (n_features,)."),
    "intercept_": ("ndarray of shape (n_vectors,)", "What a decision adds to ``coef_ @ x``."),
    "n_iter_": ("int", "Newton steps or passes; of several classes the most."),
    "model_": ("LinearModel", "The native model; classes are numbered in it."),
    "report_": ("LinearReport", "What the training did, with a lower bound of the objective."),
}


class _LinearEstimator(LinearParameters, RowsEstimator):
    """Training, and what the models have in common."""

    model_: LinearModel
    fit_intercept: bool  # of those that have a bias
    intercept_scaling: float

    def _train(self, X: Any, y: Any, **options: Any) -> None:
        own = {"tol": self.tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs, "verbose": bool(self.verbose)}
        model = solved(X, y, **{**defaults(), **own, "random_state": self._seed(), **options})
        self.model_ = with_own_names(model, self)
        report = model.report
        self.n_iter_: int = max((p["n_iter"] for p in report.problems), default=0)
        if report.stop_reason != "converged":
            name = type(self).__name__
            limit, advice = "", "raise tol, scale the features, or lower C"
            if report.stop_reason == "max_iter":
                limit, advice = f" (max_iter={self.max_iter})", "raise max_iter"
            warnings.warn(
                f"{name} stopped with {report.stop_reason!r}{limit} at violation {report.violation:.3g}; {advice}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _bias(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else -1.0

    @property
    def coef_(self) -> FloatArray:
        """Weights."""
        check_is_fitted(self)
        return self.model_.coef_

    @property
    def intercept_(self) -> FloatArray:
        """What a decision adds to ``coef_ @ x``."""
        check_is_fitted(self)
        return self.model_.intercept_


class _LinearClassifier(NativeClassifier, _LinearEstimator):
    class_weight: Any

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> tuple[Any, Any, FloatArray | None]:
        """Returns the rows that took part, their labels and weights."""
        X, y, codes, weights = self._labelled_rows(X, y, sample_weight)
        factors = self._class_weight(y, weights)
        self._train(X, codes.astype(np.float64), sample_weight=weights, class_weight=factors, **options)
        return X, y, weights


def _many_classes(y: Any) -> bool:
    return y is not None and len(np.unique(np.asarray(y))) > 2


@documented("classes_", **_FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVC(LinearSVCParameters, CalibratedClassifier, _LinearClassifier):
    """Linear support vector classification: scikit-learn's ``LinearSVC``, solved on all cores.

    More than two classes: one problem for each class against the rest, or all in one with ``multi_class="crammer_singer"``. See
    docs/methods/linear.md.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(1000, random_state=0)
    >>> bool(dcsvm.LinearSVC().fit(X, y).score(X, y) > 0.95)
    True
    """

    model_: LinearModel = field(init=False)

    def _wanted(self) -> Wanted:
        return super()._wanted()._replace(decision="difference")

    def _solver(self) -> str:
        if self.multi_class == "crammer_singer":
            return "crammer_singer"
        if self.penalty == "l1":
            if self.loss == "hinge" or self.dual is True:
                given = f"got loss={self.loss!r}, dual={self.dual!r}"
                raise ValueError(f"penalty='l1' goes with loss='squared_hinge' and dual=False or 'auto'; {given}")
            return "l1_squared_hinge"
        if self.loss == "hinge":
            if self.dual is False:
                raise ValueError("loss='hinge' is solved from the dual side: dual must be True or 'auto', got False")
            return "hinge_dual"
        return "squared_hinge" if self.dual is False else "squared_hinge_dual"

    @parameters_checked
    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        kept = self._fit_classes(X, y, sample_weight, solver=self._solver(), C=self.C, bias=self._bias())
        self._calibrate(*kept, self._seed())
        return self

    @of_rows(
        "decisions",
        "ndarray of shape (n_samples,) or (n_samples, n_classes)",
        "Two classes: one number a row, positive for ``classes_[1]``. More: a column for each class.",
    )
    def decision_function(self, X: Any) -> FloatArray:
        """Evaluate the decision function for the rows of X."""
        values = super().decision_function(X)
        return values[:, 1] - values[:, 0] if values.ndim == 2 and len(self.classes_) == 2 else values

    @property
    def coef_(self) -> FloatArray:
        """Weights, (n_classes, n_features); two classes: (1, n_features)."""
        coef = super().coef_
        return coef[1:] - coef[:1] if len(coef) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        """Biases, (n_classes,); two classes: (1,)."""
        intercept = super().intercept_
        return intercept[1:] - intercept[:1] if len(intercept) == 2 else intercept


@documented("classes_", **_FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LogisticRegression(LogisticParameters, _LinearClassifier):
    """Logistic regression: scikit-learn's ``LogisticRegression``, solved on all cores.

    Two classes: the bias is not regularised, except with ``solver="liblinear"``, as in scikit-learn. More classes: one problem
    for each class against the rest, probabilities divided by their sum. This is scikit-learn's ``solver="liblinear"``, and not
    the multinomial model of its other solvers.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(1000, random_state=0)
    >>> dcsvm.LogisticRegression().fit(X, y).predict_proba(X[:2]).shape
    (2, 2)
    """

    model_: LinearModel = field(init=False)

    @parameters_checked
    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        l1 = self._is_l1()
        if self.dual and l1:
            raise ValueError("penalty='l1' has no dual solver: dual must be False")
        self._refuse_multinomial(y)
        bias, regularized = self._bias_feature()
        self._fit_classes(
            X,
            y,
            sample_weight,
            solver="l1_logistic" if l1 else "logistic_dual" if self.dual else "logistic",
            C=self.C,
            bias=bias,
            regularize_bias=regularized,
        )
        return self

    def _bias_feature(self) -> tuple[float, bool]:
        """The value of the bias's feature, below 0: none; and whether the bias is regularised."""
        if not self.fit_intercept:
            return -1.0, True
        regularized = bool(self.dual) or self.solver == "liblinear"
        return float(self.intercept_scaling) if regularized else 1.0, regularized

    def _is_l1(self) -> bool:
        if self.penalty is None:
            raise ValueError("penalty=None has no solver here: a large C, such as C=1e6, comes close to no penalty")
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty) if self.l1_ratio is None else float(self.l1_ratio)
        if ratio not in (0.0, 1.0):
            raise ValueError(
                f"there is no elastic net here, got penalty={self.penalty!r}, l1_ratio={self.l1_ratio!r}: use penalty='l1' or "
                "'l2', or scikit-learn's LogisticRegression(solver='saga')"
            )
        return ratio == 1.0

    def _refuse_multinomial(self, y: Any) -> None:
        given = "multi_class='multinomial'" if self.multi_class == "multinomial" else f"solver={self.solver!r}"
        if self.multi_class == "multinomial" or (self.solver in MULTINOMIAL and self.multi_class == "auto" and _many_classes(y)):
            raise ValueError(
                f"{given} means the multinomial model for more than two classes, which dcsvm does not have: leave it out for one "
                "problem for each class against the rest, or use scikit-learn's LogisticRegression"
            )

    @of_rows(*PROBABILITIES)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for the rows of X."""
        rows = self._rows(X)
        return self.model_.predict_proba(rows, n_jobs=self.n_jobs)

    @of_rows(*PROBABILITIES)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))


@documented(**_FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVR(NativeRegressor, _LinearEstimator, LinearBiasParameters, CostParameter):
    """Linear support vector regression: scikit-learn's ``LinearSVR``, solved on all cores.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    Examples
    --------
    >>> import dcsvm
    >>> dcsvm.LinearSVR(C=100).fit([[0], [1], [2]], [0, 1, 2]).predict([[1.5]]).round(1).tolist()
    [1.5]
    """

    epsilon: float = declared(_DECLARED["epsilon"], default=0.0, text="Half the width of the tube in which targets cost nothing.")
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = parameter(
        "epsilon_insensitive",
        "max(0, |y - z| - epsilon), or its square.",
        ("epsilon_insensitive", "squared_epsilon_insensitive"),
    )
    dual: bool | Literal["auto"] = parameter(
        "auto", "What tol means: of the dual problem or of the primal one.", "boolean", ("auto",)
    )

    model_: LinearModel = field(init=False)

    @parameters_checked
    @of_training("array-like of shape (n_samples,)", REGRESSED, "Factors of each row's C, >= 0. Rows of weight 0 take no part.")
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        if self.loss == "epsilon_insensitive":
            if self.dual is False:
                raise ValueError("loss='epsilon_insensitive' is solved from the dual side: dual must be True or 'auto'")
            solver = "svr_dual"
        else:
            solver = "svr_squared" if self.dual is False else "svr_squared_dual"
        X, y = self._training_data(X, y)
        targets = targets_of(y)
        weights = self._weights(sample_weight, X)
        self._train(X, targets, sample_weight=weights, solver=solver, C=self.C, epsilon=self.epsilon, bias=self._bias())
        return self

    @property
    def coef_(self) -> FloatArray:
        """Weights, (n_features,)."""
        return np.asarray(super().coef_[0])


@documented("offset_", **_FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearOneClassSVM(OutlierMixin, _LinearEstimator, NuParameter):
    """Linear outlier detection: the one-class SVM of LIBLINEAR.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    Examples
    --------
    >>> import dcsvm
    >>> dcsvm.LinearOneClassSVM(nu=0.25).fit_predict([[1.0], [1.1], [1.2], [0.1]]).tolist()[3]
    -1
    """

    model_: LinearModel = field(init=False)

    def _wanted(self) -> Wanted:
        return super()._wanted()._replace(zero_inside=True)

    @parameters_checked
    @of_training("Ignored", "Present for the interface.", "")
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the region where the rows of X lie."""
        X = self._training_rows(X)
        self._train(X, None, solver="one_class", nu=self.nu, bias=-1.0)
        self.offset_: FloatArray = 0.0 - self.model_.intercept_
        return self

    @of_rows("scores", "ndarray of shape (n_samples,)", "The scores.")
    def score_samples(self, X: Any) -> FloatArray:
        """Decision values before the offset: ``coef_ @ x``."""
        return self.decision_function(X) + self.offset_

    @of_rows("decisions", "ndarray of shape (n_samples,)", "The decision values.")
    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the rows of X: positive inside."""
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "1 or -1.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """1 for rows inside, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
