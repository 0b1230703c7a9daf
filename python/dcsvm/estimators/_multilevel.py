"""Classification by divide and conquer, early by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import scipy.sparse as sp

from .._input.choices import Clustering, Prediction
from .._input.validate import FloatArray
from .._svm.model import Model
from ._classifier import BaseSVC
from ._docs import OF_SVM, documented
from ._parameters import (
    TRAIN,
    ClassifierParameters,
    CostAndBiasParameters,
    KernelParameters,
    LevelParameters,
    SolverParameters,
    declared,
)

_CLUSTER = 4000  # rows of a cluster above which another level pays; smaller clusters lose accuracy


@dataclass(kw_only=True, repr=False, eq=False)
class DCParameters(ClassifierParameters, SolverParameters, KernelParameters, CostAndBiasParameters):
    """Of DCSVC, here and on a cluster."""

    early_level: int | Literal["auto"] | None = declared(
        TRAIN["early_level"],
        ("auto",),
        default="auto",
        more="'auto': the first whose clusters have at most about 4000 rows; data of fewer rows is solved whole. None: go on to "
        "the exact solution.",
    )
    prediction: Prediction = declared(TRAIN["prediction"])


@documented(*OF_SVM, "class_weight_", "classes_")
@dataclass(kw_only=True, repr=False, eq=False)
class DCSVC(LevelParameters, DCParameters, BaseSVC):
    """Multilevel support vector classification (DC-SVM): early prediction, at a fraction of an exact training's time.

    The rows are clustered, each cluster is solved alone, and a query is answered by the model of its cluster. The result is
    another model than the exact one, usually a little less accurate; decision values jump at the borders between clusters. Where
    training stopped early, ``support_`` is grouped by cluster, then class, ``intercept_`` holds one run of pairs for each
    cluster, and ``n_iter_`` repeats the sum over all problems.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes.
    fit_intercept : bool, default=True
        With a bias (LIBSVM's problem) or without (the DC-SVM paper's).
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
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.
    break_ties : bool, default=False
        With 'ovr' and more than two classes, predict by the largest decision value instead of by votes.
    random_state : int, RandomState instance or None, default=None
        Seed of the clustering and of the folds of `probability`.
    probability : bool or 'platt', default='deprecated'
        Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest
        probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may
        differ, as in scikit-learn 1.9, where this is deprecated.
    early_level : 'auto' or int >= 1 or None, default='auto'
        Stop after this level of divide and conquer and predict with its clusters' models. 'auto': the first whose
        clusters have at most about 4000 rows; data of fewer rows is solved whole. None: go on to the exact solution.
    prediction : {'early', 'naive'}, default='early'
        Of a model that stopped early: by the nearest cluster's model, or by the sum over all clusters.
    n_levels : int >= 1 or None, default=None
        Levels of divide and conquer; None: early_level where it is given, else the fewest that bring the bottom
        clusters to about 2000 rows.
    branching : int >= 2, default=4
        Level l of divide and conquer has branching^l clusters.
    sample_size : int >= 1, default=1000
        Rows on which the clusters are found; the others join the nearest.
    keep_levels : bool, default=False
        Keep each level's clusters and support vectors as ``model_.levels_``, not in files or pickles.
    clustering : {'kernel_kmeans', 'kmeans', 'random', 'auto'}, default='auto'
        In the kernel's space, or in that of X. 'auto': in that of X where the kernel is rbf and X dense, since rows
        that are near in one are near in the other and it is faster; else in the kernel's.
    balance_clusters : bool, default=True
        Split clusters far above the mean size and drop the smallest.

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

    See Also
    --------
    SVC : The exact solution.

    References
    ----------
    .. [1] Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML 2014.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(5000, random_state=0)
    >>> model = dcsvm.DCSVC(C=100, gamma=4, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    _formulation = "c_svc"

    clustering: Clustering | Literal["auto"] = declared(
        TRAIN["clustering"],
        ("auto",),
        default="auto",
        text="In the kernel's space, or in that of X. 'auto': in that of X where the kernel is rbf and X dense, since rows that "
        "are near in one are near in the other and it is faster; else in the kernel's.",
    )
    balance_clusters: bool = declared(TRAIN["balance_clusters"])

    def _options(self, n: int) -> dict[str, Any]:
        level = self.early_level
        if level == "auto":
            level = self._level_for(n)
        options = {**super()._options(n), "early_level": level, "solver": "dc"}
        if level is None:
            options["prediction"] = "early"  # an exact model has one way to predict
            if n <= _CLUSTER:
                options["solver"] = "auto"
        return options

    def _solved(self, data: Any, targets: Any, weights: FloatArray | None, options: dict[str, Any]) -> Model:
        if self.clustering == "auto":
            in_x = options["kernel"] == "rbf" and not sp.issparse(data)
            options = {**options, "clustering": "kmeans" if in_x else "kernel_kmeans"}
        return super()._solved(data, targets, weights, options)

    def _level_for(self, n: int) -> int | None:
        if n <= _CLUSTER:
            return None
        level = 1
        while n > _CLUSTER * self.branching**level and level < (self.n_levels or level + 1):
            level += 1
        return level
