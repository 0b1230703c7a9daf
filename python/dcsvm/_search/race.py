"""A race of values of C and gamma: many on few rows, fewer on more, the last ones on all, on the same folds throughout."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._input.rows import rows_at
from .._input.validate import FloatArray, IndexArray
from .._shown.watching import Callback
from .cross_validate import CrossValidation, Split, evaluated
from .scorers import Scorer

GROWTH = 4  # more rows in each round
FINAL = 3  # cells on all rows; besides them a second round has neighbours and other gammas
_TESTED = 2  # held-out rows for each trained one, in rounds on a sample
_RARE = 20  # rows of each class that every sample has, where there are so many
_GAMMAS = 3  # that every second round has
_HOPELESS = 4  # standard errors
_EARLY_TOL, _EARLY_STEPS = 1e-2, 50  # of trainings before the last round: tolerance, and steps for each row
_STEPS = 1000  # of those in the last one
_GROWS = 1.0, 2.0  # bounds of the exponent with which time grows with the rows: kernel values are rows times support vectors


Part = tuple[Any, npt.NDArray[Any], FloatArray | None, list[Split]]  # X, y, weights and folds


class Cell(NamedTuple):
    """What competes. cost: of C, or of nu."""

    cost: float
    gamma: float | None


@dataclass(frozen=True)
class Trial:
    """A cell on some rows."""

    cell: Cell
    round: int
    rows: int
    scores: FloatArray  # of the folds
    hits: npt.NDArray[np.bool_] | None  # held-out rows that were predicted right, where that is the score
    seconds: float
    converged: bool

    @property
    def score(self) -> float:
        return float(self.scores.mean())

    @property
    def standard_error(self) -> float:
        n = len(self.scores)
        return float(self.scores.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan

    def behind(self, other: Trial) -> tuple[float, float]:
        """How much lower the score is than another cell's on the same folds, and the standard error of that difference: of the
        folds' differences, or of the rows' where those are known and say more."""
        apart = other.scores - self.scores
        error = float(apart.std(ddof=1) / math.sqrt(len(apart))) if len(apart) > 1 else 0.0
        if self.hits is not None and other.hits is not None:
            of_rows = other.hits.astype(np.float64) - self.hits
            error = max(error, float(of_rows.std() / math.sqrt(len(of_rows))))
        return float(apart.mean()), error


class OutOfTimeError(Exception):
    """The budget is used up."""


@dataclass
class Clock:
    """Ends what runs when the budget is used up but for what the winner still needs."""

    budget: float | None
    callback: Callback | None
    start: float = field(default_factory=time.monotonic)
    reserve: float = 0.0
    out: bool = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.start

    def left(self) -> float:
        """Seconds for what runs, without what is reserved."""
        return math.inf if self.budget is None else self.budget - self.reserve - self.seconds

    def watch(self, progress: Any) -> bool:
        """What trainings call; True ends them."""
        self.out = self.out or self.left() <= 0
        return self.out or (self.callback is not None and bool(self.callback(progress)))

    def run(self, evaluate: Callable[[], CrossValidation]) -> CrossValidation:
        """OutOfTimeError when it did not end in time."""
        if self.left() <= 0:
            raise OutOfTimeError
        try:
            return evaluate()
        except KeyboardInterrupt:
            if not self.out:
                raise
            raise OutOfTimeError from None


@dataclass
class Problem:
    """What is searched: data, folds, and the score."""

    data: Any
    y: npt.NDArray[Any]  # as it was given: the truth
    labels: FloatArray  # as the core takes them
    weights: FloatArray | None
    splits: list[Split]
    score: Scorer
    counts_hits: bool
    cost: str  # the parameter that is searched besides gamma: "C" or "nu"
    parameters: dict[str, Any]
    classifies: bool
    clock: Clock
    rank: IndexArray = field(init=False)  # of each row: samples have those of the lowest
    rows: int = field(init=False)  # that take part
    _kept: Any = field(init=False, default=None)  # rows of a round, and what part gives for them

    def __post_init__(self) -> None:
        part = np.unique(np.concatenate([rows for split in self.splits for rows in split]))
        self.rows = len(part)
        self.rank = np.full(len(self.labels), len(self.labels), dtype=np.int64)
        order = self._drawn(part)
        self.rank[order] = np.arange(len(order))

    @property
    def order(self) -> IndexArray:
        """The rows that take part, as they are drawn."""
        return np.argsort(self.rank, kind="stable")[: self.rows].astype(np.int64)

    def _drawn(self, part: IndexArray) -> IndexArray:
        """The rows in random order, such that the first of them have every class, each in proportion but for the rarest."""
        random = np.random.default_rng(self.parameters["random_state"])
        mixed = part[random.permutation(len(part))]
        if not self.classifies:
            return mixed
        place = np.empty(len(mixed))
        for label in np.unique(self.labels[mixed]):
            members = np.flatnonzero(self.labels[mixed] == label)
            rank = np.arange(len(members))
            place[members] = np.where(rank < _RARE, -1, rank / len(members))
        return np.asarray(mixed[np.argsort(place, kind="stable")])

    def sizes(self, smallest: int) -> list[int]:
        """Rows of the rounds, all rows last."""
        sizes: list[int] = []
        size = smallest
        while 2 * size < self.rows:
            if self._usable(size):
                sizes.append(size)
            size *= GROWTH
        return [*sizes, self.rows]

    def _usable(self, size: int) -> bool:
        """Whether every fold of a sample can be trained and judged."""
        for train, test in self.splits:
            trained = train[self.rank[train] < size]
            if not len(trained) or not (self.rank[test] < _TESTED * size).any():
                return False
            if self.classifies and not np.ptp(self.labels[trained]):
                return False
        return True

    def part(self, size: int) -> Part:
        """X, y, weights and folds of a round."""
        if self._kept is None or self._kept[0] != size:
            tests = len(self.rank) if size >= self.rows else _TESTED * size
            splits = [(train[self.rank[train] < size], test[self.rank[test] < tests]) for train, test in self.splits]
            used = np.unique(np.concatenate([rows for split in splits for rows in split]))
            whole = self.data, self.y, self.weights, splits
            self._kept = size, whole if 2 * len(used) >= len(self.rank) else self._part(used, splits)
        kept: Part = self._kept[1]
        return kept

    def _part(self, used: IndexArray, splits: list[Split]) -> Part:
        if self.parameters.get("kernel") == "precomputed":
            data = np.asarray(self.data)[np.ix_(used, used)]
        else:
            data = rows_at(self.data, used)
        local = [(np.searchsorted(used, train), np.searchsorted(used, test)) for train, test in splits]
        return data, self.y[used], None if self.weights is None else self.weights[used], local

    def trials(self, gamma: float | None, costs: list[float], size: int, round_: int, *, exact: bool) -> list[Trial]:
        """Of one gamma, whose values of C are trained together. OutOfTimeError when the clock says so."""
        part = self.part(size)
        begin = self.clock.seconds
        together = self.cost == "C"  # one call for all values of C, one for each nu
        calls = [costs] if together else [[cost] for cost in costs]
        found: list[tuple[list[float], CrossValidation]] = []
        for call in calls:
            try:
                found.append((call, self.judged(call, gamma, part, exact=exact)))
            except ValueError as error:  # of nu, which the classes' sizes in a fold may not allow
                if together or "infeasible" not in str(error) or (call == calls[-1] and not found):
                    raise
        seconds = (self.clock.seconds - begin) / len(costs)
        truth, trials = part[1], []
        for call, one in found:
            for at, cost in enumerate(call):
                hits = np.asarray(one.predictions[0, at] == truth[one.rows]) if self.counts_hits else None
                trials.append(Trial(Cell(cost, gamma), round_, size, one.scores[0, at], hits, seconds, not one.n_unconverged))
        return trials

    def judged(self, costs: list[float], gamma: float | None, part: Part, *, exact: bool) -> CrossValidation:
        """The scores of one gamma, and of several values of C or one of nu, on some folds."""
        data, y, weights, splits = part
        given = {**self.parameters}
        if not exact:  # violations have the unit of the targets
            unit = 1.0 if self.classifies else float(np.abs(self.labels - np.median(self.labels)).mean())
            given["tol"] = max(_EARLY_TOL * unit, given["tol"])
        steps = (_STEPS if exact else _EARLY_STEPS) * max(len(train) for train, _ in splits)
        given["max_iter"] = steps if given["max_iter"] < 0 else min(steps, given["max_iter"])
        if isinstance(given.get("class_weight"), dict):
            present = set(np.unique(y).tolist())
            given["class_weight"] = {label: w for label, w in given["class_weight"].items() if label in present}
        if self.cost == "nu":
            given["nu"], costs = costs[0], [1.0]
        folds: dict[str, Any] = {"cv": splits, "scoring": self.score, "sample_weight": weights}
        return self.clock.run(
            lambda: evaluated(
                data, y, costs, 1.0 if gamma is None else gamma, **folds, callback=self.clock.watch, quiet=True, **given
            )[0]
        )


def best_of(trials: Sequence[Trial]) -> Trial:
    """The highest score; of equal ones the lowest C, then the lowest gamma."""
    return min(trials, key=lambda t: (-t.score, t.cell.cost, t.cell.gamma or 0.0))


def survivors(trials: Sequence[Trial], most: int) -> list[Trial]:
    """The best, and those that are behind it by no more than a standard error; of cells with the same scores the first."""
    best = best_of(trials)
    kept: list[Trial] = []
    for trial in sorted(trials, key=lambda t: (-t.score, t.cell.cost, t.cell.gamma or 0.0)):
        behind, error = trial.behind(best)
        same = any(np.array_equal(k.scores, trial.scores) and k.cell.gamma == trial.cell.gamma for k in kept)
        if behind <= error and not same:
            kept.append(trial)
    return kept[:most]


def around(cell: Cell, steps: tuple[float | None, float | None]) -> list[Cell]:
    """Neighbours half a step of the coarse grid away. None: that parameter has values of its own."""
    of_cost, of_gamma = steps
    near = []
    if of_cost is not None:
        near += [Cell(cell.cost / of_cost, cell.gamma), Cell(cell.cost * of_cost, cell.gamma)]
    if of_gamma is not None and cell.gamma is not None:
        near += [Cell(cell.cost, cell.gamma / of_gamma), Cell(cell.cost, cell.gamma * of_gamma)]
    return near


class Forecast:
    """Seconds of trainings on more rows, by what was measured so far. Values of C that are trained together count as one: the
    largest take most of the time, and those stay from round to round."""

    def __init__(self, trials: Sequence[Trial], winner: Trial) -> None:
        self.winner = winner  # so far
        self.times: dict[int, dict[float | None, float]] = {}  # rows -> gamma -> seconds
        for trial in trials:
            of_size = self.times.setdefault(trial.rows, {})
            of_size[trial.cell.gamma] = of_size.get(trial.cell.gamma, 0.0) + trial.seconds

    def exponent(self) -> float:
        """With which time grows with the rows, by what was timed on both largest sizes; as long as there is one size, 1."""
        *_, small, large = [min(self.times), *sorted(self.times)]
        both = self.times[small].keys() & self.times[large].keys()
        before, after = (sum(self.times[size][gamma] for gamma in both) for size in (small, large))
        if small == large or min(before, after) <= 0:
            return _GROWS[0]
        return min(max(math.log(after / before) / math.log(large / small), _GROWS[0]), _GROWS[1])

    def of_winner(self, rows: float) -> float:
        return float(self.winner.seconds * (rows / self.winner.rows) ** self.exponent())

    def of_gamma(self, gamma: float | None, rows: int) -> float:
        """One that was not tried takes as long as the others."""
        size = max((size for size, times in self.times.items() if gamma in times), default=max(self.times))
        times = self.times[size]
        return float(times.get(gamma, np.mean(list(times.values()))) * (rows / size) ** self.exponent())


@dataclass
class Race:
    """All trials, the winner, and why the race ended."""

    trials: list[Trial]
    winner: Trial
    in_time: bool


def run(
    problem: Problem,
    cells: Sequence[Cell],
    sizes: Sequence[int],
    steps: tuple[float | None, float | None],
    after: Callable[[Forecast], float],
) -> Race:
    """The race. OutOfTimeError when not one cell was scored.

    sizes : rows of the rounds; trainings of the last one are exact
    after : seconds that the winner needs after the race, as a forecast tells
    """
    done: list[Trial] = []
    before: list[Trial] = []  # of the last round
    winner: Trial | None = None
    for round_, size in enumerate(sizes):
        last = round_ == len(sizes) - 1
        if round_:
            alive = survivors(before, FINAL if last else max(FINAL, len(before) // 3))
            alive += [trial for trial in _of_gammas(before) if round_ == 1 and trial not in alive]
            cells = [trial.cell for trial in alive]
            if not last or len(sizes) == 2:
                near = around(alive[0].cell, steps)
                cells += [cell for cell in near if all(trial.cell != cell for trial in before)]
            if len(cells) == 1 and len(sizes) > 2:
                break
        now: list[Trial] = []
        try:
            for gamma in _outwards(cells, now, skips=round_ == 0 and steps[1] is not None):
                if winner is not None and Forecast([*done, *now], winner).of_gamma(gamma, size) > problem.clock.left():
                    raise OutOfTimeError
                costs = [cell.cost for cell in cells if cell.gamma == gamma]
                now += problem.trials(gamma, costs, size, round_, exact=last)
                problem.clock.reserve = after(Forecast([*done, *now], best_of(now)))
        except OutOfTimeError:
            if not (done or now):
                raise
            if winner is None or any(trial.cell == winner.cell for trial in now):
                winner = best_of(now)
            return Race([*done, *now], winner, False)
        winner = best_of(now)
        before = now
        done += now
    assert winner is not None
    return Race(done, winner, True)


def _outwards(cells: Sequence[Cell], now: list[Trial], *, skips: bool) -> Iterator[float | None]:
    """The gammas of cells as they come; skips: in a first round from the middle outwards, on each side until one is hopeless.

    now : the trials of the round, to which the caller adds those of each gamma
    """
    gammas = list(dict.fromkeys(cell.gamma for cell in cells))
    if not skips:
        yield from gammas
        return
    ordered = sorted(gamma for gamma in gammas if gamma is not None)
    middle, closed = (len(ordered) - 1) / 2, set()
    for place in sorted(range(len(ordered)), key=lambda place: abs(place - middle)):
        side = int(np.sign(place - middle))
        if side in closed:
            continue
        begin = len(now)
        yield ordered[place]
        behind, error = best_of(now[begin:]).behind(best_of(now))
        if side and behind > _HOPELESS * error and len(now) > len(now[begin:]):
            closed.add(side)


def _of_gammas(trials: Sequence[Trial]) -> list[Trial]:
    """The best of each of the best gammas: scores on few rows favour smooth functions."""
    best = {gamma: best_of([t for t in trials if t.cell.gamma == gamma]) for gamma in {t.cell.gamma for t in trials}}
    return sorted(best.values(), key=lambda t: (-t.score, t.cell.gamma or 0.0))[:_GAMMAS]
