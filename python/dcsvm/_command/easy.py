"""The command easy: what LIBSVM's easy.py does, by the commands scale, grid and predict."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from . import inputs

EPILOG = """\
examples:
  dcsvm easy train.txt                 writes train.txt.range and train.txt.model into this folder
  dcsvm easy train.txt test.txt        also test.txt.predict, and prints the accuracy

The steps: dcsvm scale to [-1, 1], dcsvm grid with its own values of C and gamma, training with the best ones, dcsvm predict.
Data that a model from here predicts must be scaled with its ranges first: dcsvm scale DATA OUTPUT --restore train.txt.range.
"""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """The options, on a parser."""
    p.add_argument("data", type=inputs.named, metavar="DATA", help="svmlight text to train on, also compressed")
    p.add_argument("test", type=inputs.named, metavar="TEST", nargs="?", help="svmlight text to predict")
    p.add_argument("--folds", type=int, default=5, metavar="N", help="parts of the rows, each held out once (5)")


def run(args: argparse.Namespace, command: Callable[[Sequence[str]], None]) -> None:
    """command: runs another command of dcsvm by its words."""
    ranges, model = (f"{inputs.stem(args.data)}.{end}" for end in ("range", "model"))
    predicted = None if args.test is None else f"{inputs.stem(args.test)}.predict"
    quiet = ["--quiet"] * args.quiet
    with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
        train, test = (str(Path(folder) / Path(name or "none").name) for name in (args.data, args.test))
        command(["scale", args.data, train, "--save", ranges])
        command(["grid", train, "--folds", str(args.folds), "--save", model, *quiet])
        if predicted is not None:
            test += ".test"
            command(["scale", args.test, test, "--restore", ranges])
            command(["predict", test, model, predicted, *quiet])
            if not args.quiet:
                print(f"labels written  {predicted}")
