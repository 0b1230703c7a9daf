"""The command scale: this package's svm-scale, with files in place of redirections."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from . import files, inputs

EPILOG = """\
examples:
  dcsvm scale train.txt train.scaled --save ranges           every feature to [-1, 1]
  dcsvm scale test.txt test.scaled --restore ranges          with the training data's ranges
  dcsvm scale train.txt - --lower 0 | dcsvm train - model

Ranges are kept in svm-scale's format.
"""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """The options, on a parser."""
    p.add_argument("data", type=inputs.named, metavar="DATA", help="svmlight text, also compressed; - is stdin")
    p.add_argument("output", type=inputs.named, metavar="OUTPUT", help="file to write; - is stdout")
    p.add_argument("--lower", type=float, metavar="X", help="smallest value of a feature (-1)")
    p.add_argument("--upper", type=float, metavar="X", help="largest value of a feature (1)")
    ranges = p.add_mutually_exclusive_group()
    ranges.add_argument("--save", type=inputs.named, metavar="FILE", help="write the ranges that were found")
    ranges.add_argument("--restore", type=inputs.named, metavar="FILE", help="use the ranges of a file")


def run(args: argparse.Namespace) -> None:
    """Scales. ValueError with svm-scale's own words when it refuses."""
    program = shutil.which("svm-scale", path=sysconfig.get_path("scripts")) or shutil.which("svm-scale")
    if program is None:
        raise ValueError("svm-scale is missing from this installation; install dcsvm again")
    lower, upper = (-1.0 if args.lower is None else args.lower), (1.0 if args.upper is None else args.upper)
    if not lower < upper:
        raise ValueError(f"--lower must be below --upper, got {lower:g} and {upper:g}")
    if args.restore is not None:
        if args.lower is not None or args.upper is not None:
            raise ValueError("--restore takes the limits of its file: leave --lower and --upper out")
        Path(args.restore).open("rb").close()  # an error of its own
    kind = inputs.format_by_name(args.data)
    if kind != "svmlight":
        raise ValueError(
            f"{args.data}: dcsvm scale reads svmlight text, got {kind}; dcsvm.save_svmlight writes such text, and in Python "
            "scikit-learn's MinMaxScaler scales arrays"
        )
    files.check_writable(args.output, args.data, args.restore)
    if args.save is not None:
        files.check_writable(args.save, args.data, args.output)
    limits = ["-r", args.restore] if args.restore else ["-l", repr(lower), "-u", repr(upper)]
    kept = ["-s", args.save] if args.save else []
    with inputs.plain(args.data) as path, files.writing(args.output) as file:
        path.open("rb").close()
        command = [program, *limits, *kept, str(path)]
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as scaling,
        ):
            assert scaling.stdout is not None
            shutil.copyfileobj(scaling.stdout, file)
            scaling.stdout.close()
            if scaling.wait() != 0:
                errors.seek(0)
                data = "stdin" if args.data in inputs.STDIN else args.data
                raise ValueError(said(errors.read().replace(str(path), data), data, args.restore, scaling.returncode))


def said(words: str, data: str, ranges: str | None, code: int) -> str:
    """The last line of what svm-scale wrote, which has the place and the cause. A line without a file's name is of the ranges."""
    lines = words.splitlines() or [f"{data}: svm-scale ended with {code}"]
    reason = lines[-1].removeprefix("ERROR: ")
    return reason if data in reason or ranges is None or ranges in reason else f"{ranges}: {reason}"
