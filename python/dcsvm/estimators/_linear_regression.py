"""Linear support vector regression."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .._input.validate import FloatArray
from .._linear.model import LinearModel
from ._docs import REGRESSED, documented, of_training
from ._estimator import NativeRegressor
from ._inputs import checked, parameters_checked, targets_of
from ._linear import FORMS, WithWeights, unsupported
from ._linear_online import LearnsRows
from ._linear_parameters import LinearBiasParameters
from ._parameters import LINEAR, POSITIVE, FiniteCostParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self


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
        What the training did, with a lower bound of the objective where one is known; else it is NaN.

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
