"""Classification near a linear model's prediction cost (DC-Pred++)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._dc_pred import DCPredModel, DCPredReport, train_dc_pred

FloatArray = npt.NDArray[np.float64]


class DCPredSVC(ClassifierMixin, BaseEstimator):
    """Kernel support vector classification that predicts in the time of a few dozen inner products.

    A tree of k-means splits finds a row's leaf; each leaf has a few landmarks. See docs/dc-pred.md, and
    :func:`dcsvm.train_dc_pred` for what the parameters mean in detail. To speed up a model that is already trained, see
    :func:`dcsvm.compress`.

    Parameters
    ----------
    C : float, default=1.0
        Price of errors.
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
    degree, gamma, coef0 : of the kernel, as in SVC.
    n_leaves, n_landmarks, n_pseudo : int, default=16, 12, 0
        At most; landmarks and pseudo landmarks of each leaf.
    pseudo : {"triangle", "triangle_upper", "polynomial", "none"}, default="triangle"
    budget : float or str, default=None
        Such as "12x": what a row may cost, in inner products; leaves and landmarks are then chosen on held-out rows.
    refine : int, default=60
        Steps that move landmarks towards lower loss; 0: the paper's choice.
    sample_size : int, default=500
    fit_intercept : bool, default=True
    tol, cache_size : as in SVC.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    cost_ : float
        Inner products of n_features that a row costs on average; a linear model's is 1.
    model_ : DCPredModel
        The native model; classes are numbered in it.

    References
    ----------
    .. [1] Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines, NIPS 2014.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(3000, random_state=0)
    >>> model = dcsvm.DCPredSVC(C=10, gamma=4, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        class_weight: Mapping[Any, float] | str | None = None,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DCPredSVC:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,), labels of any kind."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if weights is not None:
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        options = self.get_params()
        options["class_weight"] = dict(enumerate(factor.tolist()))
        options["random_state"] = int(check_random_state(self.random_state).randint(np.iinfo("i").max))
        self.model_ = train_dc_pred(X, codes.astype(np.float64), sample_weight=weights, **options)
        self.cost_ = self.model_.cost
        return self

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)

    def decision_function(self, X: Any) -> FloatArray:
        """Two classes: (n_samples,), positive for ``classes_[1]``; else (n_samples, n_classes)."""
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Labels of the rows of X."""
        rows = self._rows(X)
        return np.asarray(self.classes_[self.model_.predict(rows, n_jobs=self.n_jobs).astype(np.intp)])

    @property
    def report_(self) -> DCPredReport:
        """What the training did."""
        check_is_fitted(self)
        model: DCPredModel = self.model_
        return model.report
