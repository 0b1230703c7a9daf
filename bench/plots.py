"""Plots of results as small SVG files (needs matplotlib, the extra "plot")."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .peers import NAMES, PEERS
from .results import Results
from .tables import fits, is_plain, problems_of, scaling_series


def _quiet() -> Any:
    """matplotlib's settings for small files that do not change without a reason. ValueError without matplotlib."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise ValueError("the plots need matplotlib: pip install '.[plot]', or --no-plots") from None
    quiet = {"svg.fonttype": "none", "svg.hashsalt": "dcsvm", "font.size": 8, "axes.titlesize": 9, "axes.grid": True}
    return matplotlib.rc_context({**quiet, "grid.alpha": 0.3})


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": "python -m bench"})


def draw(r: Results, folder: Path) -> list[Path]:
    """Writes the plots that the results have data for; returns their paths. ValueError without matplotlib."""
    with _quiet():
        makers: dict[str, Callable[[Results], Any]] = {
            "time-against-n": _time_against_n,
            "objective-against-time": _objective_against_time,
            "accuracy-against-time": _accuracy_against_time,
        }
        written = []
        for name, make in makers.items():
            figure = make(r)
            if figure is not None:
                path = folder / f"{name}.svg"
                _save(figure, path)
                written.append(path)
        return written


def _grid(n: int) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    columns = min(3, n)
    rows = math.ceil(n / columns)
    figure = Figure(figsize=(max(5.0, 3.4 * columns + 0.4), 2.7 * rows + 0.7), layout="constrained")
    axes = [figure.add_subplot(rows, columns, i + 1) for i in range(n)]
    return figure, axes


def plain_numbers(axis: Any, ticks: tuple[float, ...] = ()) -> None:
    """Labels of a logarithmic axis that do not overlap: these numbers, or powers of ten (and 2 and 5 of each on a short axis)."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    subs = (1.0, 2.0, 5.0) if high < 60 * low else (1.0,)
    axis.set_major_locator(FixedLocator(ticks) if ticks else LogLocator(subs=subs, numticks=8))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))


def _legend(figure: Any, axes: list[Any]) -> None:
    handles = {label: h for a in axes for h, label in zip(*a.get_legend_handles_labels(), strict=True)}
    order = sorted(handles, key=lambda label: next((i for i, n in enumerate(NAMES) if PEERS[n].label == label), 99))
    columns = {1: 2, 2: 3}.get(len(axes), 4)
    figure.legend([handles[x] for x in order], order, loc="outside lower center", ncols=columns, frameon=False)


def _style(peer: str) -> dict[str, Any]:
    p = PEERS[peer]
    return {"color": p.colour, "marker": p.marker, "label": p.label, "markersize": 5}


def _time_against_n(r: Results) -> Any:
    series = scaling_series(r)
    if not series:
        return None
    figure, axes = _grid(len(series))
    for axis, (base, peers) in zip(axes, series.items(), strict=True):
        for peer, points in peers.items():
            known = [(n, r.measured(c)) for n, c in points]
            xy = [(n, s.value) for n, s in known if s.value is not None and not s.over]
            if xy:
                axis.plot(*zip(*xy, strict=True), **_style(peer))
        axis.set(xscale="log", yscale="log", title=base, xlabel="training rows", ylabel="seconds of training")
        plain_numbers(axis.xaxis)
        plain_numbers(axis.yaxis)
    _legend(figure, axes)
    return figure


def _points(r: Results, problem: str) -> dict[str, list[tuple[float, dict[str, Any]]]]:
    """Peer -> (median seconds, first run) by descending tol."""
    found: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for case in sorted(fits(r), key=lambda c: -c.tol):
        seconds = r.measured(case)
        if case.problem == problem and is_plain(case) and seconds.runs and seconds.value:
            found.setdefault(case.peer, []).append((seconds.value, r.first(case)))
    return found


def _whole(r: Results) -> list[str]:
    """Problems with all their rows, else (trial runs) all."""
    every = problems_of(c for c in fits(r) if is_plain(c))
    return [p for p in every if "/" not in p] or every


def _is_curve(r: Results, problem: str, key: str) -> bool:
    """Whether a peer was run at several tolerances: a table shows single points better."""
    return any(sum(key in run for _, run in xs) > 1 for xs in _points(r, problem).values())


def _objective_against_time(r: Results) -> Any:
    problems = [p for p in _whole(r) if _is_curve(r, p, "objective")]
    if not problems:
        return None
    figure, axes = _grid(len(problems))
    floor = 1e-9  # gaps are drawn down to here: the best solution has none
    for axis, problem in zip(axes, problems, strict=True):
        points = {k: [(s, run["objective"]) for s, run in v if "objective" in run] for k, v in _points(r, problem).items()}
        exact = [f for k, v in points.items() if PEERS[k].exact for _, f in v]
        best = min(exact or [f for v in points.values() for _, f in v])
        for peer, xs in points.items():
            if xs:
                gaps = [max((f - best) / abs(best), floor) for _, f in xs]
                axis.plot([s for s, _ in xs], gaps, **_style(peer))
        axis.set(xscale="log", yscale="log", title=problem, xlabel="seconds of training", ylabel="objective above the best")
        plain_numbers(axis.xaxis)
    _legend(figure, axes)
    return figure


def _accuracy_against_time(r: Results) -> Any:
    problems = [p for p in _whole(r) if _is_curve(r, p, "accuracy")]
    if not problems:
        return None
    figure, axes = _grid(len(problems))
    for axis, problem in zip(axes, problems, strict=True):
        for peer, xs in _points(r, problem).items():
            known = [(s, run["accuracy"]) for s, run in xs if "accuracy" in run]
            if known and peer != "null":  # its accuracy would squeeze the others'
                axis.plot(*zip(*known, strict=True), **_style(peer))
        axis.set(xscale="log", title=problem, xlabel="seconds of training", ylabel="test accuracy, %")
        plain_numbers(axis.xaxis)
    _legend(figure, axes)
    return figure
