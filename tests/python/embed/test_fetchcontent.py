"""dcsvm fetched by a stranger's CMake project, which compiles each source alone, links and runs; and each header alone.

pip compiles the sources of a folder as one, where a neighbour may bring what a file does not include. Nothing is optimised, and
sources for one CPU are left out: pip compiles them. Most of what a file includes are the same few headers, and these are compiled
once (PRECOMPILED). A file is given those alone that its own includes reach, so they hide no include that it lacks.
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

import dcsvm
from _build import configure, kept, run, tool

ROOT = Path(__file__).parents[3]
CPP = ROOT / "cpp"
SRC, INCLUDE = CPP / "src", CPP / "include"
USUAL = SRC / "svm" / "train.cpp"  # compiled as most are
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
    assert precompiled(USUAL) == len(PRECOMPILED)


def precompile(folder: Path, command: list[str]) -> None:
    """Compiles the headers that files of this command are given. They read no definition of a command."""
    command = [word for word in command if not word.startswith("-D")]
    for number, names in enumerate(PRECOMPILED, 1):
        header, text = folder / f"{number}.hpp", "".join(f'#include "{name}"\n' for name in names)
        if not header.exists() or header.read_text() != text:  # all that was compiled with it is older otherwise
            header.write_text(text)
        run(*command, "-x", "c++-header", header, "-o", f"{header}.gch")


@pytest.fixture(scope="module")
def build() -> Path:
    """The example's build folder, configured: dcsvm with its C libraries and commands, and what each source has precompiled."""
    build = kept("fetchcontent")
    build.mkdir(parents=True, exist_ok=True)
    given = {file: precompiled(file) for file in sorted(SRC.rglob("*.cpp")) if file.parent != SRC / "simd"}
    option = 'set_source_files_properties("{}" PROPERTIES COMPILE_OPTIONS "-include;{}/{}.hpp")\n'
    lines = [option.format(file.as_posix(), build.as_posix(), number) for file, number in given.items() if number]
    (build / "precompiled.cmake").write_text("".join(lines))
    options = {
        "FETCHCONTENT_SOURCE_DIR_DCSVM": ROOT,
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_PROJECT_dcsvm_INCLUDE": build / "precompiled.cmake",
        "CMAKE_UNITY_BUILD": "OFF",
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O0",
        "DCSVM_WERROR": "ON",
        "DCSVM_BUILD_LIBSVM": "ON",
        "DCSVM_BUILD_LIBLINEAR": "ON",
        **{f"DCSVM_COMPILER_HAS_{isa}": "OFF" for isa in ("avx2", "avx512", "avx512vnni")},
    }
    run(*configure(ROOT / "examples" / "fetchcontent", build, **options))
    return build


@pytest.fixture(scope="module")
def commands(build) -> dict[Path, list[str]]:
    """The command that compiles each source, but for its output and for what is precompiled, which is compiled here."""
    entries = json.loads((build / "compile_commands.json").read_text())
    found = {Path(e["file"]): e["command"].partition(" -o ")[0] for e in entries}
    found = {file: shlex.split(re.sub(r" -include \S+", "", command)) for file, command in found.items()}
    precompile(build, found[USUAL])
    return found


def test_the_example_builds_and_runs(build, commands, tmp_path):
    absent = {source for source in CPP.rglob("*.cpp") if source not in commands}
    assert all(s.parent == SRC / "simd" or s.stem.endswith(("_windows", "_posix")) for s in absent), "of other CPUs and systems"
    run(tool("cmake"), "--build", build)
    done = subprocess.run([build / "example"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(re.match(r"(\d+) of 2000 right", done.stdout)[1]) > 1960
    assert dcsvm.load_model(tmp_path / "circle.model").n_features_in_ == 2


def test_headers_compile_alone(build, commands):
    """Their syntax, but for those that a source reads first, which the example has compiled."""
    headers = {
        header
        for folder in (SRC, INCLUDE)
        for header in folder.rglob("*.h*")
        if not (header.parent == SRC / "simd" and header.stem.endswith("_impl"))  # parts of the sources of one instruction set
    }
    headers -= {compiled_by(source) for source in commands}
    assert INCLUDE / "dcsvm" / "dcsvm.hpp" in headers

    def compiles(header: Path) -> str:
        number = precompiled(header)
        given = ["-include", build / f"{number}.hpp"] if number else []
        command = [*commands[USUAL], "-fsyntax-only", *given, "-x", "c++", "/dev/null", "-include", header]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        return f"{header.relative_to(ROOT)} does not compile alone:\n{done.stderr[:2000]}" if done.returncode else ""

    with ThreadPoolExecutor(2) as two_at_a_time:
        failed = [text for text in two_at_a_time.map(compiles, sorted(headers)) if text]
    assert not failed, "\n".join(failed)
