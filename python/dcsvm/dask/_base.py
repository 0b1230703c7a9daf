"""What the estimators on a cluster share."""

from __future__ import annotations

import copy
import logging
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from dask.delayed import delayed
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._distributed.engine import PartitionError
from .._shown.docstrings import Entry, described
from ..estimators._bases import ClassifierMixin
from ..estimators._docs import FITTED, of_rows
from ..estimators._estimator import ParametersEstimator, RowsEstimator
from ..estimators._parameters import parameter
from ._data import client_of, is_lazy, lazily, parts_of

LAZY_X = (
    "X",
    "dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)",
    "Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an array.",
)


def of_collection(name: str, kind: str, text: str) -> Any:
    """Describes a fitted estimator's method of X."""
    return of_rows(name, kind, text, x=LAZY_X)


def of_training(y: Entry) -> Any:
    """Describes a fit."""
    weight = (
        "sample_weight",
        "collection or array-like of shape (n_samples,), default=None",
        "Weights of the rows, partitioned as X. Rows of weight 0 take no part.",
    )
    return described(_TRAINING_X, y, weight, returns=FITTED, raises=_OF_FIT)


def of_score(returned: str) -> Any:
    """Describes a score."""
    y = ("y", "collection or array-like of shape (n_samples,)", "What is compared with the predictions, partitioned as X.")
    weight = ("sample_weight", "collection or array-like of shape (n_samples,), default=None", "Weights of the rows.")
    x = ("X", LAZY_X[1], "Rows. A collection is scored where its partitions are.")
    return described(x, y, weight, returns=("score", "float", returned), raises=[("NotFittedError", "Before ``fit``.")])


_TRAINING_X = (
    "X",
    "dask.array.Array, dask.dataframe.DataFrame, or list of Delayed or Future, of shape (n_samples, n_features)",
    "Training rows; each entry of a list is a partition.",
)
LABELS = (
    "y",
    "collection or array-like of shape (n_samples,)",
    "Class labels, partitioned as X, or an array in memory where X's chunks are known.",
)
TARGETS = ("y", LABELS[1], "Targets, partitioned as X, or an array in memory where X's chunks are known.")
_OF_FIT = (
    ("PartitionError", "For a partition that cannot be used: naming the partition, row and column; a ValueError."),
    ("TaskError", "When a step failed again after it was repeated."),
    ("ValueError", "For parameters that are not allowed."),
)

log = logging.getLogger("dcsvm.dask")


@dataclass(kw_only=True, repr=False, eq=False)
class ClusterParameters:
    """Of all estimators that train on a cluster."""

    client: Any = parameter(
        None, "The cluster's client; None: the current one. Not kept in pickles.", object, kind="distributed.Client or None"
    )


class DaskEstimator(ParametersEstimator):
    """What the estimators on a cluster share. Each has the parameters of an estimator of one machine and, once it is fitted, such
    an estimator, which holds the model and answers. Fitted attributes are that estimator's."""

    _local_class: ClassVar[type[Any]]
    _what: ClassVar[str]  #: what y is: "labels", "targets" or "nothing"
    _local: RowsEstimator  #: fitted
    report_: Any  #: what the training did
    client: Any
    callback: Any
    verbose: Any

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        local = getattr(vars(cls).get("_local_class"), "__name__", None)
        if local is not None:
            if cls.__name__ != f"Dask{local}":
                raise TypeError(f"expected the name Dask{local}, by which {local} finds its twin; got {cls.__name__}")
            cls.__module__ = "dcsvm.dask"  # what users import from, and what pickles name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not name.endswith("_"):
            there = f": to_local().{name} is the one of {self._local_class.__name__}"
            hint = there if not name.startswith("_") and name in dir(self._local_class) else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")
        check_is_fitted(self)
        return getattr(self._local, name)

    def __dir__(self) -> list[str]:
        fitted = [name for name in dir(vars(self).get("_local")) if name.endswith("_") and not name.startswith("_")]
        return sorted({*super().__dir__(), *fitted})

    def __sklearn_is_fitted__(self) -> bool:
        return "_local" in vars(self)

    def to_local(self) -> Any:
        """The fitted estimator of one machine, which needs no Dask: for prediction, pickling and files.

        Returns
        -------
        object
            Of the class without "Dask" in its name, with the same model.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self)
        local = self._unfitted()
        parameters = local._parameters()
        vars(local).update({name: value for name, value in vars(self._local).items() if name not in parameters})
        return local

    def _unfitted(self) -> Any:
        """The estimator of one machine with this one's parameters."""
        own = {f.name for f in fields(self._local_class) if f.init}
        return self._local_class(**{name: value for name, value in self._parameters().items() if name in own})

    def _tell(self, done: Any, text: str) -> bool:
        """One line of the log and the callback with `done`, after a round or a pass. True: stop."""
        log.log(logging.WARNING if self.verbose else logging.INFO, text)
        return bool(self.callback is not None and self.callback(done))

    def _seed(self) -> int:
        """0 without a random_state, so that the same partitions give the same model."""
        state = getattr(self, "random_state", None)
        return 0 if state is None else int(check_random_state(state).randint(2**31))

    @property
    def client_(self) -> Any:
        """The client that trained, or the current one."""
        return client_of(vars(self).get("_client") or self.client)

    def __sklearn_clone__(self) -> Any:
        own = self.get_params(deep=False)
        return type(self)(**{name: value if name == "client" else copy.deepcopy(value) for name, value in own.items()})

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_client", None)
        return {**state, "client": None}

    def _answer(self, method: str, X: Any, dtype: Any, columns: list[str] | None = None) -> Any:
        """The local estimator's method of X: of a collection lazily, else at once."""
        local = self.to_local()
        if not is_lazy(X):
            return getattr(local, method)(X)
        local.n_jobs = local.n_jobs or 1  # partitions are predicted side by side
        if hasattr(local, "callback"):
            local.callback = None
        return lazily((partial(called, method), delayed(local, pure=True)), X, dtype, columns)


def keep_columns(local: RowsEstimator, n_features: int, names: Any) -> None:
    """Sets the fitted attributes that say how many columns X has, and their names where these are text."""
    local.n_features_in_ = n_features
    if names is not None and all(isinstance(name, str) for name in names):
        local.feature_names_in_ = np.array(names, dtype=object)


class LazyClassifier(ClassifierMixin, DaskEstimator):
    """Class labels, lazily."""

    _what = "labels"
    classes_: npt.NDArray[Any]

    def _has_pairs(self) -> bool:
        """Whether the columns of decision_function are pairs of classes."""
        return False

    @of_collection("y_pred", "collection or ndarray of shape (n_samples,)", "Labels; of a DataFrame a Series.")
    def predict(self, X: Any) -> Any:
        """Classify the rows of X.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        y_pred : collection or ndarray of shape (n_samples,)
            Labels; of a DataFrame a Series.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return self._answer("predict", X, self.classes_.dtype)

    @of_collection(
        "decisions",
        "collection or ndarray of shape (n_samples,) or (n_samples, n_columns)",
        "As on one machine; of a DataFrame and several classes a DataFrame whose columns name the classes.",
    )
    def decision_function(self, X: Any) -> Any:
        """Evaluate the decision function for the rows of X.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. Of a collection the answer is a collection, computed when it is asked for; of an array in memory an
            array.

        Returns
        -------
        decisions : collection or ndarray of shape (n_samples,) or (n_samples, n_columns)
            As on one machine; of a DataFrame and several classes a DataFrame whose columns name the classes.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        k = len(self.classes_)
        names = [str(c) for c in self.classes_]
        if self._has_pairs():
            names = [f"{names[i]}/{names[j]}" for i in range(k) for j in range(i + 1, k)]
        return self._answer("decision_function", X, np.dtype(np.float64), None if k == 2 else names)

    @of_score("Accuracy, weighted.")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of right labels.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or array-like, of shape (n_samples, n_features)
            Rows. A collection is scored where its partitions are.
        y : collection or array-like of shape (n_samples,)
            What is compared with the predictions, partitioned as X.
        sample_weight : collection or array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            Accuracy, weighted.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        if not is_lazy(X):
            return float(self.to_local().score(X, y, sample_weight))
        sums = scored(self, X, y, sample_weight, "labels")
        return float(sums[0] / sums[1])


def called(method: str, block: Any, *, model: Any) -> npt.NDArray[Any]:
    """model.method(block), also for a block without rows."""
    if not block.shape[0]:
        one = np.zeros((1, model.n_features_in_))
        return np.asarray(getattr(model, method)(one)[:0])
    named = getattr(model, "feature_names_in_", None)
    rows = block.to_numpy() if hasattr(block, "to_numpy") and named is None else block
    return np.asarray(getattr(model, method)(rows))


def scored(estimator: Any, X: Any, y: Any, weight: Any, what: str) -> npt.NDArray[Any]:
    parts, blocks = parts_of(X, y, weight, what)
    local = delayed(estimator.to_local(), pure=True)
    found = client_of(estimator.client).compute([delayed(_score_part)(local, p, blocks.names) for p in parts], sync=True)
    for one in found:
        if isinstance(one, PartitionError):
            raise one
    return np.asarray(np.sum(found, axis=0))


def _score_part(model: Any, part: Any, columns: list[str] | None) -> Any:
    """columns : the names of a data frame's columns, which a model that knows names compares with its own"""
    if isinstance(part, PartitionError):
        return part
    rows = part.X
    if columns is not None and isinstance(rows, np.ndarray):
        import pandas as pd

        rows = pd.DataFrame(rows, columns=columns)
    weight = np.ones(part.n) if part.weight is None else part.weight
    answer = called("predict", rows, model=model)
    if hasattr(model, "classes_"):
        return np.array([weight @ (answer == part.y), weight.sum()])
    return np.array([weight.sum(), weight @ part.y, weight @ part.y**2, weight @ (part.y - answer) ** 2])
