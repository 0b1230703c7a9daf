"""Linear outlier detection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._graphs.wanted import Wanted
from .._input.validate import FloatArray
from .._linear.model import LinearModel
from ._bases import OutlierMixin
from ._docs import documented, of_rows, of_training
from ._inputs import parameters_checked
from ._linear import FORMS, LinearEstimator
from ._parameters import NuParameter

if TYPE_CHECKING:
    from typing_extensions import Self


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
        What the training did, with a lower bound of the objective where one is known; else it is NaN.

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
