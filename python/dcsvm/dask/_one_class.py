"""Outliers on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._distributed import setup
from .._distributed.problem import Problem
from .._svm.model import Model
from ..estimators._bases import OutlierMixin
from ..estimators._docs import OF_SVM, documented
from ..estimators._one_class import OneClassParameters, OneClassSVM
from ._base import of_collection, of_training
from ._data import Blocks
from ._outer_loop import CALLBACK, DaskSVM, OuterLoopParameters


@documented(*OF_SVM, "offset_", callback=CALLBACK)
@dataclass(kw_only=True, repr=False, eq=False)
class DaskOneClassSVM(OutlierMixin, DaskSVM, OuterLoopParameters, OneClassParameters):
    """``dcsvm.OneClassSVM`` on the partitions of a Dask cluster: see :class:`DaskSVC`.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        An upper bound on the share of rows with errors and a lower bound on the share of support vectors.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str, default='rbf'
        x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), or tanh(gamma x'z + coef0). One of 'linear', 'poly',
        'rbf', 'sigmoid', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float >= 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
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
        Called on the client after each round with an object: number, n_pool, n_held, n_joined, n_support, objective,
        violation, n_violators, certified, seconds. Returning True stops and keeps the current solution.
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
    client : distributed.Client or None, default=None
        The cluster's client; None: the current one. Not kept in pickles.
    max_pool_rows : int >= 1, default=2000000
        Rows that one worker solves together, at most. With fewer than there are support vectors, the others are held
        fixed meanwhile, which takes more rounds.
    max_rounds : int >= 1, default=100
        Rounds, at most. Reaching it is a ConvergenceWarning.

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
    """

    _local_class = OneClassSVM
    _what = "nothing"

    def _problem(self, data: setup.Data, options: dict[str, Any]) -> Problem:
        return setup.one_class(data, options)

    @of_training(("y", "Ignored", "Present for the interface."))
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the region where the rows of X lie.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame, or list of Delayed or Future, of shape (n_samples, n_features)
            Training rows; each entry of a list is a partition.
        y : Ignored
            Present for the interface.
        sample_weight : collection or array-like of shape (n_samples,), default=None
            Weights of the rows, partitioned as X. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        PartitionError
            For a partition that cannot be used: naming the partition, row and column; a ValueError.
        TaskError
            When a step failed again after it was repeated.
        ValueError
            For parameters that are not allowed.
        """
        self._fit_parts(X, None, sample_weight)
        return self

    def _fitted_local(self, model: Model, support: Any, data: setup.Data, problem: Problem, blocks: Blocks) -> Any:
        local = super()._fitted_local(model, support, data, problem, blocks)
        local.offset_ = 0.0 - local._intercept_
        return local

    @of_collection("y_pred", "collection or ndarray of shape (n_samples,)", "1 or -1; of a DataFrame a Series.")
    def predict(self, X: Any) -> Any:
        """1 for rows inside, -1 for outliers.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        y_pred : collection or ndarray of shape (n_samples,)
            1 or -1; of a DataFrame a Series.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._answer("predict", X, np.dtype(np.intp))

    @of_collection("dec", "collection or ndarray of shape (n_samples,)", "The decision values; of a DataFrame a Series.")
    def decision_function(self, X: Any) -> Any:
        """Signed distance to the boundary, scaled: positive inside.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        dec : collection or ndarray of shape (n_samples,)
            The decision values; of a DataFrame a Series.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._answer("decision_function", X, np.dtype(np.float64))

    @of_collection("score_samples", "collection or ndarray of shape (n_samples,)", "The scores; of a DataFrame a Series.")
    def score_samples(self, X: Any) -> Any:
        """Decision values before the offset: ``decision_function(X) + offset_``.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        score_samples : collection or ndarray of shape (n_samples,)
            The scores; of a DataFrame a Series.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._answer("score_samples", X, np.dtype(np.float64))
