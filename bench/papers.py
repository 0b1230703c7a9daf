"""python -m bench --paper: selects the cases that a table needs, and prints the table beside the paper's numbers."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from .paper_tables import PAPERS, PARTS, Claim, Data, Paper, Row, Study, Table, Theirs
from .results import Results, number, plain
from .runner import Case, over_limit
from .store import Store
from .tables import sessions_line

Part = Table | Study
MARKS = (
    "<!-- python -m bench --paper --report: begin. What follows is rewritten; edit bench/paper_tables. -->",
    "<!-- python -m bench --paper --report: end -->",
)
TOLERANCE = 0.3  # points of accuracy that a method may be below the paper
ALONE = 0.6  # CPUs that other processes may keep busy beside a timing of one thread


def select(names: Sequence[str]) -> list[Part]:
    """Names of tables or of papers -> their parts, each once. ValueError for an unknown name."""
    found: list[Part] = []
    for name in names:
        if name not in PAPERS and name not in PARTS:
            near = difflib.get_close_matches(name.lower(), [*PARTS, *PAPERS], 1, 0.0)
            raise ValueError(f"unknown table {name!r}, perhaps {near[0]!r}; python -m bench --paper lists them")
        found += PAPERS[name].parts if name in PAPERS else [PARTS[name]]
    return list(dict.fromkeys(found))


def of_parts(parts: Sequence[Part]) -> list[Paper]:
    return [p for p in PAPERS.values() if any(part in parts for part in p.parts)]


def listing() -> list[str]:
    lines = []
    for paper in PAPERS.values():
        lines.append(f"{paper.key}: {paper.citation}")
        for part in paper.parts:
            lines.append(f"  {part.name:<22}{part.title}{_absent(part)}")
    return lines


def _absent(part: Part) -> str:
    """The sets that nobody can have here, and the problems whose data is absent on this machine."""
    from . import problems

    nobody = [d.name for d in part.data if not d.problem] if isinstance(part, Table) else []
    reads = not (isinstance(part, Study) and part.log)
    names = dict.fromkeys(problems.parse(case.problem)[0] for case in part.cases() if reads)
    here = [f"{name} is {where}" for name in names if (where := problems.where(name)).startswith("absent")]
    remarks = [f"no data: {', '.join(nobody)}"] * bool(nobody) + here
    return f" ({'; '.join(remarks)})" if remarks else ""


# Tables


def table(r: Results, part: Part, level: str = "###", only: Sequence[str] = ()) -> list[str]:
    """Markdown lines. only: the problems that a table shows; empty: all."""
    lines = [f"{level} {part.title}", "", f"`{part.name}`. {part.text}".rstrip(), ""]
    if isinstance(part, Study):
        return lines + _study(r, part)
    if not part.rows:
        return lines + _sets(part)
    if part.total:
        return lines + _total(r, part)
    for data in part.data:
        if data.problem and (not only or data.problem in only):
            remark = f" ({data.remark})" if data.remark else ""
            lines += [f"**{data.name}**{remark}", "", *_methods(r, part, data), ""]
    absent = [d.name + (f" ({d.remark})" if d.remark else "") for d in part.data if not d.problem]
    if absent and not only:
        lines += [f"No data here: {', '.join(absent)}.", ""]
    return lines[:-1]


def _sets(part: Table) -> list[str]:
    from . import problems

    lines = ["| the paper's set | problem here | training rows | remark |", "|---|---|---|---|"]
    for d in part.data:
        rows = f"{problems.parse(d.problem)[1]:,}" if d.problem else ""
        lines.append(f"| {d.name} | {d.problem or 'no data'} | {rows} | {d.remark} |")
    return lines


def _score(part: Table, run: dict) -> float | None:
    if part.score == "rmse":
        return run.get("rmse")
    if "accuracy" not in run:
        return None
    return run["accuracy"] if part.score == "accuracy" else 100 - run["accuracy"]


def multiple(run: dict) -> float | None:
    """CPU seconds of a prediction over a linear model's."""
    mine, linear = run.get("predict_cpu_seconds"), run.get("linear_cpu_seconds")
    return mine / linear if mine is not None and linear else None


def _text(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _plain(value: float | None) -> str:
    return "" if value is None else plain(value)


def _seconds(value: float | None) -> str:
    return "" if value is None else number(value)


def _methods(r: Results, part: Table, data: Data) -> list[str]:
    j = part.data.index(data)
    base = part.row(part.base) if part.base else None
    base_case = base.case(data) if base else None
    base_theirs = _theirs(base, j) if base else Theirs()
    score, form = {"accuracy": ("accuracy %", ".2f"), "error": ("error %", ".2f"), "rmse": ("RMSE", ".4f")}[part.score]
    cells: dict[str, Callable[[Row, Case | None, dict, Theirs], str]] = {
        "method": lambda row, case, run, theirs: row.name + (f" ({row.remark})" if row.remark else ""),
        score: lambda row, case, run, theirs: _text(_score(part, run), form) or _why(row, case, run),
        f"paper's {score}": lambda row, case, run, theirs: _text(theirs.score, form),
        "CPU s": lambda row, case, run, theirs: _beside(run) + _seconds(run.get("cpu_seconds")),
        "paper's s": lambda row, case, run, theirs: _seconds(theirs.seconds),
        "times as fast": lambda row, case, run, theirs: _faster(r.first(base_case) if base_case else {}, run),
        "paper's ratio": lambda row, case, run, theirs: _ratio(base_theirs.seconds, theirs.seconds),
        "prediction x linear": lambda row, case, run, theirs: _plain(multiple(run)),
        "paper's x linear": lambda row, case, run, theirs: _plain(theirs.multiple),
        "objective": lambda row, case, run, theirs: _text(run.get("objective"), ".3f"),
        "support vectors": lambda row, case, run, theirs: _text(run.get("n_support"), ","),
        "fit MB": lambda row, case, run, theirs: _text(run.get("memory_mb", {}).get("fit"), ".0f"),
    }
    rows = [(row, case, r.first(case) if case else {}, _theirs(row, j)) for row in part.rows for case in [row.case(data)]]
    rows = [x for x in rows if x[1] or x[3] != Theirs()]  # neither run here nor in the paper's column
    columns = {title: [cell(*row) for row in rows] for title, cell in cells.items()}
    columns = {title: texts for title, texts in columns.items() if any(texts)}
    if part.base:
        columns = {t.replace("times as fast", f"{part.base}'s CPU s over these"): texts for t, texts in columns.items()}
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return lines + [f"| {' | '.join(row)} |" for row in zip(*columns.values(), strict=True)]


def _theirs(row: Row, j: int) -> Theirs:
    return (row.theirs[j] if j < len(row.theirs) else None) or Theirs()


def _why(row: Row, case: Case | None, run: dict) -> str:
    if case is None:
        return "not run here" if row.peer else "-"
    return f"over {run['time_limit']:g} s" if over_limit(run) else run.get("error", "-")[:80]


def _beside(*runs: dict) -> str:
    """A mark where one of the runs was measured beside other jobs, so that its CPU seconds are rough."""
    return "" if all(run.get("other_cpus", 1.0) < ALONE for run in runs if "cpu_seconds" in run) else "~"


def _faster(base: dict, mine: dict) -> str:
    text = _ratio(base.get("cpu_seconds"), mine.get("cpu_seconds"))
    return text and _beside(base, mine) + text


def _ratio(theirs: float | None, mine: float | None) -> str:
    return "" if theirs is None or not mine else f"{plain(theirs / mine)}x"


def _total(r: Results, part: Table) -> list[str]:
    base = part.row(part.base)

    def runs(row: Row) -> list[dict]:
        return [r.first(c) for d in part.data if (c := row.case(d))]

    head = f"| method | CPU s in all | {part.base}'s over these | paper's s | paper's ratio | faster on | mean accuracy % |"
    lines = [head, "|---" * 7 + "|"]
    for row in part.rows:
        mine, theirs = runs(row), runs(base)
        both = [(m, t) for m, t in zip(mine, theirs, strict=True) if "cpu_seconds" in m and "cpu_seconds" in t]
        if not both:
            lines.append(f"| {row.name} | not run | | | | | |")
            continue
        cpu, base_cpu = (sum(x["cpu_seconds"] for x in side) for side in zip(*both, strict=True))
        mark, ratio_mark = _beside(*(m for m, _ in both)), _beside(*(x for pair in both for x in pair))
        faster = sum(m["cpu_seconds"] < t["cpu_seconds"] for m, t in both)
        accuracy = sum(m["accuracy"] for m, _ in both) / len(both)
        paper = _theirs(row, 0).seconds
        lines.append(
            f"| {row.name} | {mark}{number(cpu)} | {ratio_mark}{_ratio(base_cpu, cpu)} | {_seconds(paper)} | "
            f"{_ratio(_theirs(base, 0).seconds, paper)} | {faster} of {len(both)} | {accuracy:.2f} |"
        )
    return lines


def _study(r: Results, part: Study) -> list[str]:
    run = r.first(part.cases()[0])
    if "error" in run:
        return [f"Not measured: {run['error'][:100]}."]
    rows = run["table"]
    lines = [f"| {' | '.join(rows[0])} |", "|---" * len(rows[0]) + "|"]
    for row in rows:
        lines.append(f"| {' | '.join(plain(v, 5) if isinstance(v, float) else str(v) for v in row.values())} |")
    return lines


# Claims


class Verdict(NamedTuple):
    """text: what was measured. holds: None where a measurement is missing. against: the measured number over the paper's, or
    the points between them."""

    text: str
    holds: bool | None = None
    against: str = ""


def stated(claim: Claim) -> Claim:
    """The claim with its number and its text. ValueError where the rows of its table do not have the number."""
    part = PARTS[claim.table]
    if isinstance(part, Study) or claim.theirs is not None:
        return claim

    def printed(row: str, problem: str) -> tuple[Theirs, str]:
        j = next(j for j, d in enumerate(part.data) if d.problem == problem)
        return _theirs(part.row(row), j), part.data[j].name

    mine, name = printed(claim.mine, claim.problem)
    base, base_name = printed(claim.base, claim.base_problem or claim.problem) if claim.base else (Theirs(), "")
    times = mine.seconds / base.seconds if mine.seconds and base.seconds else None
    if claim.kind == "score" and mine.score is not None:
        what = "% error" if part.score == "error" else "%"
        return replace(claim, theirs=mine.score, text=f"{claim.mine}: {mine.score:.2f} {what} ({name})")
    if claim.kind == "multiple" and mine.multiple is not None:
        text = f"{claim.mine}: a prediction costs {plain(mine.multiple)} times a linear model's ({name})"
        return replace(claim, theirs=mine.multiple, text=text)
    if claim.kind == "faster" and times:
        return replace(claim, theirs=1 / times, text=f"{claim.mine}: {plain(1 / times)} times faster than {claim.base} ({name})")
    if claim.kind == "growth" and times:
        text = f"{claim.mine}: at most {plain(times)} times the seconds of {base_name} ({name})"
        return replace(claim, theirs=times, text=text)
    raise ValueError(f"the table {claim.table} has no number for the claim {claim.kind!r} of {claim.mine!r} on {claim.problem}")


def check(r: Results, claim: Claim) -> Verdict:
    part, claim = PARTS[claim.table], stated(claim)
    if isinstance(part, Study):
        return _check_study(r, claim, part)

    def run(row: str, problem: str) -> dict:
        data = next(d for d in part.data if d.problem == problem)
        case = part.row(row).case(data)
        return r.first(case) if case else {"error": "not run"}

    mine = run(claim.mine, claim.problem)
    base = run(claim.base, claim.base_problem or claim.problem) if claim.base else {}
    if bad := mine.get("error") or base.get("error"):
        return Verdict(bad[:80])
    return _of_scores(part, claim, mine, base) if claim.kind in ("score", "near") else _of_times(claim, mine, base)


def _of_scores(part: Table, claim: Claim, mine: dict, base: dict) -> Verdict:
    assert claim.theirs is not None
    sign = 1 if part.score == "accuracy" else -1
    score = _score(part, mine)
    if claim.kind == "score" and score is not None:
        better = sign * (score - claim.theirs)
        return Verdict(f"{score:.2f} %", better >= -TOLERANCE, f"{score - claim.theirs:+.2f} points")
    other = _score(part, base)
    if score is None or other is None:
        return Verdict("not scored")
    return Verdict(f"{score:.2f} %, {claim.base} {other:.2f} %", sign * (score - other) >= -claim.theirs)


def _of_times(claim: Claim, mine: dict, base: dict) -> Verdict:
    assert claim.theirs is not None
    if claim.kind == "multiple":
        times, mark = multiple(mine), ""
    elif "cpu_seconds" in mine and "cpu_seconds" in base:
        times, mark = mine["cpu_seconds"] / base["cpu_seconds"], _beside(mine, base)
    else:
        times = None
    if times is None:
        return Verdict("not timed")
    if claim.kind == "faster":
        times = 1 / times
    holds = times >= claim.theirs if claim.kind == "faster" else times <= claim.theirs
    return Verdict(f"{mark}{plain(times)} times", holds, f"{plain(times / claim.theirs)}x")


def _check_study(r: Results, claim: Claim, part: Study) -> Verdict:
    assert claim.theirs is not None
    run = r.first(part.cases()[0])
    if "error" in run:
        return Verdict(run["error"][:80])
    wanted = [pair.partition("=")[::2] for pair in claim.base.split()]
    chosen = [row for row in run["table"] if all(str(row[key]) == value for key, value in wanted)]
    found = [str(row[claim.mine]) for row in chosen if row[claim.mine] != ""]
    if not found:
        return Verdict("not measured")
    values = [float(value.rstrip(" %")) for value in found]
    low, high = min(values), max(values)
    percent = claim.mine.endswith("%") or found[0].endswith("%")
    unit = " %" if percent else " times" if " over " in claim.mine else ""
    text = plain(low) + (f" to {plain(high)}" if high > low else "") + unit
    least = claim.kind == "at least"
    counts = low if least else high
    against = f"{counts - claim.theirs:+.2f} points" if percent else f"{plain(counts / claim.theirs)}x"
    holds = counts >= claim.theirs - claim.within if least else counts <= claim.theirs + claim.within
    return Verdict(text, holds, against)


def claims(r: Results, paper: Paper) -> list[str]:
    lines = ["| the paper's claim | measured here | against the claim's number | holds |", "|---|---|---|---|"]
    reasons: dict[str, list[str]] = {}  # and the claims that share each
    for claim in map(stated, paper.claims):
        text, holds, against = check(r, claim)
        value = {True: "yes", False: "other data" if _of_sample(claim) else "**no**", None: "-"}[holds]
        lines.append(f"| {claim.text} | {text} | {against} | {value} |")
        if claim.why and not holds:
            reasons.setdefault(claim.why, []).append(claim.text)
    if reasons:
        lines += ["", "Remarks on claims that do not hold, or were not measured, in the results that are committed with dcsvm:"]
    return lines + [line for why, texts in reasons.items() for line in ("", f"*{'; '.join(texts)}*: {why}")]


def _of_sample(claim: Claim) -> bool:
    """Whether the claim is an accuracy on rows of which ours are a sample."""
    part = PARTS[claim.table]
    return claim.kind == "score" and isinstance(part, Table) and any(d.sample for d in part.data if d.problem == claim.problem)


def body(store: Store, paper: Paper) -> str:
    """The part of a paper's page that is made from results."""
    r = Results(store.results)
    cases = [c for part in paper.parts for c in part.cases()]
    used = {run.get("session") for c in cases for run in store.results.get(c, [])}
    measured = sessions_line([s for k, s in store.sessions.items() if k in used]) or "nowhere"
    lines = [f"Measured {measured}.", ""]
    if paper.claims:
        lines += ["## Claims", "", *claims(r, paper), ""]
    lines += ["## Tables and figures", ""]
    for part in paper.parts:
        lines += [*table(r, part), ""]
    return "\n".join(lines).rstrip() + "\n"
