"""Builds the C++ tests against the installed library and runs them. `ctest` in a build of your own does the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dcsvm
from _build import ROOT, compile_project, configure, instruction_sets, kept, run, tool


@pytest.fixture(scope="module")
def built() -> Path:
    variables = {
        "CMAKE_BUILD_TYPE": "Release",
        "DCSVM_WERROR": "ON",
        "CMAKE_UNITY_BUILD": "ON",
        "Python_EXECUTABLE": sys.executable,
    }
    return compile_project(ROOT / "tests" / "cpp", kept("tests"), **variables)


@pytest.mark.build
@pytest.mark.slow
@pytest.mark.parametrize("isa", ["best", *instruction_sets()])
def test_cpp(built, isa):
    if isa == dcsvm.build_config()["isa"]:
        pytest.skip(f"{isa} is the best instruction set of this CPU, and cpp.best runs every test on that")
    output = run(tool("ctest"), "--test-dir", built, "-R", rf"^cpp\.{isa}$", "-V", "--no-tests=error")
    skipped = [line.split(": ", 1)[1] for line in output.splitlines() if "SKIPPED:" in line]
    if skipped:
        pytest.skip(skipped[0])
    assert "test cases:" in output, "the runner ran"


@pytest.mark.build
def test_the_benchmark_says_what_it_needs(tmp_path):
    options = {"DCSVM_BUILD_BENCH": "ON", "CMAKE_DISABLE_FIND_PACKAGE_benchmark": "ON", "Python_EXECUTABLE": sys.executable}
    done = subprocess.run([*map(str, configure(ROOT, tmp_path, **options))], capture_output=True, text=True)
    assert done.returncode != 0
    assert re.search(r"needs\s+Google\s+Benchmark", done.stderr)
    assert "libbenchmark-dev" in done.stderr
