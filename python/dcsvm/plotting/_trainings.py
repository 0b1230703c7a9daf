"""How a training went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shown.history import History
from .._shown.report import Report
from ._display import COLOURS, Display, on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def convergence(history: History | Mapping[str, History], *, ax: Axes | None = None) -> Display:
    """Draws the KKT violation and the distance to the final objective against seconds, on a logarithmic scale, and the number
    of support vectors on a second axis.

    Parameters
    ----------
    history : History or dict of them
        What :class:`dcsvm.History` recorded as ``callback`` of a training; several by name to compare trainings.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.

    Returns
    -------
    Display
        With the artists "violation", "objective" and "support", lists of one line for each history, and "support_axes", the axes
        of the last (None where no history has them). The objective is drawn as ``(f - f_end) / |f_end|``, and it and the
        support vectors only while the whole problem is solved; not with several pairs of classes.
    """
    named = history if isinstance(history, Mapping) else {"": history}
    if not named:
        raise ValueError("history must be a dcsvm.History or a dict of them, got an empty dict")
    for name, given in named.items():
        if not isinstance(given, History):
            raise ValueError(f"history must be a dcsvm.History or a dict of them, got {type(given).__name__} {name}".rstrip())
        if not given.records:
            raise ValueError("the history is empty: pass it as callback to a training first")
        if any("phase" not in record for record in given.records):
            raise ValueError(
                "convergence() draws trainings on one machine, and this history has rounds or passes on a cluster: "
                "draw columns of history.to_frame()"
            )
    display = on(ax, violation=[], objective=[], support=[], support_axes=None)
    for i, (name, given) in enumerate(named.items()):
        style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "marker": ".", "markersize": 3, "linewidth": 1}
        label = f"{name}: " * bool(name)
        known = [(r["seconds"], r["violation"]) for r in given.records if r["violation"] > 0]
        display.artists_["violation"] += display.ax_.plot(*zip(*known, strict=True), label=f"{label}KKT violation", **style)
        solve = [r for r in given.records if r["phase"] == "solve" and r["total"] == 1 and r["active"] > 0]
        last = given.records[-1]
        end = last["objective"] if last["phase"] == "done" else min((r["objective"] for r in solve), default=0.0)
        gaps = [(r["seconds"], (r["objective"] - end) / max(abs(end), 1e-300)) for r in solve]
        if gaps := [(s, gap) for s, gap in gaps if gap > 0]:
            how = {**style, "linestyle": "--"}
            display.artists_["objective"] += display.ax_.plot(*zip(*gaps, strict=True), label=f"{label}objective", **how)
        counts = [(r["seconds"], r["n_support"]) for r in [*solve, *[last] * (last["phase"] == "done")]]
        if solve and any(n for _, n in counts):
            if display.artists_["support_axes"] is None:
                display.artists_["support_axes"] = _support_axes(display.ax_)
            how = {**style, "linestyle": ":", "marker": ""}
            display.artists_["support"] += display.artists_["support_axes"].plot(*zip(*counts, strict=True), **how)
            display.ax_.plot([], [], label=f"{label}support vectors", **how)  # the legend is the first axes'
    what = "KKT violation; relative distance to the final objective" if display.artists_["objective"] else "KKT violation"
    display.ax_.set(yscale="log", xlabel="seconds", ylabel=what)
    # Above the axes, a column for each history: the lines of two axes leave no free corner.
    columns = 3 if len(named) == 1 else min(len(named), 3)
    display.ax_.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False)
    return display


def _support_axes(ax: Axes) -> Axes:
    right = ax.twinx()
    right.set_ylabel("support vectors")
    right.yaxis.set_major_formatter("{x:,.0f}")
    return right


def levels(report: Report | Any, *, ax: Axes | None = None) -> Display:
    """Draws the support vectors of each level of a divide and conquer training, beside the number in the model; after
    ``keep_levels=True`` also their precision and recall.

    Parameters
    ----------
    report : Report, model or fitted estimator
        Of a training with levels (``solver="dc"`` or ``early_level``).
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.

    Returns
    -------
    Display
        With the artists "levels", the bars from the bottom level up, and "model", the line.
    """
    found = report if isinstance(report, Report) else getattr(report, "report_", getattr(report, "report", None))
    if not isinstance(found, Report):
        raise ValueError(f"report must be a dcsvm.Report, or a model or estimator that has one; got {type(report).__name__}")
    if not found.levels:
        raise ValueError(f"this training had no levels (solver {found.solver!r}): train with solver='dc' or early_level")
    display = on(ax)
    counts = [level["n_support"] for level in found.levels]
    names = [f"level {v['level']}" if v["level"] else "refine" for v in found.levels]
    model: Any = getattr(report, "model_", report)
    kept = [] if isinstance(model, Report) or model.clustered or not model._core.kept_levels() else model.levels_
    bars = display.ax_.bar(np.arange(len(counts)), counts, color=COLOURS[0], width=0.6)
    texts = [f"{v['clusters']:,} {'cluster' if v['clusters'] == 1 else 'clusters'}\n{v['seconds']:.2f} s" for v in found.levels]
    if kept:
        shares = [level.found(model.support_) for level in kept]
        texts = [f"{text}\n{p:.0%} / {r:.0%}" for text, (p, r) in zip(texts, shares, strict=True)]
        display.ax_.set_xlabel("shares: precision / recall of the level's support vectors")
    box = {"facecolor": display.ax_.get_facecolor(), "edgecolor": "none", "alpha": 0.9, "pad": 1}  # the line may pass there
    display.ax_.bar_label(bars, texts, padding=3, fontsize="small", bbox=box)
    line = display.ax_.axhline(found.n_support, color=COLOURS[1], zorder=0, label=f"model: {found.n_support:,}")
    display.ax_.set_xticks(np.arange(len(counts)), names)
    display.ax_.set_ylabel("support vectors")
    display.ax_.margins(y=0.4)  # for the texts, and the legend above them
    display.ax_.legend(loc="upper right")
    display.artists_.update(levels=bars, model=line)
    return display
