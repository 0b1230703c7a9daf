"""The output files of the command dcsvm: they appear complete or not at all."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .._input import packed

STDOUT = ("-", "/dev/stdout")


def stdout() -> TextIO:
    if sys.stdout is None:  # closed by the shell's >&-
        raise OSError(errno.EBADF, "is closed", "stdout")
    return sys.stdout


def save(model: Any, path: str, *, format: str = "dcsvm", timings: bool = True) -> None:
    """Writes a model into a file or to stdout."""
    if format == "dcsvm" and timings and path not in STDOUT:
        model.save(path)  # without a copy of a large model
        return
    if format == "dcsvm":
        content = model.to_bytes(timings=timings)
    else:
        with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
            model.save(Path(folder) / "model", format=format)
            content = (Path(folder) / "model").read_bytes()
    with writing(path) as file:
        file.write(content)


@contextmanager
def writing_text(path: str) -> Iterator[TextIO]:
    """As writing, for text."""
    with writing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """A file that appears complete or not at all, compressed when its name says so; - and /dev/stdout are stdout."""
    if path in STDOUT:
        yield stdout().buffer
        return
    with packed.writing(path) as file:
        yield file


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
