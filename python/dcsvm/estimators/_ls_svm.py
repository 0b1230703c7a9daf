"""Least-squares support vector machines."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._base.validate import FloatArray
from .._least_squares.ls_svm import LS_KERNELS, METHODS, LsSvmModel, LsSvmReport, train_ls_svm
from ._estimator import NativeEstimator
from ._inputs import class_codes, labels_of

_PARAMETERS = """gamma_ls : float, default=1e4
        Price of errors, > 0: the paper's gamma.
    kernel : {"linear", "poly", "rbf", "sigmoid", "cosine_poly"}, default="rbf"
        "cosine_poly": (gamma x'z / (\\|x\\| \\|z\\|) + coef0)^degree.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    method : {"matching_pursuit", "kaczmarz", "kaczmarz_mp", "nystrom", "exact"}, default="matching_pursuit"
    block_size : int or None, default=None
        J, rows of a block; None: 2,000, or a quarter of fewer than 8,000 rows. More than there are rows is an error.
    n_iter : int or None, default=None
        T, steps; None: as many as cover all rows four times (nystrom: 6 members).
    n_average : int, default=1
        S, models of different seeds whose weights are averaged.
    tol : float, default=1e-3
        Stop when the relative residual is below.
    warm_start : bool, default=False
        Go on from the last fit's weights, when they fit the rows and classes.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
    verbose : bool, default=False
    callback : callable or None, default=None
        Called after each step with a progress object (n_iter, violation: the residual); returning True stops."""

_ATTRIBUTES = """dual_coef_ : ndarray of shape (n_outputs, n_samples)
    intercept_ : ndarray of shape (n_outputs,)
    n_iter_ : int
        Steps.
    n_features_in_ : int
    model_ : LsSvmModel
        The native model; classes are numbered in it.
    report_ : LsSvmReport
        What the training did, with the residual after each step."""


class _BaseLS(NativeEstimator):
    """What classification and regression share."""

    model_: LsSvmModel
    report_: LsSvmReport

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gamma_ls": [Interval(Real, 0.0, None, closed="neither")],
        "kernel": [StrOptions(set(LS_KERNELS))],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "method": [StrOptions(set(METHODS))],
        "block_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_iter": [Interval(Integral, 1, None, closed="left"), None],
        "n_average": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    def __init__(
        self,
        *,
        gamma_ls: float = 1e4,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        method: str = "matching_pursuit",
        block_size: int | None = None,
        n_iter: int | None = None,
        n_average: int = 1,
        tol: float = 1e-3,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self._store(locals())

    def _fit(self, X: Any, targets: FloatArray, regression: bool) -> None:
        options = {**self.get_params(), "verbose": bool(self.verbose), "random_state": self._seed()}
        own = options.pop("warm_start") and hasattr(self, "model_") and self.method != "nystrom"  # a committee has no start
        outputs = (1 if targets.ndim == 1 else targets.shape[1]) if regression else len(np.unique(targets))
        if own and self.model_.dual_coef_.shape == (outputs, X.shape[0]):
            options["warm_start"] = self.model_
        self.model_ = train_ls_svm(X, targets, regression=regression, **options)
        self.n_iter_ = self.model_.report.n_iter

    @property
    def dual_coef_(self) -> FloatArray:
        """Weights of the training rows, (n_outputs, n_samples)."""
        check_is_fitted(self)
        return self.model_.dual_coef_

    @property
    def intercept_(self) -> FloatArray:
        """Biases, (n_outputs,)."""
        check_is_fitted(self)
        return self.model_.intercept_


class LSSVC(ClassifierMixin, _BaseLS):
    __doc__ = f"""Least-squares support vector classification on random blocks of the kernel matrix: one system for all classes.

    Every row keeps a weight, so prediction costs n kernel values a row. See docs/ls-svm.md.

    Parameters
    ----------
    {_PARAMETERS}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    {_ATTRIBUTES}

    References
    ----------
    .. [1] Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines, 2016.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000, random_state=0)
    >>> model = dcsvm.LSSVC(gamma=4, gamma_ls=100, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> LSSVC:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,), labels of any kind."""
        X, y = self._training_data(X, y)
        self.classes_, codes = class_codes(labels_of(y))
        self._fit(X, codes.astype(np.float64), regression=False)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """(n_samples, n_classes): near 1 in the class, near 0 outside. Two classes: (n_samples,), the second less the first."""
        rows = self._rows(X)
        values = self.model_.decision_function(rows, n_jobs=self.n_jobs)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Labels of the rows of X."""
        rows = self._rows(X)
        return np.asarray(self.classes_[self.model_.predict(rows, n_jobs=self.n_jobs).astype(np.intp)])

    def predict_proba(self, X: Any) -> FloatArray:
        """(n_samples, n_classes): the softmax of the decisions, Eq. (7) of [1]_."""
        rows = self._rows(X)
        return self.model_.predict_proba(rows, n_jobs=self.n_jobs)


class LSSVR(MultiOutputMixin, RegressorMixin, _BaseLS):
    __doc__ = f"""Least-squares support vector regression (kernel ridge with a bias) on random blocks of the kernel matrix.

    Parameters
    ----------
    {_PARAMETERS}

    Attributes
    ----------
    {_ATTRIBUTES}

    References
    ----------
    .. [1] Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines, 2016.

    Examples
    --------
    >>> import numpy as np, dcsvm
    >>> x = np.linspace(0, 6, 500).reshape(-1, 1)
    >>> model = dcsvm.LSSVR(gamma=1.0, random_state=0).fit(x, np.sin(x).ravel())
    >>> bool(abs(model.predict(x) - np.sin(x).ravel()).max() < 0.02)
    True
    """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> LSSVR:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,) or (n_samples, n_targets)."""
        X, y = self._training_data(X, y, multi_output=True, y_numeric=True)
        self._shape = y.shape[1:]
        self._fit(X, np.asarray(y, dtype=np.float64), regression=True)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Values of the rows of X, shaped as y was."""
        rows = self._rows(X)
        values = self.model_.predict(rows, n_jobs=self.n_jobs)
        return np.asarray(values).reshape(-1, *self._shape)
