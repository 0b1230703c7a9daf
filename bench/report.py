"""Writes the tables and plots of results into a page, between two marks."""

from __future__ import annotations

import os
from pathlib import Path

from . import linear, targets
from .results import Results
from .store import Store
from .tables import fits, is_plain, problems_of, problems_table, scaling_tables, sessions_line, variant_table

BEGIN = "<!-- python -m bench --report: begin. What follows is rewritten; edit bench/report.py. -->"
END = "<!-- python -m bench --report: end -->"
TITLES = {
    "time-against-n": "Training time against training rows",
    "objective-against-time": "Relative height of the objective above the best exact solution, against training time",
    "accuracy-against-time": "Test accuracy against training time",
}


def body(store: Store, left_out: list[str], plots: list[Path], page: Path) -> str:
    """The markdown between the marks. store: what admitted lets through, left_out: its sentences on the rest."""
    r = Results(store.results)
    lines = [_where(store), *(line for text in left_out for line in ("", text)), "", "### Targets", ""]
    lines += targets.markdown(targets.evaluate(r))
    scaling = scaling_tables(r)
    if scaling:
        lines += [
            "",
            "### Scaling",
            "",
            "Exponent: of n in the seconds, by least squares on logarithms over the sizes that finished.",
        ]
        lines += scaling
    for path in plots:
        target = os.path.relpath(path, page.parent)
        title = TITLES.get(path.stem, path.stem)
        lines += ["", f"![{title}]({target})"]
    if variants := variant_table(r):
        lines += ["", "### Threads and instruction sets", "", *variants]
    shown = problems_of(c for c in fits(r) if is_plain(c))
    whole = [p for p in shown if "/" not in p] or shown  # parts of a problem are in the scaling tables
    if whole:
        lines += ["", "### Problem by problem", "", *problems_table(r, whole)]
    if solvers := [c for c in r.results if linear.is_of(c)]:
        lines += [
            "",
            "### Linear solvers",
            "",
            "Processor seconds of LIBLINEAR over those of dcsvm: above 1 dcsvm is faster.",
            "",
        ]
        lines += linear.ratios(r, solvers)
    return "\n".join(lines).rstrip() + "\n"


def _where(store: Store) -> str:
    """A sentence for each setting: its problems."""
    problems: dict[str, list[str]] = {}
    for case, runs in store.results.items():
        used = {run["session"] for run in runs}
        where = sessions_line([s for k, s in store.sessions.items() if k in used], loads=False)
        problems.setdefault(where, []).append(case.problem.partition("/")[0])
    return " ".join(f"{', '.join(dict.fromkeys(names))}: measured {where}." for where, names in problems.items()) or "No runs."


def rewrite(page: Path, text: str, marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Replaces what stands between the marks. ValueError for a page without them."""
    begin, end = marks
    old = page.read_text()
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(begin) > old.index(end):
        raise ValueError(
            f"{page}: the marks are missing or not once each; it needs the lines\n{begin}\n{end}".replace("\n", " | ")
        )
    before, rest = old.split(begin)
    after = rest.split(end)[1]
    part = page.with_name(f".{page.name}.{os.getpid()}.tmp")
    try:
        part.write_text(f"{before}{begin}\n\n{text}\n{end}{after}")
        os.replace(part, page)
    finally:
        part.unlink(missing_ok=True)
