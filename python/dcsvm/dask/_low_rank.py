"""Low-rank SVMs on a cluster."""

from __future__ import annotations

import logging
import time
import warnings
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._base import validate
from .._distributed import setup
from .._distributed.low_rank import LowRankOutcome, NewtonLoop, Pass
from .._distributed.problem import Problem
from .._distributed.report import DistributedLowRankReport
from .._low_rank.model import LowRankModel
from ..estimators._docs import documented
from ..estimators._low_rank import LowRankSVC
from ..estimators._parameters import FRACTION, at_least, parameter
from ._base import ClusterParameters, DaskEstimator, log, scored
from ._data import client_of, is_lazy, parts_of
from ._engine import DaskEngine

_SAMPLE = 20  # rows of the sample for each landmark


@documented("classes_", "C_", n_iter_=("int", "Passes over the data."), model_=("LowRankModel", "The native model."))
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLowRankSVC(DaskEstimator, LowRankSVC, ClusterParameters):
    """``dcsvm.LowRankSVC`` on the partitions of a Dask cluster, for more support vectors than an exact training can hold.

    Landmarks come from a sample of all partitions. The squared hinge loss is minimised by Newton's method: a pass is one sum of
    (k + 1) x (k + 1) matrices over the partitions, and some ten passes are enough, whatever the number of rows. ``report_`` is
    a :class:`DistributedLowRankReport`.

    {sections}
    """

    _local_class = LowRankSVC
    _what: ClassVar[str] = "labels"

    loss: Literal["squared_hinge"] = parameter(
        "squared_hinge", "Of the linear SVM: the one that Newton's method minimises.", ("squared_hinge",)
    )
    tol: float = parameter(1e-4, "Stop when the duality gap is below this share of the objective.", FRACTION)
    max_iter: int = parameter(50, "Passes over the data, at most.", at_least(1))
    callback: Any = parameter(
        None, "Called on the client after each pass with a dict: number, primal_objective, gap, step, seconds.", callable, None
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DaskLowRankSVC:
        """Fits the model to X, a Dask Array, a Dask DataFrame or a list of Delayed or Future partitions; y and sample_weight are
        partitioned alike."""
        self._check()
        begin = time.monotonic()
        client = client_of(self.client)
        parts, blocks = parts_of(X, y, sample_weight, "labels")
        engine = DaskEngine(client)
        try:
            data = setup.described(engine, engine.load(parts))
            engine.check_memory(data.summary.n_bytes, data.counts)
            problem = self._problem(data)
            outcome = self._loop(engine, data, problem).run()
            self.model_: LowRankModel = engine.gather([outcome.model])[0]
        except BaseException:
            engine.cancel()
            raise
        self._client = client
        self.classes_: npt.NDArray[Any] = problem.classes
        self.n_features_in_: int = data.summary.n_features
        if blocks.names is not None and all(isinstance(name, str) for name in blocks.names):
            self.feature_names_in_: npt.NDArray[Any] = np.array(blocks.names, dtype=object)
        self._given, self._numbered = None, True
        self.C_ = self.C
        self.n_iter_: int = len(outcome.passes)
        self._report = _report(outcome, data, problem, engine, time.monotonic() - begin)
        if outcome.stop_reason != "converged":
            text = f"training stopped with {outcome.stop_reason!r} at a duality gap of {outcome.gap:.3g} of the objective"
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        return self

    def _check(self) -> None:
        """ValueError naming a parameter that is wrong, or that means nothing here."""
        validate.choice("loss", self.loss, ("squared_hinge",))
        validate.choice("multi_class", self.multi_class, ("ovr", "ovo"))
        validate.real("tol", self.tol, above=0, below=1)
        validate.integer("max_iter", self.max_iter, low=1)
        validate.integer("n_landmarks", self.n_landmarks, low=1)
        validate.real("cache_size", self.cache_size, above=0)
        if np.ndim(self.C) != 0 or not float(self.C) > 0:
            raise ValueError(f"C must be one number > 0 on a cluster, got {self.C!r}")
        if callable(self.kernel):
            raise ValueError("kernel must be 'linear', 'poly', 'rbf' or 'sigmoid' on a cluster, got a callable")
        for name, only in (("features", "nystrom"), ("supervised", False), ("unlabelled", None), ("landmarks", "kmeans")):
            value = getattr(self, name)
            if not (value is only or (isinstance(value, str) and value == only)):
                raise ValueError(f"{name} must be {only!r} on a cluster, got {value!r}")

    def _problem(self, data: setup.Data) -> Problem:
        names = ("kernel", "degree", "gamma", "coef0", "fit_intercept", "tol")
        options = {**{name: getattr(self, name) for name in names}, "C": float(self.C)}
        return setup.c_svc(data, options, self.class_weight)

    def _loop(self, engine: DaskEngine, data: setup.Data, problem: Problem) -> NewtonLoop:
        largest = max(data.counts) * (self.n_landmarks + 1) * 4 / 1e6  # MB
        return NewtonLoop(
            engine,
            problem,
            data.parts,
            data.labels,
            data.first,
            data.counts,
            self.n_landmarks,
            _SAMPLE * self.n_landmarks,
            self.multi_class,
            self.tol,
            self.max_iter,
            largest <= self.cache_size,
            self._seed(),
            self._on_pass,
        )

    def _on_pass(self, done: Pass) -> bool:
        text = f"pass {done.number}: objective {done.primal_objective:.6g}, duality gap {done.gap:.3g}, {done.seconds:.2f} s"
        log.log(logging.WARNING if self.verbose else logging.INFO, text)
        return bool(self.callback is not None and self.callback({f.name: getattr(done, f.name) for f in fields(done)}))

    @property  # type: ignore[misc]
    def report_(self) -> Any:  # type: ignore[override]
        """What the training did, a :class:`DistributedLowRankReport`."""
        check_is_fitted(self)
        return self._report

    def predict(self, X: Any) -> Any:
        """Labels, lazily for a collection."""
        if not is_lazy(X):
            return super().predict(X)
        check_is_fitted(self)
        return self._lazily("predict", X, self.classes_.dtype, None)

    def decision_function(self, X: Any) -> Any:
        """Decision values, lazily for a collection."""
        if not is_lazy(X):
            return super().decision_function(X)
        check_is_fitted(self)
        names = [str(c) for c in self.classes_]
        if self.multi_class == "ovo":
            names = [f"{names[i]}/{names[j]}" for i in range(len(names)) for j in range(i + 1, len(names))]
        return self._lazily("decision_function", X, np.dtype(np.float64), None if len(self.classes_) == 2 else names)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of right labels, by partitions for a collection."""
        if not is_lazy(X):
            return float(super().score(X, y, sample_weight))
        sums = scored(self, X, y, sample_weight, "labels")
        return float(sums[0] / sums[1])


def _report(
    outcome: LowRankOutcome, data: setup.Data, problem: Problem, engine: DaskEngine, seconds: float
) -> DistributedLowRankReport:
    return DistributedLowRankReport(
        primal_objective=outcome.primal_objective,
        objective=outcome.objective,
        gap=outcome.gap,
        stop_reason=outcome.stop_reason,
        n_rows=data.summary.n,
        n_partitions=len(data.parts),
        n_landmarks=outcome.n_landmarks,
        gamma=float(problem.options["gamma"]),
        C=float(problem.options["C"]),
        passes=outcome.passes,
        n_tasks=engine.n_submitted,
        n_repeated=engine.n_repeated,
        seconds=seconds,
    )
