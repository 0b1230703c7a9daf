"""Results as a file of JSON lines that sessions add to: a line for each session, then one for each run.

{"session": {"id", "date", "cpu", ...}}
{"case": {"problem", "peer", ...}, "run": {"session": id, "seconds", ...}}
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .runner import Case

Runs = dict[Case, list[dict[str, Any]]]


class Store:
    """Sessions by id, and each case's runs."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.results: Runs = {}

    def read(self, path: Path) -> None:
        """Adds a file's contents. ValueError for what is no such file."""
        text = path.read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            try:
                entry = json.loads(line)
                if "session" in entry:
                    self.sessions[entry["session"]["id"]] = entry["session"]
                    continue
                runs = self.results.setdefault(Case.of_dict(entry["case"]), [])
                if entry["run"] not in runs:
                    runs.append(entry["run"])
            except (ValueError, KeyError, TypeError) as e:
                raise ValueError(
                    f"{path}, line {number}: expected a session or a run of python -m bench as JSON, found {line[:40]!r} "
                    f"({type(e).__name__} {e})"
                ) from None

    def write(self, path: Path) -> None:
        """Whole or not at all."""
        used = {r.get("session") for runs in self.results.values() for r in runs}
        lines: list[Any] = [{"session": s} for k, s in self.sessions.items() if k in used]
        lines += [{"case": case.as_dict(), "run": run} for case, runs in self.results.items() for run in runs]
        part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            part.write_text("".join(json.dumps(line, default=str) + "\n" for line in lines))
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    @staticmethod
    def of_files(paths: Iterable[Path]) -> Store:
        store = Store()
        for path in paths:
            store.read(path)
        return store


class RunFile:
    """Results of a program with runs of its own kind, whose lines are {"session": ...} and {"run": {..., "session": id}}."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.sessions = {line["session"]["id"]: line["session"] for line in lines if "session" in line}
        self.runs: list[dict[str, Any]] = [line["run"] for line in lines if "run" in line]
        self._here: dict[str, Any] | None = None

    def add(self, run: dict[str, Any], threads: int) -> None:
        """Writes a run, before the first one the session."""
        first, self._here = self._here is None, self._here or session(threads)
        self.sessions[self._here["id"]] = self._here
        self.runs.append({**run, "session": self._here["id"]})
        with self.path.open("a") as file:
            for line in ([{"session": self._here}] if first else []) + [{"run": self.runs[-1]}]:
                print(json.dumps(line), file=file)


def _commit() -> str:
    """Of the checkout, with "-dirty" where files were changed other than results and pages; empty outside of git."""

    def said(*command: str) -> subprocess.CompletedProcess[str]:
        root = Path(__file__).parents[1]
        return subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, timeout=60)

    try:
        commit = said("describe", "--always", "--exclude", "*").stdout.strip()
        changed = said("diff", "--quiet", "HEAD", "--", ".", ":!bench/results", ":!docs", ":!*.md").returncode == 1
    except OSError:
        return ""
    return f"{commit}-dirty" if commit and changed else commit


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
        "commit": _commit(),
        "load_average_at_start": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }
