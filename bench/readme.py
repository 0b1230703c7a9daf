"""Draws the pictures of the README and the site (bench/pictures.py) and writes the number of both, from committed results.

python -m bench --pictures        needs matplotlib (the extra "plot")

The number against LIBSVM, with its picture, comes from the file of this command, run on an idle machine:
python -m bench --scaling covtype85k --max-rows 40000 --peers exact dcsvm_early --out bench/results/readme-curve.jsonl
Where that file is absent, or its runs may not be shown (bench/admitted.py), the next of NUMBERS is stated.
"""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from . import pictures, torchkm_table
from .pictures import CURVE, OURS, RIVAL, ROOT
from .report import rewrite
from .results import Results, number, plain, ratio
from .runner import Case
from .store import RunFile, Store

MARKS = ("<!-- python -m bench --pictures: begin -->", "<!-- python -m bench --pictures: end -->")
PAGES = ("README.md", "docs/index.md")
EARLY_PAGE = "docs/guide/early-models.md"
EARLY_FILE = "early"  # of bench/results


class Number(NamedTuple):
    """Training seconds of a rival over ours. file: in bench/results. name: of the rival. rows: of what."""

    file: str
    problem: str
    rival: str
    name: str
    rows: str
    picture: str


NUMBERS = (
    Number("readme-curve", f"{CURVE}/40000", RIVAL, "LIBSVM", "of a covtype sample", "speed"),
    Number("exact", "ijcnn1", "sklearnex_float32", "Intel's Extension for scikit-learn", "of ijcnn1", "regions"),
)
OTHERS = {"sklearn_svc": "scikit-learn's `SVC`", "sklearnex_float32": "Intel's Extension for scikit-learn"}
TEXTS = {
    "speed": (
        "![Seconds of training against rows of a sample of covtype, for dcsvm and its peers, both axes logarithmic]({path})\n\n"
        "All programs solved the same problem to the same tolerance, except *dcsvm, early*. That is another model, "
        "made of one small model for each cluster of the data."
    ),
    "regions": (
        "![Decision regions of an exact and an early model of a checkerboard: the early model's borders have steps where two "
        "clusters meet]({path})\n\n"
        "Two models of the same 20,000 noisy rows. The *early* model consists of one small model for each cluster of the data."
    ),
}


def found(which: Number) -> tuple[Store, Results] | None:
    """The admitted runs of a number's file, if both contestants are among them."""
    store = pictures.committed(which.file)
    r = Results(store.results)
    good = all(r.measured(Case(which.problem, peer)).runs for peer in (OURS, which.rival))
    return (store, r) if good else None


def link(page: str, target: str) -> str:
    """To a path of the repository, as the page writes it."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def tuning(page: str) -> str:
    """The table against a program on a GPU in one sentence; nothing where none of its runs may be shown."""
    times = torchkm_table.times_as_fast(RunFile(torchkm_table.RESULTS))
    if not times:
        return ""
    table, least, most = link(page, "docs/developers/benchmarks.md#torchkms-table"), plain(times[0], 2), plain(times[-1], 2)
    return (
        f"**Choosing C, {least} to {most} times as fast as on a GPU:** 50 values in ten folds, then the last training, on "
        f"{len(times)} sets of 10,000 and 20,000 rows. The GPU is an NVIDIA L40S, with seconds that the authors of its program "
        f"state ([table]({table})).\n\n"
    )


def others(r: Results, which: Number) -> str:
    """The same rows against the other peers of the file."""
    mine = r.measured(Case(which.problem, OURS))
    peers = {peer: name for peer, name in OTHERS.items() if peer != which.rival}
    found = {name: ratio(mine, r.measured(Case(which.problem, peer))).value for peer, name in peers.items()}
    known = [f"{plain(times, 2)} times as fast as {name}" for name, times in found.items() if times]
    return f" dcsvm is {' and '.join(known)}." if known else ""


def text(page: str) -> str:
    """What stands on the page between the marks: the first number that may be stated, where it is from, and a picture."""
    which, (store, r) = next((n, x) for n in NUMBERS if (x := found(n)))
    cases = [Case(which.problem, peer) for peer in (OURS, which.rival)]
    mine, theirs = (r.measured(case) for case in cases)
    assert mine.value is not None
    run, session = r.first(cases[0]), store.sessions[r.first(cases[0])["session"]]
    commit = f"commit {session['commit']}" if session.get("commit") else "an earlier commit"
    picture = link(page, f"docs/figures/{which.picture}.svg")
    return (
        f"**{ratio(mine, theirs).value:.0f} times as fast as {which.name}, with the same answer:** {run['rows']:,} rows "
        f"{which.rows} train in {number(mine.value)} s instead of {theirs.text()} s."
        f"{others(r, which)}\n"
        f"All of them were given the tolerance 1e-3, in one session on {session['cores']} cores ({session['cpu']}) on "
        f"{session['date']} ({commit}). The seconds are medians of at least {min(mine.runs, theirs.runs)} runs.\n\n"
        + tuning(page)
        + TEXTS[which.picture].format(path=picture)
    )


def early_table() -> str:
    """Exact and early models, a line for each problem that has both; empty without any."""
    store = pictures.committed(EARLY_FILE)
    r = Results(store.results)
    lines = []
    for problem in dict.fromkeys(case.problem for case in store.results):
        exact, early = (Case(problem, peer) for peer in (OURS, "dcsvm_early"))
        seconds = [r.measured(case) for case in (exact, early)]
        if not all(s.runs for s in seconds):
            continue
        run = r.first(exact)
        accuracies = [r.first(case)["accuracy"] for case in (exact, early)]
        cells = [f"{s.text()} s, {accuracy:.2f} %" for s, accuracy in zip(seconds, accuracies, strict=True)]
        errors = (100 - accuracies[1]) / (100 - accuracies[0])
        lines.append(f"| {problem}, {run['rows']:,} rows | {cells[0]} | {cells[1]} | {errors:.2f} |")
        session = store.sessions[run["session"]]
    if not lines:
        return ""
    head = (
        f"Seconds of training and test accuracy ({session['date']}, {session['cores']} cores of an {session['cpu']}, commit "
        f"{session['commit']}; 64 clusters, which is `early_level=3`):\n\n"
        "| problem | exact | early | errors, early over exact |\n|---|---|---|---|\n"
    )
    return head + "\n".join(lines)


def write() -> None:
    """ValueError, after all that can be drawn is drawn, where a picture has no runs that may be shown."""
    refused = pictures.draw(ROOT / "docs" / "figures")
    for page in PAGES:
        rewrite(ROOT / page, text(page), MARKS)
    if table := early_table():
        rewrite(ROOT / EARLY_PAGE, table, MARKS)
    if refused:
        raise ValueError(f"not drawn: {'; '.join(refused)}")
