"""Draws the pictures of the README and the site from committed results of python -m bench. A style sheet in each gives it other
colours where dark pages are preferred.

python -m bench --pictures writes them to docs/figures.

speed: results/readme-curve.jsonl (bench/readme.py says how it was measured)
speedups: results/2026-11-22.jsonl (docs/developers/benchmarks.md)
gap: results/readme-gap.jsonl, by python -m bench --problems covtype85k/20000 --out bench/results/readme-gap.jsonl --resume, once
  with --tol 1e-1 1e-2 1e-3 1e-4 --peers dcsvm_auto libsvm sklearnex_float64, and once with --tol 1e-7
  --peers dcsvm_auto for the optimum
cost: results/papers.jsonl, by python -m bench --paper dc-pred
regions: two trainings of generated rows
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .plots import plain_numbers
from .results import Results, number, ratio
from .runner import Case
from .store import Store
from .tables import fits, is_plain, problems_of, scaling_series

ROOT = Path(__file__).parents[1]
CURVE, OURS, RIVAL = "covtype85k", "dcsvm_auto", "libsvm"
NAMES = {
    "sklearn_svc": "scikit-learn SVC",
    "libsvm": "LIBSVM 3.37",
    "sklearnex_float64": "sklearnex float64",
    "sklearnex_float32": "sklearnex float32",
    OURS: "dcsvm, exact",
    "dcsvm_early": "dcsvm, early",
}
LABEL_GAP = 1.45  # on a logarithmic axis a label is at least this factor below the one above it, so that they do not overlap

# Of each colour: on light pages, as pictures are drawn, and on dark ones.
INK, GRID = ("#24292f", "#e6edf3"), ("#d0d7de", "#30363d")
COLOURS = {
    "sklearn_svc": ("#b35900", "#ffa657"),
    "libsvm": ("#b3261e", "#ff7b72"),
    "sklearnex_float64": ("#6639ba", "#d2a8ff"),
    "sklearnex_float32": ("#8a5cc9", "#b392f0"),
    OURS: ("#0550ae", "#79c0ff"),
    "dcsvm_early": ("#116329", "#7ee787"),
    "other": ("#57606a", "#8b949e"),
}
REGIONS = ("#dbe7f5", "#12355f"), ("#fbe3d0", "#5a3210")  # where a model decides for either class


def _dark() -> str:
    """The style sheet: drawn colours are inline styles, which only important rules change."""
    pairs = (INK, GRID, *REGIONS, *COLOURS.values())
    rules = (f'[style*="{of}: {light}"] {{{of}: {dark} !important}}' for light, dark in pairs for of in ("fill", "stroke"))
    return "<style>@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}</style>\n"


def committed(name: str) -> Results:
    return Results(Store.of_files([ROOT / "bench" / "results" / f"{name}.jsonl"]).results)


def _figure(size: tuple[float, float], columns: int = 1) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained", facecolor="none")
    axes = [figure.add_subplot(1, columns, i + 1, facecolor="none") for i in range(columns)]
    for axis in axes:
        axis.set_axisbelow(True)
        axis.grid(color=GRID[0], lw=0.8)
        axis.tick_params(colors=INK[0], which="both", length=0, labelsize=10)
        for text in (axis.xaxis.label, axis.yaxis.label, axis.title):
            text.set(color=INK[0], size=10)
        axis.spines[:].set_visible(False)
    return figure, axes


def speed() -> Any:
    """Seconds against rows, each curve named at its end, with its seconds there over those of dcsvm's exact model."""
    r = committed("readme-curve")
    figure, (axis,) = _figure((7.6, 4.2))
    known = {p: [(n, s) for n, c in cases if (s := r.measured(c)).value] for p, cases in scaling_series(r)[CURVE].items()}
    ours = dict(known[OURS])
    beside: list[tuple[float, str, int, str]] = []
    for peer, name in NAMES.items():
        points = known.get(peer)
        if not points:
            continue
        colour, wide = COLOURS[peer][0], peer.startswith("dcsvm")
        axis.plot([n for n, _ in points], [s.value for _, s in points], "o-", color=colour, lw=2.4 if wide else 1.6, ms=4)
        n, last = points[-1]
        against = "" if peer == OURS or n not in ours else f", {_times(last.value, ours[n].value)}"
        beside.append((last.value, f"{name}  {last.text()} s{against}", n, colour))
    height = float("inf")
    for seconds, label, n, colour in sorted(beside, reverse=True):
        height = min(seconds, height / LABEL_GAP)
        axis.annotate(label, (n, height), (9, 0), textcoords="offset points", va="center", color=colour, size=10)
    axis.set(xscale="log", yscale="log", ylabel="seconds of training")
    axis.set_xlabel("training rows of the covtype sample (54 features, rbf kernel)")
    plain_numbers(axis.xaxis, (5_000, 10_000, 20_000, 40_000))
    plain_numbers(axis.yaxis)
    return figure


def _times(theirs: float, mine: float) -> str:
    return f"{theirs / mine:.0f}x" if theirs > mine else f"{theirs / mine:.2f}x"


def speedups() -> Any:
    """How many times as long LIBSVM and the faster kind of sklearnex train, on every problem that all were measured on."""
    r = committed("2026-11-22")
    rivals = {"libsvm": ("libsvm",), "sklearnex_float32": ("sklearnex_float32", "sklearnex_float64")}
    rows = []
    for problem in (p for p in problems_of(c for c in fits(r) if is_plain(c)) if "/" not in p):
        mine = r.measured(Case(problem, OURS, 1e-3))
        theirs = [r.fastest([Case(problem, p, 1e-3) for p in peers])[1] for peers in rivals.values()]
        times = [ratio(mine, t).value for t in theirs]
        if None not in times:
            rows.append((times, problem, mine, theirs))
    rows.sort(key=lambda row: row[0])
    figure, (axis,) = _figure((7.6, 0.56 * len(rows) + 1.0))
    for k, (peer, name) in enumerate(
        (("libsvm", NAMES["libsvm"]), ("sklearnex_float32", "sklearnex, the faster of float32 and float64"))
    ):
        at = [i + 0.19 - 0.38 * k for i in range(len(rows))]
        colour = COLOURS[peer][0]
        axis.barh(at, [row[0][k] for row in rows], 0.34, color=colour, label=name)
        for y, (times, _, _, theirs) in zip(at, rows, strict=True):
            label = f"{times[k]:.3g}x  ({theirs[k].text()} s)"
            axis.annotate(label, (times[k], y), (4, 0), textcoords="offset points", va="center", color=INK[0], size=9)
    axis.set_yticks(range(len(rows)), [f"{row[1]}\n{row[2].text()} s" for row in rows])
    axis.set(
        xscale="log",
        xlim=(1, 3.2 * max(row[0][0] for row in rows)),
        xlabel="seconds of training over those of dcsvm's exact model",
    )
    plain_numbers(axis.xaxis, (1, 3, 10, 30, 100))
    axis.grid(visible=False, axis="y")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=INK[0], fontsize=10)
    return figure


def gap() -> Any:
    """Objective above that of a training to a tolerance of 1e-7, against seconds, at several tolerances."""
    r = committed("readme-gap")
    best = r.first(Case("covtype85k/20000", OURS, 1e-7))["objective"]
    figure, (axis,) = _figure((7.6, 4.2))
    for peer in (OURS, "sklearnex_float64", "libsvm"):
        cases = sorted((c for c in fits(r) if c.peer == peer and c.tol >= 1e-4), key=lambda c: -c.tol)
        points = [(r.seconds(c), (r.first(c)["objective"] - best) / abs(best), c.tol) for c in cases]
        colour = COLOURS[peer][0]
        axis.plot([s for s, _, _ in points], [g for _, g, _ in points], "o-", color=colour, lw=2.4 if peer == OURS else 1.6, ms=4)
        for seconds, height, tol in points:
            label = f"tol {number(tol) if tol >= 1e-3 else '0.0001'}"
            beside, side = ((-7, 2), "right") if peer == "sklearnex_float64" else ((7, 2), "left")
            axis.annotate(label, (seconds, height), beside, textcoords="offset points", ha=side, color=colour, size=9)
        seconds, height, _ = points[0]
        axis.annotate(
            NAMES[peer], (seconds, height), (0, 12), textcoords="offset points", ha="center", color=colour, size=10, weight="bold"
        )
    axis.set(xscale="log", yscale="log", ylabel="objective above the optimum, relative")
    axis.set_xlabel("seconds of training, 20,000 rows of the covtype sample")
    plain_numbers(axis.xaxis)
    axis.margins(x=0.14, y=0.12)
    return figure


def cost() -> Any:
    """Accuracy against the processor time of one prediction, for every kind of model measured on the covtype sample."""
    r = committed("papers")
    curves: dict[str, tuple[str, tuple[float, float], Callable[[Case, dict[str, Any]], bool]]] = {
        "DC-Pred++, 256 leaves": (OURS, (-8, 8), lambda c, o: c.peer == "dcsvm_dcpred" and o["n_leaves"] == 256),
        "DC-Pred++, 16 leaves": ("sklearnex_float32", (10, -4), lambda c, o: c.peer == "dcsvm_dcpred" and o["n_leaves"] == 16),
        "low rank, landmarks": ("sklearn_svc", (10, -4), lambda c, o: c.peer == "dcsvm_lowrank" and "features" not in o),
        "early": ("dcsvm_early", (-4, 9), lambda c, o: c.peer == "dcsvm_early" and not o),
        "exact": ("dcsvm_early", (-4, 9), lambda c, o: c.peer == OURS and not o),
        "linear": ("other", (8, -4), lambda c, o: c.peer == "dcsvm_linear"),
        "LDKL": ("other", (8, -4), lambda c, o: c.peer == "dcsvm_ldkl"),
        "boosted trees": ("other", (8, -4), lambda c, o: c.peer == "hist_gradient_boosting"),
        "neural network": ("other", (8, -4), lambda c, o: c.peer == "mlp"),
    }
    figure, (axis,) = _figure((7.6, 4.4))
    for name, (colour, offset, wanted) in curves.items():
        cases = [c for c in fits(r) if c.problem == CURVE and wanted(c, dict(c.options)) and "accuracy" in r.first(c)]
        if not cases:
            raise ValueError(f"the picture cost: results/papers.jsonl has no result for {name!r}; correct the curve's condition")
        runs = sorted((r.first(c) for c in cases), key=lambda run: run["accuracy"])
        points = [(1e6 * run["predict_cpu_seconds"] / run["predicted"], run["accuracy"]) for run in runs]
        axis.plot(*zip(*points, strict=True), "o-", color=COLOURS[colour][0], lw=1.8, ms=4)
        axis.annotate(name, points[-1], offset, textcoords="offset points", color=COLOURS[colour][0], size=10)
    axis.set(xscale="log", ylabel="test accuracy, %", ylim=(50, 95))
    axis.set_xlabel("microseconds of processor time for one prediction, covtype sample")
    plain_numbers(axis.xaxis)
    axis.margins(x=0.12)
    return figure


def regions() -> Any:
    """Where an exact and an early model decide for which class."""
    import numpy as np

    import dcsvm

    X, y = dcsvm.datasets.make_checkerboard(20_000, noise=0.05, random_state=0)
    X_test, y_test = dcsvm.datasets.make_checkerboard(20_000, random_state=1)
    figure, axes = _figure((7.6, 3.9), columns=2)
    side = np.linspace(X.min(), X.max(), 200)
    points = np.array(np.meshgrid(side, side)).reshape(2, -1).T
    for axis, name, options in zip(axes, ("exact", "early"), ({}, {"early_level": 2}), strict=True):
        model = dcsvm.train(X, y, C=10, gamma=4, **options)
        values = model.decision_function(points).reshape(200, 200)
        axis.contourf(side, side, values > 0, levels=1, colors=[light for light, _ in REGIONS])
        axis.contour(side, side, values, levels=[0], colors=INK[0], linewidths=0.8)
        accuracy = (model.predict(X_test) == y_test).mean()
        axis.set(title=f"{name}: {accuracy:.1%} of new rows right", aspect="equal", xticks=[], yticks=[])
    return figure


PICTURES: dict[str, Callable[[], Any]] = {f.__name__: f for f in (speed, speedups, gap, cost, regions)}


def draw(folder: Path) -> None:
    import matplotlib

    folder.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        path = folder / f"{name}.svg"
        with matplotlib.rc_context({"svg.hashsalt": "dcsvm", "svg.fonttype": "path"}):
            picture().savefig(path, metadata={"Date": None, "Creator": "python -m bench --pictures"})
        text = path.read_text()
        path.write_text(text.replace(" <defs>\n", f" {_dark()} <defs>\n", 1))
