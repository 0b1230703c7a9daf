"""Low-rank linearised classification (LLSVM, LLSVM^2)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._input.validate import FloatArray
from .._low_rank.model import LowRankModel, LowRankReport
from .._low_rank.train import low_rank_path, train_low_rank, train_low_rank_batches, train_low_rank_file
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, documented, of_rows
from ._estimator import NativeClassifier, NativeEstimator, with_own_names
from ._inputs import parameters_checked
from ._low_rank_parameters import LowRankParameters
from ._parameters import TimeParameter

if TYPE_CHECKING:
    from typing_extensions import Self


_FEW = 10  # rows for each landmark point up to which distinct rows are counted


@documented(
    "classes_",
    "C_",
    "cv_scores_",
    n_iter_=("int", "Passes."),
    model_=("LowRankModel", "The native model; it carries the labels."),
    report_=("LowRankReport", "What the training did: objective, violation, passes, landmarks, seconds, memory."),
)
@dataclass(kw_only=True, repr=False, eq=False)
class LowRankSVC(LowRankParameters, TimeParameter, CalibratedClassifier, NativeClassifier, NativeEstimator):
    """Low-rank linearised support vector classification: a linear SVM on features that approximate the kernel.

    Time and memory grow with the rows, not the support vectors. See docs/methods/low_rank.md and :func:`dcsvm.train_low_rank` for
    what the parameters mean in detail.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str or callable, default='rbf'
        As in SVC. A callable gets (X, landmarks) and returns kernel values; its landmarks are rows drawn uniformly,
        or given. One of 'linear', 'poly', 'rbf', 'sigmoid', 'exponential', 'matern32', 'matern52', 'laplacian',
        'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float > 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    n_landmarks : int >= 1, default=500
        Landmark points, or random directions: more are more accurate. At most the distinct rows are used.
    fit_intercept : bool, default=True
        Add a bias, which is regularised (+ b^2 / 2 in Eq. 24), unlike an exact SVM's.
    multi_class : {'ovr', 'ovo'}, default='ovr'
        ovr: one problem for each class against the rest; ovo: one for each pair of classes.
    cache_size : float > 0, default=2000.0
        MB (2^20 bytes) for features: what does not fit is trained in blocks.
    verbose : bool, default=False
        Show progress on stderr.
    probability : bool, default=False
        Calibrate probabilities, for predict_proba, on decision values of a 5-fold cross-validation.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    C : float or sequence of float, > 0, default=1.0
        Price of errors. A sequence: the value with the best cross-validated accuracy, from one matrix of features.
    cv : int or array of shape (n_samples,), default=5
        Folds, or the fold of each row, when C is a sequence.
    budget : float, str or None, default=None
        What a prediction may cost, as a multiple of a linear model's inner product (12 or '12x'): as many landmark
        points as that allows, in place of `n_landmarks`.
    landmarks : {'kmeans', 'kmeans++', 'uniform', 'greedy'} or array of shape (n_landmarks, n_features), default='kmeans'
        How landmark points are chosen, or the points. 'greedy' is SpSVM: rows that lower the squared hinge loss most.
    features : {'nystrom', 'rks', 'fastfood', 'reduced'}, default='nystrom'
        nystrom: from kernel values with landmarks (LLSVM); rks: random Fourier features; fastfood; these two for the
        rbf kernel; reduced: the kernel values with landmarks themselves (reduced SVM).
    supervised : bool, default=False
        LLSVM^2: learn the spectrum from labelled rows, with `n_labelled`, `balance` and `lambda_`.
    n_labelled : int >= 2, default=100
        LLSVM^2: labelled rows that the spectrum is learned from.
    balance : float >= 0, default=1.0
        LLSVM^2: weight of pairs of two classes, a of Eq. (17).
    lambda_ : float or 'auto', default='auto'
        Regularisation in Eq. (23), for `supervised`; 'auto': chosen on held-out rows.
    unlabelled : label or None, default=None
        Rows with this label (-1 in semi-supervised estimators) give landmark points only.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        Of the linear SVM.
    tol : float > 0, default=0.1
        Stop when the largest projected gradient of the dual is below.
    max_iter : int >= 1, default=1000
        Passes of coordinate descent.
    n_passes : int >= 1, default=3
        Over the data, when it is trained in blocks.

    Attributes
    ----------
    C_ : float
        The C of the model.
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    cv_scores_ : ndarray of shape (n_C, n_folds)
        Accuracies, when C is a sequence.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Passes.
    model_ : LowRankModel
        The native model; it carries the labels.
    report_ : LowRankReport
        What the training did: objective, violation, passes, landmarks, seconds, memory.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(3000, random_state=0)
    >>> model = dcsvm.LowRankSVC(C=[1, 10], gamma=4, n_landmarks=200, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    model_: LowRankModel = field(init=False)
    report_: LowRankReport = field(init=False)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")  # the parameter lambda_ looks like a fitted attribute

    @parameters_checked
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
        X, y, codes, weights = self._labelled_rows(X, y, sample_weight, self.unlabelled)
        known, targets = codes >= 0, codes.astype(np.float64)
        options = self._options(None if known.all() else -1.0, self._class_weight(y[known]))
        options["sample_weight"] = weights
        options["gamma"] = self._gamma_for(X, weights)
        options.update(self._landmarks(X))
        self._given = options.pop("given", None)
        data = X if self._given is None else np.ascontiguousarray(self._kernel_values(X))
        if np.ndim(self.C) == 0:
            self.model_ = train_low_rank(data, targets, C=self.C, **options)
        else:
            if options.pop("max_seconds") is not None:
                raise ValueError("max_seconds is for one value of C: part of a path has no score; give one, or no limit")
            path = low_rank_path(data, targets, self.C, cv=self.cv, **options)
            self.model_ = path.best
            self.cv_scores_: FloatArray | None = path.scores
        self.model_ = with_own_names(self.model_, self)
        self.C_ = self.model_.report.C
        self.n_iter_: int = self.model_.report.n_passes
        self._calibrate(X, y, weights, options["random_state"])
        return self

    def _for_folds(self) -> dict[str, Any]:
        return {"C": self.C_}

    def fit_file(
        self,
        path: str | os.PathLike[str],
        *,
        memory_mb: float = 1000,
        cache_dir: str | os.PathLike[str] | None = None,
        keep_cache: bool = True,
        n_features: int | None = None,
        zero_based: bool = False,
    ) -> Self:
        """Fit the model to a SVMlight (LIBSVM) text file that may be larger than memory.

        Parameters
        ----------
        path, memory_mb, cache_dir, keep_cache, n_features, zero_based
            As for :func:`dcsvm.train_low_rank_file`, which also says what is raised.

        Returns
        -------
        self : object
            Fitted estimator.
        """
        own = {"n_features": n_features, "zero_based": zero_based}
        return self._fit_blocks(train_low_rank_file, path, memory_mb=memory_mb, cache_dir=cache_dir, keep_cache=keep_cache, **own)

    def fit_batches(self, batches: Iterable[tuple[Any, Any]], *, memory_mb: float = 1000) -> Self:
        """Fit the model to batches that together may be larger than memory.

        Parameters
        ----------
        batches : iterable of (X, y)
            As for :func:`dcsvm.train_low_rank_batches`, which also says what is raised; numbers as labels.
        memory_mb : float, default=1000
            Cap of the working memory in MB, landmark points and their kernel matrix aside.

        Returns
        -------
        self : object
            Fitted estimator.
        """
        return self._fit_blocks(train_low_rank_batches, batches, memory_mb=memory_mb)

    def _fit_blocks(self, train: Callable[..., LowRankModel], source: Any, **how: Any) -> Self:
        self._validate_params()
        if callable(self.kernel) or np.ndim(self.C) != 0:
            raise ValueError(f"training in blocks needs one C and a kernel by name; got {self.C!r} and {self.kernel!r}")
        if self.probability:
            raise ValueError("probability=True needs all rows in memory: use fit, or probability=False")
        options = self._options(self.unlabelled, self.class_weight)
        del options["cache_size"]
        self.model_ = train(source, C=self.C, n_landmarks=self.n_landmarks, landmarks=self.landmarks, **how, **options)
        self._given = None
        self.classes_ = self.model_.classes_
        self.n_features_in_: int = self.model_.n_features_in_
        self._numbered = False
        self.C_ = self.C
        self.n_iter_ = self.model_.report.n_passes
        return self

    def _options(self, unlabelled: Any, class_weight: Any) -> dict[str, Any]:
        """train_low_rank's parameters of the same name."""
        own = {"C", "cv", "n_landmarks", "landmarks", "probability"}
        options = {name: value for name, value in self._parameters().items() if name not in own}
        options["kernel"] = "precomputed" if callable(self.kernel) else self.kernel
        options["unlabelled"] = unlabelled
        options["class_weight"] = class_weight
        options["random_state"] = self._seed()
        self._numbered = True
        return options

    def _landmarks(self, X: Any) -> dict[str, Any]:
        """Which landmark points and how many; for callable kernels the points themselves and their kernel matrix."""
        landmarks, size = self.landmarks, {"n_landmarks": self.n_landmarks}
        n = self.n_landmarks
        if callable(self.kernel) and (self.budget is not None or landmarks == "greedy"):
            raise ValueError("budget and landmarks='greedy' need a kernel by name, got a callable")
        if self.budget is not None:
            return {"landmarks": landmarks, **size}
        if isinstance(landmarks, str) and isinstance(n, (int, np.integer)) and not isinstance(n, bool):
            few = self.features in ("nystrom", "reduced") and X.shape[0] <= _FEW * n
            distinct = np.unique(X.toarray() if sp.issparse(X) else X, axis=0) if few else None
            if distinct is not None and len(distinct) <= n:
                landmarks, size = distinct, {}
            elif callable(self.kernel):
                landmarks = X[np.sort(check_random_state(self.random_state).choice(X.shape[0], n, replace=False))]
        return self._by_kernel(landmarks) if callable(self.kernel) else {"landmarks": landmarks, **size}

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

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Class labels.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classify the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Class labels.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        check_is_fitted(self)
        return super().predict(X) if self._numbered else self.model_.predict(self._rows(X), n_jobs=self.n_jobs)
