"""What dcsvm is asked to reach against its peers, as ratios of medians, and whether it does.

A ratio counts only at equal quality: the same tolerance, converged, the objective no worse than the peer's by more than
OBJECTIVE of itself (early: accuracy no more than POINTS below the exact solution's).
"""

from __future__ import annotations

from dataclasses import dataclass

from .results import Ratio, Results, Seconds, ratio
from .runner import Case

OBJECTIVE = 5e-6
POINTS = 0.3

OPPONENTS = (("libsvm",), ("sklearn_svc",), ("sklearnex_float32", "sklearnex_float64"))
HEADS = ("LIBSVM", "scikit-learn", "the faster of sklearnex float32 and float64")


@dataclass(frozen=True)
class Target:
    """needs: one for each of OPPONENTS, None where nothing is asked."""

    what: str
    problem: str
    needs: tuple[float | None, float | None, float | None]
    peer: str = "dcsvm_auto"
    key: str = "seconds"
    kind: str = "fit"


_EXACT = {
    "ijcnn1": (10, 12, 10),
    "covtype85k": (40, 120, 9),
    "mnist-round": (40, 45, 2.5),
    "a9a": (10, 25, 3),
    "a9a-csr": (10, 25, 3),
    "mnist": (15, 30, 2.5),
    "ncheckerboard-100k": (20, 40, 20),
    "twonorm-100k": (20, 40, 5),
    "ringnorm-100k": (20, 40, 5),
}
TARGETS = (
    *(Target("training, exact", p, needs) for p, needs in _EXACT.items()),
    Target("training, early at 64 clusters", "covtype85k", (200, 600, 50), "dcsvm_early"),
    *(Target("prediction, 20,000 rows", p, (20, 20, 1.5), key="predict_seconds") for p in _EXACT),
    *(Target("reading LIBSVM text", p, (None, 10, None), kind="load") for p in ("mnist", "mnist-digits", "ijcnn1")),
)


@dataclass(frozen=True)
class Cell:
    """Against one opponent. met: None where nothing is asked or it cannot be told."""

    need: float | None
    ratio: Ratio
    met: bool | None
    remark: str = ""

    def markdown(self) -> str:
        if self.need is None:
            return "-"
        verdict = {True: "yes", False: "**no**", None: "?"}[self.met]
        reached = self.ratio.text() or "not run"
        return f"{self.need:g}x: {reached}{f' ({self.remark})' if self.remark else ''}, {verdict}"


@dataclass(frozen=True)
class Verdict:
    target: Target
    mine: Seconds
    cells: tuple[Cell, ...]

    def markdown(self) -> str:
        return (
            f"| {self.target.what} | {self.target.problem} | {self.mine.text(' s')} | "
            + " | ".join(c.markdown() for c in self.cells)
            + " |"
        )


def evaluate(results: Results, targets: tuple[Target, ...] = TARGETS, tol: float = 1e-3) -> list[Verdict]:
    """Verdicts of the targets whose own case was run."""
    out = []
    for t in targets:
        case = _case(t, t.peer, tol)
        if case not in results.results:
            continue
        mine = results.measured(case, t.key)
        cells = tuple(_cell(results, t, case, mine, o, n, tol) for o, n in zip(OPPONENTS, t.needs, strict=True))
        out.append(Verdict(t, mine, cells))
    return out


def _case(t: Target, peer: str, tol: float) -> Case:
    return Case(t.problem, peer, kind=t.kind) if t.kind == "load" else Case(t.problem, peer, tol)


def _cell(r: Results, t: Target, case: Case, mine: Seconds, opponents: tuple[str, ...], need: float | None, tol: float) -> Cell:
    if need is None:
        return Cell(None, Ratio(None), None)
    other, theirs = r.fastest([_case(t, o, tol) for o in opponents], t.key)
    got = ratio(mine, theirs)
    met = False if mine.over else got.meets(need)
    remark, bad = _fault(r, t, case, other)
    if remark and met is not None:
        met = False if bad or met is False else None
    return Cell(need, got, met, remark)


def _fault(r: Results, t: Target, case: Case, other: Case) -> tuple[str, bool]:
    """(why a ratio does not count or cannot be judged, whether it is known not to count)"""
    run = r.first(case)
    if "error" in run:
        return "", False
    if t.kind == "load":
        return ("", False) if _same_data(run, r.first(other)) else ("different data", True)
    if t.peer == "dcsvm_early":
        exact, mine = r.first(Case(t.problem, "dcsvm_auto", case.tol)).get("accuracy"), run.get("accuracy")
        if exact is None or mine is None:
            return "exact accuracy unknown", False
        return (f"accuracy {mine:.2f} %, exact {exact:.2f} %", True) if mine < exact - POINTS else ("", False)
    if (stop := run.get("notes", {}).get("stop_reason", "converged")) != "converged":
        return f"stopped: {stop}", True
    if t.key == "predict_seconds":
        return "", False
    gap = r.gap(case, other)
    if gap is None:  # the other did not finish: compare with the best that is known
        best, f = r.best_objective(t.problem), run.get("objective")
        gap = None if best is None or f is None else (f - best) / abs(best)
    if gap is None:
        return "objective unknown", False
    return (f"objective {gap:+.1e}", True) if gap > OBJECTIVE else ("", False)


def _same_data(a: dict, b: dict) -> bool:
    if "error" in a or "error" in b:
        return True
    return all(a[k] == b[k] for k in ("rows", "nonzeros", "sum_labels")) and abs(a["sum"] - b["sum"]) <= 1e-12 * abs(b["sum"])


def markdown(verdicts: list[Verdict]) -> list[str]:
    if not verdicts:
        return ["No case of the targets has been run."]
    head = f"| what | problem | dcsvm | {' | '.join(f'against {h}' for h in HEADS)} |"
    return [head, "|---" * 6 + "|", *(v.markdown() for v in verdicts)]
