"""The pages of documentation, and what stands in them."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(str(p.relative_to(ROOT)) for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def text_of(page):
    return (ROOT / page).read_text()


def tables(text):
    """The tables of a text, as lists of rows of cells; the header row comes first."""
    for lines in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[c.replace("\\|", "|").strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines.splitlines()]
        yield [rows[0], *rows[2:]]


def section(page, heading):
    return text_of(page).split(f"## {heading}\n", 1)[1].split("\n## ")[0]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def site(name):
    """A table of docs/conf.py."""
    tree = ast.parse(text_of("docs/conf.py"))
    found = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == name]
    return ast.literal_eval(found[0])
