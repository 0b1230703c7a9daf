"""Cross-validation, for one set of parameters or a grid of C and gamma."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.choices import GammaRule, Unpack
from .._input.columns import feature_names
from .._input.formulations import CLASSIFIERS
from .._input.labels import as_targets, coded, distinct, in_words
from .._input.parameters import data_first, fill, known_parameters
from .._input.validate import FloatArray, IndexArray
from .._shown.display import Shown, bar, table
from .._shown.report import phases
from .._shown.training_warnings import reach_tol, warn_of
from .._shown.watching import Callback, ConvergenceWarning, watching
from .._svm.options import TrainOptions
from .._svm.train import _labels as labels_of
from .._svm.train import defaults, parameter_names
from .scorers import Scorer, by_decisions, scorer_of

if TYPE_CHECKING:
    import pandas as pd

Split = tuple[IndexArray, IndexArray]

_LARGEST_TABLE = 400  # cells
REFUSED = {
    "warm_start_alpha": "folds have other rows",
    "probability": "held-out rows get predictions",
    "max_seconds": "part of it has no score; stop it from the callback",
}


@dataclasses.dataclass(frozen=True, repr=False)
class CrossValidation(Shown):
    """The result of :func:`dcsvm.cross_validate`.

    Attributes
    ----------
    C : ndarray of shape (n_C,)
        As tried.
    gamma : ndarray of shape (n_gamma,)
        As tried; "scale" and "auto" as numbers.
    scores : ndarray of shape (n_gamma, n_C, n_folds)
        Larger is better.
    best_params : dict
        ``{"C": ..., "gamma": ...}`` of the highest mean score; of equal ones the first in the order of C, then gamma.
    best_score : float
        That mean score.
    predictions : ndarray of shape (n_gamma, n_C, n_held_out)
        Predictions of held-out rows, one fold behind the other.
    rows : ndarray of shape (n_held_out,)
        The rows of X that they are for.
    n_fits, n_unconverged : int
        Models trained, and those that did not converge.
    violation : float
        Largest KKT violation of all models.
    n_iter, n_kernel_values : int
        SMO steps and kernel values of all models.
    peak_cache_bytes : int
        Bytes of working memory in use at once, at most, of what ``cache_size`` limits.
    seconds : dict
        Seconds by phase, and of all of them as "total".
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    C: FloatArray
    gamma: FloatArray
    scores: FloatArray
    best_params: dict[str, Any]  # Any: type checkers accept train(X, y, **best_params)
    best_score: float
    predictions: npt.NDArray[Any]
    rows: IndexArray
    n_fits: int
    n_unconverged: int
    violation: float
    n_iter: int
    n_kernel_values: int
    peak_cache_bytes: int
    seconds: dict[str, float]

    @property
    def mean_scores(self) -> FloatArray:
        """Means of the scores over the folds, (n_gamma, n_C)."""
        mean: FloatArray = self.scores.mean(axis=2)
        return mean

    def to_frame(self) -> pd.DataFrame:
        """The grid as a table (needs pandas).

        Returns
        -------
        pandas.DataFrame
            A row for each pair of C and gamma, the best first: ``C``, ``gamma``, ``mean_score``, ``std_score``, and a column
            ``fold0``, ``fold1``, ... for each fold.
        """
        import pandas as pd

        gamma, C = (grid.ravel() for grid in np.meshgrid(self.gamma, self.C, indexing="ij"))
        scores = self.scores.reshape(len(C), -1)
        folds = {f"fold{i}": scores[:, i] for i in range(scores.shape[1])}
        table = {"C": C, "gamma": gamma, "mean_score": scores.mean(axis=1), "std_score": scores.std(axis=1), **folds}
        return pd.DataFrame(table).sort_values("mean_score", ascending=False, kind="stable", ignore_index=True)

    def _facts(self) -> list[tuple[str, str]]:
        n_gamma, n_C, n_folds = self.scores.shape
        best = ", ".join(f"{name}={value:.6g}" for name, value in self.best_params.items())
        converged = "all converged" if not self.n_unconverged else f"{self.n_unconverged:,} did not converge"
        return [
            ("best", f"{best} with mean score {self.best_score:.4f}"),
            ("grid", f"{n_C} C x {n_gamma} gamma, {n_folds} folds"),
            ("models", f"{self.n_fits:,}, {converged}, largest violation {self.violation:.2e}"),
            ("seconds", phases(self.seconds)),
        ]

    def _more_html(self) -> str:
        """The mean scores as a table whose best cells are coloured most, and the phases."""
        if self.scores.shape[0] * self.scores.shape[1] > _LARGEST_TABLE:
            return bar(self.seconds)
        mean = self.mean_scores
        low, high = float(mean.min()), float(mean.max())
        shades = (mean - low) / (high - low) if high > low else np.zeros(mean.shape)
        header = ["gamma \\ C", *(f"{c:.6g}" for c in self.C)]
        rows = [[f"{g:.6g}", *(f"{s:.4f}" for s in scores)] for g, scores in zip(self.gamma, mean, strict=True)]
        return table(rows, header, shades.tolist()) + bar(self.seconds)


@data_first
def cross_validate(
    X: Any,
    y: Any = None,
    *,
    C: float | Sequence[float] | npt.NDArray[Any] = 1.0,
    gamma: float | GammaRule | Sequence[float] | npt.NDArray[Any] = "scale",
    cv: Any = 5,
    scoring: str | Scorer | None = None,
    sample_weight: Any = None,
    checkpoint: Any = None,
    checkpoint_interval: float = 60,
    callback: Callback | None = None,
    verbose: bool = False,
    **parameters: Unpack[TrainOptions],
) -> CrossValidation:
    """Scores every C with every gamma by cross-validation, much faster than training fold by fold.

    Folds and C values share kernel rows, each C starts from the solution of the C before it, and independent folds run side by
    side.

    Parameters
    ----------
    X, y : as in :func:`dcsvm.train`
        Rows, and labels or targets.
    C : float, Sequence[float] or array, default=1.0
        A number > 0 or a sequence of them.
    gamma : float, str, Sequence[float] or array, default='scale'
        A number > 0, a sequence of them, "scale" or "auto" (over all rows of X, not over each fold's).
    cv : int, splitter or iterable, default=5
        Number of folds >= 2, drawn by ``random_state`` as LIBSVM does (shuffled, classes in equal parts); or an object
        with ``split(X, y)``, as scikit-learn's; or an iterable of (train, test) row numbers, or masks.
    scoring : str, callable or None, default=None
        A function of (y, predictions), "accuracy", "r2", "neg_mean_squared_error", or where scikit-learn is installed one of
        its scorers that take predictions, or decision values of two classes: by name, such as "balanced_accuracy", "f1_macro" or
        "roc_auc", or as make_scorer gives it. None:
        accuracy; "r2" for regression, with a ``quantile`` minus scikit-learn's mean_pinball_loss of it (neg_mean_pinball_loss);
        and for one_class without y the share of rows predicted inside.
    sample_weight : array-like of shape (n,) or None, default=None
        Of the training rows, as in :func:`dcsvm.train`; scores are not weighted, and rows of weight 0 take no part in them.
    checkpoint, checkpoint_interval
        As in :func:`dcsvm.train`; finished folds are not trained again.
    callback, verbose
        As in :func:`dcsvm.train`; a callback that returns True raises KeyboardInterrupt.
    **parameters
        Of :func:`dcsvm.train`, all but warm_start_alpha, probability and max_seconds.

    Returns
    -------
    CrossValidation
        A fold whose training rows are of one class predicts that class.

    Raises
    ------
    ValueError
        As :func:`dcsvm.train`, and for folds that are empty, overlap, or name rows that X does not have.

    Warns
    -----
    ConvergenceWarning
        When a model did not converge.
    ScaleWarning, UserWarning
        When features differ in scale or lie far from 0, as :func:`dcsvm.train`.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(500)
    >>> found = dcsvm.cross_validate(X, y, C=[1, 10, 100], gamma=[1, 4, 16])
    >>> found.scores.shape, found.best_score > 0.85
    ((3, 3, 5), True)
    >>> model = dcsvm.train(X, y, **found.best_params)
    """
    folds = {"cv": cv, "scoring": scoring, "sample_weight": sample_weight}
    states = {"checkpoint": checkpoint, "checkpoint_interval": checkpoint_interval}
    found, tol = evaluated(X, y, C, gamma, **folds, **states, callback=callback, verbose=verbose, **parameters)
    if found.n_unconverged:
        warnings.warn(
            f"{found.n_unconverged} of {found.n_fits} models did not reach tol={tol:g}; {reach_tol(found.violation)}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found


def evaluated(
    X: Any,
    y: Any,
    C: Any,
    gamma: Any,
    *,
    cv: Any,
    scoring: Any,
    sample_weight: Any,
    checkpoint: Any = None,
    checkpoint_interval: float = 60,
    callback: Callback | None = None,
    verbose: bool = False,
    quiet: bool = False,
    **parameters: Any,
) -> tuple[CrossValidation, float]:
    """cross_validate without its ConvergenceWarning, and tol. quiet: nor a warning about the data."""
    classes = None
    given: dict[str, Any] = {**parameters}
    if given.get("formulation", "c_svc") in CLASSIFIERS:
        y, given["class_weight"], classes = coded(y, given.get("class_weight"))
    p, Cs, gammas = checked(C, gamma, given)
    data = validate.as_data("X", X)
    n = data.shape[0]
    formulation = p.formulation
    labels = labels_of(formulation, y, n)
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
    truth: npt.NDArray[Any] | None = None if y is None else as_targets("y", y, n)
    if classes is not None:
        truth = classes[labels.astype(np.intp)]
    part = np.ones(n, dtype=bool) if weights is None else weights != 0
    score = scorer_of(
        scoring, formulation, truth if truth is None else truth[part], "cross_validate", quantile=given.get("quantile")
    )
    ranks = by_decisions(score)
    splits = splits_of(cv, X, y, labels, formulation in CLASSIFIERS, p.seed)
    for f, (_, test) in enumerate(splits):
        if len(test) and not part[test].any():
            raise ValueError(
                f"cv: all {len(test)} test rows of fold {f} have weight 0, so that it has no score: give other folds"
            )
    interval = validate.real("checkpoint_interval", checkpoint_interval, above=0)
    state = None if checkpoint is None else validate.path("checkpoint", checkpoint)
    with watching(p.tol, verbose, callback) as watch, in_words(classes):
        out, info = _core.cross_validate(data, labels, p, Cs, gammas, splits, ranks, weights, state, interval, watch)
    noticed = info.pop("warnings")
    if not quiet:
        warn_of(noticed, feature_names(X))
    values = -out[..., 0] if ranks else out[..., 0]  # the core's decision values are above 0 for the first class
    codes = distinct(labels)[(values >= 0).astype(np.intp)] if ranks else values
    predictions: npt.NDArray[Any] = codes if classes is None else classes[codes.astype(np.intp)]
    scores = np.empty((*predictions.shape[:2], len(splits)))
    begin = 0
    for f, (_, test) in enumerate(splits):
        held_out = (values if ranks else predictions)[:, :, begin : begin + len(test)]
        expected = np.ones(len(test)) if truth is None else truth[test]
        for at in np.ndindex(scores.shape[:2]):
            scores[at[0], at[1], f] = score(expected[part[test]], held_out[at][part[test]])
        begin += len(test)
    return _summary(scores, predictions, np.concatenate([test for _, test in splits]), info), p.tol


def checked(C: Any, gamma: Any, parameters: dict[str, Any]) -> tuple[_core.TrainParams, list[float], list[float]]:
    """What needs no data to be checked: the parameters of train, and the values of C and gamma (none for a rule)."""
    p = fill(_core.TrainParams(), _given(C, gamma, parameters))
    return p, validate.values_of("C", C), [] if isinstance(gamma, str) else validate.values_of("gamma", gamma)


def _given(C: Any, gamma: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments of train: those given, else its defaults. Lists of C and gamma are checked elsewhere; 1.0 stands in."""
    known_parameters("cross_validate", parameters, [*parameter_names(), "cv", "scoring"], REFUSED)
    if _is_list(C):
        C = 1.0
    if _is_list(gamma):
        gamma = 1.0
    return {**defaults(), **parameters, "C": C, "gamma": gamma}


def _is_list(value: object) -> bool:
    return not isinstance(value, str) and isinstance(value, (Sequence, np.ndarray))


def splits_of(cv: Any, X: Any, y: Any, labels: FloatArray, stratified: bool, seed: int) -> list[Split]:
    n = len(labels)
    folds = folds_or_splits(cv, X, y, n)
    return folds if isinstance(folds, list) else _core.make_folds(labels, folds, stratified, seed)


def folds_or_splits(cv: Any, X: Any, y: Any, n: int) -> int | list[Split]:
    """The number of folds, or the row numbers of those that `cv` gives for n rows. ValueError."""
    if isinstance(cv, (int, np.integer, float, bool)) or cv is None:
        folds = validate.integer("cv", cv, low=2, also=", a splitter, or an iterable of (train, test)")
        if folds > n:
            raise ValueError(f"cv={folds} folds of {n} rows: at most one fold for each row")
        return folds
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise ValueError(f"cv must be a number of folds >= 2, a splitter, or an iterable of (train, test); got {cv!r}")
    splits = []
    for f, split in enumerate(cv.split(X, y) if hasattr(cv, "split") else cv):
        parts = tuple(split) if isinstance(split, Iterable) else ()
        if len(parts) != 2:
            raise ValueError(f"cv: fold {f} must be a pair (train, test), got {split!r}")
        splits.append((_rows(parts[0], n, f, "train"), _rows(parts[1], n, f, "test")))
    if not splits:
        raise ValueError("cv must give at least one (train, test), and gave none")
    return splits


def _rows(given: Any, n: int, fold: int, part: str) -> IndexArray:
    a = np.asarray(given)
    name = f"cv: {part} of fold {fold}"
    if a.dtype == bool:
        if a.shape != (n,):
            raise ValueError(f"{name} must be a mask of {n} rows, got shape {a.shape}")
        return np.flatnonzero(a).astype(np.int64)
    if a.ndim != 1 or (a.size and a.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of row numbers, got {a.dtype} of shape {a.shape}")
    beyond = a[(a < 0) | (a >= n)]
    if len(beyond):
        raise ValueError(f"cv: fold {fold} has {part} row {beyond[0]}, but rows are 0 to {n - 1}")
    return np.ascontiguousarray(a, dtype=np.int64)


def _summary(scores: FloatArray, predictions: npt.NDArray[Any], rows: IndexArray, info: dict[str, Any]) -> CrossValidation:
    C, gamma = np.asarray(info.pop("C")), np.asarray(info.pop("gamma"))
    c, g = divmod(int(np.argmax(scores.mean(axis=2).T)), len(gamma))  # of equal scores the first in GridSearchCV's order
    return CrossValidation(
        C=C,
        gamma=gamma,
        scores=scores,
        best_params={"C": float(C[c]), "gamma": float(gamma[g])},
        best_score=float(scores[g, c].mean()),
        predictions=predictions,
        rows=rows,
        **info,
    )
