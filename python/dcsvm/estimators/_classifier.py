"""What the classifiers share: classes and their weights, votes, shapes of decisions, probabilities."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function

from .. import _core
from .._graphs.wanted import Wanted
from .._input import validate
from .._input.validate import FloatArray
from .._shown.training_warnings import users_line
from .._svm.model import Model
from ._bases import ClassifierMixin
from ._docs import KERNEL_X, TRAINING_KERNEL_X, of_rows, of_training
from ._inputs import class_codes, class_factors, labels_of, parameters_checked
from ._parameters import ClassifierParameters, ProbabilityParameter
from ._svm import BaseSVM
from ._warm import classifier_start

if TYPE_CHECKING:
    from typing_extensions import Self


def _has_probability(self: Any) -> bool:
    if self.probability == "deprecated" or not self.probability:
        raise AttributeError(
            "predict_proba is not available when probability=False: set probability='platt' before fit, or put the estimator "
            "into sklearn.calibration.CalibratedClassifierCV(ensemble=False)"
        )
    return True


of_labels = of_training(
    "array-like of shape (n_samples,)",
    "Class labels, numbers or text.",
    "Factors of each row's C. Rows of weight 0 or below take no part; a class of such rows alone is left out of ``classes_``.",
    x=TRAINING_KERNEL_X,
)


class BaseSVC(ClassifierMixin, ProbabilityParameter, ClassifierParameters, BaseSVM):
    """One against one: a binary problem for each pair of classes; prediction by votes."""

    @parameters_checked
    @of_labels
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C. Rows of weight 0 or below take no part; a class of such rows alone is left out of
            ``classes_``.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        self._warn_about_probability()
        self._fit(X, y, sample_weight)
        self.n_iter_: npt.NDArray[Any] = self._num_iter
        return self

    def _wanted(self) -> Wanted:
        by_class = self.decision_function_shape == "ovr"
        by = "probabilities" if self.probability == "platt" else "decision" if self.break_ties else "votes"
        return Wanted("of_classes" if by_class else "native", by, hasattr(self, "predict_proba"))

    def _warn_about_probability(self) -> None:
        if self.probability not in ("deprecated", "platt"):
            name = type(self).__name__
            warnings.warn(
                "The `probability` parameter was deprecated in scikit-learn 1.9 and will be removed in version 1.11. "
                f"Use `CalibratedClassifierCV({name}(), ensemble=False)` instead of `{name}(probability=True)`, "
                f"or dcsvm's own `{name}(probability='platt')`",
                FutureWarning,
                stacklevel=users_line(),
            )

    def _one_class_left(self) -> ValueError:
        return ValueError("Invalid input - all samples with positive weights belong to the same class.")

    def _targets(self, y: Any, weights: FloatArray | None) -> tuple[Any, FloatArray | None]:
        y = labels_of(y)
        classes, codes = class_codes(y)
        class_weight = np.ones(len(classes))
        if self.class_weight is not None:
            class_weight = class_factors(self.class_weight, classes, y)
        if not class_weight.all():
            weights = np.where(class_weight[codes] > 0, 1.0 if weights is None else weights, 0.0)
        if weights is not None:
            alive = np.isin(np.arange(len(classes)), codes[weights > 0])
            if alive.sum() < 2:
                raise self._one_class_left()
            codes = np.maximum(np.cumsum(alive) - 1, 0)[codes]  # rows without weight take no part, whatever their label
            classes, class_weight = classes[alive], class_weight[alive]
        self.classes_: npt.NDArray[Any] = classes
        self.class_weight_: npt.NDArray[Any] = class_weight
        return codes.astype(np.float64), weights

    def _options(self, n: int) -> dict[str, Any]:
        options = super()._options(n)
        weighted = self._formulation == "c_svc" and self.class_weight is not None
        options["class_weight"] = dict(enumerate(self.class_weight_.tolist())) if weighted else None
        options["probability"] = bool(self.probability) and self.probability != "deprecated"
        return options

    def _keep(self, model: Model, sparse: bool, container: Any) -> None:
        super()._keep(model, sparse, container)
        calibration = model.calibration or {"a": np.empty(0), "b": np.empty(0)}
        self._probA, self._probB = calibration["a"], calibration["b"]

    def _fitted_values(self) -> dict[str, Any]:
        return {"class_weight_": self.class_weight_.tolist()}

    def _take(self, model: Model) -> None:
        self.class_weight_ = np.asarray(self.class_weight_, dtype=np.float64)
        super()._take(model)
        self.n_iter_ = self._num_iter

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        upper = self._options(len(targets))["C"] * self.class_weight_[targets.astype(np.intp)]
        upper = upper if weights is None else upper * weights
        return classifier_start(self._model, targets, upper, getattr(self, "fit_intercept", True))

    def _n_problems(self) -> int:
        return len(self.classes_) * (len(self.classes_) - 1) // 2

    def _positive_for_second(self) -> bool:
        return len(self.classes_) == 2

    # Predicting

    @of_rows(
        "X",
        "ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)",
        'Two classes: positive for ``classes_[1]``. More: ``decision_function_shape="ovr"`` one column for each class, "ovo" one '
        "for each pair (i, j), i < j, in the order (0, 1), (0, 2), ..., positive for class i.",
        x=KERNEL_X,
    )
    def decision_function(self, X: Any) -> FloatArray:
        """Evaluate the decision function for the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        X : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            Two classes: positive for ``classes_[1]``. More: ``decision_function_shape="ovr"`` one column for each class,
            "ovo" one for each pair (i, j), i < j, in the order (0, 1), (0, 2), ..., positive for class i.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return 0.0 - decisions.ravel()
        if self.decision_function_shape == "ovr":
            return np.asarray(_ovr_decision_function(decisions < 0, -decisions, len(self.classes_)))
        return decisions

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Class labels.", x=KERNEL_X)
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classify the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Class labels.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        self._check_fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.probability == "platt":
            if self.break_ties:
                raise ValueError("break_ties must be False with probability='platt': probabilities decide there")
            # A callback or max_seconds that stopped the training left no probabilities: decision values are those found so far.
            codes = np.argmax(self.predict_proba(X), axis=1) if self._probA.size else self._predictions(X).astype(np.intp)
        elif self.break_ties and len(self.classes_) > 2:
            codes = np.argmax(self.decision_function(X), axis=1)
        else:
            codes = self._predictions(X).astype(np.intp)
        return np.asarray(self.classes_.take(codes))

    @available_if(_has_probability)
    @of_rows("T", "ndarray of shape (n_samples, n_classes)", "Columns in the order of ``classes_``.", x=KERNEL_X)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for the rows of X, by Platt scaling and pairwise coupling as in LIBSVM.

        Needs ``probability=True`` or ``'platt'`` before ``fit``, which adds a 5-fold cross-validation.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        T : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        rows = self._rows(X)
        if self._probA.size == 0:
            stopped = {"cancelled": "when the callback stopped fit", "time_limit": "when max_seconds stopped fit"}
            why = stopped.get(self._model.report.stop_reason, "when fitted with probability=False")
            raise NotFittedError(f"predict_proba is not available {why}")
        return _core.predict_proba(self._current_core(), rows, validate.threads(self.n_jobs))

    @available_if(_has_probability)
    @of_rows("T", "ndarray of shape (n_samples, n_classes)", "Columns in the order of ``classes_``.", x=KERNEL_X)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        T : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return np.asarray(np.log(self.predict_proba(X)))

    @property
    def probA_(self) -> FloatArray:
        """Slopes of Platt's sigmoids, one for each pair; empty without ``probability=True``."""
        return self._deprecated("probA_", "_probA")

    @property
    def probB_(self) -> FloatArray:
        """Offsets of Platt's sigmoids, one for each pair; empty without ``probability=True``."""
        return self._deprecated("probB_", "_probB")

    def _deprecated(self, name: str, kept: str) -> FloatArray:
        self._fitted(name)
        warnings.warn(
            f"Attribute `{name}` was deprecated in version 1.9 of scikit-learn and will be removed in 1.11 as the "
            "`probability=True` option for SVC and NuSVC was deprecated and will be removed in 1.11.",
            FutureWarning,
            stacklevel=3,
        )
        return np.asarray(getattr(self, kept))
