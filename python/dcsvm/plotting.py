"""Pictures of models, trainings and searches, with matplotlib.

Each function draws on ``ax``, or on new axes, and returns a :class:`Display` with the axes and what was drawn on them, as
scikit-learn's displays do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._base import validate
from ._base.history import History
from ._base.report import Report
from ._cross_validation.cross_validate import CrossValidation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._dc_pred.cost_curve import CostCurve

__all__ = ["Display", "convergence", "cost", "decision_regions", "grid", "levels", "roc"]

_COLOURS = ("#4269d0", "#ff725c", "#6cc5b0", "#efb118", "#a463f2", "#9c6b4e", "#97bbf5", "#9498a0")
_MANY_CELLS = 100  # of a heat map: above, they have no numbers


@dataclass(frozen=True)
class Display:
    """What a function of this module drew.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes.
    figure_ : matplotlib.figure.Figure
        Their figure.
    artists_ : dict
        What was drawn, by name, for changes of colours and sizes.
    """

    ax_: Axes
    figure_: Figure
    artists_: dict[str, Any] = field(default_factory=dict)


def _on(ax: Axes | None, **artists: Any) -> Display:
    """A display of nothing yet, on `ax` or new axes."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(f"dcsvm.plotting needs matplotlib: pip install 'dcsvm[plot]' ({error})", name=error.name) from error
        ax = pyplot.subplots(layout="constrained")[1]
    figure: Any = ax.figure
    return Display(ax, figure, artists)


def decision_regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ax: Axes | None = None,
    support: bool = True,
    clusters: Any = None,
    resolution: int = 200,
) -> Display:
    """Draws what a model of two features predicts around the rows of X, with its boundary, the rows and its support vectors.

    Two classes: the boundary is drawn as a line, the margins, where the decision value is +1 and -1, as dashed lines. Regression:
    the predicted numbers with a scale.

    Parameters
    ----------
    model : a dcsvm model or a fitted estimator
        With ``predict`` and ``decision_function``, trained on two features.
    X : array-like of shape (n, 2)
        Rows; they say which part of the plane is shown.
    y : array-like of shape (n,), default=None
        Labels or targets of the rows, for their colours.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.
    support : bool, default=True
        Whether the model's support vectors get rings.
    clusters : array-like of shape (n,) or None, default=None
        A cluster for each row: their centres are drawn as crosses.
    resolution : int, default=200
        Points along each side at which the model is evaluated.

    Returns
    -------
    Display
        With the artists "regions", and where they are drawn "boundary", "rows", "support" and "clusters".

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(500)
    >>> display = dcsvm.plotting.decision_regions(dcsvm.train(X, y, C=10, gamma=4), X, y)
    >>> sorted(display.artists_)
    ['boundary', 'regions', 'rows', 'support']
    """
    rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise ValueError(f"X must have the shape (n, 2): a plane is drawn; got {rows.shape}")
    side = validate.integer("resolution", resolution, low=2, high=5000)
    classes = np.asarray(getattr(model, "classes_", []))
    targets = None if y is None else np.asarray(y)
    if targets is not None and targets.shape != (len(rows),):
        raise ValueError(f"y must have the shape ({len(rows)},), one entry for each row of X; got {targets.shape}")
    colours = {"c": "0.2"} if targets is None else _row_colours(targets, classes)
    centres = None if clusters is None else _centres(rows, np.asarray(clusters))
    vectors = _support_vectors(model) if validate.boolean("support", support) else np.empty((0, 2))
    display = _on(ax)
    drawn = display.artists_
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = np.where(high > low, 0.05 * (high - low), 1.0)
    across, up = (np.linspace(a, b, side) for a, b in zip(low - margin, high + margin, strict=True))
    points = np.array(np.meshgrid(across, up)).reshape(2, -1).T
    place = (across, up)
    if len(classes):
        _class_regions(display, model, classes, points, place)
    else:
        _value_regions(display, model, points, place)
    size = float(np.clip(4000 / len(rows), 2, 30))
    drawn["rows"] = display.ax_.scatter(rows[:, 0], rows[:, 1], s=size, linewidths=0, zorder=3, **colours)
    if not len(classes) and targets is not None:
        drawn["rows"].set(norm=drawn["regions"].norm, edgecolors="white", linewidths=0.3)  # one scale for rows and predictions
    if len(vectors):
        drawn["support"] = display.ax_.scatter(
            vectors[:, 0], vectors[:, 1], s=2.5 * size, facecolors="none", edgecolors="black", linewidths=0.5, zorder=4
        )
    if centres is not None:
        drawn["clusters"] = display.ax_.scatter(centres[:, 0], centres[:, 1], marker="x", s=60, c="black", zorder=5)
    display.ax_.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    return display


def _class_regions(display: Display, model: Any, classes: npt.NDArray[Any], points: Any, place: tuple[Any, Any]) -> None:
    from matplotlib.colors import ListedColormap

    shape = (len(place[1]), len(place[0]))
    predicted = np.searchsorted(classes, model.predict(points)).reshape(shape)
    colours = ListedColormap([_COLOURS[i % len(_COLOURS)] for i in range(len(classes))])
    limits: dict[str, Any] = {"vmin": -0.5, "vmax": len(classes) - 0.5}
    display.artists_["regions"] = display.ax_.pcolormesh(*place, predicted, cmap=colours, alpha=0.25, shading="nearest", **limits)
    values = np.asarray(model.decision_function(points)) if len(classes) == 2 else np.empty(0)
    if values.ndim == 1 and values.size:
        lines: dict[str, Any] = {"levels": [-1, 0, 1], "linestyles": ["--", "-", "--"], "linewidths": [0.6, 1.2, 0.6]}
        display.artists_["boundary"] = display.ax_.contour(*place, values.reshape(shape), colors="black", **lines)


def _value_regions(display: Display, model: Any, points: Any, place: tuple[Any, Any]) -> None:
    """A regression's predictions; a one-class model's region."""
    values = np.asarray(model.decision_function(points) if hasattr(model, "decision_function") else model.predict(points))
    values = values.reshape(len(place[1]), len(place[0]))
    novelty = getattr(model, "formulation", "") == "one_class" or hasattr(model, "offset_")
    style: dict[str, Any] = (
        {"levels": [-np.inf, 0, np.inf], "colors": ["#ffffff00", _COLOURS[0]], "alpha": 0.25} if novelty else {"levels": 20}
    )
    display.artists_["regions"] = display.ax_.contourf(*place, values, **style)
    if novelty:
        display.artists_["boundary"] = display.ax_.contour(*place, values, levels=[0], colors="black", linewidths=1.2)
    else:
        display.figure_.colorbar(display.artists_["regions"], ax=display.ax_, label="prediction")


def _row_colours(targets: npt.NDArray[Any], classes: npt.NDArray[Any]) -> dict[str, Any]:
    if not len(classes):
        return {"c": targets}
    codes = np.minimum(np.searchsorted(classes, targets), len(classes) - 1)
    if not np.array_equal(classes[codes], targets):
        raise ValueError(f"y has labels that the model does not know; it knows {classes[:6].tolist()}")
    return {"c": [_COLOURS[i % len(_COLOURS)] for i in codes]}


def _support_vectors(model: Any) -> npt.NDArray[Any]:
    vectors = getattr(model, "support_vectors_", None)
    if vectors is None or vectors.shape[1] != 2:
        return np.empty((0, 2))
    return np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors)


def _centres(rows: npt.NDArray[Any], clusters: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if clusters.shape != (len(rows),):
        raise ValueError(f"clusters must have the shape ({len(rows)},), one entry for each row of X; got {clusters.shape}")
    return np.array([rows[clusters == c].mean(axis=0) for c in np.unique(clusters)])


def convergence(history: History | Mapping[str, History], *, ax: Axes | None = None) -> Display:
    """Draws the KKT violation and the distance to the final objective against seconds, on a logarithmic scale.

    Parameters
    ----------
    history : History or dict of them
        What :class:`dcsvm.History` recorded as ``callback`` of a training; several by name to compare trainings.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.

    Returns
    -------
    Display
        With the artists "violation" and "objective", lists of one line for each history. The objective is drawn as
        ``(f - f_end) / |f_end|`` while the whole problem is solved; not with several pairs of classes.
    """
    named = history if isinstance(history, Mapping) else {"": history}
    if not named:
        raise ValueError("history must be a dcsvm.History or a dict of them, got an empty dict")
    for name, given in named.items():
        if not isinstance(given, History):
            raise ValueError(f"history must be a dcsvm.History or a dict of them, got {type(given).__name__} {name}".rstrip())
        if not given.records:
            raise ValueError("the history is empty: pass it as callback to a training first")
    display = _on(ax, violation=[], objective=[])
    for i, (name, given) in enumerate(named.items()):
        style: dict[str, Any] = {"color": _COLOURS[i % len(_COLOURS)], "marker": ".", "markersize": 3, "linewidth": 1}
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
    display.ax_.set(yscale="log", xlabel="seconds", ylabel="KKT violation; objective above its end, relative")
    display.ax_.legend()
    return display


def levels(report: Report | Any, *, ax: Axes | None = None) -> Display:
    """Draws the support vectors of each level of a divide and conquer training, beside the number in the model.

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
    display = _on(ax)
    counts = [level["n_support"] for level in found.levels]
    names = [f"level {v['level']}" if v["level"] else "refine" for v in found.levels]
    bars = display.ax_.bar(np.arange(len(counts)), counts, color=_COLOURS[0], width=0.6)
    texts = [f"{v['clusters']:,} {'cluster' if v['clusters'] == 1 else 'clusters'}\n{v['seconds']:.2f} s" for v in found.levels]
    display.ax_.bar_label(bars, texts, padding=2, fontsize="small")
    line = display.ax_.axhline(found.n_support, color=_COLOURS[1], label=f"model: {found.n_support:,}")
    display.ax_.set_xticks(np.arange(len(counts)), names)
    display.ax_.set_ylabel("support vectors")
    display.ax_.margins(y=0.2)
    display.ax_.legend(loc="lower right")
    display.artists_.update(levels=bars, model=line)
    return display


def grid(found: CrossValidation, *, ax: Axes | None = None) -> Display:
    """Draws the mean scores of a search over C and gamma as a heat map; a frame marks the best.

    Parameters
    ----------
    found : CrossValidation
        What :func:`dcsvm.cross_validate` returned.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.

    Returns
    -------
    Display
        With the artists "scores", the image, and "best", the frame.
    """
    if not isinstance(found, CrossValidation):
        raise ValueError(f"found must be what dcsvm.cross_validate returns, got {type(found).__name__}")
    display = _on(ax)
    from matplotlib.patches import Rectangle

    mean = found.mean_scores
    image = display.ax_.imshow(mean, origin="lower", aspect="auto", cmap="viridis")
    display.ax_.set_xticks(np.arange(len(found.C)), [f"{c:.4g}" for c in found.C], rotation=45 if len(found.C) > 8 else 0)
    display.ax_.set_yticks(np.arange(len(found.gamma)), [f"{g:.4g}" for g in found.gamma])
    display.ax_.set(xlabel="C", ylabel="gamma")
    if mean.size <= _MANY_CELLS:
        middle = (mean.min() + mean.max()) / 2
        for (g, c), score in np.ndenumerate(mean):
            colour = "black" if score > middle else "white"
            display.ax_.text(c, g, f"{score:.3f}", ha="center", va="center", color=colour, fontsize="small")
    c, g = (int(np.argmax(values == found.best_params[n])) for n, values in (("C", found.C), ("gamma", found.gamma)))
    frame = display.ax_.add_patch(
        Rectangle((c - 0.5, g - 0.5), 1, 1, fill=False, edgecolor=_COLOURS[1], linewidth=2.5, clip_on=False)
    )
    display.figure_.colorbar(image, ax=display.ax_, label="mean score")
    display.artists_.update(scores=image, best=frame)
    return display


def cost(curve: CostCurve, *, ax: Axes | None = None, against: str = "costs") -> Display:
    """Draws what models of several budgets reach against what a prediction costs.

    Parameters
    ----------
    curve : CostCurve
        What :func:`dcsvm.cost_curve` returned.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.
    against : {"costs", "times"}, default="costs"
        Inner products a row, or measured times; both as multiples of a linear model's.

    Returns
    -------
    Display
        With the artist "scores", the line.
    """
    values: Sequence[float] = getattr(curve, validate.choice("against", against, ("costs", "times")))
    display = _on(ax)
    display.artists_["scores"] = display.ax_.plot(values, curve.scores, marker="o", color=_COLOURS[0])[0]
    display.ax_.set(xlabel=f"prediction {against[:-1]} (a linear model: 1)", ylabel=curve.score_name)
    return display


def roc(model: Any, X: Any, y: Any, *, ax: Axes | None = None, name: str | None = None) -> Any:
    """Draws the ROC curve of a model of two classes by scikit-learn's display.

    Parameters
    ----------
    model : a dcsvm model or a fitted estimator
        With ``decision_function`` and two ``classes_``.
    X : array-like or CSR matrix of shape (n, n_features)
        Rows that the model was not trained on.
    y : array-like of shape (n,)
        Their labels.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.
    name : str or None, default=None
        Of the curve in the legend; None: the model's class.

    Returns
    -------
    sklearn.metrics.RocCurveDisplay
        The display.
    """
    classes = np.asarray(getattr(model, "classes_", []))
    if len(classes) != 2:
        raise ValueError(f"a ROC curve is of two classes, and this model has {len(classes)}")
    from sklearn.metrics import RocCurveDisplay

    scores = np.asarray(model.decision_function(X)).ravel()
    return RocCurveDisplay.from_predictions(
        np.asarray(y), scores, pos_label=classes[1], name=name or type(model).__name__, ax=_on(ax).ax_
    )
