"""Low-rank SVMs on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._distributed import setup
from .._distributed.low_rank import NewtonLoop
from .._distributed.newton import Minimum
from .._distributed.problem import Problem
from .._distributed.report import DistributedLowRankReport
from .._input.choices import FeatureKernel
from ..estimators._docs import documented
from ..estimators._low_rank import LowRankSVC
from ..estimators._low_rank_parameters import LowRankSharedParameters
from ..estimators._parameters import FRACTION, LOW_RANK, FiniteCostParameter, at_least, declared, parameter
from ._engine import DaskEngine
from ._newton import NewtonClassifier, NewtonParameters

_SAMPLE = 20  # rows of the sample for each landmark


@documented("classes_", "C_", n_iter_=("int", "Passes over the data."), model_=("LowRankModel", "The native model."))
@dataclass(kw_only=True, repr=False, eq=False)
class DaskLowRankSVC(NewtonClassifier, LowRankSharedParameters, FiniteCostParameter, NewtonParameters):
    """``dcsvm.LowRankSVC`` on the partitions of a Dask cluster, for more support vectors than an exact training can hold.

    Landmarks come from a sample of all partitions. The squared hinge loss is minimised by Newton's method: a pass is one sum of
    (k + 1) x (k + 1) matrices over the partitions, and some ten passes are enough, whatever the number of rows. ``report_`` is
    a :class:`DistributedLowRankReport`.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The cluster's client; None: the current one. Not kept in pickles.
    callback : callable or None, default=None
        Called on the client after each pass with an object: number, primal_objective, gap, step, n_products, seconds.
        Returning True stops and keeps the current solution.
    C : float > 0, default=1.0
        Price of errors: the larger, the fewer errors in training and the longer it takes.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str, default='rbf'
        As in SVC. One of 'linear', 'poly', 'rbf', 'sigmoid', 'exponential', 'matern32', 'matern52', 'laplacian',
        'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float > 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    n_landmarks : int >= 1, default=500
        Landmark points, or random directions: more are more accurate. At most the distinct rows are used.
    fit_intercept : bool, default=True
        Add a bias, which is regularised (+ b^2 / 2 in Eq. 24), unlike an exact SVM's.
    multi_class : {'ovr', 'ovo'}, default='ovr'
        ovr: one problem for each class against the rest; ovo: one for each pair of classes.
    cache_size : float > 0, default=2000.0
        MB (2^20 bytes) for features: what does not fit is trained in blocks.
    verbose : bool, default=False
        Show progress on stderr.
    tol : float in (0, 1), default=0.0001
        Stop when the duality gap is below this share of the objective.
    max_iter : int >= 1, default=50
        Passes over the data, at most.

    Attributes
    ----------
    C_ : float
        The C of the model.
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : int
        Passes over the data.
    model_ : LowRankModel
        The native model.
    report_ : dcsvm.Report
        What the training did: objective, violation, steps, seconds, memory, levels.
    """

    _local_class = LowRankSVC
    _report_class = DistributedLowRankReport

    kernel: FeatureKernel = declared(LOW_RANK["kernel"], text="As in SVC.", without=("precomputed",))
    tol: float = parameter(1e-4, "Stop when the duality gap is below this share of the objective.", FRACTION)
    max_iter: int = parameter(50, "Passes over the data, at most.", at_least(1))

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
