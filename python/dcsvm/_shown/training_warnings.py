"""What the core noticed about data and solutions, as Python's warnings."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._input.columns import column_name


class ScaleWarning(UserWarning):
    """The ranges of the features differ by a factor of more than 10^4."""

    __module__ = "dcsvm"  # what users import from, and what pickles name


def about(value: float) -> str:
    """The power of ten below a measured number. Warnings have no more of it: texts that differ from fold to fold are all shown,
    and equal ones once."""
    if not (math.isfinite(value) and value > 0):
        return f"{value:g}"
    return f"{10.0 ** math.floor(math.log10(value)):.0e}"


def reach_tol(violation: float) -> str:
    """What a search says of models that did not reach tol."""
    return (
        f"their largest violation is {about(violation)} or more: scale the features, leave out large C, or raise max_iter or tol"
    )


def some(count: int) -> str:
    """The same of a number of steps."""
    return f"{count}" if count < 10 else f"at least {10 ** (len(str(count)) - 1):,}"


def limit_met(name: str, value: int | None, reports: Sequence[Mapping[str, Any]], steps: int) -> str:
    """The limit that ended a training with ``stop_reason`` "max_iter": the parameter, and the number that a default stands for.

    reports: of the binary problems, each with its own limit; steps: of the training, where there are none.
    """
    if value is not None and value >= 0:
        return f"{name}={value}"
    met = max((r["n_iter"] for r in reports if r["stop_reason"] == "max_iter"), default=steps)
    return f"{name}={value}, whose limit was met after {met:,} steps"


def warn_of(found: Iterable[Mapping[str, str]], names: Sequence[str] | None) -> None:
    """Warns of each of a report's warnings. names: of X's columns, where they have some."""
    for warning in found:
        text = re.sub(r"\bcolumn (\d+)", lambda match: column_name(names, int(match[1])), warning["text"])
        warnings.warn(text, ScaleWarning if warning["kind"] == "scale" else UserWarning, stacklevel=users_line())


def users_line() -> int:
    """What the caller gives to warnings.warn as stacklevel, to point at the nearest line outside dcsvm and scikit-learn. Inside
    one of scikit-learn's own classes (``dcsvm.patched``), at scikit-learn, by whose name programs filter its warnings."""
    frame, level, theirs = sys._getframe(1), 1, 0
    while frame.f_back is not None:
        package, _, rest = frame.f_globals.get("__name__", "").partition(".")
        if package == "sklearn":
            theirs = level
        elif package != "dcsvm":
            break
        elif rest.startswith("patched") and theirs:
            return theirs
        frame, level = frame.f_back, level + 1
    return level
