"""Linear models and what their training reports."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.choices import LinearModelFormat
from .._input.linear_solvers import SIDES
from .._input.packed import to_pack
from .._input.validate import FloatArray, read_only
from .._model.explanation import as_shap_explanation, explained_by_weights, gradient_of_weights
from .._model.native import NativeModel
from .._shown.docstrings import (
    AS_EXPLANATION,
    AS_SHAP,
    BACKGROUND,
    BAD_ROWS,
    GRADIENT_SHAPE,
    N_JOBS,
    NO_SHAP,
    ROWS,
    described,
    of_rows,
    with_attributes,
)
from .._shown.report import TrainingReport, phases, six_digits


@with_attributes(
    stop_detail='What the problem that decides met, in numbers: "class 3: 1000 Newton steps, violation 2e-03, above 1e-03". '
    "Empty in files of earlier versions.",
    primal_objective="Of the weights.",
    dual_objective="A lower bound of the primal objective's minimum, NaN where none is known: their difference bounds how "
    "far the training is from the optimum.",
    violation="What the method compares with its own tolerance, which follows from ``tol``.",
    gradient_norm="2-norm of the primal gradient, NaN where the objective is not smooth.",
    n_iter="Newton steps or passes over the data.",
    n_inner="Steps of conjugate gradients, or passes inside of Newton steps.",
    n_support="Rows whose dual variable is not 0.",
    n_nonzero="Weights that are not 0.",
    problems="One record for each weight vector, with the fields above that are numbers, and stop_reason.",
    peak_cache_bytes="Bytes of the copy of X.",
    method='How it was solved: "newton", "augmented_lagrangian", "dual_descent", "l1_newton", "sequential_dual" or '
    '"greedy_pairs".',
    tol="As it was given, or the solver's default.",
    seconds='Seconds by phase: "data", "solve" and "total".',
)
@dataclass(frozen=True, repr=False)
class LinearReport(TrainingReport):
    """The report of a linear training. Several classes: sums over the problems, the worst violation and gradient.

    Attributes
    ----------
    stop_detail : str
        What the problem that decides met, in numbers: "class 3: 1000 Newton steps, violation 2e-03, above 1e-03".
        Empty in files of earlier versions.
    primal_objective : float
        Of the weights.
    dual_objective : float
        A lower bound of the primal objective's minimum, NaN where none is known: their difference bounds how far the
        training is from the optimum.
    violation : float
        What the method compares with its own tolerance, which follows from ``tol``.
    gradient_norm : float
        2-norm of the primal gradient, NaN where the objective is not smooth.
    n_iter : int
        Newton steps or passes over the data.
    n_inner : int
        Steps of conjugate gradients, or passes inside of Newton steps.
    n_support : int
        Rows whose dual variable is not 0.
    n_nonzero : int
        Weights that are not 0.
    problems : list[dict[str, Any]]
        One record for each weight vector, with the fields above that are numbers, and stop_reason.
    peak_cache_bytes : int
        Bytes of the copy of X.
    method : str
        How it was solved: "newton", "augmented_lagrangian", "dual_descent", "l1_newton", "sequential_dual" or
        "greedy_pairs".
    tol : float
        As it was given, or the solver's default.
    stop_reason : str
        "converged", or why it stopped before: "max_iter", "cancelled" (by the callback), "stagnated" (rounding).
    seconds : dict[str, float]
        Seconds by phase: "data", "solve" and "total".
    isa : str
        Instruction set that it ran on.
    n_threads : int
        Threads.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    stop_detail: str
    primal_objective: float
    dual_objective: float
    violation: float
    gradient_norm: float
    n_iter: int
    n_inner: int
    n_support: int
    n_nonzero: int
    problems: list[dict[str, Any]]
    peak_cache_bytes: int
    method: str
    tol: float

    def _lines(self) -> list[tuple[str, str]]:
        bound = "" if math.isnan(self.dual_objective) else f" (at least {six_digits(self.dual_objective)})"
        return [
            *[("because", self.stop_detail)] * bool(self.stop_detail),
            ("objective", f"{six_digits(self.primal_objective)}{bound}"),
            ("violation", f"{self.violation:.2e}"),
            ("steps", f"{self.n_iter:,} ({self.method}), {self.n_inner:,} inside"),
            ("weights", f"{self.n_nonzero:,} are not 0"),
            ("seconds", phases(self.seconds)),
            ("copy of X", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
        ]


class LinearModel(NativeModel[_core.LinearModel]):
    """A linear model, as :func:`dcsvm.train_linear` and :func:`dcsvm.load_model` return it.
    It never changes, and it can be pickled.

    n_vectors is 1 for two classes (except with crammer_singer), regression and one-class; else one for each class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending; int64 when all are whole numbers, else float64; empty for regression and one-class.
    coef_ : ndarray of shape (n_vectors, n_features)
        Weights, float64. Two classes: positive for ``classes_[1]``.
    intercept_ : ndarray of shape (n_vectors,)
        What a decision adds to coef'x (one-class: minus rho), float64.
    solver : str
        As it was given to the training.
    bias : float
        As it was given to the training; -1.0 without one.
    n_features_in_ : int
        Columns that predict expects.
    report : LinearReport or None
        What the training did; None for a model from LIBLINEAR's text files.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    __slots__ = ()
    _core_type = _core.LinearModel
    _origin = "a LinearModel comes from dcsvm.train_linear"

    @of_rows(
        "ndarray of shape (n,)",
        "Labels, with the dtype of ``classes_``: the largest decision, ties to the lower class. A model of "
        "LIBLINEAR's files decides ties as LIBLINEAR does, by the file's order of classes. "
        "Regression: float64. One-class: int64, 1 inside, -1 outside.",
    )
    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels, or predicted numbers, of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,)
            Labels, with the dtype of ``classes_``: the largest decision, ties to the lower class. A model of LIBLINEAR's
            files decides ties as LIBLINEAR does, by the file's order of classes. Regression: float64. One-class: int64, 1
            inside, -1 outside.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.linear_predict, X, n_jobs)
        return self._as_labels(values) if len(self.classes_) or self.solver in SIDES else values

    @of_rows(
        "ndarray of shape (n,) or (n, n_classes)",
        "Float64. One weight vector: one number a row, for two classes positive for ``classes_[1]``. Else a column for each "
        "class.",
    )
    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Decision values of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Float64. One weight vector: one number a row, for two classes positive for ``classes_[1]``. Else a column for
            each class.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.linear_decision_function, X, n_jobs)
        return self._sign * values[:, 0] + 0.0 if values.shape[1] == 1 else values

    @of_rows(
        "ndarray of shape (n, n_classes)",
        "1 / (1 + exp(-decision)) in the order of ``classes_``; more than two classes: divided by their sum, multinomial: the "
        "softmax of the decisions.",
        raises=[("ValueError", "For a solver that is not a logistic one.")],
    )
    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Probability of each class, of a model of a logistic solver.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n, n_classes)
            1 / (1 + exp(-decision)) in the order of ``classes_``; more than two classes: divided by their sum,
            multinomial: the softmax of the decisions.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ValueError
            For a solver that is not a logistic one.
        """
        return self._of_rows(_core.linear_predict_proba, X, n_jobs)

    @described(ROWS, BACKGROUND, AS_SHAP, N_JOBS, returns=AS_EXPLANATION, raises=[BAD_ROWS, NO_SHAP])
    def explain(self, X: Any, *, background: Any = None, as_shap: bool = False, n_jobs: int | None = None) -> Any:
        """Exact Shapley values of the features: weight times (feature - background). See docs/guide/explanations.md.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        background : array-like of shape (n_features,) or None, default=None
            Of linear decisions: the row that features are compared with, as ``X.mean(axis=0)``; None: 0.
        as_shap : bool, default=False
            Return a ``shap.Explanation``, for the plots of the package shap, which must be installed.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        Explanation or shap.Explanation
            ``values`` of shape (n, n_features), or (n, n_features, n_decisions) where ``decision_function`` has several
            columns; and ``base_values``. Both are float64 and add up to the decisions.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ImportError
            With ``as_shap`` where shap is not installed.
        """
        self.decision_function(X, n_jobs=n_jobs)  # checks X
        rows = validate.as_data("X", X)
        found = explained_by_weights(self.coef_, self.intercept_, rows, background)
        return as_shap_explanation(found, rows, self._names.features) if validate.boolean("as_shap", as_shap) else found

    @of_rows(GRADIENT_SHAPE, "Derivatives of what ``decision_function`` gives, the same for each row; float64.")
    def decision_gradient(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Gradients of the decisions by the features: the weights.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n, n_features) or (n, n_features, n_decisions)
            Derivatives of what ``decision_function`` gives, the same for each row; float64.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        return gradient_of_weights(self.coef_, len(self.decision_function(X, n_jobs=n_jobs)))

    @property
    def _sign(self) -> float:
        return -1.0 if self._core.n_vectors == 1 and len(self._core.classes) == 2 else 1.0

    def _weights(self) -> FloatArray:
        return self._core.w().reshape(-1, max(1, self._core.n_vectors))

    @property
    def coef_(self) -> FloatArray:
        return read_only(np.ascontiguousarray(self._sign * self._weights()[: self.n_features_in_].T + 0.0))  # not -0.0

    @property
    def intercept_(self) -> FloatArray:
        if self.bias < 0:
            return read_only(np.full(self._core.n_vectors, 0.0 - self._core.rho))  # 0.0 for rho = 0, not -0.0
        return read_only(np.asarray(self._sign * self.bias * self._weights()[-1] + 0.0))

    @property
    def solver(self) -> str:
        return self._core.solver

    @property
    def bias(self) -> float:
        return self._core.bias

    def save(self, path: str | os.PathLike[str], *, format: LinearModelFormat = "dcsvm") -> None:
        """Writes the model.

        Parameters
        ----------
        path : str or os.PathLike[str]
            The file, compressed when its name ends in .gz, .bz2 or .xz. A crash leaves the old file or the new one, never half.
        format : {'dcsvm', 'liblinear'}, default='dcsvm'
            "dcsvm" keeps everything; "liblinear" is the text that LIBLINEAR's tools read, without the report.

        Raises
        ------
        OSError
            When the file cannot be written.
        ValueError
            For "liblinear": labels that are not whole numbers, and the solver multinomial of more than two classes.
        """
        if validate.choice("format", format, FORMATS) == "dcsvm":
            super().save(path)
        else:
            self._check_text_format(format, "dcsvm.train_linear")
            with to_pack(validate.path("path", path)) as file:
                _core.save_liblinear_model(self._core, str(file))

    @property
    def report(self) -> LinearReport:
        """What the training did; None for a model from LIBLINEAR's text files, which keep no report of the training."""
        report = LinearReport(**self._core.report())
        return self._with_training(report) if report.method else None  # type: ignore[return-value]  # a trained model has one: no checks for users

    def _describe(self) -> str:
        classes = f"{self._some_classes()}; " if len(self.classes_) else ""
        report = self.report
        reason = report.stop_reason if report else "no report of the training"
        return f"{self.solver}, {self.n_features_in_:,} features; {classes}{reason}"


FORMATS = ("dcsvm", "liblinear")
