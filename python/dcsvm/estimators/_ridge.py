"""Kernel ridge regression."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.kernel_ridge import KernelRidge as _Theirs
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from .._input.choices import GammaRule, RidgeSolver
from .._input.compiled_kernel import CompiledKernel
from .._input.kernels import KERNELS
from .._input.rows import gamma_of
from .._input.validate import FloatArray, read_only
from .._least_squares.ridge import train_ridge
from .._shown.report import Report
from .._svm.model import Model
from ._docs import (
    KERNEL_X,
    REGRESSED,
    RIDGE_WEIGHT,
    TRAINING_KERNEL_X,
    documented,
    of_rows,
    of_training,
)
from ._estimator import NativeEstimator, NativeRegressor, with_own_names
from ._inputs import kernel_matrix, parameters_checked
from ._parameters import RIDGE, TimeParameter, declared, parameter
from ._svm import SMALL

if TYPE_CHECKING:
    from typing_extensions import Self


_log = logging.getLogger("dcsvm.estimators")
#: scikit-learn's names of the kernels that dcsvm computes
_OURS = {name: name for name in KERNELS} | {"polynomial": "poly"}
_ONE_FACTOR = 6000  # up to so many rows a factor of the matrix is found, which serves all targets; it is the core's limit too
_OF_CHI2 = 1.0  # gamma=None of scikit-learn's chi2_kernel; its KernelRidge hands None on, with which that cannot compute
_KERNELS = tuple(sorted({*PAIRWISE_KERNEL_FUNCTIONS, *KERNELS}))


@documented(
    dual_coef_=("ndarray of shape (n_samples,) or (n_samples, n_targets)", "a; 0 for rows of weight 0."),
    n_iter_=("int", "Steps of cg; 1 for cholesky."),
    model_=("Model", "The native model, of one target; see the notes."),
    max_seconds="After which cg ends at its next step, with the best solution so far and stop_reason 'time_limit', with a "
    "ConvergenceWarning; None: no limit. Cholesky's factorisation has no solution before its end and is not limited.",
)
@dataclass(kw_only=True, repr=False, eq=False)
class KernelRidge(NativeRegressor, TimeParameter, NativeEstimator):
    """Kernel ridge regression, exact, on all cores: scikit-learn's ``KernelRidge``.

    Solves (K + alpha I) a = y by Cholesky's factorisation in blocks or by preconditioned conjugate gradients; see
    :func:`dcsvm.train_ridge`. There is no intercept.

    Several targets up to 6,000 rows, kernels that dcsvm does not compute (functions, cosine and others) and alpha 0 are solved by
    scikit-learn's code, which needs the whole kernel matrix in memory; the log ``dcsvm.estimators`` says so. There is
    no ``model_``, ``report_``, ``save`` and ``to_onnx`` then, and none of several targets.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str or callable, default='linear'
        A kernel of ``sklearn.metrics.pairwise.pairwise_kernels`` or of :func:`dcsvm.train`, or a function of two rows
        that returns its value, or a :class:`dcsvm.CompiledKernel`. One of 'additive_chi2', 'chi2', 'cosine',
        'exponential', 'laplacian', 'linear', 'matern32', 'matern52', 'poly', 'polynomial', 'precomputed', 'rbf',
        'sigmoid', 'tanimoto'.
    degree : float >= 0, default=3
        Of the poly kernel.
    gamma : float >= 0 or {'scale', 'auto'} or None, default=None
        None: scikit-learn's default, 1 / n_features, of chi2 1. 'scale' and 'auto': as for :func:`dcsvm.train`.
    coef0 : float, default=1
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        After which cg ends at its next step, with the best solution so far and stop_reason 'time_limit', with a
        ConvergenceWarning; None: no limit. Cholesky's factorisation has no solution before its end and is not
        limited.
    alpha : float >= 0 or array-like, default=1
        Regularisation; several targets: also one for each.
    kernel_params : dict or None, default=None
        More arguments of a kernel that is a function.
    solver : {'auto', 'cholesky', 'cg'}, default='auto'
        See :func:`dcsvm.train_ridge`.
    tol : float > 0, default=1e-06
        cg: of the residual |y - (K + Lambda) a| / |y|.
    max_iter : int >= 1, default=1000
        cg: steps.
    cache_size : float > 0, default=2000.0
        MB (2^20 bytes) of working memory.
    precision : {'single', 'double', 'auto'}, default='auto'
        Of kernel values. 'auto': double up to 2,000 rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of rows that make the preconditioner.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        a; 0 for rows of weight 0.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Steps of cg; 1 for cholesky.
    model_ : Model
        The native model, of one target; see the notes.
    report_ : dcsvm.Report
        What the training did: objective, violation, steps, seconds, memory, levels.

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> model = dcsvm.KernelRidge(alpha=1e-3, kernel="rbf", gamma=10).fit(X, np.sin(6 * X[:, 0]))
    >>> bool(model.score(X, np.sin(6 * X[:, 0])) > 0.99)
    True
    """

    _one_solution = True

    alpha: Any = parameter(
        1,
        "Regularisation; several targets: also one for each.",
        Interval(Real, 0, None, closed="left"),
        "array-like",
        positional=True,
    )
    kernel: str | Callable[..., Any] = parameter(  # type: ignore[assignment]  # with scikit-learn's others
        "linear",
        "A kernel of ``sklearn.metrics.pairwise.pairwise_kernels`` or of :func:`dcsvm.train`, or a function of two rows that "
        "returns its value, or a :class:`dcsvm.CompiledKernel`.",
        _KERNELS,
        callable,
        kind="str or callable",
    )
    degree: float = parameter(  # type: ignore[assignment]  # scikit-learn takes fractions
        3, "Of the poly kernel.", Interval(Real, 0, None, closed="left")
    )
    gamma: float | GammaRule | None = parameter(  # type: ignore[assignment]  # with None
        None,
        "None: scikit-learn's default, 1 / n_features, of chi2 1. 'scale' and 'auto': as for :func:`dcsvm.train`.",
        Interval(Real, 0, None, closed="left"),
        ("scale", "auto"),
        None,
    )
    coef0: float = parameter(1, "Of the poly and sigmoid kernels.", Interval(Real, None, None, closed="neither"))
    kernel_params: Mapping[str, Any] | None = parameter(None, "More arguments of a kernel that is a function.", dict, None)
    solver: RidgeSolver = declared(RIDGE["solver"], text="See :func:`dcsvm.train_ridge`.")
    tol: float = declared(RIDGE["tol"])
    max_iter: int = declared(RIDGE["max_iter"])
    cache_size: float = declared(RIDGE["cache_size"])
    precision: Literal["auto", "single", "double"] = declared(
        RIDGE["precision"], ("auto",), default="auto", more="'auto': double up to 2,000 rows."
    )
    random_state: Any = parameter(None, "Seed of the choice of rows that make the preconditioner.", "random_state")

    model_: Model = field(init=False)
    report_: Report = field(init=False)
    n_iter_: int = field(init=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @parameters_checked
    @of_training("array-like of shape (n_samples,) or (n_samples, n_targets)", REGRESSED, RIDGE_WEIGHT, x=TRAINING_KERNEL_X)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets: finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights w of the rows, >= 0: the regularisation of a row is alpha / w. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        X, y = self._training_data(X, y, y_numeric=True, multi_output=True)
        targets = np.asarray(y, dtype=np.float64)
        weights = self._weights(sample_weight, X)
        alphas = np.ravel(np.asarray(self.alpha, dtype=np.float64))
        n_targets = 1 if targets.ndim == 1 else targets.shape[1]
        if len(alphas) not in (1, n_targets) or not (np.isfinite(alphas) & (alphas >= 0)).all():
            raise ValueError(f"alpha must be a number >= 0, or one for each of {n_targets} targets, got {self.alpha!r}")
        for name in ("model_", "_models", "_theirs", "_rows_of_kernel"):
            vars(self).pop(name, None)
        if reason := self._why_not(X, alphas, targets):
            _log.info("KernelRidge.fit: scikit-learn's own code, because %s", reason)
            self._fit_theirs(X, targets, weights)
            return self
        options = {name: value for name, value in self._parameters().items() if name not in ("kernel_params", "alpha")}
        options |= {"kernel": _OURS[str(self.kernel)], "degree": int(self.degree), "random_state": self._seed()}
        options["gamma"] = _OF_CHI2 if self._without_gamma() else self._gamma_for(X, weights) or "auto"
        if self.precision == "auto":
            options["precision"] = "double" if X.shape[0] <= SMALL else "single"
        columns = [targets] if targets.ndim == 1 else list(targets.T)
        models = [
            with_own_names(train_ridge(X, column, alpha=float(alpha), sample_weight=weights, **options), self)
            for column, alpha in zip(columns, np.broadcast_to(alphas, len(columns)), strict=True)
        ]
        if targets.ndim == 1:
            self._take(models[0])
            return self
        self._models = models
        self.n_iter_ = max(max(1, model.report.n_iter) for model in models)
        return self

    def _without_gamma(self) -> bool:
        return self.gamma is None and self.kernel == "chi2"

    def _why_not(self, X: Any, alphas: FloatArray, targets: FloatArray) -> str:
        """Why scikit-learn's code solves it; empty: dcsvm does."""
        if callable(self.kernel) or self.kernel not in _OURS:
            return f"dcsvm has no kernel {self.kernel!r}"
        if self.degree != int(self.degree):
            return "the degree is not a whole number"
        if self.gamma == 0:
            return "gamma is 0"
        if not alphas.all():
            return "alpha is 0"
        return "a factor of the matrix serves all targets" if targets.ndim == 2 and X.shape[0] <= _ONE_FACTOR else ""

    def _fit_theirs(self, X: Any, targets: FloatArray, weights: FloatArray | None) -> None:
        if str(self.kernel) in KERNELS and str(self.kernel) not in PAIRWISE_KERNEL_FUNCTIONS and self.kernel != "precomputed":
            raise ValueError(
                f"kernel={self.kernel!r} is not one of scikit-learn's, whose code is for alpha=0, gamma=0 and several targets"
            )
        gamma = _OF_CHI2 if self._without_gamma() else self.gamma
        if isinstance(gamma, str):
            gamma = gamma_of(gamma, X, str(self.kernel) if self.kernel in KERNELS else "rbf")
        given = {name: getattr(self, name) for name in ("alpha", "kernel", "degree", "coef0", "kernel_params")}
        if isinstance(self.kernel, CompiledKernel):
            if self.kernel_params:
                raise ValueError("kernel_params are arguments of a Python function, and a CompiledKernel takes none")
            self._rows_of_kernel = X
            X, given["kernel"] = kernel_matrix(self.kernel, X, X), "precomputed"
        self._theirs = _Theirs(gamma=gamma, **given).fit(X, targets, weights)
        self.n_iter_ = 1

    @of_rows("y_pred", "ndarray of shape (n_samples,) or (n_samples, n_targets)", "Predicted targets.", x=KERNEL_X)
    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predicted targets.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        check_is_fitted(self, "dual_coef_")
        if "_theirs" in vars(self):
            rows = self._rows(X)
            if "_rows_of_kernel" in vars(self):
                assert callable(self.kernel)
                rows = kernel_matrix(self.kernel, rows, self._rows_of_kernel)
            return np.asarray(self._theirs.predict(rows))
        if "_models" in vars(self):
            rows = self._rows(X)
            return np.column_stack([model.decision_function(rows, n_jobs=self.n_jobs) for model in self._models])
        return super().predict(X)

    @property
    def dual_coef_(self) -> FloatArray:
        """Weights of the training rows, (n_samples,) or (n_samples, n_targets)."""
        now = vars(self)
        if "_theirs" in now:
            return np.asarray(self._theirs.dual_coef_)
        if "_models" in now:
            return read_only(np.column_stack([model.alpha for model in self._models]))
        if "model_" in now:
            return self.model_.alpha
        raise AttributeError("dual_coef_ is there after fit")

    def __getattr__(self, name: str) -> Any:
        if name == "model_" and "n_iter_" in vars(self):
            raise AttributeError(
                "model_: there is no native model of several targets, of alpha=0 and of kernels that dcsvm does not compute; "
                "predict answers, and pickle keeps the estimator"
            )
        return object.__getattribute__(self, name)

    def _take(self, model: Any) -> None:
        self.model_: Model = model
        self.n_iter_ = max(1, model.report.n_iter)
