"""python -m bench: plans the cases, runs them, prints tables, writes the report."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from . import linear, papers, peers, plots, problems, readme, report, targets
from .admitted import admitted, is_idle
from .results import Results
from .runner import Case, Runner, over_limit
from .store import Store, session
from .tables import about_problem, problem_table, problems_of, scaling_tables, variant_table

SCALED = ("covtype85k", "checkerboard-1m")
SMALLEST = 5_000
PAGE, PAPERS_PAGES = Path("docs/developers/benchmarks.md"), Path("docs/reproduce")  # that --report writes without --page


def run(a: argparse.Namespace) -> None:
    """What the options ask for. ValueError for options that do not fit, and at the end when a case failed."""
    if a.list:
        print_list()
        return
    if a.pictures:
        readme.write()
        return
    if a.paper == []:
        print(*papers.listing(), sep="\n")
        return
    if a.paper and a.report:  # of results that are there
        write_pages(a)
        return
    cases = plan(a)
    if not cases and a.report is None and not a.paper:
        raise ValueError("nothing to do: give --problems, --scaling, --linear, --paper, --report, --pictures or --list")
    failed: list[str] = []
    if cases or a.paper:  # a paper's list of data sets has no cases
        failed = execute(a, cases)
    if a.report is not None:
        (write_pages if a.paper else write_report)(a)
    if failed:
        raise ValueError(f"{len(failed)} of {len(cases)} cases failed, the first: {failed[0]}")


def print_list() -> None:
    print("problems (rows; data)")
    for name, rows in problems.ROWS.items():
        print(f"  {name:<24}{rows:>9,}  {problems.where(name)}")
    print("peers")
    for name, peer in peers.PEERS.items():
        try:
            state = peers.version(name)
        except peers.NotInstalledError as absent:
            state = str(absent)
        print(f"  {name:<24}{peer.label}{f'  ({state})' if state else ''}")
    print("groups of peers")
    for name, members in peers.GROUPS.items():
        print(f"  {name:<24}{' '.join(members)}")


# Which cases


def plan(a: argparse.Namespace) -> list[Case]:
    """Cases in the order of problems; of each first the rate of kernel values, then the peers."""
    _check(a)
    chosen = peers.select(a.peers)
    for name in a.problems:
        problems.parse(name)
    if a.paper:
        return _of_papers(a, chosen)
    cases: list[Case] = linear.cases(a.linear) if a.linear is not None else []
    for case in cases:
        problems.parse(case.problem)
    for name in a.problems:
        cases += _of_problem(a, name, chosen)
        if a.load:
            cases += _loads(name, chosen)
    for base in SCALED if a.scaling == [] else a.scaling or ():
        for n in sizes(base, a.max_rows):
            name = base if n == problems.ROWS[base] else f"{base}/{n}"
            cases += [Case(name, p, tol, a.cache_size) for tol in a.tol for p in chosen]
    return list(dict.fromkeys(cases))


def _of_papers(a: argparse.Namespace, chosen: list[str]) -> list[Case]:
    cases = list(dict.fromkeys(case for part in papers.select(a.paper) for case in part.cases()))
    within = f"--paper {' '.join(a.paper)}"
    there = list(dict.fromkeys(case.problem for case in cases))
    if absent := [name for name in a.problems if name not in there]:
        raise ValueError(f"--problems {absent[0]} is no problem of {within}, which has {', '.join(there) or 'none'}")
    cases = [case for case in cases if not a.problems or case.problem in a.problems]
    there = list(dict.fromkeys(case.peer for case in cases))
    if a.peers != ["all"] and not set(there) & set(chosen):
        raise ValueError(f"--peers {' '.join(a.peers)} is no peer of {within}, which has {', '.join(there) or 'none'}")
    return [case for case in cases if a.peers == ["all"] or case.peer in chosen]


def _check(a: argparse.Namespace) -> None:
    for option, value, low in (("--repeat", a.repeat, 1), ("--max-rows", a.max_rows, SMALLEST)):
        if value < low:
            raise ValueError(f"{option} must be at least {low}, got {value}")
    for option, values in (
        ("--time-limit", [a.time_limit]),
        ("--repeat-limit", [a.repeat_limit]),
        ("--tol", a.tol),
        ("--cache-size", [a.cache_size]),
        ("--threads", a.threads or []),
    ):
        if not all(v > 0 for v in values):
            raise ValueError(f"{option} must be positive")
    if a.resume and a.out is None:
        raise ValueError("--resume needs --out FILE")
    if a.isa:
        import dcsvm

        built = dcsvm.build_config()["isa_built"]
        for isa in a.isa:
            if isa not in built:
                raise ValueError(f"unknown instruction set {isa!r}; built are: {', '.join(built)}")


def _of_problem(a: argparse.Namespace, name: str, chosen: list[str]) -> list[Case]:
    cases = []
    for threads, isa in [(0, ""), *((t, "") for t in (a.threads or [])[1:]), *((0, i) for i in a.isa)]:
        wanted = [p for p in chosen if not isa or peers.PEERS[p].ours]
        if wanted:
            cases.append(Case(name, "dcsvm_auto", kind="rate", threads=threads, isa=isa))
        # the null peer solves nothing: one tolerance is enough
        tols = {p: a.tol if peers.PEERS[p].package else a.tol[:1] for p in wanted}
        cases += [Case(name, p, tol, a.cache_size, threads=threads, isa=isa) for p in wanted for tol in tols[p]]
    return cases


def _loads(name: str, chosen: list[str]) -> list[Case]:
    texts = ("mnist", "mnist-digits") if name == "mnist" else (name,)
    return [Case(text, p, kind="load") for text in texts for p in chosen if peers.PEERS[p].reads]


def sizes(base: str, max_rows: int) -> list[int]:
    """5,000 rows, 10,000, ... up to max_rows, and all rows where that is less."""
    if "/" in base:
        raise ValueError(f"--scaling {base}: name the whole problem")
    rows = problems.parse(base)[1]
    found, n = [], SMALLEST
    while n < min(rows, max_rows + 1):
        found.append(n)
        n *= 2
    return [*found, rows] if rows <= max_rows else found


# Running


def execute(a: argparse.Namespace, cases: list[Case]) -> list[str]:
    """Runs the cases and prints their tables; returns what failed (absent peers or data and time limits are no failures)."""
    store = Store()
    threads = (a.threads or [os.cpu_count() or 1])[0]
    if a.out is not None:
        if not a.out.parent.is_dir():
            raise FileNotFoundError(2, "no such folder", str(a.out.parent))
        if a.out.exists():
            if not a.resume:
                raise ValueError(f"{a.out} exists; --resume keeps its runs and adds what it lacks, or name another file")
            store.read(a.out)
    for s in store.sessions.values():
        if s["threads"] != threads:
            raise ValueError(f"{a.out} was measured with {s['threads']} threads: --threads {s['threads']} must come first")
    about = session(threads)
    store.sessions[about["id"]] = about
    a.work.mkdir(parents=True, exist_ok=True)
    say = (lambda text: None) if a.quiet else (lambda text: print(text, file=sys.stderr, flush=True))
    if not is_idle(about):
        say(f"load average {about['load_average_at_start']}: --report and --pictures will not show these runs")
    runner = Runner(a.work, threads, a.time_limit, a.repeat, a.repeat_limit, say, store.results, {"session": about["id"]})
    if threading.current_thread() is threading.main_thread():  # so that a case does not outlive us
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    runner.run(cases, lambda: store.write(a.out) if a.out is not None else None)
    results = Results({c: store.results[c] for c in cases})
    if a.paper:
        for part in papers.select(a.paper):
            print(*papers.table(results, part, only=a.problems), "", sep="\n")
    else:
        print_tables(results)
    failed = []
    for case in cases:
        run = store.results[case][0]
        if "error" in run and not over_limit(run) and not run.get("missing"):
            failed.append(f"{case}: {run['error']}")
    return failed


def print_tables(r: Results) -> None:
    scaled = scaling_tables(r)
    solvers = [c for c in r.results if linear.is_of(c)]
    if solvers:
        print(*linear.table(r, solvers), "", sep="\n")
    for problem in problems_of(c for c in r.results if c.kind == "fit" and c not in solvers):
        print(f"{problem}: {about_problem(r, problem)}\n")
        print(*problem_table(r, problem), "", sep="\n")
    for lines in (scaled, variant_table(r)):
        if lines:
            print(*lines, "", sep="\n")
    if verdicts := targets.evaluate(r):
        print(*targets.markdown(verdicts), sep="\n")
    print("x bound: seconds over those of computing rows x support vectors kernel values once (values computed over those)")


def _measured(a: argparse.Namespace) -> Store:
    files: list[Path] = a.report or ([a.out] if a.out is not None else [])
    if not files:
        raise ValueError("--report needs a file of results, or --out FILE")
    return Store.of_files(files)


def _check_page(page: Path, named: bool) -> None:
    """named: by the user, as a file, which is begun when it is not there."""
    if named and not page.exists():
        if not page.parent.is_dir():
            raise FileNotFoundError(2, "no such folder", str(page.parent))
    elif not page.is_file():
        how = "no such page; --report rewrites the pages of a checkout: run it in its root, or name the page by --page"
        raise FileNotFoundError(2, how, str(page))


def _begin(page: Path, title: str, marks: tuple[str, str]) -> None:
    if not page.exists():
        page.write_text("\n".join([f"# {title}", "", *marks, ""]))


def write_pages(a: argparse.Namespace) -> None:
    """A page of each paper that has a part among --paper: in the folder --page, or --page itself for one paper."""
    store = _measured(a)
    chosen = papers.of_parts(papers.select(a.paper))
    given = a.page or PAPERS_PAGES
    alone = len(chosen) == 1 and a.page is not None and not given.is_dir()
    pages = [given] if alone else [given / f"{paper.key}.md" for paper in chosen]
    for page in pages:
        _check_page(page, alone)
    for paper, page in zip(chosen, pages, strict=True):
        text = papers.body(store, paper)
        _begin(page, f"Reproduce {paper.key}", papers.MARKS)
        report.rewrite(page, text, papers.MARKS)
        print(f"written: {page}")


def write_report(a: argparse.Namespace) -> None:
    (store, left_out), page = admitted(_measured(a)), a.page or PAGE
    _check_page(page, a.page is not None)
    drawn = [] if a.no_plots else plots.draw(Results(store.results), a.plots or page.parent / "figures")
    text = report.body(store, left_out, drawn, page)
    _begin(page, "Benchmarks", (report.BEGIN, report.END))
    report.rewrite(page, text)
    print(f"written: {', '.join(map(str, [page, *drawn]))}")
