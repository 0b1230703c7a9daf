"""What a model of two features predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._input import validate
from .._input.columns import feature_names
from .._input.formulations import SIDES
from ._display import COLOURS, Display, ink, on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    the predicted numbers with a scale. The columns of a data frame name the axes, and ``display.ax_.legend()`` adds the classes.

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
        Whether the model's support vectors get rings. A pipeline's do not: they lie in the coordinates of its last step.
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
    found = np.shape(X)
    if len(found) != 2 or found[1] != 2 or not found[0]:
        raise ValueError(f"X must have the shape (n, 2): a plane is drawn; got {found}")
    rows = np.asarray(validate.as_data("X", X.toarray() if hasattr(X, "toarray") else X), dtype=np.float64)
    side = validate.integer("resolution", resolution, low=2, high=5000)
    classes = np.asarray(getattr(model, "classes_", []))
    targets = None if y is None else np.asarray(y)
    if targets is not None and targets.shape != (len(rows),):
        raise ValueError(f"y must have the shape ({len(rows)},), one entry for each row of X; got {targets.shape}")
    colours = None if targets is None else _row_colours(targets, classes)
    centres = None if clusters is None else _centres(rows, np.asarray(clusters))
    vectors = _support_vectors(model) if validate.boolean("support", support) else np.empty((0, 2))
    display = on(ax)
    drawn = display.artists_
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = np.where(high > low, 0.05 * (high - low), 1.0)
    across, up = (np.linspace(a, b, side) for a, b in zip(low - margin, high + margin, strict=True))
    points = np.array(np.meshgrid(across, up)).reshape(2, -1).T
    place = (across, up)
    names = feature_names(X) or ()
    if len(set(names)) == 2:  # a model of a data frame expects its columns
        points = type(X)(dict(zip(X.columns, points.T, strict=True)))
    if len(classes):
        _class_regions(display, model, classes, points, place)
    else:
        _value_regions(display, model, points, place)
    size = float(np.clip(4000 / len(rows), 2, 30))
    style = colours or {"c": [ink(display)]}
    drawn["rows"] = display.ax_.scatter(rows[:, 0], rows[:, 1], s=size, linewidths=0, zorder=3, **style)
    if targets is not None:
        for i, label in enumerate(classes.tolist()):  # for the legend
            display.ax_.scatter([], [], c=COLOURS[i % len(COLOURS)], label=str(label))
    if not len(classes) and targets is not None:
        drawn["rows"].set(norm=drawn["regions"].norm, edgecolors="white", linewidths=0.3)  # one scale for rows and predictions
    if len(vectors):
        over_colours = not len(classes) and "boundary" not in drawn  # those of a regression, the same in every style
        edge = "black" if over_colours else ink(display)
        drawn["support"] = display.ax_.scatter(
            vectors[:, 0], vectors[:, 1], s=2.5 * size, facecolors="none", edgecolors=edge, linewidths=0.5, zorder=4
        )
    if centres is not None:
        drawn["clusters"] = display.ax_.scatter(centres[:, 0], centres[:, 1], marker="x", s=60, c=[ink(display)], zorder=5)
    if names:
        display.ax_.set(xlabel=names[0], ylabel=names[1])
    display.ax_.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    return display


def _class_regions(display: Display, model: Any, classes: npt.NDArray[Any], points: Any, place: tuple[Any, Any]) -> None:
    from matplotlib.colors import ListedColormap

    shape = (len(place[1]), len(place[0]))
    predicted = np.searchsorted(classes, model.predict(points)).reshape(shape)
    colours = ListedColormap([COLOURS[i % len(COLOURS)] for i in range(len(classes))])
    limits: dict[str, Any] = {"vmin": -0.5, "vmax": len(classes) - 0.5}
    display.artists_["regions"] = display.ax_.pcolormesh(*place, predicted, cmap=colours, alpha=0.25, shading="nearest", **limits)
    values = np.asarray(model.decision_function(points)) if len(classes) == 2 else np.empty(0)
    if values.ndim == 1 and values.size:
        lines: dict[str, Any] = {"levels": [-1, 0, 1], "linestyles": ["--", "-", "--"], "linewidths": [0.6, 1.2, 0.6]}
        display.artists_["boundary"] = display.ax_.contour(*place, values.reshape(shape), colors=[ink(display)], **lines)


def _value_regions(display: Display, model: Any, points: Any, place: tuple[Any, Any]) -> None:
    """A regression's predictions; a one-class model's region."""
    values = np.asarray(model.decision_function(points) if hasattr(model, "decision_function") else model.predict(points))
    values = values.reshape(len(place[1]), len(place[0]))
    novelty = getattr(model, "formulation", "") in SIDES or hasattr(model, "offset_")
    style: dict[str, Any] = (
        {"levels": [-np.inf, 0, np.inf], "colors": ["none", (COLOURS[0], 0.25)]} if novelty else {"levels": 20}
    )
    display.artists_["regions"] = display.ax_.contourf(*place, values, **style)
    if novelty:
        display.artists_["boundary"] = display.ax_.contour(*place, values, levels=[0], colors=[ink(display)], linewidths=1.2)
    else:
        display.figure_.colorbar(display.artists_["regions"], ax=display.ax_, label="prediction")


def _row_colours(targets: npt.NDArray[Any], classes: npt.NDArray[Any]) -> dict[str, Any]:
    if not len(classes):
        return {"c": targets}
    codes = np.minimum(np.searchsorted(classes, targets), len(classes) - 1)
    if not np.array_equal(classes[codes], targets):
        raise ValueError(f"y has labels that the model does not know; it knows {classes[:6].tolist()}")
    return {"c": [COLOURS[i % len(COLOURS)] for i in codes]}


def _support_vectors(model: Any) -> npt.NDArray[Any]:
    vectors = getattr(model, "support_vectors_", None)
    if vectors is None or vectors.shape[1] != 2:
        return np.empty((0, 2))
    return np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors)


def _centres(rows: npt.NDArray[Any], clusters: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if clusters.shape != (len(rows),):
        raise ValueError(f"clusters must have the shape ({len(rows)},), one entry for each row of X; got {clusters.shape}")
    return np.array([rows[clusters == c].mean(axis=0) for c in np.unique(clusters)])
