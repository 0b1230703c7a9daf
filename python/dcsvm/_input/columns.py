"""The columns of a data frame: their names, and how they differ from those of a training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


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
