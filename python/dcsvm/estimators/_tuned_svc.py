"""Classifiers that find C or nu, and gamma."""

from __future__ import annotations

from dataclasses import dataclass

from ._docs import OF_SVM, documented
from ._parameters import SolverChoice, WholeSolverChoice
from ._svc import SVC, NuSVC
from ._tuned import FOUND, OF_C, TunedClassifier, TunedCostParameters, TunedNuParameters, TuningParameters


@documented(*OF_SVM, "class_weight_", "classes_", *FOUND, "C_", **FOUND, **OF_C)
@dataclass(kw_only=True, repr=False, eq=False)
class SVCCV(TunedCostParameters, TuningParameters, SolverChoice, TunedClassifier):  # type: ignore[misc]  # gamma may be a list here
    """:class:`SVC` that finds C and gamma: a race on samples of rows, as :func:`dcsvm.tune`. Nothing is scaled.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str or callable, default='rbf'
        x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel
        values (symmetric), or a function of two sets of rows that returns theirs. One of 'linear', 'poly', 'rbf',
        'sigmoid', 'precomputed', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : float, array-like, tuple, {'scale', 'auto'} or None, default=None
        A number, values in a list, or a range as a tuple (low, high), or 'scale' or 'auto'. None: powers of 4, by the
        distances between rows.
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
        After the first fit there is no race: what won is trained on the rows, from the last solution. New rows may
        follow the old ones.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.
    break_ties : bool, default=False
        With 'ovr' and more than two classes, predict by the largest decision value instead of by votes.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the samples, and of the training.
    probability : bool or 'platt', default='deprecated'
        Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest
        probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may
        differ, as in scikit-learn 1.9, where this is deprecated.
    solver : {'auto', 'smo', 'dc'}, default='auto'
        One problem from the start, or divide and conquer first; 'auto' picks and says why in
        ``report_.solver_reason``.
    cv : int, splitter, iterable or None, default=5
        Folds of equal classes, a splitter, or pairs of rows to train on and to test on. A number: as many race, and
        one more judges the winner; else the last fold judges, where there are at least three and it has ten test
        rows. None: 5.
    scoring : str, callable or None, default=None
        As :func:`dcsvm.cross_validate` takes it. None: accuracy or r2.
    min_rows : int >= 2, default=500
        Rows of the first round, at least 25 for each class.
    budget : float > 0 or None, default=None
        Seconds for search, training and held-out score; the training is given what is left of them. None: no limit.
    C : float, array-like, tuple or None, default=None
        A number, values in a list, or a range as a tuple (low, high). None: powers of 8, for each gamma from where
        all alphas are at the bound to where none is.
    fit_intercept : bool, default=True
        With a bias (LIBSVM's problem) or without (the DC-SVM paper's).

    Attributes
    ----------
    C_ : float
        The C that won.
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
    SVC : With one C and one gamma.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(1000, random_state=0)
    >>> model = dcsvm.SVCCV(cv=3, random_state=0).fit(X, y)
    >>> model.best_params_.keys() == {"C", "gamma"}, model.held_out_score_ > 0.9
    (True, True)
    """

    _formulation = "c_svc"
    _plain = SVC

    @property
    def C_(self) -> float:
        """The C that won."""
        return float(self.best_params_["C"])


@documented(*OF_SVM, "class_weight_", "classes_", *FOUND, "nu_", **FOUND, nu_=("float", "The nu that won."))
@dataclass(kw_only=True, repr=False, eq=False)
class NuSVCCV(TunedNuParameters, TuningParameters, WholeSolverChoice, TunedClassifier):  # type: ignore[misc]  # gamma may be a list here
    """:class:`NuSVC` that finds nu and gamma: a race on samples of rows, as :func:`dcsvm.tune`. Nothing is scaled.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str or callable, default='rbf'
        x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel
        values (symmetric), or a function of two sets of rows that returns theirs. One of 'linear', 'poly', 'rbf',
        'sigmoid', 'precomputed', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : float, array-like, tuple, {'scale', 'auto'} or None, default=None
        A number, values in a list, or a range as a tuple (low, high), or 'scale' or 'auto'. None: powers of 4, by the
        distances between rows.
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
        After the first fit there is no race: what won is trained on the rows, from the last solution. New rows may
        follow the old ones.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.
    break_ties : bool, default=False
        With 'ovr' and more than two classes, predict by the largest decision value instead of by votes.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the samples, and of the training.
    probability : bool or 'platt', default='deprecated'
        Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest
        probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may
        differ, as in scikit-learn 1.9, where this is deprecated.
    solver : {'auto', 'smo'}, default='auto'
        One problem from the start, which 'auto' takes too: with nu, a cluster would have a margin or tube of its own.
    cv : int, splitter, iterable or None, default=5
        Folds of equal classes, a splitter, or pairs of rows to train on and to test on. A number: as many race, and
        one more judges the winner; else the last fold judges, where there are at least three and it has ten test
        rows. None: 5.
    scoring : str, callable or None, default=None
        As :func:`dcsvm.cross_validate` takes it. None: accuracy or r2.
    min_rows : int >= 2, default=500
        Rows of the first round, at least 25 for each class.
    budget : float > 0 or None, default=None
        Seconds for search, training and held-out score; the training is given what is left of them. None: no limit.
    nu : float, array-like, tuple or None, default=None
        A number, values in a list, or a range as a tuple (low, high), all in (0, 1]. None: from 0.01 to 0.7, as far
        as the classes' sizes allow.

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
    SVCCV : The same with C, and faster: values of C share more work.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(300, random_state=0)
    >>> dcsvm.NuSVCCV(cv=3, random_state=0).fit(X, y).best_score_ > 0.9
    True
    """

    _formulation = "nu_svc"
    _plain = NuSVC

    @property
    def nu_(self) -> float:
        """The nu that won."""
        return float(self.best_params_["nu"])
