"""C and gamma for the data at hand: a race on samples, the last ones on all rows, and the winner's model."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.choices import GammaRule, Unpack
from .._input.formulations import CLASSIFIERS, NU_FOR_C, SIDES, WITH_NU
from .._input.kernels import uses
from .._input.labels import as_labels, as_targets, coded
from .._input.parameters import data_first, defaults_of, fill, known_parameters
from .._input.rows import gamma_of, rows_at
from .._input.validate import FloatArray, IndexArray
from .._shown.watching import Callback
from .._svm.model import Model
from .._svm.options import TuneOptions
from .._svm.train import defaults, parameter_names, train
from . import race
from .cross_validate import Split, checked
from .racing_folds import given_folds, guarded, of_rows, racing_folds
from .ranges import STEP_C, STEP_GAMMA, Sample, given_values, nu_values
from .scorers import Scorer, scorer_of
from .tuning import Tuning

_PER_CLASS = 25  # rows of the first round for each class
_CALIBRATED = 6.0  # trainings that one with probabilities takes
_SAFETY = 2.0  # times the estimate that is kept for the trainings after the race: they matter most, and C may slow them down
_LEAST = 0.01  # seconds of the training on all rows, also when the race has used up the budget
REFUSED = {  # parameters of train
    "warm_start_alpha": "folds have other rows",
    "checkpoint": "give it to dcsvm.train",
    "checkpoint_interval": "as well",
    "max_seconds": "budget is the limit",
}

Values = float | Sequence[float] | npt.NDArray[Any] | None


class Searched(NamedTuple):
    """What a search found."""

    best_params: dict[str, float]
    winner: race.Trial
    model: Any  # what the training of the winner gave
    trials: list[dict[str, Any]]
    n_folds: int
    held_out_score: float | None
    held_out_rows: int
    stop_reason: str
    seconds: dict[str, float]


@data_first
def tune(
    X: Any,
    y: Any,
    *,
    C: Values = None,
    gamma: Values | GammaRule = None,
    nu: Values = None,
    cv: Any = 5,
    groups: Any = None,
    scoring: str | Scorer | None = None,
    sample_weight: Any = None,
    probability: bool = False,
    min_rows: int = 500,
    budget: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
    **parameters: Unpack[TuneOptions],
) -> Tuning:
    """Finds C and gamma for the data, and trains a model with them.

    A race on the same folds: a coarse grid on a sample of rows; what is behind the best by more than a standard error drops out;
    the others go on with finer neighbours on four times as many rows, and at most three on all rows. Of up to eight times
    ``min_rows`` rows the second round has all of them: at most ten are scored on them, and the best of three gammas among these.

    Parameters
    ----------
    X, y : as in :func:`dcsvm.train`
        Rows, and labels or targets; one_class: 1 and -1, of which the scores are made. Nothing is scaled.
    C : float, sequence, tuple (low, high) or None, default=None
        A number, or values in a list, or a range; all > 0. None: for each gamma from where all alphas are at the bound to where
        none is, as a sample shows it, in powers of 8. Not for nu_svc and one_class.
    gamma : float, str, sequence, tuple (low, high) or None, default=None
        The same, or "scale" or "auto". None: powers of 4 from 0.05 / d to 4 / e, where d and e are medians of squared distances:
        of two rows, and of a row to its nearest neighbour in a sample (poly, sigmoid: around 1 / the median squared norm).
    nu : float, sequence, tuple (low, high) or None, default=None
        Of nu_svc and one_class the same; None: from 0.01 to 0.7, as far as the classes' sizes allow. nu_svr: a number; None: 0.5.
    cv : int, splitter or iterable, default=5
        Folds as in :func:`dcsvm.cross_validate`. A number: as many race, and one more, drawn with them, judges the winner. Of a
        splitter's or an iterable's folds the last one judges, where there are at least three and it has at least ten test rows.
        These take no part in the race.
    groups : array-like of shape (n,) or None, default=None
        For a splitter such as GroupKFold.
    scoring : str, callable or None, default=None
        As in cross_validate.
    sample_weight : array-like of shape (n,) or None, default=None
        Of the training rows, as in train; scores are not weighted, and rows of weight 0 take no part.
    probability : bool, default=False
        Whether the model is calibrated for ``predict_proba``. The race goes without.
    min_rows : int, default=500
        Rows of the first round, at least 25 for each class; at least half of the rows of X: every cell is trained on all rows.
    budget : float or None, default=None
        Seconds for all of it. The race ends when its next trainings, the winner's and its held-out score would take longer, by
        what was timed so far; the best so far wins, and ``stop_reason`` says so. The training is given the seconds that are
        left as its ``max_seconds``; ``model.report.stop_reason`` is "time_limit" when it met them.
    callback : callable or None, default=None
        As in train; returning True raises KeyboardInterrupt.
    verbose : bool, default=False
        Progress of the training on all rows on stderr.
    **parameters
        Of :func:`dcsvm.train`, all but warm_start_alpha, checkpoint and max_seconds (budget is the limit).

    Returns
    -------
    Tuning
        The winner, its scores, its model, and all that was tried.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        As train and cross_validate, for folds whose training rows are of one class, for a scorer that fails, and for a budget in
        which nothing could be scored.

    Warns
    -----
    ConvergenceWarning, ScaleWarning, UserWarning
        As train, of the training on all rows.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(1500, random_state=0)
    >>> found = dcsvm.tune(X, y)
    >>> found.best_score > 0.9, found.held_out_score > 0.9
    (True, True)
    >>> found.model.predict(X[:3]).shape
    (3,)
    """
    begin = time.monotonic()
    seed = validate.seed(parameters.pop("random_state", 0))
    given: dict[str, Any] = {**parameters, "random_state": seed}
    validate.boolean("probability", probability)
    values = {"C": C, "gamma": gamma, "nu": nu}
    how = {"cv": cv, "groups": groups, "scoring": scoring, "sample_weight": sample_weight, "min_rows": min_rows}

    def training(best: dict[str, float], most: float | None) -> Model:
        fixed = {} if nu is None or "nu" in best else {"nu": nu}
        return train(
            *(X, y), **{**given, **fixed, **best},
            sample_weight=sample_weight, probability=probability, callback=callback, verbose=verbose, max_seconds=most,
        )  # fmt: skip

    found = searched(X, y, values, training, **how, budget=budget, calibrated=probability, callback=callback, parameters=given)
    return Tuning(
        best_params=found.best_params,
        best_score=found.winner.score,
        standard_error=found.winner.standard_error,
        held_out_score=found.held_out_score,
        held_out_rows=found.held_out_rows,
        model=found.model,
        trials=found.trials,
        n_folds=found.n_folds,
        stop_reason=found.stop_reason,
        seconds={**found.seconds, "total": time.monotonic() - begin},
    )


def searched(
    X: Any,
    y: Any,
    values: dict[str, Any],
    training: Callable[[dict[str, float], float | None], Any],
    *,
    cv: Any,
    groups: Any,
    scoring: Any,
    sample_weight: Any,
    min_rows: int,
    budget: float | None,
    calibrated: bool,
    callback: Callback | None,
    parameters: dict[str, Any],
    function: str = "tune",
) -> Searched:
    """The race, the winner's training, and its held-out score.

    values : of C, gamma and nu
    training : trains on all rows with the parameters that won, for so many seconds; None: no limit
    parameters : of train, random_state a seed
    function : that the user called
    """
    validate.callback(callback)
    clock = race.Clock(None if budget is None else validate.real("budget", budget, above=0), callback)
    given = _given(parameters)
    formulation = given["formulation"]
    cost = _searched_cost(values, given)
    smallest = validate.integer("min_rows", min_rows, low=2)
    data, truth, labels = _rows(X, y, values["gamma"], given)
    n = len(labels)
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
    classifies = formulation in CLASSIFIERS
    folds = given_folds(cv, groups, X, y, n)
    if weights is not None and (rows := _with_weight(weights)) is not None:
        data = np.asarray(data)[np.ix_(rows, rows)] if given["kernel"] == "precomputed" else rows_at(data, rows)
        truth, labels, weights, folds = truth[rows], labels[rows], weights[rows], of_rows(folds, rows, n)
        n = len(rows)
    splits, judge = racing_folds(folds, labels, classifies, given["random_state"])
    score = scorer_of(scoring, formulation, truth, function, quantile=given.get("quantile"))
    counts_hits = (classifies or formulation in SIDES) and scoring in (None, "accuracy")
    problem = race.Problem(
        *(data, truth, labels, weights, splits, guarded(score, scoring), counts_hits, cost, given, classifies, clock)
    )
    cells, steps = _grid(problem, values)
    if classifies:
        smallest = max(smallest, _PER_CLASS * len(np.unique(labels)))

    trained = float(np.mean([len(train) / problem.rows for train, _ in splits]))  # of the rows of a trial, by a fold

    def after(forecast: race.Forecast) -> float:
        """Seconds of the trainings after the race: on all rows, and for the held-out score."""
        last = forecast.of_winner(n / trained) * (_CALIBRATED if calibrated else 1.0)
        judging = 0.0 if judge is None else forecast.of_winner(len(judge[0]) / trained)
        return _SAFETY * (last + judging) / len(splits)

    sizes = problem.sizes(smallest)
    if len(sizes) == 1 and steps != (None, None):
        sizes *= 2
    try:
        found = race.run(problem, cells, sizes, steps, after)
    except race.OutOfTimeError:
        raise ValueError(
            f"budget={budget:g} seconds are too short: no value of gamma was scored on {sizes[0]:,} rows; give more seconds, or "
            "lower min_rows"
        ) from None
    searched_for, clock.reserve = clock.seconds, 0.0
    best_params = _named(found.winner.cell, cost)
    model = training(best_params, None if budget is None else max(clock.left(), _LEAST))
    trained_at = clock.seconds
    held_out = _held_out(problem, found, judge)
    seconds = {"search": searched_for, "held_out": clock.seconds - trained_at, "training": trained_at - searched_for}
    return Searched(
        best_params=best_params,
        winner=found.winner,
        model=model,
        trials=[_record(trial, cost) for trial in found.trials],
        n_folds=len(splits),
        held_out_score=held_out,
        held_out_rows=0 if judge is None or held_out is None else len(judge[1]),
        stop_reason="finished" if found.in_time else "budget",
        seconds=seconds,
    )


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of train with its defaults where the race looks at them. TypeError for others."""
    known_parameters("tune", parameters, dict.fromkeys([*parameter_names(), *defaults_of(tune)]), REFUSED)
    of_train = defaults()
    return {**{name: of_train[name] for name in ("formulation", "kernel", "tol", "max_iter")}, **parameters}


def _searched_cost(values: dict[str, Any], given: dict[str, Any]) -> str:
    """ "C" or "nu". ValueError for values of a parameter that the formulation does not have; sets nu where C is searched."""
    formulation = given["formulation"]
    cost = "nu" if formulation in NU_FOR_C else "C"
    if cost == "nu" and values["C"] is not None:
        raise ValueError(f"C: formulation={formulation!r} has no C; it has nu")
    if cost == "C" and values["nu"] is not None:
        if formulation not in WITH_NU:
            raise ValueError(f"nu: formulation={formulation!r} has no nu; it has C")
        given["nu"] = validate.real("nu", values["nu"], above=0, at_most=1)
    if values["gamma"] is not None and not uses(given["kernel"], "gamma"):
        raise ValueError(f"gamma: kernel={given['kernel']!r} has no gamma")
    return cost


def _rows(X: Any, y: Any, gamma: Any, given: dict[str, Any]) -> tuple[Any, npt.NDArray[Any], FloatArray]:
    """X as the core takes it, y as it was given, and y as the core takes it. ValueError for these, and for other parameters."""
    formulation = given["formulation"]
    if y is None:
        raise ValueError("y is missing: tune compares predictions with it, one entry for each row of X")
    data = validate.as_data("X", X)
    truth = np.asarray(y)
    truth = truth[:, 0] if truth.ndim == 2 and truth.shape[1] == 1 else truth
    codes, class_weight, _ = coded(truth, given.get("class_weight")) if formulation in CLASSIFIERS else (truth, None, None)
    rule = gamma if isinstance(gamma, str) else 1.0
    checked(1.0, rule, {**given, "class_weight": class_weight})
    labels = (as_labels if formulation in CLASSIFIERS else as_targets)("y", codes, data.shape[0])
    if not np.isfinite(labels).all():
        raise ValueError(f"y has {labels[~np.isfinite(labels)][0]} at row {int(np.argmin(np.isfinite(labels)))}")
    if formulation in CLASSIFIERS and not np.ptp(labels):
        raise ValueError(f"y has one class only ({validate.shown(truth[0])}): there is nothing to tell apart")
    if formulation in SIDES and not np.isin(labels, (-1, 1)).all():
        other = labels[~np.isin(labels, (-1, 1))][0]
        raise ValueError(
            f"y of {formulation} has 1 for rows inside and -1 for others, to be compared with predictions; found {other:g}"
        )
    _check_values(data, given["kernel"])
    return data, truth, labels


def _with_weight(weights: FloatArray) -> IndexArray | None:
    """The rows that take part; None: all of them."""
    wrong = ~((weights >= 0) & np.isfinite(weights))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"sample_weight must hold finite numbers >= 0, and has {weights[row]:g} at row {row}")
    rows = np.flatnonzero(weights).astype(np.int64)
    if not len(rows):
        raise ValueError("sample_weight is 0 for every row of X, and rows of weight 0 take no part: give some a weight above 0")
    return None if len(rows) == len(weights) else rows


def _check_values(data: Any, kernel: str) -> None:
    """The core's look at all of X, which a value of one row with it includes: samples would name their own rows."""
    of_values = "linear" if kernel == "precomputed" else kernel
    given = {"kernel": of_values, "gamma": 1.0, "precision": "double", "random_state": 0, "n_jobs": None}
    _core.kernel_values(data, np.zeros((1, data.shape[1])), fill(_core.TrainParams(), given))


def _grid(problem: race.Problem, values: dict[str, Any]) -> tuple[list[race.Cell], tuple[float | None, float | None]]:
    """The cells of the first round, and half a step of each parameter that is not given."""
    given, cost = problem.parameters, problem.cost
    sample = Sample(problem.data, problem.labels, problem.order, given)
    gammas: list[float | None]
    if not uses(given["kernel"], "gamma"):
        gammas = [None]
    elif isinstance(values["gamma"], str):
        gammas = [gamma_of(values["gamma"], problem.data, given["kernel"])]
    elif values["gamma"] is not None:
        gammas = [*given_values("gamma", values["gamma"], STEP_GAMMA)]
    else:
        gammas = [*sample.gammas()]
    if values[cost] is not None:
        costs = given_values(cost, values[cost], STEP_C)
        if cost == "nu":
            costs = [validate.real("nu", nu, above=0, at_most=1) for nu in costs]
        cells = [race.Cell(c, gamma) for gamma in gammas for c in costs]
    elif cost == "nu":
        cells = [race.Cell(nu, gamma) for gamma in gammas for nu in nu_values(given["formulation"], problem.labels)]
    else:
        cells = [race.Cell(c, gamma) for gamma in gammas for c in sample.costs(gamma)]
    half_C = STEP_C**0.5 if values[cost] is None and cost == "C" else None
    half_gamma = STEP_GAMMA**0.5 if values["gamma"] is None and gammas[0] is not None else None
    return cells, (half_C, half_gamma)


def _held_out(problem: race.Problem, found: race.Race, judge: Split | None) -> float | None:
    """The winner's score on the fold that judges. None: there is none, or no time for it."""
    if judge is None:
        return None
    problem.clock = dataclasses.replace(problem.clock, out=False)  # the race may have been cut off to leave time for this
    cell = found.winner.cell
    part = (problem.data, problem.y, problem.weights, [judge])
    try:
        return problem.judged([cell.cost], cell.gamma, part, exact=True).best_score
    except race.OutOfTimeError:
        return None


def _named(cell: race.Cell, cost: str) -> dict[str, float]:
    return {cost: cell.cost} | ({} if cell.gamma is None else {"gamma": cell.gamma})


def _record(trial: race.Trial, cost: str) -> dict[str, Any]:
    return {
        **_named(trial.cell, cost),
        "round": trial.round,
        "rows": trial.rows,
        "score": trial.score,
        "standard_error": trial.standard_error,
        "seconds": trial.seconds,
        "converged": trial.converged,
        "fold_scores": trial.scores.tolist(),
    }
