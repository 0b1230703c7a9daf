"""The commands cv and grid: cross-validation with shared work, for one set of parameters or a grid of C and gamma."""

from __future__ import annotations

import argparse
import inspect
import math
import sys
from typing import Any

import dcsvm

from .. import _core
from .._input.formulations import REGRESSIONS, SIDES
from .._search.cross_validate import REFUSED, CrossValidation
from . import files, inputs, options

CV = """\
examples:
  dcsvm cv heart.txt -C 8 -g 0.03                        accuracy of five folds, and their mean
  dcsvm cv prices.csv --formulation epsilon_svr --folds 10
  dcsvm cv skewed.txt --class-weight balanced --scoring balanced_accuracy
"""

GRID = """\
examples:
  dcsvm grid heart.txt                                       C = 2^-5, 2^-3, ... 2^15; gamma = 2^-15, 2^-13, ... 2^3
  dcsvm grid heart.txt -C 0.1,1,10,100 -g 0.01,0.1,1
  dcsvm grid heart.txt -log2c -1,3,1 -log2g 1,-7,-2          the ranges of LIBSVM's grid.py: C = 2^-1, 2^0, ... 2^3
  dcsvm grid heart.txt -C 1,10 -g 0.1,1 --save heart.model   also trains the best on all rows

Folds and values of C share work, so a grid costs far less than as many trainings.
"""

_GRID_C = tuple(2.0**e for e in range(-5, 16, 2))
RANGES = ("--log2c", "-log2c", "--log2g", "-log2g")
_MOST, _LARGEST = 10_000, 1000  # values of a range, and their exponents
_GRID_GAMMA = tuple(2.0**e for e in range(-15, 4, 2))


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers with commas between them, as 1,10,100; got {text!r}") from None


def positive(text: str) -> list[float]:
    """Numbers above 0 with commas between them. argparse reports the error."""
    values = _numbers(text)
    if min(values) <= 0:
        exponents = f"; grid.py's ranges of exponents of 2 are given by {RANGES[0]} and {RANGES[2]}" * (len(values) == 3)
        raise argparse.ArgumentTypeError(f"expected numbers above 0, got {text!r}{exponents}")
    return values


def _powers(text: str) -> list[float]:
    """2^begin, 2^(begin + step), ..., 2^end, of grid.py's begin,end,step. ArgumentTypeError for another text."""
    try:
        begin, end, step = (float(part) for part in text.split(","))
    except ValueError:
        begin = end = step = math.nan
    steps = (end - begin) / step if step else math.nan
    if not (math.isfinite(steps) and 0 <= steps < _MOST and max(abs(begin), abs(end)) < _LARGEST):
        raise argparse.ArgumentTypeError(
            f"expected begin,end,step of exponents of 2, as -5,15,2 or 3,-15,-2, or the word null; got {text!r}"
        )
    return [2.0 ** (begin + i * step) for i in range(int(steps * (1 + 1e-12)) + 1)]


def _powers_of_C(text: str) -> list[float]:
    return [1.0] if text == "null" else _powers(text)


def _powers_of_gamma(text: str) -> str | list[float]:
    return "auto" if text == "null" else _powers(text)


def gammas(text: str) -> str | list[float]:
    """The same, or the name of a rule."""
    try:
        return text if text in ("scale", "auto") else positive(text)
    except argparse.ArgumentTypeError as e:
        raise argparse.ArgumentTypeError(f"{e} (or one of the words scale and auto, alone)") from None


def add_cv(p: argparse.ArgumentParser) -> None:
    _add(p, {})


def add_grid(p: argparse.ArgumentParser) -> None:
    of_C, of_gamma = p.add_mutually_exclusive_group(), p.add_mutually_exclusive_group()
    of_C.add_argument(*options.FLAGS["C"], type=positive, default=list(_GRID_C), metavar="X,X,...", help="values of C")
    exponents: dict[str, Any] = {"default": argparse.SUPPRESS, "metavar": "BEGIN,END,STEP"}
    meaning = "exponents of 2 of its values, as in LIBSVM's grid.py"
    of_C.add_argument(*RANGES[:2], dest="C", type=_powers_of_C, help=f"{meaning}; null: C = 1", **exponents)
    of_values: dict[str, Any] = {"type": gammas, "metavar": "X,X,..."}
    of_gamma.add_argument("-g", "--gamma", help="values of gamma; or scale or auto, alone", **of_values)
    of_gamma.add_argument(*RANGES[2:], dest="gamma", type=_powers_of_gamma, help=f"{meaning}; null: auto", **exponents)
    p.add_argument(
        "--save", type=inputs.named, metavar="MODEL", help="train with the best values on all rows, and write the model"
    )
    options.add_no_timings(p)
    _add(p, {"C", "gamma"})


def _add(p: argparse.ArgumentParser, own: Any) -> None:
    inputs.add_data(p)
    p.add_argument("--n-features", type=int, metavar="N", help="columns of a text file (default: the largest index in it)")
    p.add_argument("-v", "--folds", type=int, default=5, metavar="N", help="parts of the rows, each held out once (5)")
    p.add_argument(
        "--scoring", metavar="NAME", help="accuracy, r2, ..., or another scorer of scikit-learn that takes predictions"
    )
    group = p.add_argument_group("what is trained")
    for name, default, parameter in options.declared(_core.TrainParams, dcsvm.train):
        if name not in own and name not in REFUSED:
            options.add(group, name, default, parameter)
    options.add_checkpoint(group)


def run(args: argparse.Namespace) -> None:
    """Both commands; grid has the option --save."""
    target: str | None = getattr(args, "save", None)
    if target is not None:
        files.check_writable(target, args.data, args.labels)
    if args.checkpoint is not None:
        files.check_writable(args.checkpoint, args.data, args.labels)
    x, y = inputs.load(args, "train", args.n_features)
    if y is None and args.formulation not in SIDES:
        raise ValueError(f"{args.data}: no labels; give --labels FILE.npy")
    known = inspect.signature(dcsvm.train).parameters
    params = {name: value for name, value in vars(args).items() if name in known and value is not None}
    if args.class_weight is not None:
        params["class_weight"] = options.class_weight(args.class_weight)
    linear = args.kernel == "linear"
    if args.command == "grid" and args.gamma is None:
        params["gamma"] = 1.0 if linear else list(_GRID_GAMMA)  # a linear kernel has none
    params["verbose"] = sys.stderr is not None and sys.stderr.isatty() and not args.quiet
    found = dcsvm.cross_validate(x, y, cv=args.folds, scoring=args.scoring, **params)
    score = args.scoring or ("r2" if args.formulation in REGRESSIONS else "accuracy")
    table = sys.stderr if target in files.STDOUT else sys.stdout
    print(_scores(found, score) if args.command == "cv" else _table(found, score, linear), file=table)
    if target is not None:
        params.pop("checkpoint", None)  # of the search
        model = dcsvm.train(x, y, **{**params, **found.best_params})
        files.save(model, target, timings=not args.no_timings)
        print(f"model written   {target}", file=table)


def _scores(found: CrossValidation, name: str) -> str:
    scores = found.scores[0, 0]
    folds = " ".join(f"{score:.4f}" for score in scores)
    return f"{name:<16}{scores.mean():.4f}\nfolds           {folds}"


def _table(found: CrossValidation, name: str, linear: bool) -> str:
    mean = found.mean_scores
    rows = [["gamma \\ C", *(f"{c:.6g}" for c in found.C)]]
    rows += [["-" if linear else f"{g:.6g}", *(f"{s:.4f}" for s in scores)] for g, scores in zip(found.gamma, mean, strict=True)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    best = f"-C {found.best_params['C']:.10g}" + f" -g {found.best_params['gamma']:.10g}" * (not linear)
    return "\n".join([*lines, "", f"best            {best}", f"{name:<16}{found.best_score:.4f}"])
