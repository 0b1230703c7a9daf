"""What tune returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._shown.display import Shown, bar, table
from .._shown.report import phases
from .._svm.model import Model

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Tuning(Shown):
    """The result of :func:`dcsvm.tune`.

    Attributes
    ----------
    best_params : dict
        The winner, such as ``{"C": ..., "gamma": ...}``.
    best_score : float
        Its mean score over the folds, on the most rows that it raced on. It won by this score, so it is too high by some luck.
    standard_error : float
        Of ``best_score``, from the differences between folds; nan for one fold.
    held_out_score : float or None
        Its score on rows that no round of the race has seen, by a model that was trained without them. None: there were no folds
        to spare, or no time.
    held_out_rows : int
        How many rows those are.
    model : Model
        Trained with the winner on all rows.
    trials : list of dict
        What was tried, in that order: ``C`` or ``nu``, ``gamma``, ``round``, ``rows``, ``score``, ``standard_error``,
        ``seconds`` (those of one gamma in equal parts), ``fold_scores``, ``converged``.
    n_folds : int
        Folds of the race.
    stop_reason : str
        "finished", or "budget": the winner is the best so far.
    seconds : dict
        Seconds of the "search", of the "held_out" score, of the "training" on all rows, and of all of them as "total".
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    best_params: dict[str, Any]  # Any: type checkers accept train(X, y, **best_params)
    best_score: float
    standard_error: float
    held_out_score: float | None
    held_out_rows: int
    model: Model
    trials: list[dict[str, Any]]
    n_folds: int
    stop_reason: str
    seconds: dict[str, float]

    def to_frame(self) -> pd.DataFrame:
        """The trials as a table (needs pandas).

        Returns
        -------
        pandas.DataFrame
            A row for each trial, most rows first, and of those the best score first. Instead of ``fold_scores`` there are
            columns ``fold0``, ``fold1``, ...
        """
        import pandas as pd

        records = []
        for trial in self.trials:
            record = {name: value for name, value in trial.items() if name != "fold_scores"}
            records.append(record | {f"fold{i}": score for i, score in enumerate(trial["fold_scores"])})
        order = ["rows", "score"]
        return pd.DataFrame(records).sort_values(order, ascending=False, kind="stable", ignore_index=True)

    def _rounds(self) -> list[tuple[int, int]]:
        """Rows and number of trials of each round."""
        of_round: dict[int, list[int]] = {}
        for trial in self.trials:
            of_round.setdefault(trial["round"], []).append(trial["rows"])
        return [(rows[0], len(rows)) for rows in of_round.values()]

    def _facts(self) -> list[tuple[str, str]]:
        best = ", ".join(f"{name}={value:.6g}" for name, value in self.best_params.items())
        rows = next(t["rows"] for t in reversed(self.trials) if t["score"] == self.best_score)
        unseen = "none" if self.held_out_score is None else f"{self.held_out_score:.4f} on {self.held_out_rows:,} rows"
        early = "; the budget ended it early, this is the best so far" * (self.stop_reason == "budget")
        rounds = ", ".join(f"{n} on {size:,} rows" for size, n in self._rounds())
        return [
            ("best", best),
            ("score", f"{self.best_score:.4f} +- {self.standard_error:.4f} over {self.n_folds} folds of {rows:,} rows"),
            ("held-out score", unseen),
            ("race", f"{rounds}{early}"),
            ("seconds", phases(self.seconds)),
        ]

    def _more_html(self) -> str:
        """The trials of the last rounds, and the phases."""
        names = [name for name in self.trials[0] if name in ("C", "nu", "gamma")]
        last = [t for t in self.trials if t["round"] > 0] or self.trials
        last = sorted(last, key=lambda t: (-t["rows"], -t["score"]))[:_SHOWN]
        rows = [
            [*(f"{t[name]:.6g}" for name in names), f"{t['rows']:,}", f"{t['score']:.4f}", f"{t['standard_error']:.4f}"]
            for t in last
        ]
        return table(rows, [*names, "rows", "score", "standard error"]) + bar(self.seconds)


_SHOWN = 12  # trials in notebooks
