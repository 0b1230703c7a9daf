"""ARCHITECTURE.md, the map: its folders, rooms, names and files are those that there are."""

import re

import pytest

import test_floors as floors
import test_python_floors as rooms
from _pages import ROOT, names, section, tables, text_of


def test_the_architecture_map_has_every_folder_and_what_it_includes():
    rows = next(tables(section("ARCHITECTURE.md", "Map of folders")))[1:]
    mapped = {row[0].strip("`").removeprefix("cpp/src/"): row[2] for row in rows}
    assert [*mapped][: len(floors.GROUND)] == floors.GROUND
    families = {folder: set(names(cell)) for folder, cell in mapped.items() if folder in floors.FAMILIES}
    assert families == floors.FAMILIES
    assert mapped.keys() == {*floors.GROUND, *floors.FAMILIES, *floors.PUBLIC_ONLY}


def test_the_architecture_map_has_every_room_and_what_it_imports():
    """In an order in which each stands on those above it."""
    rows = next(tables(section("ARCHITECTURE.md", "Map of folders").split("### The Python half")[1]))[1:]
    seen = []
    for cell, _, imports in rows:
        of_row = names(cell)
        if of_row and {*of_row} <= rooms.ABOVE.keys():
            says = {*names(imports), *(rooms.PYTHON_FAMILIES if "the families" in imports else ())}
            assert says == set().union(*(rooms.ABOVE[room] for room in of_row)) - {*of_row}, cell
            assert says <= {*seen}, f"{cell} stands above what it imports"
        elif of_row == rooms.PYTHON_FAMILIES:
            assert {*names(imports)} == set().union(*rooms.TAKEN.values())
            assert ("last two" in imports) == (of_row[-2:] == [*rooms.TAKEN])
        seen += of_row
    below = len(rooms.ROOMS) + len(rooms.PYTHON_FAMILIES)
    assert seen[:below] == [*rooms.ROOMS, *rooms.PYTHON_FAMILIES]
    assert sorted(seen[below:]) == sorted({*rooms.ABOVE, *rooms.COMMAND} - {"__main__"})


@pytest.mark.parametrize("page", ["ARCHITECTURE.md"])
def test_names_that_the_map_names_exist(page):
    folders = ("bench", "cpp", "python", "tests", "generate", "cmake")
    kinds = {".py", ".pyi", ".pxd", ".cpp", ".hpp", ".h", ".cmake", ".txt"}
    files = [p for folder in folders for p in (ROOT / folder).rglob("*.*") if p.suffix in kinds]
    known = {word for p in files for word in [*p.parts, *re.findall(r"\w+", p.read_text())]}
    known |= {*re.findall(r"\w+", text_of("pyproject.toml"))}
    for name in re.findall(r"`(?:\w+::)?([A-Za-z_]\w*)(?:\([^`]*\))?`", text_of(page)):
        assert name in known, name


@pytest.mark.parametrize("page", ["ARCHITECTURE.md"])
def test_files_that_the_map_names_exist(page):
    known = {
        p.name
        for folder in ("bench", "cpp", "python", "tests", "cmake", "docs", "generate")
        for p in (ROOT / folder).rglob("*.*")
    }
    for name in re.findall(r"`[\w/]*?(\w+\.(?:cpp|hpp|py|pyi|pxd|cmake|md|txt))`", text_of(page)):
        assert name in known, name
