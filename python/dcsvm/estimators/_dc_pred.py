"""Classification and ridge regression near a linear model's prediction cost (DC-Pred++)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._dc_pred.model import DCPredModel, DCPredReport
from .._dc_pred.train import train_dc_pred, train_dc_pred_ridge
from .._input.choices import Landmarks, ProductKernel, PseudoLandmarks
from .._input.kernels import OF_SUMS
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, REGRESSED, RIDGE_WEIGHT, documented, of_training
from ._estimator import NativeClassifier, NativeEstimator, NativeRegressor, with_own_names
from ._inputs import parameters_checked
from ._parameters import BUDGET, DC_PRED, ClassWeightParameter, SeedParameter, TimeParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, repr=False, eq=False)
class _BaseDCPred(SeedParameter, TimeParameter, NativeEstimator):
    """What DC-Pred++ classification and regression share."""

    kernel: ProductKernel = declared(
        DC_PRED["kernel"], text="As in SVC: of x'z or of |x - z|.", without=("precomputed", *OF_SUMS)
    )
    n_leaves: int = declared(DC_PRED["n_leaves"], text="Leaves of the tree, at most.")
    n_landmarks: int = declared(DC_PRED["n_landmarks"], text="Landmark points of each leaf, at most.")
    n_pseudo: int = declared(DC_PRED["n_pseudo"], text="Pseudo landmark points of each leaf, at most.")
    pseudo: PseudoLandmarks = declared(DC_PRED["pseudo"])
    budget: float | str | None = parameter(
        None,
        "Such as '12x': what a row may cost, in inner products; leaves and landmark points are then chosen on held-out rows.",
        *BUDGET,
        kind="float, str or None",
    )
    refine: int = declared(DC_PRED["refine"])
    sample_size: int = declared(DC_PRED["sample_size"])
    fit_intercept: bool = declared(DC_PRED["fit_intercept"])
    tol: float = declared(DC_PRED["tol"])
    cache_size: float = declared(DC_PRED["cache_size"])

    model_: DCPredModel = field(init=False)
    report_: DCPredReport = field(init=False)

    def _options(self) -> dict[str, Any]:
        own = {name: value for name, value in self._parameters().items() if name != "probability"}
        return {**own, "random_state": self._seed()}


@documented(
    "classes_",
    "cost_",
    model_=("DCPredModel", "The native model; it carries the labels."),
    report_=("DCPredReport", "What the training did: leaves, landmarks, cost, violation, seconds."),
)
@dataclass(kw_only=True, repr=False, eq=False)
class DCPredSVC(CalibratedClassifier, NativeClassifier, ClassWeightParameter, _BaseDCPred):
    """Kernel support vector classification that predicts in the time of a few dozen inner products.

    A tree of k-means splits finds a row's leaf; each leaf has a few landmark points. See docs/methods/dc_pred.md, and
    :func:`dcsvm.train_dc_pred` for what the parameters mean in detail. To speed up a model that is already trained, see
    :func:`dcsvm.compress`.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'exponential', 'matern32', 'matern52', 'tanimoto'}, default='rbf'
        As in SVC: of x'z or of |x - z|.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float > 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    n_leaves : int >= 1, default=16
        Leaves of the tree, at most.
    n_landmarks : int >= 1, default=12
        Landmark points of each leaf, at most.
    n_pseudo : int >= 0, default=0
        Pseudo landmark points of each leaf, at most.
    pseudo : {'none', 'triangle', 'triangle_upper', 'polynomial'}, default='triangle'
        Pseudo landmarks: triangle bounds distances from below, triangle_upper from above (rbf); polynomial: products
        of kernel values.
    budget : float, str or None, default=None
        Such as '12x': what a row may cost, in inner products; leaves and landmark points are then chosen on held-out
        rows.
    refine : int >= 0, default=60
        rbf: steps of L-BFGS that move the landmarks of each leaf from the alpha^2-weighted k-means of Theorem 3
        towards lower training loss, under the better of gamma, gamma / 4 and gamma / 16; 0: the paper's landmarks,
        and gamma.
    sample_size : int >= 2, default=500
        |I| of Eq. (5), the rows of a leaf on which the kernel is approximated, or by which support vectors are
        weighed.
    fit_intercept : bool, default=True
        Add an offset in each leaf.
    tol : float > 0, default=0.001
        Of the local exact models, and relative gradient of the local fits.
    cache_size : float > 0, default=2000.0
        MB (2^20 bytes) for the rows as float32 and kernel rows of the local models.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    probability : bool, default=False
        Calibrate probabilities, for predict_proba, on decision values of a 5-fold cross-validation.
    C : float > 0, default=1.0
        Price of errors.
    landmarks : {'auto', 'kmeans', 'support'}, default='auto'
        Centres in each leaf, or the support vectors of an exact model that weigh most in it (two classes); 'auto':
        with a budget the better of both, else centres.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    cost_ : float
        Inner products of n_features that a row costs on average; a linear model's is 1.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    model_ : DCPredModel
        The native model; it carries the labels.
    report_ : DCPredReport
        What the training did: leaves, landmarks, cost, violation, seconds.

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

    C: float = declared(DC_PRED["C"], text="Price of errors.")
    landmarks: Landmarks = declared(
        DC_PRED["landmarks"],
        text="Centres in each leaf, or the support vectors of an exact model that weigh most in it (two classes); 'auto': with a "
        "budget the better of both, else centres.",
    )

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
        X, y, codes, weights = self._labelled_rows(X, y, sample_weight)
        options = {**self._options(), "class_weight": self._class_weight(y), "sample_weight": weights}
        self.model_: DCPredModel = with_own_names(train_dc_pred(X, codes.astype(np.float64), **options), self)
        self.cost_: float = self.model_.cost
        self._calibrate(X, y, weights, options["random_state"])
        return self


@documented(
    "cost_",
    model_=("DCPredModel", "The native model."),
    report_=("DCPredReport", "What the training did: leaves, landmarks, cost, violation, seconds."),
)
@dataclass(kw_only=True, repr=False, eq=False)
class DCPredRidge(NativeRegressor, _BaseDCPred):
    """Kernel ridge regression that predicts in the time of a few dozen inner products.

    A tree of k-means splits finds a row's leaf; leaves have a few landmark points and an offset. See docs/methods/dc_pred.md and
    :func:`dcsvm.train_dc_pred_ridge` for what the parameters mean in detail.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'exponential', 'matern32', 'matern52', 'tanimoto'}, default='rbf'
        As in SVC: of x'z or of |x - z|.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float > 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    n_leaves : int >= 1, default=16
        Leaves of the tree, at most.
    n_landmarks : int >= 1, default=12
        Landmark points of each leaf, at most.
    n_pseudo : int >= 0, default=0
        Pseudo landmark points of each leaf, at most.
    pseudo : {'none', 'triangle', 'triangle_upper', 'polynomial'}, default='triangle'
        Pseudo landmarks: triangle bounds distances from below, triangle_upper from above (rbf); polynomial: products
        of kernel values.
    budget : float, str or None, default=None
        Such as '12x': what a row may cost, in inner products; leaves and landmark points are then chosen on held-out
        rows.
    refine : int >= 0, default=60
        rbf: steps of L-BFGS that move the landmarks of each leaf from the alpha^2-weighted k-means of Theorem 3
        towards lower training loss, under the better of gamma, gamma / 4 and gamma / 16; 0: the paper's landmarks,
        and gamma.
    sample_size : int >= 2, default=500
        |I| of Eq. (5), the rows of a leaf on which the kernel is approximated, or by which support vectors are
        weighed.
    fit_intercept : bool, default=True
        Add an offset in each leaf.
    tol : float > 0, default=0.001
        Of the local exact models, and relative gradient of the local fits.
    cache_size : float > 0, default=2000.0
        MB (2^20 bytes) for the rows as float32 and kernel rows of the local models.
    alpha : float > 0, default=1.0
        Regularisation, as in KernelRidge.

    Attributes
    ----------
    cost_ : float
        Inner products of n_features that a row costs on average; a linear model's is 1.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    model_ : DCPredModel
        The native model.
    report_ : DCPredReport
        What the training did: leaves, landmarks, cost, violation, seconds.

    See Also
    --------
    DCPredSVC : Classification, and the paper.

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> model = dcsvm.DCPredRidge(alpha=0.01, gamma=2, n_leaves=4, random_state=0).fit(X, X[:, 0] * X[:, 1])
    >>> bool(model.score(X, X[:, 0] * X[:, 1]) > 0.99)
    True
    """

    alpha: float = declared(DC_PRED["alpha"], text="Regularisation, as in KernelRidge.")

    @parameters_checked
    @of_training("array-like of shape (n_samples,)", REGRESSED, RIDGE_WEIGHT)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,)
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
        X, y = self._training_data(X, y, y_numeric=True)
        weights = self._weights(sample_weight, X)
        model = train_dc_pred_ridge(X, y.astype(np.float64), sample_weight=weights, **self._options())
        self.model_: DCPredModel = with_own_names(model, self)
        self.cost_: float = self.model_.cost
        return self
