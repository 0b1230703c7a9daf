"""Cross-validation of linear models along C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.choices import LinearSolver, Unpack
from .._input.labels import coded, in_words
from .._input.linear_solvers import REGRESSIONS, SIDES
from .._input.parameters import data_first, fill, known_parameters
from .._input.validate import FloatArray
from .._linear.options import LinearOptions
from .._linear.train import core_tol, defaults, parameter_names, targets_of
from .._shown.display import Shown
from .._shown.watching import Callback, watching
from .cross_validate import Split, splits_of
from .scorers import Scorer, scorer_of

_SEARCHABLE = ("logistic", "squared_hinge", "svr_squared")
REFUSED = {
    "max_seconds": "part of a path has no score; stop it from the callback",
    "initial_w": "each C starts from the solution before",
}


@dataclass(frozen=True, repr=False)
class LinearPath(Shown):
    """The result of :func:`dcsvm.linear_path`.

    Attributes
    ----------
    C : ndarray of shape (n_points,)
        The values, in the order in which they were tried.
    epsilon : ndarray of shape (n_points,)
        Of each point: from svr_squared's search, else the one that was given.
    scores : ndarray of shape (n_points, n_folds)
        Larger is better.
    objectives : ndarray of shape (n_points, n_folds)
        The primal objective of each training; of several classes the sum.
    best_params : dict
        ``{"C": ...}``, with svr_squared's search also "epsilon", of the highest mean score; of equal ones the first.
    best_score : float
        The highest mean score.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    C: FloatArray
    epsilon: FloatArray
    scores: FloatArray
    objectives: FloatArray
    best_params: dict[str, Any]  # Any: type checkers accept train(X, y, **best_params)
    best_score: float

    @property
    def mean_scores(self) -> FloatArray:
        """Means of the scores over the folds, (n_points,)."""
        mean: FloatArray = self.scores.mean(axis=1)
        return mean

    def _facts(self) -> list[tuple[str, str]]:
        best = ", ".join(f"{name}={value:.6g}" for name, value in self.best_params.items())
        points, folds = self.scores.shape
        return [
            ("best", f"{best} with mean score {self.best_score:.4f}"),
            ("tried", f"{points} points, C from {self.C.min():.6g} to {self.C.max():.6g}, {folds} folds"),
        ]


@data_first
def linear_path(
    X: Any,
    y: Any,
    *,
    solver: LinearSolver = "squared_hinge",
    C: float | Sequence[float] | npt.NDArray[Any] | None = None,
    cv: Any = 5,
    scoring: str | Scorer | None = None,
    start_C: float | None = None,
    start_epsilon: float | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    callback: Callback | None = None,
    verbose: bool = False,
    **parameters: Unpack[LinearOptions],
) -> LinearPath:
    """Scores values of C by cross-validation of :func:`dcsvm.train_linear`.

    All folds and values share one copy of X, the folds run side by side, and each C starts from the fold's solution for the C
    before (Chu et al. 2015) where the solver can.

    Parameters
    ----------
    X, y
        As for :func:`dcsvm.train_linear`.
    solver : str, default='squared_hinge'
        Any of train_linear's but one_class.
    C : float, Sequence[float], array or None, default=None
        Numbers > 0, tried in their order. None: LIBLINEAR's search (its option -C), for logistic, squared_hinge and svr_squared:
        ``start_C``, 2 ``start_C``, ... up to 1024 (svr_squared: 2^20), until five values in a row change nothing; svr_squared:
        for 20 values of epsilon as well.
    cv : int, splitter or iterable, default=5
        As in :func:`dcsvm.cross_validate`; the test rows of the folds must divide the rows of X among them.
    scoring : str, callable or None, default=None
        As in :func:`dcsvm.cross_validate`. None: accuracy; regression: "neg_mean_squared_error".
    start_C : float or None, default=None
        Of the search, > 0. None: the largest power of 2 at which the solution is still near 0.
    start_epsilon : float or None, default=None
        Of svr_squared's search: the largest epsilon that is tried, rounded down to a step. None: 19/20 of the largest \\|y\\|.
    sample_weight : array-like of shape (n,) or None, default=None
        Of the training rows, as in train_linear; scores are not weighted.
    class_weight, callback, verbose
        As in train_linear; a callback that returns True raises KeyboardInterrupt.
    **parameters
        Of train_linear, all but initial_w and max_seconds.

    Returns
    -------
    LinearPath
        Scores of each C and fold, and the best C.

    Raises
    ------
    ValueError
        As train_linear, and for folds that overlap, miss rows, or are empty.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(500)
    >>> found = dcsvm.linear_path(X, y, C=[0.01, 0.1, 1])
    >>> found.scores.shape, found.best_score > 0.95
    ((3, 5), True)
    >>> model = dcsvm.train_linear(X, y, solver="squared_hinge", **found.best_params)
    """
    regression, classes = solver in REGRESSIONS, None
    if not regression:
        y, class_weight, classes = coded(y, class_weight)
    p = fill(_core.LinearParams(), _given({**parameters, "solver": solver, "class_weight": class_weight}))
    if solver in SIDES:
        raise ValueError(f"solver: linear_path compares predictions with y, which {solver} does not have")
    if C is None and solver not in _SEARCHABLE:
        raise ValueError(f"C=None searches with solver {', '.join(_SEARCHABLE)}; name the values of C for {solver!r}")
    first_C = 0.0 if start_C is None else validate.real("start_C", start_C, above=0)
    first_epsilon = 0.0 if start_epsilon is None else validate.real("start_epsilon", start_epsilon, above=0)
    if C is not None and (first_C or first_epsilon):
        raise ValueError("start_C and start_epsilon belong to the search with C=None")
    Cs = [] if C is None else validate.values_of("C", C)
    data = validate.as_data("X", X)
    n = data.shape[0]
    targets = targets_of(solver, y, n)
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
    truth: npt.NDArray[Any] = targets if classes is None else classes[targets.astype(np.intp)]
    score = (
        None
        if scoring is None
        else scorer_of(*(scoring, "epsilon_svr" if regression else "c_svc", truth, "linear_path"), decisions=False)
    )
    folds = _fold_of(splits_of(cv, X, y, targets, not regression, p.seed), n)
    with watching(p.tol or _core.linear_default_tol(p), verbose, callback) as progress, in_words(classes):
        search = (Cs, first_C, first_epsilon, score is not None)
        found = _core.linear_path(data, targets, p, folds.tolist(), *search, weights, progress)
    if score is None:
        scores = np.array(found["fold_scores"]) * (-1 if regression else 1)
    else:
        parts = [np.flatnonzero(folds == f) for f in range(folds.max() + 1)]
        named = [out if classes is None else classes[out.astype(np.intp)] for out in found["predictions"]]
        scores = np.array([[score(truth[rows], predicted[rows]) for rows in parts] for predicted in named])
    best = int(np.argmax(scores.mean(axis=1)))
    tried, epsilon = np.array(found["C"]), np.array(found["epsilon"])
    params = {"C": float(tried[best]), **({"epsilon": float(epsilon[best])} if regression and C is None else {})}
    return LinearPath(tried, epsilon, scores, np.array(found["fold_objectives"]), params, float(scores[best].mean()))


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    """All arguments of train_linear: the given ones, and its defaults for the others."""
    given = known_parameters("linear_path", parameters, parameter_names(), REFUSED)
    return {**defaults(), **given, "tol": core_tol(parameters.get("tol"))}


def _fold_of(splits: list[Split], n: int) -> npt.NDArray[np.int64]:
    """The fold of each row. ValueError where the folds are not a partition into training and test rows."""
    fold = np.full(n, -1, dtype=np.int64)
    for f, (train, test) in enumerate(splits):
        rows = np.concatenate([train, test])
        if not len(test) or len(rows) != n or not np.array_equal(np.sort(rows), np.arange(n)):
            raise ValueError(f"cv: fold {f} must have test rows, and all other rows of X for training")
        if (fold[test] >= 0).any():
            raise ValueError(f"cv: row {test[fold[test] >= 0][0]} is a test row of two folds")
        fold[test] = f
    if (fold < 0).any() or len(splits) < 2:
        raise ValueError(f"cv: at least 2 folds whose test rows are together all rows; row {int(np.argmin(fold))} is in none")
    return fold
