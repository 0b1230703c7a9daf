"""Outlier detection: the region where most rows lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._input.validate import FloatArray
from .._svm.model import Model
from ._bases import OutlierMixin
from ._docs import KERNEL_X, OF_SVM, TRAINING_KERNEL_X, documented, of_rows, of_training
from ._inputs import parameters_checked
from ._parameters import EarlyLevelParameter, KernelParameters, LevelParameters, NuParameter, SolverChoice, SolverParameters
from ._svm import BaseSVM
from ._warm import one_problem_start

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, repr=False, eq=False)
class OneClassParameters(LevelParameters, SolverChoice, SolverParameters, KernelParameters, NuParameter):
    """Of OneClassSVM, here and on a cluster."""


@documented(*OF_SVM, "offset_")
@dataclass(kw_only=True, repr=False, eq=False)
class OneClassSVM(OneClassParameters, EarlyLevelParameter, OutlierMixin, BaseSVM):
    """Unsupervised outlier detection: scikit-learn's ``OneClassSVM``, solved on all cores.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        An upper bound on the share of rows with errors and a lower bound on the share of support vectors.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str or callable, default='rbf'
        x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel
        values (symmetric), or a function of two sets of rows that returns theirs. One of 'linear', 'poly', 'rbf',
        'sigmoid', 'precomputed', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float >= 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    shrinking : bool, default=True
        Leave variables that stay at a bound aside while solving.
    tol : float > 0, default=0.001
        Stop when the largest KKT violation is below. For up to 200 rows the solver aims at 1e-10, which costs next to
        nothing there.
    cache_size : float > 0, default=200
        MB (2^20 bytes) of working memory for kernel rows and packed data. More saves time on large problems.
    verbose : bool or int, default=False
        Show progress with the violation and the active rows: a bar on a terminal and in notebooks.
    max_iter : int >= -1, default=-1
        SMO steps in each binary problem; -1: LIBSVM's limit, max(10^7, 100 n). Reaching it is a ConvergenceWarning.
    precision : {'single', 'double', 'auto'}, default='auto'
        Of kernel values. 'auto': double up to 2000 rows and where the data needs it, else single.
    callback : callable or None, default=None
        Called about 20 times a second with a :class:`dcsvm.Progress`: phase ('clustering', 'level', 'refine',
        'solve', 'calibrate'; at the end 'done', with the report's values, unless it was stopped), level (0: the whole
        problem), done and total (clusters or pairs of the phase), n_iter (steps so far), violation, objective, active
        (rows not shrunk), n_support, seconds. Returning True stops and keeps the current solution, without
        probabilities.
    warm_start : bool, default=False
        Start from the last fit's solution, scaled into the new bounds, when the labels of its rows are the same; new
        rows may follow them. Often no faster than from zero.
    early_level : int >= 1 or None, default=None
        Stop after this level of divide and conquer and predict with its clusters' models. None: go on to the exact
        solution.
    solver : {'auto', 'smo', 'dc'}, default='auto'
        One problem from the start, or divide and conquer first; 'auto' picks and says why in
        ``report_.solver_reason``.
    n_levels : int >= 1 or None, default=None
        Levels of divide and conquer; None: early_level where it is given, else the fewest that bring the bottom
        clusters to about 2000 rows.
    branching : int >= 2, default=4
        Level l of divide and conquer has branching^l clusters.
    sample_size : int >= 1, default=1000
        Rows on which the clusters are found; the others join the nearest.
    keep_levels : bool, default=False
        Keep each level's clusters and support vectors as ``model_.levels_``, not in files or pickles.

    Attributes
    ----------
    coef_ : ndarray or sparse matrix of shape (n_problems, n_features)
        Weights of the features, for ``kernel='linear'``; read-only.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)
        Coefficients of the support vectors, signs included. Class i against j: row j - 1 when j > i, else row j.
    fit_status_ : int
        0, or 1 when the solver did not converge.
    intercept_ : ndarray of shape (n_problems,)
        Constants of the decision functions.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : ndarray of shape (n_problems,) or int
        Steps in each binary problem.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Support vectors of each class.
    offset_ : ndarray of shape (1,)
        ``decision_function = score_samples - offset_``.
    shape_fit_ : tuple of int
        Shape of X.
    support_ : ndarray of shape (n_SV,)
        Rows of X that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        Those rows, in X's precision; read-only.
    model_ : dcsvm.Model
        The native model.
    report_ : dcsvm.Report
        What the training did: objective, violation, steps, seconds, memory, levels.

    See Also
    --------
    SVC : Classification.

    References
    ----------
    .. [1] Schölkopf, Platt, Shawe-Taylor, Smola, Williamson: Estimating the Support of a High-Dimensional Distribution, Neural
       Computation 13, 2001.

    Examples
    --------
    >>> from dcsvm import OneClassSVM
    >>> OneClassSVM(gamma="auto").fit_predict([[0], [0.44], [0.45], [0.46], [1]]).tolist()
    [-1, 1, 1, 1, -1]
    """

    _formulation = "one_class"

    @parameters_checked
    @of_training(
        "Ignored",
        "Present for the interface.",
        "Weights of the rows. Rows of weight 0 or below take no part.",
        x=TRAINING_KERNEL_X,
    )
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the region where the rows of X lie.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : Ignored
            Present for the interface.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. Rows of weight 0 or below take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        self._fit(X, None, sample_weight)
        self.n_iter_: int = int(self._num_iter[0])
        self.offset_: FloatArray = 0.0 - self._intercept_
        return self

    def _take(self, model: Model) -> None:
        super()._take(model)
        self.offset_ = 0.0 - self._intercept_

    def _targets(self, y: Any, weights: FloatArray | None) -> tuple[Any, FloatArray | None]:
        return None, weights

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        upper = np.ones(n) if weights is None else weights
        return one_problem_start(self._model, upper, self.nu * float(upper.sum()))

    @of_rows("dec", "ndarray of shape (n_samples,)", "The decision values.", x=KERNEL_X)
    def decision_function(self, X: Any) -> FloatArray:
        """Signed distance to the boundary, scaled: positive inside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        dec : ndarray of shape (n_samples,)
            The decision values.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._decisions(X).ravel()

    @of_rows("score_samples", "ndarray of shape (n_samples,)", "The scores.", x=KERNEL_X)
    def score_samples(self, X: Any) -> FloatArray:
        """Decision values before the offset: ``decision_function(X) + offset_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        score_samples : ndarray of shape (n_samples,)
            The scores.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return np.asarray(self.decision_function(X) + self.offset_)

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "1 or -1.", x=KERNEL_X)
    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """1 for rows inside, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

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
        return self._predictions(X).astype(np.intp)
