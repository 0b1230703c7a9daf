"""DC-SVM on a cluster: clusters of rows as tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from .._distributed import early, setup
from .._distributed.outer_loop import first_tol
from .._distributed.problem import Problem
from .._distributed.report import DistributedReport
from .._svm.model import Model
from ..estimators._docs import OF_SVM, documented
from ..estimators._multilevel import DCSVC, DCParameters
from ..estimators._parameters import LevelParameters, at_least, parameter
from ._engine import DaskEngine
from ._outer_loop import CALLBACK, DaskClassifier, OuterLoopParameters

_ROWS = 2000  # of a cluster, as in DCSVC
_MOST_CLUSTERS = 1024  # unless n_clusters asks for more
# options of the tasks that this class does not hand on: those of levels
_LEVELS = {f.name for f in fields(LevelParameters)} | {"early_level", "prediction", "clustering", "balance_clusters"}


@documented(*OF_SVM, "class_weight_", "classes_", callback=CALLBACK, random_state="Seed of the clustering.")
@dataclass(kw_only=True, repr=False, eq=False)
class DaskDCSVC(DaskClassifier, OuterLoopParameters, DCParameters):
    """``dcsvm.DCSVC`` on the partitions of a Dask cluster: rows move once, to the worker that solves their cluster.

    One level of clusters, found by k-means. By default their models predict (early); ``early_level=None`` goes on to the exact
    solution as :class:`DaskSVC` does, from the clusters' support vectors. Clusters
    far above the mean size are always split.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes.
    fit_intercept : bool, default=True
        With a bias (LIBSVM's problem) or without (the DC-SVM paper's).
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
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.
    break_ties : bool, default=False
        With 'ovr' and more than two classes, predict by the largest decision value instead of by votes.
    random_state : int, RandomState instance or None, default=None
        Seed of the clustering.
    early_level : 'auto' or int >= 1 or None, default='auto'
        Stop after this level of divide and conquer and predict with its clusters' models. 'auto': the first whose
        clusters have at most about 4000 rows; data of fewer rows is solved whole. None: go on to the exact solution.
    prediction : {'early', 'naive'}, default='early'
        Of a model that stopped early: by the nearest cluster's model, or by the sum over all clusters.
    client : distributed.Client or None, default=None
        The cluster's client; None: the current one. Not kept in pickles.
    max_pool_rows : int >= 1, default=2000000
        Rows that one worker solves together, at most. With fewer than there are support vectors, the others are held
        fixed meanwhile, which takes more rounds.
    max_rounds : int >= 1, default=100
        Rounds, at most. Reaching it is a ConvergenceWarning.
    n_clusters : int >= 1 or None, default=None
        Clusters, about; None: one for 2000 rows, at most 1024.

    Attributes
    ----------
    class_weight_ : ndarray of shape (n_classes,)
        Factors of C, as used.
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
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

    _local_class = DCSVC

    n_clusters: int | None = parameter(None, "Clusters, about; None: one for 2000 rows, at most 1024.", at_least(1), None)

    def _task_options(self, n: int) -> dict[str, Any]:
        return {name: value for name, value in super()._task_options(n).items() if name not in _LEVELS}

    def _trained(self, engine: DaskEngine, data: setup.Data, problem: Problem) -> tuple[Model, Any, DistributedReport]:
        n = data.summary.n
        wanted = self.n_clusters or max(1, min(_MOST_CLUSTERS, math.ceil(n / _ROWS)))
        is_early = self.early_level is not None
        tol = problem.tol if is_early else first_tol(problem)
        counts = data.counts
        clustering = early.Clustering(
            engine, problem, data.parts, data.labels, data.first, counts, min(wanted, n), tol, self._seed()
        )
        if not is_early:
            return self._exact(engine, data, problem, clustering.first_pool())
        model, violation, n_clusters = clustering.merged_model()
        if self.prediction != "early":
            model = model.with_prediction(self.prediction)
        own = model.report
        report = DistributedReport(
            objective=own.objective,
            violation=violation,
            stop_reason=own.stop_reason,
            n_rows=n,
            n_partitions=len(data.parts),
            n_support=own.n_support,
            n_pool=0,
            n_sent=n,
            gamma=own.gamma,
            precision=own.precision,
            rounds=[],
            n_clusters=n_clusters,
        )
        return model, model.support_, report
