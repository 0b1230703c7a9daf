"""Running the build tools from tests."""

import shutil
import subprocess
import sysconfig

import pytest


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
