"""Data files of the commands: text, CSV and numpy files, compressed or not, and stdin."""

from __future__ import annotations

import argparse
import bz2
import csv
import errno
import gzip
import lzma
import reprlib
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import dcsvm

from .._base.validate import CsrMatrix

STDIN = ("-", "/dev/stdin")
FORMATS = ("auto", "svmlight", "csv", "npy", "npz")
_TEXT = "utf-8-sig"  # with or without a byte order mark
_OPEN: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


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
    end = path.with_suffix("").suffix if path.suffix in _OPEN else path.suffix
    return {".csv": "csv", ".npy": "npy", ".npz": "npz"}.get(end, "svmlight")


@contextmanager
def plain(name: str) -> Iterator[Path]:
    """A file that can be read from its begin as often as wanted: stdin, pipes and compressed files are copied into a temporary
    one. Errors name the file that was given."""
    path = Path(name)
    unpack = _OPEN.get(path.suffix)
    if name not in STDIN and unpack is None and (not path.exists() or path.is_file()):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
        copy = Path(folder) / "data"
        try:
            with _opened(name, unpack) as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (EOFError, lzma.LZMAError, gzip.BadGzipFile) as e:
            raise ValueError(f"{name}: cannot be unpacked: {e}") from None
        except OSError as e:
            if e.errno is None:  # bz2's word for damage
                raise ValueError(f"{name}: cannot be unpacked: {e}") from None
            raise
        try:
            yield copy
        except (ValueError, OSError) as e:
            if isinstance(e, OSError) and e.filename is not None:
                e.filename = name if str(e.filename) == str(copy) else e.filename
                raise
            shown = "stdin" if name in STDIN else name
            raise type(e)(str(e).replace(str(copy), shown)) from None


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
            return _csv(path, args.label_column)
        return _numpy(path, kind, args.labels, part)


def _csv(path: Path, column: str | None) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any] | None]:
    """A table of numbers, whose labels may be text and whose first line may name the columns."""
    try:
        with path.open(newline="", encoding=_TEXT) as file:
            first = [cell.strip() for cell in next(csv.reader(file), [])]
    except UnicodeDecodeError as e:
        raise _not_text(path, e) from None
    for other, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(first) == 1 and other in first[0]:
            raise ValueError(f"{path}: expected commas between the columns, found {name}")
    at = None if column == "none" else _column(path, column or "1", first)
    named = (column in first and column != "none") or any(not _is_number(cell) for i, cell in enumerate(first) if i != at)
    codes: dict[str, int] = {}  # of the labels, in the order in which they come
    coded: dict[int | str, Callable[[str], Any]] = {}
    if at is not None:
        coded[at] = lambda label: codes.setdefault(label.strip(), len(codes))
    table: dict[str, Any] = {"delimiter": ",", "quotechar": '"', "comments": None, "encoding": _TEXT}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy's word for no rows, which are an error here
            values = np.loadtxt(path, skiprows=int(named), ndmin=2, converters=coded or None, **table)
    except UnicodeDecodeError as e:
        raise _not_text(path, e) from None
    except ValueError as e:
        raise ValueError(_bad_cell(path, at, first, named) or f"{path}: not a table of numbers: {e}") from None
    if not values.size:
        raise ValueError(f"{path}: no rows")
    if at is None:
        return values, None
    labels = np.array([float(label) for label in codes] if all(map(_is_number, codes)) else list(codes))
    return np.delete(values, at, axis=1), labels[values[:, at].astype(np.intp)]


def _not_text(path: Path, error: UnicodeDecodeError) -> ValueError:
    return ValueError(
        f"{path}: expected text in UTF-8, found the byte 0x{error.object[error.start]:02x}: unpack a compressed file, or convert "
        "text of another encoding with iconv"
    )


def _bad_cell(path: Path, at: int | None, first: list[str], named: bool) -> str:
    """Which cell, or which line, makes the file no table of numbers; empty when none is found. at: the labels' column."""
    with path.open(newline="", encoding=_TEXT) as file:
        lines = csv.reader(file)
        for i, row in enumerate(lines):
            if not row or (named and i == 0):
                continue
            where = f"{path}:{lines.line_num}"
            if len(row) != len(first):
                return f"{where}: expected {len(first)} columns as in the first line, found {len(row)}"
            for j, cell in enumerate(row):
                if j == at or _is_number(cell):
                    continue
                column = f"column {j + 1}" + (f" ({first[j]})" if named else "")
                if not cell.strip():
                    return f"{where}: {column} is empty: fill or drop missing values first"
                labels = "; if it holds the labels, give --label-column" if at is None or at == 0 else ""
                found = f"{reprlib.repr(cell)}, which is not a number"
                return f"{where}: {column} holds {found}: encode or leave out such columns{labels}"
    return ""


def _column(path: Path, column: str, first: list[str]) -> int:
    """The number of the labels' column; first: the cells of the first line."""
    if column in first and not column.isdecimal():
        return first.index(column)
    if column.isdecimal() and 1 <= int(column) <= max(len(first), 1):
        return int(column) - 1
    raise ValueError(
        f"{path}: --label-column must be a name in the first line, a number from 1 to {len(first)} or none, got {column!r}; "
        f"the first line is {', '.join(first[:8])}"
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


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


def load_model(name: str) -> Any:
    """A model file; also stdin."""
    with plain(name) as path:
        return dcsvm.load_model(path)
