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
    first, lines = _first_line(path)
    at = None if column == "none" else _column(path, "1" if column is None else column, first)
    chosen = at is not None and column == first[at] and not _is_number(column)  # the option names the labels
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
            values = np.loadtxt(path, skiprows=lines if named else 0, ndmin=2, converters=coded or None, **layout)
    except UnicodeDecodeError as e:
        raise _not_text(path, e) from None
    except ValueError as e:
        if e.__cause__ is not None and not isinstance(e.__cause__, ValueError):
            raise e.__cause__ from None  # Ctrl-C, which numpy takes for a bad cell where it calls for a label
        raise ValueError(_problem(path, at, first, named) or f"{path}: not a table of numbers: {e}") from None
    if not values.size:
        raise ValueError(f"{path}: no rows")
    if values.shape[1] != len(first):
        raise ValueError(
            f"{path}: the first line has {len(first)} columns and the others have {values.shape[1]}: give each column a name, "
            "also that of row numbers"
        )
    left_out = [] if at is None else [at]
    if named and not first[0]:  # the row numbers that pandas writes
        if at == 0:
            raise ValueError(
                f"{path}: column 1 has no name, as row numbers have none: say by --label-column which holds the labels"
            )
        warnings.warn(f"{shown}: column 1 has no name: it is taken for row numbers and left out", stacklevel=2)
        left_out.append(0)
    x = np.delete(values, left_out, axis=1)
    if not np.isfinite(x).all():
        raise ValueError(_problem(path, at, first, named) or f"{path}: not a table of finite numbers")
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
        table.columns = tuple(name for i, name in enumerate(first) if i not in left_out)
        return table, labels
    return x, labels


def _first_line(path: Path) -> tuple[list[str], int]:
    """Its cells, and the lines of the file that it takes: a quoted name may hold line ends."""
    try:
        with path.open(newline="", encoding=_TEXT) as file:
            rows = csv.reader(file)
            first = [cell.strip() for cell in next(rows, [])]
    except UnicodeDecodeError as e:
        raise _not_text(path, e) from None
    except csv.Error as e:
        raise _too_long(path, e) from None
    if not first:
        raise ValueError(f"{path}: the first line is empty")
    for other, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(first) == 1 and other in first[0]:
            raise ValueError(f"{path}: expected commas between the columns, found {name}")
    return first, rows.line_num


def _labels(path: Path, at: int, codes: dict[str, int], first: list[str], named: bool, shown: str) -> npt.NDArray[Any]:
    """The labels that the codes stand for: numbers when all of them are numbers, else text."""
    text = [label for label in codes if not _is_number(label)]
    numbers = np.array([float(label) for label in codes if _is_number(label)])
    if "" in codes or not np.isfinite(numbers).all():
        raise ValueError(_problem(path, at, first, named))
    if not text:
        whole = {int(label) for label in codes if label.lstrip("+-").isdecimal()}
        if len({float(label) for label in whole}) < len(whole):
            raise ValueError(f"{path}: labels beyond 2^53 that differ are the same double: write other labels")
        return numbers
    if broken := [label for label in text if "\n" in label or "\r" in label]:
        raise ValueError(f"{path}: the label {reprlib.repr(broken[0])} goes over several lines: a quote may have no end")
    remedy = f"; if the first line names the columns, give --label-column {first[at]}"
    others = [cell for j, cell in enumerate(first) if j != at]
    numbered = all(cell.isdecimal() for cell in others) and sorted(set(others), key=int) == others  # as pandas' names
    if not named and numbered and len(text) == len(codes) and _occurs_once(path, at, first[at]):
        warnings.warn(f"{shown}:1: the label {first[at]!r} occurs in this line alone{remedy}", stacklevel=2)
    if len(text) < len(codes):
        number = next(label for label in codes if _is_number(label))
        with path.open(newline="", encoding=_TEXT) as file:
            lines = csv.reader(file)
            where = next(lines.line_num for row in lines if len(row) > at and row[at].strip() == text[0])
        remedy = remedy if where == 1 and not named else ""
        warnings.warn(
            f"{shown}:{where}: the label {text[0]!r} is not a number, unlike {number!r}: all labels are taken as text{remedy}",
            stacklevel=2,
        )
    return np.array(list(codes))


def _occurs_once(path: Path, at: int, label: str) -> bool:
    """Whether one line alone has the label, of more lines than a small table has."""
    with path.open(newline="", encoding=_TEXT) as file:
        found = [row[at].strip() == label for row in csv.reader(file) if row]
    return sum(found) == 1 and len(found) > 10


def _too_long(path: Path, error: csv.Error) -> ValueError:
    return ValueError(f"{path}: {error}: a quote may have no end")


def _not_text(path: Path, error: UnicodeDecodeError) -> ValueError:
    return ValueError(
        f"{path}: expected text in UTF-8, found the byte 0x{error.object[error.start]:02x}: unpack a compressed file, or convert "
        "text of another encoding with iconv"
    )


def _problem(path: Path, at: int | None, first: list[str], named: bool) -> str:
    """Which cell, or which line, makes the file no table of finite numbers; empty when none is found. at: the labels' column."""
    try:
        return _first_problem(path, at, first, named)
    except csv.Error as e:
        raise _too_long(path, e) from None


def _first_problem(path: Path, at: int | None, first: list[str], named: bool) -> str:
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
    if column and column in first and not _is_number(column):
        return first.index(column)
    if column.isdecimal() and 1 <= int(column) <= max(len(first), 1):
        return int(column) - 1
    raise ValueError(
        f"{path}: --label-column must be a name in the first line that is no number, a place from 1 to {len(first)}, or none; "
        f"got {column!r}; "
        f"the first line is {', '.join(first[:8])}"
    )


def _is_number(cell: str) -> bool:
    if not cell.isascii() or "_" in cell:  # which Python takes and numpy does not
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return True
