"""Classification by one-vs-one: C-SVC and nu-SVC."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._input.validate import FloatArray
from .._shown.training_warnings import users_line
from .._svm.model import Model
from ._classifier import BaseSVC
from ._docs import OF_SVM, documented
from ._parameters import (
    ClassifierParameters,
    CostAndBiasParameters,
    EarlyLevelParameter,
    KernelParameters,
    LevelParameters,
    NuParameter,
    SolverChoice,
    SolverParameters,
    WholeSolverChoice,
)
from ._warm import classifier_start


@dataclass(kw_only=True, repr=False, eq=False)
class SVCParameters(
    LevelParameters, SolverChoice, ClassifierParameters, SolverParameters, KernelParameters, CostAndBiasParameters
):
    """Of SVC, here and on a cluster."""


@documented(*OF_SVM, "class_weight_", "classes_")
@dataclass(kw_only=True, repr=False, eq=False)
class SVC(SVCParameters, EarlyLevelParameter, BaseSVC):
    """C-support vector classification: scikit-learn's ``SVC``, solved on all cores.

    Reaches the optimum that LIBSVM and scikit-learn reach, to the same tolerance. Several classes: one against one.
    Which kernel suits which data: docs/guide/kernels.md.

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
    DCSVC : Stops early by default, for many rows.
    NuSVC : nu instead of C.

    References
    ----------
    .. [1] Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML 2014.
    .. [2] Chang, Lin: LIBSVM: A Library for Support Vector Machines, ACM TIST 2, 2011.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from dcsvm import SVC
    >>> X, y = [[-1, -1], [-2, -1], [1, 1], [2, 1]], ["a", "a", "b", "b"]
    >>> make_pipeline(StandardScaler(), SVC(gamma="auto")).fit(X, y).predict([[-0.8, -1]]).tolist()
    ['a']
    """

    _one_solution = True
    _formulation = "c_svc"


@documented(
    *OF_SVM,
    "class_weight_",
    "classes_",
    nu="In (0, 1]: an upper bound on the share of rows with errors and a lower bound on the share of support vectors. At most "
    "2 min(n_a, n_b) / (n_a + n_b) for each pair of classes. Larger values are an error for two classes, as in scikit-learn, and "
    "reduced to that with a warning for more.",
    class_weight="Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class). Where "
    "they differ, the C that belongs to nu (the mean over the pairs, geometric) is found first, and then an SVC with that C and "
    "these factors is trained. (scikit-learn's NuSVC ignores them.)",
)
@dataclass(kw_only=True, repr=False, eq=False)
class NuSVC(WholeSolverChoice, BaseSVC, NuParameter):
    """Nu-support vector classification: scikit-learn's ``NuSVC``, solved on all cores.

    nu bounds the share of errors from above and that of support vectors from below. Several classes: one against one.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        In (0, 1]: an upper bound on the share of rows with errors and a lower bound on the share of support vectors.
        At most 2 min(n_a, n_b) / (n_a + n_b) for each pair of classes. Larger values are an error for two classes, as
        in scikit-learn, and reduced to that with a warning for more.
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
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class). Where
        they differ, the C that belongs to nu (the mean over the pairs, geometric) is found first, and then an SVC
        with that C and these factors is trained. (scikit-learn's NuSVC ignores them.)
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
    solver : {'auto', 'smo'}, default='auto'
        One problem from the start, which 'auto' takes too: with nu, a cluster would have a margin or tube of its own.

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
    SVC : The same with the price C of errors.

    References
    ----------
    .. [1] Schölkopf, Smola, Williamson, Bartlett: New Support Vector Algorithms, Neural Computation 12, 2000.

    Examples
    --------
    >>> from dcsvm import NuSVC
    >>> NuSVC(gamma="auto").fit([[-1, -1], [-2, -1], [1, 1], [2, 1]], [1, 1, 2, 2]).predict([[-0.8, -1]]).tolist()
    [1]
    """

    _one_solution = True
    _formulation = "nu_svc"

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        return classifier_start(self._model, targets, np.full(len(targets), np.inf), True)

    def _one_class_left(self) -> ValueError:
        return ValueError("specified nu is infeasible: all samples with positive weights belong to the same class")

    def _solved(self, data: Any, targets: Any, weights: FloatArray | None, options: dict[str, Any]) -> Model:
        of_class = np.sort(np.bincount(targets.astype(np.intp), weights=weights))
        largest = 2 * of_class[0] / (of_class[0] + of_class[-1])
        if self.nu > largest:
            text = f"specified nu is infeasible: nu={self.nu:g} is above {largest:.6g}, the largest that the classes' sizes allow"
            if len(of_class) == 2:
                raise ValueError(text)
            # One nu must suit pairs of all sizes. scikit-learn raises an error here, and excuses its own failing checks.
            warnings.warn(f"{text}: that is used instead", UserWarning, stacklevel=users_line())
            options["nu"] = largest * (1 - 1e-12)
        model = super()._solved(data, targets, weights, options)
        if not np.ptp(self.class_weight_):
            return model
        margins = np.maximum([p["r"] for p in model.report.problems], 1e-100)
        C = float(np.exp(-np.mean(np.log(margins))))
        factors = dict(enumerate(self.class_weight_.tolist()))
        weighted = {"formulation": "c_svc", "C": C, "class_weight": factors, "warm_start_alpha": None}
        return self._solved_well(data, targets, weights, {**options, **weighted})
