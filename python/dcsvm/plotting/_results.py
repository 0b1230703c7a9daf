"""What models and searches reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from .._input import validate
from .._input.validate import FloatArray
from ._display import COLOURS, Display, on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Search(Protocol):
    """What is read of a CrossValidation."""

    C: FloatArray
    gamma: FloatArray
    best_params: dict[str, Any]

    @property
    def mean_scores(self) -> FloatArray:
        """(n_gamma, n_C)."""
        ...


class _Race(Protocol):
    """What is read of a Tuning."""

    @property
    def trials(self) -> list[dict[str, Any]]:
        """What was tried."""
        ...

    @property
    def best_params(self) -> dict[str, Any]:
        """What won."""
        ...


class _RacedInFit(Protocol):
    """What is read of an estimator that found its parameters."""

    cv_results_: dict[str, Any]
    best_params_: dict[str, Any]


class _Curve(Protocol):
    """What is read of a CostCurve."""

    @property
    def scores(self) -> FloatArray:
        """One for each budget."""
        ...

    @property
    def score_name(self) -> str:
        """What they are."""
        ...


_MANY_CELLS = 100  # of a heat map: above, they have no numbers


def grid(found: _Search, *, ax: Axes | None = None) -> Display:
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
    if not hasattr(found, "mean_scores"):
        raise ValueError(f"found must be what dcsvm.cross_validate returns, got {type(found).__name__}")
    display = on(ax)
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
        Rectangle((c - 0.5, g - 0.5), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=2.5, clip_on=False)
    )
    display.figure_.colorbar(image, ax=display.ax_, label="mean score")
    display.artists_.update(scores=image, best=frame)
    return display


def race(found: _Race | _RacedInFit, *, ax: Axes | None = None) -> Display:
    """Draws the race of a tuning: scores against rows, a line for what went on from round to round, the winner in front.

    Parameters
    ----------
    found : Tuning, or a fitted SVCCV, NuSVCCV or SVRCV
        What :func:`dcsvm.tune` returned, or an estimator that searched in ``fit``.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.

    Returns
    -------
    Display
        With the artists "trials", a list of lines, one for each pair of C (or nu) and gamma, and "best", the winner's line with
        its standard errors.
    """
    trials, winner = _raced(found)
    display = on(ax)
    runners: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for trial in trials:
        runners.setdefault(tuple(trial.get(name) for name in ("C", "nu", "gamma")), []).append(trial)
    lines = []
    for runs in runners.values():
        if all(runs[0].get(name) == value for name, value in winner.items()):
            errors = np.nan_to_num([t["standard_error"] for t in runs])
            how: dict[str, Any] = {"color": COLOURS[1], "marker": "o", "capsize": 3, "linewidth": 2, "zorder": 3}
            named = ", ".join(f"{name} = {value:.4g}" for name, value in winner.items())
            best = display.ax_.errorbar(*_run(runs), yerr=errors, label=named, **how)
        else:
            lines += display.ax_.plot(*_run(runs), marker=".", color=COLOURS[-1], linewidth=1)
    display.ax_.set(xscale="log", xlabel="rows", ylabel="score")
    rows = sorted({t["rows"] for t in trials})
    display.ax_.set_xticks(rows, [f"{n:,}" for n in rows])
    display.ax_.minorticks_off()
    display.ax_.legend()
    display.artists_.update(trials=lines, best=best)
    return display


def _raced(found: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The trials, and what won."""
    if hasattr(found, "trials"):
        return found.trials, found.best_params
    results = getattr(found, "cv_results_", {})
    if "n_resources" not in results:
        kind = type(found).__name__
        raise ValueError(f"found must be what dcsvm.tune returns, or a fitted SVCCV, NuSVCCV or SVRCV, got {kind}")
    splits = sum(name.startswith("split") for name in results)
    errors = results["std_test_score"] / np.sqrt(splits - 1) if splits > 1 else np.full(len(results["params"]), np.nan)
    of_trials = zip(results["params"], results["n_resources"].tolist(), results["mean_test_score"], errors, strict=True)
    trials = [{**params, "rows": rows, "score": score, "standard_error": error} for params, rows, score, error in of_trials]
    return trials, found.best_params_


def _run(trials: list[dict[str, Any]]) -> tuple[list[int], list[float]]:
    return [t["rows"] for t in trials], [t["score"] for t in trials]


def cost(
    curve: _Curve | Mapping[str, _Curve], *, ax: Axes | None = None, against: Literal["costs", "times"] = "costs"
) -> Display:
    """Draws what models of several budgets reach against what a prediction costs.

    Parameters
    ----------
    curve : CostCurve or dict of them
        What :func:`dcsvm.cost_curve` returned; several by name to compare methods.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; None: new axes.
    against : {"costs", "times"}, default="costs"
        Inner products a row, or measured times; both as multiples of a linear model's. Costs do not count the cosines of random
        features (low_rank with features="rks" or "fastfood"): compare these with others by times.

    Returns
    -------
    Display
        With the artist "scores": the line, or of a dict the list of its lines.

    Raises
    ------
    ValueError
        For an empty dict, and for curves of which some have accuracies and some errors.
    """
    validate.choice("against", against, ("costs", "times"))
    named = curve if isinstance(curve, Mapping) else {"": curve}
    names = {one.score_name for one in named.values()}
    if len(names) != 1:
        raise ValueError(f"curves in one picture must have the same score, got {', '.join(sorted(names)) or 'no curves'}")
    display = on(ax)
    lines = [
        display.ax_.plot(getattr(one, against), one.scores, marker="o", color=COLOURS[i % len(COLOURS)], label=name)[0]
        for i, (name, one) in enumerate(named.items())
    ]
    display.artists_["scores"] = lines if isinstance(curve, Mapping) else lines[0]
    display.ax_.set(xlabel=f"prediction {against[:-1]} (a linear model: 1)", ylabel=names.pop())
    if isinstance(curve, Mapping):
        display.ax_.legend()
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
        np.asarray(y), scores, pos_label=classes[1], name=name or type(model).__name__, ax=on(ax).ax_
    )
