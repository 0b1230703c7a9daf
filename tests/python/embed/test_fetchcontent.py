"""dcsvm fetched by a stranger's CMake project, which compiles, links and runs; and each public header compiled alone.

The project's library is the one that pip has compiled from the same sources. The full run, and `.ci/run` beside its tests, has
the compiler read each source and each header alone, as the preset `default` of CMake does: pip and clang-tidy take a folder's
sources as one, where a neighbour may bring what a file does not include. Most of what a file includes are the same few headers,
which are compiled once (PRECOMPILED). A file is given those alone that its own includes reach, so they hide no include that it
lacks.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

import dcsvm
from _build import LIBRARY, configure, kept, run, tool
from _full import full_run

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


def configured(name: str, **options: object) -> Path:
    """The example's build folder of this name, with dcsvm's sources from here."""
    options |= {
        "FETCHCONTENT_SOURCE_DIR_DCSVM": ROOT,
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O0",
        "DCSVM_WERROR": "ON",
        **{f"DCSVM_COMPILER_HAS_{isa}": "OFF" for isa in ("avx2", "avx512", "avx512vnni", "amx")},
    }
    run(*configure(ROOT / "examples" / "fetchcontent", kept(name), **options))
    return kept(name)


def commands_of(build: Path) -> dict[Path, list[str]]:
    """The command that compiles each source, but for its output and for what is precompiled."""
    entries = json.loads((build / "compile_commands.json").read_text())
    found = {Path(e["file"]): e["command"].partition(" -o ")[0] for e in entries}
    return {file: shlex.split(re.sub(r" -include \S+", "", command)) for file, command in found.items()}


def syntax_errors(commands: dict[Path, list[object]]) -> list[str]:
    """What each file lacks when it is compiled alone, by the command of each."""

    def errors(file: Path) -> str:
        alone = [*commands[file], "-fsyntax-only", *of_language(file)]
        done = subprocess.run(list(map(str, alone)), capture_output=True, text=True)
        return f"{file.relative_to(ROOT)} does not compile alone:\n{done.stderr[:2000]}" if done.returncode else ""

    with ThreadPoolExecutor(2) as two_at_a_time:
        return [text for text in two_at_a_time.map(errors, sorted(commands)) if text]


def of_language(file: Path) -> list[object]:
    return [file] if file.suffix == ".cpp" else ["-include", file, "-x", "c++", "/dev/null"]


@pytest.fixture(scope="module")
def example() -> Path:
    return configured("fetchcontent", CMAKE_UNITY_BUILD="ON")


def check_it_runs(example: Path, folder: Path) -> None:
    done = subprocess.run([example / "example"], cwd=folder, capture_output=True, text=True, check=True)
    assert int(re.match(r"(\d+) of 2000 right", done.stdout)[1]) > 1960
    assert dcsvm.load_model(folder / "circle.model").n_features_in_ == 2


def test_the_example_builds_and_runs(example, tmp_path):
    commands = run(tool("ninja"), "-C", example, "-t", "commands", "example").splitlines()
    own = [command for command in commands if "/example.dir/" in command]
    assert len(own) == 2, "main.cpp is compiled and linked"
    shutil.copy(LIBRARY, example / re.search(r"\S+/libdcsvm\.a", own[1])[0])
    for command in own:
        subprocess.run(command, shell=True, cwd=example, check=True)
    check_it_runs(example, tmp_path)


def test_public_headers_compile_alone(example):
    headers = set(INCLUDE.rglob("*.h*"))
    assert INCLUDE / "dcsvm" / "dcsvm.hpp" in headers
    one_of_ours = next(command for command in commands_of(example).values() if f"-I{SRC}" in command)
    command = [word for word in one_of_ours if word != f"-I{SRC}"]
    failed = syntax_errors(dict.fromkeys(headers, command))
    assert not failed, "\n".join(failed)


@full_run
def test_sources_and_headers_compile_alone():
    build = configured("fetchcontent-alone", DCSVM_BUILD_LIBSVM="ON", DCSVM_BUILD_LIBLINEAR="ON")
    commands = commands_of(build)
    precompile(build, commands[USUAL])
    sources = {source for source in CPP.rglob("*.cpp") if source.parent != SRC / "simd"}
    absent = sources - commands.keys()
    assert all(source.stem.endswith(("_windows", "_posix")) for source in absent), "of other systems"
    headers = {
        header
        for header in SRC.rglob("*.h*")
        if not (header.parent == SRC / "simd" and header.stem.endswith("_impl"))  # parts of the sources of one instruction set
    }
    headers -= {compiled_by(source) for source in sources - absent}
    alone = {file: [*commands.get(file, commands[USUAL])] for file in {*sources, *headers} - absent}
    for file, command in alone.items():
        if number := precompiled(file):
            command += ["-include", build / f"{number}.hpp"]
    failed = syntax_errors(alone)
    assert not failed, "\n".join(failed)
