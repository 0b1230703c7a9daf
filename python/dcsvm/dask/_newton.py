"""What estimators trained by Newton's method on sums over partitions share."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from .._distributed import setup
from .._distributed.newton import Minimum, Pass
from .._distributed.report import DistributedLinearReport
from .._shown.training_warnings import about, some
from .._shown.watching import stopped
from ..estimators._parameters import parameter
from ._base import LABELS, ClusterParameters, LazyClassifier, keep_columns, of_training
from ._data import client_of, parts_of
from ._engine import DaskEngine


@dataclass(kw_only=True, repr=False, eq=False)
class NewtonParameters(ClusterParameters):
    callback: Any = parameter(
        None,
        "Called on the client after each pass with an object: number, primal_objective, gap, step, n_products, seconds. "
        "Returning True stops and keeps the current solution.",
        callable,
        None,
    )


class NewtonClassifier(LazyClassifier):
    """Base of estimators whose loss Newton's method minimises."""

    report_: DistributedLinearReport
    C: Any
    class_weight: Any
    max_iter: int

    def _minimised(self, engine: DaskEngine, data: setup.Data, local: Any) -> tuple[Minimum, dict[str, Any]]:
        """Sets classes_ and model_ of the local estimator; returns the minimum, and further fields of the report."""
        raise NotImplementedError

    _report_class: type[DistributedLinearReport] = DistributedLinearReport

    @of_training(LABELS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame, or list of Delayed or Future, of shape (n_samples, n_features)
            Training rows; each entry of a list is a partition.
        y : collection or array-like of shape (n_samples,)
            Class labels, partitioned as X, or an array in memory where X's chunks are known.
        sample_weight : collection or array-like of shape (n_samples,), default=None
            Weights of the rows, partitioned as X. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        PartitionError
            For a partition that cannot be used: naming the partition, row and column; a ValueError.
        TaskError
            When a step failed again after it was repeated.
        ValueError
            For parameters that are not allowed.
        """
        self._validate_params()
        local = self._unfitted()
        setup.check_class_weight(self.class_weight)
        begin = time.monotonic()
        client = client_of(self.client)
        parts, blocks = parts_of(X, y, sample_weight, "labels")
        engine = DaskEngine(client)
        try:
            data = setup.described(engine, engine.load(parts))
            engine.check_memory(data.summary.n_bytes, data.counts)
            keep_columns(local, data.summary.n_features, blocks.names)
            found, more = self._minimised(engine, data, local)
        except BaseException:
            engine.cancel()
            raise
        local.n_iter_ = len(found.passes)
        self._client, self._local = client, local
        self.report_ = self._report_class(
            primal_objective=found.primal_objective,
            gap=found.gap,
            stop_reason=found.stop_reason,
            n_rows=data.summary.n,
            n_partitions=len(data.parts),
            C=float(self.C),
            passes=found.passes,
            n_tasks=engine.n_submitted,
            n_repeated=engine.n_repeated,
            seconds=time.monotonic() - begin,
            **more,
        )
        if found.stop_reason != "converged":
            where = f"at a duality gap of {about(found.gap)} or more of the objective"
            limit = f"max_iter={self.max_iter}" * (found.stop_reason == "max_iter")
            advice = "raise max_iter or tol, scale the features, or lower C"
            text = stopped(found.stop_reason, f"{some(len(found.passes))} passes", where, advice, limit)
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        return self

    def _on_pass(self, done: Pass) -> bool:
        text = f"pass {done.number}: objective {done.primal_objective:.6g}, duality gap {done.gap:.3g}, {done.seconds:.2f} s"
        return self._tell(done, text)
