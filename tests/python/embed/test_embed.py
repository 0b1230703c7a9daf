"""A stranger's project finds, links and runs the installed library, by CMake and by pkg-config, and gets none of our flags."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

import dcsvm
from _build import LIBRARY, compile_project, configure, run

SOURCE = Path(__file__).parents[2] / "embed"
FORBIDDEN = re.compile(r"-march|-mtune|-mavx|-mfma|-ffast-math|-fopenmp|-flto|eigen|-DDCSVM|-DNDEBUG", re.IGNORECASE)

pytestmark = pytest.mark.build


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return compile_project(SOURCE, tmp_path_factory.mktemp("embed"), CMAKE_EXPORT_COMPILE_COMMANDS="ON")


def test_cmake_project(built, tmp_path):
    assert run(built / "stranger", tmp_path / "a.model").startswith(f"ok: dcsvm {dcsvm.__version__}")
    assert not list(tmp_path.iterdir()), "the program removes its file, and no temporary file is left beside it"


def test_no_flag_of_ours_leaks(built):
    commands = [entry["command"] for entry in json.loads((built / "compile_commands.json").read_text())]
    assert commands
    assert not FORBIDDEN.search(commands[0].replace(str(built), "").replace(dcsvm.get_include(), "")), commands[0]
    for file in Path(dcsvm.get_cmake_dir()).glob("*.cmake"):
        assert not FORBIDDEN.search(file.read_text()), file
        assert "dcsvm_developer" not in file.read_text(), file


def test_versions(tmp_path):
    wanted = {"0.1": True, dcsvm.__version__: True, "0.0": False, "0.2": False, "1.0": False}
    lines = [f'find_package(dcsvm {version} CONFIG QUIET)\nmessage("{version}: ${{dcsvm_FOUND}}")' for version in wanted]
    project = ["cmake_minimum_required(VERSION 3.22)", "project(versions LANGUAGES CXX)", *lines, ""]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(project))
    printed = run(*configure(tmp_path, tmp_path / "build"))
    for version, found in wanted.items():
        assert f"{version}: {int(found)}\n" in printed


def test_pkg_config(tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    env = {**os.environ, "PKG_CONFIG_PATH": str(LIBRARY.parent / "pkgconfig")}
    assert run("pkg-config", "--modversion", "dcsvm", env=env).strip() == dcsvm.__version__
    flags = run("pkg-config", "--cflags", "--libs", "dcsvm", env=env).split()
    assert not FORBIDDEN.search(" ".join(f for f in flags if not f.startswith(("-I", "-L")))), flags
    compiler = os.environ.get("CXX", "c++")
    run(compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", SOURCE / "main.cpp", "-o", tmp_path / "stranger", *flags)
    assert run(tmp_path / "stranger", tmp_path / "a.model").startswith("ok: ")


def test_simd_objects_share_no_code(tmp_path):
    """Law 5: an inline function that AVX objects and others both define would run AVX code on a CPU without it."""
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    listing = run("nm", "--defined-only", LIBRARY)
    weak: dict[str, set[str]] = {}
    member = ""
    for line in listing.splitlines():
        if line.endswith(".o:"):
            member = line[:-1]
        elif match := re.match(r"[0-9a-f]+ (\w) (.*)", line):
            one_cpu = member.startswith(("avx2.", "avx512", "neon."))
            assert not (one_cpu and match[2].startswith("_GLOBAL__sub_I")), f"{member} runs code when the library is loaded"
            if match[1] in "WVu" and not match[2].startswith("_ZT"):  # type information is data
                weak.setdefault(member, set()).add(match[2])
    assert "\nbaseline.cpp.o:" in listing
    for name in (m for m in weak if m.startswith(("avx2.", "avx512", "neon."))):
        for other in weak.keys() - {name}:
            shared = sorted(weak[name] & weak[other])
            assert not shared, f"{name} and {other} both define {shared[:5]}"
