"""scikit-learn's logistic regression as trainings of the linear core: which problem its parameters mean, starts, folds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.validate import FloatArray
from .._linear.model import LinearModel, LinearReport
from .._linear.train import defaults, solved

# (share, least) of what the solver is asked for where a user asks for tol=1. Least is what double can tell from 0.
# scikit-learn's solvers compare tol with the gradient, and the best of them ends far below it; the objective here shall not be
# above theirs, and weights shall equal repetitions to the digits that its tests compare: with a gap of 1e-12 they do not, and the
# last one or two of Newton's ten steps take up to a third of the time.
_GAP = (1e-12, 1e-16)  # relative
_GAP_WITH_L1 = (1e-6, 1e-12)  # where the last steps are no faster than the first
_GRADIENT = (1e-2, 1e-8)  # without a penalty, relative to that of weights 0; the gap is about its square
_SUBGRADIENT = (0.1, 1e-6)  # of two classes with |w|, likewise; below, steps gain less than the objective is rounded by
_LEAST_TOL = 1e-12  # LIBLINEAR's
_NEAR_VIOLATION = 1e-9  # the same, where the gap is not known
_NEAR = 1e-6  # relative: a gap with which a solution is one, whatever the solver asked for


def _product(factors: FloatArray, weights: FloatArray | None) -> FloatArray:
    return factors if weights is None else factors * weights


class Weights(NamedTuple):
    """coef (n_vectors, n_features) and intercept (n_vectors,), as scikit-learn has them."""

    coef: npt.NDArray[Any]
    intercept: npt.NDArray[Any]

    def in_core(self, bias: float, n_classes: int = 2) -> FloatArray:
        """As the core has them, (columns, n_vectors): the first of two classes is positive. n_classes: 0 of a regression."""
        sign = -1.0 if len(self.coef) == 1 and n_classes else 1.0
        rows = [self.coef.T] if bias < 0 else [self.coef.T, self.intercept[None] / bias]
        return np.ascontiguousarray(sign * np.vstack(rows), dtype=np.float64)

    def model(self, solver: str, bias: float, n_classes: int) -> LinearModel:
        """A native model that has not been trained."""
        if bias < 0 and self.intercept.any():
            bias = 1.0
        classes = np.arange(n_classes, dtype=np.float64)
        core = _core.make_linear_model(solver, classes, self.coef.shape[1], bias, self.in_core(bias, n_classes).ravel())
        return LinearModel(core)


class Paths(NamedTuple):
    """Of each fold, l1_ratio and C: the weights, (folds, ratios, Cs, vectors, columns and bias), score and steps."""

    weights: FloatArray
    scores: FloatArray
    n_iter: npt.NDArray[np.int32]


class Chosen(NamedTuple):
    """The best values of a problem, and the model of all rows with them."""

    C: float
    l1_ratio: float
    model: LinearModel


class LogisticProblem(NamedTuple):
    """codes: numbers of the rows' classes. weights: of the rows. options: train_linear's, but C, l1_ratio, max_iter and start."""

    X: Any
    codes: FloatArray
    n_classes: int
    weights: FloatArray | None
    options: dict[str, Any]

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        codes: npt.NDArray[np.intp],
        weights: FloatArray | None,
        factors: FloatArray,
        one_vs_rest: bool,
    ) -> LogisticProblem:
        """The problem that an estimator's parameters mean. factors: of C, of each class."""
        by_liblinear, n_classes = estimator.solver == "liblinear", len(factors)
        in_one = not by_liblinear and not one_vs_rest
        bias, regularized = estimator._bias_feature()
        options = {
            "solver": "multinomial" if in_one else "logistic_dual" if estimator.dual else "logistic",
            "tol": estimator.tol,
            "bias": bias,
            "regularize_bias": regularized,
            "n_jobs": estimator.n_jobs,
            "verbose": bool(estimator.verbose),
            "random_state": estimator._seed(),
            "max_seconds": getattr(estimator, "max_seconds", None),  # LogisticRegressionCV trains often, and has no limit
        }
        if one_vs_rest:  # a factor holds where its class is the positive one
            options["class_weight"] = dict(enumerate(factors.tolist()))
        elif (factors != 1).any():
            weights = _product(factors[codes], weights)
        return cls(X, codes.astype(np.float64), n_classes, weights, options)

    def of_rows(self, counts: FloatArray) -> LogisticProblem:
        """The same where each row counts so often; 0: it takes no part."""
        return self._replace(weights=_product(counts, self.weights))

    def against_rest(self, code: int, by_liblinear: bool) -> LogisticProblem:
        """Of one class against all others, each row with the factor of its own class. Of a problem that is ``one_vs_rest``."""
        options = {**self.options, "solver": self.options["solver"] if by_liblinear else "multinomial"}
        factors = np.array(list(options.pop("class_weight").values()))[self.codes.astype(np.intp)]
        weights = _product(factors, self.weights)
        return self._replace(codes=(self.codes == code).astype(np.float64), n_classes=2, weights=weights, options=options)

    @property
    def shape(self) -> tuple[int, int]:
        """Of coef."""
        return 1 if self.n_classes == 2 else self.n_classes, self.X.shape[1]

    def solve(self, C: float, l1_ratio: float, max_iter: int, start: Weights | None = None) -> LinearModel:
        """The model after at most max_iter steps from the start, which counts where it has the problem's shape."""
        if start is not None and start.coef.shape != self.shape:
            start = None
        if self.options["solver"] != "multinomial" and self._lacks_a_class():
            same = self._replace(options={**self.options, "solver": "multinomial"})
            return same.solve(C, l1_ratio, max_iter, start)
        bias = self.options["bias"]
        if max_iter == 0:
            start = start or Weights(np.zeros(self.shape), np.zeros(self.shape[0]))
            return start.model(self.options["solver"], bias, self.n_classes)
        l1_ratio = 0.0 if math.isinf(C) else l1_ratio
        own = {"C": C, "l1_ratio": l1_ratio, "max_iter": max_iter, "tol": self._tol(math.isinf(C), l1_ratio)}
        options = {**defaults(), "cache_size": None, **self.options, **own}
        if start is not None and self.options["solver"] != "logistic_dual":
            options["initial_w"] = start.in_core(bias)
        return solved(self.X, self.codes, **{**options, "sample_weight": self.weights})

    def _lacks_a_class(self) -> bool:
        """Whether one of two classes has no row of weight above 0, which "logistic" refuses: its problem is "multinomial" too."""
        codes = self.codes.astype(np.intp)
        weights, factors = self.weights, self.options.get("class_weight")
        if factors is not None:
            weights = _product(np.array([*factors.values()])[codes], weights)
        return self.n_classes == 2 and weights is not None and not np.bincount(codes, weights, 2).all()

    def learn(self, C: float, before: LinearModel) -> LinearModel:
        """The model `before`, gone on with these rows in one pass. In it a bias is regularised."""
        options = {**defaults(), "cache_size": None, **self.options}
        own = {"C": C, "tol": self._tol(False, 0.0), "regularize_bias": True, "sample_weight": self.weights}
        return solved(self.X, self.codes, **{**options, **own}, after=before)

    def _tol(self, infinite: bool, l1_ratio: float) -> float:
        """What the solver is asked for."""
        tol = float(self.options["tol"])
        if self.options["solver"] != "multinomial":
            return max(tol, _LEAST_TOL)
        with_l1 = _SUBGRADIENT if self.n_classes == 2 else _GAP_WITH_L1
        share, least = _GRADIENT if infinite else with_l1 if l1_ratio > 0 else _GAP
        return max(share * tol, least)


def stop_reason(model: LinearModel) -> str:
    """Of a training; "max_iter" where none took place, "converged" where only rounding was left and the gap is small."""
    report: LinearReport | None = model.report
    if report is None:
        return "max_iter"
    gap = report.primal_objective - report.dual_objective
    near = report.violation <= _NEAR_VIOLATION if math.isnan(gap) else gap <= _NEAR * report.primal_objective
    return "converged" if near and report.stop_reason == "stagnated" else report.stop_reason
