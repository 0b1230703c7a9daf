"""Everything that the pages state, measured and written by one command, on an idle machine.

    python -m bench.pages                  # measures what is missing or stale, one step after another, and writes the pages
    python -m bench.pages --list           # measures nothing: what each step's results are, and whether they are stale
    python -m bench.pages --steps torchkm  # these alone, whether they are stale or not

A step is a command of bench and the file of bench/results that it adds to. Its results are stale when a folder that it measures
has changed since the commit that they name, or when they name none. Before each step the load average must be at most 0.5 a core:
the program waits for that.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from .admitted import BUSY
from .runner import ROOT

RESULTS = ROOT / "bench" / "results"
CORE = ("cpp/src/qp", "cpp/src/svm", "cpp/src/kernel_matrix", "cpp/src/kernels", "cpp/src/simd")
LINEAR = ("cpp/src/linear", "cpp/src/linear_fit", "cpp/src/products", "cpp/src/optimise")
PROBLEMS = ("heart", "svmguide1", "usps", "pendigits", "ijcnn1", "a9a")
WAIT = 10.0  # seconds between two looks at the load


class Step(NamedTuple):
    """file: of bench/results. command: what follows `python -m`, and adds to it. page: the commands that write pages from it."""

    file: str
    measures: tuple[str, ...]
    command: str
    page: tuple[str, ...]
    minutes: int  # about, on two cores

    @property
    def path(self) -> Path:
        return RESULTS / f"{self.file}.jsonl"


PICTURES, REPORT = "bench --pictures", "bench --report"  # REPORT: of the files that reported() names
STEPS = {
    "torchkm": Step(
        "torchkm",
        (*CORE, "cpp/src/cross_validation"),
        "bench.torchkm_table --rows 10000 20000 --repeat 3 --out {file}",
        ("bench.torchkm_table --page",),
        2,
    ),
    "curve": Step(
        "readme-curve",
        CORE,
        "bench --scaling covtype85k --max-rows 40000 --peers exact dcsvm_early --repeat 3 --resume --out {file}",
        (PICTURES,),
        20,
    ),
    "exact": Step(
        "exact",
        CORE,
        f"bench --problems {' '.join(PROBLEMS)} --peers exact dcsvm_early --load --repeat 3 --resume --out {{file}}",
        (REPORT, PICTURES),
        15,
    ),
    "embeddings": Step(
        "embeddings",
        CORE,
        "bench --problems embeddings-ocr embeddings-384-20 embeddings-768-10 embeddings-1024-2 "
        "--peers dcsvm_auto sklearnex_float32 --repeat 3 --resume --out {file}",
        (REPORT,),
        6,
    ),
    "early": Step(
        "early",
        (*CORE, "cpp/src/clustering"),
        "bench --problems covtype85k ijcnn1 twonorm-1m ringnorm-1m checkerboard-1m ncheckerboard-800k "
        "--peers dcsvm_auto dcsvm_early --repeat 1 --resume --out {file}",
        (PICTURES,),
        8,
    ),
    "linear": Step("linear", LINEAR, "bench --linear --threads 1 --repeat 3 --resume --out {file}", (REPORT,), 15),
    "kernels": Step("kernels", ("python/dcsvm/_search",), "bench.which_kernel", ("bench.which_kernel --page",), 60),
}


def sessions(path: Path) -> list[dict[str, Any]]:
    """Of a file of results, the newest last."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return sorted((line["session"] for line in lines if "session" in line), key=lambda s: str(s["id"]))


def changed_since(commit: str, folders: tuple[str, ...]) -> list[str]:
    """The folders that differ between the commit and the working tree. A commit that git does not know: all of them."""
    known = subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True).returncode == 0
    if not known:
        return list(folders)
    differs = ["git", "diff", "--quiet", commit, "--"]
    return [folder for folder in folders if subprocess.run([*differs, folder], cwd=ROOT, capture_output=True).returncode != 0]


def stale(step: Step) -> str:
    """Why the results are not today's; empty where they are."""
    newest = sessions(step.path)[-1:]
    if not newest:
        return "not measured"
    commit = str(newest[0].get("commit") or "")
    if not commit:
        return "stale: its session names no commit"
    changed = changed_since(commit.removesuffix("-dirty"), step.measures)
    return f"stale: {', '.join(changed)} changed since {commit}" if changed else ""


def state(step: Step) -> str:
    """One line: when, where and at what commit it was measured, and whether that is stale."""
    newest = sessions(step.path)[-1:]
    when = "".join(f"{s['date']}, {s['cpu']}, commit {s.get('commit') or 'unknown'}; " for s in newest)
    return when + (stale(step) or "up to date")


def reported() -> list[Path]:
    """The files of results that docs/developers/benchmarks.md shows."""
    paths = (STEPS[name].path for name in ("exact", "embeddings", "linear"))
    return [path for path in paths if path.exists()]


def wait_until_idle() -> None:
    cores, said = os.cpu_count() or 1, False
    while (load := os.getloadavg()[0]) > BUSY * cores:
        if not said:
            print(f"waiting: the load average is {load:.1f}, and runs above {BUSY:g} a core are no figures", flush=True)
        said = True
        time.sleep(WAIT)


def run(command: str) -> None:
    print("python -m", command, flush=True)
    subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=ROOT, check=True)


def measure(name: str) -> None:
    """A step, and the pages that are made from it. Old runs do not stay beside new ones."""
    step = STEPS[name]
    if (why := stale(step)).startswith("stale"):
        print(f"{name}: {why}; measured anew", flush=True)
        step.path.unlink()
    wait_until_idle()
    run(step.command.format(file=shlex.quote(str(step.path.relative_to(ROOT)))))
    for page in step.page:
        files = [str(path.relative_to(ROOT)) for path in reported()] if page == REPORT else []
        run(" ".join([page, *files]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", nargs="+", choices=list(STEPS), help="these, stale or not; without it those that are stale")
    parser.add_argument("--list", action="store_true", help="measure nothing")
    a = parser.parse_args()
    if a.list:
        for name, step in STEPS.items():
            print(f"{name:10} {step.minutes:3d} minutes  {state(step)}")
        return
    for name in a.steps or [name for name, step in STEPS.items() if stale(step)]:
        measure(name)


if __name__ == "__main__":
    main()
