"""Logistic regression: scikit-learn's ``LogisticRegression``, and what it shares with ``LogisticRegressionCV``."""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot, softmax
from sklearn.utils.validation import check_is_fitted

from .._input.validate import FloatArray
from .._linear.model import LinearModel, LinearReport
from .._shown.training_warnings import users_line
from ._bases import CallbackSupportMixin, LinearClassifierMixin, SparseCoefMixin
from ._calibrated import PROBABILITIES
from ._docs import LABELLED, documented, of_rows
from ._estimator import NativeClassifier, with_own_names
from ._inputs import class_factors, labels_of, parameters_checked
from ._linear import FORMS
from ._linear_parameters import LogisticParameters, LogisticSharedParameters
from ._logistic_problem import LogisticProblem, Weights, stop_reason

if TYPE_CHECKING:
    from typing_extensions import Self

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
}


class LogisticBase(LinearClassifierMixin, SparseCoefMixin, NativeClassifier, LogisticSharedParameters):
    """A model is its weights, which users may change: all answers come from ``coef_`` and ``intercept_``."""

    coef_: Any
    intercept_: FloatArray
    n_iter_: npt.NDArray[np.int32]
    _trained: LinearModel
    _dtype: str  # of the weights: that of X
    penalty: Any

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
        self._dtype = "float64" if self.solver == "liblinear" or X.dtype != np.float32 else "float32"
        with np.errstate(divide="ignore"):  # of a class without weight
            factors = np.nan_to_num(class_factors(self.class_weight, self.classes_, labels, weights), posinf=0.0)
        return LogisticProblem.of(self, X, codes, weights, factors, one_vs_rest)

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
            text = "'penalty' was deprecated in version 1.8 of scikit-learn and will be removed in 1.10. To avoid this warning, "
            text += f"leave 'penalty' set to its default value and use {instead}."
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
        """Evaluate the decision function for the rows of X."""
        rows = self._rows(X)
        decisions = np.asarray(safe_sparse_dot(rows, self.coef_.T, dense_output=True)) + self.intercept_
        return decisions.ravel() if decisions.shape[1] == 1 else decisions

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Class labels.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classify the rows of X."""
        decisions = self.decision_function(X)
        return np.asarray(self.classes_[decisions.argmax(axis=1) if decisions.ndim == 2 else (decisions > 0).astype(np.intp)])

    @of_rows(*PROBABILITIES)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for the rows of X."""
        check_is_fitted(self)
        if len(self.classes_) == 2 or getattr(self, "multi_class", "") == "ovr":
            return np.asarray(self._predict_proba_lr(X))
        return np.asarray(softmax(self.decision_function(X), copy=False))

    @of_rows(*PROBABILITIES)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))


@documented("classes_", **LOGISTIC_FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LogisticRegression(LogisticParameters, CallbackSupportMixin, LogisticBase):
    """Logistic regression: scikit-learn's ``LogisticRegression``, solved on all cores.

    More than two classes: the multinomial model. The bias is not regularised, except with ``solver="liblinear"``. All other names
    of solvers mean Newton's method, which is done when the objective is nearer to its minimum than those solvers come.

    Parameters
    ----------
    tol : float >= 0, default=0.0001
        Stop when the objective is within 1e-12 ``tol`` of its minimum, relative; with l1 1e-6 ``tol``. By the
        gradient, relative to that of weights 0: C=inf 1e-2 ``tol``, two classes with l1 0.1 ``tol``.
        solver='liblinear': LIBLINEAR's.
    max_iter : int >= 0, default=100
        Newton steps at most, 0: the weights stay 0, or where they are. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    n_jobs : int or None, default=None
        Threads, as in SVC. The model does not depend on it.
    dual : bool, default=False
        Whether tol is that of the dual problem, for solver 'liblinear' with l2.
    solver : {'lbfgs', 'liblinear', 'newton-cg', 'newton-cholesky', 'sag', 'saga'}, default='lbfgs'
        All mean the multinomial model, found by Newton's method, and l2. 'saga': also l1 and the elastic net.
        'liblinear': l2 or l1 of two classes, and the bias is regularised.
    fit_intercept : bool, default=True
        With a bias.
    intercept_scaling : float > 0, default=1
        For solver='liblinear': value of the feature whose weight is the bias; the larger, the less it is regularised.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes. Infinity: no penalty.
    penalty : {'l1', 'l2', 'elasticnet'} or None, default='deprecated'
        l1: |w|_1, with which many weights are 0; l2: |w|^2; None: no penalty. scikit-learn 1.8 replaces it by
        l1_ratio and C=inf.
    l1_ratio : float in [0, 1] or None, default=0.0
        Share of |w|_1 in the penalty, the rest is 1/2 |w|^2. 0 and None: l2; 1: l1.
    multi_class : {'auto', 'ovr', 'multinomial'}, default='auto'
        'auto' and 'multinomial': all classes in one problem. 'ovr': each class against the rest, probabilities
        divided by their sum, as scikit-learn did until 1.7.
    warm_start : bool, default=False
        Start from the present weights, where these have the same shape.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights; two classes: (1, n_features).
    intercept_ : ndarray of shape (n_classes,)
        What a decision adds to ``coef_ @ x``; two classes: (1,).
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : ndarray of shape (1,) or (n_classes,)
        Newton steps of each problem.
    model_ : LinearModel
        The native model of the present weights; classes are numbered in it.
    report_ : LinearReport
        What the training did, with a lower bound of the objective.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(1000, random_state=0)
    >>> dcsvm.LogisticRegression().fit(X, y).predict_proba(X[:2]).shape
    (2, 2)
    """

    @parameters_checked
    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        C, l1_ratio = self._penalty()
        X, y = self._training_data(X, y)
        problem = self._problem(X, y, sample_weight, self.multi_class == "ovr")
        start = self._present() if self.warm_start and hasattr(self, "coef_") else None
        if getattr(self, "_skl_callbacks", None):
            metadata = None if sample_weight is None else {"sample_weight": sample_weight}
            self._fit_by_steps(problem, C, l1_ratio, start, {"X": X, "y": y, "metadata": metadata})
        else:
            self._take(with_own_names(problem.solve(C, l1_ratio, self.max_iter, start), self))
        self._warn_of(stop_reason(self._trained))
        return self

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set what scikit-learn 1.9 calls during ``fit``: at its begin and end, and at those of each Newton step.

        Parameters
        ----------
        *callbacks : object
            Instances that follow ``sklearn.callback.FitCallback``.

        Returns
        -------
        object
            The estimator.
        """
        if self.solver == "liblinear":
            warnings.warn(
                "Callbacks are only supported in LogisticRegression for solver='lbfgs' and others whose bias is not regularised. "
                "This estimator has solver='liblinear', callbacks will be ignored during the solving of the regression.",
                UserWarning,
                stacklevel=users_line(),
            )
        return super().set_callbacks(*callbacks)

    def _fit_by_steps(
        self, problem: LogisticProblem, C: float, l1_ratio: float, start: Weights | None, given: dict[str, Any]
    ) -> None:
        """Each step is a training that goes on from the weights of the last one, so that callbacks see every model in between."""
        fit = self._init_callback_context(max_subtasks=max(self.max_iter, 1) + 1)
        fit.call_on_fit_task_begin(estimator=self, **given)
        self._take(problem.solve(C, l1_ratio, 0, start))
        done = 0
        for _ in range(max(self.max_iter, 1)):
            step = fit.subcontext(task_name="lbfgs-iter")
            before = {"coef_": self.coef_, "intercept_": self.intercept_}
            step.call_on_fit_task_begin(estimator=self, **given, reconstruction_attributes=before)
            self._take(with_own_names(problem.solve(C, l1_ratio, min(self.max_iter, 1), self._present()), self))
            done += int(self.n_iter_[0])
            after = {"coef_": self.coef_, "intercept_": self.intercept_}
            asked = step.call_on_fit_task_end(estimator=self, **given, reconstruction_attributes=after)
            if asked or stop_reason(self._trained) != "max_iter":
                break
        rest = fit.subcontext(task_name="lbfgs-iter")  # as lbfgs has one that does nothing
        rest.call_on_fit_task_begin(estimator=self, **given)
        rest.call_on_fit_task_end(estimator=self)
        self.n_iter_ = np.array([done], dtype=np.int32)
        fit.call_on_fit_task_end(estimator=self, **given, reconstruction_attributes={})

    def _penalty(self) -> tuple[float, float]:
        """C and l1_ratio that hold, after scikit-learn's warnings and refusals."""
        ratio, given = self.l1_ratio, self.penalty != "deprecated"
        if ratio is None and not given and PENALTY_IS_DEPRECATED:
            text = "'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10. Use 0<=l1_ratio<=1 instead."
            warnings.warn(text, FutureWarning, stacklevel=users_line())
        kind = self._kind_of_penalty(
            None if ratio and ratio < 1 else bool(ratio),
            math.inf == self.C,
            "'l1_ratio' or 'C' instead. Use l1_ratio=0 instead of penalty='l2', l1_ratio=1 instead of penalty='l1', l1_ratio set "
            "to a float between 0 and 1 instead of penalty='elasticnet', and C=np.inf instead of penalty=None",
        )
        if kind == "elasticnet":
            if ratio is None:
                raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
            return self.C, ratio
        texts = []
        if ratio and 0 < ratio < 1:
            texts.append(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})")
        if PENALTY_IS_DEPRECATED and ((self.penalty == "l2" and ratio != 0) or (self.penalty == "l1" and ratio != 1)):
            texts.append(
                f"Inconsistent values: penalty={kind} with l1_ratio={ratio}. penalty is deprecated. Please use l1_ratio only."
            )
        if self.penalty is None and self.C != 1.0:
            texts.append("Setting penalty=None will ignore the C and l1_ratio parameters")
        for text in texts:
            warnings.warn(text, UserWarning, stacklevel=users_line())
        return math.inf if self.penalty is None else self.C, float(kind == "l1")
