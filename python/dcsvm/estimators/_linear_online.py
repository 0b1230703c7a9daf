"""``partial_fit`` of the linear estimators: one pass over rows that come one after another, and a solution of all in the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from .._input.validate import FloatArray, shown
from ._estimator import RowsEstimator
from ._inputs import checked, codes_of_batch, labels_of, parameters_checked
from ._logistic_problem import Weights

if TYPE_CHECKING:
    from typing_extensions import Self

    from .._linear.model import LinearModel

_MOST_KEPT = 1000 * 2**20  # bytes of rows that partial_fit keeps for finish
_JOINED = 2**20  # bytes up to which two batches become one: single rows as objects take several times their bytes
_GONE = (
    "finish needs all rows that came, and they are gone: partial_fit keeps up to 1000 MB of rows from its first call on, but not "
    "those of fit or of a model file. The model is that of the passes. For an optimum, fit takes rows in memory, and "
    "train_linear_file a larger file"
)


class LearnsRows(RowsEstimator):
    """Before a linear estimator whose problem has a step for a single row.

    The state of the descent on the dual is the weights alone: a row that came is not visited again, so that its dual variables
    need not be kept.
    """

    _kept: dict[str, Any]  # "batches": X, y as the core takes them and weights or None, of each call; "bytes". Missing: gone

    def _learn(self, first: bool, X: Any, y: FloatArray, weights: FloatArray | None) -> None:
        """One pass over the rows, from the present model; from zeros, when they are the first."""
        raise NotImplementedError

    def _solve(self, X: Any, y: Any, weights: FloatArray | None) -> None:
        """What ``fit`` does with rows that have been checked."""
        raise NotImplementedError

    @contextlib.contextmanager
    def _learning(self) -> Iterator[bool]:
        """Whether these rows are the first. After an error the estimator is what it was."""
        before = dict(vars(self))
        try:
            yield not hasattr(self, "n_iter_")
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _add(self, first: bool, X: Any, y: FloatArray, weights: FloatArray | None) -> None:
        """Learns rows that have been checked, and keeps those of weight above 0."""
        self._learn(first, X, y, weights)
        if first:
            self._kept = {"batches": [], "bytes": 0}
        if not hasattr(self, "_kept"):
            return
        if weights is None:
            batch = [X.copy(), y.copy(), None]
        else:
            some = np.flatnonzero(weights > 0)  # as an index it makes a copy
            batch = [X[some], y[some], np.asarray(weights[some], dtype=np.float64)]
        batches, size = [*self._kept["batches"], batch], self._kept["bytes"] + _bytes_of(batch)
        while len(batches) > 1 and _become_one(*batches[-2:]):
            joined = _joined(batches[-2:])
            size += _bytes_of(joined) - sum(map(_bytes_of, batches[-2:]))
            batches[-2:] = [joined]
        if size > _MOST_KEPT:
            del self._kept
        elif len(batch[1]):
            self._kept = {"batches": batches, "bytes": size}

    def _begun(self, first: bool, solver: str, bias: float, vectors: int, n_classes: int) -> LinearModel:
        """The model from which the pass goes on: zeros for the first rows."""
        if first:
            return Weights(np.zeros((vectors, self.n_features_in_)), np.zeros(vectors)).model(solver, bias, n_classes)
        model: LinearModel = self.model_
        if (model.solver, model.bias) != (solver, bias):
            raise ValueError(
                f"partial_fit goes on from a model of {model.solver!r} with the bias {model.bias:g}, but the parameters now mean "
                f"{solver!r} with {bias:g}: set them back, or begin anew with fit or a clone"
            )
        return model

    def finish(self) -> Self:
        """Solve the problem of all rows that came in ``partial_fit``: the model is that of ``fit`` on them, with its report.

        More rows may follow. ``partial_fit`` keeps copies of the rows, up to 1000 MB; when they become more, all are dropped.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        NotFittedError
            Before the first ``partial_fit``.
        ValueError
            When the rows are gone: they took more than 1000 MB, or some came in ``fit`` or before a model file was written. While
            a class has no row of weight above 0.
        """
        check_is_fitted(self)
        batches = getattr(self, "_kept", {"batches": None})["batches"]
        if batches is None:
            raise ValueError(_GONE)
        classes = getattr(self, "classes_", None)
        came = np.unique(np.concatenate([np.zeros(0), *(y for _, y, _ in batches)]))
        if classes is not None and len(came) < len(classes):
            missing = np.setdiff1d(np.arange(len(classes)), came)[0]
            raise ValueError(f"finish needs rows of every class; none came of {shown(classes[missing])}")
        if not batches:
            raise ValueError("finish needs rows of weight above 0; none came")
        rows = _joined(batches)
        with self._learning():
            self._solve(rows[0], rows[1] if classes is None else classes[rows[1].astype(np.intp)], rows[2])
            self._kept = {**self._kept, "batches": [rows]}
        return self


class LearnsLabelledRows(LearnsRows):
    """Likewise of a classifier."""

    classes_: npt.NDArray[Any]

    @parameters_checked
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: one pass over them, from the present weights.

        Rows come in random order. Each takes the step of dual coordinate descent that is best for it while all other rows stay as
        they are. C is the price of each row, whenever it comes. The steps count the bias among the weights that are regularised,
        also where ``fit`` does not. No optimum is claimed: :meth:`finish` reaches it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows, one or more.
        y : array-like of shape (n_samples,)
            Their labels, all in `classes`.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; required in the first call, unless ``fit`` came before.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C, >= 0. Rows of weight 0 take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For a first call without `classes`, a label that is not in them, ``class_weight="balanced"``, a penalty other than l2,
            parameters that mean another model than the present one, and as ``fit``. The estimator is then what it was before.
        """
        with self._learning() as first:
            X, y = checked(self, X, y, reset=first)
            weights = self._weights(sample_weight, X)
            self._add(first, X, codes_of_batch(self, labels_of(y), classes).astype(np.float64), weights)
        return self


def _bytes_of(batch: list[Any]) -> int:
    X = batch[0]
    arrays = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
    return sum(array.nbytes for array in (*arrays, *batch[1:]) if array is not None)


def _become_one(one: list[Any], other: list[Any]) -> bool:
    """Each row is copied as often as the number of small batches doubles."""
    alike = sp.issparse(one[0]) == sp.issparse(other[0]) and one[0].dtype == other[0].dtype
    return alike and len(one[1]) <= len(other[1]) and _bytes_of(one) + _bytes_of(other) <= _JOINED


def _joined(batches: list[list[Any]]) -> list[Any]:
    if len(batches) == 1:
        return batches[0]
    X, y, weights = zip(*batches, strict=True)
    if any(sp.issparse(rows) for rows in X):
        rows = sp.vstack([sp.csr_matrix(rows) for rows in X], format="csr")
    else:
        rows = np.concatenate(X)
    some = [np.ones(len(labels)) if given is None else given for labels, given in zip(y, weights, strict=True)]
    return [rows, np.concatenate(y), None if all(given is None for given in weights) else np.concatenate(some)]
