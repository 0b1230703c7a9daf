"""DC-SVM on a cluster: clusters of rows as tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from .._distributed import early, setup
from .._distributed.outer_loop import first_tol
from .._distributed.problem import Problem
from .._distributed.report import DistributedReport
from .._svm.model import Model
from ..estimators._docs import OF_SVM, documented
from ..estimators._multilevel import DCSVC, DCParameters
from ..estimators._parameters import at_least, parameter
from ._engine import DaskEngine
from ._svm import CALLBACK, DaskClassifier, OuterLoopParameters

_ROWS = 2000  # of a cluster, as in DCSVC
_MOST_CLUSTERS = 1024  # unless n_clusters asks for more
_LEVELS = ("n_levels", "branching", "sample_size", "clustering", "balance_clusters", "keep_levels", "early_level", "prediction")


@documented(*OF_SVM, "class_weight_", "classes_", callback=CALLBACK)
@dataclass(kw_only=True, repr=False, eq=False)
class DaskDCSVC(DaskClassifier, DCParameters, OuterLoopParameters):
    """``dcsvm.DCSVC`` on the partitions of a Dask cluster: rows move once, to the worker that solves their cluster.

    One level of clusters, found by k-means. By default their models predict (early); ``early_level=None`` goes on to the exact
    solution as :class:`DaskSVC` does, from the clusters' support vectors. ``n_levels``, ``branching``, ``sample_size`` and
    ``balance_clusters`` are not used: clusters far above the mean size are always split.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.
    """

    _local_class = DCSVC
    _may_stop_early = True

    n_clusters: int | None = parameter(None, "Clusters, about; None: one for 2000 rows, at most 1024.", at_least(1), None)
    clustering: Literal["kmeans"] = parameter("kmeans", "In the space of X.", ("kmeans",))

    def _task_options(self, n: int) -> dict[str, Any]:
        return {name: value for name, value in super()._task_options(n).items() if name not in _LEVELS}

    def _trained(self, engine: DaskEngine, data: setup.Data, problem: Problem) -> tuple[Model, Any, DistributedReport]:
        n = data.summary.n
        wanted = self.n_clusters or max(1, min(_MOST_CLUSTERS, math.ceil(n / _ROWS)))
        is_early = self.early_level is not None
        tol = problem.tol if is_early else first_tol(problem)
        counts = data.counts
        clustering = early.Clustering(
            engine, problem, data.parts, data.labels, data.first, counts, min(wanted, n), tol, self._seed()
        )
        if not is_early:
            return self._exact(engine, data, problem, clustering.first_pool())
        model, violation, n_clusters = clustering.merged_model()
        if self.prediction != "early":
            model = model.with_prediction(self.prediction)
        own = model.report
        report = DistributedReport(
            objective=own.objective,
            violation=violation,
            stop_reason=own.stop_reason,
            n_rows=n,
            n_partitions=len(data.parts),
            n_support=own.n_support,
            n_pool=0,
            n_sent=n,
            gamma=own.gamma,
            precision=own.precision,
            rounds=[],
            n_clusters=n_clusters,
        )
        return model, model.support_, report
