"""Markdown tables of results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .peers import GROUPS, NAMES, PEERS
from .results import Results, number, ratio
from .runner import Case

COLUMNS = (
    "peer",
    "version",
    "tol",
    "fit s (runs)",
    "x bound (values)",
    "against LIBSVM",
    "predict s",
    "load s",
    "accuracy %",
    "objective",
    "violation",
    "support vectors",
    "fit MB",
)


def fits(r: Results) -> list[Case]:
    return [c for c, runs in r.results.items() if c.kind == "fit" and runs]


def problems_of(cases: Iterable[Case]) -> list[str]:
    return list(dict.fromkeys(c.problem for c in cases))


def is_plain(case: Case) -> bool:
    """Default threads, instruction set, cache and options: what the problem tables show."""
    return case == Case(case.problem, case.peer, case.tol)


def problem_table(r: Results, problem: str) -> list[str]:
    return _table(COLUMNS, [_cells(r, c) for c in _cases(r, problem)])


def problems_table(r: Results, problems: Iterable[str]) -> list[str]:
    """The same of several problems in one table, whose first column names the problem and its rows: exact solvers, and the early
    model."""
    peers = (*GROUPS["exact"], "dcsvm_early")
    rows = [[_named(r, c), *_cells(r, c)] for problem in problems for c in _cases(r, problem) if c.peer in peers]
    return _table(("problem (training rows)", *COLUMNS), rows)


def _named(r: Results, case: Case) -> str:
    return f"{case.problem} ({rows:,})" if (rows := r.first(case).get("rows")) else case.problem


def _cases(r: Results, problem: str) -> list[Case]:
    cases = [c for c in fits(r) if c.problem == problem and is_plain(c)]
    return sorted(cases, key=lambda c: (-c.tol, NAMES.index(c.peer)))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def _cells(r: Results, case: Case) -> list[str]:
    run, peer = r.first(case), PEERS[case.peer]
    seconds = r.measured(case)
    libsvm = ratio(seconds, r.measured(Case(case.problem, "libsvm", case.tol)))
    runs = f" ({seconds.runs})" if seconds.runs else ""
    value = lambda key, form: format(run[key], form) if key in run else ""  # noqa: E731
    train = " (train)" if run.get("tested_on") == "train" else ""
    memory = run.get("memory_mb", {}).get("fit")
    return [
        peer.label,
        run.get("versions", {}).get("peer", ""),
        f"{case.tol:g}" if peer.package else "",
        seconds.text() + runs,
        bound_text(r, case) if peer.exact else "",
        "" if case.peer in ("libsvm", "null") or libsvm.value is None else libsvm.text(),
        r.measured(case, "predict_seconds").text() if seconds.runs else "",
        r.measured(load).text() if (load := Case(case.problem, case.peer, kind="load")) in r.results else "",
        value("accuracy", ".3f") + train * ("accuracy" in run),
        value("objective", ".6f"),
        value("violation", ".1e"),
        value("n_support", ","),
        "" if memory is None or math.isnan(memory) else f"{memory:.0f}",
    ]


def bound_text(r: Results, case: Case) -> str:
    """The training seconds over the bound's, and for dcsvm the same ratio of kernel values."""
    bound, seconds, values = r.bound_seconds(case), r.measured(case), r.values_ratio(case)
    if bound is None or seconds.value is None:
        return ""
    return f"{seconds.value / bound:.3g}" + (f" ({values:.2g})" if values else "")


def about_problem(r: Results, problem: str) -> str:
    """Rows, parameters and the bound of the exact solution, in one line."""
    from . import problems

    rows = problems.parse(problem)[1]
    text = f"{rows:,} training rows"
    case = next((c for c in fits(r) if c.problem == problem and is_plain(c) and PEERS[c.peer].exact and r.bound_seconds(c)), None)
    if case:
        rate = r.rate(problem) or 0.0
        text += (
            f"; the bound of {r.first(case)['n_support']:,} support vectors is {number(r.bound_seconds(case) or 0)} s "
            f"({rate / 1e9:.2f} G kernel values/s)"
        )
    return text


def sessions_line(sessions: Sequence[dict], loads: bool = True) -> str:
    """Where and when, and at which commit where that is known, of all sessions that a table shows."""
    found: dict[str, list[float]] = {}
    for s in sessions:
        isa = (s.get("dcsvm") or {}).get("isa", "?")
        threads = f"{s['threads']} thread{'s' if s['threads'] != 1 else ''}"
        where = f"{s['date']}, {s['cpu']} ({s['cores']} cores, {threads}, {isa}), Python {s['python']}"
        where += f", commit {s['commit']}" if s.get("commit") else ""
        found.setdefault(where, []).extend(x for x in [s.get("load_average_at_start")] if x is not None)
    parts = []
    for where, values in found.items():
        span = list(dict.fromkeys(f"{x:.1f}" for x in (min(values), max(values)))) if values and loads else []
        parts.append(where + (f", load average at the start {' to '.join(span)}" if span else ""))
    return ". Measured ".join(parts)


# Scaling


@dataclass(frozen=True)
class Exponent:
    """seconds = factor * n^value over the sizes n."""

    value: float
    sizes: tuple[int, ...]


def fit_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> Exponent | None:
    """Least squares on logarithms; None for fewer than three sizes."""
    if len(set(sizes)) < 3:
        return None
    slope = np.polyfit(np.log(np.asarray(sizes, float)), np.log(np.maximum(seconds, 1e-9)), 1)[0]
    return Exponent(float(slope), tuple(sorted(sizes)))


def scaling_series(r: Results) -> dict[str, dict[str, list[tuple[int, Case]]]]:
    """Problem -> peer -> (rows, case) ascending, of problems that were run at three sizes or more."""
    from . import problems

    found: dict[str, dict[str, list[tuple[int, Case]]]] = {}
    for case in fits(r):
        if is_plain(case) and case.tol == 1e-3 and PEERS[case.peer].package:
            base, rows = problems.parse(case.problem)
            found.setdefault(base, {}).setdefault(case.peer, []).append((rows, case))
    for series in found.values():
        for points in series.values():
            points.sort(key=lambda p: p[0])
    return {b: s for b, s in found.items() if len({n for points in s.values() for n, _ in points}) >= 3}


def scaling_tables(r: Results) -> list[str]:
    lines: list[str] = []
    for base, series in scaling_series(r).items():
        sizes = sorted({n for points in series.values() for n, _ in points})
        lines += ["", f"**{base}**, seconds of training", ""]
        lines += [f"| peer | {' | '.join(f'n = {n:,}' for n in sizes)} | exponent |", "|---" * (len(sizes) + 2) + "|"]
        for peer in sorted(series, key=NAMES.index):
            at = dict(series[peer])
            known = [(n, r.measured(c)) for n, c in series[peer]]
            good = [(n, s.value) for n, s in known if s.value is not None and not s.over]
            fit = fit_exponent([n for n, _ in good], [s for _, s in good])
            cells = [r.measured(at[n]).text() if n in at else "" for n in sizes]
            lines.append(f"| {PEERS[peer].label} | {' | '.join(cells)} | {f'{fit.value:.2f}' if fit else '-'} |")
    return lines


# One thread against two, instruction sets


def variant_table(r: Results) -> list[str]:
    """Cases with threads or an instruction set of their own, beside the plain one."""
    variants = [c for c in fits(r) if c.threads or c.isa]
    if not variants:
        return []
    head = "| problem | peer | threads | instruction set | fit s (runs) | predict s | objective | x bound (values) |"
    lines = [head, "|---" * 8 + "|"]
    plain = [Case(c.problem, c.peer, c.tol) for c in variants]
    for case in sorted({*variants, *plain}, key=lambda c: (c.problem, NAMES.index(c.peer), c.threads, c.isa)):
        run, seconds = r.first(case), r.measured(case)
        if case not in r.results:
            continue
        runs = f" ({seconds.runs})" if seconds.runs else ""
        cells = [
            case.problem,
            PEERS[case.peer].label,
            str(run.get("threads") or case.threads or ""),
            run.get("isa") or case.isa,
            seconds.text() + runs,
            r.measured(case, "predict_seconds").text() if runs else "",
            f"{run['objective']:.6f}" if "objective" in run else "",
            bound_text(r, case),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines
