"""dcsvm fetched by a stranger's CMake project, which compiles and links all of it without optimisation.

The sources of a folder as one and for no CPU but the least: test_alone.py compiles each alone, and pip those for each CPU.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dcsvm
from _build import compile_project, kept

ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.build, pytest.mark.slow]


def test_the_example_builds_and_runs(tmp_path):
    options = {
        "FETCHCONTENT_SOURCE_DIR_DCSVM": ROOT,
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_UNITY_BUILD": "ON",
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O0",
        **{f"DCSVM_COMPILER_HAS_{isa}": "OFF" for isa in ("avx2", "avx512", "avx512vnni")},
    }
    built = compile_project(ROOT / "examples" / "fetchcontent", kept("fetchcontent"), **options)
    done = subprocess.run([built / "example"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(re.match(r"(\d+) of 2000 right", done.stdout)[1]) > 1960
    assert dcsvm.load_model(tmp_path / "circle.model").n_features_in_ == 2
