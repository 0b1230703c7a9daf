"""Low-rank SVMs on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .._distributed import setup
from .._distributed.low_rank import NewtonLoop
from .._distributed.newton import Minimum
from .._distributed.problem import Problem
from .._distributed.report import DistributedLowRankReport
from .._input import validate
from ..estimators._docs import documented
from ..estimators._low_rank import LowRankParameters, LowRankSVC
from ..estimators._parameters import FRACTION, at_least, parameter
from ._engine import DaskEngine
from ._newton import NewtonClassifier, NewtonParameters

_SAMPLE = 20  # rows of the sample for each landmark


@documented("classes_", "C_", n_iter_=("int", "Passes over the data."), model_=("LowRankModel", "The native model."))
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLowRankSVC(NewtonClassifier, LowRankParameters, NewtonParameters):
    """``dcsvm.LowRankSVC`` on the partitions of a Dask cluster, for more support vectors than an exact training can hold.

    Landmarks come from a sample of all partitions. The squared hinge loss is minimised by Newton's method: a pass is one sum of
    (k + 1) x (k + 1) matrices over the partitions, and some ten passes are enough, whatever the number of rows. ``report_`` is
    a :class:`DistributedLowRankReport`.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.
    """

    _local_class = LowRankSVC
    _report_class = DistributedLowRankReport

    loss: Literal["squared_hinge"] = parameter(
        "squared_hinge", "Of the linear SVM: the one that Newton's method minimises.", ("squared_hinge",)
    )
    tol: float = parameter(1e-4, "Stop when the duality gap is below this share of the objective.", FRACTION)
    max_iter: int = parameter(50, "Passes over the data, at most.", at_least(1))

    def _check(self, local: Any) -> None:
        """ValueError naming a parameter that is wrong, or that means nothing here."""
        self._validate_params()
        validate.real("C", self.C, above=0, also=" on a cluster")
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

    def _minimised(self, engine: DaskEngine, data: setup.Data, local: Any) -> tuple[Minimum, dict[str, Any]]:
        problem = self._problem(data)
        largest = max(data.counts) * (self.n_landmarks + 1) * 4 / 1e6  # MB
        loop = NewtonLoop(
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
        model, found = loop.run()
        local.model_ = engine.gather([model])[0]
        local.classes_ = problem.classes
        local._given, local._numbered, local._calibration = None, True, {}
        local.C_ = self.C
        dual = -(1 - found.gap) * found.primal_objective
        return found, {"objective": dual, "n_landmarks": len(local.model_.landmarks_), "gamma": float(problem.options["gamma"])}

    def _has_pairs(self) -> bool:
        return self.multi_class == "ovo"
