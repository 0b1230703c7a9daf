"""Linear classification: LIBLINEAR's problems under scikit-learn's names."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._graphs.wanted import Wanted
from .._input.validate import FloatArray, read_only
from .._linear.model import LinearModel
from .._shown.training_warnings import users_line
from ._calibrated import PROBABILITIES, CalibratedClassifier
from ._docs import LABELLED, documented, of_rows
from ._estimator import NativeClassifier
from ._inputs import parameters_checked
from ._linear import FORMS, LinearEstimator
from ._linear_parameters import MULTINOMIAL, LinearSVCParameters, LogisticParameters

if TYPE_CHECKING:
    from typing_extensions import Self


_FROM_WEIGHTS = ("logistic", "l1_logistic")  # solvers of LogisticRegression that begin with given weights


class _LinearClassifier(NativeClassifier, LinearEstimator):
    class_weight: Any

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> tuple[Any, Any, FloatArray | None]:
        """Returns the rows that took part, their labels and weights."""
        X, y, codes, weights = self._labelled_rows(X, y, sample_weight)
        factors = self._class_weight(y, weights)
        if getattr(self, "warm_start", False) and options["solver"] in _FROM_WEIGHTS and hasattr(self, "model_"):
            start, n_classes = self.model_._weights(), len(self.classes_)
            if start.shape == (X.shape[1] + (options["bias"] >= 0), 1 if n_classes == 2 else n_classes):
                options["initial_w"] = start
        self._train(X, codes.astype(np.float64), sample_weight=weights, class_weight=factors, **options)
        return X, y, weights


def _many_classes(y: Any) -> bool:
    return y is not None and len(np.unique(np.asarray(y))) > 2


@documented("classes_", **FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVC(LinearSVCParameters, CalibratedClassifier, _LinearClassifier):
    """Linear support vector classification: scikit-learn's ``LinearSVC``, solved on all cores.

    More than two classes: one problem for each class against the rest, or all in one with ``multi_class="crammer_singer"``. See
    docs/methods/linear.md.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes.
    fit_intercept : bool, default=True
        With a bias.
    intercept_scaling : float > 0, default=1
        Value of the feature whose weight is the bias, which is regularised: the larger, the less so.
    tol : float > 0, default=0.0001
        Stop when the violation is below; its meaning is LIBLINEAR's for each problem.
    max_iter : int >= 1, default=1000
        Newton steps or passes at most. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    n_jobs : int or None, default=None
        Threads, as in SVC. The model does not depend on it.
    probability : bool, default=False
        Calibrate probabilities, for predict_proba, on decision values of a 5-fold cross-validation.
    penalty : {'l1', 'l2'}, default='l2'
        l1: |w|_1, with which many weights are 0.
    loss : {'hinge', 'squared_hinge'}, default='squared_hinge'
        max(0, 1 - yz)^2, or its root.
    dual : bool or 'auto', default='auto'
        What tol means: of the dual problem or of the primal one.
    multi_class : {'ovr', 'crammer_singer'}, default='ovr'
        Each class against the rest, or all in one problem.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray of shape (n_vectors, n_features)
        Weights; two classes: (1, n_features); regression: (n_features,).
    intercept_ : ndarray of shape (n_vectors,)
        What a decision adds to ``coef_ @ x``.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Newton steps or passes; of several classes the most.
    model_ : LinearModel
        The native model; classes are numbered in it.
    report_ : LinearReport
        What the training did, with a lower bound of the objective.

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
        return read_only(coef[1:] - coef[:1]) if len(coef) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        """Biases, (n_classes,); two classes: (1,)."""
        intercept = super().intercept_
        return read_only(intercept[1:] - intercept[:1]) if len(intercept) == 2 else intercept


@documented("classes_", **FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LogisticRegression(LogisticParameters, _LinearClassifier):
    """Logistic regression: scikit-learn's ``LogisticRegression``, solved on all cores.

    Two classes: the bias is not regularised, except with ``solver="liblinear"``, as in scikit-learn. More classes: one problem
    for each class against the rest, probabilities divided by their sum. This is scikit-learn's ``solver="liblinear"``, and not
    the multinomial model of its other solvers.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes.
    tol : float > 0, default=0.0001
        Stop when the violation is below; its meaning is LIBLINEAR's for each problem.
    max_iter : int >= 1, default=100
        Newton steps or passes at most. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    n_jobs : int or None, default=None
        Threads, as in SVC. The model does not depend on it.
    penalty : {'l1', 'l2', 'elasticnet'} or None, default='deprecated'
        l1: |w|_1, with which many weights are 0; l2: |w|^2. scikit-learn 1.8 replaces it by l1_ratio.
    l1_ratio : float in [0, 1] or None, default=0.0
        Without a penalty that is given: 1: l1; 0 and None: l2. Values between are refused.
    dual : bool, default=False
        Whether tol is that of the dual problem: l2, and solver 'liblinear' or no bias.
    solver : {'auto', 'liblinear', 'lbfgs', 'newton-cg', 'newton-cholesky', 'sag', 'saga'}, default='auto'
        'liblinear': the bias is regularised, as in scikit-learn. Its other names mean 'auto' for two classes; for
        more they mean the multinomial model, and are refused.
    fit_intercept : bool, default=True
        With a bias.
    intercept_scaling : float > 0, default=1
        For a regularised bias: value of the feature whose weight it is; the larger, the less it is regularised.
    multi_class : {'auto', 'ovr', 'multinomial'}, default='auto'
        'auto' and 'ovr': each class against the rest. 'multinomial' is refused.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.
    warm_start : bool, default=False
        Start from the last fit's weights, where these have the same shape.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray of shape (n_vectors, n_features)
        Weights; two classes: (1, n_features); regression: (n_features,).
    intercept_ : ndarray of shape (n_vectors,)
        What a decision adds to ``coef_ @ x``.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Newton steps or passes; of several classes the most.
    model_ : LinearModel
        The native model; classes are numbered in it.
    report_ : LinearReport
        What the training did, with a lower bound of the objective.

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
        regularized = self.solver == "liblinear"
        if self.dual and not regularized:
            raise ValueError(
                f"dual=True regularises the bias, which solver={self.solver!r} does not do: take solver='liblinear', or "
                "fit_intercept=False"
            )
        return float(self.intercept_scaling) if regularized else 1.0, regularized

    def _is_l1(self) -> bool:
        if self.penalty is None:
            raise ValueError("penalty=None has no solver here: a large C, such as C=1e6, comes close to no penalty")
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, float(self.l1_ratio or 0.0))
        if self.l1_ratio not in (None, 0.0, ratio):
            warnings.warn(
                f"l1_ratio={self.l1_ratio!r} has no effect beside penalty={self.penalty!r}: leave the penalty out",
                UserWarning,
                stacklevel=users_line(),
            )
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
