"""Linear SVMs and logistic regression on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from .._distributed import setup
from .._distributed.linear import LinearLoop, LinearProblem, model_of
from .._distributed.newton import Loss, Minimum
from .._distributed.problem import Problem
from .._linear.model import LinearModel
from ..estimators._docs import documented
from ..estimators._estimator import with_own_names
from ..estimators._linear import LinearSVC, LogisticRegression
from ..estimators._linear_parameters import LinearSVCParameters, LogisticParameters
from ..estimators._parameters import FRACTION, at_least, parameter
from ._base import of_collection
from ._engine import DaskEngine
from ._newton import NewtonClassifier, NewtonParameters

_PROBABILITIES = (
    "T",
    "collection or ndarray of shape (n_samples, n_classes)",
    "Columns in the order of ``classes_``; of a DataFrame a DataFrame whose columns name the classes.",
)
_TOL, _PASSES = 1e-6, 100
_SHOWN = {
    "coef_": ("ndarray of shape (n_vectors, n_features)", "Weights; two classes: (1, n_features)."),
    "intercept_": ("ndarray of shape (n_vectors,)", "What a decision adds to ``coef_ @ x``."),
    "n_iter_": ("int", "Passes over the data, without those of conjugate gradients."),
    "model_": ("LinearModel", "The native model; classes are numbered in it."),
    "report_": ("DistributedLinearReport", "What the training did, with its duality gap."),
}


@dataclass(kw_only=True, repr=False, eq=False)
class LinearOnClusterParameters(NewtonParameters):
    """Of both estimators below. In the bases it precedes the parameters of the local estimator, some of which it replaces."""

    tol: float = parameter(_TOL, "Stop when the duality gap is below this share of the objective.", FRACTION)
    max_iter: int = parameter(
        _PASSES, "Passes at most, without those of conjugate gradients. Reaching it is a ConvergenceWarning.", at_least(1)
    )


class DaskLinear(NewtonClassifier):
    """Base of the two estimators below."""

    _loss: ClassVar[Loss]
    tol: float
    max_iter: int
    model_: LinearModel

    def _bias_of_problem(self, local: Any) -> tuple[float, bool]:
        """(value of the bias's feature, or a negative number for no bias; whether the bias is regularised)"""
        raise NotImplementedError

    def _check(self, local: Any) -> None:
        self._validate_params()
        if not np.isfinite(self.C):
            raise ValueError(f"C must be finite on a cluster, got {self.C}")

    def _check_classes(self, local: Any, classes: npt.NDArray[Any]) -> None:
        """ValueError for parameters that do not go with the classes."""

    def _minimised(self, engine: DaskEngine, data: setup.Data, local: Any) -> tuple[Minimum, dict[str, Any]]:
        classes = setup.classes_of(data.summary, self.class_weight)
        self._check_classes(local, classes)
        C = float(self.C)
        rows = Problem("c_svc", {"C": C}, np.full(len(classes), C), classes)
        factors = setup.class_costs(1.0, self.class_weight, classes, data.summary)
        problem = LinearProblem(rows, self._loss, factors, *self._bias_of_problem(local))
        n_features = data.summary.n_features
        found = LinearLoop(engine, problem, data.parts, data.labels, n_features, self.tol, self.max_iter, self._on_pass).run()
        local.classes_ = classes
        local.model_ = with_own_names(model_of(problem, found.weights, n_features), local)
        return found, {}


@documented("classes_", **_SHOWN)
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLinearSVC(DaskLinear, LinearOnClusterParameters, LinearSVCParameters):
    """``dcsvm.LinearSVC`` with the squared hinge loss on the partitions of a Dask cluster: the same solution.

    Newton's method: each pass over the partitions sums the gradients and Hessians of all classes, 8 (n_features + 1)^2 bytes
    for each class. Where these are more than 16 MB, a Newton step is found by conjugate gradients instead, which takes up to
    a hundred further passes. ``dual`` is not used.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.
    """

    _local_class = LinearSVC
    _loss = "squared_hinge"

    penalty: Literal["l2"] = parameter("l2", "1/2 |w|^2.", ("l2",))
    loss: Literal["squared_hinge"] = parameter("squared_hinge", "The one that Newton's method minimises.", ("squared_hinge",))
    multi_class: Literal["ovr"] = parameter("ovr", "Each class against the rest.", ("ovr",))

    def _check(self, local: LinearSVC) -> None:
        super()._check(local)
        if self.probability:
            raise ValueError("probability is not available on a cluster: use DaskLogisticRegression")
        local._calibration = {}

    def _bias_of_problem(self, local: LinearSVC) -> tuple[float, bool]:
        return local._bias(), True


@documented("classes_", **_SHOWN)
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLogisticRegression(DaskLinear, LinearOnClusterParameters, LogisticParameters):
    """``dcsvm.LogisticRegression`` with the l2 penalty on the partitions of a Dask cluster: the same solution.

    See :class:`DaskLinearSVC`. ``dual`` only says, as on one machine, that the bias is regularised.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.
    """

    _local_class = LogisticRegression
    _loss = "logistic"

    penalty: Literal["l2"] = parameter("l2", "1/2 |w|^2.", ("l2",))

    def _check(self, local: LogisticRegression) -> None:
        super()._check(local)
        if local._is_l1():
            raise ValueError(f"penalty must be 'l2' on a cluster, got l1_ratio={self.l1_ratio}")

    def _check_classes(self, local: LogisticRegression, classes: npt.NDArray[Any]) -> None:
        local._refuse_multinomial(classes)

    def _bias_of_problem(self, local: LogisticRegression) -> tuple[float, bool]:
        return local._bias_feature()

    @of_collection(*_PROBABILITIES)
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class for the rows of X."""
        return self._probabilities("predict_proba", X)

    @of_collection(*_PROBABILITIES)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of :meth:`predict_proba`."""
        return self._probabilities("predict_log_proba", X)

    def _probabilities(self, method: str, X: Any) -> Any:
        return self._answer(method, X, np.dtype(np.float64), [str(c) for c in self.classes_])
