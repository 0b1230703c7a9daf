"""LIBLINEAR's problems: the solvers that are compared, the cases of a comparison, and its table.

A case of them names its solver among its options; C is 1, there is no bias, and each side has LIBLINEAR's default tolerance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .results import Results, number, ratio
from .runner import Case

CLASSIFIERS = (0, 1, 2, 3, 5, 6, 7)
NAMES = {  # LIBLINEAR's number -> dcsvm's solver
    0: "logistic",
    1: "squared_hinge_dual",
    2: "squared_hinge",
    3: "hinge_dual",
    4: "crammer_singer",
    5: "l1_squared_hinge",
    6: "l1_logistic",
    7: "logistic_dual",
    11: "svr_squared",
    12: "svr_squared_dual",
    13: "svr_dual",
}
NUMBERS = {name: number for number, name in NAMES.items()}
TABLE = {  # the problems of the page, and their solvers
    **dict.fromkeys(("newsgroups20b", "newsgroups20b-bigrams", "imdb", "a9a", "w8a", "covtype85k", "mnist-round"), CLASSIFIERS),
    "newsgroups20": (1, 4),
    "mnist": (1, 2, 4),
    "imdb-rating": (11, 12, 13),
    "cadata": (11, 12, 13),
}
PEERS = ("dcsvm_linear", "liblinear_official")
LOSSES = {
    "logistic": lambda z, y, p: np.logaddexp(0.0, -y * z),
    "squared_hinge": lambda z, y, p: np.maximum(0.0, 1 - y * z) ** 2,
    "hinge": lambda z, y, p: np.maximum(0.0, 1 - y * z),
    "svr_squared": lambda z, y, p: np.maximum(0.0, abs(z - y) - p) ** 2,
    "svr": lambda z, y, p: np.maximum(0.0, abs(z - y) - p),
}


def cases(names: Sequence[str], threads: int = 0) -> list[Case]:
    """Of "problem[:numbers]"; of all problems of TABLE where none are named. ValueError for an unknown number."""
    found = []
    for name in names or TABLE:
        problem, _, given = name.partition(":")
        chosen = given.split(",") if given else map(str, TABLE.get(problem, CLASSIFIERS))
        for text in chosen:
            if not text.isdigit() or int(text) not in NAMES:
                raise ValueError(f"--linear {name}: after the colon come LIBLINEAR's numbers of solvers, of {list(NAMES)}")
            options = (("C", 1.0), ("bias", -1), ("solver", NAMES[int(text)]))
            found += [Case(problem, peer, options=options, threads=threads) for peer in PEERS]
    return found


def objective(solver: str, x: Any, y: np.ndarray, w: np.ndarray, C: float = 1.0, epsilon: float = 0.1) -> float:
    """Recomputed from w: (features, vectors of the ascending classes against the rest; two classes: one, positive for the second)
    or, of Crammer and Singer, of each class; several vectors: the sum of their problems."""
    z, classes = x @ w, np.unique(y)
    if solver == "crammer_singer":
        rows, own = np.arange(len(y)), np.searchsorted(classes, y)
        margin = z - z[rows, own][:, None] + 1
        margin[rows, own] -= 1
        return float(0.5 * (w**2).sum() + C * margin.max(axis=1).sum())
    regression = solver.startswith("svr")
    total = abs(w).sum() if solver.startswith("l1") else 0.5 * (w**2).sum()
    loss = LOSSES[solver.removeprefix("l1_").removesuffix("_dual")]
    for k in range(w.shape[1]):
        target = y if regression else np.where(y == classes[-w.shape[1] :][k], 1.0, -1.0)
        total += C * loss(z[:, k], target, epsilon).sum()
    return float(total)


def is_of(case: Case) -> bool:
    """Whether a case is one of a comparison of linear solvers."""
    return "solver" in dict(case.options)


def ratios(r: Results, wanted: Iterable[Case]) -> list[str]:
    """A row for each problem, a column for each of LIBLINEAR's solvers: its processor seconds over ours, of medians."""
    cells: dict[str, dict[int, str]] = {}
    for mine in (c for c in wanted if c.peer == PEERS[0]):
        theirs = Case(**{**vars(mine), "peer": PEERS[1]})
        found = ratio(r.measured(mine, "cpu_seconds"), r.measured(theirs, "cpu_seconds")).text()
        cells.setdefault(mine.problem, {})[NUMBERS[dict(mine.options)["solver"]]] = found
    numbers = sorted({n for row in cells.values() for n in row})
    lines = ["| | " + " | ".join(f"-s {n}" for n in numbers) + " |", "|---" * (len(numbers) + 1) + "|"]
    lines += [f"| {problem} | " + " | ".join(row.get(n, "") for n in numbers) + " |" for problem, row in cells.items()]
    return lines


def table(r: Results, wanted: Iterable[Case]) -> list[str]:
    """excess: our objective over LIBLINEAR's, less one. gap: our primal objective less the dual, relative."""
    head = "| problem | solver | dcsvm CPU s | LIBLINEAR CPU s | ratio | wall ratio | objective | excess | gap |"
    lines = [head, "|---" * 9 + "|"]
    for mine in (c for c in wanted if c.peer == PEERS[0]):
        theirs = Case(**{**vars(mine), "peer": PEERS[1]})
        solver = dict(mine.options)["solver"]
        if bad := r.good(mine, theirs):
            lines.append(f"| {mine.problem} | {NUMBERS[solver]} {solver} | {bad} | | | | | | |")
            continue
        cpu, their_cpu = (r.measured(c, "cpu_seconds") for c in (mine, theirs))
        notes, reached = r.first(mine)["notes"], r.first(mine)["objective"]
        gap = (notes["primal_objective"] - notes["dual_objective"]) / abs(notes["primal_objective"])
        lines.append(
            f"| {mine.problem} | {NUMBERS[solver]} {solver} | {number(cpu.value or 0)} | {number(their_cpu.value or 0)} | "
            f"{ratio(cpu, their_cpu).text()} | {ratio(r.measured(mine), r.measured(theirs)).text()} | {reached:.7g} | "
            f"{reached / r.first(theirs)['objective'] - 1:+.1e} | {gap:.0e} |"
        )
    return lines
