"""Running the commands of LIBSVM and LIBLINEAR that dcsvm installs, or those in the folder DCSVM_TEST_COMMANDS."""

import os
import subprocess
from pathlib import Path

from _build import tool


def program(name):
    folder = os.environ.get("DCSVM_TEST_COMMANDS")
    return str(Path(folder) / name) if folder else tool(name)


def call(folder, *args):
    """Exit code, stdout, stderr of one of our commands, run in `folder`."""
    done = subprocess.run([program(args[0]), *map(str, args[1:])], capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def fine(folder, *args):
    """Stdout of a command that must succeed."""
    code, out, err = call(folder, *args)
    assert code == 0, err
    return out
