"""What the core noticed about data and solutions, as Python's warnings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from .names import column_name


class ScaleWarning(UserWarning):
    """The ranges of the features differ by a factor of more than 10^4."""


def warn_of(found: Iterable[Mapping[str, str]], X: Any, *, stacklevel: int, leave_out: tuple[str, ...] = ()) -> None:
    """Warns of each of a report's warnings, with the names of X's columns where X is a data frame. leave_out: kinds that are
    not shown."""
    for warning in found:
        if warning["kind"] in leave_out:
            continue
        text = re.sub(r"\bcolumn (\d+)", lambda match: column_name(X, int(match[1])), warning["text"])
        warnings.warn(text, ScaleWarning if warning["kind"] == "scale" else UserWarning, stacklevel=stacklevel + 1)
