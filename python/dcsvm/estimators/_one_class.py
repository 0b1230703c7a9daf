"""Outlier detection: the region where most rows lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._input.validate import FloatArray
from .._svm.model import Model
from ._bases import OutlierMixin
from ._docs import KERNEL_X, OF_SVM, TRAINING_KERNEL_X, documented, of_rows, of_training
from ._inputs import parameters_checked
from ._parameters import KernelParameters, LevelParameters, NuParameter, SolverChoice, SolverParameters
from ._svm import BaseSVM
from ._warm import one_problem_start

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, repr=False, eq=False)
class OneClassParameters(LevelParameters, SolverChoice, SolverParameters, KernelParameters, NuParameter):
    """Of OneClassSVM, here and on a cluster."""


@documented(*OF_SVM, "offset_")
@dataclass(kw_only=True, repr=False, eq=False)
class OneClassSVM(OneClassParameters, OutlierMixin, BaseSVM):
    """Unsupervised outlier detection: scikit-learn's ``OneClassSVM``, solved on all cores.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    See Also
    --------
    SVC : Classification.

    References
    ----------
    .. [1] Schölkopf, Platt, Shawe-Taylor, Smola, Williamson: Estimating the Support of a High-Dimensional Distribution, Neural
       Computation 13, 2001.

    Examples
    --------
    >>> from dcsvm import OneClassSVM
    >>> OneClassSVM(gamma="auto").fit_predict([[0], [0.44], [0.45], [0.46], [1]]).tolist()
    [-1, 1, 1, 1, -1]
    """

    _formulation = "one_class"

    @parameters_checked
    @of_training(
        "Ignored",
        "Present for the interface.",
        "Weights of the rows. Rows of weight 0 or below take no part.",
        x=TRAINING_KERNEL_X,
    )
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the region where the rows of X lie."""
        self._fit(X, None, sample_weight)
        self.n_iter_: int = int(self._num_iter[0])
        self.offset_: FloatArray = 0.0 - self._intercept_
        return self

    def _take(self, model: Model) -> None:
        super()._take(model)
        self.offset_ = 0.0 - self._intercept_

    def _targets(self, y: Any, weights: FloatArray | None) -> tuple[Any, FloatArray | None]:
        return None, weights

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        upper = np.ones(n) if weights is None else weights
        return one_problem_start(self._model, upper, self.nu * float(upper.sum()))

    @of_rows("dec", "ndarray of shape (n_samples,)", "The decision values.", x=KERNEL_X)
    def decision_function(self, X: Any) -> FloatArray:
        """Signed distance to the boundary, scaled: positive inside."""
        return self._decisions(X).ravel()

    @of_rows("score_samples", "ndarray of shape (n_samples,)", "The scores.", x=KERNEL_X)
    def score_samples(self, X: Any) -> FloatArray:
        """Decision values before the offset: ``decision_function(X) + offset_``."""
        return np.asarray(self.decision_function(X) + self.offset_)

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "1 or -1.", x=KERNEL_X)
    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """1 for rows inside, -1 for outliers."""
        return self._predictions(X).astype(np.intp)
