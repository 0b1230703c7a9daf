"""Logistic regression: scikit-learn's ``LogisticRegression``."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._input.validate import FloatArray
from .._shown.training_warnings import users_line
from ._docs import LABELLED, documented
from ._estimator import with_own_names
from ._inputs import class_factors, parameters_checked_alone
from ._linear_online import LearnsLabelledRows
from ._linear_parameters import LogisticParameters
from ._logistic_base import LOGISTIC_FORMS, PENALTY_IS_DEPRECATED, LogisticBase
from ._logistic_problem import LogisticProblem, Weights, stop_reason

if TYPE_CHECKING:
    from typing_extensions import Self


_LEAST_SECONDS = 1e-9  # of a training: over at its first step


@documented("classes_", **LOGISTIC_FORMS)
@dataclass(kw_only=True, repr=False, eq=False)
class LogisticRegression(LogisticParameters, LearnsLabelledRows, LogisticBase):
    """Logistic regression: scikit-learn's ``LogisticRegression``, solved on all cores.

    More than two classes: the multinomial model. The bias is not regularised, except with ``solver="liblinear"``. All other names
    of solvers mean Newton's method, which is done when the objective is nearer to its minimum than those solvers come.

    Parameters
    ----------
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.
    fit_intercept : bool, default=True
        With a bias.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    tol : float >= 0, default=0.0001
        Stop when the objective is within 1e-12 ``tol`` of its minimum, relative; with l1 1e-6 ``tol``. By the
        gradient, relative to that of weights 0: C=inf 1e-2 ``tol``, two classes with l1 0.1 ``tol``.
        solver='liblinear': LIBLINEAR's.
    max_iter : int >= 0, default=100
        Newton steps at most, 0: the weights stay 0, or where they are. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    solver : {'lbfgs', 'liblinear', 'newton-cg', 'newton-cholesky', 'sag', 'saga'}, default='lbfgs'
        All mean the multinomial model, found by Newton's method, and l2. 'saga': also l1 and the elastic net.
        'liblinear': l2 or l1 of two classes, and the bias is regularised.
    intercept_scaling : float > 0, default=1
        For solver='liblinear': value of the feature whose weight is the bias; the larger, the less it is regularised.
    multi_class : {'auto', 'ovr', 'multinomial'}, default='auto'
        'auto' and 'multinomial': all classes in one problem. 'ovr': each class against the rest, probabilities
        divided by their sum, as scikit-learn did until 1.7.
    dual : bool, default=False
        Whether tol is that of the dual problem, for solver 'liblinear' with l2.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes. Infinity: no penalty.
    penalty : {'l1', 'l2', 'elasticnet'} or None, default='deprecated'
        l1: |w|_1, with which many weights are 0; l2: |w|^2; None: no penalty. scikit-learn 1.8 replaces it by
        l1_ratio and C=inf.
    l1_ratio : float in [0, 1] or None, default=0.0
        Share of |w|_1 in the penalty, the rest is 1/2 |w|^2. 0 and None: l2; 1: l1.
    warm_start : bool, default=False
        Start from the present weights, where these have the same shape.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights; two classes: (1, n_features).
    intercept_ : ndarray of shape (n_classes,)
        What a decision adds to ``coef_ @ x``; two classes: (1,).
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : ndarray of shape (1,) or (n_classes,)
        Newton steps of each problem.
    model_ : LinearModel
        The native model of the present weights; classes are numbered in it.
    report_ : LinearReport
        What the training did. A lower bound of the objective is known where the bias is regularised or there is none,
        and C is finite; else it is NaN.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(1000, random_state=0)
    >>> dcsvm.LogisticRegression().fit(X, y).predict_proba(X[:2]).shape
    (2, 2)
    """

    @parameters_checked_alone
    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C, >= 0. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        with self._learning():
            self._solve(*self._training_data(X, y), sample_weight)
            self.__dict__.pop("_kept", None)
        return self

    def _solve(self, X: Any, y: Any, sample_weight: Any) -> None:
        C, l1_ratio = self._penalty()
        problem = self._problem(X, y, sample_weight, self.multi_class == "ovr")
        start = self._present() if self.warm_start and hasattr(self, "coef_") else None
        if getattr(self, "_skl_callbacks", None):
            metadata = None if sample_weight is None else {"sample_weight": sample_weight}
            self._fit_by_steps(problem, C, l1_ratio, start, {"X": X, "y": y, "metadata": metadata})
        else:
            self._take(with_own_names(problem.solve(C, l1_ratio, self.max_iter, start), self))
        self._warn_of(stop_reason(self._trained))

    def _learn(self, first: bool, X: Any, y: FloatArray, weights: FloatArray | None) -> None:
        C, l1_ratio = self._penalty()
        if l1_ratio > 0 or math.isinf(C):
            raise ValueError(f"partial_fit has steps for the l2 penalty alone, got l1_ratio={l1_ratio:g} and C={C:g}: use fit")
        k, one_vs_rest = len(self.classes_), self.multi_class == "ovr"
        self._check_classes(k, one_vs_rest)
        factors = class_factors(self.class_weight, self.classes_, self.classes_)
        problem = LogisticProblem.of(self, X, y.astype(np.intp), weights, factors, one_vs_rest)
        options = problem.options
        begun = self._begun(first, options["solver"], options["bias"], problem.shape[0], k)
        self._dtype = self._dtype_of(X) if first else np.promote_types(getattr(self, "_dtype", "float64"), self._dtype_of(X)).name
        self._take(with_own_names(problem.learn(C, begun), self))

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set what scikit-learn 1.9 calls during ``fit``: at its begin and end, and at those of each Newton step.

        Parameters
        ----------
        *callbacks : object
            Instances that follow ``sklearn.callback.FitCallback``.

        Returns
        -------
        object
            The estimator.
        """
        if self.solver == "liblinear":
            warnings.warn(
                "Callbacks are only supported in LogisticRegression for solver='lbfgs' and others whose bias is not regularised. "
                "This estimator has solver='liblinear', callbacks will be ignored during the solving of the regression.",
                UserWarning,
                stacklevel=users_line(),
            )
        return super().set_callbacks(*callbacks)

    def _fit_by_steps(
        self, problem: LogisticProblem, C: float, l1_ratio: float, start: Weights | None, given: dict[str, Any]
    ) -> None:
        """Each step is a training that goes on from the weights of the last one, so that callbacks see every model in between."""
        fit = self._init_callback_context(max_subtasks=max(self.max_iter, 1) + 1)
        fit.call_on_fit_task_begin(estimator=self, **given)
        self._take(problem.solve(C, l1_ratio, 0, start))
        done, begin = 0, time.monotonic()
        for _ in range(max(self.max_iter, 1)):
            step = fit.subcontext(task_name="lbfgs-iter")
            before = {"coef_": self.coef_, "intercept_": self.intercept_}
            step.call_on_fit_task_begin(estimator=self, **given, reconstruction_attributes=before)
            if self.max_seconds is not None:
                left = max(self.max_seconds - (time.monotonic() - begin), _LEAST_SECONDS)
                problem = problem._replace(options={**problem.options, "max_seconds": left})
            self._take(with_own_names(problem.solve(C, l1_ratio, min(self.max_iter, 1), self._present()), self))
            done += int(self.n_iter_[0])
            after = {"coef_": self.coef_, "intercept_": self.intercept_}
            asked = step.call_on_fit_task_end(estimator=self, **given, reconstruction_attributes=after)
            if asked or stop_reason(self._trained) != "max_iter":
                break
        rest = fit.subcontext(task_name="lbfgs-iter")  # as lbfgs has one that does nothing
        rest.call_on_fit_task_begin(estimator=self, **given)
        rest.call_on_fit_task_end(estimator=self)
        self.n_iter_ = np.array([done], dtype=np.int32)
        fit.call_on_fit_task_end(estimator=self, **given, reconstruction_attributes={})

    def _penalty(self) -> tuple[float, float]:
        """C and l1_ratio that hold, after scikit-learn's warnings and refusals."""
        ratio, given = self.l1_ratio, self.penalty != "deprecated"
        if ratio is None and not given and PENALTY_IS_DEPRECATED:
            text = "'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10. Use 0<=l1_ratio<=1 instead. "
            text += "(These are versions of scikit-learn.)"
            warnings.warn(text, FutureWarning, stacklevel=users_line())
        kind = self._kind_of_penalty(
            None if ratio and ratio < 1 else bool(ratio),
            math.inf == self.C,
            "'l1_ratio' or 'C' instead. Use l1_ratio=0 instead of penalty='l2', l1_ratio=1 instead of penalty='l1', l1_ratio set "
            "to a float between 0 and 1 instead of penalty='elasticnet', and C=np.inf instead of penalty=None",
        )
        if kind == "elasticnet":
            if ratio is None:
                raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
            return self.C, ratio
        texts = []
        if ratio and 0 < ratio < 1:
            texts.append(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})")
        if PENALTY_IS_DEPRECATED and ((self.penalty == "l2" and ratio != 0) or (self.penalty == "l1" and ratio != 1)):
            texts.append(
                f"Inconsistent values: penalty={kind} with l1_ratio={ratio}. penalty is deprecated. Please use l1_ratio only."
            )
        if self.penalty is None and self.C != 1.0:
            texts.append("Setting penalty=None will ignore the C and l1_ratio parameters")
        for text in texts:
            warnings.warn(text, UserWarning, stacklevel=users_line())
        return math.inf if self.penalty is None else self.C, float(kind == "l1")
