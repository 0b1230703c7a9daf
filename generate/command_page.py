"""The table of the options of ``dcsvm train`` in docs/command-line.md: an option that the page does not have comes as a row at
the end."""

from collections.abc import Iterator
from pathlib import Path

import dcsvm
from dcsvm import _core
from dcsvm._command import options

_PAGE = "docs/command-line.md"


def files(root: Path) -> Iterator[tuple[str, str]]:
    text = (root / _PAGE).read_text()
    flags = [options.flags(name, default)[0] for name, default, _ in options.declared(_core.TrainParams, dcsvm.train)]
    end = text.index("\n\n", text.index("| train | | |")) + 1
    rows = [f"| `{flag}` | | |\n" for flag in flags if f"`{flag}`" not in text and f"`{flag} " not in text]
    yield _PAGE, text[:end] + "".join(rows) + text[end:]
