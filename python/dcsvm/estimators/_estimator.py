"""What estimators around one native model share: parameters, rows, weights, seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._base.validate import FloatArray
from ._inputs import FLOATS, scale_of_repeated


class NativeEstimator(BaseEstimator):
    """One native model, ``model_``, under scikit-learn's names; rows may be sparse."""

    kernel: Any
    gamma: float | str
    random_state: Any
    n_jobs: int | None
    model_: Any

    def _store(self, arguments: Mapping[str, Any]) -> None:
        """Keeps what __init__ was given, as it is."""
        for name, value in arguments.items():
            if name not in {"self", "__class__"}:
                setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _training_data(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """X, dense or CSR, and y; notes number and names of the features."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, **how)
        return X, y

    def _rows(self, X: Any) -> Any:
        """X for a fitted model."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)

    def _weights(self, sample_weight: Any, X: Any) -> FloatArray | None:
        return None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)

    def _gamma_for(self, X: Any, weights: FloatArray | None) -> float | str:
        """gamma; "scale" counts rows as often as whole weights repeat them."""
        scaled = self.gamma == "scale" and self.kernel in ("rbf", "poly", "sigmoid")
        return (scale_of_repeated(X, weights) if scaled else None) or self.gamma

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo("i").max))

    @property
    def report_(self) -> Any:
        """What the training did."""
        check_is_fitted(self)
        return self.model_.report
