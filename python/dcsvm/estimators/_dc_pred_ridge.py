"""Kernel ridge regression near a linear model's prediction cost (DC-Pred++)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from .._base.validate import FloatArray
from .._dc_pred.train import DCPredModel, DCPredReport, train_dc_pred_ridge
from ._estimator import NativeEstimator


class DCPredRidge(RegressorMixin, NativeEstimator):
    """Kernel ridge regression that predicts in the time of a few dozen inner products.

    A tree of k-means splits finds a row's leaf; each leaf has a few landmarks and an offset. See docs/dc-pred.md, and
    :func:`dcsvm.train_dc_pred_ridge` for what the parameters mean in detail.

    Parameters
    ----------
    alpha : float, default=1.0
        Regularisation, as in KernelRidge.
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
    degree, gamma, coef0 : of the kernel, as in SVR.
    n_leaves, n_landmarks, n_pseudo, pseudo, budget, refine, sample_size, fit_intercept : as in DCPredSVC.
    tol, cache_size : as in SVR.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    n_features_in_ : int
    cost_ : float
        Inner products of n_features that a row costs on average; a linear model's is 1.
    model_ : DCPredModel
        The native model.

    References
    ----------
    .. [1] Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines, NIPS 2014.

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> model = dcsvm.DCPredRidge(alpha=0.01, gamma=2, n_leaves=4, random_state=0).fit(X, X[:, 0] * X[:, 1])
    >>> bool(model.score(X, X[:, 0] * X[:, 1]) > 0.99)
    True
    """

    model_: DCPredModel
    report_: DCPredReport

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        n_leaves: int = 16,
        n_landmarks: int = 12,
        n_pseudo: int = 0,
        pseudo: str = "triangle",
        budget: float | str | None = None,
        refine: int = 60,
        sample_size: int = 500,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        cache_size: float = 2000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DCPredRidge:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,)."""
        X, y = self._training_data(X, y, y_numeric=True)
        weights = self._weights(sample_weight, X)
        options = self.get_params()
        options["random_state"] = self._seed()
        self.model_ = train_dc_pred_ridge(X, y.astype(np.float64), sample_weight=weights, **options)
        self.cost_ = self.model_.cost
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predicted targets of the rows of X."""
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)
