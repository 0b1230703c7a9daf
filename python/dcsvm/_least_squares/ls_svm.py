"""Least-squares support vector machines: training and models."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._base import validate
from .._base.native import NativeModel
from .._base.parameters import fill, parameters_of
from .._base.report import TrainingReport
from .._base.validate import FloatArray
from .._svm.train import Callback, ConvergenceWarning, watching

METHODS = parameters_of(_core.LsSvmParams)["method"].choices
LS_KERNELS = ("linear", "poly", "rbf", "sigmoid", "cosine_poly")


@dataclass(frozen=True, repr=False)
class LsSvmReport(TrainingReport):
    """What an LS-SVM's training did.

    ``residuals`` holds |Z - Theta W| / |Z| after each step, model after model when several are averaged; ``residual`` is that of
    the model. kaczmarz estimates them from the blocks of the last pass over the rows, each before its own step, and computes the
    residual before it says "converged". nystrom knows none: infinity. ``stop_reason`` "max_iter": all steps are done, and the
    residual is above ``tol``. ``n_regularised`` counts blocks that were singular to rounding.
    """

    residuals: FloatArray
    residual: float
    n_iter: int
    block_size: int
    n_regularised: int
    n_kernel_values: int
    peak_bytes: int

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("residual", "not known" if np.isinf(self.residual) else f"{self.residual:.3g}"),
            ("steps", f"{self.n_iter:,} of blocks of {self.block_size:,}"),
            ("kernel values", f"{self.n_kernel_values:.3g}"),
            ("gamma", f"{self.gamma:.6g}"),
            ("seconds", f"{self.seconds.get('total', 0.0):.2f}"),
            ("peak memory", f"{self.peak_bytes / 2**20:.1f} MB"),
        ]


class LsSvmModel(NativeModel[_core.LsSvmModel]):
    """An LS-SVM: what :func:`dcsvm.train_ls_svm` and :func:`dcsvm.load_model` return. Immutable; it pickles. It keeps all rows.

    ================== ==================================================================================================
    ``classes_``        labels, ascending; int64 when all are whole numbers, else float64; empty for regression
    ``dual_coef_``      (n_outputs, n_train): a decision is the sum of dual_coef * K(x, x_n) + intercept
    ``intercept_``      (n_outputs,): one for each class, or for each target
    ``n_features_in_``  columns that predict expects
    ``kernel``          its name; its ``gamma``, ``coef0`` and ``degree`` as well
    ``report``          what the training did
    ================== ==================================================================================================
    """

    __slots__ = ()
    _core_type = _core.LsSvmModel
    _origin = "an LsSvmModel comes from dcsvm.train_ls_svm"

    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels of the rows of X (n, n_features): the largest decision, ties to the lower class. Regression: (n,) values, or
        (n, n_targets). Raises ValueError for another number of features, NaN or infinity (naming row and column)."""
        values = self._of_rows(_core.ls_svm_predict, X, n_jobs)
        if not self._core.regression:
            return self._as_labels(values[:, 0])
        return values[:, 0] if values.shape[1] == 1 else values

    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """(n, n_outputs): one column for each class, near 1 in the class and near 0 outside; or for each target."""
        return self._of_rows(_core.ls_svm_decision_function, X, n_jobs)

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """(n, n_classes): the softmax of the decisions (Eq. 7). Decisions lie about 0 and 1, so these are ranks more than
        frequencies. Raises ValueError for regression."""
        return self._of_rows(_core.ls_svm_predict_proba, X, n_jobs)

    @property
    def dual_coef_(self) -> FloatArray:
        return self._core.coef().reshape(-1, self._core.n_train)

    @property
    def intercept_(self) -> FloatArray:
        return self._core.intercept()

    @property
    def kernel(self) -> str:
        return "cosine_poly" if self._core.normalise else self._core.kernel.type

    @property
    def report(self) -> LsSvmReport:
        return LsSvmReport(**self._core.report())

    def __repr__(self) -> str:
        return f"<LsSvmModel: {self.kernel} kernel, {self._core.n_train:,} rows, {len(self.intercept_)} outputs>"


def train_ls_svm(
    X: Any,
    y: Any,
    *,
    gamma_ls: float = 1e4,
    kernel: str = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    method: str = "matching_pursuit",
    block_size: int | None = None,
    n_iter: int | None = None,
    n_average: int = 1,
    tol: float = 1e-3,
    regression: bool = False,
    warm_start: LsSvmModel | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> LsSvmModel:
    """Trains a least-squares support vector machine by random blocks of the kernel matrix, which is never held whole.

    min 1/2 sum_j (|w_j|^2 + gamma_ls sum_i e_ij^2), e_ij = z_ij - <phi(x_i), w_j> - b_j: one linear system for all classes
    (z_ij = 1 for the row's class, else 0). Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines (2016).

    X : (n, n_features), as for :func:`dcsvm.train`
    y : (n,) labels, numbers, at least two different ones; regression: (n,) or (n, n_targets) finite numbers
    gamma_ls : price of errors, > 0 (the paper's gamma)
    kernel : as for :func:`dcsvm.train`, without precomputed; or "cosine_poly" (gamma x'z / (|x| |z|) + coef0)^degree
    degree, gamma, coef0 : of the kernel
    method : "matching_pursuit" fits random columns to the residual, which never grows; "kaczmarz" projects on random rows;
        "kaczmarz_mp" does both on the same block (a line search keeps them from undoing each other), at the price of all
        kernel values in each step; "nystrom" averages n_iter
        solutions of blocks; "exact" Cholesky in double up to 10,000 rows, else conjugate gradients
    block_size : J, rows of a block, at most n; None: 2,000, or n / 4
    n_iter : T, steps at most; None: as many as cover all rows four times (nystrom: 6 members, exact: 1,000 steps)
    n_average : S, models of different seeds whose weights are averaged
    tol : stop when |Z - Theta W| / |Z| is below (kaczmarz estimates it from the blocks of the last pass over the rows, and
        computes it, at n^2 kernel values, before it says "converged"; nystrom knows none: infinity)
    warm_start : a model of the same rows and classes to go on from (not nystrom)
    random_state, n_jobs, callback, verbose : as for :func:`dcsvm.train`; the callback sees n_iter and violation, the residual

    Memory: 4 n J bytes for a block, 4 n n_features for packed rows and as much as X for the model's copy, 56 n n_outputs,
    16 J^2 for a block's factor; "exact" by Cholesky 8 n (n + n_features). Unlike
    dcsvm.train's, reaching n_iter is no warning: it is how the method is used. "exact" and cancelled trainings warn.
    Raises TypeError and ValueError as :func:`dcsvm.train`.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000, random_state=0)
    >>> model = dcsvm.train_ls_svm(X, y, gamma=4, gamma_ls=100)
    >>> bool((model.predict(X) == y).mean() > 0.97)
    True
    """
    cosine = validate.choice("kernel", kernel, LS_KERNELS) == "cosine_poly"
    p = fill(_core.LsSvmParams(), {**locals(), "kernel": "poly" if cosine else kernel})
    p.normalise = cosine
    data = validate.as_data("X", X)
    targets, n_targets = _targets(y, data.shape[0], p.regression)
    coef, intercept = _start(warm_start, p, data.shape[0], targets, n_targets)
    with watching(p.tol, verbose, callback) as watch:
        model = LsSvmModel(_core.train_ls_svm(data, targets, p, n_targets, coef, intercept, watch))
    report = model.report
    if report.stop_reason == "cancelled" or (p.method == "exact" and report.stop_reason != "converged"):
        warnings.warn(
            f"training stopped with {report.stop_reason!r} after {report.n_iter:,} steps at residual {report.residual:.3g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return model


def _targets(y: Any, n: int, regression: bool) -> tuple[FloatArray, int]:
    if not regression:
        return validate.as_labels("y", y, n), 1
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] >= 1:
        columns = [validate.as_targets("y", column, n) for column in given.T]
        return np.ascontiguousarray(np.stack(columns, axis=1)).ravel(), len(columns)
    return validate.as_targets("y", y, n), 1


def _start(
    model: LsSvmModel | None, p: _core.LsSvmParams, n: int, targets: FloatArray, n_targets: int
) -> tuple[FloatArray | None, FloatArray | None]:
    if model is None:
        return None, None
    if not isinstance(model, LsSvmModel):
        raise ValueError(f"warm_start must be an LsSvmModel or None, got {type(model).__name__}")
    if p.method == "nystrom":
        raise ValueError("warm_start: the committee of method='nystrom' has no start")
    outputs = n_targets if p.regression else len(np.unique(targets))
    if model.dual_coef_.shape != (outputs, n) or model._core.regression != p.regression:
        raise ValueError(
            f"warm_start has coefficients of shape {model.dual_coef_.shape}, but here they have shape {(outputs, n)}: it must be "
            "a model of the same rows and classes"
        )
    return model._core.coef(), model._core.intercept()
