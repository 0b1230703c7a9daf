"""Regression: epsilon-SVR and nu-SVR."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils import column_or_1d

from .._base.validate import FloatArray
from ._base import BaseSVM, Kernel, ProgressCallback
from ._constraints import constraints
from ._docs import documented, of_rows, of_training
from ._warm import one_problem_start


class BaseSVR(RegressorMixin, BaseSVM):
    """Numbers in, numbers out."""

    C: float

    @_fit_context(prefer_skip_nested_validation=True)
    @of_training(
        "array-like of shape (n_samples,)", "Targets.", "Factors of each row's C. Rows of weight 0 or below take no part."
    )
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model."""
        self._fit(X, y, sample_weight)
        self.n_iter_ = int(self._num_iter[0])
        return self

    def _start(self, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        n = len(targets)
        upper = np.full(n, self._options(n)["C"])
        return one_problem_start(self._model, upper if weights is None else upper * weights, None)

    def _targets(self, y: Any, weights: FloatArray | None) -> tuple[Any, FloatArray | None]:
        return column_or_1d(y, warn=True).astype(np.float64, copy=False), weights

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Predicted values.")
    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of the rows of X."""
        return self._predictions(X)


@documented()
class SVR(BaseSVR):
    """Epsilon-support vector regression: scikit-learn's ``SVR``, solved on all cores.

    {sections}

    See Also
    --------
    NuSVR : Finds epsilon from nu.

    Examples
    --------
    >>> from dcsvm import SVR
    >>> SVR(kernel="linear", C=100, epsilon=0.01).fit([[0], [1], [2]], [0, 1, 2]).predict([[1.5]]).round(1).tolist()
    [1.5]
    """

    _formulation = "epsilon_svr"

    def __init__(
        self,
        *,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        fit_intercept: bool = True,
        solver: str = "auto",
        n_levels: int | None = None,
        branching: int = 4,
        sample_size: int = 1000,
        early_level: int | None = None,
        precision: str = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        callback: ProgressCallback | None = None,
    ) -> None:
        self._store(locals())


SVR._parameter_constraints = constraints(SVR._get_param_names())


@documented()
class NuSVR(BaseSVR):
    """Nu-support vector regression: scikit-learn's ``NuSVR``, solved on all cores.

    nu sets the share of rows that may lie outside the tube, and so the tube's width.

    {sections}

    See Also
    --------
    SVR : Takes the tube's width epsilon.

    Examples
    --------
    >>> from dcsvm import NuSVR
    >>> NuSVR(kernel="linear", C=100).fit([[0], [1], [2]], [0, 1, 2]).predict([[1.5]]).round(1).tolist()
    [1.5]
    """

    _formulation = "nu_svr"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        solver: str = "auto",
        precision: str = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        callback: ProgressCallback | None = None,
    ) -> None:
        self._store(locals())


NuSVR._parameter_constraints = constraints(NuSVR._get_param_names())
