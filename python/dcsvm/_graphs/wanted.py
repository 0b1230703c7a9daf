"""What a graph is made of: a model that has a file, and how the estimator around it answers."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy.typing as npt

from .._input.validate import FloatArray


class Trained(Protocol):
    """What a graph reads of a native model."""

    @property
    def n_features_in_(self) -> int:
        """Columns of X."""
        ...

    @property
    def report(self) -> Any:
        """What the training did; None where that is not known."""
        ...

    def to_bytes(self, *, timings: bool = True) -> bytes:
        """The content of its file."""
        ...

    def _as_labels(self, values: FloatArray) -> npt.NDArray[Any]:
        """Of the core's labels the user's."""
        ...


class Sigmoids(NamedTuple):
    """1 / (1 + exp(a t + b)) of each column of decision_function; of_pairs: a column is a pair of classes."""

    a: FloatArray
    b: FloatArray
    of_pairs: bool


class Wanted(NamedTuple):
    """How an estimator answers, where that differs from its native model.

    decision: "native" | "of_classes": a column for each class from the votes of pairs | "difference" of two columns.
    label_by: "votes", as the native model | "decision" | "probabilities". probabilities: None where the native model has them.
    sigmoids: those of an estimator. zero_inside: of one-class models."""

    decision: str = "native"
    label_by: str = "votes"
    probabilities: bool | None = None
    sigmoids: Sigmoids | None = None
    zero_inside: bool = False
    two_dimensional: bool = False  # of a regression of one target
