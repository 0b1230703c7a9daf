"""The commands liblinear-train and liblinear-predict from start to end, on a problem as text, against LIBLINEAR's own.

    python -m bench.linear_commands --train /usr/bin/liblinear-train --predict /usr/bin/liblinear-predict imdb

Seconds of wall and processor time (user and system) of the whole processes, in turn, medians. Ours are those of this Python's
environment; --train and --predict name LIBLINEAR's (Debian: package liblinear-tools; upstream: train and predict). The training
text is also what is predicted.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dcsvm

from .linear import load


def seconds(command: list[str], threads: int) -> tuple[float, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DCSVM_NUM_THREADS": str(threads)})
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--train", default="/usr/bin/liblinear-train", help="LIBLINEAR's")
    parser.add_argument("--predict", default="/usr/bin/liblinear-predict")
    parser.add_argument("--options", default="-s 1", help="of training")
    parser.add_argument("--threads", type=int, default=1, help="of ours")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    folder = Path(sys.executable).parent
    commands = {
        "theirs": (args.train, args.predict),
        "ours": (str(folder / "liblinear-train"), str(folder / "liblinear-predict")),
    }
    for name in args.problems:
        x, y = load(name)
        with tempfile.TemporaryDirectory() as work:
            text = f"{work}/{name}.txt"
            dcsvm.save_svmlight(text, x, y)
            runs: dict[str, list[list[tuple[float, float]]]] = {side: [[], []] for side in commands}
            for _ in range(args.repeats):
                for side, (train, predict) in commands.items():
                    model = f"{work}/{side}.model"
                    runs[side][0].append(seconds([train, *args.options.split(), "-q", text, model], args.threads))
                    runs[side][1].append(seconds([predict, text, model, f"{work}/{side}.out"], args.threads))
            for k, step in enumerate(("train", "predict")):
                wall, cpu = ({side: statistics.median(r[what] for r in runs[side][k]) for side in runs} for what in (0, 1))
                print(
                    f"{name} {step:8} wall {wall['ours']:.3f} {wall['theirs']:.3f} {wall['theirs'] / wall['ours']:.2f}x   "
                    f"processor {cpu['ours']:.3f} {cpu['theirs']:.3f} {cpu['theirs'] / cpu['ours']:.2f}x",
                    flush=True,
                )


if __name__ == "__main__":
    main()
