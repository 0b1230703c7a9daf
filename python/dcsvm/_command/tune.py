"""The command tune: C and gamma by a race, and the model."""

from __future__ import annotations

import argparse
import inspect
import sys

import dcsvm

from .. import _core
from .._search.tune import REFUSED
from . import files, inputs, options
from .search import gammas, positive

EPILOG = """\
examples:
  dcsvm tune heart.txt                     writes heart.txt.model, and prints C, gamma and the accuracy on rows left out
  dcsvm tune heart.txt best.model --budget 60
  dcsvm tune prices.csv best.model --formulation epsilon_svr --epsilon 0.01
  dcsvm tune heart.txt best.model -C 1,10,100 -g 0.01,0.1 --folds 3

A coarse grid is scored on a sample of rows, and the best ones on more and more rows. Nothing is scaled: dcsvm scale does that.
"""

_OWN = {"C", "gamma", "nu"}  # values of each


def add_arguments(p: argparse.ArgumentParser) -> None:
    """The options, on a parser."""
    inputs.add_data(p)
    p.add_argument("model", type=inputs.named, metavar="MODEL", nargs="?", help="model file to write (DATA.model); - is stdout")
    p.add_argument("--n-features", type=int, metavar="N", help="columns of a text file (default: the largest index in it)")
    p.add_argument(*options.FLAGS["C"], type=positive, metavar="X,X,...", help="values of C (default: found from the data)")
    p.add_argument("-g", "--gamma", type=gammas, metavar="X,X,...", help="values of gamma; or scale or auto (the same)")
    p.add_argument("--nu", type=positive, metavar="X,X,...", help="values of nu of nu_svc and one_class; nu_svr: one")
    p.add_argument("-v", "--folds", type=int, default=5, metavar="N", help="folds that race; one more judges the winner (5)")
    p.add_argument(
        "--scoring", metavar="NAME", help="accuracy, r2, ..., or another scorer of scikit-learn that takes predictions"
    )
    p.add_argument("--budget", type=float, metavar="S", help="seconds: the best so far wins (no limit)")
    p.add_argument("--min-rows", type=int, default=500, metavar="N", help="rows of the first round (500)")
    options.add_no_timings(p)
    group = p.add_argument_group("what is trained")
    for name, default, parameter in options.declared(_core.TrainParams, dcsvm.train):
        if name not in _OWN and name not in REFUSED:
            options.add(group, name, default, parameter)


def run(args: argparse.Namespace) -> None:
    """Searches, and writes the model."""
    if args.model is None:
        args.model = f"{inputs.stem(args.data)}.model"
    files.check_writable(args.model, args.data, args.labels)
    x, y = inputs.load(args, "train", args.n_features)
    if y is None:
        raise ValueError(f"{args.data}: no labels; give --labels FILE.npy")
    known = inspect.signature(dcsvm.train).parameters
    params = {name: value for name, value in vars(args).items() if name in known and value is not None}
    if args.class_weight is not None:
        params["class_weight"] = options.class_weight(args.class_weight)
    if args.nu is not None and len(args.nu) == 1:
        params["nu"] = args.nu[0]
    params["verbose"] = sys.stderr is not None and sys.stderr.isatty() and not args.quiet
    found = dcsvm.tune(x, y, cv=args.folds, scoring=args.scoring, budget=args.budget, min_rows=args.min_rows, **params)
    files.save(found.model, args.model, timings=not args.no_timings)
    where = sys.stderr if args.model in files.STDOUT else sys.stdout
    if not args.quiet and where is not None:
        lines = "\n".join(f"{name:<16}{value}" for name, value in found._facts() if not (args.no_timings and name == "seconds"))
        print(f"{lines}\nmodel written   {args.model}", file=where)
