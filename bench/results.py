"""Questions to the results of runs: medians, lower bounds where a time limit was hit, ratios."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from .runner import Case, over_limit
from .store import Runs


@dataclass(frozen=True)
class Seconds:
    """A median; or, when over, the limit that it is above; or, when value is None, why there is nothing."""

    value: float | None
    over: bool = False
    runs: int = 0
    why: str = ""

    def text(self, digits: str = "") -> str:
        if self.value is None:
            return self.why[:60]
        return f"> {self.value:g} s" if self.over else number(self.value) + digits


@dataclass(frozen=True)
class Ratio:
    """Theirs over mine; at_least when theirs hit the limit, so that the true ratio is larger."""

    value: float | None
    at_least: bool = False
    why: str = ""

    def text(self) -> str:
        if self.value is None:
            return self.why[:60]
        return f"{'> ' if self.at_least else ''}{self.value:.3g}x" if self.value < 99.5 else self._large()

    def _large(self) -> str:
        return f"{'> ' if self.at_least else ''}{self.value:,.0f}x"

    def meets(self, need: float) -> bool | None:
        """None: cannot be told."""
        if self.value is None:
            return None
        if self.value >= need:
            return True
        return None if self.at_least else False


def number(seconds: float) -> str:
    """Three digits or milliseconds."""
    return f"{seconds:.0f}" if seconds >= 1000 else f"{seconds:.1f}" if seconds >= 100 else f"{seconds:.3g}"


def plain(value: float, digits: int = 3) -> str:
    """That many digits, thousands separated; an exponent only below 0.0001."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.{digits}g}" if abs(rounded) < 10**digits else f"{rounded:,.0f}"


def ratio(mine: Seconds, theirs: Seconds) -> Ratio:
    """Of seconds. When mine is over the limit nothing can be said but that."""
    if mine.value is None or mine.over:
        return Ratio(None, why=f"ours: {mine.text()}" if mine.over else f"ours: {mine.why}")
    if theirs.value is None:
        return Ratio(None, why=theirs.why)
    return Ratio(theirs.value / max(mine.value, 1e-9), theirs.over)


class Results:
    """Medians and first values of runs. Of a case that failed in one session and ran in another, the runs that ran count; a limit
    that was only concluded from fewer rows ("implied") does not count as a measurement."""

    def __init__(self, results: Runs) -> None:
        self.results = {
            c: sorted((r for r in runs if not r.get("implied")), key=lambda r: "error" in r) or runs
            for c, runs in results.items()
        }

    def first(self, case: Case) -> dict[str, Any]:
        return (self.results.get(case) or [{"error": "not run"}])[0]

    def good(self, *cases: Case) -> str:
        """Empty, or what is wrong with the first bad case."""
        return next((f"{c}: {self.first(c)['error']}" for c in cases if "error" in self.first(c)), "")

    def seconds(self, case: Case, key: str = "seconds") -> float:
        return statistics.median(r[key] for r in self.results[case] if key in r)

    def measured(self, case: Case, key: str = "seconds") -> Seconds:
        """The median of key, a lower bound, or the reason why not."""
        runs = self.results.get(case) or []
        values = [r[key] for r in runs if key in r]
        if values:
            return Seconds(statistics.median(values), runs=len(values))
        if not runs:
            return Seconds(None, why="not run")
        first = runs[0]
        if first.get("implied"):
            return Seconds(None, why=first["error"] if key == "seconds" else "-")
        if key == "seconds" and over_limit(first):
            return Seconds(first["time_limit"], over=True)
        if key == "predict_seconds" and first.get("limited") == "predict":
            return Seconds(first["time_limit"], over=True)
        if key == "predict_seconds" and over_limit(first):
            return Seconds(None, why="not trained in time")
        return Seconds(None, why=first.get("error") or "-")

    def fastest(self, cases: list[Case], key: str = "seconds") -> tuple[Case, Seconds]:
        """The case with the smallest median; a limit that was hit counts as larger than it says."""
        found = [(c, self.measured(c, key)) for c in cases]
        known = [(c, s) for c, s in found if s.value is not None]
        if not known:
            return found[0]
        return min(known, key=lambda cs: (cs[1].over, cs[1].value))

    def rate(self, problem: str, threads: int = 0, isa: str = "") -> float | None:
        """Kernel values per second on the problem, median of what was measured."""
        values = [
            r["values_per_second"]
            for c, runs in self.results.items()
            if (c.kind, c.problem, c.threads, c.isa) == ("rate", problem, threads, isa)
            for r in runs
            if "values_per_second" in r
        ]
        return statistics.median(values) if values else None

    def bound_seconds(self, case: Case) -> float | None:
        """Seconds of computing rows x support vectors of this solution once, at the measured rate (bound.py)."""
        run, rate = self.first(case), self.rate(case.problem, case.threads, case.isa)
        if rate is None or "n_support" not in run:
            return None
        return run["rows"] * run["n_support"] / rate

    def values_ratio(self, case: Case) -> float | None:
        """Kernel values that dcsvm computed over rows x support vectors."""
        run = self.first(case)
        values = (run.get("notes") or {}).get("n_kernel_values")
        return values / (run["rows"] * run["n_support"]) if values and run.get("n_support") else None

    def gap(self, mine: Case, theirs: Case) -> float | None:
        """Relative difference of objectives; positive: mine is worse."""
        f, g = self.first(mine).get("objective"), self.first(theirs).get("objective")
        return None if f is None or g is None else (f - g) / abs(g)

    def best_objective(self, problem: str) -> float | None:
        """The smallest of all exact solutions of the problem that obey the constraints."""
        from .peers import PEERS

        values = [
            runs[0]["objective"]
            for c, runs in self.results.items()
            if c.problem == problem and c.kind == "fit" and PEERS[c.peer].exact and runs and "objective" in runs[0]
            if runs[0].get("infeasibility", 0) < 1e-6
        ]
        return min(values, default=None)
