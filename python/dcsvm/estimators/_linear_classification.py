"""Linear support vector classification: LIBLINEAR's problems under scikit-learn's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._graphs.wanted import Wanted
from .._input.validate import FloatArray, read_only
from .._linear.model import LinearModel
from ._bases import SparseCoefMixin
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, documented, of_rows
from ._estimator import NativeClassifier
from ._inputs import parameters_checked
from ._linear import FORMS, WithWeights, unsupported
from ._linear_online import LearnsLabelledRows
from ._linear_parameters import LinearSVCParameters

if TYPE_CHECKING:
    from typing_extensions import Self


@documented("classes_", **FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVC(LinearSVCParameters, CalibratedClassifier, LearnsLabelledRows, NativeClassifier, SparseCoefMixin, WithWeights):
    """Linear support vector classification: scikit-learn's ``LinearSVC``, solved on all cores.

    More than two classes: one problem for each class against the rest, or all in one with ``multi_class="crammer_singer"``. See
    docs/methods/linear.md.

    Parameters
    ----------
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.
    fit_intercept : bool, default=True
        With a bias.
    intercept_scaling : float > 0, default=1
        Value of the feature whose weight is the bias, which is regularised: the larger, the less so.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    tol : float > 0, default=0.0001
        Stop when the violation is below; its meaning is LIBLINEAR's for each problem.
    max_iter : int >= 1, default=1000
        Newton steps or passes at most. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
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
        What the training did, with a lower bound of the objective where one is known; else it is NaN.

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
        l1, hinge = self.penalty == "l1", self.loss == "hinge"
        if (l1 and (hinge or self.dual is True)) or (hinge and self.dual is False):
            advice = "l1 goes with squared_hinge and dual=False or 'auto', hinge with l2 and dual=True or 'auto'"
            raise unsupported(self.penalty, self.loss, self.dual, advice)
        if l1:
            return "l1_squared_hinge"
        if hinge:
            return "hinge_dual"
        return "squared_hinge" if self.dual is False else "squared_hinge_dual"

    @parameters_checked
    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C, >= 0. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        with self._learning():
            self._solver()
            self._solve(*self._training_data(X, y), sample_weight)
            self.__dict__.pop("_kept", None)
        return self

    def _solve(self, X: Any, y: Any, weights: Any) -> None:
        X, y, codes, weights = self._labelled(X, y, weights)
        self._train(X, codes.astype(np.float64), sample_weight=weights, **self._options(self._class_weight(y, weights)))
        self._calibrate(X, y, weights, self._seed())

    def _learn(self, first: bool, X: Any, y: FloatArray, weights: FloatArray | None) -> None:
        if self.penalty == "l1":
            raise ValueError("penalty='l1' is for fit: partial_fit has steps for 'l2' alone")
        options = self._options(self._class_weight(self.classes_))
        k = len(self.classes_)
        vectors = 1 if k == 2 and self.multi_class == "ovr" else k
        begun = self._begun(first, options["solver"], options["bias"], vectors, k)
        self._train(X, y, sample_weight=weights, after=begun, **options)
        self._calibration = {}  # finish finds it again

    def _options(self, factors: dict[int, float]) -> dict[str, Any]:
        return {"class_weight": factors, "solver": self._solver(), "C": self.C, "bias": self._bias()}

    @of_rows(
        "decisions",
        "ndarray of shape (n_samples,) or (n_samples, n_classes)",
        "Two classes: one number a row, positive for ``classes_[1]``. More: a column for each class.",
    )
    def decision_function(self, X: Any) -> FloatArray:
        """Evaluate the decision function for the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        decisions : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: one number a row, positive for ``classes_[1]``. More: a column for each class.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        values = super().decision_function(X)
        return values[:, 1] - values[:, 0] if values.ndim == 2 and len(self.classes_) == 2 else values

    @property
    def coef_(self) -> Any:
        """Weights, (n_classes, n_features); two classes: (1, n_features)."""
        coef = super().coef_
        return self._shown(read_only(coef[1:] - coef[:1]) if len(coef) == 2 else coef)

    @coef_.setter
    def coef_(self, value: Any) -> None:
        self._set_weights(value, self.intercept_)

    @property
    def intercept_(self) -> FloatArray:
        """Biases, (n_classes,); two classes: (1,)."""
        intercept = super().intercept_
        return read_only(intercept[1:] - intercept[:1]) if len(intercept) == 2 else intercept

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        self._set_weights(self.coef_, value)
