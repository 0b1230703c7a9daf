"""What estimators share that find the exact solution by the outer working-set loop."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from .._distributed import setup, tasks
from .._distributed.early import start_from_clusters
from .._distributed.outer_loop import Outcome, OuterLoop, Round, Settings, first_tol
from .._distributed.problem import Problem
from .._distributed.report import DistributedReport
from .._shown.training_warnings import about, some
from .._shown.watching import stopped
from .._svm.model import Model
from ..estimators._bases import RegressorMixin
from ..estimators._parameters import TRAIN, KernelOrCallable, at_least, declared, parameter
from ..estimators._svm import BaseSVM
from ._base import (
    LABELS,
    TARGETS,
    ClusterParameters,
    DaskEstimator,
    LazyClassifier,
    keep_columns,
    of_collection,
    of_score,
    of_training,
    scored,
)
from ._data import Blocks, client_of, is_lazy, parts_of
from ._engine import DaskEngine, Handle

CALLBACK = (
    "Called on the client after each round with an object: number, n_pool, n_held, n_joined, n_support, objective, violation, "
    "n_violators, certified, seconds. Returning True stops and keeps the current solution."
)


@dataclass(kw_only=True, repr=False, eq=False)
class OuterLoopParameters(ClusterParameters):
    """Of those that find the exact solution. In the bases it precedes the parameters of the local estimator, whose kernel it
    replaces."""

    kernel: KernelOrCallable = declared(  # the type of the field that it replaces
        TRAIN["kernel"],
        text="x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), or tanh(gamma x'z + coef0).",
        without=("precomputed",),
    )
    max_pool_rows: int = parameter(
        2_000_000,
        "Rows that one worker solves together, at most. With fewer than there are support vectors, the others are held fixed "
        "meanwhile, which takes more rounds.",
        at_least(1),
    )
    max_rounds: int = parameter(100, "Rounds, at most. Reaching it is a ConvergenceWarning.", at_least(1))


class DaskSVM(DaskEstimator):
    """The exact solution by the outer working-set loop."""

    _local: BaseSVM
    report_: DistributedReport
    max_pool_rows: int
    max_rounds: int

    def _problem(self, data: setup.Data, options: dict[str, Any]) -> Problem:
        raise NotImplementedError

    def _refuse(self) -> None:
        """ValueError for parameters of the local estimator that mean nothing here."""
        own = self._parameters()
        setup.check_class_weight(own.get("class_weight"))
        if own["max_iter"] == 0:
            raise ValueError("max_iter must be at least 1 on a cluster, or -1 for no limit, got 0")

    def _fit_parts(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._validate_params()
        self._refuse()
        begin = time.monotonic()
        client = client_of(self.client)
        parts, blocks = parts_of(X, y, sample_weight, self._what)
        engine = DaskEngine(client)
        try:
            data = setup.described(engine, engine.load(parts))
            engine.check_memory(data.summary.n_bytes, data.counts)
            problem = self._problem(data, self._task_options(data.summary.n))
            model, support, report = self._trained(engine, data, problem)
        except BaseException:
            engine.cancel()
            raise
        local = self._fitted_local(model, support, data, problem, blocks)
        local.fit_status_ = int(report.stop_reason != "converged")
        self._client, self._local = client, local
        self.report_ = replace(report, seconds=time.monotonic() - begin, n_tasks=engine.n_submitted, n_repeated=engine.n_repeated)
        _warn_unless_converged(report, f"max_rounds={self.max_rounds}", f"max_iter={self._parameters()['max_iter']}")

    def _trained(self, engine: DaskEngine, data: setup.Data, problem: Problem) -> tuple[Model, Any, DistributedReport]:
        """The model, the numbers of its support vectors, and the report."""
        pool = start_from_clusters(engine, problem, data, first_tol(problem), self._seed())
        return self._exact(engine, data, problem, pool)

    def _exact(
        self, engine: DaskEngine, data: setup.Data, problem: Problem, pool: Handle | None
    ) -> tuple[Model, Any, DistributedReport]:
        """By the outer loop, from the first pool of clusters of rows or, None, the partitions' support vectors."""
        settings = Settings(self.max_pool_rows, self.max_rounds, self._seed())
        loop = OuterLoop(engine, problem, data.parts, data.labels, data.first, settings, self._on_round)
        outcome = loop.run(pool)
        model, number, n_pool = engine.gather([engine.submit("model", tasks.final_of, outcome.solution)])[0]
        moved = 0 if pool is None else data.summary.n
        return model, number[model.support_], _report(outcome, data, loop.problem, n_pool, moved)

    def _task_options(self, n: int) -> dict[str, Any]:
        """The arguments of train in tasks."""
        local: BaseSVM = self._unfitted()
        options = BaseSVM._options(local, n)  # a classifier's weights of classes are in the bounds of alpha
        options.update(callback=None, verbose=False)
        for name in ("class_weight", "probability"):
            options.pop(name, None)
        return dict(options)

    def _on_round(self, done: Round) -> bool:
        text = (
            f"round {done.number}: {done.n_pool:,} rows in the pool ({done.n_joined:,} new), violation {done.violation:.3g}, "
            f"{done.n_violators:,} violators, {done.n_support:,} support vectors, {done.seconds:.2f} s"
        )
        return self._tell(done, text)

    def _fitted_local(self, model: Model, support: Any, data: setup.Data, problem: Problem, blocks: Blocks) -> Any:
        """The estimator of one machine with this model."""
        local, summary = self._unfitted(), data.summary
        if len(problem.classes):
            local.classes_ = problem.classes
            local.class_weight_ = problem.cost / problem.options["C"]
        keep_columns(local, summary.n_features, blocks.names)
        local._keep(model, summary.sparse, csr_matrix)
        local.support_ = support
        local.shape_fit_ = (summary.n, summary.n_features)
        local._X_fit = None
        local.n_iter_ = local._num_iter
        return local

    @property
    def rounds_(self) -> list[Round]:
        """What each round did."""
        rounds: list[Round] = self.report_.rounds
        return rounds


def _report(outcome: Outcome, data: setup.Data, problem: Problem, n_pool: int, moved: int) -> DistributedReport:
    """moved : rows that went to the worker that solves their cluster."""
    return DistributedReport(
        objective=outcome.objective,
        violation=outcome.violation,
        stop_reason=outcome.stop_reason,
        n_rows=data.summary.n,
        n_partitions=len(data.parts),
        n_support=outcome.report.n_support,
        n_pool=n_pool,
        n_sent=moved + sum(r.n_joined for r in outcome.rounds),
        gamma=float(problem.options["gamma"]),
        precision=outcome.report.precision,
        rounds=outcome.rounds,
    )


def _warn_unless_converged(report: DistributedReport, rounds: str, steps: str) -> None:
    """rounds, steps: the limits of both."""
    if report.stop_reason == "converged":
        return
    limit, advice = "", ""
    if report.stop_reason == "max_iter":
        limit = rounds if f"max_rounds={len(report.rounds)}" == rounds else steps
        advice = f"raise {limit.partition('=')[0]}, scale the features, or lower C"
    elif report.stop_reason == "stagnated":
        advice = "double precision is not enough for tol: raise it, scale the features, or lower C"
    text = stopped(
        report.stop_reason,
        f"{some(len(report.rounds))} rounds",
        f"at a violation of {about(report.violation)} or more",
        advice,
        limit,
    )
    warnings.warn(text, ConvergenceWarning, stacklevel=5)


class DaskClassifier(DaskSVM, LazyClassifier):
    """Class labels, lazily."""

    class_weight: Any
    decision_function_shape: Any

    def _problem(self, data: setup.Data, options: dict[str, Any]) -> Problem:
        return setup.c_svc(data, options, self.class_weight)

    def _has_pairs(self) -> bool:
        return bool(self.decision_function_shape == "ovo")

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
        self._fit_parts(X, y, sample_weight)
        return self


class DaskRegressor(RegressorMixin, DaskSVM):
    """Numbers, lazily."""

    _what = "targets"

    def _problem(self, data: setup.Data, options: dict[str, Any]) -> Problem:
        return setup.epsilon_svr(data, options)

    @of_training(TARGETS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame, or list of Delayed or Future, of shape (n_samples, n_features)
            Training rows; each entry of a list is a partition.
        y : collection or array-like of shape (n_samples,)
            Targets, partitioned as X, or an array in memory where X's chunks are known.
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
        self._fit_parts(X, y, sample_weight)
        return self

    @of_collection("y_pred", "collection or ndarray of shape (n_samples,)", "Predicted targets; of a DataFrame a Series.")
    def predict(self, X: Any) -> Any:
        """Predict the targets of the rows of X.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        y_pred : collection or ndarray of shape (n_samples,)
            Predicted targets; of a DataFrame a Series.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._answer("predict", X, np.dtype(np.float64))

    @of_score("R^2, weighted.")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2, the share of the targets' variance that is predicted.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. A collection is scored where its partitions are.
        y : collection or array-like of shape (n_samples,)
            What is compared with the predictions, partitioned as X.
        sample_weight : collection or array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            R^2, weighted.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        if not is_lazy(X):
            return float(self.to_local().score(X, y, sample_weight))
        weight, first, second, residual = scored(self, X, y, sample_weight, "targets")
        total = second - first * first / weight
        return float(1.0 - residual / total) if total > 0 else 0.0
