"""The folds of a race, the one that judges its winner, and the score."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.validate import FloatArray, IndexArray
from .cross_validate import Split, folds_or_splits
from .scorers import Scorer, by_decisions

_JUDGES = 10  # test rows of a given fold that judges, at least: of one row, as LeaveOneOut has, a score says nothing


def given_folds(cv: Any, groups: Any, X: Any, y: Any, n: int) -> int | list[Split]:
    """The number of folds, or those that a splitter or an iterable gives."""
    if groups is not None:
        if not hasattr(cv, "split"):
            raise ValueError(f"groups: cv must be a splitter that takes them, such as GroupKFold(5); got cv={cv!r}")
        cv = list(cv.split(X, y, groups))
    return folds_or_splits(cv, X, y, n)


def of_rows(folds: int | list[Split], rows: IndexArray, n: int) -> int | list[Split]:
    """Folds of n rows, of which only some take part, which are then numbered from 0."""
    if not isinstance(folds, list):
        return folds
    place = np.full(n, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    left = [(place[train], place[test]) for train, test in folds]
    return [(train[train >= 0], test[test >= 0]) for train, test in left]


def racing_folds(folds: int | list[Split], labels: FloatArray, classifies: bool, seed: int) -> tuple[list[Split], Split | None]:
    """The folds that race, without the rows of the one that judges; and that one."""
    n = len(labels)
    if isinstance(folds, list):
        splits, judge = _apart(folds, _JUDGES)
    else:
        if folds + 1 > n:
            raise ValueError(f"cv={folds} folds and one more that judges the winner need {folds + 1} rows, and X has {n}")
        splits, judge = _apart(_drawn(labels, folds + 1, classifies, seed), 1)
    for what, split in [
        *((f"fold {f}", split) for f, split in enumerate(splits)),
        *([("the last fold", judge)] if judge else []),
    ]:
        _check_fold(what, split, labels, classifies)
    return splits, judge


def _drawn(labels: FloatArray, folds: int, classifies: bool, seed: int) -> list[Split]:
    """As cross_validate draws them; where classes are smaller than the number of folds, which can leave a fold empty, dealt out
    class by class."""
    found = _core.make_folds(labels, folds, classifies, seed)
    if all(len(test) for _, test in found):
        return found
    order = np.lexsort((np.random.default_rng(seed).random(len(labels)), labels))
    fold = np.empty(len(labels), dtype=np.int64)
    fold[order] = np.arange(len(labels)) % folds
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(folds)]


def _apart(splits: list[Split], fewest: int) -> tuple[list[Split], Split | None]:
    """Without the test rows of the last fold, which judges; all of them where that leaves a fold without rows, and where it would
    judge by fewer rows than that."""
    if len(splits) < 3 or len(splits[-1][1]) < fewest:
        return splits, None
    *others, judge = splits
    racing = [(np.setdiff1d(train, judge[1]), np.setdiff1d(test, judge[1])) for train, test in others]
    return (racing, judge) if all(len(train) and len(test) for train, test in racing) else (splits, None)


def _check_fold(what: str, split: Split, labels: FloatArray, classifies: bool) -> None:
    for part, rows in zip(("training", "test"), split, strict=True):
        if not len(rows):
            raise ValueError(f"cv: {what} has no {part} rows")
    if not classifies or np.ptp(labels[split[0]]):
        return
    counts = np.unique(labels, return_counts=True)[1]
    raise ValueError(
        f"cv: all {len(split[0])} training rows of {what} are of one class; the smallest class of y has {counts.min()} rows. "
        "Fewer folds, or a splitter that has every class in each fold, such as StratifiedKFold"
    )


def guarded(score: Scorer, scoring: Any) -> Scorer:
    """The scorer, whose errors and values that are no numbers name it."""
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", None) or repr(scoring)

    def run(truth: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> float:
        try:
            value = score(truth, predicted)
        except Exception as error:
            kind = type(error).__name__
            raise ValueError(f"scoring: {name} raised {kind} for {len(truth)} held-out rows: {error}") from error
        return validate.real(f"scoring: the value of {name}", value)

    vars(run)["by_decisions"] = by_decisions(score)
    return run
