"""Runs cases, each in its own process under a time limit, contestants of a problem alternating."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from . import phases

ROOT = Path(__file__).resolve().parents[1]
PREPARING = 1800.0  # seconds for what is not timed: reading and converting data, measuring quality


@dataclass(frozen=True)
class Case:
    """One contestant on one problem.

    kind: "fit"; "load": reading the problem as LIBSVM text; "rate": kernel values per second of the problem.
    isa: DCSVM_FORCE_ISA.
    """

    problem: str
    peer: str
    tol: float = 1e-3
    cache_mb: float = 4000
    options: tuple[tuple[str, Any], ...] = ()
    kind: str = "fit"
    threads: int = 0  # 0: the runner's
    isa: str = ""

    def __str__(self) -> str:
        extra = "".join(f" {k}={v}" for k, v in self.options)
        cache = f" cache {self.cache_mb:g} MB" if self.cache_mb != 4000 else ""
        threads = f" threads {self.threads}" if self.threads else ""
        isa = f" {self.isa}" if self.isa else ""
        if self.kind != "fit":
            return f"{self.problem} {self.peer} {self.kind}{threads}{isa}"
        return f"{self.problem} {self.peer} tol {self.tol:g}{cache}{threads}{isa}{extra}"

    def as_dict(self) -> dict[str, Any]:
        """Without what is the default."""
        own = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}
        return own | ({"options": dict(self.options)} if self.options else {})

    @staticmethod
    def of_dict(d: dict[str, Any]) -> Case:
        return Case(**{**d, "options": tuple(d.get("options", {}).items())})


def over_limit(run: dict[str, Any]) -> bool:
    """The timed part itself hit the time limit (and not what came before or after it)."""
    return run.get("limited") in ("fit", "load")


def is_done(run: dict[str, Any], time_limit: float) -> bool:
    """Nothing would change by running it again."""
    return "error" not in run or (over_limit(run) and run.get("time_limit", 0) >= time_limit)


@dataclass
class Runner:
    """``results`` holds each case's runs, in order; failed runs are {"error": why}."""

    work: Path
    threads: int = 2
    time_limit: float = 600
    repeat: int = 3
    repeat_limit: float = 60  # a case whose first run took longer is not repeated
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)
    results: dict[Case, list[dict[str, Any]]] = field(default_factory=dict)
    tag: dict[str, Any] = field(default_factory=dict)  # goes into every run

    def run(self, cases: Iterable[Case], after_each: Callable[[], None] = lambda: None) -> None:
        """Problem by problem, round by round, so that a disturbance hits every contestant of a problem alike. Runs that
        ``results`` has already count."""
        cases = list(dict.fromkeys(cases))
        for problem in dict.fromkeys(c.problem for c in cases):
            mine = [c for c in cases if c.problem == problem]
            for case in mine:
                runs = self.results.setdefault(case, [])
                runs[:] = [r for r in runs if is_done(r, self.time_limit)]
            for turn in range(self.repeat):
                for case in mine:
                    runs = self.results[case]
                    if len(runs) > turn or (runs and ("error" in runs[0] or runs[0]["seconds"] > self.repeat_limit)):
                        continue
                    runs.append(self._smaller_failed(case) or self._one(case, first=not runs))
                    self.say(f"[{turn + 1}/{self.repeat}] {case}: {_summary(runs[-1])}")
                    after_each()

    def _smaller_failed(self, case: Case) -> dict[str, Any] | None:
        """A peer that could not train n rows in time is not asked to train more of the same problem."""
        rows = rows_of(case)
        for other, runs in self.results.items():
            same = other.problem.partition("/")[0] == case.problem.partition("/")[0]
            if not same or other == case or rows_of(other) >= rows or not runs or not over_limit(runs[0]):
                continue
            if {**vars(other), "problem": ""} == {**vars(case), "problem": ""} and runs[0]["time_limit"] >= self.time_limit:
                text = f"not run: over {runs[0]['time_limit']:g} s at {rows_of(other):,} rows"
                return self.tag | {"error": text, "limited": "fit", "time_limit": runs[0]["time_limit"], "implied": True}
        return None

    def support_file(self, case: Case) -> Path:
        return self.work / f"support-{str(case).replace(' ', '_').replace('/', '_')}.npy"

    def text_file(self, problem: str) -> Path:
        return self.work / f"{problem.replace('/', '_')}.svm"

    def _one(self, case: Case, first: bool) -> dict[str, Any]:
        threads = case.threads or self.threads
        spec: dict[str, Any] = {k: v for k, v in case.as_dict().items() if k not in ("isa", "threads")} | {"threads": threads}
        if case.kind == "load":
            from .text import write_text

            spec["file"] = str(self.text_file(case.problem))
            try:
                write_text(case.problem, Path(spec["file"]))
            except FileNotFoundError as absent:
                return self.tag | {"error": "data absent", "detail": str(absent), "missing": True}
            except ModuleNotFoundError as absent:
                return self.tag | {"error": f"not installed: {absent.name}", "missing": True}
        elif case.kind == "fit":
            # models are the same every time, so their quality is measured once
            spec |= {"quality": first, "support_file": str(self.support_file(case)) if first else ""}
        env = {"DCSVM_FORCE_ISA": case.isa} if case.isa else {}
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        return self.tag | {"load_average": load} | run_process(spec, threads, self.time_limit, env)


def rows_of(case: Case) -> int:
    from . import problems

    base, _, rows = case.problem.partition("/")
    return int(rows) if rows else problems.ROWS.get(base, 0)


def run_process(spec: dict[str, Any], threads: int, time_limit: float, more_env: dict[str, str] | None = None) -> dict[str, Any]:
    """What the case's process found. The time limit holds for each timed phase (fit, predict, ...) by itself."""
    count = str(threads)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "DCSVM_NUM_THREADS")
    env = os.environ | dict.fromkeys(names, count) | (more_env or {})
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", f"{__package__}.case", json.dumps(spec)]
    # a session of its own, so that the limit also ends what a peer may have started
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, errors="replace"
    )
    try:
        found, limited, err = _listen(process, time_limit)
    except BaseException:
        _kill(process)
        process.stdout.close()
        process.stderr.close()
        raise
    if limited:
        result = found or {"error": f"time limit of {time_limit:g} s ({limited})"}
        return result | {"limited": limited, "time_limit": time_limit}
    if process.returncode != 0 or found is None:
        last = ([line for line in err.splitlines() if line.strip()] or ["no output"])[-1]
        return {**(found or {}), "error": f"{_exit(process.returncode)}: {last[:300]}"}
    return found


def _exit(code: int) -> str:
    try:
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    except ValueError:
        return f"exit code {code}"


def _kill(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _listen(process: subprocess.Popen[str], time_limit: float) -> tuple[dict[str, Any] | None, str, str]:
    """(the last result, the phase that took too long or "", stderr)"""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    err: list[str] = []

    def read_out() -> None:
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    readers = [threading.Thread(target=read_out), threading.Thread(target=lambda: err.append(process.stderr.read()))]
    for r in readers:
        r.daemon = True
        r.start()
    found, phase, deadline = None, "prepare", time.monotonic() + PREPARING
    limited = ""
    while True:
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            limited = phase
            _kill(process)
            break
        if line is None:
            break
        if line.startswith(phases.PHASE):
            phase = line[len(phases.PHASE) :].strip()
            timed = phase in ("fit", "predict", "load")
            deadline = time.monotonic() + (time_limit if timed else PREPARING)
        elif line.startswith(phases.RESULT):
            found = json.loads(line[len(phases.RESULT) :])
            phase, deadline = "prepare", time.monotonic() + PREPARING
    process.wait()
    for r in readers:
        r.join()
    process.stdout.close()
    process.stderr.close()
    return found, limited, "".join(err)


def _summary(run: dict[str, Any]) -> str:
    if "error" in run:
        return run["error"] + (f": {run['detail']}" if "detail" in run else "")
    if "values_per_second" in run:
        return f"{run['values_per_second'] / 1e9:.2f} G kernel values/s"
    parts = [f"{run['seconds']:.3f} s"]
    for key, text in (
        ("predict_seconds", "predict {:.3f} s"),
        ("accuracy", "{:.2f} %"),
        ("objective", "objective {:.6f}"),
        ("violation", "violation {:.1e}"),
    ):
        if key in run:
            parts.append(text.format(run[key]))
    if run.get("limited"):
        parts.append(f"{run['limited']} over {run['time_limit']:g} s")
    return ", ".join(parts)
