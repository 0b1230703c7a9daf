"""dcsvm fetched by a stranger's CMake project, which compiles each source alone; pip compiles those of a folder as one.

So a missing include shows only here. Nothing is optimised but the sources of cpp/src/simd: that takes half of the time.
"""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import dcsvm
from _build import configure, kept, run, tool

ROOT = Path(__file__).parents[3]
SRC, INCLUDE = ROOT / "cpp" / "src", ROOT / "cpp" / "include"
FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)

pytestmark = [pytest.mark.build, pytest.mark.slow]


@pytest.fixture(scope="module")
def configured() -> Path:
    build = kept("fetchcontent")
    options = {
        "FETCHCONTENT_SOURCE_DIR_DCSVM": ROOT,
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_UNITY_BUILD": "OFF",
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O0",
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
    }
    run(*configure(ROOT / "examples" / "fetchcontent", build, **options))
    return build


def test_the_example_builds_and_runs(configured, tmp_path):
    run(tool("cmake"), "--build", configured)
    done = subprocess.run([configured / "example"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(re.match(r"(\d+) of 2000 right", done.stdout)[1]) > 1960
    assert dcsvm.load_model(tmp_path / "circle.model").n_features_in_ == 2


def read_first(source: Path) -> Path | None:
    """The header of ours that a source includes before anything else: it has compiled alone when the source does."""
    match = FIRST_INCLUDE.search(source.read_text())
    return next((folder / match[1] for folder in (SRC, INCLUDE) if (folder / match[1]).exists()), None) if match else None


def test_the_other_sources_and_headers_compile_alone(configured):
    """The C libraries' sources, which the example leaves out, and the headers that no source includes first."""
    commands = {Path(c["file"]): c for c in json.loads((configured / "compile_commands.json").read_text())}
    compiled = {source for source in commands if SRC in source.parents}
    sources = {
        source
        for source in set(SRC.rglob("*.cpp")) - compiled
        if source.parent != SRC / "simd" and not source.stem.endswith(("_windows", "_posix"))  # of other CPUs and systems
    }
    assert {source.parent for source in sources} == {SRC / "c_common", SRC / "libsvm" / "c", SRC / "liblinear" / "c"}
    headers = {
        header
        for folder in (SRC, INCLUDE)
        for header in folder.rglob("*.h*")
        if not (header.parent == SRC / "simd" and header.stem.endswith("_impl"))  # parts of the sources of one instruction set
    }
    headers -= {read_first(source) for source in compiled | sources}
    assert INCLUDE / "dcsvm" / "dcsvm.hpp" in headers

    command = shlex.split(next(commands[source]["command"] for source in compiled if source.parent != SRC / "simd"))
    command = command[: command.index("-o")]

    def compiles(file: Path) -> tuple[Path, str]:
        what = ["-x", "c++", "/dev/null", "-include", file] if file in headers else [file]
        done = subprocess.run([*command, "-fsyntax-only", *what], cwd=configured, capture_output=True, text=True)
        return file, done.stderr if done.returncode else ""

    with ThreadPoolExecutor(2) as two_at_a_time:
        results = list(two_at_a_time.map(compiles, sorted(sources | headers)))
    failed = [f"{file.relative_to(ROOT)} does not compile alone:\n{errors[:2000]}" for file, errors in results if errors]
    assert not failed, "\n".join(failed)
