"""Which runs pages and pictures may show: those of an otherwise idle machine, and for each problem those of one day and machine.

A session's load average counts the jobs that ran before it began. A run's own other_cpus, where it has them, count the jobs that
ran beside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import linear
from .runner import Case
from .store import Store

BUSY = 0.5  # a core: a load average, or CPUs that other processes kept busy, above which seconds are no figures


class Setting(NamedTuple):
    """What must be the same for seconds to be compared."""

    date: str
    cpu: str
    cores: int
    threads: int
    isa: str

    @staticmethod
    def of(session: dict[str, Any]) -> Setting:
        isa = (session.get("dcsvm") or {}).get("isa", "?")
        return Setting(*(session.get(key) or 0 for key in ("date", "cpu", "cores", "threads")), isa)


def is_idle(session: dict[str, Any]) -> bool:
    """Whether the session began on an otherwise idle machine. An unknown load is none."""
    load = session.get("load_average_at_start")
    return load is not None and load <= BUSY * (session.get("cores") or 1)


def _base(case: Case) -> tuple[str, bool]:
    """The problem without its number of rows: sizes of one problem are compared with each other, linear solvers among
    themselves."""
    return case.problem.partition("/")[0], linear.is_of(case)


def admitted(store: Store) -> tuple[Store, list[str]]:
    """(what may be shown, sentences on what is left out)"""
    idle: dict[tuple[str, bool], Counter[Setting]] = defaultdict(Counter)  # problem -> setting -> cases
    kept = Store()
    kept.sessions = store.sessions
    busy: list[str] = []  # the dates of runs left out
    for case, runs in store.results.items():
        for run in runs:
            session = store.sessions.get(run.get("session", ""), {})
            if is_idle(session) and run.get("other_cpus", 0.0) <= BUSY * session["cores"]:
                kept.results.setdefault(case, []).append(run)
            else:
                busy.append(str(session.get("date", "an unknown day")))
        for setting in {_setting(store, run) for run in kept.results.get(case, [])}:
            idle[_base(case)][setting] += 1
    chosen = {problem: max(settings, key=lambda s: (settings[s], s)) for problem, settings in idle.items()}
    others: list[str] = []
    for case, runs in list(kept.results.items()):
        same = [run for run in runs if _setting(store, run) == chosen[_base(case)]]
        others += [_setting(store, run).date for run in runs if run not in same]
        kept.results[case] = same
    kept.results = {case: runs for case, runs in kept.results.items() if runs}
    sentences = []
    if busy:
        sentences.append(f"Left out: {_runs(busy)} that began at a load above {BUSY:g} a core or ran beside other work.")
    if others:
        sentences.append(f"Left out: {_runs(others)} of another day or machine than the runs shown of the same problem.")
    return kept, sentences


def _setting(store: Store, run: dict[str, Any]) -> Setting:
    return Setting.of(store.sessions[run["session"]])


def _runs(dates: Iterable[str]) -> str:
    counts = Counter(dates)
    total = counts.total()
    days = ", ".join(f"{n} of {day}" for day, n in sorted(counts.items()))
    return f"{total:,} run{'s' * (total != 1)} ({days})"
