"""DC-Pred++: kernel machines that predict in the time of a few dozen inner products."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._base import validate as _validate
from .._base.native import NativeModel
from .._base.parameters import fill
from .._base.validate import FloatArray, IndexArray
from .._svm.model import Model
from .._svm.train import Callback

_HELD_OUT = 5  # a fifth of the rows judges the candidates of a budget,
_MOST_ROWS = 30_000  # of at most so many
_LEAF_ROWS = 64  # rows for each leaf of a candidate
_MOST_LANDMARKS = 256  # of a leaf of a candidate
_MARGIN = 0.98  # of a budget, for uneven trees: what one of the same numbers costs on other rows mostly differs by less
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class DCPredReport:
    """What a training did: ``cost`` is what a row costs on average, in inner products of n_features (a linear model's is 1)."""

    stop_reason: str
    n_leaves: int
    n_constant: int
    n_landmarks: int
    n_pseudo: int
    n_support: int
    violation: float
    depth: float
    cost: float
    seconds: dict[str, float]
    gamma: float
    isa: str
    n_threads: int


class DCPredModel(NativeModel[_core.DcPredModel]):
    """What :func:`dcsvm.train_dc_pred`, :func:`dcsvm.train_dc_pred_ridge`, :func:`dcsvm.compress` and :func:`dcsvm.load_model`
    return. Immutable; it pickles. ``classes_`` is empty for a regression."""

    __slots__ = ()
    _core_type = _core.DcPredModel
    _origin = "a DCPredModel comes from dcsvm.train_dc_pred, dcsvm.compress"

    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels, or predicted numbers, of the rows of X (n, n_features). Raises ValueError for another number of features,
        NaN or infinity."""
        labels = _core.dc_pred_predict(self._core, _validate.as_data("X", X), _validate.threads(n_jobs))
        if not len(self._core.classes):
            return labels
        return labels.astype(self.classes_.dtype, copy=False)

    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Two classes: (n,), positive for ``classes_[1]``; several: (n, n_classes); regression: the predictions. In float32."""
        values = _core.dc_pred_decision_function(self._core, _validate.as_data("X", X), _validate.threads(n_jobs))
        if values.shape[1] > 1:
            return values
        return -values[:, 0] if len(self._core.classes) else values[:, 0]

    @property
    def report(self) -> DCPredReport:
        return DCPredReport(**self._core.report())

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
        """(m, n_features), the landmarks of a leaf; none in leaves of one class."""
        return self._core.landmarks(leaf).reshape(-1, self.n_features_in_)

    def __repr__(self) -> str:
        return (
            f"<dcsvm.DCPredModel: {self.kernel} kernel, gamma={self.gamma:.6g}, {self.n_leaves} leaves, "
            f"{self.report.n_landmarks} landmarks; {len(self.classes_) or 'no'} classes; a row costs {self.cost:.1f} "
            f"inner products. Next: .predict(X), .decision_function(X), .save(path), .report>"
        )


def train_dc_pred(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    kernel: str = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    n_leaves: int = 16,
    n_landmarks: int = 12,
    n_pseudo: int = 0,
    pseudo: str = "triangle",
    landmarks: str = "kmeans",
    budget: float | str | None = None,
    refine: int = 60,
    sample_size: int = 500,
    fit_intercept: bool = True,
    tol: float = 1e-3,
    cache_size: float = 2000,
    class_weight: Mapping[Any, float] | str | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> DCPredModel:
    """Trains a DC-Pred++ classifier (Hsieh, Si, Dhillon 2014): a tree of leaves, each with a few landmarks.

    X : (n, n_features) array or scipy CSR, as for :func:`dcsvm.train`; held as float32 while training
    y : (n,) labels, numbers, at least two different ones
    C, kernel, degree, gamma, coef0, class_weight, sample_weight, tol : as for :func:`dcsvm.train`; not "precomputed"
    n_leaves : of the tree, at most; a leaf has at least 32 rows
    n_landmarks, n_pseudo : of each leaf, at most
    pseudo : "triangle" bounds distances from below, "triangle_upper" from above (rbf only) | "polynomial" products of pairs of
        kernel values | "none"
    landmarks : "kmeans" centres in each leaf, coefficients fitted to its rows | "support" support vectors of one exact model of
        all rows: in each leaf those that weigh most there, with the model's own coefficients, until what is left out is below
        `tol` on average. For hundreds of landmarks, nearly exact; two classes; pseudo landmarks and `refine` are ignored
    budget : such as 12 or "12x": what a training row may cost on average, as a multiple of a linear model's inner product.
        Leaves, landmarks and pseudo landmarks are then chosen by accuracy on a fifth of the rows, held out (of at most
        30,000); n_leaves, n_landmarks and n_pseudo are ignored. When the chosen numbers do worse on all rows, which `refine`
        can cause, the model of the other four fifths is returned
    refine : rbf: steps that move landmarks towards lower training loss; 0: the paper's alpha^2-weighted k-means
    sample_size : rows of each leaf on which the kernel is approximated, Eq. (5)
    cache_size : MB; the rows take 8 * n * n_features bytes of it
    random_state, n_jobs, callback : as for :func:`dcsvm.train`. A callback that returns True leaves the remaining leaves at their
        larger class; the report's stop_reason is then "cancelled"

    Returns a :class:`DCPredModel`. Raises ValueError for bad values and bad data, MemoryError when ``cache_size`` is too small.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train_dc_pred(X, y, C=10, gamma=4, n_leaves=8)
    >>> float((model.predict(X) == y).mean()) > 0.95
    True
    """
    p = _params(locals())
    data = _validate.as_data("X", X)
    labels = _validate.as_labels("y", y, data.shape[0])
    weights = None if sample_weight is None else _validate.as_vector("sample_weight", sample_weight, data.shape[0])

    def train(rows: IndexArray | None) -> _core.DcPredModel:
        said = callback if rows is None else None
        return _core.train_dc_pred(_part(data, rows), _part(labels, rows), p, _part(weights, rows), said)

    return DCPredModel(train(None) if budget is None else _within(_budget(budget), p, train, data, labels, weights))


def train_dc_pred_ridge(
    X: Any,
    y: Any,
    *,
    alpha: float = 1.0,
    kernel: str = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    n_leaves: int = 16,
    n_landmarks: int = 12,
    n_pseudo: int = 0,
    pseudo: str = "triangle",
    budget: float | str | None = None,
    refine: int = 60,
    sample_size: int = 500,
    fit_intercept: bool = True,
    tol: float = 1e-3,
    cache_size: float = 2000,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> DCPredModel:
    """Kernel ridge regression that predicts in the time of a few dozen inner products; see :func:`train_dc_pred`.

    y : (n,) numbers
    alpha : > 0, as in :func:`dcsvm.train_ridge`; a row of weight w has alpha / w
    fit_intercept : an offset in each leaf. Without, a leaf of one target is not constant: it is pulled towards 0

    Other parameters as for :func:`train_dc_pred`; ``budget`` chooses by the mean squared error on held-out rows.

    >>> import dcsvm, numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> model = dcsvm.train_dc_pred_ridge(X, np.sin(4 * X[:, 0]) * X[:, 1], alpha=1e-2, gamma=2, n_leaves=4)
    >>> float(np.std(model.predict(X) - np.sin(4 * X[:, 0]) * X[:, 1])) < 0.05
    True
    """
    p = _params(locals())
    data = _validate.as_data("X", X)
    targets = _validate.as_targets("y", y, data.shape[0])
    weights = None if sample_weight is None else _validate.as_vector("sample_weight", sample_weight, data.shape[0])

    def train(rows: IndexArray | None) -> _core.DcPredModel:
        said = callback if rows is None else None
        return _core.train_dc_pred_ridge(_part(data, rows), _part(targets, rows), p, _part(weights, rows), said)

    return DCPredModel(train(None) if budget is None else _within(_budget(budget), p, train, data, targets, weights, True))


def compress(model: Model, X: Any, *, alpha: float = 1.0, **params: Any) -> DCPredModel:
    """Turns a model of :func:`dcsvm.train` or :func:`dcsvm.train_ridge` into a DC-Pred++ model that answers alike.

    X : rows like those to come, say the training rows; the model's own answers for them are what is learned
    alpha : of :func:`dcsvm.train_dc_pred_ridge`, for regressions
    params : as for :func:`dcsvm.train_dc_pred`, without C, the kernel's and the weights

    Raises ValueError for a one-class model, or one whose kernel is precomputed; with landmarks="support" also for an early model
    and for several classes.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> exact = dcsvm.train(X, y, C=10, gamma=4)
    >>> fast = dcsvm.compress(exact, X, n_leaves=8)
    >>> float((fast.predict(X) == exact.predict(X)).mean()) > 0.95
    True
    """
    if not isinstance(model, Model):
        raise TypeError(f"model must be a dcsvm.Model, got {type(model).__name__}")
    fixed = {"C", "kernel", "degree", "gamma", "coef0", "class_weight", "sample_weight"}
    unknown = set(params) - (set(_DEFAULTS) - fixed)
    if unknown:
        raise _validate.unknown_parameters("compress", dict.fromkeys(sorted(unknown)), sorted(set(_DEFAULTS) - fixed))
    given = {**_DEFAULTS, **params, "alpha": alpha}
    p = _params(given)
    if model.kernel != "rbf" and p.pseudo.startswith("triangle") and p.n_pseudo == 0:
        p.pseudo = "none"  # the default asks for nothing
    data = _validate.as_data("X", X)

    def train(rows: IndexArray | None) -> _core.DcPredModel:
        return _core.compress(model._core, _part(data, rows), p, given["callback"] if rows is None else None)

    if given["budget"] is None or model.formulation == "one_class" or model.kernel == "precomputed":
        return DCPredModel(train(None))
    answers = _core.predict(model._core, data, p.n_threads)
    return DCPredModel(_within(_budget(given["budget"]), p, train, data, answers, None, not len(model._core.classes)))


def _params(given: Mapping[str, Any]) -> _core.DcPredParams:
    p = fill(_core.DcPredParams(), given)
    if p.landmarks == "support" and given["budget"] is not None:
        raise ValueError("budget chooses among k-means landmarks; with landmarks='support' set n_leaves and n_landmarks")
    if p.kernel != "rbf" and p.pseudo.startswith("triangle") and p.n_pseudo == 0:
        p.pseudo = "none"  # the default asks for nothing
    return p


def _budget(budget: float | str) -> float:
    if isinstance(budget, str):
        number = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*x?\s*", budget)
        if number is None:
            raise ValueError(f"budget must be a number or a text such as '12x', got {budget!r}")
        budget = float(number.group(1))
    return _validate.real("budget", budget, above=0)


def _cost(depth: int, m: int, p: int, d: int, outputs: int, pseudo: str) -> float:
    """What models::leaf_cost says, and the tree."""
    made = p if pseudo == "polynomial" else p * (m + 10)
    return depth + m + (made + 10 * m + outputs * (m + p)) / d


def _candidates(budget: float, n: int, d: int, outputs: int, pseudo: str) -> list[tuple[int, int, int]]:
    """Leaves, landmarks and pseudo landmarks that cost `budget`: for every other depth none, and two for each landmark."""
    found = []
    for depth in range(0, 13, 2):
        if depth > 0 and n < _LEAF_ROWS * 2**depth:
            break
        for ratio in (0, 2) if pseudo != "none" else (0,):
            m = _most(budget - depth, ratio, d, outputs, pseudo)
            if m >= 2:
                found.append((2**depth, m, ratio * m))
    return found


def _most(budget: float, ratio: int, d: int, outputs: int, pseudo: str) -> int:
    """Landmarks of a leaf, each with `ratio` pseudo landmarks, that `budget` pays for; 0: not two."""
    fits = [m for m in range(2, _MOST_LANDMARKS + 1) if _cost(0, m, ratio * m, d, outputs, pseudo) <= budget]
    return fits[-1] if fits else 0


def _within(
    budget: float,
    p: _core.DcPredParams,
    train: Callable[[IndexArray | None], _core.DcPredModel],
    data: Any,
    targets: FloatArray,
    weights: FloatArray | None,
    regression: bool = False,
) -> _core.DcPredModel:
    """The model of the candidate that errs least on held-out rows, among those that cost their training rows no more than
    `budget`; ties to the first. train(rows): with the numbers in p, on these rows or all.

    A tree's leaves are not all as deep, and some have one class: so what a depth really costs is measured once, and landmarks are
    chosen by that. Landmarks that `refine` moves may end in a poor local minimum, with more of them as well as with fewer: so
    fewer are a candidate, too, and the chosen candidate stands when the same numbers on all rows come out worse.
    """
    n, d = data.shape
    k = 1 if regression else len(np.unique(targets))
    outputs = 1 if k <= 2 else k
    candidates = _candidates(budget, n, d, outputs, p.pseudo)
    if not candidates:
        least = _cost(0, 2, 0, d, outputs, p.pseudo)
        raise ValueError(f"budget must allow two landmarks: at least {least:.1f}, got {budget:g}")
    if n < 2 * _HELD_OUT:
        p.n_leaves, p.n_landmarks, p.n_pseudo = candidates[0]
        return train(None)
    rows = np.random.default_rng(p.seed).permutation(n)
    cut = min(n // _HELD_OUT, _MOST_ROWS // _HELD_OUT)
    held, kept = np.sort(rows[:cut]), np.sort(rows[cut : cut + _MOST_ROWS])
    if not regression and len(np.unique(targets[kept])) < k:
        raise ValueError("budget: too few rows of a class to hold some out; set n_leaves and n_landmarks instead")

    def error(core: _core.DcPredModel) -> float:
        answers = _core.dc_pred_predict(core, data[held], p.n_threads)
        wrong = (answers - targets[held]) ** 2 if regression else answers != targets[held]
        return float(np.average(wrong, weights=None if weights is None else weights[held] + 1e-300))

    def trials() -> Iterator[tuple[int, int, int]]:
        spent: dict[int, tuple[float, float]] = {}  # by leaves: levels, and the share of rows that meet landmarks
        for leaves, m, q in candidates:
            ratio = q // m
            if leaves > 1:
                if leaves not in spent:
                    p.n_leaves, p.n_landmarks, p.n_pseudo, refine, p.refine = leaves, m, 0, p.refine, 0
                    core = train(kept)
                    p.refine, depth = refine, float(core.report()["depth"])
                    spent[leaves] = depth, (core.cost - depth) / _cost(0, m, 0, d, outputs, p.pseudo)
                depth, share = spent[leaves]
                even = 2**depth == leaves and share >= 1 / _ROUNDING  # then so will be a tree of all rows
                m = _most((budget * (1 if even else _MARGIN) - depth) / max(share, 1e-3), ratio, d, outputs, p.pseudo)
            if m >= 2:
                yield leaves, m, ratio * m
            if ratio == 0 and m > 2:
                yield leaves, max(2, 2 * m // 3), 0

    best: tuple[float, _core.DcPredModel, tuple[int, int, int]] | None = None
    for p.n_leaves, p.n_landmarks, p.n_pseudo in trials():
        core = train(kept)
        if core.cost > budget * _ROUNDING:
            continue
        err = error(core)
        if best is None or err < best[0]:
            best = err, core, (p.n_leaves, p.n_landmarks, p.n_pseudo)
    assert best is not None  # a tree of one leaf costs what it should
    p.n_leaves, p.n_landmarks, p.n_pseudo = best[2]
    last = train(None)
    poor = last.cost > budget * _ROUNDING or error(last) > best[0]
    return best[1] if poor and last.report()["stop_reason"] != "cancelled" else last


def _part(values: Any, rows: IndexArray | None) -> Any:
    return values if rows is None or values is None else values[rows]


_DEFAULTS: dict[str, Any] = dict(train_dc_pred.__kwdefaults__ or {})
