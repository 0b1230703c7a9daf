"""Probabilities of classifiers whose models have decision values alone, by Platt's method on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils._available_if import _AvailableIfDescriptor

from .. import _core
from .._graphs.wanted import Sigmoids, Wanted
from .._input.validate import FloatArray
from ._docs import of_rows
from ._inputs import above_zero
from ._parameters import parameter

_FOLDS = 5  # as LIBSVM
PROBABILITIES = ("T", "ndarray of shape (n_samples, n_classes)", "Columns in the order of ``classes_``.")


def _has_probability(self: Any) -> bool:
    if not self.probability:
        raise AttributeError("predict_proba is not available when probability=False: set probability=True before fit")
    return True


class _Calibrated(_AvailableIfDescriptor):
    """A method that is there with ``probability=True``. Else it is missed in Python's own words, as in scikit-learn's LinearSVC,
    which never has it; the advice is the cause of the error."""

    def __init__(self, method: Callable[..., Any]) -> None:
        super().__init__(method, _has_probability, method.__name__)

    def _check(self, obj: Any, owner: type) -> None:
        try:
            super()._check(obj, owner)
        except AttributeError as error:
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self.attribute_name!r}") from error.__cause__


@dataclass(kw_only=True, repr=False, eq=False)
class CalibratedParameters:
    probability: bool = parameter(
        False, "Calibrate probabilities, for predict_proba, on decision values of a 5-fold cross-validation.", "boolean"
    )


class CalibratedClassifier(CalibratedParameters):
    """A classifier with ``predict_proba`` after ``probability=True``.

    A sigmoid for each column of ``decision_function`` is fitted to held-out rows (Platt; Lin, Lin, Weng 2007). Columns of
    classes: the sigmoids are divided by their sum. Columns of pairs: pairwise coupling (Wu, Lin, Weng 2004), as in SVC.
    """

    classes_: npt.NDArray[Any]
    class_weight: Any

    def _calibrate(self, X: Any, y: npt.NDArray[Any], weights: FloatArray | None, seed: int) -> None:
        """To be called at the end of fit, with its labels and weights. Rows whose label is none of ``classes_`` are in the
        training part of every fold."""
        self._calibration: dict[str, list[float]] = {}
        if not self.probability:
            return
        known = np.flatnonzero(np.isin(y, self.classes_))
        codes = np.searchsorted(self.classes_, y[known])
        few = np.flatnonzero(np.bincount(codes) < 2)
        if len(few):
            raise ValueError(f"probability=True needs 2 rows of each class; class {self.classes_[few[0]]} has 1")
        decisions = np.zeros((len(known), 1 if len(self.classes_) == 2 else len(self._pairs()) or len(self.classes_)))
        for _, test in _core.make_folds(codes.astype(np.float64), min(_FOLDS, len(known)), True, seed):
            train = np.setdiff1d(np.arange(len(y)), known[test])
            twin: Any = clone(self).set_params(probability=False, class_weight=above_zero(self.class_weight), **self._for_folds())
            vars(twin).pop("_skl_callbacks", None)  # they are told of this fit, whose steps the folds are
            twin.fit(X[train], y[train], None if weights is None else weights[train])
            decisions[test] = twin.decision_function(X[known[test]]).reshape(len(test), -1)
        pairs = self._pairs()
        fitted = []
        for column in range(decisions.shape[1]):
            rows, positive = np.arange(len(known)), codes == column
            if pairs:
                rows = np.flatnonzero(np.isin(codes, pairs[column]))
                positive = codes == pairs[column][0]
            elif len(self.classes_) == 2:
                positive = codes == 1
            fitted.append(_core.fit_sigmoid(np.ascontiguousarray(decisions[rows, column]), positive[rows]))
        self._calibration = {"a": [a for a, _ in fitted], "b": [b for _, b in fitted]}

    def _for_folds(self) -> dict[str, Any]:
        """Parameters that the folds take from the fit."""
        return {}

    def _pairs(self) -> list[tuple[int, int]]:
        """The classes of each column of decision_function; none where a column is a class."""
        k = len(self.classes_)
        if k == 2 or getattr(self, "multi_class", "ovr") != "ovo":
            return []
        return [(i, j) for i in range(k) for j in range(i + 1, k)]

    def _wanted(self) -> Wanted:
        wanted: Wanted = super()._wanted()  # type: ignore[misc]
        if not wanted.probabilities or not self._calibration:
            return wanted
        a, b = (np.array(self._calibration[name]) for name in ("a", "b"))
        return wanted._replace(sigmoids=Sigmoids(a, b, bool(self._pairs())))

    @_Calibrated
    @of_rows(*PROBABILITIES)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for the rows of X. The most probable class need not be the one that ``predict`` gives.

        Needs ``probability=True`` before ``fit``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        T : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        decisions = np.asarray(self.decision_function(X))  # type: ignore[attr-defined]
        if not self._calibration:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False, or by partial_fit until finish"
            )
        decisions = np.ascontiguousarray(decisions.reshape(len(decisions), -1), dtype=np.float64)
        a, b = (np.array(self._calibration[name]) for name in ("a", "b"))
        if self._pairs():
            return _core.couple_pairs(a, b, len(self.classes_), decisions)
        with np.errstate(over="ignore"):
            each = 1 / (1 + np.exp(a * decisions + b))
        if each.shape[1] == 1:
            return np.column_stack([1 - each[:, 0], each[:, 0]])
        total = each.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, each / np.where(total > 0, total, 1), 1 / each.shape[1]))

    @_Calibrated
    @of_rows(*PROBABILITIES)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        T : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
