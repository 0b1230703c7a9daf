"""The files of the command dcsvm: input in every format, and output that appears complete or not at all."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

import dcsvm

from .._base.validate import CsrMatrix


def load(args: argparse.Namespace, part: str, n_features: int | None = None) -> tuple[Any, npt.NDArray[Any] | None]:
    """DATA: X, and y where it has or is given labels. part: "train" or "test", of an .npz that holds both."""
    path = Path(args.data)
    if path.suffix not in (".npz", ".npy"):
        if args.labels is not None:
            raise ValueError(f"--labels is for .npy and .npz; {path} is read as text, whose lines begin with labels")
        return dcsvm.load_svmlight(path, n_features=n_features, zero_based=args.zero_based)
    for option in ("zero_based", "n_features"):
        if getattr(args, option, None):
            raise ValueError(f"--{option.replace('_', '-')} is for text files; {path} is read as a numpy file")
    try:
        y = None if args.labels is None else np.load(args.labels)
        if path.suffix == ".npy":
            return np.load(path), y
        with np.load(path) as arrays:
            if "indptr" in arrays:
                shape = tuple(int(v) for v in arrays["shape"])
                return CsrMatrix(arrays["data"], arrays["indices"], arrays["indptr"], (shape[0], shape[1])), y
            for suffix in ("", f"_{part}"):
                if f"X{suffix}" in arrays:
                    labels = arrays[f"y{suffix}"] if y is None and f"y{suffix}" in arrays else y
                    return arrays[f"X{suffix}"], labels
            raise ValueError(f"expected an array X or X_{part}, found {', '.join(arrays)}")
    except (ValueError, zipfile.BadZipFile, EOFError) as e:
        raise ValueError(f"{path}: {e}") from None


def stdout() -> TextIO:
    if sys.stdout is None:  # closed by the shell's >&-
        raise OSError(errno.EBADF, "is closed", "stdout")
    return sys.stdout


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A text file that appears complete or not at all; - is stdout."""
    if path == "-":
        yield stdout()
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays a link
    try:
        if target.exists() and not target.is_file():  # /dev/null, a pipe
            with target.open("w") as file:
                yield file
            return
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("x") as file:
                yield file
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as e:
        if e.filename is None:  # an error of write or close, such as a full disk
            e.filename = path
        raise


def check_writable(path: Path, *inputs: str | None) -> None:
    """Checks before the work that the folder exists and that no input would be overwritten."""
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
