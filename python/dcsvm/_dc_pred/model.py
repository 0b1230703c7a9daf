"""DC-Pred++ models: kernel machines that predict in the time of a few dozen inner products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from .. import _core
from .._input.validate import FloatArray
from .._model.native import KernelModel
from .._shown.docstrings import of_rows, with_attributes
from .._shown.report import KernelReport, phases

_KINDS = {"kmeans": " (centres)", "support": " (support vectors)"}  # after a number of landmarks


@with_attributes(
    n_leaves="Leaves of the tree.",
    n_constant="Leaves of one class, which have no landmarks.",
    n_landmarks="Landmarks of all leaves.",
    landmarks='What they are: "kmeans" (centres) or "support" (support vectors); a budget chooses. "" in older files.',
    n_pseudo="Pseudo landmarks of all leaves.",
    n_support="Rows with alpha > 0 in the leaves' exact models.",
    violation="Largest KKT violation of the leaves' exact models.",
    depth="Levels that a training row walks, on average.",
    cost="What a training row costs on average, in inner products of n_features; a linear model's is 1.",
    stop_reason='"converged", or "cancelled" (by the callback: the remaining leaves answer with their larger class).',
    seconds='Seconds by phase: "tree", "leaves" and "total".',
)
@dataclass(frozen=True, repr=False)
class DCPredReport(KernelReport):
    """The report of a DC-Pred++ training.

    Attributes
    ----------
    n_leaves : int
        Leaves of the tree.
    n_constant : int
        Leaves of one class, which have no landmarks.
    n_landmarks : int
        Landmarks of all leaves.
    landmarks : str
        What they are: "kmeans" (centres) or "support" (support vectors); a budget chooses. "" in older files.
    n_pseudo : int
        Pseudo landmarks of all leaves.
    n_support : int
        Rows with alpha > 0 in the leaves' exact models.
    violation : float
        Largest KKT violation of the leaves' exact models.
    depth : float
        Levels that a training row walks, on average.
    cost : float
        What a training row costs on average, in inner products of n_features; a linear model's is 1.
    stop_reason : str
        "converged", or "cancelled" (by the callback: the remaining leaves answer with their larger class).
    seconds : dict[str, float]
        Seconds by phase: "tree", "leaves" and "total".
    isa : str
        Instruction set that it ran on.
    n_threads : int
        Threads.
    gamma : float
        Of the kernel, as used.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    n_leaves: int
    n_constant: int
    n_landmarks: int
    landmarks: str
    n_pseudo: int
    n_support: int
    violation: float
    depth: float
    cost: float

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("leaves", f"{self.n_leaves:,}, {self.n_constant:,} of one class ({self.depth:.1f} levels on average)"),
            ("landmarks", f"{self.n_landmarks:,}{_KINDS.get(self.landmarks, '')}, {self.n_pseudo:,} pseudo"),
            ("cost", f"{self.cost:.1f} inner products a row (a linear model: 1)"),
            ("support vectors", f"{self.n_support:,}"),
            ("violation", f"{self.violation:.2e}"),
            ("gamma", f"{self.gamma:.6g}"),
            ("seconds", phases(self.seconds)),
        ]


class DCPredModel(KernelModel[_core.DcPredModel]):
    """A DC-Pred++ model: a tree whose leaves have landmarks.
    It never changes, and it can be pickled.

    :func:`dcsvm.train_dc_pred`, :func:`dcsvm.train_dc_pred_ridge`, :func:`dcsvm.compress` and :func:`dcsvm.load_model` return it.
    ``classes_`` is empty for a regression.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending: text, int64 when all are whole numbers, else float64.
    n_leaves : int
        Leaves of the tree.
    pseudo : str
        How pseudo landmarks are found, as the training was given it.
    report : DCPredReport
        What the training did.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    __slots__ = ()
    _core_type = _core.DcPredModel
    _origin = "a DCPredModel comes from dcsvm.train_dc_pred, dcsvm.compress"

    @of_rows("ndarray of shape (n,)", "Labels, with the dtype of ``classes_``. Regression: float64.")
    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels, or predicted numbers, of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,)
            Labels, with the dtype of ``classes_``. Regression: float64.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        labels = self._of_rows(_core.dc_pred_predict, X, n_jobs)
        return self._as_labels(labels) if len(self._core.classes) else labels

    @of_rows(
        "ndarray of shape (n,) or (n, n_classes)",
        "Computed in float32. Two classes: positive for ``classes_[1]``. More: a column for each class. Regression: the "
        "predictions.",
    )
    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Decision values of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Computed in float32. Two classes: positive for ``classes_[1]``. More: a column for each class. Regression: the
            predictions.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.dc_pred_decision_function, X, n_jobs)
        if values.shape[1] > 1:
            return values
        return 0.0 - values[:, 0] if len(self._core.classes) else values[:, 0]

    @property
    def report(self) -> DCPredReport:
        return self._with_training(DCPredReport(**self._core.report()))  # type: ignore[no-any-return]

    @property
    def n_leaves(self) -> int:
        return self._core.n_leaves

    @property
    def cost(self) -> float:
        """Inner products of n_features that a training row costs on average; a linear model's is 1."""
        return self._core.cost

    @property
    def pseudo(self) -> str:
        return self._core.pseudo

    def landmarks(self, leaf: int) -> FloatArray:
        """The landmarks of a leaf.

        Parameters
        ----------
        leaf : int
            Number of the leaf, from 0 to n_leaves - 1.

        Returns
        -------
        ndarray of shape (n_landmarks, n_features)
            Float64; none in leaves of one class.
        """
        return self._core.landmarks(leaf).reshape(-1, self.n_features_in_)

    def _describe(self) -> str:
        return (
            f"{self.kernel} kernel, gamma={self.gamma:.6g}, {self.n_leaves} leaves, "
            f"{self.report.n_landmarks} landmarks{_KINDS.get(self.report.landmarks, '')}; "
            f"{len(self.classes_) or 'no'} classes; a row costs {self.cost:.1f} inner products"
        )
