"""Data files of the commands: text, CSV and numpy files, compressed or not, and stdin."""

from __future__ import annotations

import argparse
import errno
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import dcsvm

from .._input.packed import UNPACK, copied
from .._input.validate import CsrMatrix
from .._model_file.frame import is_own_format
from . import table

STDIN = ("-", "/dev/stdin")
FORMATS = ("auto", "svmlight", "csv", "npy", "npz")


def add_data(p: argparse.ArgumentParser) -> None:
    """The argument DATA and the options about it."""
    p.add_argument("data", type=named, metavar="DATA", help="data file, also compressed (.gz, .bz2, .xz); - is stdin")
    p.add_argument(
        "--format", choices=FORMATS, default="auto", help="of DATA; auto: by the end of its name, else svmlight (auto)"
    )
    p.add_argument("--labels", metavar="FILE.npy", help="labels, when DATA is a .npy matrix or a scipy .npz")
    p.add_argument("--zero-based", action="store_true", help="svmlight indices start at 0")
    p.add_argument(
        "--label-column", metavar="COLUMN", help="CSV: the labels' column, its name or number from 1, or none (1, the first)"
    )


def named(text: str) -> str:
    """The name of a file. argparse reports the error."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def format_of(args: argparse.Namespace) -> str:
    """One of FORMATS, without "auto"."""
    if args.format != "auto":
        return str(args.format)
    return format_by_name(args.data)


def format_by_name(name: str) -> str:
    """One of FORMATS, without "auto"."""
    path = Path(name)
    end = path.with_suffix("").suffix if path.suffix in UNPACK else path.suffix
    return {".csv": "csv", ".npy": "npy", ".npz": "npz"}.get(end, "svmlight")


def stem(name: str) -> str:
    """The name of a file without its folder and without the end that says how it is compressed. ValueError for stdin."""
    if name in STDIN:
        raise ValueError("with DATA from stdin the file to write must be named")
    path = Path(name)
    return path.with_suffix("").name if path.suffix in UNPACK else path.name


@contextmanager
def plain(name: str) -> Iterator[Path]:
    """A file that can be read from its begin as often as wanted: stdin, pipes and compressed files are copied into a temporary
    one. Errors name the file that was given."""
    path = Path(name)
    unpack = UNPACK.get(path.suffix)
    if name not in STDIN and unpack is None and (not path.exists() or path.is_file()):
        yield path
        return
    with copied(name, lambda: _opened(name, unpack), "stdin" if name in STDIN else name) as copy:
        yield copy


def _opened(name: str, unpack: Callable[[str], Any] | None) -> AbstractContextManager[Any]:
    if name not in STDIN:
        return unpack(name) if unpack else Path(name).open("rb")
    if sys.stdin is None:  # closed by the shell's <&-
        raise OSError(errno.EBADF, "is closed", "stdin")
    return nullcontext(sys.stdin.buffer)


def load(args: argparse.Namespace, part: str, n_features: int | None = None) -> tuple[Any, npt.NDArray[Any] | None]:
    """DATA: X, and y where it has or is given labels. part: "train" or "test", of an .npz that holds both."""
    kind = format_of(args)
    if kind in ("svmlight", "csv") and args.labels is not None:
        raise ValueError(f"--labels is for .npy and .npz; {args.data} is read as {kind}, whose lines have labels")
    for option in ("zero_based", "n_features"):
        if kind != "svmlight" and getattr(args, option, None):
            raise ValueError(f"--{option.replace('_', '-')} is for svmlight text; {args.data} is read as {kind}")
    if kind != "csv" and args.label_column is not None:
        raise ValueError(f"--label-column is for CSV; {args.data} is read as {kind} (--format csv changes that)")
    with plain(args.data) as path:
        if kind == "svmlight":
            return dcsvm.load_svmlight(path, n_features=n_features, zero_based=args.zero_based)
        if kind == "csv":
            return table.read(path, args.label_column, args.data)
        return _numpy(path, kind, args.labels, part)


def _numpy(path: Path, kind: str, labels: str | None, part: str) -> tuple[Any, npt.NDArray[Any] | None]:
    try:
        y = None if labels is None else np.load(labels)
        if kind == "npy":
            return np.load(path), y
        with np.load(path) as arrays:
            if "indptr" in arrays:
                shape = tuple(int(v) for v in arrays["shape"])
                return CsrMatrix(arrays["data"], arrays["indices"], arrays["indptr"], (shape[0], shape[1])), y
            for suffix in ("", f"_{part}"):
                if f"X{suffix}" in arrays:
                    given = arrays[f"y{suffix}"] if y is None and f"y{suffix}" in arrays else y
                    return arrays[f"X{suffix}"], given
            raise ValueError(f"expected an array X or X_{part}, found {', '.join(arrays)}")
    except (ValueError, zipfile.BadZipFile, EOFError) as e:
        raise ValueError(f"{path}: {e}") from None


def load_model(name: str) -> tuple[Any, bool]:
    """A model file, also of stdin; and whether it is in dcsvm's format, not in LIBSVM's or LIBLINEAR's."""
    with plain(name) as path:
        model = dcsvm.load_model(path)
        with path.open("rb") as file:
            return model, is_own_format(file.read(8))
