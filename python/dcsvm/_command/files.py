"""The output files of the command dcsvm: they appear complete or not at all."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TextIO

# By the end of a name, for inputs: what opens a compressed file.
UNPACK: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# For outputs. gzip writes no name and no time: equal contents give equal files.
_PACK: dict[str, Callable[[BinaryIO, Any], Any]] = {
    ".gz": lambda file, mode: gzip.GzipFile("", mode, fileobj=file, mtime=0),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}

STDOUT = ("-", "/dev/stdout")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def stdout() -> TextIO:
    if sys.stdout is None:  # closed by the shell's >&-
        raise OSError(errno.EBADF, "is closed", "stdout")
    return sys.stdout


def save(model: Any, path: str, *, format: str = "dcsvm", timings: bool = True) -> None:
    """Writes a model into a file or to stdout."""
    if format == "dcsvm" and timings and path not in STDOUT and Path(path).suffix not in _PACK:
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
    target = Path(os.path.realpath(path))  # a symbolic link stays a link
    try:
        if target.exists() and not target.is_file():  # /dev/null, a pipe
            with target.open("wb") as file:
                yield file
            return
        descriptor, name = tempfile.mkstemp(prefix=".dcsvm-", suffix=".tmp", dir=target.parent)
        temporary = Path(name)  # for the owner alone until it is complete
        try:
            with open(descriptor, "wb") as raw:
                pack = _PACK.get(Path(path).suffix)
                with pack(raw, "wb") if pack else nullcontext(raw) as file:
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
