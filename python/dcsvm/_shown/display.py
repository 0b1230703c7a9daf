"""How objects show themselves: a text of at most five lines, and a table for notebooks."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Facts = Sequence[tuple[str, str]]

_WIDTH = 120
_LINES = 5
_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#a463f2", "#97bbf5")


class Shown:
    """An object that consists of facts: pairs of a name and a text, the most important first."""

    __slots__ = ()

    def _facts(self) -> Facts:
        raise NotImplementedError

    def _more_html(self) -> str:
        """What notebooks show below the facts."""
        return ""

    def __repr__(self) -> str:
        return in_lines(f"<{_public_name(type(self))}: {'; '.join(f'{name} {value}' for name, value in self._facts())}>")

    def _repr_html_(self) -> str:
        return section(_public_name(type(self)), table(self._facts()) + self._more_html())


def _public_name(cls: type) -> str:
    """Of where users import it from. A class without a public module has dcsvm's."""
    return f"{cls.__module__ if '._' not in cls.__module__ else 'dcsvm'}.{cls.__qualname__}"


def in_lines(text: str) -> str:
    """The text in at most five lines."""
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=" ", max_lines=_LINES, placeholder=" ...>", break_long_words=True, break_on_hyphens=False
    )


def section(title: str, body: str) -> str:
    """A titled part. `body` is HTML."""
    style = "font-size:.9em; margin:.2em 0; max-width:56em; overflow-x:auto"
    return f'<div style="{style}"><strong>{html.escape(title)}</strong>{body}</div>'


def table(rows: Iterable[Sequence[str]], header: Sequence[str] = (), shades: Sequence[Sequence[float]] = ()) -> str:
    """A table of texts. shades: how strongly each cell but a row's first is coloured, from 0 to 1."""
    parts = [_row(header, "th", [])] if header else []
    for i, row in enumerate(rows):
        parts.append(_row(row, "td", shades[i] if shades else []))
    style = "border-collapse:collapse; margin:.3em 0; color:inherit; font-size:inherit"
    return f'<table style="{style}">{"".join(parts)}</table>'


def _row(cells: Sequence[str], tag: str, shades: Sequence[float]) -> str:
    parts = []
    for j, cell in enumerate(cells):
        shade = f"; background:rgba(66,105,208,{0.6 * shades[j - 1]:.2f})" if j and len(shades) else ""
        align = "left" if len(cells) == 2 or j == 0 else "right"
        parts.append(f'<{tag} style="text-align:{align}; padding:.1em .6em{shade}">{html.escape(cell)}</{tag}>')
    return f'<tr style="background:transparent">{"".join(parts)}</tr>'


def bar(seconds: Mapping[str, float]) -> str:
    """The phases of a training as parts of one bar, with a legend. Parts of a phase, such as "solve.rows", are left out."""
    phases = {name: s for name, s in seconds.items() if name != "total" and "." not in name and s > 0}
    total = max(seconds.get("total", 0.0), sum(phases.values()))
    phases = {name: s for name, s in phases.items() if s > 0.005 * total}
    if total <= 0 or not phases:
        return ""
    parts, legend = [], []
    for i, (name, s) in enumerate(sorted(phases.items(), key=lambda item: -item[1])):
        colour, text = _COLOURS[i % len(_COLOURS)], f"{html.escape(name)} {s:.2f} s"
        parts.append(f'<div title="{text}" style="width:{100 * s / total:.1f}%; background:{colour}"></div>')
        legend.append(f'<span style="color:{colour}">&#9632;</span> {text}')
    frame = "display:flex; height:.7em; width:24em; max-width:100%; background:rgba(128,128,128,.3)"
    return f'<div style="{frame}">{"".join(parts)}</div><div>{" &ensp; ".join(legend)}</div>'


def table_of(records: Sequence[Mapping[str, Any]]) -> str:
    """Records with the same keys as a table, without values that are lists."""
    names = [name for name, value in records[0].items() if not isinstance(value, list)] if records else []
    return table([[_short(record[name]) for name in names] for record in records], [n.replace("_", " ") for n in names])


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
