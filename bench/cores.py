"""How would one training run on 16 or 64 cores? Its pieces, timed on this machine's one core, are handed out to so many threads.

    python -m bench.cores                                  # five large problems, 16 and 64 threads
    python -m bench.cores --problems ijcnn1 --threads 4 8 --repeat 5

With DCSVM_TRACE_LOOPS the core divides the work as for the number of threads that it was asked for, but runs the pieces of every
loop one after another and notes their CPU times (cpp/src/base/loop_trace.hpp). `simulated` gives the pieces of a loop, in order,
to the thread that is free first; what is outside of loops is serial. What waking costs is WAKE. A core of the simulated
machine is as fast as this one alone: what cores share (memory bandwidth, caches, clocks) is not in the model.

The calibration compares the simulation of one thread and of two with trainings that are not traced. Two threads of one machine
may share multipliers and caches: how much is measured by two trainings of one thread side by side, against one alone.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from . import peers, problems
from .runner import ROOT

PROBLEMS = ("covtype85k", "ncheckerboard-100k", "mnist", "ijcnn1", "a9a")
TOL, CACHE_MB = 1e-3, 4000  # as python -m bench trains
BESIDE, TRIES = 0.15, 4  # CPUs of other processes that a real training may have beside it; trainings for one that is alone
TRACE = "DCSVM_TRACE_LOOPS"
MOST_SHOWN = 6  # pieces that the last simulated machine waits for


class Wake(NamedTuple):
    """Seconds. Measured 2026-11-30 on two threads: ThreadPool::for_each over pieces that look at the clock, medians of 300."""

    spinning: float = 0.2e-6  # until a thread that looks for work has it
    sleeping: float = 25e-6  # until one that sleeps has it
    call: float = 7e-6  # that the caller needs to wake one that sleeps
    next: float = 0.2e-6  # between one thread's start and the next one's, which takes the same lock
    join: float = 2e-6  # from the last piece's end until the caller goes on
    spins: float = 100e-6  # how long a thread looks for work before it sleeps


WAKE = Wake()


@dataclass
class Loop:
    """Seconds: serial time before it, and of its pieces."""

    name: str
    lanes: int  #: threads that may share it
    before: float
    pieces: list[float]


@dataclass
class Trace:
    """loops, and the serial time after the last."""

    loops: list[Loop]
    after: float

    @property
    def serial(self) -> float:
        """Seconds outside of loops, or in loops of one piece."""
        return self.after + sum(x.before + (sum(x.pieces) if x.lanes == 1 else 0.0) for x in self.loops)

    @property
    def work(self) -> float:
        return self.after + sum(x.before + sum(x.pieces) for x in self.loops)


def read(lines: Iterable[str], begin: int, end: int) -> Trace:
    """The loops of a file between two moments (nanoseconds of the thread's CPU time)."""
    loops: list[Loop] = []
    last = begin
    for line in lines:
        numbers, _, name = line.rstrip("\n").partition("\t")
        lanes, written, start, stop, *pieces = map(int, numbers.split())
        if start < begin or stop > end:
            continue
        loops.append(Loop(name, lanes, (start - max(last, written)) * 1e-9, [p * 1e-9 for p in pieces]))
        last = stop
    return Trace(loops, (end - last) * 1e-9)


def loop_seconds(loop: Loop, threads: int, asleep: bool, wake: Wake = WAKE, stretch: float = 1.0) -> float:
    """Seconds of a loop on so many threads. asleep: whether the threads slept. stretch: of pieces while others run too."""
    lanes = min(threads, loop.lanes)
    if lanes == 1:
        return sum(loop.pieces)
    first = wake.sleeping if asleep else wake.spinning
    free = [wake.call if asleep else 0.0, *(first + wake.next * k for k in range(lanes - 1))]
    end = 0.0
    for piece in loop.pieces:
        end = max(end, heapq.heapreplace(free, free[0] + piece * stretch) + piece * stretch)
    return end + wake.join


def simulated(trace: Trace, threads: int, wake: Wake = WAKE, stretch: float = 1.0) -> tuple[float, Counter[str]]:
    """Seconds on so many threads; and of each loop, and of the serial time before it."""
    parts: Counter[str] = Counter()
    last, idle = "begin", float("inf")
    for loop in trace.loops:
        idle += loop.before
        parts[f"{last} ... {loop.name}"] += loop.before
        seconds = loop_seconds(loop, threads, idle > wake.spins, wake, stretch)
        parts[loop.name] += seconds
        idle = idle + seconds if min(threads, loop.lanes) == 1 else 0.0
        last = loop.name
    parts[f"{last} ... end"] += trace.after
    return sum(parts.values()), parts


# Real trainings, each in a process of its own


class Run(NamedTuple):
    """A training: begin and end in nanoseconds, of the thread's CPU time where there is one thread; CPUs busy beside it."""

    begin: int
    end: int
    beside: float


def prepare(name: str) -> problems.Problem:
    import dcsvm

    dcsvm.train([[0.0], [1.0]], [0, 1])  # imports what a training needs
    return problems.load(name)


def train(name: str, threads: int) -> None:
    """In a child: trains when a line comes, and prints a Run."""
    import dcsvm

    p = prepare(name)
    print("ready", flush=True)
    sys.stdin.readline()
    clock = time.thread_time_ns if threads == 1 or TRACE in os.environ else time.monotonic_ns
    before, begin = peers.clocks(), clock()
    dcsvm.train(p.X_train, p.y_train, **p.params, tol=TOL, cache_size=CACHE_MB, n_jobs=threads)
    end = clock()
    print(json.dumps((begin, end, peers.busy_beside(before, peers.clocks()))), flush=True)


def trainings(problem: str, threads: int, at_once: int = 1, trace: Path | None = None) -> list[Run]:
    """So many equal trainings, which begin together."""
    environment = {k: v for k, v in os.environ.items() if k != TRACE} | ({TRACE: str(trace)} if trace else {})
    command = [sys.executable, "-c", f"from bench import cores; cores.train({problem!r}, {threads})"]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment, "cwd": ROOT}
    children = [subprocess.Popen(command, **pipe) for _ in range(at_once)]
    for child in children:
        assert child.stdout is not None
        if not child.stdout.readline():
            raise RuntimeError(f"the training of {problem} ended before it began; its error is above")
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    return [Run(*json.loads(child.communicate()[0])) for child in children]


def traced(problem: str, threads: int) -> Trace:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loops"
        run = trainings(problem, threads, trace=path)[0]
        with path.open() as lines:
            return read(lines, run.begin, run.end)


def seconds(problem: str, threads: int, at_once: int, repeat: int) -> tuple[float, bool]:
    """The median of trainings, and whether none ran beside other work: such ones are repeated, but not for ever."""
    alone: list[float] = []
    others: list[float] = []
    while len(alone) < repeat and len(others) < TRIES * repeat:
        runs = trainings(problem, threads, at_once)
        found = statistics.fmean((run.end - run.begin) * 1e-9 for run in runs)
        beside = max(run.beside for run in runs) - (at_once - 1)
        (alone if beside < BESIDE else others).append(found)
    return (statistics.median(alone), True) if alone else (statistics.median(others), False)


# The report


def readable(names: Iterable[str]) -> dict[str, str]:
    """The functions that loops stand in, without namespaces, types and arguments; as they are where there is no c++filt."""
    names = list(names)
    if not names or shutil.which("c++filt") is None:
        return {name: name for name in names}
    plain = subprocess.run(
        ["c++filt", "-t"], input="\n".join(names), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return dict(zip(names, map(shortened, plain), strict=True))


def shortened(name: str) -> str:
    """ "a::B<float>::run(long) const::{lambda(long, int)#2}" -> "B::run 2"."""
    less, name = name, ""
    while less != name:  # what is innermost goes first
        name = less
        less = re.sub(r"<[^<>]*>|\([^()]*\)(?: const)?|^dcsvm::", "", name)
        less = re.sub(r"\{lambda#(\d+)\}", r" \1", less)
    functions = [p for p in name.split("::") if p and not p.startswith(" ") and p != "operator"]
    numbers = [p for p in name.split("::") if p.startswith(" ")]
    return "::".join(functions[-2:]) + "".join(numbers)


def waits(trace: Trace, parts: Counter[str]) -> dict[str, float]:
    """The largest shares of the simulated seconds, by what they are for."""
    names = readable({x.name for x in trace.loops})
    pieces: dict[str, list[int]] = {}
    for loop in trace.loops:
        pieces.setdefault(loop.name, []).append(len(loop.pieces))
    found = {}
    for name, spent in parts.most_common(MOST_SHOWN):
        if name in pieces:
            each = statistics.fmean(pieces[name])
            title = f"{len(pieces[name]):,} loops {names[name]}, {each:.1f} pieces on average"
        else:
            title = "serial, " + " ... ".join(names.get(end, end) for end in name.split(" ... "))
        found[title] = spent / parts.total()
    return found


def measure(problem: str, threads: Sequence[int], repeat: int) -> dict[str, Any]:
    """All that is printed of a problem: medians of the real trainings, and of each number of threads one trace."""
    kinds = {"one": (1, 1)} | ({"two": (2, 1), "side by side": (1, 2)} if (os.cpu_count() or 1) > 1 else {})
    runs = {name: seconds(problem, *kind, repeat) for name, kind in kinds.items()}
    real = {name: found for name, (found, _) in runs.items()}
    beside = [name for name, (_, alone) in runs.items() if not alone]
    stretch = max(1.0, real["side by side"] / real["one"]) if "two" in real else 1.0
    pair = traced(problem, 2)
    result: dict[str, Any] = {"problem": problem, "real": real, "beside": beside, "stretch": stretch, "simulated": {1: pair.work}}
    result["simulated"][2], _ = simulated(pair, 2)
    result["shared"], _ = simulated(pair, 2, stretch=stretch)
    for n in threads:
        trace = traced(problem, n)
        result["simulated"][n], parts = simulated(trace, n)
        result["serial"], result["loops"] = trace.serial / trace.work, len(trace.loops)
        result["waits"] = waits(trace, parts)
    return result


def lines_of(found: dict[str, Any]) -> list[str]:
    real, guess = found["real"], found["simulated"]
    one = guess[1]
    lines = [f"{found['problem']}: {100 * found['serial']:.0f} % outside of {found['loops']:,} loops"]
    lines += [f"  {n:>3} threads: {t:7.3f} s simulated, {one / t:5.2f} times as fast" for n, t in sorted(guess.items())]
    if found["beside"]:
        lines.append(f"  other processes ran beside {', '.join(found['beside'])}: these seconds are no figures")
    lines.append(f"  real, 1 thread: {real['one']:.3f} s; the simulation is {100 * (one / real['one'] - 1):+.0f} % off")
    if "two" in real:
        off = [f"{100 * (t / real['two'] - 1):+.0f} %" for t in (guess[2], found["shared"])]
        lines.append(f"  real, 2 threads: {real['two']:.3f} s, {real['one'] / real['two']:.2f} times as fast; the simulation is")
        lines.append(f"    {off[0]} off, {off[1]} with pieces {found['stretch']:.2f} times as long, as beside a second training")
    lines.append(f"  what {max(guess)} threads take their time for:")
    return lines + [f"    {100 * share:3.0f} %  {name}" for name, share in found["waits"].items()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cores", description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, metavar="NAME", help=f"default: {' '.join(PROBLEMS)}")
    parser.add_argument("--threads", nargs="+", type=int, default=(16, 64), help="of the machines simulated; default: 16 64")
    parser.add_argument("--repeat", type=int, default=3, help="real trainings, whose median counts; default: 3")
    parser.add_argument("--out", type=Path, help="a file that takes a line of JSON for each problem")
    a = parser.parse_args()
    if min(a.threads) < 2 or a.repeat < 1:
        parser.error("--threads are at least 2, --repeat at least 1")
    for name in a.problems:
        problems.parse(name)
    for name in a.problems:
        found = measure(name, sorted(a.threads), a.repeat)
        print(*lines_of(found), sep="\n", flush=True)
        if a.out:
            with a.out.open("a") as file:
                file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
