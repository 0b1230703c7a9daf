"""What every function of dcsvm.plotting returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._shown.packages import installed_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = ("#4269d0", "#ff725c", "#6cc5b0", "#efb118", "#a463f2", "#9c6b4e", "#97bbf5", "#9498a0")


@dataclass(frozen=True)
class Display:
    """The result of a function of this module: what it drew.

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


def ink(display: Display) -> Any:
    """The colour of lines and points that must stand out from the background: that of the axes' texts, light in dark styles."""
    return display.ax_.xaxis.label.get_color()


def on(ax: Axes | None, **artists: Any) -> Display:
    """A display of nothing yet, on `ax` or new axes."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(f"dcsvm.plotting needs matplotlib: {installed_by('plot')} ({error})", name=error.name) from error
        ax = pyplot.subplots(layout="constrained")[1]
    figure: Any = ax.figure
    return Display(ax, figure, artists)
