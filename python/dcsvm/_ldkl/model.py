"""Local deep kernel models and what their training reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from .. import _core
from .._input.validate import FloatArray
from .._model.native import NativeModel
from .._shown.docstrings import of_rows, with_attributes
from .._shown.report import TrainingReport, phases, six_digits


@with_attributes(
    objective="Of the weights once the tree is found: lambda_w/2 |W|^2 + mean hinge loss of the model's own decisions.",
    dual_objective="A lower bound of the minimum of that.",
    violation='The difference of both as a share of the objective, which "converged" says is at most ``tol``.',
    smooth_objective="What the tree's training reached, of its own problem.",
    gradient_norm="2-norm of the subgradient there.",
    n_passes="Passes over the data that made the tree.",
    n_iter="Passes over the data that found the weights.",
    depth="Levels of the trees below their roots.",
    seconds='Seconds by phase: "data", "tree", "weights" and "total".',
)
@dataclass(frozen=True, repr=False)
class LDKLReport(TrainingReport):
    """The report of a local deep kernel training. Several classes: sums over their trees, the worst violation and gradient.

    Only the weights' problem is convex and has a certificate. The tree comes from a problem that is not: nothing bounds how far
    it is from the best tree.

    Attributes
    ----------
    objective : float
        Of the weights once the tree is found: lambda_w/2 |W|^2 + mean hinge loss of the model's own decisions.
    dual_objective : float
        A lower bound of the minimum of that.
    violation : float
        The difference of both as a share of the objective, which "converged" says is at most ``tol``.
    smooth_objective : float
        What the tree's training reached, of its own problem.
    gradient_norm : float
        2-norm of the subgradient there.
    n_passes : int
        Passes over the data that made the tree.
    n_iter : int
        Passes over the data that found the weights.
    depth : int
        Levels of the trees below their roots.
    cost : float
        What a row costs in inner products of n_features; a linear model's is 1.
    peak_cache_bytes : int
        Bytes of working memory in use at once, at most, of what ``cache_size`` limits.
    stop_reason : str
        "converged", or why it stopped before: "max_iter", "cancelled" (by the callback), "stagnated" (rounding).
    seconds : dict[str, float]
        Seconds by phase: "data", "tree", "weights" and "total".
    isa : str
        Instruction set that it ran on.
    n_threads : int
        Threads.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    objective: float
    dual_objective: float
    violation: float
    smooth_objective: float
    gradient_norm: float
    n_passes: int
    n_iter: int
    depth: int
    cost: float
    peak_cache_bytes: int

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("objective", f"{six_digits(self.objective)} (at least {six_digits(self.dual_objective)} for this tree)"),
            ("violation", f"{self.violation:.2e}"),
            ("tree", f"depth {self.depth}, smooth objective {self.smooth_objective:.6f}, gradient {self.gradient_norm:.2e}"),
            ("cost", f"{self.cost:.1f} inner products a row (a linear model: 1)"),
            ("passes", f"{self.n_passes:,} for the tree, {self.n_iter:,} for the weights"),
            ("seconds", phases(self.seconds)),
            ("peak cache", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
        ]


class LDKLModel(NativeModel[_core.LdklModel]):
    """A local deep kernel model, as :func:`dcsvm.train_ldkl` and :func:`dcsvm.load_model` return it.
    It never changes, and it can be pickled.

    n_problems is 1 for two classes, else n_classes; each has a tree of 2^(depth + 1) - 1 nodes, numbered level by level from the
    root: the children of node k are 2k + 1 and 2k + 2. A row goes to the latter where theta_k'x > 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending: text, int64 when all are whole numbers, else float64.
    w_, v_ : ndarray of shape (n_problems, n_nodes, n_features + 1)
        The constant last: a decision is the sum of (w_k'x) tanh(sigma v_k'x) over the nodes on a row's path. Two classes:
        positive for ``classes_[1]``.
    theta_ : ndarray of shape (n_problems, 2^depth - 1, n_features + 1)
        The choices of a child, the constant last.
    depth : int
        Levels of the trees below their roots.
    sigma : float
        Of the local functions tanh(sigma v'x).
    n_features_in_ : int
        Columns that predict expects.
    report : LDKLReport
        What the training did.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    __slots__ = ()
    _core_type = _core.LdklModel
    _origin = "an LDKLModel comes from dcsvm.train_ldkl"

    @of_rows(
        "ndarray of shape (n,)",
        "With the dtype of ``classes_``: the largest decision, ties to the lower class (two classes: to the higher).",
    )
    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,)
            With the dtype of ``classes_``: the largest decision, ties to the lower class (two classes: to the higher).

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        return self._as_labels(self._of_rows(_core.ldkl_predict, X, n_jobs))

    @of_rows(
        "ndarray of shape (n,) or (n, n_classes)",
        "Float64. Two classes: positive for ``classes_[1]``. More: a column for each class.",
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
            Float64. Two classes: positive for ``classes_[1]``. More: a column for each class.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.ldkl_decision_function, X, n_jobs)
        return 0.0 - values[:, 0] if values.shape[1] == 1 else values

    @property
    def report(self) -> LDKLReport:
        return self._with_training(LDKLReport(**self._core.report()))  # type: ignore[no-any-return]

    @property
    def cost(self) -> float:
        """Inner products of n_features that a prediction costs; a linear model's is 1."""
        return self._core.cost

    @property
    def depth(self) -> int:
        return self._core.depth

    @property
    def sigma(self) -> float:
        return self._core.sigma

    @property
    def w_(self) -> FloatArray:
        w = self._vectors(self._core.w(), self._nodes)
        return 0.0 - w if len(w) == 1 else w

    @property
    def v_(self) -> FloatArray:
        return self._vectors(self._core.v(), self._nodes)

    @property
    def theta_(self) -> FloatArray:
        return self._vectors(self._core.theta(), (1 << self.depth) - 1)

    @property
    def _nodes(self) -> int:
        return (2 << self.depth) - 1

    def _vectors(self, values: FloatArray, nodes: int) -> FloatArray:
        problems = 1 if len(self.classes_) == 2 else len(self.classes_)
        return values.reshape(problems, nodes, self.n_features_in_ + 1)

    def _describe(self) -> str:
        return (
            f"trees of depth {self.depth}, {self.n_features_in_:,} features; {self._some_classes()}; a row costs {self.cost:.1f} "
            f"inner products; {self.report.stop_reason}"
        )
