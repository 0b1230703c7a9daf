"""Classification and ridge regression near a linear model's prediction cost (DC-Pred++)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._dc_pred.train import DCPredModel, DCPredReport, train_dc_pred, train_dc_pred_ridge
from .._input.choices import Balanced, FeatureKernel, Landmarks, PseudoLandmarks
from .._input.parameters import parameters_of
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, REGRESSED, RIDGE_WEIGHT, documented, of_training
from ._estimator import NativeClassifier, NativeEstimator, NativeRegressor, with_own_names
from ._inputs import parameters_checked
from ._parameters import BUDGET, SeedParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self

_DECLARED = parameters_of(_core.DcPredParams)


@dataclass(kw_only=True, repr=False, eq=False)
class _BaseDCPred(SeedParameter, NativeEstimator):
    """What DC-Pred++ classification and regression share."""

    kernel: FeatureKernel = declared(_DECLARED["kernel"], text="As in SVC.", without=("precomputed",))
    n_leaves: int = declared(_DECLARED["n_leaves"], text="Leaves of the tree, at most.")
    n_landmarks: int = declared(_DECLARED["n_landmarks"], text="Landmark points of each leaf, at most.")
    n_pseudo: int = declared(_DECLARED["n_pseudo"], text="Pseudo landmark points of each leaf, at most.")
    pseudo: PseudoLandmarks = declared(_DECLARED["pseudo"])
    budget: float | str | None = parameter(
        None,
        "Such as '12x': what a row may cost, in inner products; leaves and landmark points are then chosen on held-out rows.",
        *BUDGET,
        kind="float, str or None",
    )
    refine: int = declared(_DECLARED["refine"])
    sample_size: int = declared(_DECLARED["sample_size"])
    fit_intercept: bool = declared(_DECLARED["fit_intercept"])
    tol: float = declared(_DECLARED["tol"])
    cache_size: float = declared(_DECLARED["cache_size"])

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
class DCPredSVC(CalibratedClassifier, NativeClassifier, _BaseDCPred):
    """Kernel support vector classification that predicts in the time of a few dozen inner products.

    A tree of k-means splits finds a row's leaf; each leaf has a few landmark points. See docs/methods/dc_pred.md, and
    :func:`dcsvm.train_dc_pred` for what the parameters mean in detail. To speed up a model that is already trained, see
    :func:`dcsvm.compress`.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

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

    C: float = declared(_DECLARED["C"], text="Price of errors.")
    landmarks: Landmarks = declared(
        _DECLARED["landmarks"],
        text="Centres in each leaf, or the support vectors of an exact model that weigh most in it (two classes); 'auto': with a "
        "budget the better of both, else centres.",
    )
    class_weight: Mapping[Any, float] | Balanced | None = parameter(None, "As in SVC.", dict, ("balanced",), None)

    @parameters_checked
    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
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

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

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

    alpha: float = declared(_DECLARED["alpha"], text="Regularisation, as in KernelRidge.")

    @parameters_checked
    @of_training("array-like of shape (n_samples,)", REGRESSED, RIDGE_WEIGHT)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        X, y = self._training_data(X, y, y_numeric=True)
        weights = self._weights(sample_weight, X)
        model = train_dc_pred_ridge(X, y.astype(np.float64), sample_weight=weights, **self._options())
        self.model_: DCPredModel = with_own_names(model, self)
        self.cost_: float = self.model_.cost
        return self
