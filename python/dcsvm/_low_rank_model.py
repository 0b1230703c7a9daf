"""Low-rank models and what their training reports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _validate
from ._model import labels_as_given

FloatArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class LowRankReport:
    """What a low-rank training did. Several problems: sums and the worst violation.

    ``objective`` is the dual's, 1/2 |w|^2 + sum D_i a_i^2 / 2 - sum a_i; ``primal_objective`` 1/2 |w|^2 + sum C_i loss_i, NaN
    after a training in blocks; their sum is the duality gap. ``violation`` is the largest projected gradient of all rows; in
    blocks: as the last pass met each block, before solving it.
    """

    stop_reason: str
    objective: float
    primal_objective: float
    violation: float
    n_iter: int
    n_passes: int
    n_blocks: int
    n_landmarks: int
    n_components: int
    n_support: int
    n_kernel_values: int
    negative_share: float
    lambda_: float
    seconds: dict[str, float]
    peak_cache_bytes: int
    C: float
    gamma: float
    isa: str
    n_threads: int

    def __repr__(self) -> str:
        phases = ", ".join(f"{k} {v:.2f}" for k, v in self.seconds.items() if k != "total" and v >= 0.005)
        lines = [
            ("stop reason", self.stop_reason),
            ("landmarks", f"{self.n_landmarks:,} ({self.n_components:,} features)"),
            ("objective", f"{self.objective:.6f}"),
            ("violation", f"{self.violation:.2e}"),
            ("support vectors", f"{self.n_support:,}"),
            ("steps", f"{self.n_iter:,} in {self.n_passes:,} passes, {self.n_blocks:,} blocks"),
            ("C, gamma", f"{self.C:.6g}, {self.gamma:.6g}"),
            ("seconds", f"{self.seconds.get('total', 0.0):.2f}" + (f" ({phases})" if phases else "")),
            ("features take", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
            ("ran on", f"{self.n_threads} threads, {self.isa}"),
        ]
        return "\n".join(f"{name:<16}{value}" for name, value in lines)


class LowRankModel:
    """A low-rank model: what :func:`dcsvm.train_low_rank` and :func:`dcsvm.load_model` return. Immutable; it pickles.

    ================== ==================================================================================================
    ``classes_``        labels, ascending; int64 when all are whole numbers, else float64
    ``landmarks_``      (n_landmarks, n_features): the landmarks that the map uses (random features: the directions; precomputed
                        kernel: empty)
    ``used_``           precomputed kernel and given landmarks: which of them are used
    ``coef_``           (n_problems, n_landmarks): a decision is the sum of coef * K(x, landmark) + intercept
    ``intercept_``      (n_problems,)
    ``alpha``           (n_problems, n) dual variables of the training; empty for models from files
    ``n_features_in_``  columns that predict expects
    ``report``          what the training did
    ================== ==================================================================================================

    n_problems is 1 for two classes; else n_classes ("ovr") or one for each pair ("ovo").
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.LowRankModel) -> None:
        if not isinstance(core, _core.LowRankModel):
            raise TypeError("a LowRankModel comes from dcsvm.train_low_rank, dcsvm.load_model or LowRankModel.from_bytes")
        self._core = core

    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels of the rows of X (n, n_features), with the dtype of ``classes_``: the largest decision, or with "ovo" the most
        votes; ties to the lower class. For a precomputed kernel X is K(X, landmarks) with all landmarks that training was given.
        Raises ValueError for another number of features, NaN or infinity (naming row and column)."""
        labels = _core.low_rank_predict(self._core, _validate.as_data("X", X), _validate.threads(n_jobs))
        return labels.astype(self.classes_.dtype, copy=False)

    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Two classes: (n,), positive for ``classes_[1]``. "ovr": (n, n_classes). "ovo": (n, n_pairs), column of the pair
        (i, j), i < j, positive for class i."""
        values = _core.low_rank_decision_function(self._core, _validate.as_data("X", X), _validate.threads(n_jobs))
        values = values.reshape(-1, len(self._core.intercept()))
        return -values[:, 0] if values.shape[1] == 1 else values

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model; a crash leaves the old file or the new one, never half. OSError when it cannot be written."""
        _core.save_low_rank_model(self._core, path)

    def to_bytes(self) -> bytes:
        """The content of the file that :meth:`save` writes."""
        return _core.low_rank_model_to_bytes(self._core)

    @classmethod
    def from_bytes(cls, data: bytes) -> LowRankModel:
        """The model that :meth:`to_bytes` gave. Raises dcsvm.ModelError for anything damaged."""
        return cls(_core.low_rank_model_from_bytes(bytes(data)))

    def __reduce__(self) -> tuple[Any, ...]:
        return LowRankModel.from_bytes, (self.to_bytes(),)

    @property
    def report(self) -> LowRankReport:
        return LowRankReport(**self._core.report())

    @property
    def classes_(self) -> npt.NDArray[Any]:
        return labels_as_given(self._core.classes)

    @property
    def n_features_in_(self) -> int:
        return self._core.n_features

    @property
    def landmarks_(self) -> FloatArray:
        if self.kernel == "precomputed":
            return np.empty((0, 0))
        return self._core.landmarks().reshape(-1, self.n_features_in_)

    @property
    def used_(self) -> IndexArray:
        return self._core.used()

    @property
    def coef_(self) -> FloatArray:
        coef = self._core.coef().reshape(len(self._core.intercept()), -1)
        return -coef if len(self._core.classes) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        intercept = self._core.intercept()
        return -intercept if len(self._core.classes) == 2 else intercept

    @property
    def alpha(self) -> FloatArray:
        return self._core.alpha().reshape(len(self._core.intercept()), -1)

    @property
    def kernel(self) -> str:
        return self._core.kernel.type

    @property
    def gamma(self) -> float:
        return self._core.kernel.gamma

    @property
    def degree(self) -> int:
        return self._core.kernel.degree

    @property
    def coef0(self) -> float:
        return self._core.kernel.coef0

    @property
    def features(self) -> str:
        """ "nystrom", "rks" or "fastfood"."""
        return self._core.features

    @property
    def multi_class(self) -> str:
        """ "ovr" or "ovo"."""
        return self._core.multi_class

    def __repr__(self) -> str:
        classes = self.classes_
        names = ", ".join(map(str, classes[:6].tolist())) + (", ..." if len(classes) > 6 else "")
        return (
            f"<dcsvm.LowRankModel: {self.kernel} kernel, gamma={self.gamma:.6g}, {self._core.n_landmarks:,} landmarks "
            f"({self.features!r}); {len(classes)} classes ({names}); {self.report.stop_reason}. "
            f"Next: .predict(X), .decision_function(X), .save(path), .report>"
        )


class LowRankPath(NamedTuple):
    """What :func:`dcsvm.low_rank_path` returns."""

    C: list[float]
    models: list[LowRankModel]  #: one for each C, trained on all rows
    scores: FloatArray  #: (n_C, folds) accuracies on the rows left out; (n_C, 0) without cv

    @property
    def best(self) -> LowRankModel:
        """The model whose C has the highest mean score, ties to the smaller C. ValueError without cv."""
        if self.scores.shape[1] == 0:
            raise ValueError("there are no scores to choose by: call low_rank_path with cv")
        mean = self.scores.mean(axis=1)
        return self.models[min(range(len(self.C)), key=lambda i: (-mean[i], self.C[i]))]
