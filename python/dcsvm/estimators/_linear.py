"""Linear estimators: what all share, regression and outlier detection."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._graphs.wanted import Wanted
from .._input.validate import FloatArray
from .._linear.model import LinearModel, LinearReport
from .._linear.train import defaults, memory_for, solved
from .._shown.training_warnings import about, users_line
from ._bases import OutlierMixin
from ._docs import REGRESSED, documented, of_rows, of_training
from ._estimator import NativeRegressor, RowsEstimator, with_own_names
from ._explained import ExplainedWeights
from ._inputs import checked, parameters_checked, targets_of
from ._linear_online import LearnsRows
from ._linear_parameters import LinearBiasParameters, LinearParameters
from ._logistic_problem import Weights
from ._parameters import LINEAR, POSITIVE, FiniteCostParameter, NuParameter, TimeParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self

FORMS = {
    "coef_": ("ndarray of shape (n_vectors, n_features)", "Weights; two classes: (1, n_features); regression: (n_features,)."),
    "intercept_": ("ndarray of shape (n_vectors,)", "What a decision adds to ``coef_ @ x``."),
    "n_iter_": ("int", "Newton steps or passes; of several classes the most."),
    "model_": ("LinearModel", "The native model; classes are numbered in it."),
    "report_": ("LinearReport", "What the training did, with a lower bound of the objective."),
}


class LinearEstimator(ExplainedWeights, LinearParameters, TimeParameter, RowsEstimator):
    """Training, and what the models have in common."""

    _one_solution = True
    model_: LinearModel
    fit_intercept: bool  # of those that have a bias
    intercept_scaling: float

    def _train(self, X: Any, y: Any, after: LinearModel | None = None, **options: Any) -> None:
        """after: a model that goes on with these rows in one pass."""
        own: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs, "verbose": bool(self.verbose)}
        own["max_seconds"] = self.max_seconds
        own["cache_size"] = memory_for(X.shape[1], len(getattr(self, "classes_", ())))
        model = solved(X, y, **{**defaults(), **own, "random_state": self._seed(), **options}, after=after)
        self.model_ = with_own_names(model, self)
        report = model.report
        self.n_iter_: int = max((p["n_iter"] for p in report.problems), default=0)
        if text := self._unfinished(report):
            warnings.warn(text, ConvergenceWarning, stacklevel=users_line())

    def _unfinished(self, report: LinearReport) -> str:
        """What to warn of after a training; "": nothing."""
        if report.stop_reason in ("converged", "one_pass"):
            return ""
        limit, advice = "", "scale the features, or raise tol"
        if report.stop_reason == "max_iter":
            limit, advice = f" (max_iter={self.max_iter})", "raise max_iter or tol, or scale the features"
        if report.stop_reason == "time_limit":
            limit, advice = f" (max_seconds={self.max_seconds:g})", "raise max_seconds, or take the model as it is"
        else:
            advice += ", or lower C" * hasattr(self, "C")
        # after a pass over new rows the violation is not known
        where = report.stop_detail if math.isnan(report.violation) else f"at a violation of {about(report.violation)} or more"
        return f"{type(self).__name__} stopped with {report.stop_reason!r}{limit} {where}; {advice}"

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


def unsupported(penalty: str, loss: str, dual: bool | str, advice: str) -> ValueError:
    """For a combination that nobody solves: scikit-learn's words, and what to do."""
    text = f"The combination of penalty={penalty!r} and loss={loss!r} are not supported when dual={dual!r}"
    if (penalty, loss) == ("l1", "hinge"):
        text = f"The combination of penalty={penalty!r} and loss={loss!r} is not supported"
    given = f"Parameters: penalty={penalty!r}, loss={loss!r}, dual={dual!r}"
    return ValueError(f"Unsupported set of arguments: {text}, {given}: {advice}")


class WithWeights(LinearEstimator):
    """A model that is its weights, which users may set, as scikit-learn's. Probabilities and the report are those of the fit."""

    _sparse_coef = False  # after sparsify(), or when a sparse matrix was set

    def _train(self, X: Any, y: Any, after: LinearModel | None = None, **options: Any) -> None:
        super()._train(X, y, after, **options)
        self._sparse_coef = False

    def _unfinished(self, report: LinearReport) -> str:
        """By scikit-learn's rule, which counts steps alone, and with its words first, by which programs filter."""
        text = super()._unfinished(report)
        if not text and report.stop_reason != "one_pass" and self.n_iter_ >= self.max_iter:
            text = f"{type(self).__name__} needed the last step that max_iter={self.max_iter} allows"
        return text and f"Liblinear failed to converge, increase the number of iterations. {text}"

    def _set_weights(self, coef: Any, intercept: Any) -> None:
        """coef and intercept: in the shapes in which the estimator shows them; they are copied."""
        expected, trained = self.coef_.shape, self.model_
        dense = np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64)
        if dense.shape != expected:
            raise ValueError(f"coef_ must have the shape of the fitted model's, {expected}, got {dense.shape}")
        rows = np.atleast_2d(dense)
        of_rows = np.asarray(intercept, dtype=np.float64)
        if of_rows.shape not in ((), (len(rows),)):
            raise ValueError(f"intercept_ must be a number or have the shape {(len(rows),)}, got {of_rows.shape}")
        weights = Weights(rows, np.broadcast_to(of_rows, len(rows)))
        if len(rows) < len(trained.coef_):  # two classes with a vector each, of which the difference is shown
            weights = Weights(*(np.concatenate([-0.5 * w, 0.5 * w]) for w in weights))
        self._sparse_coef = sp.issparse(coef)
        self.model_ = with_own_names(weights.model(trained.solver, trained.bias, len(trained.classes_)), self)

    def _shown(self, coef: FloatArray) -> Any:
        return sp.csr_matrix(coef) if self._sparse_coef else coef


@documented(**FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearSVR(LearnsRows, NativeRegressor, WithWeights, LinearBiasParameters, FiniteCostParameter):
    """Linear support vector regression: scikit-learn's ``LinearSVR``, solved on all cores.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes.
    fit_intercept : bool, default=True
        With a bias.
    intercept_scaling : float > 0, default=1.0
        Value of the feature whose weight is the bias, which is regularised: the larger, the less so.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
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
    epsilon : float >= 0, default=0.0
        Half the width of the tube in which targets cost nothing.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        max(0, |y - z| - epsilon), or its square.
    dual : bool or 'auto', default='auto'
        What tol means: of the dual problem or of the primal one.

    Attributes
    ----------
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
    >>> dcsvm.LinearSVR(C=100).fit([[0], [1], [2]], [0, 1, 2]).predict([[1.5]]).round(1).tolist()
    [1.5]
    """

    intercept_scaling: float = parameter(
        1.0, "Value of the feature whose weight is the bias, which is regularised: the larger, the less so.", POSITIVE
    )
    epsilon: float = declared(LINEAR["epsilon"], default=0.0, text="Half the width of the tube in which targets cost nothing.")
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
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,)
            Targets: finite numbers.
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
            X, y = self._training_data(X, y)
            self._solve(X, targets_of(y), self._weights(sample_weight, X))
            self.__dict__.pop("_kept", None)
        return self

    @parameters_checked
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more rows: one pass over them, from the present weights.

        Rows come in random order. Each takes the step of dual coordinate descent that is best for it while all other rows stay as
        they are. C is the price of each row, whenever it comes. No optimum is claimed: :meth:`finish` reaches it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows, one or more.
        y : array-like of shape (n_samples,)
            Their targets: finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C, >= 0. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For parameters that mean another model than the present one, and as ``fit``. The estimator is then what it was before.
        """
        with self._learning() as first:
            X, y = checked(self, X, y, reset=first)
            self._add(first, X, targets_of(y), self._weights(sample_weight, X))
        return self

    def _solver(self) -> str:
        if self.loss == "epsilon_insensitive":
            if self.dual is False:
                raise unsupported("l2", self.loss, self.dual, "dual must be True or 'auto'")
            return "svr_dual"
        return "svr_squared" if self.dual is False else "svr_squared_dual"

    def _solve(self, X: Any, y: FloatArray, weights: FloatArray | None, after: LinearModel | None = None) -> None:
        problem = {"solver": self._solver(), "C": self.C, "epsilon": self.epsilon, "bias": self._bias()}
        self._train(X, y, after, sample_weight=weights, **problem)

    def _learn(self, first: bool, X: Any, y: FloatArray, weights: FloatArray | None) -> None:
        self._solve(X, y, weights, self._begun(first, self._solver(), self._bias(), 1, 0))

    @property
    def coef_(self) -> Any:
        """Weights, (n_features,)."""
        return super().coef_[0]

    @coef_.setter
    def coef_(self, value: Any) -> None:
        self._set_weights(value, self.intercept_)

    @property
    def intercept_(self) -> FloatArray:
        """What a decision adds to ``coef_ @ x``, (1,)."""
        return super().intercept_

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        self._set_weights(self.coef_, value)


@documented("offset_", **FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LinearOneClassSVM(OutlierMixin, LinearEstimator, NuParameter):
    """Linear outlier detection: the one-class SVM of LIBLINEAR.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        An upper bound on the share of rows with errors and a lower bound on the share of support vectors.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
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

    Attributes
    ----------
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
    offset_ : ndarray of shape (1,)
        ``decision_function = score_samples - offset_``.
    model_ : LinearModel
        The native model; classes are numbered in it.
    report_ : LinearReport
        What the training did, with a lower bound of the objective.

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
        """Find the region where the rows of X lie.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : Ignored
            Present for the interface.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        X = self._training_rows(X)
        self._train(X, None, solver="one_class", nu=self.nu, bias=-1.0)
        self.offset_: FloatArray = 0.0 - self.model_.intercept_
        return self

    @of_rows("scores", "ndarray of shape (n_samples,)", "The scores.")
    def score_samples(self, X: Any) -> FloatArray:
        """Decision values before the offset: ``coef_ @ x``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The scores.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self.decision_function(X) + self.offset_

    @of_rows("decisions", "ndarray of shape (n_samples,)", "The decision values.")
    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the rows of X: positive inside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            The decision values.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "1 or -1.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """1 for rows inside, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            1 or -1.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)
