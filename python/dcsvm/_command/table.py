"""CSV files of the commands: a table of numbers whose labels may be text, and whose first line may name the columns."""

from __future__ import annotations

import csv
import reprlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_TEXT = "utf-8-sig"  # with or without a byte order mark


class Table(np.ndarray[Any, Any]):
    """A matrix whose columns have names, as those of a data frame have."""

    columns: tuple[str, ...] = ()


def read(path: Path, column: str | None, shown: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any] | None]:
    """X, a Table when the first line names the columns, and the labels. column: the labels', a name, a number from 1 or "none".
    shown: the file's name in warnings."""
    first = _first_line(path)
    at = None if column == "none" else _column(path, column or "1", first)
    chosen = at is not None and column == first[at] and not column.isdecimal()  # the option names the labels
    # Names are no numbers, and only the column of row numbers that pandas writes has an empty one.
    named = chosen or not (any(map(_is_number, first)) or "" in first[1:])
    codes: dict[str, int] = {}  # of the labels, in the order in which they come
    coded: dict[int | str, Callable[[str], Any]] = {}
    if at is not None:
        coded[at] = lambda label: codes.setdefault(label.strip(), len(codes))
    layout: dict[str, Any] = {"delimiter": ",", "quotechar": '"', "comments": None, "encoding": _TEXT}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy's word for no rows, which are an error here
            values = np.loadtxt(path, skiprows=int(named), ndmin=2, converters=coded or None, **layout)
    except UnicodeDecodeError as e:
        raise _not_text(path, e) from None
    except ValueError as e:
        raise ValueError(_problem(path, at, first, named) or f"{path}: not a table of numbers: {e}") from None
    if not values.size:
        raise ValueError(f"{path}: no rows")
    x = values if at is None else np.delete(values, at, axis=1)
    if not np.isfinite(x).all():
        raise ValueError(_problem(path, at, first, named))
    labels = None
    if at is not None and codes.keys() != {""}:  # a column without any label is that of rows to predict
        if named and not chosen and first[at] in codes:
            raise ValueError(
                f"{path}:1: this line has no numbers, as a line of names, but its label {first[at]!r} is that of other lines: "
                "fill or drop missing values first"
            )
        labels = _labels(path, at, codes, first, named, shown)[values[:, at].astype(np.intp)]
    if named:
        table = x.view(Table)
        table.columns = tuple(name for i, name in enumerate(first) if i != at)
        return table, labels
    return x, labels


def _first_line(path: Path) -> list[str]:
    try:
        with path.open(newline="", encoding=_TEXT) as file:
            first = [cell.strip() for cell in next(csv.reader(file), [])]
    except UnicodeDecodeError as e:
        raise _not_text(path, e) from None
    for other, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(first) == 1 and other in first[0]:
            raise ValueError(f"{path}: expected commas between the columns, found {name}")
    return first


def _labels(path: Path, at: int, codes: dict[str, int], first: list[str], named: bool, shown: str) -> npt.NDArray[Any]:
    """The labels that the codes stand for: numbers when all of them are numbers, else text."""
    text = [label for label in codes if not _is_number(label)]
    if "" in codes or (not text and not np.isfinite(np.array(list(codes), float)).all()):
        raise ValueError(_problem(path, at, first, named))
    if not text:
        return np.array([float(label) for label in codes])
    if len(text) < len(codes):
        number = next(label for label in codes if _is_number(label))
        with path.open(newline="", encoding=_TEXT) as file:
            lines = csv.reader(file)
            where = next(lines.line_num for row in lines if len(row) > at and row[at].strip() == text[0])
        warnings.warn(
            f"{shown}:{where}: the label {text[0]!r} is not a number, unlike {number!r}: all labels are taken as text",
            stacklevel=2,
        )
    return np.array(list(codes))


def _not_text(path: Path, error: UnicodeDecodeError) -> ValueError:
    return ValueError(
        f"{path}: expected text in UTF-8, found the byte 0x{error.object[error.start]:02x}: unpack a compressed file, or convert "
        "text of another encoding with iconv"
    )


def _problem(path: Path, at: int | None, first: list[str], named: bool) -> str:
    """Which cell, or which line, makes the file no table of finite numbers; empty when none is found. at: the labels' column."""
    with path.open(newline="", encoding=_TEXT) as file:
        lines = csv.reader(file)
        for i, row in enumerate(lines):
            if not row or (named and i == 0):
                continue
            where = f"{path}:{lines.line_num}"
            if len(row) != len(first):
                return f"{where}: expected {len(first)} columns as in the first line, found {len(row)}"
            for j, cell in enumerate(row):
                column = "the label" if j == at else f"column {j + 1}" + (f" ({first[j]})" if named else "")
                fault = _fault(cell, j == at, at in (None, 0))
                if fault:
                    names = "; a line of names that has a number or an empty one needs --label-column NAME" if i == 0 else ""
                    return f"{where}: {column} {fault}{names}"
    return ""


def _fault(cell: str, label: bool, unsaid: bool) -> str:
    """What is wrong with a cell. unsaid: the labels' column may be another one than the first."""
    if not cell.strip():
        return "is empty: fill or drop missing values first"
    if not _is_number(cell):
        hint = "; if it holds the labels, give --label-column" if unsaid else ""
        return "" if label else f"holds {reprlib.repr(cell)}, which is not a number: encode or leave out such columns{hint}"
    if not np.isfinite(float(cell)):
        return f"is {cell.strip()}: fill or drop missing values first"
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
