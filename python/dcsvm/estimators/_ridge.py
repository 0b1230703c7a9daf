"""Exact kernel ridge regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from .._base.report import Report
from .._base.validate import FloatArray
from .._least_squares.ridge import train_ridge
from .._svm.model import Model
from ._estimator import NativeEstimator

_SMALL = 2000  # rows up to which double precision costs nothing that anybody notices


class KernelRidge(RegressorMixin, NativeEstimator):
    """Kernel ridge regression, exact, on all cores: scikit-learn's ``KernelRidge`` for one target.

    Solves (K + alpha I) a = y by Cholesky's factorisation in blocks or by preconditioned conjugate gradients; see
    :func:`dcsvm.train_ridge`. There is no intercept.

    Parameters
    ----------
    alpha : float, default=1.0
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, default="rbf"
    degree, gamma, coef0 : of the kernel, as in SVR.
    solver : {"auto", "cholesky", "cg"}, default="auto"
    tol : float, default=1e-6
        cg: of the residual, relative to that of 0.
    max_iter : int, default=1000
        cg: steps.
    cache_size : float, default=2000
        MB.
    precision : {"auto", "single", "double"}, default="auto"
        Of kernel values; "auto": double up to 2,000 rows.
    random_state : int, RandomState or None, default=None
        Of the rows that make the preconditioner.
    n_jobs : int or None, default=None

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,)
        a; 0 for rows of weight 0.
    n_features_in_ : int
    n_iter_ : int
        Steps of cg; 1 for cholesky.
    model_ : Model
        The native model.

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> model = dcsvm.KernelRidge(alpha=1e-3, gamma=10).fit(X, np.sin(6 * X[:, 0]))
    >>> bool(model.score(X, np.sin(6 * X[:, 0])) > 0.99)
    True
    """

    model_: Model
    report_: Report

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
        cache_size: float = 2000,
        precision: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._store(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,)."""
        X, y = self._training_data(X, y, y_numeric=True)
        weights = self._weights(sample_weight, X)
        options = self.get_params()
        options["random_state"] = self._seed()
        options["gamma"] = self._gamma_for(X, weights)
        if self.precision == "auto":
            options["precision"] = "double" if X.shape[0] <= _SMALL else "single"
        self.model_ = train_ridge(X, y.astype(np.float64), sample_weight=weights, **options)
        self.dual_coef_ = self.model_.alpha
        self.n_iter_ = max(1, self.model_.report.n_iter)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predicted targets of the rows of X."""
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)
