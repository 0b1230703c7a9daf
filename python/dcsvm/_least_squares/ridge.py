"""Kernel ridge regression, exact."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _core
from .._base import validate
from .._base.parameters import fill
from .._svm.model import Model
from .._svm.train import Callback, ConvergenceWarning


def train_ridge(
    X: Any,
    y: Any,
    *,
    alpha: float = 1.0,
    kernel: str = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 1000,
    cache_size: float = 2000,
    precision: str = "single",
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> Model:
    """Solves (K + alpha I) a = y; the model predicts sum_i a_i K(x_i, x), without intercept (centre y where it needs one).

    X : (n, n_features) array or scipy CSR, or (n, n) for kernel="precomputed", as for :func:`dcsvm.train`
    y : (n,) numbers
    alpha : > 0; a row of weight w has alpha / w
    kernel, degree, gamma, coef0 : as for :func:`dcsvm.train`
    solver : "cholesky" in blocks, 8 * n * n bytes | "cg" conjugate gradients with a Nystrom preconditioner; the kernel matrix is
        kept where it fits half of cache_size, else computed anew in every step | "auto" cholesky up to 6,000 rows that fit
    tol, max_iter : cg: of the residual, relative to |y|; steps
    cache_size : MB
    precision : of kernel values; "double" where alpha is tiny
    sample_weight : (n,) >= 0; rows of weight 0 do not take part
    random_state : of the rows that make the preconditioner; n_jobs, callback : as for :func:`dcsvm.train`

    Returns a :class:`dcsvm.Model` of formulation "kernel_ridge"; ``report.violation`` is the largest component of
    y - (K + alpha I) a. Warns :class:`dcsvm.ConvergenceWarning` when cg stopped early. Raises ValueError for bad values and data,
    and for kernels that are not positive definite; MemoryError when ``cache_size`` is too small for "cholesky".

    >>> import dcsvm, numpy as np
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> model = dcsvm.train_ridge(X, np.sin(6 * X[:, 0]), alpha=1e-3, gamma=10)
    >>> bool(abs(model.predict(X) - np.sin(6 * X[:, 0])).max() < 0.05)
    True
    """
    p = fill(_core.RidgeParams(), locals())
    data = validate.as_data("X", X)
    targets = validate.as_targets("y", y, data.shape[0])
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, data.shape[0])
    model = Model(_core.train_ridge(data, targets, p, weights, callback))
    report = model.report
    if report.stop_reason != "converged":
        message = f"training stopped with {report.stop_reason!r} after {report.n_iter:,} steps"
        message += f"; the largest residual is {report.violation:.3g}"
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return model
