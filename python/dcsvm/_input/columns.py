"""The columns of a data frame: their names, how they differ from those of a training, and which hold no numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def feature_names(x: Any) -> tuple[str, ...] | None:
    """The columns of a data frame, when all of them are text."""
    columns = getattr(x, "columns", None)
    if columns is None or not len(columns) or not all(isinstance(c, str) for c in columns):
        return None
    return tuple(columns)


def check_features(trained: tuple[str, ...] | None, x: Any) -> None:
    """ValueError when X is a data frame whose columns are not those of the training, in their order."""
    if found := other_features(trained, feature_names(x)):
        if trained is not None and set(trained) == set(feature_names(x) or ()):
            found += "; take X[model.feature_names_in_]"
        raise ValueError(f"X: the feature names should match those that were passed in training, in the same order ({found})")


def other_features(trained: tuple[str, ...] | None, given: tuple[str, ...] | None) -> str:
    """How the given names differ from those of the training; empty where they do not, or where one of them is not known."""
    if trained is None or given is None or given == trained:
        return ""
    problems = [
        f"{what}: {', '.join(names[:5])}{', ...' * (len(names) > 5)}"
        for what, names in (
            ("not seen in training", [n for n in given if n not in set(trained)]),
            ("missing", [n for n in trained if n not in set(given)]),
        )
        if names
    ]
    first = next((i for i, (a, b) in enumerate(zip(given, trained, strict=False)) if a != b), min(len(given), len(trained)))
    expected = repr(trained[first]) if first < len(trained) else "no column"
    return "; ".join(problems or [f"{given[first]!r} stands where {expected} was expected"])


def column_name(names: Sequence[str] | None, j: int) -> str:
    """Column j in words, with its name where the columns have names."""
    return f"column {j}" if names is None else f"column {j} ({names[j]!r})"


def text_columns(x: Any) -> str:
    """A hint that names the columns of a table that hold text, dates or missing values, for the end of an error; empty where
    there are none."""
    a = np.asarray(x)
    if a.ndim == 1 and a.size and all(isinstance(value, str) for value in a[:100]):
        return ". X is a list of texts: make features of them first, for example sklearn.feature_extraction.text.TfidfVectorizer"
    if a.dtype.kind not in "OU" or a.ndim != 2:
        return ""
    names = list(getattr(x, "columns", range(a.shape[1])))

    def where(is_it: Callable[[Any], bool]) -> list[str]:
        return [repr(names[j]) for j in range(a.shape[1]) if any(is_it(value) for value in a[:, j])]

    text = where(lambda value: isinstance(value, str))
    if not text:
        if dates := where(lambda value: hasattr(value, "year")):
            return f". Dates in {', '.join(dates[:5])}: make numbers of them, such as days since a first day"
        missing = where(lambda value: value is None or type(value).__name__ == "NAType")
        return f". Missing values in {', '.join(missing[:5])}: fill or drop them first" if missing else ""
    which = f"Column {text[0]} holds" if len(text) == 1 else f"Columns {', '.join(text[:5])}{', ...' * (len(text) > 5)} hold"
    return f". {which} text: leave out such columns, or encode them (pandas.get_dummies, OneHotEncoder)"
