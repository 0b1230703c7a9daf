"""Local deep kernel classification (LDKL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from .._input.choices import Balanced
from .._ldkl.model import LDKLModel, LDKLReport
from .._ldkl.train import train_ldkl
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, documented
from ._estimator import NativeClassifier, RowsEstimator, with_own_names
from ._parameters import SeedParameter, parameter

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
class LDKLSVC(CalibratedClassifier, NativeClassifier, SeedParameter, RowsEstimator):
    """Classification by a tree of linear functions, whose prediction costs a few inner products for each level.

    Local deep kernel learning [1]_: a row's path through the tree, and the functions on it, are learned together. See
    docs/methods/ldkl.md, and :func:`dcsvm.train_ldkl` for what the parameters mean in detail.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

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

    depth: int = parameter(5, "Levels of the tree below its root.", kind="int")
    budget: float | str | None = parameter(
        None,
        "What a prediction may cost, as a multiple of a linear model's inner product (12 or '12x'): the deepest tree that it "
        "allows, in place of `depth`.",
        kind="float, str or None",
    )
    lambda_w: float = parameter(3e-4, "Regularisation of the weights, beside the mean loss.", kind="float")
    lambda_v: float = parameter(1e-5, "Regularisation of the local functions.", kind="float")
    lambda_theta: float = parameter(1e-5, "Regularisation of the choices of a child.", kind="float")
    sigma: float = parameter(1.0, "Of the local functions tanh(sigma v'x).", kind="float")
    sharpness: float = parameter(100.0, "Of the choice of a child at the end of the tree's training.", kind="float")
    standardise: bool = parameter(True, "Train on features of mean 0 and variance 1 (sparse X: of mean square 1).", "boolean")
    n_passes: int = parameter(30, "Passes over the data for the tree.", kind="int")
    batch_size: int = parameter(128, "Rows of one step of the tree's training.", kind="int")
    learning_rate: float = parameter(0.01, "Of these steps (Adam's); it falls to 0.", kind="float")
    tol: float = parameter(0.01, "Stop when the weights' duality gap, as a share of their objective, is below.", kind="float")
    max_iter: int | None = parameter(
        None,
        "Passes over the data for the weights; None: 1000, or 10^7 / n_samples where that is more. Reaching it is a "
        "ConvergenceWarning.",
        kind="int or None",
    )
    cache_size: float = parameter(2000, "MB of working memory.", kind="float")
    class_weight: Mapping[Any, float] | Balanced | None = parameter(None, "As in SVC.", dict, ("balanced",), None)
    n_jobs: int | None = parameter(None, "Threads, as in SVC. The model does not depend on it.", Integral, None)
    verbose: bool = parameter(False, "Show progress on stderr.", "boolean")

    model_: LDKLModel = field(init=False)
    report_: LDKLReport = field(init=False)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @LABELLED
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        X, y, codes, weights = self._labelled_rows(X, y, sample_weight)
        options = {name: value for name, value in self._parameters().items() if name != "probability"}
        options.update(random_state=self._seed(), class_weight=self._class_weight(y), sample_weight=weights)
        self.model_ = with_own_names(train_ldkl(X, codes.astype(np.float64), **options), self)
        self.cost_: float = self.model_.cost
        report = self.model_.report
        self.n_iter_: int = report.n_passes + report.n_iter
        self._calibrate(X, y, weights, options["random_state"])
        return self
