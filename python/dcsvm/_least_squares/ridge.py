"""Kernel ridge regression, exact."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._input.choices import GammaRule, Kernel, Precision, RidgeSolver
from .._input.labels import as_targets, training_rows
from .._input.parameters import fill, training
from .._model.training import trained
from .._shown.training_warnings import about, limit_met, some
from .._shown.watching import Callback, warn_stopped
from .._svm.model import Model


@training(_core.RidgeParams)
def train_ridge(
    X: Any,
    y: Any,
    *,
    alpha: float = 1.0,
    kernel: Kernel = "rbf",
    degree: int = 3,
    gamma: float | GammaRule = "scale",
    coef0: float = 0.0,
    solver: RidgeSolver = "auto",
    tol: float = 1e-6,
    max_iter: int = 1000,
    cache_size: float = 2000,
    precision: Precision = "single",
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> Model:
    """Solves (K + alpha I) a = y; the model predicts sum_i a_i K(x_i, x), without intercept (centre y where it needs one).

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`; (n, n) for kernel="precomputed".
    y : array-like of shape (n,)
        Finite numbers.
    alpha : float, default=1.0
        Weight of the regularisation, > 0; a row of weight w has alpha / w.
    kernel, degree, gamma, coef0
        As for :func:`dcsvm.train`.
    solver : str, default='auto'
        "cholesky" in blocks, 8 * n * n bytes | "cg" conjugate gradients with a Nystrom preconditioner; the kernel matrix
        is kept where it fits half of cache_size, else computed anew in every step | "auto" cholesky up to 6,000 rows that
        fit.
    tol : float, default=1e-6
        Bound of the residual ``|y - (K + alpha I) a|``, relative to ``|y|``; it is computed in double.
    max_iter : int, default=1000
        For cg: steps, at most.
    cache_size : float, default=2000
        MB of working memory.
    precision : str, default='single'
        Of kernel values, "single" or "double". Where the rounding of single precision keeps the residual above tol, the
        solution is refined, then solved in double; ``report.precision`` is "double" then, and so are predictions.
    sample_weight : array-like of shape (n,) or None, default=None
        At least 0; rows of weight 0 do not take part.
    random_state : int, Generator, RandomState or None, default=0
        Of the rows that make the preconditioner.
    n_jobs, max_seconds, callback, verbose
        As for :func:`dcsvm.train`; max_seconds ends cg alone, Cholesky's factorisation has no solution before its end.

    Returns
    -------
    Model
        Of formulation "kernel_ridge"; ``report.violation`` is the largest component of y - (K + alpha I) a.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        For bad values and data, and for kernels that are not positive definite.
    MemoryError
        When ``cache_size`` is too small for "cholesky".

    Warns
    -----
    ConvergenceWarning
        When cg stopped early, or when the rounding of double precision keeps the residual above tol ("stagnated").

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> model = dcsvm.train_ridge(X, np.sin(6 * X[:, 0]), alpha=1e-3, gamma=10)
    >>> bool(abs(model.predict(X) - np.sin(6 * X[:, 0])).max() < 0.05)
    True
    """
    p = fill(_core.RidgeParams(), locals())
    data, targets, weights = training_rows(X, y, sample_weight, as_targets)

    def solve(watch: Callback | None) -> _core.Model:
        return _core.train_ridge(data, targets, p, weights, watch)

    model = trained(Model, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X)
    report = model.report
    if report.stop_reason != "converged":
        limit, advice = "", ""
        if report.stop_reason == "max_iter":
            limit = limit_met("max_iter", max_iter, (), report.n_iter)
            advice = "raise max_iter, alpha or tol, or take solver 'cholesky'"
        elif report.stop_reason == "stagnated":
            advice = "the rounding of double precision keeps it above tol, raise alpha or tol"
        where = f"with a largest residual of {about(report.violation)} or more"
        warn_stopped(report.stop_reason, f"{some(report.n_iter)} steps", where, advice, limit)
    return model
