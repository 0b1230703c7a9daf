"""Figures 1 and 2 of the DC-SVM paper (Hsieh, Si, Dhillon, ICML 2014), on any data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._input import validate
from .._input.choices import Clustering
from .._svm.model import Model
from ._display import COLOURS, Display, on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {"kernel_kmeans": "kernel k-means", "kmeans": "k-means", "random": "random clusters"}
_LEVELS = "it trains one level of independent clusters, and the whole problem"
_OWN = {
    "clustering": "name one or several ways in clusterings",
    "fit_intercept": "Theorem 1 is about the problem without bias",
    "precision": "it always trains in double precision",
    **dict.fromkeys(("solver", "n_levels", "branching", "early_level", "keep_levels", "warm_start_alpha"), _LEVELS),
}


def clustering_gap(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    clusters: int | Sequence[int] = (8, 16, 32, 64, 128),
    clusterings: Clustering | Sequence[Clustering] = ("kernel_kmeans", "random"),
    ax: Axes | None = None,
    **parameters: Any,
) -> Display:
    """Draws how far independent clusters are from the optimum, with the bound of Theorem 1: the paper's Figure 1.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Rows. Time and kernel values are quadratic in n: 10,000 rows take about a minute.
    y : array-like of shape (n,)
        Labels of two classes.
    C : float, default=1.0
        Price of errors, > 0.
    clusters : int or sequence of int, default=(8, 16, 32, 64, 128)
        Numbers of clusters, each at least 2.
    clusterings : {"kernel_kmeans", "kmeans", "random"} or sequence of them, default=("kernel_kmeans", "random")
        Ways to find them; "random" is the paper's baseline.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.
    **parameters
        Of :func:`dcsvm.train`: kernel, gamma, tol (of the clusters; the whole problem is solved more closely), random_state, ...

    Returns
    -------
    Display
        With the artists "difference" and "bound", dicts of a line for each clustering, and "values", a dict of what is drawn:
        objects with ``clusters``, ``difference`` (of dual objectives, without bias) and ``bound``.

    Raises
    ------
    ValueError
        For other than two classes, and as :func:`dcsvm.train`.
    TypeError
        For a parameter of train that this function sets itself.
    """
    for name, why in _OWN.items():
        if name in parameters:
            raise TypeError(f"clustering_gap() takes no {name}: {why}")
    from .._svm.clustering_gap import clustering_gap as measured

    counts = [validate.integer("clusters", k, low=2, high=len(y)) for k in validate.listed(clusters)]
    ways = [validate.choice("clusterings", how, _NAMES) for how in validate.listed(clusterings)]
    values = {how: measured(X, y, counts, how, C, **parameters) for how in ways}
    display = on(ax, difference={}, bound={}, values=values)
    for i, (how, found) in enumerate(values.items()):
        style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "marker": ".", "linewidth": 1}
        label = _NAMES[how]
        drawn = display.artists_
        seen = np.where(found.difference > 0, found.difference, np.nan)  # a logarithmic axis has no 0
        drawn["difference"][how] = display.ax_.plot(found.clusters, seen, label=f"{label}: difference", **style)[0]
        drawn["bound"][how] = display.ax_.plot(found.clusters, found.bound, "--", label=f"{label}: bound", **style)[0]
    display.ax_.set_xscale("log", base=2)
    display.ax_.set(yscale="log", xlabel="clusters", ylabel="objective above the optimum")
    display.ax_.legend(fontsize="small")
    return display


def support_found(models: Any, *, ax: Axes | None = None) -> Display:
    """Draws precision and recall of each level's support vectors against the model's: the paper's Figure 2.

    Parameters
    ----------
    models : Model, fitted estimator, or dict of them
        Exact models that were trained with ``solver="dc", keep_levels=True``; several by name to compare clusterings.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.

    Returns
    -------
    Display
        With the artists "precision" and "recall", dicts of a line for each name.

    Raises
    ------
    ValueError
        For a model without levels.
    AttributeError
        When the levels were not kept.
    """
    named = models if isinstance(models, Mapping) else {"": models}
    display = on(ax, precision={}, recall={})
    for i, (name, given) in enumerate(named.items()):
        model: Model = getattr(given, "model_", given)
        kept = [level for level in model.levels_ if level.cluster_of is not None]
        if not kept or model.clustered:
            raise ValueError("the model must be an exact one that was trained by levels: solver='dc', keep_levels=True")
        shares = np.array([level.found(model.support_) for level in kept])
        counts = [level.n_clusters for level in kept]
        style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "marker": "."}
        prefix = f"{name}: " * bool(name)
        drawn = display.artists_
        drawn["precision"][name] = display.ax_.plot(counts, shares[:, 0], label=f"{prefix}precision", **style)[0]
        drawn["recall"][name] = display.ax_.plot(counts, shares[:, 1], "--", label=f"{prefix}recall", **style)[0]
    display.ax_.set_xscale("log", base=2)
    display.ax_.invert_xaxis()  # as the training goes, from many clusters to few
    display.ax_.set(xlabel="clusters", ylabel="share of support vectors", ylim=(0, 1.05))
    display.ax_.legend()
    return display
