"""Configures, builds and runs the C++ tests, once for each instruction set. `ctest` in a build of your own does the same."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from _build import run, tool

ROOT = Path(__file__).parents[3]


def build_dir() -> Path:
    """Kept between runs (build/ is ignored by git); another Python or cmake gets another folder. DCSVM_TEST_BUILD moves it."""
    if "DCSVM_TEST_BUILD" in os.environ:
        return Path(os.environ["DCSVM_TEST_BUILD"])
    key = f"{sys.executable} {tool('cmake')} {os.environ.get('CXX', '')}"
    return ROOT / "build" / ("pytest-" + hashlib.sha256(key.encode()).hexdigest()[:8])


@pytest.fixture(scope="module")
def built() -> Path:
    build = build_dir()
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    run(
        *(tool("cmake"), "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"),
        *("-DCMAKE_BUILD_TYPE=Release", "-DDCSVM_BUILD_TESTS=ON", "-DDCSVM_WERROR=ON", f"-DPython_EXECUTABLE={sys.executable}"),
    )
    run(tool("cmake"), "--build", build, "-j", jobs)
    return build


@pytest.mark.slow
@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512", "avx512vnni"])
def test_cpp(built, isa):
    output = run(tool("ctest"), "--test-dir", built, "-R", rf"^cpp\.{isa}$", "-V", "--no-tests=error")
    skipped = [line.split(": ", 1)[1] for line in output.splitlines() if "SKIPPED:" in line]
    if skipped:
        pytest.skip(skipped[0])
    assert "test cases:" in output, "the runner ran"


def test_the_benchmark_says_what_it_needs(tmp_path):
    command = [tool("cmake"), "-S", ROOT, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"]
    options = ["-DDCSVM_BUILD_BENCH=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    done = subprocess.run([*map(str, command), *options], capture_output=True, text=True)
    assert done.returncode != 0
    assert re.search(r"needs\s+Google\s+Benchmark", done.stderr)
    assert "libbenchmark-dev" in done.stderr
