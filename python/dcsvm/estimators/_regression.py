"""Regression: epsilon-SVR and nu-SVR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._input.validate import FloatArray
from ._bases import RegressorMixin
from ._docs import KERNEL_X, OF_SVM, TRAINING_KERNEL_X, documented, of_rows, of_training
from ._inputs import parameters_checked, targets_of
from ._parameters import (
    TRAIN,
    CostAndBiasParameters,
    CostParameter,
    KernelParameters,
    LevelParameters,
    NuParameter,
    SolverChoice,
    SolverParameters,
    declared,
)
from ._svm import BaseSVM
from ._warm import one_problem_start

if TYPE_CHECKING:
    from typing_extensions import Self


class BaseSVR(RegressorMixin, BaseSVM):
    """Numbers in, numbers out."""

    @parameters_checked
    @of_training(
        "array-like of shape (n_samples,)",
        "Targets.",
        "Factors of each row's C. Rows of weight 0 or below take no part.",
        x=TRAINING_KERNEL_X,
    )
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model."""
        self._fit(X, y, sample_weight)
        self.n_iter_: int = int(self._num_iter[0])
        return self

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        upper = np.full(n, self._options(n)["C"])
        return one_problem_start(self._model, upper if weights is None else upper * weights, None)

    def _targets(self, y: Any, weights: FloatArray | None) -> tuple[Any, FloatArray | None]:
        return targets_of(y), weights

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Predicted values.", x=KERNEL_X)
    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of the rows of X."""
        return self._predictions(X)


@dataclass(kw_only=True, repr=False, eq=False)
class SVRParameters(LevelParameters, SolverChoice, SolverParameters, KernelParameters, CostAndBiasParameters):
    """Of SVR, here and on a cluster."""

    epsilon: float = declared(
        TRAIN["epsilon"], text="Half the width of the tube around the prediction in which targets cost nothing."
    )


@documented(*OF_SVM)
@dataclass(kw_only=True, repr=False, eq=False)
class SVR(SVRParameters, BaseSVR):
    """Epsilon-support vector regression: scikit-learn's ``SVR``, solved on all cores.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

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


@documented(*OF_SVM)
@dataclass(kw_only=True, repr=False, eq=False)
class NuSVR(SolverChoice, BaseSVR, NuParameter, CostParameter):
    """Nu-support vector regression: scikit-learn's ``NuSVR``, solved on all cores.

    nu sets the share of rows that may lie outside the tube, and so the tube's width.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

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
