"""Classification of rows that come one after another: LaSVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_random_state

from .._input.choices import FeatureKernel
from .._input.rows import gamma_of
from .._input.validate import shown
from .._svm.model import Model
from ._classifier import BaseSVC, of_labels
from ._docs import OF_SVM, documented
from ._inputs import checked, class_factors, codes_of_batch, labels_of, parameters_checked, sample_weights
from ._online_rows import OnlineRows, Rows
from ._parameters import TRAIN, CostParameter, at_least, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self


@documented(
    *OF_SVM,
    "class_weight_",
    "classes_",
    support_=(
        "ndarray of shape (n_SV,)",
        "Numbers of the support vectors; rows are numbered from 0 in the order in which they came.",
    ),
    shape_fit_=("tuple of int", "Rows that came so far, and columns."),
    gamma="Of all kernels but linear and tanimoto, >= 0; 'scale' and 'auto': as for :func:`dcsvm.train`. "
    "``partial_fit`` takes the variance of its first batch and keeps it.",
    class_weight="Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), for "
    "``fit`` alone.",
    max_seconds="Of the solve in ``finish``, with which ``fit`` ends, as for :func:`dcsvm.train`; None: no limit. Going once "
    "through new rows, as ``partial_fit`` does, is not limited: give it fewer rows, or return True from `callback`. Reaching the "
    "limit is a ConvergenceWarning.",
    random_state="Seed of the order in which ``fit`` goes through the rows under a `budget`, and of the folds of `probability`.",
)
@dataclass(kw_only=True, repr=False, eq=False)
class OnlineSVC(BaseSVC, CostParameter):
    """Online support vector classification (LaSVM): learns from rows that come one after another.

    ``partial_fit`` looks at each new row once. It takes one step of SMO with that row and the row that violates the optimality
    conditions most together with it, then one step among the rows in use, and sets aside rows that no longer matter. ``finish``
    solves the problem of all rows that were kept to the optimum of :class:`SVC`, with its certificate in ``report_``; more rows
    may follow. ``fit`` forgets earlier rows, learns from all given ones and calls ``finish``. Several classes: one against one.
    A class without rows so far is never predicted.

    Without a `budget` all rows are kept, in memory, and ``finish`` reaches the objective of :class:`SVC` on all of them. With
    one, the oldest rows are dropped, those that are no support vectors before the others. When a support vector is dropped, other
    rows take over its coefficient.

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str, default='rbf'
        x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), or tanh(gamma x'z + coef0). One of 'linear', 'poly',
        'rbf', 'sigmoid', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float >= 0, default='scale'
        Of all kernels but linear and tanimoto, >= 0; 'scale' and 'auto': as for :func:`dcsvm.train`. ``partial_fit``
        takes the variance of its first batch and keeps it.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        Of the solve in ``finish``, with which ``fit`` ends, as for :func:`dcsvm.train`; None: no limit. Going once
        through new rows, as ``partial_fit`` does, is not limited: give it fewer rows, or return True from `callback`.
        Reaching the limit is a ConvergenceWarning.
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
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), for
        ``fit`` alone.
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.
    break_ties : bool, default=False
        With 'ovr' and more than two classes, predict by the largest decision value instead of by votes.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which ``fit`` goes through the rows under a `budget`, and of the folds of `probability`.
    probability : bool or 'platt', default='deprecated'
        Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest
        probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may
        differ, as in scikit-learn 1.9, where this is deprecated.
    budget : int >= 2 or None, default=None
        Number of rows that are kept between calls, at most, >= 2; one of each class always stays. None: all.

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
        Rows that came so far, and columns.
    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors; rows are numbered from 0 in the order in which they came.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        Those rows, in X's precision; read-only.
    model_ : dcsvm.Model
        The native model.
    report_ : dcsvm.Report
        What the training did: objective, violation, steps, seconds, memory, levels.

    See Also
    --------
    SVC : The exact solution; faster when all rows are available from the start.

    References
    ----------
    .. [1] Bordes, Ertekin, Weston, Bottou: Fast Kernel Classifiers with Online and Active Learning, JMLR 6, 2005.

    Examples
    --------
    >>> import dcsvm
    >>> model = dcsvm.OnlineSVC(C=10, gamma=4)
    >>> for seed in range(5):
    ...     X, y = dcsvm.datasets.make_checkerboard(500, random_state=seed)
    ...     model = model.partial_fit(X, y, classes=[-1, 1])
    >>> bool(model.score(X, y) > 0.95)
    True
    >>> model.finish().report_.stop_reason
    'converged'
    """

    _formulation = "c_svc"

    kernel: FeatureKernel = declared(
        TRAIN["kernel"],
        text="x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), or tanh(gamma x'z + coef0).",
        without=("precomputed",),
    )
    budget: int | None = parameter(
        None,
        "Number of rows that are kept between calls, at most, >= 2; one of each class always stays. None: all.",
        at_least(2),
        None,
    )

    @parameters_checked
    @of_labels
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what came before, and fit the model to these rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C. Rows of weight 0 or below take no part; a class of such rows alone is left out of
            ``classes_``.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        self._warn_about_probability()
        X, data, y = self._checked_for_training(X, y)
        given = sample_weights(sample_weight, X, data.shape[0])
        codes, given = self._targets(y, given)
        self.__dict__.pop("_problem", None)
        start = self._start(len(codes), codes, given) if self.warm_start and hasattr(self, "_model") else None
        self._begin(data, given)
        rows = self._new_rows(data, codes, given)
        if self.budget is None or len(rows.codes) <= self.budget:
            self._online.keep(rows, start if len(rows.codes) == data.shape[0] else None)
        else:
            order = check_random_state(self.random_state).permutation(len(rows.codes))
            self._online.learn(rows.take(order), self._options(self.budget))
        return self.finish()

    @parameters_checked
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, in their order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows, one or more.
        y : array-like of shape (n_samples,)
            Their labels, all in `classes`.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; required in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C. Rows of weight 0 or below take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For a first call without `classes`, a label that is not in them, ``class_weight="balanced"``, sparse rows after dense
            ones, an estimator that was loaded from a model file, and as ``fit``.
        """
        if hasattr(self, "_model") and not hasattr(self, "_online"):
            raise ValueError(
                "partial_fit cannot go on from a model file, which does not have the rows that were kept: pickle the estimator"
            )
        first = not hasattr(self, "_online")
        X, y = checked(self, X, y, reset=first)
        given = sample_weights(sample_weight, X, X.shape[0])
        codes = codes_of_batch(self, labels_of(y), classes).astype(np.float64)
        if first:
            self.class_weight_ = class_factors(self.class_weight, self.classes_, self.classes_)
            self._begin(X, given)
        rows = self._new_rows(X, codes, given)
        core = self._online.learn(rows, self._options(self._online.n_working + len(rows.codes)))
        self._hold(Model(core), self._online.joined_numbers)
        return self

    def finish(self) -> Self:
        """Solve the problem of the rows that were kept to the optimum, which ``report_`` certifies.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        NotFittedError
            Before the first ``fit`` or ``partial_fit``.
        ValueError
            While a class has no row, and for an estimator that was loaded from a model file.
        """
        if not hasattr(self, "_online"):
            self._check_fitted()
            raise ValueError("finish cannot go on from a model file, which does not have the rows that were kept")
        rows, alpha = self._online.all()
        missing = np.setdiff1d(np.arange(len(self.classes_)), rows.codes)
        if len(missing):
            raise ValueError(f"finish needs rows of every class; none came of {shown(self.classes_[missing[0]])}")
        options = {**self._options(len(rows.codes)), "warm_start_alpha": alpha}
        weights = rows.weights if np.ptp(rows.weights) or rows.weights[0] != 1 else None
        model = self._solved_well(rows.X, rows.codes, weights, options)
        self._online.solved(rows, model.alpha)
        self._hold(model, rows.numbers)
        self._warn_of_training()
        return self

    def _begin(self, data: Any, given: Any) -> None:
        """Start without rows. The problem stays the same until the next ``fit``, so that alpha found so far stays feasible."""
        self.__dict__.pop("_problem", None)
        own = self._options(data.shape[0])
        self._problem = {name: own[name] for name in ("C", "kernel", "degree", "coef0")}
        gamma = self._gamma_for(data, given)
        self._problem["gamma"] = gamma_of(gamma, data, self.kernel) if isinstance(gamma, str) else gamma
        self._online = OnlineRows(len(self.classes_), self.budget)
        self._X_fit = None

    def _options(self, n: int) -> dict[str, Any]:
        return {**super()._options(n), **self.__dict__.get("_problem", {}), "class_weight": None}

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {**state, "_online": self._online.state()} if "_online" in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_online": OnlineRows.from_state(state["_online"])} if "_online" in state else state)

    def _new_rows(self, data: Any, codes: Any, given: Any) -> Rows:
        """The rows of weight above 0, with their numbers since the first call."""
        weights = self.class_weight_[codes.astype(np.intp)] * (1.0 if given is None else given)
        numbers = self._online.n_seen + np.arange(len(codes))
        self._online.n_seen += len(codes)
        rows = Rows(data, codes, weights, numbers)
        return rows if (weights > 0).all() else rows.take(np.flatnonzero(weights > 0))

    def _hold(self, model: Model, numbers: npt.NDArray[np.int64]) -> None:
        sparse = self._online.sparse
        self.shape_fit_ = (self._online.n_seen, self.n_features_in_)
        self._keep(model, sparse, sp.csr_matrix)
        self.support_ = numbers[self.support_].astype(self.support_.dtype)
        self.n_iter_ = self._num_iter
