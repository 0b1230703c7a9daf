"""Results as a JSON file that sessions add to.

{"format": 1, "sessions": [{"id", "date", "cpu", ...}], "results": [{"case": {...}, "runs": [{"session": id, "seconds", ...}]}]}
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .runner import Case

FORMAT = 1
Runs = dict[Case, list[dict[str, Any]]]


class Store:
    """Sessions by id, and each case's runs."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.results: Runs = {}

    def read(self, path: Path) -> None:
        """Adds a file's contents. ValueError for what is no such file."""
        try:
            data = json.loads(path.read_text())
        except ValueError as e:  # text that is not UTF-8, too
            raise ValueError(f"{path}: not JSON: {e}") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"{path}: not a file of dcsvm bench (format {FORMAT})")
        try:
            self.sessions |= {s["id"]: s for s in data["sessions"]}
            for entry in data["results"]:
                runs = self.results.setdefault(Case.of_dict(entry["case"]), [])
                runs += [r for r in entry["runs"] if r not in runs]
        except (KeyError, TypeError) as e:
            raise ValueError(f"{path}: damaged: {type(e).__name__} {e}") from None

    def write(self, path: Path) -> None:
        """Whole or not at all."""
        used = {r.get("session") for runs in self.results.values() for r in runs}
        data = {
            "format": FORMAT,
            "sessions": [s for k, s in self.sessions.items() if k in used],
            "results": [{"case": c.as_dict(), "runs": runs} for c, runs in self.results.items() if runs],
        }
        part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            part.write_text(json.dumps(data, indent=1, default=str) + "\n")
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    @staticmethod
    def of_files(paths: Iterable[Path]) -> Store:
        store = Store()
        for path in paths:
            store.read(path)
        return store


def session(threads: int) -> dict[str, Any]:
    """What must be known of the machine and the software for figures to mean something."""
    from .case import cpu_model

    try:
        import dcsvm

        build: Any = dcsvm.build_config()
    except ImportError:
        build = None
    return {
        "id": f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}",
        "date": time.strftime("%Y-%m-%d"),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "threads": threads,
        "system": platform.platform(),
        "python": platform.python_version(),
        "dcsvm": build,
        "load_average_at_start": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }
