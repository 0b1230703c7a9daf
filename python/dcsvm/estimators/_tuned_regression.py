"""Regression that finds C and gamma."""

from __future__ import annotations

from dataclasses import dataclass

from ._docs import OF_SVM, documented
from ._parameters import TRAIN, SolverChoice, declared
from ._regression import SVR
from ._tuned import FOUND, OF_C, TunedCostParameters, TunedRegressor, TuningParameters


@documented(*OF_SVM, *FOUND, "C_", **FOUND, **OF_C)
@dataclass(kw_only=True, repr=False, eq=False)
class SVRCV(TunedCostParameters, TuningParameters, SolverChoice, TunedRegressor):  # type: ignore[misc]  # gamma may be a list here
    """:class:`SVR` that finds C and gamma: a race on samples of rows, as :func:`dcsvm.tune`. Nothing is scaled.

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
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the samples, and of the training.
    C : float, array-like, tuple or None, default=None
        A number, values in a list, or a range as a tuple (low, high). None: powers of 8, for each gamma from where
        all alphas are at the bound to where none is.
    fit_intercept : bool, default=True
        With a bias (LIBSVM's problem) or without (the DC-SVM paper's).
    epsilon : float >= 0, default=0.1
        Half the width of the tube around the prediction in which targets cost nothing; not searched.

    Attributes
    ----------
    C_ : float
        The C that won.
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
    SVR : With one C and one gamma.

    Examples
    --------
    >>> import dcsvm, numpy
    >>> X = numpy.linspace(0, 6, 200).reshape(-1, 1)
    >>> dcsvm.SVRCV(epsilon=0.01, random_state=0).fit(X, numpy.sin(X.ravel())).held_out_score_ > 0.9
    True
    """

    epsilon: float = declared(
        TRAIN["epsilon"], text="Half the width of the tube around the prediction in which targets cost nothing; not searched."
    )

    _formulation = "epsilon_svr"
    _plain = SVR

    @property
    def C_(self) -> float:
        """The C that won."""
        return float(self.best_params_["C"])
