"""Kernel ridge regression."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._input.choices import Kernel, RidgeSolver
from .._input.validate import FloatArray
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
from ._inputs import parameters_checked
from ._parameters import RIDGE, declared, parameter
from ._svm import SMALL

if TYPE_CHECKING:
    from typing_extensions import Self


@documented(
    dual_coef_=("ndarray of shape (n_samples,)", "a; 0 for rows of weight 0."),
    n_iter_=("int", "Steps of cg; 1 for cholesky."),
    model_=("Model", "The native model."),
)
@dataclass(kw_only=True, repr=False, eq=False)
class KernelRidge(NativeRegressor, NativeEstimator):
    """Kernel ridge regression, exact, on all cores: scikit-learn's ``KernelRidge`` for one target.

    Solves (K + alpha I) a = y by Cholesky's factorisation in blocks or by preconditioned conjugate gradients; see
    :func:`dcsvm.train_ridge`. There is no intercept.

    Parameters
    ----------
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'}, default='rbf'
        As in SVR.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float > 0, default='scale'
        Of the rbf, poly and sigmoid kernels; 'scale': 1 / (n_features * X.var()), 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    alpha : float > 0, default=1.0
        Regularisation.
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
    dual_coef_ : ndarray of shape (n_samples,)
        a; 0 for rows of weight 0.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Steps of cg; 1 for cholesky.
    model_ : Model
        The native model.
    report_ : dcsvm.Report
        What the training did: objective, violation, steps, seconds, memory, levels.

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> model = dcsvm.KernelRidge(alpha=1e-3, gamma=10).fit(X, np.sin(6 * X[:, 0]))
    >>> bool(model.score(X, np.sin(6 * X[:, 0])) > 0.99)
    True
    """

    alpha: float = declared(RIDGE["alpha"], text="Regularisation.")
    kernel: Kernel = declared(RIDGE["kernel"], text="As in SVR.")
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

    @parameters_checked
    @of_training("array-like of shape (n_samples,)", REGRESSED, RIDGE_WEIGHT, x=TRAINING_KERNEL_X)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        X, y = self._training_data(X, y, y_numeric=True)
        weights = self._weights(sample_weight, X)
        options = {**self._parameters(), "random_state": self._seed(), "gamma": self._gamma_for(X, weights)}
        if self.precision == "auto":
            options["precision"] = "double" if X.shape[0] <= SMALL else "single"
        self.model_ = with_own_names(train_ridge(X, y.astype(np.float64), sample_weight=weights, **options), self)
        self._take(self.model_)
        return self

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Predicted targets.", x=KERNEL_X)
    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of the rows of X."""
        return super().predict(X)

    def _take(self, model: Any) -> None:
        self.model_: Model = model
        self.dual_coef_: FloatArray = model.alpha
        self.n_iter_: int = max(1, model.report.n_iter)
