"""The output files of the command dcsvm: they appear complete or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

STDOUT = ("-", "/dev/stdout")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def stdout() -> TextIO:
    if sys.stdout is None:  # closed by the shell's >&-
        raise OSError(errno.EBADF, "is closed", "stdout")
    return sys.stdout


def save(model: Any, path: str) -> None:
    """Writes a model into a file or to stdout."""
    if path in STDOUT:
        stdout().buffer.write(model.to_bytes())
    else:
        model.save(path)


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A text file that appears complete or not at all; - and /dev/stdout are stdout."""
    if path in STDOUT:
        yield stdout()
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays a link
    try:
        if target.exists() and not target.is_file():  # /dev/null, a pipe
            with target.open("w") as file:
                yield file
            return
        descriptor, name = tempfile.mkstemp(prefix=".dcsvm-", suffix=".tmp", dir=target.parent)
        temporary = Path(name)  # for the owner alone until it is complete
        try:
            with open(descriptor, "w") as file:
                yield file
            temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as e:
        if e.filename is None:  # an error of write or close, such as a full disk
            e.filename = path
        raise


def check_writable(output: str, *inputs: str | None) -> None:
    """Checks before the work that the folder exists and that no input would be overwritten; - and /dev/stdout: that stdout is
    open."""
    if output in STDOUT:
        stdout()
        return
    path = Path(output)
    for name in inputs:
        if name is not None and path.is_file() and Path(name).exists() and path.samefile(name):
            raise ValueError(f"{path} would overwrite the input {name}; name another output")
    if path.exists() and not path.is_file() and not path.is_dir():  # /dev/null, a pipe
        return
    parent = Path(os.path.realpath(path)).parent
    if not parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(parent))
    if path.is_dir():
        raise IsADirectoryError(21, "is a folder", str(path))
    if not os.access(parent, os.W_OK):
        raise PermissionError(13, "cannot write into this folder", str(parent))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(13, "is read-only", str(path))
