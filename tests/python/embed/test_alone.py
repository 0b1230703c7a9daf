"""Each source and each header compiles alone, although pip compiles the sources of a folder as one.

Only the syntax is checked: test_fetchcontent.py links. Most of what a file includes are the same few headers, and these are
compiled once (PRECOMPILED). A file is given those alone that its own includes reach, so they hide no include that it lacks.
"""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from _build import configure, kept, run

ROOT = Path(__file__).parents[3]
CPP = ROOT / "cpp"
SRC, INCLUDE = CPP / "src", CPP / "include"
INCLUDED = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
# From cheap to dear: a file is given the last ones that its includes reach.
PRECOMPILED = (
    ["dcsvm/data.hpp"],
    ["base/thread_pool.hpp"],
    ["dcsvm/train.hpp"],
    ["dcsvm/train.hpp", "base/thread_pool.hpp"],
    ["dcsvm/train.hpp", "base/thread_pool.hpp", "products/matrix.hpp", "kernel_matrix/row_source.hpp"],
)

pytestmark = [pytest.mark.build, pytest.mark.slow]


@cache
def included(file: Path) -> list[Path]:
    """The headers of ours that a file names, in its order."""
    folders = (file.parent, SRC, INCLUDE, CPP / "apps")
    found = [[f / name for f in folders if (f / name).is_file()] for name in INCLUDED.findall(file.read_text())]
    return [paths[0] for paths in found if paths]


def reached(file: Path) -> set[Path]:
    """What a file includes, and what that includes."""
    seen: set[Path] = set()
    left = [file]
    while left:
        new = set(included(left.pop())) - seen
        seen |= new
        left += new
    return seen


def precompiled(file: Path) -> int:
    """Which of PRECOMPILED a file may have: 1 is the first, 0 is none."""
    within = reached(file)
    for number, names in reversed(list(enumerate(PRECOMPILED, 1))):
        if within.issuperset(SRC / name if (SRC / name).is_file() else INCLUDE / name for name in names):
            return number
    return 0


def compiled_by(source: Path) -> Path | None:
    """The header of ours that has compiled alone when a source does: read first, and allowed to have as much precompiled."""
    first = INCLUDED.search(source.read_text())
    header = next(iter(included(source)), None)
    return header if first and header and header.match(first[1]) and precompiled(header) == precompiled(source) else None


def test_what_a_file_may_have_precompiled():
    assert precompiled(INCLUDE / "dcsvm" / "data.hpp") == 0
    assert precompiled(SRC / "base" / "thread_pool.hpp") == 1, "not itself"
    assert precompiled(SRC / "base" / "thread_pool.cpp") == 2
    assert compiled_by(SRC / "base" / "thread_pool.cpp") is None, "it would itself be precompiled"
    assert precompiled(SRC / "svm" / "train.cpp") == len(PRECOMPILED)


@pytest.fixture(scope="module")
def commands() -> dict[Path, list[str]]:
    """The command that compiles each source of the library, the C libraries and the commands, but for its output."""
    build = kept("alone")
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "DCSVM_WERROR": "ON",
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_UNITY_BUILD": "OFF",
    }
    run(*configure(ROOT, build, **options))
    entries = json.loads((build / "compile_commands.json").read_text())
    return {Path(e["file"]): shlex.split(e["command"].partition(" -o ")[0]) for e in entries}


def flags(command: list[str]) -> list[str]:
    """What must be equal where precompiled headers are used; they read no definition of a command."""
    return [word for word in command if not word.startswith(("-D", "-I"))]


def test_sources_and_headers_compile_alone(commands, tmp_path):
    absent = {source for source in CPP.rglob("*.cpp") if source not in commands}
    assert all(s.parent == SRC / "simd" or s.stem.endswith(("_windows", "_posix")) for s in absent), "of other CPUs and systems"
    headers = {
        header
        for folder in (SRC, INCLUDE)
        for header in folder.rglob("*.h*")
        if not (header.parent == SRC / "simd" and header.stem.endswith("_impl"))  # parts of the sources of one instruction set
    }
    headers -= {compiled_by(source) for source in commands}
    assert INCLUDE / "dcsvm" / "dcsvm.hpp" in headers

    usual = commands[SRC / "svm" / "train.cpp"]
    undefined = [word for word in usual if not word.startswith("-D")]
    for number, names in enumerate(PRECOMPILED, 1):
        header = tmp_path / f"{number}.hpp"
        header.write_text("".join(f'#include "{name}"\n' for name in names))
        run(*undefined, "-x", "c++-header", header, "-o", f"{header}.gch")

    def compiles(file: Path) -> tuple[Path, str]:
        command = commands.get(file, usual)
        number = precompiled(file) if flags(command) == flags(usual) else 0
        command = [*command, "-fsyntax-only", *(["-include", str(tmp_path / f"{number}.hpp")] if number else [])]
        command += ["-x", "c++", "/dev/null", "-include", str(file)] if file in headers else [str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        return file, done.stderr if done.returncode else ""

    with ThreadPoolExecutor(2) as two_at_a_time:
        results = list(two_at_a_time.map(compiles, sorted({*commands, *headers})))
    failed = [f"{file.relative_to(ROOT)} does not compile alone:\n{errors[:2000]}" for file, errors in results if errors]
    assert not failed, "\n".join(failed)
