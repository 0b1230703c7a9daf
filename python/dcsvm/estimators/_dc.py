"""Classification by divide and conquer, early by default."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval

from ._base import Kernel, ProgressCallback
from ._classifier import BaseSVC
from ._constraints import constraints, one_of
from ._docs import documented

_CLUSTER = 2000  # rows of a cluster from which another level pays


@documented(
    "class_weight_",
    "classes_",
    early_level="Stop after this level and predict with its clusters' models. 'auto': the first whose clusters have at most "
    "about 2000 rows; data of fewer rows is solved whole. None: go on to the exact solution.",
)
class DCSVC(BaseSVC):
    """Multilevel support vector classification (DC-SVM): early prediction, at a fraction of an exact training's time.

    The rows are clustered, each cluster is solved alone, and a query is answered by the model of its cluster. The result is
    another model than the exact one, usually a little less accurate; decision values jump at the borders between clusters. Where
    training stopped early, ``support_`` is grouped by cluster, then class, ``intercept_`` holds one run of pairs for each
    cluster, and ``n_iter_`` repeats the sum over all problems.

    {sections}

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

    early_level: int | str | None
    branching: int
    n_levels: int | None
    prediction: str

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        early_level: int | str | None = "auto",
        prediction: str = "early",
        n_levels: int | None = None,
        branching: int = 4,
        sample_size: int = 1000,
        clustering: str = "kernel_kmeans",
        balance_clusters: bool = True,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        precision: str = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        callback: ProgressCallback | None = None,
    ) -> None:
        self._store(locals())

    def _options(self, n: int) -> dict[str, Any]:
        level = self.early_level
        if level == "auto":
            level = self._level_for(n)
        options = {**super()._options(n), "early_level": level, "solver": "dc"}
        if level is None:
            options["prediction"] = "early"  # the exact model has one way
            if n <= _CLUSTER:
                options["solver"] = "auto"
        return options

    def _level_for(self, n: int) -> int | None:
        if n <= _CLUSTER:
            return None
        level = 1
        while n > _CLUSTER * self.branching**level and level < (self.n_levels or level + 1):
            level += 1
        return level


DCSVC._parameter_constraints = constraints(
    DCSVC._get_param_names(), early_level=[Interval(Integral, 1, None, closed="left"), one_of("auto"), None]
)
