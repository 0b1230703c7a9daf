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


def scorer_of(
    scoring: Any,
    formulation: str,
    y: npt.NDArray[Any] | None,
    function: str,
    *,
    quantile: float | None = None,
    decisions: bool = True,
) -> Scorer:
    """The function for the argument `scoring` of cross_validate. Tries scikit-learn's on y, before anything is trained.

    function : that the user called
    quantile : of y that is predicted; None: predictions are of the mean
    decisions : whether the caller has decision values of two classes for a scorer that is ``by_decisions``
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
    classes = np.unique(y) if formulation in CLASSIFIERS else None
    scorer = _of_sklearn(scoring, classes, function, decisions)
    scorer(y, np.arange(len(y), dtype=np.float64) if by_decisions(scorer) else y)
    return scorer


def by_decisions(scorer: Scorer) -> bool:
    """Whether it takes decision values in the place of predictions: of two classes, those of the second are above 0."""
    return bool(getattr(scorer, "by_decisions", False))


def check_scoring(scoring: Any, formulation: str, has_y: bool) -> None:
    """ValueError for a scoring that scorer_of refuses whatever y holds: without y, an unknown name, one of decision values."""
    if not has_y:
        scorer_of(scoring, formulation, None, "cross_validate")
        return
    if isinstance(scoring, str) and scoring not in SCORERS:
        _response(_named_scorer(scoring), scoring, formulation in CLASSIFIERS, "cross_validate")
    try:
        scorer_of(scoring, formulation, np.array([0.0, 1.0]), "cross_validate")
    except Exception:
        if not (isinstance(scoring, str) or _is_scorer(scoring)):
            raise  # it is no scoring; else it is one for other labels, or more rows, than these two


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


def _of_sklearn(scoring: Any, classes: npt.NDArray[Any] | None, function: str, decisions: bool) -> Scorer:
    scorer = scoring if _is_scorer(scoring) else _named_scorer(scoring)
    response = _response(scorer, scoring, decisions and classes is not None, function)
    ranks = response == "decision_function"
    if ranks and classes is not None and len(classes) != 2:
        raise ValueError(
            f"scoring={scoring!r} ranks rows by the decision values of two classes, and y has {len(classes)} classes"
        )

    def score(y: npt.NDArray[Any], values: npt.NDArray[Any]) -> float:
        try:
            present = classes if ranks or classes is None else np.unique(values)
            return float(scorer(_known(response, values, present), values, y))
        except ValueError as error:
            if "pos_label" in str(error) or "average='binary'" in str(error):
                hint = (
                    "number two classes 0 and 1"
                    if ranks or _is_scorer(scoring)
                    else f"take '{scoring}_macro', or number two classes 0 and 1"
                )
                expected = f"scoring={scoring!r} tells how well class 1 is told from class 0; y has other classes"
                raise ValueError(f"{expected}: {hint} ({error})") from error
            raise

    vars(score)["by_decisions"] = ranks
    return score


def _response(scorer: Any, scoring: Any, decisions: bool, function: str) -> str:
    """The method of an estimator that a scorer of scikit-learn calls: "predict", or where there are decision values
    "decision_function". ValueError for one that needs more."""
    labels = np.array([0.0, 1.0])
    names = ["predict", "decision_function"] if decisions else ["predict"]
    for name in names:
        try:
            scorer(_known(name, labels.copy(), labels), labels, labels)
        except AttributeError:
            continue
        except Exception:  # it takes other labels, or more rows, than these two
            return name
        return name
    has = "predictions and decision values" if decisions else "predictions"
    raise ValueError(
        f"scoring={scoring!r} needs {'' if decisions else 'decision values or '}probabilities, and {function} has {has}: "
        "use scikit-learn's GridSearchCV with an estimator"
    )


def _known(method: str, values: npt.NDArray[Any], classes: npt.NDArray[Any] | None) -> Any:
    """A fitted estimator of scikit-learn with that method, which gives `values`. classes: None for a regression."""
    base: Any = importlib.import_module("sklearn.base")

    class Known(base.RegressorMixin if classes is None else base.ClassifierMixin, base.BaseEstimator):  # type: ignore[misc]
        def fit(self) -> None:
            self.classes_ = classes

    def answer(self: Any, X: Any) -> npt.NDArray[Any]:
        return np.array(values)

    answer.__name__ = method  # by which scikit-learn looks it up again
    setattr(Known, method, answer)
    known = Known()
    known.fit()
    return known
