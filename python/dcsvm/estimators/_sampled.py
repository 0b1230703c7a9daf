"""Classification from samples of the rows: RandSVM and the cascade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._classifier import BaseSVC
from ._docs import OF_SVM, documented
from ._parameters import TRAIN, CostAndBiasParameters, declared


@documented(
    *OF_SVM,
    "class_weight_",
    "classes_",
    random_state="Of the samples and of the folds of `probability`.",
)
@dataclass(kw_only=True, repr=False, eq=False)
class RandSVC(BaseSVC, CostAndBiasParameters):
    """Support vector classification on random samples (RandSVM): near-optimal from samples that hardly grow with the rows.

    A sample of ``sample_factor`` k rows is solved; rows outside that violate its margin replace those that are no support
    vectors, and it is solved again. When no row violates, the result is that of :class:`SVC`, and ``report_.violation`` proves
    it. When k support vectors are found, it stops with ``report_.stop_reason == "support_limit"``: near-optimal, and no warning,
    as that is what k asks for. ``report_.levels`` has the rounds.

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
        Of the samples and of the folds of `probability`.
    probability : bool or 'platt', default='deprecated'
        Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest
        probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may
        differ, as in scikit-learn 1.9, where this is deprecated.
    epsilon : float in (0, 1), default=0.2
        Distortion in the estimate of k, Eq. (4) of [1]_: 16 / epsilon^2 log(4 n / delta).
    delta : float in (0, 1), default=0.9
        Probability in Eq. (4) that the result is worse.
    n_support_estimate : int >= 2 or None, default=None
        k, the estimated number of support vectors of each pair of classes, at which it stops; None: Eq. (4), by
        `epsilon` and `delta`. The paper doubles that for data that is not separable.
    sample_factor : float >= 1, default=2.0
        c: samples have c k rows.

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
    DCSVC : Divide and conquer.

    References
    ----------
    .. [1] Krishnan, Bhattacharyya, Hariharan: A Randomized Algorithm for Large Scale Support Vector Learning, NIPS 2007.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(5000, random_state=0)
    >>> model = dcsvm.RandSVC(C=10, gamma=4, n_support_estimate=400, random_state=0).fit(X, y)
    >>> model.report_.stop_reason, bool(model.score(X, y) > 0.97)
    ('support_limit', True)
    """

    _formulation = "c_svc"

    epsilon: float = declared(
        TRAIN["rand_epsilon"], text="Distortion in the estimate of k, Eq. (4) of [1]_: 16 / epsilon^2 log(4 n / delta)."
    )
    delta: float = declared(TRAIN["rand_delta"], text="Probability in Eq. (4) that the result is worse.")
    n_support_estimate: int | None = declared(
        TRAIN["n_support_estimate"],
        text="k, the estimated number of support vectors of each pair of classes, at which it stops; None: Eq. (4), by `epsilon` "
        "and `delta`. The paper doubles that for data that is not separable.",
    )
    sample_factor: float = declared(TRAIN["sample_factor"], text="c: samples have c k rows.")

    def _options(self, n: int) -> dict[str, Any]:
        options = {**super()._options(n), "solver": "rand", "rand_epsilon": self.epsilon, "rand_delta": self.delta}
        del options["epsilon"]  # train's is the tube's
        return options

    def _warn_unless_converged(self) -> None:
        if self._model.report.stop_reason != "support_limit":
            super()._warn_unless_converged()


@documented(
    *OF_SVM, "class_weight_", "classes_", random_state="Of the dealing of rows to leaves and of the folds of `probability`."
)
@dataclass(kw_only=True, repr=False, eq=False)
class CascadeSVC(BaseSVC, CostAndBiasParameters):
    """Cascade support vector classification, a baseline: leaves are solved apart, their support vectors together, to one root.

    Passes are repeated, with the root's support vectors in every leaf, until no row violates the root's solution; then the result
    is that of :class:`SVC`. ``n_passes=1`` is the approximate, fast use; when rows still violate, that is a ConvergenceWarning.

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
        Of the dealing of rows to leaves and of the folds of `probability`.
    probability : bool or 'platt', default='deprecated'
        Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest
        probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may
        differ, as in scikit-learn 1.9, where this is deprecated.
    n_leaves : int in [1, 1.04858e+06], default=8
        Parts of the first layer, a power of two.
    n_passes : int >= 1 or None, default=None
        Passes at most; None: until no row violates.

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
    SVC : The exact solution, usually sooner.
    DCSVC : Divide and conquer by clusters.

    References
    ----------
    .. [1] Graf, Cosatto, Bottou, Durdanovic, Vapnik: Parallel Support Vector Machines: The Cascade SVM, NIPS 2004.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000, random_state=0)
    >>> model = dcsvm.CascadeSVC(C=10, gamma=4, n_leaves=4, random_state=0).fit(X, y)
    >>> model.report_.stop_reason, bool(model.score(X, y) > 0.97)
    ('converged', True)
    """

    _formulation = "c_svc"

    n_leaves: int = declared(TRAIN["cascade_leaves"], text="Parts of the first layer, a power of two.")
    n_passes: int | None = declared(TRAIN["cascade_passes"], text="Passes at most; None: until no row violates.")

    def _options(self, n: int) -> dict[str, Any]:
        return {
            **super()._options(n),
            "solver": "cascade",
            "cascade_leaves": self.n_leaves,
            "cascade_passes": self.n_passes,
        }

    def _limit(self) -> str:
        return "max_iter" if self.n_passes is None or 0 <= self.max_iter <= self._model.report.n_iter else "n_passes"
