"""Linear SVMs and logistic regression on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._distributed import setup
from .._distributed.linear import LinearLoop, LinearProblem, model_of
from .._distributed.newton import Loss, Minimum
from .._distributed.problem import Problem
from .._linear.model import LinearModel
from ..estimators._docs import documented
from ..estimators._estimator import with_own_names
from ..estimators._linear_classification import LinearSVC
from ..estimators._linear_parameters import LinearClassifierParameters, LogisticModelParameters
from ..estimators._logistic import LogisticRegression
from ..estimators._parameters import FRACTION, FiniteCostParameter, at_least, parameter
from ._base import of_collection
from ._engine import DaskEngine
from ._newton import NewtonClassifier, NewtonParameters

_PROBABILITIES = (
    "T",
    "collection or ndarray of shape (n_samples, n_classes)",
    "Columns in the order of ``classes_``; of a DataFrame a DataFrame whose columns name the classes.",
)
_TOL, _PASSES = 1e-6, 100
_SHOWN = {
    "coef_": ("ndarray of shape (n_vectors, n_features)", "Weights; two classes: (1, n_features)."),
    "intercept_": ("ndarray of shape (n_vectors,)", "What a decision adds to ``coef_ @ x``."),
    "n_iter_": ("int", "Passes over the data, without those of conjugate gradients."),
    "model_": ("LinearModel", "The native model; classes are numbered in it."),
    "report_": ("DistributedLinearReport", "What the training did, with its duality gap."),
}


@dataclass(kw_only=True, repr=False, eq=False)
class LinearOnClusterParameters(NewtonParameters):
    """Of both estimators below. In the bases it precedes the parameters of the local estimator, some of which it replaces."""

    tol: float = parameter(_TOL, "Stop when the duality gap is below this share of the objective.", FRACTION)
    max_iter: int = parameter(
        _PASSES, "Passes at most, without those of conjugate gradients. Reaching it is a ConvergenceWarning.", at_least(1)
    )


class DaskLinear(NewtonClassifier):
    """Base of the two estimators below."""

    tol: float
    max_iter: int
    model_: LinearModel

    def _bias_of_problem(self, local: Any) -> tuple[float, bool]:
        """(value of the bias's feature, or a negative number for no bias; whether the bias is regularised)"""
        raise NotImplementedError

    def _loss_of(self, local: Any, n_classes: int) -> Loss:
        """ValueError for parameters that do not go with the classes."""
        raise NotImplementedError

    def _minimised(self, engine: DaskEngine, data: setup.Data, local: Any) -> tuple[Minimum, dict[str, Any]]:
        classes = setup.classes_of(data.summary, self.class_weight)
        C = float(self.C)
        rows = Problem("c_svc", {"C": C}, np.full(len(classes), C), classes)
        factors = setup.class_costs(1.0, self.class_weight, classes, data.summary)
        problem = LinearProblem(rows, self._loss_of(local, len(classes)), factors, *self._bias_of_problem(local))
        n_features = data.summary.n_features
        found = LinearLoop(engine, problem, data.parts, data.labels, n_features, self.tol, self.max_iter, self._on_pass).run()
        local.classes_ = classes
        local._take(with_own_names(model_of(problem, found.weights, n_features), local))
        return found, {}


@documented("classes_", **_SHOWN)
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLinearSVC(DaskLinear, LinearOnClusterParameters, LinearClassifierParameters):
    """``dcsvm.LinearSVC`` with the squared hinge loss on the partitions of a Dask cluster: the same solution.

    Newton's method: each pass over the partitions sums the gradients and Hessians of all classes, 8 (n_features + 1)^2 bytes
    for each class. Where these are more than 16 MB, a Newton step is found by conjugate gradients instead, which takes up to
    a hundred further passes.

    Parameters
    ----------
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
    tol : float in (0, 1), default=1e-06
        Stop when the duality gap is below this share of the objective.
    max_iter : int >= 1, default=100
        Passes at most, without those of conjugate gradients. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    client : distributed.Client or None, default=None
        The cluster's client; None: the current one. Not kept in pickles.
    callback : callable or None, default=None
        Called on the client after each pass with an object: number, primal_objective, gap, step, n_products, seconds.
        Returning True stops and keeps the current solution.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray of shape (n_vectors, n_features)
        Weights; two classes: (1, n_features).
    intercept_ : ndarray of shape (n_vectors,)
        What a decision adds to ``coef_ @ x``.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Passes over the data, without those of conjugate gradients.
    model_ : LinearModel
        The native model; classes are numbered in it.
    report_ : DistributedLinearReport
        What the training did, with its duality gap.
    """

    _local_class = LinearSVC

    def _minimised(self, engine: DaskEngine, data: setup.Data, local: Any) -> tuple[Minimum, dict[str, Any]]:
        local._calibration = {}
        return super()._minimised(engine, data, local)

    def _loss_of(self, local: LinearSVC, n_classes: int) -> Loss:
        return "squared_hinge"

    def _bias_of_problem(self, local: LinearSVC) -> tuple[float, bool]:
        return local._bias(), True


@documented("classes_", **_SHOWN)
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLogisticRegression(DaskLinear, LinearOnClusterParameters, LogisticModelParameters, FiniteCostParameter):
    """``dcsvm.LogisticRegression`` with the l2 penalty on the partitions of a Dask cluster: the same solution.

    See :class:`DaskLinearSVC`.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.
    fit_intercept : bool, default=True
        With a bias.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    tol : float in (0, 1), default=1e-06
        Stop when the duality gap is below this share of the objective.
    max_iter : int >= 1, default=100
        Passes at most, without those of conjugate gradients. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    solver : {'lbfgs', 'liblinear', 'newton-cg', 'newton-cholesky', 'sag', 'saga'}, default='lbfgs'
        All mean the multinomial model, found by Newton's method. 'liblinear': two classes, and the bias is
        regularised.
    intercept_scaling : float > 0, default=1
        For solver='liblinear': value of the feature whose weight is the bias; the larger, the less it is regularised.
    multi_class : {'auto', 'ovr', 'multinomial'}, default='auto'
        'auto' and 'multinomial': all classes in one problem. 'ovr': each class against the rest, probabilities
        divided by their sum, as scikit-learn did until 1.7.
    client : distributed.Client or None, default=None
        The cluster's client; None: the current one. Not kept in pickles.
    callback : callable or None, default=None
        Called on the client after each pass with an object: number, primal_objective, gap, step, n_products, seconds.
        Returning True stops and keeps the current solution.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray of shape (n_vectors, n_features)
        Weights; two classes: (1, n_features).
    intercept_ : ndarray of shape (n_vectors,)
        What a decision adds to ``coef_ @ x``.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Passes over the data, without those of conjugate gradients.
    model_ : LinearModel
        The native model; classes are numbered in it.
    report_ : DistributedLinearReport
        What the training did, with its duality gap.
    """

    _local_class = LogisticRegression

    def _loss_of(self, local: LogisticRegression, n_classes: int) -> Loss:
        local._check_classes(n_classes, self.multi_class == "ovr")
        return "logistic" if self.multi_class == "ovr" or self.solver == "liblinear" else "multinomial"

    def _bias_of_problem(self, local: LogisticRegression) -> tuple[float, bool]:
        return local._bias_feature()

    @of_collection(*_PROBABILITIES)
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class for the rows of X.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        T : collection or ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; of a DataFrame a DataFrame whose columns name the classes.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._probabilities("predict_proba", X)

    @of_collection(*_PROBABILITIES)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        T : collection or ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; of a DataFrame a DataFrame whose columns name the classes.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._probabilities("predict_log_proba", X)

    def _probabilities(self, method: str, X: Any) -> Any:
        return self._answer(method, X, np.dtype(np.float64), [str(c) for c in self.classes_])
