"""Rewrites the README's table of figures from results of dcsvm bench.

python -m bench.readme results.json ...
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .results import Results, number, ratio
from .runner import Case
from .store import Store

BEGIN, END = "<!-- figures:begin -->", "<!-- figures:end -->"
PROBLEMS = {
    "covtype85k": "covtype, 85,745-row sample (68,596)",
    "mnist-round": "mnist, round digits (60,000)",
    "ijcnn1": "ijcnn1 (49,990)",
    "mnist": "mnist, 10 classes (60,000)",
    "a9a": "a9a (32,561)",
    "ncheckerboard-100k": "noisy checkerboard 100,000",
    "ringnorm-100k": "ringnorm 100,000",
    "twonorm-100k": "twonorm 100,000",
}
PEERS = {
    "libsvm": "LIBSVM 3.37 (OpenMP)",
    "sklearn_svc": "scikit-learn 1.9 `SVC`",
    "sklearnex_float32": "scikit-learn-intelex float32",
    "sklearnex_float64": "scikit-learn-intelex float64",
    "dcsvm_auto": "dcsvm exact",
    "dcsvm_early": "dcsvm early, 64 clusters",
}
HEAD = "| problem (training rows) | method | seconds (runs) | against LIBSVM | test accuracy | objective | violation (float64) |"


def table(r: Results, tol: float = 1e-3) -> list[str]:
    """Markdown: each problem's peers that ran; early only where it is asked for (bench/targets.py)."""
    lines = [HEAD, "|---" * 7 + "|"]
    for problem, title in PROBLEMS.items():
        for peer, label in PEERS.items():
            case = Case(problem, peer, tol)
            mine = r.measured(case)
            if mine.value is None or (peer == "dcsvm_early" and problem != "covtype85k"):
                continue
            run = r.first(case)
            against = "" if peer == "libsvm" else ratio(mine, r.measured(Case(problem, "libsvm", tol))).text()
            certificate = ("", "") if peer == "dcsvm_early" else (f"{run['objective']:.4f}", f"{run['violation']:.1e}")
            cells = [title, label, f"{number(mine.value)} ({mine.runs})", against, f"{run['accuracy']:.2f} %", *certificate]
            lines.append(f"| {' | '.join(cells)} |")
            title = ""
    return lines


def rewrite(page: Path, lines: list[str]) -> None:
    """Replaces the table behind BEGIN; the words below it, up to END, stay."""
    before, rest = page.read_text().split(BEGIN)
    inside, after = rest.split(END)
    words = inside.strip().split("\n\n", 1)[1]
    part = page.with_name(f".{page.name}.{os.getpid()}.tmp")
    try:
        part.write_text("\n".join([f"{before}{BEGIN}", *lines, "", words, f"{END}{after}"]))
        os.replace(part, page)
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    rewrite(Path(__file__).parents[1] / "README.md", table(Results(Store.of_files(map(Path, sys.argv[1:])).results)))
