"""Sections of docstrings in numpydoc's form, and where they stand in a source."""

import re
import textwrap
from collections.abc import Iterable

_WIDTH = 114


def section(title: str, entries: Iterable[str]) -> str:
    return "\n".join([title, "-" * len(title), *entries])


def entry(*parts: str) -> str:
    """name, type and text; or type and text."""
    *head, text = parts
    return f"{' : '.join(head)}\n{textwrap.fill(text, _WIDTH, initial_indent=' ' * 4, subsequent_indent=' ' * 4)}"


def with_sections(doc: str, made: dict[str, list[str]]) -> str:
    """The source of a docstring with these sections, by title, in the place of those that it has, or before its first section."""
    margin = doc[: doc.index('"""')].removesuffix("r")
    end = f'{margin}"""\n'
    if doc.count("\n") == 1:
        doc = doc.replace('"""\n', f"\n\n{end}")
    found = re.finditer(rf"^{margin}(\w[\w ]*)\n{margin}-+$", doc, re.MULTILINE)
    headings = [(match[1], match.start()) for match in found] + [("", doc.rindex(end))]
    own = [start for title, start in headings if title in made]
    others = [start for title, start in headings if title not in made]
    first = own[0] if own else others[0]
    behind = min(start for start in others if start >= first)
    text = textwrap.indent("\n\n".join(section(*one) for one in made.items()), margin).replace("\\", "\\\\")
    return doc[:first].rstrip() + f"\n\n{text}\n" + "\n" * (behind != headings[-1][1]) + doc[behind:]
