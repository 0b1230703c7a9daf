"""Kernel ridge regression."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from .._shown.watching import stopped
from ._class import solved_by_dcsvm

_KERNELS = {name: name for name in ("linear", "rbf", "poly", "sigmoid", "precomputed")} | {"polynomial": "poly"}
_TOL = 1e-10  # scikit-learn solves by a factorisation in double


class RidgeSolver:
    """Before KernelRidge of scikit-learn."""

    _ours: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """As scikit-learn's, solved by dcsvm."""
        vars(self).pop("_dcsvm", None)

        def solve() -> None:
            self._solve(X, y, sample_weight)

        def why_not() -> str:
            return self._why_not(y, sample_weight)

        if not solved_by_dcsvm(self, why_not, solve):
            parent: Any = super()
            parent.fit(X, y, sample_weight)
        return self

    def _why_not(self, y: Any, sample_weight: Any) -> str:
        own: Any = self
        if not isinstance(own.kernel, str) or own.kernel not in _KERNELS:
            return f"dcsvm has no kernel {own.kernel!r}"
        if not isinstance(own.degree, Integral):
            return "the degree is not a whole number"
        if np.ndim(own.alpha) or own.alpha <= 0:
            return "alpha is not one number above 0"
        if np.ndim(y) != 1:
            return "dcsvm has one target"
        return "sample_weight is one number" if sample_weight is not None and np.ndim(sample_weight) == 0 else ""

    def _solve(self, X: Any, y: Any, sample_weight: Any) -> None:
        own: Any = self
        own._validate_params()
        X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), multi_output=True, y_numeric=True)
        gamma = 1.0 / X.shape[1] if own.gamma is None else own.gamma
        inner = self._ours(
            alpha=float(own.alpha),
            kernel=_KERNELS[own.kernel],
            gamma=gamma,
            degree=int(own.degree),
            coef0=float(own.coef0),
            tol=_TOL,
            precision="double",
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            inner.fit(X, y, sample_weight)
        if inner.report_.stop_reason != "converged":
            raise ArithmeticError(stopped(inner.report_.stop_reason, f"{inner.report_.n_iter} steps", ""))
        own.X_fit_, own.dual_coef_, own._dcsvm = X, np.array(inner.dual_coef_), inner

    def predict(self, X: Any) -> Any:
        """As scikit-learn's, computed by dcsvm."""
        own, parent = cast(Any, self), cast(Any, super())
        inner = vars(self).get("_dcsvm")
        if inner is None or not np.array_equal(own.dual_coef_, inner.dual_coef_):
            return parent.predict(X)
        rows = validate_data(self, X, accept_sparse=("csr", "csc"), reset=False)
        return inner.predict(rows)
