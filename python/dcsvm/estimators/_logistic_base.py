"""What the two logistic regressions share: a model is its weights."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot, softmax
from sklearn.utils.validation import check_is_fitted

from .._input.validate import FloatArray, shown
from .._linear.model import LinearModel, LinearReport
from .._shown.training_warnings import users_line
from ._bases import LinearClassifierMixin, SparseCoefMixin
from ._calibrated import PROBABILITIES
from ._docs import of_rows
from ._estimator import NativeClassifier, with_own_names
from ._explained import ExplainedWeights
from ._inputs import class_factors, labels_of
from ._linear import FORMS
from ._linear_parameters import LogisticSharedParameters
from ._logistic_problem import LogisticProblem, Weights

if TYPE_CHECKING:
    pass

_WITH_RANDOM_STATE = ("liblinear", "sag", "saga")  # solvers of scikit-learn; the others give one model for every random_state
_INT32_INDICES = ("liblinear", "sag", "saga")  # solvers that take no other sparse matrices, as in scikit-learn
_LIBLINEARS_LARGEST = 1e30
#: whether this scikit-learn warns of the parameter penalty: from 1.8 on
PENALTY_IS_DEPRECATED = inspect.signature(sklearn.linear_model.LogisticRegression).parameters["penalty"].default == "deprecated"
LOGISTIC_FORMS = {
    **FORMS,
    "coef_": ("ndarray or sparse matrix of shape (n_classes, n_features)", "Weights; two classes: (1, n_features)."),
    "intercept_": ("ndarray of shape (n_classes,)", "What a decision adds to ``coef_ @ x``; two classes: (1,)."),
    "n_iter_": ("ndarray of shape (1,) or (n_classes,)", "Newton steps of each problem."),
    "model_": ("LinearModel", "The native model of the present weights; classes are numbered in it."),
    "report_": (
        "LinearReport",
        "What the training did. A lower bound of the objective is known where the bias is regularised or there is none, and C is "
        "finite; else it is NaN.",
    ),
}


class LogisticBase(ExplainedWeights, LinearClassifierMixin, SparseCoefMixin, NativeClassifier, LogisticSharedParameters):
    """A model is its weights, which users may change: all answers come from ``coef_`` and ``intercept_``."""

    _one_solution = True
    coef_: Any
    intercept_: FloatArray
    n_iter_: npt.NDArray[np.int32]
    _trained: LinearModel
    _dtype: str  # of the weights: that of X
    penalty: Any
    max_seconds: float | None  # of LogisticRegression

    def _seed(self) -> int:
        return super()._seed() if self.solver in _WITH_RANDOM_STATE else 0

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Also of an estimator that was saved when its weights were those of ``model_``, and could not be changed."""
        super().__setstate__({"_trained" if name == "model_" else name: value for name, value in state.items()})
        if "model_" in state:
            self._take(self._trained)

    def _training_data(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        if self.solver in _INT32_INDICES:
            how["accept_large_sparse"] = False
        return super()._training_data(X, y, **how)

    def _problem(self, X: Any, y: Any, sample_weight: Any, one_vs_rest: bool = False) -> LogisticProblem:
        """The training of checked data, in which every class stays, also one without weight. Sets ``classes_``."""
        labels, weights = labels_of(y), self._weights(sample_weight, X)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}"
            )
        self._check_classes(len(self.classes_), one_vs_rest)
        if self.solver == "liblinear" and X.max() > _LIBLINEARS_LARGEST:
            raise ValueError(
                "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. Please choose "
                "another solver or rescale the input X."
            )
        self._dtype = self._dtype_of(X)
        with np.errstate(divide="ignore"):  # of a class without weight
            factors = np.nan_to_num(class_factors(self.class_weight, self.classes_, labels, weights), posinf=0.0)
        return LogisticProblem.of(self, X, codes, weights, factors, one_vs_rest)

    def _dtype_of(self, X: Any) -> str:
        return "float64" if self.solver == "liblinear" or X.dtype != np.float32 else "float32"

    def _bias_feature(self) -> tuple[float, bool]:
        """The value of the bias's feature, below 0: none; and whether the bias is regularised."""
        if not self.fit_intercept:
            return -1.0, True
        return (float(self.intercept_scaling), True) if self.solver == "liblinear" else (1.0, False)

    def _check_classes(self, n_classes: int, one_vs_rest: bool) -> None:
        if self.solver == "liblinear" and n_classes > 2 and not one_vs_rest:
            raise ValueError(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use another solver "
                "or wrap the estimator in a OneVsRestClassifier to keep applying a one-versus-rest scheme; or set "
                "multi_class='ovr'."
            )

    def _kind_of_penalty(self, l1: bool | None, infinite: bool, instead: str) -> str | None:
        """The penalty's name, with scikit-learn's refusals. l1: whether l1_ratio is 1; None: between 0 and 1."""
        penalty: str | None = self.penalty
        if penalty == "deprecated":
            penalty = None if infinite else "elasticnet" if l1 is None else "l1" if l1 else "l2"
        elif PENALTY_IS_DEPRECATED:
            # in scikit-learn's words, by which programs filter it
            text = "'penalty' was deprecated in version 1.8 and will be removed in 1.10. To avoid this warning, leave 'penalty' "
            text += f"set to its default value and use {instead}. (These are versions of scikit-learn.)"
            warnings.warn(text, FutureWarning, stacklevel=users_line())
        solver = self.solver
        if solver not in ("liblinear", "saga") and penalty not in ("l2", None):
            raise ValueError(f"Solver {solver} supports only 'l2' or None penalties, got {penalty} penalty: take solver='saga'")
        if solver != "liblinear" and self.dual:
            raise ValueError(f"Solver {solver} supports only dual=False, got dual={self.dual}")
        if penalty == "elasticnet" and solver != "saga":
            raise ValueError(f"Only 'saga' solver supports elasticnet penalty, got solver={solver}.")
        if solver == "liblinear" and penalty is None:
            raise ValueError("C=np.inf as well as penalty=None is not supported for the liblinear solver")
        if penalty == "l1" and self.dual:
            raise ValueError("penalty='l1' has no dual solver: dual must be False")
        return penalty

    def _take(self, model: LinearModel) -> None:
        self._trained = model
        self.coef_, self.intercept_ = self._weights_of(model)
        report: LinearReport | None = model.report
        steps = [p["n_iter"] for p in report.problems] if report else [0]
        self.n_iter_ = np.array(steps, dtype=np.int32)

    def _weights_of(self, model: LinearModel) -> Weights:
        """The weights in X's precision. Without |w| the minimum is where those of all classes add up to 0, which steps leave to
        their rounding."""
        coef, dtype = model.coef_, getattr(self, "_dtype", "float64")
        if model.solver == "multinomial" and len(coef) > 2 and not self._trained_with_l1(model):
            coef = coef - coef.mean(axis=0)
        return Weights(coef.astype(dtype), model.intercept_.astype(dtype))

    @staticmethod
    def _trained_with_l1(model: LinearModel) -> bool:
        training = model.training
        return training is not None and training["parameters"].get("l1_ratio", 0.0) > 0

    @property
    def model_(self) -> LinearModel:
        """The native model of the present weights; classes are numbered in it."""
        check_is_fitted(self)
        now, trained = self._present(), self._trained
        if all(map(np.array_equal, now, self._weights_of(trained))):
            return trained
        return self._exported_model()

    def _exported_model(self) -> LinearModel:
        """That of the weights as they are given: the trained model's are not centred (``_weights_of``)."""
        trained = self._trained
        return with_own_names(self._present().model(trained.solver, trained.bias, len(self.classes_)), self)

    @property
    def report_(self) -> Any:
        """What the training did."""
        check_is_fitted(self)
        return self._trained.report

    def _present(self) -> Weights:
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else np.asarray(self.coef_)
        return Weights(coef, np.broadcast_to(self.intercept_, len(coef)))

    def _warn_of(self, stop_reason: str) -> None:
        """In scikit-learn's words, which programs look for."""
        if stop_reason == "converged":
            return
        advice = f"Increase the number of iterations (max_iter={self.max_iter}) or scale the data, or raise tol."
        text = {
            "liblinear": "Liblinear failed to converge, increase the number of iterations.",
            "sag": "The max_iter was reached which means the coef_ did not converge.",
            "saga": "The max_iter was reached which means the coef_ did not converge.",
            "newton-cholesky": f"Newton solver did not converge after {self.max_iter} iterations.",
        }.get(self.solver, f"{self.solver} failed to converge after {self.max_iter} iteration(s).")
        if stop_reason == "time_limit":
            advice = f"Raise max_seconds, or leave it out: {shown(self.max_seconds)} s were over."
        if stop_reason != "max_iter":
            text = f"{self.solver} failed to converge: the training ended with {stop_reason!r}."
        warnings.warn(f"{text} {advice}", ConvergenceWarning, stacklevel=users_line())

    # Predicting

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
        rows = self._rows(X)
        decisions = np.asarray(safe_sparse_dot(rows, self.coef_.T, dense_output=True)) + self.intercept_
        return decisions.ravel() if decisions.shape[1] == 1 else decisions

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Class labels.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classify the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

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
        decisions = self.decision_function(X)
        return np.asarray(self.classes_[decisions.argmax(axis=1) if decisions.ndim == 2 else (decisions > 0).astype(np.intp)])

    @of_rows(*PROBABILITIES)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

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
        check_is_fitted(self)
        if len(self.classes_) == 2 or self.multi_class == "ovr":
            return np.asarray(self._predict_proba_lr(X))
        return np.asarray(softmax(self.decision_function(X), copy=False))

    @of_rows(*PROBABILITIES)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

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
