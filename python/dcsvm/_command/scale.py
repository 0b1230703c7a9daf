"""The command scale: this package's svm-scale, with files in place of redirections."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sysconfig

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
    p.add_argument("--lower", type=float, default=-1.0, metavar="X", help="smallest value of a feature (-1)")
    p.add_argument("--upper", type=float, default=1.0, metavar="X", help="largest value of a feature (1)")
    ranges = p.add_mutually_exclusive_group()
    ranges.add_argument("--save", type=inputs.named, metavar="FILE", help="write the ranges that were found")
    ranges.add_argument("--restore", type=inputs.named, metavar="FILE", help="use the ranges of a file")


def run(args: argparse.Namespace) -> None:
    """Scales. ValueError with svm-scale's own words when it refuses."""
    program = shutil.which("svm-scale", path=sysconfig.get_path("scripts")) or shutil.which("svm-scale")
    if program is None:
        raise ValueError("svm-scale is missing from this installation; install dcsvm again")
    if args.lower >= args.upper:
        raise ValueError(f"--lower must be below --upper, got {args.lower:g} and {args.upper:g}")
    kind = inputs.format_by_name(args.data)
    if kind != "svmlight":
        raise ValueError(
            f"{args.data}: dcsvm scale reads svmlight text, got {kind}; dcsvm.save_svmlight writes such text, and in Python "
            "scikit-learn's MinMaxScaler scales arrays"
        )
    files.check_writable(args.output, args.data, args.restore)
    if args.save is not None:
        files.check_writable(args.save, args.data, args.output)
    limits = ["-r", args.restore] if args.restore else ["-l", repr(args.lower), "-u", repr(args.upper)]
    kept = ["-s", args.save] if args.save else []
    with inputs.plain(args.data) as path, files.writing(args.output) as file:
        to_stdout = args.output in files.STDOUT
        done = subprocess.run(
            [program, *limits, *kept, str(path)],
            stdout=None if to_stdout else file,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            words = " ".join(done.stderr.split()).replace(str(path), args.data)
            raise ValueError(f"{args.data}: {words or f'svm-scale ended with {done.returncode}'}")
