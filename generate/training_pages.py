"""The tables of parameters in docs/reference/train_*.md: every parameter has a row, with the default of the signature.

What a page says of a parameter at length stays. A parameter that the page does not have yet comes behind the one that stands
before it in the signature, with the core's sentence.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from dcsvm._input.parameters import DECLARED_AS, parameters_of

from .parameters_page import TRAININGS, cell

_ROW = re.compile(r"\| `(\w+)` \| `[^`]*` \| (.*) \|$")


def files(root: Path) -> Iterator[tuple[str, str]]:
    for function, kind in TRAININGS.items():
        page = f"docs/reference/{function.__name__}.md"
        if not (root / page).exists():
            raise FileNotFoundError(f"{page} is missing: write it, with the head of a table of parameters at its end")
        yield page, _completed((root / page).read_text(), function, kind)


def _completed(text: str, function: Callable[..., object], kind: type) -> str:
    declared = parameters_of(kind)
    lines = text.split("\n")
    before = ""
    for name, argument in inspect.signature(function).parameters.items():
        if argument.kind is not argument.KEYWORD_ONLY:
            continue
        found = _row_of(name, lines)
        if found is None:
            found = len(lines) if not before else _row_of(before, lines) + 1
            lines.insert(found, f"| `{name}` | `` | {cell(declared[DECLARED_AS.get(name, name)].text)} |")
        lines[found] = f"| `{name}` | `{argument.default!r}` | {_ROW.match(lines[found])[2]} |"
        before = name
    return "\n".join(lines)


def _row_of(name: str, lines: list[str]) -> int | None:
    return next((i for i, line in enumerate(lines) if (row := _ROW.match(line)) and row[1] == name), None)
