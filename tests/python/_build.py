"""Running the build tools from tests."""

import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import dcsvm

ROOT = Path(__file__).parents[2]
LIBRARY = Path(dcsvm.get_cmake_dir()).parents[1] / "libdcsvm.a"


def instruction_sets() -> list[str]:
    """All that the library has sources for, the one without special instructions first."""
    text = (ROOT / "cmake" / "SimdSources.cmake").read_text()
    x86, arm = re.findall(r"^set\(DCSVM_SIMD_(?:X86|ARM) (.*)\)$", text, re.MULTILINE)
    return ["baseline", *x86.split(), *arm.split()]


def tool(name: str) -> str:
    """cmake, ctest and ninja of this Python environment, else of the PATH."""
    path = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    assert path, f'{name} was not found: pip install ".[test]"'
    return path


def run(*args: object, env: dict[str, str] | None = None) -> str:
    """Output of a command; the test fails with all of it when the command does."""
    command = [str(a) for a in args]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)}\n{done.stdout[-20000:]}", pytrace=False)
    return done.stdout


def configure(source: Path, build: Path, **variables: object) -> list[object]:
    """The command that configures a CMake project which finds the installed dcsvm."""
    variables |= {"CMAKE_MAKE_PROGRAM": tool("ninja"), "dcsvm_DIR": dcsvm.get_cmake_dir()}
    return [tool("cmake"), "-S", source, "-B", build, "-G", "Ninja", *(f"-D{k}={v}" for k, v in variables.items())]


def kept(name: str) -> Path:
    """A build folder that stays between runs (build/ is ignored by git), for each Python environment one."""
    key = hashlib.sha256(f"{sys.executable} {tool('cmake')}".encode()).hexdigest()[:8]
    return Path(__file__).parents[2] / "build" / f"{name}-{key}"


def compile_project(source: Path, build: Path, **variables: object) -> Path:
    """Configures and builds a CMake project; returns the folder of what was built."""
    run(*configure(source, build, **variables))
    run(tool("cmake"), "--build", build)
    return build
