"""Accuracy against prediction cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from .._dc_pred.model import DCPredModel
from .._dc_pred.options import DCPredCurveOptions, RidgeCurveOptions
from .._dc_pred.train import train_dc_pred, train_dc_pred_ridge
from .._input import validate as _validate
from .._input.choices import Unpack
from .._input.parameters import defaults_of, known_parameters
from .._ldkl.model import LDKLModel
from .._ldkl.options import LDKLCurveOptions
from .._ldkl.train import train_ldkl
from .._low_rank.model import LowRankModel
from .._low_rank.options import LowRankCurveOptions
from .._low_rank.train import train_low_rank
from .._shown.display import Shown

_RUNS = 7  # the shortest counts
_FIRST_BUDGET, _DEFAULT_BUDGETS = 6.0, 4  # that one, and so many from there on, each twice the one before
_LAST_BUDGET = 1e4  # two landmarks of one feature cost far less
_TOO_SMALL = "budget must allow"  # in the core's errors


@dataclass(frozen=True, repr=False)
class CostCurve(Shown):
    """The result of :func:`dcsvm.cost_curve`, one entry for each budget.

    Attributes
    ----------
    budgets : ndarray of shape (n_budgets,)
        As tried.
    costs : ndarray of shape (n_budgets,)
        Inner products of n_features that a row costs.
    times : ndarray of shape (n_budgets,)
        Multiples of a linear model's time, measured: one thread, one batch.
    scores : ndarray of shape (n_budgets,)
        Accuracy, or root mean squared error.
    models : list of DCPredModel, LowRankModel or LDKLModel
        The models.
    score_name : str
        "accuracy" or "root mean squared error".
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    budgets: npt.NDArray[np.float64]
    costs: npt.NDArray[np.float64]
    times: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]
    models: list[DCPredModel] | list[LowRankModel] | list[LDKLModel]
    score_name: str

    def _facts(self) -> list[tuple[str, str]]:
        points = zip(self.budgets, self.costs, self.scores, strict=True)
        return [(f"budget {b:g}", f"cost {c:.1f}, {self.score_name} {s:.4g}") for b, c, s in points]

    def _more_html(self) -> str:
        return "<div>Costs are inner products a row; a linear model's is 1.</div>"

    def plot(self, ax: Any = None, *, against: Literal["costs", "times"] = "costs") -> Any:
        """Draws the curve as :func:`dcsvm.plotting.cost` does (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default=None
            Where to draw; None: new axes.
        against : {'costs', 'times'}, default='costs'
            What the horizontal axis shows.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from ..plotting import cost

        return cost(self, ax=ax, against=against).ax_


_Budgets = float | str | Sequence[float | str] | npt.NDArray[Any] | None


@overload
def cost_curve(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    budgets: _Budgets = None,
    regression: Literal[False] = False,
    method: Literal["dc_pred"] = "dc_pred",
    **params: Unpack[DCPredCurveOptions],
) -> CostCurve: ...
@overload
def cost_curve(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    budgets: _Budgets = None,
    regression: Literal[True],
    method: Literal["dc_pred"] = "dc_pred",
    **params: Unpack[RidgeCurveOptions],
) -> CostCurve: ...
@overload
def cost_curve(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    budgets: _Budgets = None,
    regression: Literal[False] = False,
    method: Literal["low_rank"],
    **params: Unpack[LowRankCurveOptions],
) -> CostCurve: ...
@overload
def cost_curve(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    budgets: _Budgets = None,
    regression: Literal[False] = False,
    method: Literal["ldkl"],
    **params: Unpack[LDKLCurveOptions],
) -> CostCurve: ...
def cost_curve(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    budgets: _Budgets = None,
    regression: bool = False,
    method: Literal["dc_pred", "low_rank", "ldkl"] = "dc_pred",
    **params: Any,
) -> CostCurve:
    """Trains a fast model for each budget and measures what it reaches on other rows.

    Parameters
    ----------
    X, y
        Training rows with labels or targets.
    X_test, y_test
        The rows that judge (dense).
    budgets : float, str, sequence of them, array or None, default=None
        As ``budget`` of the training function: 12 or "12x". None: the first four of 6, 12, 24, 48, 96, ... that allow two
        landmarks, or with "ldkl" a tree: with few features a kernel value costs many times a linear model's product, and the
        smallest are not possible.
    regression : bool, default=False
        :func:`dcsvm.train_dc_pred_ridge` in place of :func:`dcsvm.train_dc_pred`.
    method : {'dc_pred', 'low_rank', 'ldkl'}, default='dc_pred'
        "low_rank": :func:`dcsvm.train_low_rank` in place of :func:`dcsvm.train_dc_pred`; SpSVM with the further parameters
        landmarks="greedy", loss="squared_hinge". "ldkl": :func:`dcsvm.train_ldkl`.
    **params
        Of the training function.

    Returns
    -------
    CostCurve
        Costs, times, scores and models, one for each budget.

    Raises
    ------
    ValueError
        As the training function does.

    Notes
    -----
    Times are the shortest of 7 runs over all of X_test as float32 on one thread, over those of ``np.isfinite(X).all()``
    and ``X @ w``: what a linear model that checks its input needs. They mean something on an idle machine and for some
    thousand rows.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> curve = dcsvm.cost_curve(X[:1500], y[:1500], X[1500:], y[1500:], budgets=(16, 32), C=10, gamma=4)
    >>> bool((curve.costs <= curve.budgets).all())
    True
    """
    if "budget" in params:
        raise ValueError("budget: cost_curve takes budgets")
    train = _training(method, regression)
    known_parameters("cost_curve", params, [name for name in defaults_of(train) if name != "budget"])
    judging = _validate.as_data("X_test", X_test)
    if not isinstance(judging, np.ndarray):
        raise ValueError("X_test must be dense, got a sparse matrix: give X_test.toarray()")
    rows = np.ascontiguousarray(judging, dtype=np.float32)
    truth = _truth(y_test, len(rows))
    if budgets is None:
        models, values = _from_the_smallest(lambda budget: train(X, y, budget=budget, **params))
    else:
        given = [_validate.multiple("budgets", b) if isinstance(b, str) else b for b in _validate.listed(budgets)]
        values = np.array(_validate.values_of("budgets", given))
        models = [train(X, y, budget=float(b), **params) for b in values]
    w = np.ones(rows.shape[1], dtype=np.float32)
    linear = _shortest(lambda: (np.isfinite(rows).all(), rows @ w))
    times, scores = [], []
    for model in models:
        times.append(_shortest(lambda m=model: m.decision_function(rows, n_jobs=1)) / linear)
        answers = model.predict(rows)
        scores.append(np.sqrt(np.mean((answers - truth) ** 2)) if regression else np.mean(answers == truth))
    name = "root mean squared error" if regression else "accuracy"
    return CostCurve(values, np.array([m.cost for m in models]), np.array(times), np.array(scores), models, name)


def _truth(y_test: Any, n: int) -> npt.NDArray[Any]:
    """What the rows of X_test have: numbers, or text."""
    labels = np.asarray(y_test)
    if labels.shape == (n,) and all(isinstance(label, str) for label in labels.tolist()):
        return labels
    return _validate.as_vector("y_test", y_test, n, of="X_test")


def _training(method: str, regression: bool) -> Callable[..., Any]:
    """The function that trains the models of a curve."""
    _validate.choice("method", method, ("dc_pred", "low_rank", "ldkl"))
    if method != "dc_pred":
        if regression:
            raise ValueError(f"regression needs method='dc_pred', got {method!r}, which only classifies")
        trainers: dict[str, Callable[..., Any]] = {"low_rank": train_low_rank, "ldkl": train_ldkl}
        return trainers[method]
    if regression:
        return train_dc_pred_ridge
    return train_dc_pred


def _from_the_smallest(train: Callable[[float], Any]) -> tuple[list[Any], npt.NDArray[np.float64]]:
    """Models of the first budgets that are possible, and those budgets."""
    models: list[Any] = []
    budget = _FIRST_BUDGET
    while True:
        try:
            models.append(train(budget))
        except ValueError as error:
            if models or _TOO_SMALL not in str(error) or budget > _LAST_BUDGET:
                raise
        else:
            if len(models) == _DEFAULT_BUDGETS:
                return models, np.array([budget / 2.0**i for i in reversed(range(_DEFAULT_BUDGETS))])
        budget *= 2


def _shortest(run: Any) -> float:
    seconds = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
