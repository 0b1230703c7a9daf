"""Writes the tables and plots of results into a page, between two marks."""

from __future__ import annotations

import os
from pathlib import Path

from . import targets
from .results import Results
from .store import Store
from .tables import about_problem, fits, is_plain, problem_table, problems_of, scaling_tables, sessions_line, variant_table

BEGIN = "<!-- python -m bench --report: begin. What follows is rewritten; edit bench/report.py. -->"
END = "<!-- python -m bench --report: end -->"
TITLES = {
    "time-against-n": "Training time against training rows",
    "objective-against-time": "Relative height of the objective above the best exact solution, against training time",
    "accuracy-against-time": "Test accuracy against training time",
}


def body(store: Store, plots: list[Path], page: Path) -> str:
    """The markdown between the marks."""
    r = Results(store.results)
    verdicts = targets.evaluate(r)
    lines = ["### Targets", ""]
    if verdicts:
        lines += [_where(store, [v.target.problem for v in verdicts]), ""]
    lines += targets.markdown(verdicts)
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
    lines += ["", "### Problem by problem", ""]
    shown = problems_of(c for c in fits(r) if is_plain(c))
    whole = [p for p in shown if "/" not in p] or shown  # parts of a problem are in the scaling tables
    for problem in whole:
        lines += [f"**{problem}**: {about_problem(r, problem)}. {_where(store, [problem])}", "", *problem_table(r, problem), ""]
    return "\n".join(lines).rstrip() + "\n"


def _where(store: Store, problems: list[str]) -> str:
    used = {r.get("session") for c, runs in store.results.items() if c.problem in problems for r in runs}
    return "Measured " + (sessions_line([s for k, s in store.sessions.items() if k in used]) or "nowhere") + "."


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
