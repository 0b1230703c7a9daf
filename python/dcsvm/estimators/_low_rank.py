"""Low-rank linearised classification (LLSVM, LLSVM^2)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state, compute_class_weight

from .._base.validate import FloatArray
from .._low_rank.model import LowRankModel, LowRankReport
from .._low_rank.train import low_rank_path, train_low_rank, train_low_rank_batches, train_low_rank_file
from ._estimator import NativeEstimator
from ._inputs import class_codes, labels_of

_FEW = 10  # rows for each landmark up to which distinct rows are counted


class LowRankSVC(ClassifierMixin, NativeEstimator):
    """Low-rank linearised support vector classification: a linear SVM on features that approximate the kernel.

    Time and memory grow with the rows, not with the support vectors. See docs/low-rank.md, and :func:`dcsvm.train_low_rank` for
    what the parameters mean in detail.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Price of errors. A sequence: the value with the best cross-validated accuracy, from one matrix of features.
    cv : int or array of shape (n_samples,), default=5
        Folds, or the fold of each row, when C is a sequence.
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable, default="rbf"
        A callable gets (X, landmarks) and returns kernel values; its landmarks are rows drawn uniformly, or given.
    degree, gamma, coef0 : of the kernel, as in SVC.
    n_landmarks : int, default=500
        At most the distinct rows are used.
    landmarks : {"kmeans", "kmeans++", "uniform"} or array of shape (n_landmarks, n_features), default="kmeans"
    features : {"nystrom", "rks", "fastfood"}, default="nystrom"
    supervised : bool, default=False
        LLSVM^2: learn the spectrum from labelled rows, with `n_labelled`, `balance` and `lambda_`.
    unlabelled : label, default=None
        Rows with this label (-1 in semi-supervised estimators) give landmarks only.
    loss : {"hinge", "squared_hinge"}, default="hinge"
    fit_intercept : bool, default=True
    multi_class : {"ovr", "ovo"}, default="ovr"
    tol, max_iter : stop at this violation, or after so many passes.
    cache_size : float, default=2000
        MB for features.
    n_passes : int, default=3
        Over the data, when it is trained in blocks.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
    verbose : bool, default=False

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    C_ : float
        The C of the model.
    cv_scores_ : ndarray of shape (n_C, n_folds)
        When C is a sequence.
    n_features_in_ : int
    n_iter_ : int
        Passes.
    model_ : LowRankModel
        The native model; classes are numbered in it.
    report_ : LowRankReport
        What the training did.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(3000, random_state=0)
    >>> model = dcsvm.LowRankSVC(C=[1, 10], gamma=4, n_landmarks=200, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    model_: LowRankModel
    report_: LowRankReport

    def __init__(
        self,
        *,
        C: Any = 1.0,
        cv: Any = 5,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        n_landmarks: int = 500,
        landmarks: Any = "kmeans",
        features: str = "nystrom",
        supervised: bool = False,
        n_labelled: int = 100,
        balance: float = 1.0,
        lambda_: float | str = "auto",
        unlabelled: Any = None,
        loss: str = "hinge",
        fit_intercept: bool = True,
        multi_class: str = "ovr",
        tol: float = 0.1,
        max_iter: int = 1000,
        cache_size: float = 2000,
        n_passes: int = 3,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self._store(locals())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")  # the parameter lambda_ looks like a fitted attribute

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LowRankSVC:
        """Fits the model to X (n_samples, n_features), dense or sparse, and y (n_samples,), labels of any kind."""
        X, y = self._training_data(X, y)
        y = labels_of(y)
        weights = self._weights(sample_weight, X)
        if weights is not None and self.unlabelled is None:
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        known = np.ones(len(y), dtype=bool) if self.unlabelled is None else y != self.unlabelled
        self.classes_, codes = class_codes(y[known])
        factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y[known])
        targets = np.full(len(y), -1.0)
        targets[known] = codes
        options = self._options(None if known.all() else -1.0, dict(enumerate(factor.tolist())))
        options["sample_weight"] = weights
        options["gamma"] = self._gamma_for(X, weights)
        options.update(self._landmarks(X))
        self._given = options.pop("given", None)
        data = X if self._given is None else np.ascontiguousarray(self._kernel_values(X))
        if np.ndim(self.C) == 0:
            self.model_ = train_low_rank(data, targets, C=self.C, **options)
        else:
            path = low_rank_path(data, targets, self.C, cv=self.cv, **options)
            self.model_, self.cv_scores_ = path.best, path.scores
        self.C_ = self.model_.report.C
        self.n_iter_ = self.model_.report.n_passes
        return self

    def fit_file(
        self,
        path: str | os.PathLike[str],
        *,
        memory_mb: float = 1000,
        cache_dir: str | os.PathLike[str] | None = None,
        keep_cache: bool = True,
        n_features: int | None = None,
        zero_based: bool = False,
    ) -> LowRankSVC:
        """Fits the model to a LIBSVM text file that may be larger than memory; see :func:`dcsvm.train_low_rank_file`."""
        own = {"n_features": n_features, "zero_based": zero_based}
        return self._fit_blocks(train_low_rank_file, path, memory_mb=memory_mb, cache_dir=cache_dir, keep_cache=keep_cache, **own)

    def fit_batches(self, batches: Iterable[tuple[Any, Any]], *, memory_mb: float = 1000) -> LowRankSVC:
        """Fits the model to a sequence or an iterator of (X, y), numbers as labels, that together may be larger than memory; see
        :func:`dcsvm.train_low_rank_batches`."""
        return self._fit_blocks(train_low_rank_batches, batches, memory_mb=memory_mb)

    def _fit_blocks(self, train: Callable[..., LowRankModel], source: Any, **how: Any) -> LowRankSVC:
        if callable(self.kernel) or np.ndim(self.C) != 0:
            raise ValueError("training in blocks takes one C and a kernel by name")
        options = self._options(self.unlabelled, self.class_weight)
        del options["cache_size"]
        self.model_ = train(source, C=self.C, n_landmarks=self.n_landmarks, landmarks=self.landmarks, **how, **options)
        self._given = None
        self.classes_, self.n_features_in_ = self.model_.classes_, self.model_.n_features_in_
        self._numbered = False
        self.C_, self.n_iter_ = self.C, self.model_.report.n_passes
        return self

    def _options(self, unlabelled: Any, class_weight: Any) -> dict[str, Any]:
        """train_low_rank's parameters of the same name."""
        same = (
            *("degree", "gamma", "coef0", "features", "supervised", "n_labelled", "balance", "lambda_", "loss", "fit_intercept"),
            *("multi_class", "tol", "max_iter", "cache_size", "n_passes", "n_jobs", "verbose"),
        )
        options = {name: getattr(self, name) for name in same}
        options["kernel"] = "precomputed" if callable(self.kernel) else self.kernel
        options["unlabelled"] = unlabelled
        options["class_weight"] = class_weight
        options["random_state"] = self._seed()
        self._numbered = True
        return options

    def _landmarks(self, X: Any) -> dict[str, Any]:
        """How many and which; for callables the landmarks themselves and their kernel matrix."""
        n_landmarks = self.n_landmarks
        if isinstance(self.landmarks, str) and not isinstance(n_landmarks, bool) and isinstance(n_landmarks, (int, np.integer)):
            if X.shape[0] <= _FEW * n_landmarks:
                rows = X.toarray() if sp.issparse(X) else X
                distinct = np.unique(rows, axis=0)
                if len(distinct) <= n_landmarks and self.features == "nystrom":
                    return self._by_kernel(distinct) if callable(self.kernel) else {"landmarks": distinct}
            if callable(self.kernel):
                chosen = check_random_state(self.random_state).choice(X.shape[0], n_landmarks, replace=False)
                return self._by_kernel(X[np.sort(chosen)])
            return {"landmarks": self.landmarks, "n_landmarks": n_landmarks}
        return (
            self._by_kernel(self.landmarks)
            if callable(self.kernel)
            else {"landmarks": self.landmarks, "n_landmarks": n_landmarks}
        )

    def _by_kernel(self, landmarks: Any) -> dict[str, Any]:
        assert callable(self.kernel)
        return {"given": landmarks, "landmark_kernel": np.asarray(self.kernel(landmarks, landmarks), dtype=np.float64)}

    def _kernel_values(self, X: Any) -> FloatArray:
        assert callable(self.kernel)
        values = np.asarray(self.kernel(X, self._given), dtype=np.float64)
        expected = (X.shape[0], len(self._given))
        if values.shape != expected:
            raise ValueError(f"kernel must return shape {expected}, got {values.shape}")
        return values

    def _rows(self, X: Any) -> Any:
        X = super()._rows(X)
        return X if self._given is None else self._kernel_values(X)

    def decision_function(self, X: Any) -> FloatArray:
        """Two classes: (n_samples,), positive for ``classes_[1]``. "ovr": (n_samples, n_classes); "ovo": one column for each pair
        (i, j), i < j, positive for class i."""
        rows = self._rows(X)
        return self.model_.decision_function(rows, n_jobs=self.n_jobs)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Labels of the rows of X."""
        rows = self._rows(X)
        labels = self.model_.predict(rows, n_jobs=self.n_jobs)
        return np.asarray(self.classes_[labels.astype(np.intp)]) if self._numbered else labels
