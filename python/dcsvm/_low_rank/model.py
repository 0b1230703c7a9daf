"""Low-rank models and what their training reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.validate import FloatArray, IndexArray
from .._model.native import KernelModel
from .._shown.docstrings import of_rows, with_attributes
from .._shown.report import KernelReport, phases, six_digits


@with_attributes(
    objective="Of the dual problem, minimised: 1/2 |w|^2 + sum D_i a_i^2 / 2 - sum a_i.",
    primal_objective="1/2 |w|^2 + sum C_i loss_i, NaN after a training in blocks. The sum of both objectives is the duality gap.",
    violation="Largest projected gradient of all rows, as double finds it when the training converged; in blocks that did "
    "not: as the last pass met each block, before solving it.",
    n_iter="Steps of coordinate descent.",
    n_passes="Passes over the active rows; in blocks: over the data.",
    n_blocks="Blocks of rows that were trained at once; 1: all rows together.",
    n_landmarks="Landmarks that the map uses.",
    n_components="Features that the map makes.",
    n_support="Rows with alpha > 0 in some problem.",
    negative_share="Share of the negative eigenvalues of K_zz in the sum of all absolute values: above 0 for a kernel that "
    "is not positive semi-definite.",
    lambda_="Of Eq. (23) with ``supervised``, as used.",
    seconds='Seconds by phase: "landmarks", "map", "features", "solve" and "total".',
    peak_cache_bytes="Bytes of features and map.",
    C="As used.",
)
@dataclass(frozen=True, repr=False)
class LowRankReport(KernelReport):
    """The report of a low-rank training. Several problems: sums and the worst violation.

    Attributes
    ----------
    objective : float
        Of the dual problem, minimised: 1/2 |w|^2 + sum D_i a_i^2 / 2 - sum a_i.
    primal_objective : float
        1/2 |w|^2 + sum C_i loss_i, NaN after a training in blocks. The sum of both objectives is the duality gap.
    violation : float
        Largest projected gradient of all rows, as double finds it when the training converged; in blocks that did
        not: as the last pass met each block, before solving it.
    n_iter : int
        Steps of coordinate descent.
    n_passes : int
        Passes over the active rows; in blocks: over the data.
    n_blocks : int
        Blocks of rows that were trained at once; 1: all rows together.
    n_landmarks : int
        Landmarks that the map uses.
    n_components : int
        Features that the map makes.
    n_support : int
        Rows with alpha > 0 in some problem.
    n_kernel_values : int
        Kernel values computed.
    negative_share : float
        Share of the negative eigenvalues of K_zz in the sum of all absolute values: above 0 for a kernel that is not
        positive semi-definite.
    lambda_ : float
        Of Eq. (23) with ``supervised``, as used.
    peak_cache_bytes : int
        Bytes of features and map.
    C : float
        As used.
    stop_reason : str
        "converged", or why it stopped before: "max_iter", "cancelled" (by the callback), "stagnated" (rounding).
    seconds : dict[str, float]
        Seconds by phase: "landmarks", "map", "features", "solve" and "total".
    isa : str
        Instruction set that it ran on.
    n_threads : int
        Threads.
    gamma : float
        Of the kernel, as used.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

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
    peak_cache_bytes: int
    C: float

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("landmarks", f"{self.n_landmarks:,} ({self.n_components:,} features)"),
            ("objective", six_digits(self.objective)),
            ("violation", f"{self.violation:.2e}"),
            ("support vectors", f"{self.n_support:,}"),
            ("steps", f"{self.n_iter:,} in {self.n_passes:,} passes, {self.n_blocks:,} blocks"),
            ("C, gamma", f"{self.C:.6g}, {self.gamma:.6g}"),
            ("seconds", phases(self.seconds)),
            ("features take", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
        ]


_KERNEL_ROWS = "For a precomputed kernel K(X, landmarks) with all landmarks that the training was given."


class LowRankModel(KernelModel[_core.LowRankModel]):
    """A low-rank model, as :func:`dcsvm.train_low_rank` and :func:`dcsvm.load_model` return it.
    It never changes, and it can be pickled.

    n_problems is 1 for two classes; else n_classes ("ovr") or one for each pair ("ovo").

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending; int64 when all are whole numbers, else float64.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        The landmarks that the map uses (random features: the directions; precomputed kernel: empty); float64.
    used_ : ndarray of int64
        Precomputed kernel and given landmarks: which of them are used.
    coef_ : ndarray of shape (n_problems, n_landmarks)
        A decision is the sum of coef * K(x, landmark) + intercept; float64.
    intercept_ : ndarray of shape (n_problems,)
        What a decision adds; float64.
    alpha : ndarray of shape (n_problems, n)
        Dual variables of the training; empty for models from files.
    n_features_in_ : int
        Columns that predict expects.
    report : LowRankReport
        What the training did.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    __slots__ = ()
    _core_type = _core.LowRankModel
    _origin = "a LowRankModel comes from dcsvm.train_low_rank"

    @of_rows(
        "ndarray of shape (n,)",
        'With the dtype of ``classes_``: the largest decision, or with "ovo" the most votes; ties to the lower class.',
        rows=_KERNEL_ROWS,
    )
    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR. For a precomputed kernel
            K(X, landmarks) with all landmarks that the training was given.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,)
            With the dtype of ``classes_``: the largest decision, or with "ovo" the most votes; ties to the lower class.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        return self._as_labels(self._of_rows(_core.low_rank_predict, X, n_jobs))

    @of_rows(
        "ndarray of shape (n,), (n, n_classes) or (n, n_pairs)",
        'Float64. Two classes: positive for ``classes_[1]``. More: "ovr" a column for each class, "ovo" one for each pair '
        "(i, j), "
        "i < j, positive for class i.",
        rows=_KERNEL_ROWS,
    )
    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Decision values of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR. For a precomputed kernel
            K(X, landmarks) with all landmarks that the training was given.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_pairs)
            Float64. Two classes: positive for ``classes_[1]``. More: "ovr" a column for each class, "ovo" one for each
            pair (i, j), i < j, positive for class i.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.low_rank_decision_function, X, n_jobs)
        return 0.0 - values[:, 0] if values.shape[1] == 1 else values

    @property
    def report(self) -> LowRankReport:
        return self._with_training(LowRankReport(**self._core.report()))  # type: ignore[no-any-return]

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
        return 0.0 - coef if len(self._core.classes) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        intercept = self._core.intercept()
        return 0.0 - intercept if len(self._core.classes) == 2 else intercept

    @property
    def cost(self) -> float:
        """Inner products of n_features that a prediction costs; a linear model's is 1. Precomputed kernel: of the sums alone."""
        return self._core.cost

    @property
    def alpha(self) -> FloatArray:
        return self._core.alpha().reshape(len(self._core.intercept()), -1)

    @property
    def features(self) -> str:
        """ "nystrom", "rks", "fastfood" or "reduced"."""
        return self._core.features

    @property
    def multi_class(self) -> str:
        """ "ovr" or "ovo"."""
        return self._core.multi_class

    def _describe(self) -> str:
        return (
            f"{self.kernel} kernel, gamma={self.gamma:.6g}, {self._core.n_landmarks:,} landmarks "
            f"({self.features!r}); {self._some_classes()}; {self.report.stop_reason}"
        )


class LowRankPath(NamedTuple):
    """The result of :func:`dcsvm.low_rank_path`.

    Attributes
    ----------
    C : list of float
        As tried.
    models : list of LowRankModel
        One for each C, trained on all rows.
    scores : ndarray of shape (n_C, n_folds)
        Accuracies on the rows left out; (n_C, 0) without cv.
    """

    C: list[float]
    models: list[LowRankModel]
    scores: FloatArray

    @property
    def best(self) -> LowRankModel:
        """The model whose C has the highest mean score, ties to the smaller C; ValueError without cv."""
        if self.scores.shape[1] == 0:
            raise ValueError("there are no scores to choose by: call low_rank_path with cv")
        mean = self.scores.mean(axis=1)
        return self.models[min(range(len(self.C)), key=lambda i: (-mean[i], self.C[i]))]


LowRankPath.__module__ = "dcsvm"  # what users import from, and what pickles name
