"""Local deep kernel classification (LDKL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._input.choices import Balanced
from .._input.parameters import parameters_of
from .._ldkl.model import LDKLModel, LDKLReport
from .._ldkl.train import train_ldkl
from ._calibrated import CalibratedClassifier
from ._docs import LABELLED, documented
from ._estimator import NativeClassifier, RowsEstimator, with_own_names
from ._inputs import parameters_checked
from ._parameters import BUDGET, SeedParameter, declared, parameter

if TYPE_CHECKING:
    from typing_extensions import Self

_DECLARED = parameters_of(_core.LdklParams)


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

    depth: int = declared(_DECLARED["depth"])
    budget: float | str | None = parameter(
        None,
        "What a prediction may cost, as a multiple of a linear model's inner product (12 or '12x'): the deepest tree that it "
        "allows, in place of `depth`.",
        *BUDGET,
        kind="float, str or None",
    )
    lambda_w: float = declared(_DECLARED["lambda_w"])
    lambda_v: float = declared(_DECLARED["lambda_v"])
    lambda_theta: float = declared(_DECLARED["lambda_theta"])
    sigma: float = declared(_DECLARED["sigma"])
    sharpness: float = declared(_DECLARED["sharpness"])
    standardise: bool = declared(_DECLARED["standardise"])
    n_passes: int = declared(_DECLARED["n_passes"])
    batch_size: int = declared(_DECLARED["batch_size"])
    learning_rate: float = declared(_DECLARED["learning_rate"])
    tol: float = declared(_DECLARED["tol"])
    max_iter: int | None = declared(_DECLARED["max_iter"], more="Reaching it is a ConvergenceWarning.")
    cache_size: float = declared(_DECLARED["cache_size"])
    class_weight: Mapping[Any, float] | Balanced | None = parameter(None, "As in SVC.", dict, ("balanced",), None)
    n_jobs: int | None = parameter(None, "Threads, as in SVC. The model does not depend on it.", Integral, None)
    verbose: bool = parameter(False, "Show progress on stderr.", "boolean")

    model_: LDKLModel = field(init=False)
    report_: LDKLReport = field(init=False)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @parameters_checked
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
