"""Least-squares support vector machines: what they share, and classification."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._graphs.wanted import Wanted
from .._input.choices import LsKernel, LsMethod
from .._input.validate import FloatArray
from .._least_squares.ls_svm import LsSvmModel, LsSvmReport, how_it_ended, train_ls_svm
from .._shown.training_warnings import users_line
from .._shown.watching import Callback
from ._calibrated import PROBABILITIES
from ._docs import (
    documented,
    of_rows,
    of_training,
)
from ._estimator import NativeClassifier, NativeEstimator, with_own_names
from ._inputs import class_codes, labels_of, parameters_checked
from ._parameters import LS_SVM, SeedParameter, TimeParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self


solve: Callable[..., LsSvmModel] = inspect.unwrap(train_ls_svm)  # without its own warning: here scikit-learn's is given


@dataclass(kw_only=True, repr=False, eq=False)
class LSEstimator(SeedParameter, TimeParameter, NativeEstimator):
    """What LS-SVM classification and regression share."""

    gamma_ls: float = declared(LS_SVM["gamma_ls"])
    kernel: LsKernel = declared(  # type: ignore[assignment]  # 'cosine_poly' is known here alone
        LS_SVM["kernel"],
        ("cosine_poly",),
        text="'cosine_poly': (gamma x'z / (|x| |z|) + coef0)^degree; others as in SVC.",
        without=("precomputed",),
    )
    method: LsMethod = declared(LS_SVM["method"], text="See :func:`dcsvm.train_ls_svm`.")
    block_size: int | None = declared(LS_SVM["block_size"], more="More than there are rows is an error.")
    n_iter: int | None = declared(
        LS_SVM["n_iter"],
        text="T, steps; None: as many as cover all rows four times (nystrom: 6 members). Ending above tol is a "
        "ConvergenceWarning.",
    )
    n_average: int = declared(LS_SVM["n_average"])
    tol: float = declared(LS_SVM["tol"])
    warm_start: bool = parameter(False, "Go on from the last fit's weights, when they fit the rows and classes.", "boolean")
    verbose: bool | int = parameter(False, "Show progress on stderr.", "verbose")
    callback: Callback | None = parameter(
        None,
        "Called after each step with a :class:`dcsvm.Progress` (n_iter, violation: the residual); returning True stops.",
        callable,
        None,
    )

    model_: LsSvmModel = field(init=False)
    report_: LsSvmReport = field(init=False)

    def _fit(self, X: Any, targets: FloatArray, regression: bool) -> None:
        options = {**self._parameters(), "verbose": bool(self.verbose), "random_state": self._seed()}
        # method "nystrom" averages independent solutions, which have no start
        warm = options.pop("warm_start") and hasattr(self, "model_") and self.method != "nystrom"
        outputs = (1 if targets.ndim == 1 else targets.shape[1]) if regression else len(np.unique(targets))
        if warm and self.model_.dual_coef_.shape == (outputs, X.shape[0]):
            options["warm_start"] = self.model_
        self.model_: LsSvmModel = with_own_names(solve(X, targets, regression=regression, **options), self)
        report = self.model_.report
        self.n_iter_: int = report.n_iter
        if report.stop_reason != "converged":
            text = how_it_ended(self.model_, self.method, self.tol, type(self).__name__)
            warnings.warn(text, ConvergenceWarning, stacklevel=users_line())

    @property
    def dual_coef_(self) -> FloatArray:
        """Weights of the training rows, (n_outputs, n_samples)."""
        check_is_fitted(self)
        return self.model_.dual_coef_

    @property
    def intercept_(self) -> FloatArray:
        """Biases, (n_outputs,)."""
        check_is_fitted(self)
        return self.model_.intercept_


FORMS = {
    "dual_coef_": ("ndarray of shape (n_outputs, n_samples)", "Weights of the training rows."),
    "intercept_": ("ndarray of shape (n_outputs,)", "Biases."),
    "n_iter_": ("int", "Steps."),
    "model_": ("LsSvmModel", "The native model; it carries the labels."),
    "report_": ("LsSvmReport", "What the training did, with the residual after each step."),
}


@documented("classes_", **FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LSSVC(NativeClassifier, LSEstimator):
    """Least-squares support vector classification on random blocks of the kernel matrix: one system for all classes.

    All n training rows have a weight in the model, so predicting a row costs n kernel values. See docs/methods/least_squares.md.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str, default='rbf'
        'cosine_poly': (gamma x'z / (|x| |z|) + coef0)^degree; others as in SVC. One of 'linear', 'poly', 'rbf',
        'sigmoid', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto', 'cosine_poly'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float > 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    gamma_ls : float > 0, default=10000.0
        Price of errors (the paper's gamma).
    method : {'nystrom', 'kaczmarz', 'matching_pursuit', 'kaczmarz_mp', 'exact'}, default='matching_pursuit'
        See :func:`dcsvm.train_ls_svm`.
    block_size : int >= 1 or None, default=None
        J, rows of a block, at most the rows; None: 2,000, or a quarter of fewer than 8,000 rows. More than there are
        rows is an error.
    n_iter : int >= 1 or None, default=None
        T, steps; None: as many as cover all rows four times (nystrom: 6 members). Ending above tol is a
        ConvergenceWarning.
    n_average : int >= 1, default=1
        S, models of different seeds whose weights are averaged (Eq. 68).
    tol : float > 0, default=0.001
        Stop when the residual |Z - Theta W| / |Z| is below (nystrom: no residual is known).
    warm_start : bool, default=False
        Go on from the last fit's weights, when they fit the rows and classes.
    verbose : bool or int, default=False
        Show progress on stderr.
    callback : callable or None, default=None
        Called after each step with a :class:`dcsvm.Progress` (n_iter, violation: the residual); returning True stops.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    dual_coef_ : ndarray of shape (n_outputs, n_samples)
        Weights of the training rows.
    intercept_ : ndarray of shape (n_outputs,)
        Biases.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Steps.
    model_ : LsSvmModel
        The native model; it carries the labels.
    report_ : LsSvmReport
        What the training did, with the residual after each step.

    References
    ----------
    .. [1] Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines, 2016.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000, random_state=0)
    >>> model = dcsvm.LSSVC(gamma=4, gamma_ls=10, n_iter=200, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    def _wanted(self) -> Wanted:
        return super()._wanted()._replace(decision="difference")

    @parameters_checked
    @of_training("array-like of shape (n_samples,)", "Class labels, numbers or text.", "")
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        X, y = self._training_data(X, y)
        classes, codes = class_codes(labels_of(y))
        self.classes_: npt.NDArray[Any] = classes
        self._fit(X, codes.astype(np.float64), regression=False)
        return self

    @of_rows(
        "decisions",
        "ndarray of shape (n_samples,) or (n_samples, n_classes)",
        "More than two classes: a column for each, near 1 in the class and near 0 outside. Two classes: the second column "
        "less the first.",
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
            More than two classes: a column for each, near 1 in the class and near 0 outside. Two classes: the second
            column less the first.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        values = super().decision_function(X)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    @of_rows(*PROBABILITIES)
    def predict_proba(self, X: Any) -> FloatArray:
        """The softmax of the decisions, Eq. (7) of Andrecut (2016): more a rank of the classes than a frequency.

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
        rows = self._rows(X)
        return self.model_.predict_proba(rows, n_jobs=self.n_jobs)
