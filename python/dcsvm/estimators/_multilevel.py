"""Classification by divide and conquer, early by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import scipy.sparse as sp

from .._input.choices import Clustering, Prediction
from .._input.validate import FloatArray
from .._svm.model import Model
from ._classifier import BaseSVC
from ._docs import OF_SVM, documented
from ._parameters import (
    TRAIN,
    ClassifierParameters,
    CostAndBiasParameters,
    KernelParameters,
    LevelParameters,
    SolverParameters,
    declared,
)

_CLUSTER = 4000  # rows of a cluster above which another level pays; smaller clusters lose accuracy


@dataclass(kw_only=True, repr=False, eq=False)
class DCParameters(LevelParameters, ClassifierParameters, SolverParameters, KernelParameters, CostAndBiasParameters):
    """Of DCSVC, here and on a cluster."""

    early_level: int | Literal["auto"] | None = declared(  # type: ignore[assignment]  # "auto" is known here alone
        TRAIN["early_level"],
        ("auto",),
        default="auto",
        more="'auto': the first whose clusters have at most about 4000 rows; data of fewer rows is solved whole. None: go on to "
        "the exact solution.",
    )
    prediction: Prediction = declared(TRAIN["prediction"])
    clustering: Clustering | Literal["auto"] = declared(
        TRAIN["clustering"],
        ("auto",),
        default="auto",
        text="In the kernel's space, or in that of X. 'auto': in that of X where the kernel is rbf and X dense, since rows that "
        "are near in one are near in the other and it is faster; else in the kernel's.",
    )
    balance_clusters: bool = declared(TRAIN["balance_clusters"])


@documented(*OF_SVM, "class_weight_", "classes_")
@dataclass(kw_only=True, repr=False, eq=False)
class DCSVC(DCParameters, BaseSVC):
    """Multilevel support vector classification (DC-SVM): early prediction, at a fraction of an exact training's time.

    The rows are clustered, each cluster is solved alone, and a query is answered by the model of its cluster. The result is
    another model than the exact one, usually a little less accurate; decision values jump at the borders between clusters. Where
    training stopped early, ``support_`` is grouped by cluster, then class, ``intercept_`` holds one run of pairs for each
    cluster, and ``n_iter_`` repeats the sum over all problems.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    See Also
    --------
    SVC : The exact solution.

    References
    ----------
    .. [1] Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML 2014.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(5000, random_state=0)
    >>> model = dcsvm.DCSVC(C=100, gamma=4, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    _formulation = "c_svc"

    def _options(self, n: int) -> dict[str, Any]:
        level = self.early_level
        if level == "auto":
            level = self._level_for(n)
        options = {**super()._options(n), "early_level": level, "solver": "dc"}
        if level is None:
            options["prediction"] = "early"  # an exact model has one way to predict
            if n <= _CLUSTER:
                options["solver"] = "auto"
        return options

    def _solved(self, data: Any, targets: Any, weights: FloatArray | None, options: dict[str, Any]) -> Model:
        if self.clustering == "auto":
            in_x = options["kernel"] == "rbf" and not sp.issparse(data)
            options = {**options, "clustering": "kmeans" if in_x else "kernel_kmeans"}
        return super()._solved(data, targets, weights, options)

    def _level_for(self, n: int) -> int | None:
        if n <= _CLUSTER:
            return None
        level = 1
        while n > _CLUSTER * self.branching**level and level < (self.n_levels or level + 1):
            level += 1
        return level
