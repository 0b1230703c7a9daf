"""The table of the options of ``dcsvm train`` in docs/command-line.md: an option that the page does not have comes into an empty
cell, or as a row at the end."""

from collections.abc import Iterator
from pathlib import Path

import dcsvm
from dcsvm import _core
from dcsvm._command import options

_PAGE = "docs/command-line.md"
_HEAD = "| train | | |\n|---|---|---|\n"


def files(root: Path) -> Iterator[tuple[str, str]]:
    text = (root / _PAGE).read_text()
    flags = [options.flags(name, default)[0] for name, default, _ in options.declared(_core.TrainParams, dcsvm.train)]
    begin = text.index(_HEAD) + len(_HEAD)
    end = text.index("\n\n", begin) + 1
    rows = text[begin:end]
    for flag in flags:
        if f"`{flag}`" not in text and f"`{flag} " not in text:
            rows = rows.replace("| |", f"| `{flag}` |", 1) if "| |" in rows else f"{rows}| `{flag}` | | |\n"
    yield _PAGE, text[:begin] + rows + text[end:]
