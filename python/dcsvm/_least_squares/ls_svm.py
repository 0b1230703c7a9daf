"""Least-squares support vector machines: training and models."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, get_args

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.choices import GammaRule, LsKernel, LsMethod
from .._input.labels import as_labels, as_targets, coded, distinct
from .._input.parameters import fill, training
from .._input.validate import FloatArray, read_only
from .._model.native import KernelModel
from .._model.training import trained
from .._shown.docstrings import of_rows, with_attributes
from .._shown.report import KernelReport
from .._shown.training_warnings import about, some, users_line
from .._shown.watching import Callback, ConvergenceWarning, stopped

P = ParamSpec("P")

LS_KERNELS = get_args(LsKernel)


@with_attributes(
    residuals=(
        "ndarray of shape (n_steps,)",
        "|Z - Theta W| / |Z| after each step, model after model when several are averaged. kaczmarz estimates it from the "
        "blocks of the last pass over the rows, each before its own step; the last one is computed. nystrom: none.",
    ),
    residual='That of the model, computed in double before a training says "converged"; nystrom knows none: infinity.',
    stop_reason='"converged", "max_iter" (all steps are done, and the residual is above ``tol``), "cancelled" (by the '
    'callback) or "stagnated" (rounding keeps the residual above ``tol``).',
    n_iter="Steps of all models.",
    block_size="Rows of a block, as used.",
    n_regularised="Blocks that were singular to rounding and got a multiple of the unit matrix.",
    peak_bytes="Bytes of a block, its factor, rows, weights and residuals, at most.",
    seconds='Seconds by phase: "prepare", "solve" and "total".',
)
@dataclass(frozen=True, repr=False)
class LsSvmReport(KernelReport):
    """The report of an LS-SVM's training.

    Attributes
    ----------
    residuals : ndarray of shape (n_steps,)
        |Z - Theta W| / |Z| after each step, model after model when several are averaged. kaczmarz estimates it from
        the blocks of the last pass over the rows, each before its own step; the last one is computed. nystrom: none.
    residual : float
        That of the model, computed in double before a training says "converged"; nystrom knows none: infinity.
    n_iter : int
        Steps of all models.
    block_size : int
        Rows of a block, as used.
    n_regularised : int
        Blocks that were singular to rounding and got a multiple of the unit matrix.
    n_kernel_values : int
        Kernel values computed.
    peak_bytes : int
        Bytes of a block, its factor, rows, weights and residuals, at most.
    stop_reason : str
        "converged", "max_iter" (all steps are done, and the residual is above ``tol``), "cancelled" (by the callback)
        or "stagnated" (rounding keeps the residual above ``tol``).
    seconds : dict[str, float]
        Seconds by phase: "prepare", "solve" and "total".
    isa : str
        Instruction set that it ran on.
    n_threads : int
        Threads.
    gamma : float
        Of the kernel, as used.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

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


class LsSvmModel(KernelModel[_core.LsSvmModel]):
    """An LS-SVM, as :func:`dcsvm.train_ls_svm` and :func:`dcsvm.load_model` return it.
    It never changes, and it can be pickled. It contains all training rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending: text, int64 when all are whole numbers, else float64; empty for regression.
    dual_coef_ : ndarray of shape (n_outputs, n_train)
        A decision is the sum of dual_coef * K(x, x_n) + intercept; float64.
    intercept_ : ndarray of shape (n_outputs,)
        One for each class, or for each target; float64.
    n_features_in_ : int
        Columns that predict expects.
    report : LsSvmReport
        What the training did.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    __slots__ = ()
    _core_type = _core.LsSvmModel
    _origin = "an LsSvmModel comes from dcsvm.train_ls_svm"

    @of_rows(
        "ndarray of shape (n,) or (n, n_targets)",
        "Labels, with the dtype of ``classes_``: the largest decision, ties to the lower class. Regression: float64, "
        "two-dimensional for several targets.",
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
        ndarray of shape (n,) or (n, n_targets)
            Labels, with the dtype of ``classes_``: the largest decision, ties to the lower class. Regression: float64,
            two-dimensional for several targets.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.ls_svm_predict, X, n_jobs)
        if not self._core.regression:
            return self._as_labels(values[:, 0])
        return values[:, 0] if values.shape[1] == 1 else values

    @of_rows(
        "ndarray of shape (n, n_outputs)",
        "Float64. A column for each class, near 1 in the class and near 0 outside; or for each target.",
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
        ndarray of shape (n, n_outputs)
            Float64. A column for each class, near 1 in the class and near 0 outside; or for each target.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        return self._of_rows(_core.ls_svm_decision_function, X, n_jobs)

    @of_rows(
        "ndarray of shape (n, n_classes)",
        "Columns in the order of ``classes_``.",
        raises=[("ValueError", "For a regression.")],
    )
    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """The softmax of the decisions, Eq. (7) of Andrecut (2016).

        Decisions lie about 0 and 1, so these are ranks more than frequencies.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Columns in the order of ``classes_``.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ValueError
            For a regression.
        """
        return self._of_rows(_core.ls_svm_predict_proba, X, n_jobs)

    @property
    def dual_coef_(self) -> FloatArray:
        return read_only(self._core.coef().reshape(-1, self._core.n_train))

    @property
    def intercept_(self) -> FloatArray:
        return read_only(self._core.intercept())

    @property
    def kernel(self) -> str:
        """Name of the kernel, as the training was given it."""
        return "cosine_poly" if self._core.normalise else self._core.kernel.type

    @property
    def report(self) -> LsSvmReport:
        return self._with_training(LsSvmReport(**self._core.report()))  # type: ignore[no-any-return]

    def _describe(self) -> str:
        return f"{self.kernel} kernel, gamma={self.gamma:.6g}, {self._core.n_train:,} rows, {len(self.intercept_)} outputs"


def how_it_ended(model: LsSvmModel, method: str, tol: float, who: str = "training") -> str:
    """What a training says that did not converge, with what to do."""
    report = model.report
    where, advice = f"at a residual of {about(report.residual)} or more", ""
    if report.stop_reason == "max_iter":
        where, advice = f"{where}, above tol = {tol:g}", "raise n_iter or tol, or lower gamma_ls"
    if report.stop_reason == "stagnated":
        exact = "" if method == "exact" else ", or choose method 'exact', which computes in double"
        advice = f"the rounding of kernel values keeps it above tol = {tol:g}; raise tol, lower gamma_ls{exact}"
    return stopped(report.stop_reason, f"{some(report.n_iter)} steps", where, advice, who=who)


def _warning(solve: Callable[P, LsSvmModel]) -> Callable[P, LsSvmModel]:
    """Apart from the training itself, because the estimators warn in scikit-learn's words (``inspect.unwrap``)."""

    @functools.wraps(solve)
    def run(*args: P.args, **kwargs: P.kwargs) -> LsSvmModel:
        model = solve(*args, **kwargs)
        method, tol, reason = str(kwargs.get("method")), _core.LsSvmParams().tol, model.report.stop_reason
        if reason in ("cancelled", "time_limit", "stagnated") or (method == "exact" and reason != "converged"):
            text = how_it_ended(model, method, float(kwargs.get("tol", tol)))  # type: ignore[arg-type]
            warnings.warn(text, ConvergenceWarning, stacklevel=users_line())
        return model

    return run


@training(_core.LsSvmParams)
@_warning
def train_ls_svm(
    X: Any,
    y: Any,
    *,
    gamma_ls: float = 1e4,
    kernel: LsKernel = "rbf",
    degree: int = 3,
    gamma: float | GammaRule = "scale",
    coef0: float = 0.0,
    method: LsMethod = "matching_pursuit",
    block_size: int | None = None,
    n_iter: int | None = None,
    n_average: int = 1,
    tol: float = 1e-3,
    regression: bool = False,
    warm_start: LsSvmModel | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> LsSvmModel:
    """Trains a least-squares support vector machine by random blocks of the kernel matrix, which is never held whole.

    min 1/2 sum_j (|w_j|^2 + gamma_ls sum_i e_ij^2), e_ij = z_ij - <phi(x_i), w_j> - b_j: one linear system for all classes
    (z_ij = 1 for the row's class, else 0). Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines (2016).

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`.
    y : array-like of shape (n,)
        Labels, numbers or text, at least two different ones; regression: (n,) or (n, n_targets) finite numbers.
    regression : bool, default=False
        y holds numbers to predict, of one target or several, and not labels.
    gamma_ls : float, default=10000.0
        Price of errors, > 0 (the paper's gamma).
    kernel : str, default='rbf'
        As for :func:`dcsvm.train`, without precomputed; or "cosine_poly" ``(gamma x'z / (|x| |z|) + coef0)^degree``.
    degree, gamma, coef0
        Parameters of the kernel, as for :func:`dcsvm.train`.
    method : str, default='matching_pursuit'
        "matching_pursuit" fits random columns to the residual, which never grows; "kaczmarz" projects on random rows;
        "kaczmarz_mp" does both on the same block (a line search keeps them from undoing each other), at the price of all
        kernel values in each step; "nystrom" averages n_iter solutions of blocks; "exact" Cholesky in double up to 10,000
        rows, else conjugate gradients.
    block_size : int or None, default=None
        J: rows of a block, at most n; None: 2,000, or n / 4.
    n_iter : int or None, default=None
        T: steps, at most; None: as many as cover all rows four times (nystrom: 6 members, exact: 1,000 steps).
    n_average : int, default=1
        S: models of different seeds whose weights are averaged; "exact" has no seed and trains one.
    tol : float, default=0.001
        Stop when ``|Z - Theta W| / |Z|`` is below. Before a training says "converged", this residual is computed in double, at
        n^2 kernel values. (kaczmarz estimates it until its end from the blocks of the last pass over the rows; nystrom knows
        none: infinity.)
    warm_start : LsSvmModel or None, default=None
        A model of the same rows and classes to go on from (not nystrom).
    random_state, n_jobs, max_seconds, callback, verbose
        As for :func:`dcsvm.train`; the callback sees n_iter and violation, the residual.

    Returns
    -------
    LsSvmModel
        The model, which keeps all rows; ``report`` says what the training did.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`dcsvm.train`.

    Warns
    -----
    ConvergenceWarning
        When "exact" did not converge, or when it was cancelled or stagnated.

    Notes
    -----
    Memory: 4 n J bytes for a block, 4 n n_features for packed rows and as much as X for the model's copy, 56 n n_outputs,
    16 J^2 for a block's factor; "exact" by Cholesky 8 n (n + n_features). Unlike dcsvm.train's, reaching n_iter is no
    warning: it is how the method is used. "exact", cancelled and stagnated trainings warn; the estimators warn always.

    Examples
    --------
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
    classes = None
    if not p.regression:
        y, _, classes = coded(y, None)
    targets, n_targets = _targets(y, data.shape[0], p.regression)
    coef, intercept = _start(warm_start, p, data.shape[0], targets, n_targets)

    def solve(watch: Callback | None) -> _core.LsSvmModel:
        return _core.train_ls_svm(data, targets, p, n_targets, coef, intercept, watch)

    return trained(LsSvmModel, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X, classes=classes)


def _targets(y: Any, n: int, regression: bool) -> tuple[FloatArray, int]:
    if not regression:
        return as_labels("y", y, n), 1
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] >= 1:
        columns = [as_targets("y", column, n) for column in given.T]
        return np.ascontiguousarray(np.stack(columns, axis=1)).ravel(), len(columns)
    return as_targets("y", y, n), 1


def _start(
    model: LsSvmModel | None, p: _core.LsSvmParams, n: int, targets: FloatArray, n_targets: int
) -> tuple[FloatArray | None, FloatArray | None]:
    if model is None:
        return None, None
    if not isinstance(model, LsSvmModel):
        raise ValueError(f"warm_start must be an LsSvmModel or None, got {type(model).__name__}")
    if p.method == "nystrom":
        raise ValueError("warm_start: the committee of method='nystrom' has no start")
    outputs = n_targets if p.regression else len(distinct(targets))
    if model.dual_coef_.shape != (outputs, n) or model._core.regression != p.regression:
        raise ValueError(
            f"warm_start has coefficients of shape {model.dual_coef_.shape}, but here they have shape {(outputs, n)}: it must be "
            "a model of the same rows and classes"
        )
    return model._core.coef(), model._core.intercept()
