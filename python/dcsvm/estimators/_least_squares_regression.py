"""Least-squares support vector regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._graphs.wanted import Wanted
from .._input.validate import FloatArray
from ._bases import MultiOutputMixin
from ._docs import REGRESSED, documented, of_rows, of_training
from ._estimator import NativeRegressor
from ._inputs import parameters_checked
from ._least_squares import FORMS, LSEstimator

if TYPE_CHECKING:
    from typing_extensions import Self


@documented(**FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LSSVR(MultiOutputMixin, NativeRegressor, LSEstimator):
    """Least-squares support vector regression (kernel ridge with a bias) on random blocks of the kernel matrix.

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

    See Also
    --------
    LSSVC : Classification, and the paper.

    Examples
    --------
    >>> import numpy as np, dcsvm
    >>> x = np.linspace(0, 6, 500).reshape(-1, 1)
    >>> model = dcsvm.LSSVR(gamma=1.0, method="exact").fit(x, np.sin(x).ravel())
    >>> bool(abs(model.predict(x) - np.sin(x).ravel()).max() < 0.02)
    True
    """

    def _wanted(self) -> Wanted:
        return super()._wanted()._replace(two_dimensional=len(self._shape) == 1)

    @parameters_checked
    @of_training("array-like of shape (n_samples,) or (n_samples, n_targets)", REGRESSED, "")
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets: finite numbers.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        X, y = self._training_data(X, y, multi_output=True, y_numeric=True)
        self._shape = y.shape[1:]
        self._fit(X, np.asarray(y, dtype=np.float64), regression=True)
        return self

    @of_rows("y_pred", "ndarray of shape (n_samples,) or (n_samples, n_targets)", "Predicted targets, shaped as y was.")
    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predicted targets, shaped as y was.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        rows = self._rows(X)
        values = self.model_.predict(rows, n_jobs=self.n_jobs)
        return np.asarray(values).reshape(-1, *self._shape)
