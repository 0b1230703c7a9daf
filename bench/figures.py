"""Prints figures of exact and early solutions, each beside what it must reach. Speed against all peers: dcsvm bench.

    python -m bench.figures --all --repeat 3 --out figures.json
    python -m bench.figures --time-exact --problems ijcnn1

Every contestant is run in this run, in its own process, alternating; seconds are medians, of the training call alone. Objective
and violation come from bench/quality.py for everyone. Timings mean something only on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from .promised import FIGURES, Promised
from .runner import Case, Runner
from .store import Store, session


def case_table(r: Promised, cases: list[Case]) -> list[str]:
    lines = [
        "| problem | peer | tol | seconds (runs) | predict s | accuracy | objective | violation | support vectors | fit MB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for case in cases:
        if case.kind != "fit":
            continue
        runs = r.results[case]
        peer = case.peer + "".join(f" {k}={v}" for k, v in case.options) + (f" cache {case.cache_mb:g}" * (case.cache_mb != 4000))
        f = runs[0]
        if "error" in f:
            lines.append(f"| {case.problem} | {peer} | {case.tol:g} | {f['error']} | | | | | | |")
            continue
        number = lambda key, form, f=f: format(f[key], form) if key in f else ""  # noqa: E731
        accuracy = number("accuracy", ".3f") + (" (train)" if f.get("tested_on") == "train" else "")
        lines.append(
            f"| {case.problem} | {peer} | {case.tol:g} | {r.seconds(case):.3f} ({sum('seconds' in x for x in runs)}) "
            f"| {r.seconds(case, 'predict_seconds'):.3f} | {accuracy} | {number('objective', '.6f')} "
            f"| {number('violation', '.1e')} | {number('n_support', ',')} | {f['memory_mb']['fit']:.0f} |"
        )
    return lines


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser("bench.figures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for f in FIGURES:
        p.add_argument(f"--{f.option}", action="store_true", help=f.help)
    p.add_argument("--all", action="store_true", help="all of the above")
    p.add_argument("--slow", action="store_true", help="also the problems that take LIBSVM long: mnist; two at tol 1e-6")
    p.add_argument("--problems", nargs="+", metavar="NAME", help="these problems only")
    p.add_argument("--repeat", type=int, default=3, help="runs of each case (default 3)")
    p.add_argument("--repeat-limit", type=float, default=60, metavar="S", help="a case above S seconds runs once (default 60)")
    p.add_argument("--time-limit", type=float, default=1800, metavar="S", help="of one training (default 1800)")
    p.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of every contestant that has threads (default all)")
    p.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "dcsvm-bench", help="folder of text files")
    p.add_argument("--out", type=Path, metavar="FILE", help="all results as JSON, rewritten after every run")
    p.add_argument(
        "--resume", action="store_true", help="keep the runs that FILE has (also those of dcsvm bench) and add what it lacks"
    )
    return p


def main() -> int:
    a = parser().parse_args()
    figures = [f for f in FIGURES if a.all or getattr(a, f.option.replace("-", "_"))]
    if not figures:
        parser().error("choose a figure, or --all")
    if a.resume and a.out is None:
        parser().error("--resume needs --out FILE")
    a.work.mkdir(parents=True, exist_ok=True)
    about = session(a.threads)
    if (about["load_average_at_start"] or 0) > 0.5:
        print(f"load average {about['load_average_at_start']:.1f}: seconds are not figures", file=sys.stderr)
    store = Store()
    if a.resume and a.out.exists():
        store.read(a.out)
    store.sessions[about["id"]] = about
    tag = {"session": about["id"]}
    runner = Runner(a.work, a.threads, a.time_limit, a.repeat, a.repeat_limit, results=store.results, tag=tag)
    cases = list(dict.fromkeys(c for f in figures for c in f.cases(a)))
    runner.run(cases, lambda: store.write(a.out) if a.out else None)
    results = Promised(runner)
    rows = [row for f in figures for row in f.rows(a, results)]
    print("| what | at least | reached | met |", "|---|---|---|---|", *(row.markdown() for row in rows), sep="\n")
    print("", *case_table(results, cases), "", sep="\n")
    print(*(f"{k}: {v}" for k, v in about.items()), sep="\n")
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
