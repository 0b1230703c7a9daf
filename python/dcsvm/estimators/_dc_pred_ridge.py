"""Kernel ridge regression near a linear model's prediction cost (DC-Pred++)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._dc_pred import DCPredModel, DCPredReport, train_dc_pred_ridge

FloatArray = npt.NDArray[np.float64]


class DCPredRidge(RegressorMixin, BaseEstimator):
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
        for name, value in locals().items():
            if name not in {"self", "__class__"}:
                setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DCPredRidge:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,)."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        options = self.get_params()
        options["random_state"] = int(check_random_state(self.random_state).randint(np.iinfo("i").max))
        self.model_ = train_dc_pred_ridge(X, y.astype(np.float64), sample_weight=weights, **options)
        self.cost_ = self.model_.cost
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predicted targets of the rows of X."""
        check_is_fitted(self)
        rows = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        model: DCPredModel = self.model_
        return model.decision_function(rows, n_jobs=self.n_jobs)

    @property
    def report_(self) -> DCPredReport:
        """What the training did."""
        check_is_fitted(self)
        model: DCPredModel = self.model_
        return model.report
