"""Scores of held-out predictions: three of our own, and scikit-learn's scorers by their names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._input import validate
from .._input.formulations import CLASSIFIERS, REGRESSIONS
from .._input.suggestions import did_you_mean
from .._input.validate import FloatArray

Scorer = Callable[[npt.NDArray[Any], npt.NDArray[Any]], float]


def accuracy(y: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> float:
    return float(np.mean(y == predicted))


def neg_mean_squared_error(y: FloatArray, predicted: FloatArray) -> float:
    return -float(np.mean((y - predicted) ** 2))


def r2(y: FloatArray, predicted: FloatArray) -> float:
    """As scikit-learn's r2_score: a constant y scores 1 when it is met and else 0."""
    residual, total = float(np.sum((y - predicted) ** 2)), float(np.sum((y - y.mean()) ** 2))
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return 1.0 - residual / total


def neg_mean_pinball_loss(quantile: float) -> Scorer:
    """Minus scikit-learn's mean_pinball_loss, whose lowest value predictions of that quantile of y have."""

    def score(y: FloatArray, predicted: FloatArray) -> float:
        above = y - predicted
        return -float(np.mean(np.maximum(quantile * above, (quantile - 1) * above)))

    score.__name__ = neg_mean_pinball_loss.__name__
    return score


SCORERS: dict[str, Scorer] = {"accuracy": accuracy, "r2": r2, "neg_mean_squared_error": neg_mean_squared_error}


def scorer_of(scoring: Any, formulation: str, y: npt.NDArray[Any] | None, quantile: float | None = None) -> Scorer:
    """The function for the argument `scoring` of cross_validate. Tries scikit-learn's on y, before anything is trained.

    quantile : of y that is predicted; None: predictions are of the mean
    """
    if scoring is None:
        if quantile is not None:
            return neg_mean_pinball_loss(quantile)
        return r2 if formulation in REGRESSIONS else accuracy
    if y is None:
        raise ValueError(f"scoring={scoring!r} compares predictions with y: give y, or leave scoring away")
    if callable(scoring) and not _is_scorer(scoring):
        own: Scorer = scoring
        return own
    if isinstance(scoring, str) and scoring in SCORERS:
        return SCORERS[scoring]
    scorer = _of_sklearn(scoring, formulation in CLASSIFIERS)
    scorer(y, y)
    return scorer


def check_scoring(scoring: Any, formulation: str, has_y: bool) -> None:
    """ValueError for a scoring that scorer_of refuses whatever y holds: without y, an unknown name, one of decision values."""
    if not has_y:
        scorer_of(scoring, formulation, None)
        return
    if isinstance(scoring, str) and scoring not in SCORERS:
        _named_scorer(scoring)
    try:
        scorer_of(scoring, formulation, np.array([0.0, 1.0]))
    except _NeedsMoreError:
        raise
    except Exception:
        if not (isinstance(scoring, str) or _is_scorer(scoring)):
            raise  # it is no scoring; else it is one for other labels, or more rows, than these two


class _NeedsMoreError(ValueError):
    """A scorer needs decision values or probabilities."""


def _is_scorer(scoring: Any) -> bool:
    """Whether it is what scikit-learn's make_scorer or get_scorer gave, which is called with an estimator."""
    module = sys.modules.get("sklearn.metrics._scorer")
    return module is not None and isinstance(scoring, module._BaseScorer)


def _named_scorer(name: Any) -> Any:
    try:
        metrics: Any = importlib.import_module("sklearn.metrics")
    except ImportError:
        validate.choice("scoring", name, SCORERS)
        raise
    known = metrics.get_scorer_names()
    if name not in known:
        hint = did_you_mean(name, [*SCORERS, *known]) if isinstance(name, str) else ""
        raise ValueError(f"scoring must be None, a function of (y, predictions) or the name of a scorer; got {name!r}{hint}")
    return metrics.get_scorer(name)


def _of_sklearn(scoring: Any, classifies: bool) -> Scorer:
    scorer = scoring if _is_scorer(scoring) else _named_scorer(scoring)

    def score(y: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> float:
        try:
            return float(scorer(_predicts(predicted, classifies), predicted, y))
        except AttributeError as error:
            raise _NeedsMoreError(
                f"scoring={scoring!r} needs decision values or probabilities, and cross_validate has predictions: "
                "use scikit-learn's GridSearchCV with an estimator"
            ) from error
        except ValueError as error:
            if "pos_label" in str(error) or "average='binary'" in str(error):
                hint = (
                    "number two classes 0 and 1"
                    if _is_scorer(scoring)
                    else f"take '{scoring}_macro', or number two classes 0 and 1"
                )
                expected = f"scoring={scoring!r} tells how well class 1 is told from class 0; y has other classes"
                raise ValueError(f"{expected}: {hint} ({error})") from error
            raise

    return score


def _predicts(values: npt.NDArray[Any], classifies: bool) -> Any:
    """A fitted estimator of scikit-learn whose predictions are `values`."""
    base: Any = importlib.import_module("sklearn.base")

    class Known(base.ClassifierMixin if classifies else base.RegressorMixin, base.BaseEstimator):  # type: ignore[misc]
        def fit(self) -> None:
            self.classes_ = np.unique(values)

        def predict(self, X: Any) -> npt.NDArray[Any]:
            return values

    known = Known()
    known.fit()
    return known
