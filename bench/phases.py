"""How a case's process tells its parent what it is doing and what it found: lines on its stdout."""

from __future__ import annotations

import json
from typing import Any

PHASE, RESULT = "PHASE ", "RESULT "


def enter(phase: str) -> None:
    """The time limit counts from here."""
    print(PHASE + phase, flush=True)


def found(result: dict[str, Any]) -> None:
    """All that is known so far; the last such line counts, so that what was found before a time limit is kept."""
    print(RESULT + json.dumps(result, default=str), flush=True)
