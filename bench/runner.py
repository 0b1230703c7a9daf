"""Runs cases, each in its own process under a time limit, contestants alternating."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Case:
    """One contestant on one problem. ``problem`` is "read:path" for the reading of a text file."""

    problem: str
    peer: str
    tol: float = 1e-3
    cache_mb: float = 4000
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        extra = "".join(f" {k}={v}" for k, v in self.options)
        tol = "" if self.problem.startswith("read:") else f" tol {self.tol:g}"
        cache = f" cache {self.cache_mb:g} MB" if self.cache_mb != 4000 else ""
        return f"{self.problem} {self.peer}{tol}{cache}{extra}"


@dataclass
class Runner:
    """``results`` holds each case's runs, in order; failed runs are {"error": why}."""

    work: Path
    threads: int = 2
    time_limit: float = 1800
    repeat: int = 3
    repeat_limit: float = 60  # a case whose first run took longer is not repeated
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)
    results: dict[Case, list[dict[str, Any]]] = field(default_factory=dict)

    def run(self, cases: Iterable[Case], after_each: Callable[[], None] = lambda: None) -> None:
        """Round by round over all cases, so that a disturbance hits every contestant of a problem alike."""
        cases = sorted(dict.fromkeys(cases), key=lambda c: c.problem)
        for turn in range(self.repeat):
            for case in cases:
                runs = self.results.setdefault(case, [])
                if turn and ("error" in runs[0] or runs[0]["seconds"] > self.repeat_limit):
                    continue
                runs.append(self._one(case, first=not runs))
                self.say(f"[{turn + 1}/{self.repeat}] {case}: {_summary(runs[-1])}")
                after_each()

    def support_file(self, case: Case) -> Path:
        return self.work / f"support-{str(case).replace(' ', '_').replace('/', '_')}.npy"

    def _one(self, case: Case, first: bool) -> dict[str, Any]:
        spec: dict[str, Any] = {"peer": case.peer, "threads": self.threads, "tol": case.tol, "cache_mb": case.cache_mb}
        spec["options"] = dict(case.options)
        if case.problem.startswith("read:"):
            spec["read"] = case.problem[5:]
        else:
            # models are the same every time, so their quality is measured once
            spec |= {"problem": case.problem, "quality": first, "support_file": str(self.support_file(case)) if first else ""}
        return run_process(spec, self.threads, self.time_limit)


def run_process(spec: dict[str, Any], threads: int, time_limit: float) -> dict[str, Any]:
    count = str(threads)
    env = os.environ | {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "DCSVM_NUM_THREADS": count}
    command = [sys.executable, "-m", "bench.case", json.dumps(spec)]
    # a session of its own, so that the limit also ends what a peer may have started
    process = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, err = process.communicate(timeout=time_limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"error": f"time limit of {time_limit:g} s"}
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    for line in reversed(out.splitlines()):
        if line.startswith("RESULT "):
            return json.loads(line[7:])
    last = (err.strip().splitlines() or ["no output"])[-1]
    return {"error": f"exit code {process.returncode}: {last}"}


def _summary(run: dict[str, Any]) -> str:
    if "error" in run:
        return run["error"]
    parts = [f"{run['seconds']:.2f} s"]
    for key, text in (("accuracy", "{:.2f} %"), ("objective", "objective {:.6f}"), ("violation", "violation {:.1e}")):
        if key in run:
            parts.append(text.format(run[key]))
    return ", ".join(parts)
