"""Draws the pictures of the README and the site from committed results of python -m bench. A style sheet in each gives it other
colours where dark pages are preferred.

python -m bench --pictures writes them to docs/figures.

speed: results/readme-curve.jsonl (bench/readme.py says how it is measured), of runs that bench/admitted.py lets through
regions: two trainings of generated rows
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .admitted import admitted
from .plots import plain_numbers
from .results import Results
from .store import Store
from .tables import scaling_series

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
}
REGIONS = ("#dbe7f5", "#12355f"), ("#fbe3d0", "#5a3210")  # where a model decides for either class


class NotShownError(ValueError):
    """A picture whose runs may not be shown."""


def _dark() -> str:
    """The style sheet: drawn colours are inline styles, which only important rules change."""
    pairs = (INK, GRID, *REGIONS, *COLOURS.values())
    rules = (f'[style*="{of}: {light}"] {{{of}: {dark} !important}}' for light, dark in pairs for of in ("fill", "stroke"))
    return "<style>@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}</style>\n"


def committed(name: str) -> Store:
    """The runs of a file of bench/results that may be shown; none of a file that is absent."""
    path = ROOT / "bench" / "results" / f"{name}.jsonl"
    return admitted(Store.of_files([path] if path.exists() else []))[0]


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
    r = Results(committed("readme-curve").results)
    series = scaling_series(r).get(CURVE)
    if series is None or OURS not in series:
        raise NotShownError("bench/results/readme-curve.jsonl has no three sizes of an idle machine")
    figure, (axis,) = _figure((7.6, 4.2))
    known = {p: [(n, s) for n, c in cases if (s := r.measured(c)).value] for p, cases in series.items()}
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


PICTURES: dict[str, Callable[[], Any]] = {f.__name__: f for f in (speed, regions)}


def draw(folder: Path) -> list[str]:
    """Writes the pictures that may be shown; returns why the others were not. An older file of such a picture is deleted."""
    import matplotlib

    folder.mkdir(exist_ok=True)
    refused = []
    for name, picture in PICTURES.items():
        path = folder / f"{name}.svg"
        try:
            figure = picture()
        except NotShownError as why:
            path.unlink(missing_ok=True)
            refused.append(f"{name}: {why}")
            continue
        with matplotlib.rc_context({"svg.hashsalt": "dcsvm", "svg.fonttype": "path"}):
            figure.savefig(path, metadata={"Date": None, "Creator": "python -m bench --pictures"})
        text = path.read_text()
        path.write_text(text.replace(" <defs>\n", f" {_dark()} <defs>\n", 1))
    return refused
