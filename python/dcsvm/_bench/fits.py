"""A problem, what a solver is told, and what its training gave: the same for dcsvm and its peers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """X (n, d) float64 (embeddings: float32), dense or CSR; y (n,) float64 labels; params: of dcsvm.train."""

    name: str
    X_train: Any
    y_train: npt.NDArray[Any]
    X_test: Any = None
    y_test: Any = None
    params: dict[str, Any] = field(default_factory=dict)
    tested_on: str = "test"  # "train" where the data has no test part: an accuracy that says only that fits agree
    regression: bool = False  # y are numbers
    formulation: str = "c_svc"

    @property
    def C(self) -> float:
        return float(self.params["C"])

    @property
    def gamma(self) -> float:
        return float(self.params["gamma"])

    @property
    def data_bytes(self) -> int:
        """Of the training part."""
        x = self.X_train
        return int(sum(a.nbytes for a in ((x.data, x.indices, x.indptr) if hasattr(x, "indptr") else (x,))) + self.y_train.nbytes)


@dataclass(frozen=True)
class Settings:
    tol: float = 1e-3
    cache_mb: float = 4000
    threads: int = 2
    options: dict[str, Any] = field(default_factory=dict)  # of this peer, as its own package names them


@dataclass(frozen=True)
class Dual:
    """A dual's solution: rows of the training data and multipliers on them. classes (first, second): alpha >= 0 on the rows
    of these; None: alpha (one_class) or alpha - alpha* (regressions), the dual is of all rows."""

    rows: Array
    multipliers: Array
    classes: tuple[float, float] | None = None


@dataclass
class Fit:
    """What a training gave.

    seconds : the training call
    predict : X -> labels
    solution : the multipliers of each dual, None where the peer does not solve this dual
    prepare_seconds : conversion of the data to the peer's own form, not part of seconds (in the peer's favour)
    predict_form : X -> the peer's own form for predict, likewise
    notes : the peer's own report
    labels : X -> labels of the same model by a faster way, for the accuracy of rows whose prediction is not timed
    weights : of a linear model, each class's against the rest: (features and the bias, vectors)
    model : dcsvm's own
    """

    seconds: float
    predict: Callable[[Any], npt.NDArray[Any]]
    solution: list[Dual] | None = None
    prepare_seconds: float = 0.0
    predict_form: Callable[[Any], Any] = lambda x: x
    notes: dict[str, Any] = field(default_factory=dict)
    labels: Callable[[Any], npt.NDArray[Any]] | None = None
    weights: npt.NDArray[np.float64] | None = None
    model: Any = None


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


clock: Callable[[Callable[[], Any]], tuple[Any, float]] = timed  # of the training call; the workshop's (bench) measures more


def timed_fit(call: Callable[[], Any]) -> tuple[Any, float]:
    """timed, for the training call."""
    return clock(call)
