"""Running the commands of LIBSVM and LIBLINEAR that dcsvm installs."""

import subprocess

from _build import tool


def call(folder, *args):
    """Exit code, stdout, stderr of one of our commands, run in `folder`."""
    done = subprocess.run([tool(args[0]), *map(str, args[1:])], capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def fine(folder, *args):
    """Stdout of a command that must succeed."""
    code, out, err = call(folder, *args)
    assert code == 0, err
    return out
