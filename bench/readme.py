"""Draws the README's figure, and writes the sentence above it, from results of dcsvm bench.

python -m bench.readme [results.json ...]        without files: bench/results/readme-curve.json

Needs matplotlib (the extra "plot"). All points are of one session on one machine, as this command measures them:
dcsvm bench --scaling covtype85k --max-rows 40000 --peers exact dcsvm_early --out bench/results/readme-curve.json
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .report import rewrite
from .results import Results, number, ratio
from .store import Store
from .tables import scaling_series

ROOT = Path(__file__).parents[1]
MARKS = ("<!-- python -m bench.readme: begin -->", "<!-- python -m bench.readme: end -->")
PROBLEM, OURS, RIVAL = "covtype85k", "dcsvm_auto", "libsvm"
CURVES = {  # in the order of their seconds: name, colour on a light page, colour on a dark page
    "sklearn_svc": ("scikit-learn SVC", "#b35900", "#ffa657"),
    "libsvm": ("LIBSVM 3.37", "#b3261e", "#ff7b72"),
    "sklearnex_float64": ("sklearnex float64", "#6639ba", "#d2a8ff"),
    "sklearnex_float32": ("sklearnex float32", "#8a5cc9", "#b392f0"),
    OURS: ("dcsvm, exact", "#0550ae", "#79c0ff"),
    "dcsvm_early": ("dcsvm, early", "#116329", "#7ee787"),
}
LABEL_GAP = 1.45  # a label is at least this factor below the one above it, so that they do not overlap
THEMES = {"light": ("#24292f", "#d0d7de", 1), "dark": ("#e6edf3", "#30363d", 2)}  # text, grid, column of CURVES


def committed() -> Results:
    """The results that the figure and its sentence are made of."""
    return Results(Store.of_files([ROOT / "bench" / "results" / "readme-curve.json"]).results)


def text(r: Results) -> str:
    """The one number, and the figure in the colours of the reader's page."""
    rows, _ = scaling_series(r)[PROBLEM][OURS][-1]
    mine, theirs = (r.measured(dict(scaling_series(r)[PROBLEM][peer])[rows]) for peer in (OURS, RIVAL))
    times = ratio(mine, theirs).value
    if times is None or mine.value is None:
        raise ValueError(f"the results need {PROBLEM} with {rows} rows for {OURS} and {RIVAL}: {theirs.why or mine.why}")
    return (
        f"**{times:.0f} times as fast as LIBSVM, with the same answer:** {rows:,} rows of a covtype sample train in "
        f"{number(mine.value)} s instead of {theirs.text()} s (two cores).\n\n"
        "<picture>\n"
        '  <source media="(prefers-color-scheme: dark)" srcset="docs/figures/speed-dark.svg">\n'
        '  <img src="docs/figures/speed-light.svg" width="760" '
        'alt="Seconds of training against rows of a sample of covtype, for dcsvm and its peers, both axes logarithmic">\n'
        "</picture>"
    )


def draw(r: Results, theme: str) -> Any:
    """The figure: seconds against rows, each curve named at its end, with its seconds there over dcsvm's."""
    from matplotlib.figure import Figure

    from .plots import plain_numbers

    ink, grid, column = THEMES[theme]
    figure = Figure(figsize=(7.6, 4.2), layout="constrained", facecolor="none")
    axis = figure.add_subplot(facecolor="none")
    known = {p: [(n, s) for n, c in cases if (s := r.measured(c)).value] for p, cases in scaling_series(r)[PROBLEM].items()}
    ours = dict(known[OURS])
    beside: list[tuple[float, str, int, str]] = []
    for peer, style in CURVES.items():
        points = known.get(peer)
        if not points:
            continue
        colour, wide = style[column], peer in (OURS, "dcsvm_early")
        axis.plot([n for n, _ in points], [s.value for _, s in points], "o-", color=colour, lw=2.4 if wide else 1.6, ms=4)
        n, last = points[-1]
        against = "" if peer == OURS or n not in ours else f", {_times(last.value, ours[n].value)}"
        label = f"{style[0]}  {last.text()} s{against}"
        beside.append((last.value, label, n, colour))
    height = float("inf")
    for seconds, label, n, colour in sorted(beside, reverse=True):
        height = min(seconds, height / LABEL_GAP)
        axis.annotate(label, (n, height), (9, 0), textcoords="offset points", va="center", color=colour, size=10)
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="training rows of the covtype sample (54 features, rbf kernel)",
        ylabel="seconds of training",
    )
    plain_numbers(axis.xaxis, (5_000, 10_000, 20_000, 40_000))
    plain_numbers(axis.yaxis)
    axis.grid(color=grid, lw=0.8)
    axis.tick_params(colors=ink, which="both", length=0, labelsize=10)
    axis.xaxis.label.set(color=ink, size=10)
    axis.yaxis.label.set(color=ink, size=10)
    axis.spines[:].set_visible(False)
    return figure


def _times(theirs: float, mine: float) -> str:
    return f"{theirs / mine:.0f}x" if theirs > mine else f"{theirs / mine:.2f}x"


def main(paths: list[Path]) -> None:
    import matplotlib

    results = Results(Store.of_files(paths).results) if paths else committed()
    for theme in THEMES:
        with matplotlib.rc_context({"svg.hashsalt": "dcsvm", "svg.fonttype": "path"}):
            path = ROOT / "docs" / "figures" / f"speed-{theme}.svg"
            path.parent.mkdir(exist_ok=True)
            draw(results, theme).savefig(path, metadata={"Date": None, "Creator": "python -m bench.readme"})
    rewrite(ROOT / "README.md", text(results), MARKS)


if __name__ == "__main__":
    main([Path(p) for p in sys.argv[1:]])
