"""dcsvm as a subproject of another CMake project: optimised unless that project chooses a build type."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from _build import configure, run, tool

ROOT = Path(__file__).parents[3]
PROJECT = f"""\
cmake_minimum_required(VERSION 3.22)
project(host LANGUAGES CXX)
add_subdirectory("{ROOT}" dcsvm)
add_executable(host main.cpp)
target_link_libraries(host PRIVATE dcsvm::dcsvm)
"""

pytestmark = pytest.mark.build


@pytest.mark.parametrize(("build_type", "level"), [("", "-O3"), ("Debug", None), ("RelWithDebInfo", "-O2")])
def test_the_build_type(tmp_path, build_type, level):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "main.cpp").write_text("int main() {}\n")
    options = {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "Python_EXECUTABLE": sys.executable, "CMAKE_BUILD_TYPE": build_type}
    run(*configure(tmp_path, tmp_path / "build", **options))
    commands = {c["file"]: c["command"] for c in json.loads((tmp_path / "build" / "compile_commands.json").read_text())}
    own = commands.pop(str(tmp_path / "main.cpp"))
    assert re.findall(r" (-O\w*)", own) == ([level] if build_type and level else []), "the host's own flags are its own affair"
    for file, command in commands.items():
        if "/cpp/src/simd/" not in file:  # these are optimised in every build
            assert re.findall(r" (-O\w*)", command) == ([level] if level else []), file


def test_a_project_in_c_is_told_to_enable_cxx(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.replace("LANGUAGES CXX", "LANGUAGES C").replace("main.cpp", "main.c"))
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    options = [f"-DPython_EXECUTABLE={sys.executable}"]
    done = subprocess.run([tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build", *options], capture_output=True, text=True)
    assert done.returncode != 0
    assert "project(host LANGUAGES C CXX)" in " ".join(done.stderr.split())


def test_what_is_installed_finds_the_shared_library(tmp_path):
    """Configured only: building all of it takes minutes. CONTRIBUTING.md has the commands that build, install and use it."""
    options = {"DCSVM_SHARED": "ON", "Python_EXECUTABLE": sys.executable, "CMAKE_INSTALL_LIBDIR": "lib/special"}
    run(*configure(ROOT, tmp_path, **options))
    ninja = (tmp_path / "build.ninja").read_text()
    assert "libdcsvm.so" in ninja
    assert "libdcsvm.a" not in ninja
    install = (tmp_path / "cmake_install.cmake").read_text().replace("\\$", "$")  # CMake 3.25 escapes the first $
    assert set(re.findall(r"RPATH \W*(\$ORIGIN[^]\"]*)", install)) == {"$ORIGIN:$ORIGIN/../lib/special"}
