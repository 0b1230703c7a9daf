"""Local deep kernel classification (LDKL)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ldkl.model import LDKLModel, LDKLReport
from .._ldkl.train import train_ldkl
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, documented
from ._estimator import NativeClassifier, RowsEstimator, with_own_names
from ._inputs import parameters_checked
from ._parameters import BUDGET, LDKL, ClassWeightParameter, SeedParameter, ThreadsParameter, TimeParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self


@documented(
    "classes_",
    cost_=("float", "Inner products of n_features that a row costs; a linear model's is 1."),
    n_iter_=("int", "Passes over the data for the tree and the weights; of several classes together."),
    model_=("LDKLModel", "The native model; it carries the labels."),
    report_=("LDKLReport", "What the training did; only the weights' problem has a certificate."),
)
@dataclass(kw_only=True, repr=False, eq=False)
class LDKLSVC(
    CalibratedClassifier,
    NativeClassifier,
    SeedParameter,
    TimeParameter,
    ClassWeightParameter,
    ThreadsParameter,
    RowsEstimator,
):
    """Classification by a tree of linear functions, whose prediction costs a few inner products for each level.

    Local deep kernel learning [1]_: a row's path through the tree, and the functions on it, are learned together. See
    docs/methods/ldkl.md, and :func:`dcsvm.train_ldkl` for what the parameters mean in detail.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    probability : bool, default=False
        Calibrate probabilities, for predict_proba, on decision values of a 5-fold cross-validation.
    depth : int in [0, 16], default=5
        Levels of the tree below its root; its nodes double with each.
    budget : float, str or None, default=None
        What a prediction may cost, as a multiple of a linear model's inner product (12 or '12x'): the deepest tree
        that it allows, in place of `depth`.
    lambda_w : float > 0, default=0.0003
        Weight of |W|^2 / 2, W the nodes' linear functions, beside the mean loss.
    lambda_v : float >= 0, default=1e-05
        Weight of |V|^2 / 2, V the nodes' local functions.
    lambda_theta : float >= 0, default=1e-05
        Weight of |Theta|^2 / 2, Theta the choices of a child.
    sigma : float > 0, default=1.0
        Of the local functions tanh(sigma v'x).
    sharpness : float >= 1, default=100.0
        Of the choice of a child at the end of the tree's training; it begins at 1.
    standardise : bool, default=True
        Train on features of mean 0 and variance 1 (CSR: of mean square 1, so that zeros stay); the model takes X as
        it is.
    n_passes : int >= 1, default=30
        Over the data, to train the tree.
    batch_size : int >= 1, default=128
        Rows of one step of the tree's training.
    learning_rate : float > 0, default=0.01
        Of the tree's training at its beginning (Adam's); it falls to 0.
    tol : float > 0, default=0.01
        Stop when the duality gap of the weights, as a share of their objective, is below.
    max_iter : int >= 1 or None, default=None
        Passes over the data to find the weights, once the tree is found; None: 1,000, or 10^7 / n where that is more.
        Reaching it is a ConvergenceWarning.
    cache_size : float > 0, default=2000.0
        MB (2^20 bytes) of working memory: a copy of X, and three of the tree.
    verbose : bool, default=False
        Show progress on stderr.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    cost_ : float
        Inner products of n_features that a row costs; a linear model's is 1.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Passes over the data for the tree and the weights; of several classes together.
    model_ : LDKLModel
        The native model; it carries the labels.
    report_ : LDKLReport
        What the training did; only the weights' problem has a certificate.

    References
    ----------
    .. [1] Jose, Goyal, Aggrwal, Varma: Local Deep Kernel Learning for Efficient Non-linear SVM Prediction, ICML 2013.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(3000, random_state=0)
    >>> model = dcsvm.LDKLSVC(n_passes=60, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    depth: int = declared(LDKL["depth"])
    budget: float | str | None = parameter(
        None,
        "What a prediction may cost, as a multiple of a linear model's inner product (12 or '12x'): the deepest tree that it "
        "allows, in place of `depth`.",
        *BUDGET,
        kind="float, str or None",
    )
    lambda_w: float = declared(LDKL["lambda_w"])
    lambda_v: float = declared(LDKL["lambda_v"])
    lambda_theta: float = declared(LDKL["lambda_theta"])
    sigma: float = declared(LDKL["sigma"])
    sharpness: float = declared(LDKL["sharpness"])
    standardise: bool = declared(LDKL["standardise"])
    n_passes: int = declared(LDKL["n_passes"])
    batch_size: int = declared(LDKL["batch_size"])
    learning_rate: float = declared(LDKL["learning_rate"])
    tol: float = declared(LDKL["tol"])
    max_iter: int | None = declared(LDKL["max_iter"], more="Reaching it is a ConvergenceWarning.")
    cache_size: float = declared(LDKL["cache_size"])
    verbose: bool = parameter(False, "Show progress on stderr.", "boolean")

    model_: LDKLModel = field(init=False)
    report_: LDKLReport = field(init=False)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

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
        options = {name: value for name, value in self._parameters().items() if name != "probability"}
        options.update(random_state=self._seed(), class_weight=self._class_weight(y), sample_weight=weights)
        self.model_ = with_own_names(train_ldkl(X, codes.astype(np.float64), **options), self)
        self.cost_: float = self.model_.cost
        report = self.model_.report
        self.n_iter_: int = report.n_passes + report.n_iter
        self._calibrate(X, y, weights, options["random_state"])
        return self
