"""Classification near a linear model's prediction cost (DC-Pred++)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight

from .._base.validate import FloatArray
from .._dc_pred.train import DCPredModel, DCPredReport, train_dc_pred
from ._estimator import NativeEstimator
from ._inputs import class_codes, labels_of


class DCPredSVC(ClassifierMixin, NativeEstimator):
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
    landmarks : {"kmeans", "support"}, default="kmeans"
        Centres in each leaf, or the support vectors of an exact model that weigh most in it (two classes).
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

    model_: DCPredModel
    report_: DCPredReport

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
        landmarks: str = "kmeans",
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
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DCPredSVC:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,), labels of any kind."""
        X, y = self._training_data(X, y)
        y = labels_of(y)
        weights = self._weights(sample_weight, X)
        if weights is not None:
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self.classes_, codes = class_codes(y)
        factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        options = self.get_params()
        options["class_weight"] = dict(enumerate(factor.tolist()))
        options["random_state"] = self._seed()
        self.model_ = train_dc_pred(X, codes.astype(np.float64), sample_weight=weights, **options)
        self.cost_ = self.model_.cost
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Two classes: (n_samples,), positive for ``classes_[1]``; else (n_samples, n_classes)."""
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Labels of the rows of X."""
        rows = self._rows(X)
        return np.asarray(self.classes_[self.model_.predict(rows, n_jobs=self.n_jobs).astype(np.intp)])
