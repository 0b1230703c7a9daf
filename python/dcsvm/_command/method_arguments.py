"""Options of dcsvm train for the methods beside the exact one: low-rank and linear models."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import dcsvm

from .. import _core
from .._input.validate import in_a_row
from .._linear import train as _linear
from .._low_rank import train as _low_rank
from .._svm import train as _train
from . import inputs, options

_NAMES = {
    "exact": set(_train.parameter_names()),
    "low-rank": set(_low_rank.parameter_names()),
    "linear": set(_linear.parameter_names()),
}
Trained = dcsvm.Model | dcsvm.LowRankModel | dcsvm.LinearModel
_DECLARED: dict[str, tuple[type[_core._AnyParams], Callable[..., Any]]] = {
    "low-rank": (_core.LowRankParams, dcsvm.train_low_rank),
    "linear": (_core.LinearParams, dcsvm.train_linear),
}
_STREAMING = ("memory_mb", "cache_dir")  # of both


def add_arguments(p: argparse.ArgumentParser) -> None:
    g = p.add_argument_group("low-rank and linear models (--method)")
    g.add_argument(
        "--method",
        choices=tuple(_NAMES),
        default="exact",
        help="low-rank: a linear SVM on features; linear: LIBLINEAR's problems, see --solver (exact)",
    )
    known = set(_NAMES["exact"])
    for kind, function in _DECLARED.values():
        for name, default, parameter in options.declared(kind, function):
            if name not in known:
                options.add(g, name, default, parameter)
                known.add(name)
    g.add_argument(
        "--memory-mb", type=float, metavar="MB", help="stream a text file that may be larger than memory, under this cap"
    )
    g.add_argument("--cache-dir", metavar="FOLDER", help="where its blocks are kept (DATA.dcsvm-blocks)")


def other_defaults(name: str, default: Any) -> str:
    """The defaults of the other methods, where they are not the exact one's, for the text of an option."""
    found = ""
    for method, (kind, function) in _DECLARED.items():
        for own, other, parameter in options.declared(kind, function):
            if own == name and other != default:
                found += f"; {method}: {options.standard(other, parameter) or 'of the solver'}"
    return found


def parameters(args: argparse.Namespace) -> set[str]:
    """The names of the method's parameters. ValueError for an option of another method."""
    owners: dict[str, list[str]] = {name: ["low-rank", "linear"] for name in _STREAMING}
    for method, names in _NAMES.items():
        for name in names:
            owners.setdefault(name, []).append(method)
    for name in sorted(owners):
        if args.method not in owners[name] and getattr(args, name, None) is not None:
            of = in_a_row(owners[name], "or")
            raise ValueError(f"{_option(name)} belongs to --method {of}, not to --method {args.method}")
    if args.solver is not None:
        solvers = options.choices_of(_core.LinearParams if args.method == "linear" else _core.TrainParams, "solver")
        if args.solver not in solvers:
            raise ValueError(f"--solver {args.solver}: --method {args.method} has {', '.join(solvers)}")
    return _NAMES[args.method]


def _option(name: str) -> str:
    for kind, function in ((_core.TrainParams, dcsvm.train), *_DECLARED.values()):
        for own, default, _ in options.declared(kind, function):
            if own == name:
                return options.flags(name, default)[-1]
    return options.flags(name, None)[-1]


def train(args: argparse.Namespace, x: Any, y: Any, params: dict[str, Any]) -> Trained:
    """The training of the method."""
    if args.method == "linear":
        return dcsvm.train_linear(x, y, **params)
    if args.method == "exact":
        return dcsvm.train(x, y, **params)
    return dcsvm.train_low_rank(x, y, **params)


def train_file(args: argparse.Namespace, params: dict[str, Any]) -> dcsvm.LowRankModel | dcsvm.LinearModel:
    """--memory-mb: training in blocks."""
    if args.memory_mb is None:
        raise ValueError("--cache-dir is for --memory-mb")
    if inputs.format_of(args) != "svmlight" or args.labels is not None:
        raise ValueError("--memory-mb streams text files (svmlight); CSV and numpy files are read whole")
    if params.pop("cache_size", None) is not None:
        raise ValueError("--cache-size and --memory-mb are one cap: give one of them")
    own = {"cache_dir": args.cache_dir, "n_features": args.n_features, "zero_based": args.zero_based}
    with inputs.plain(args.data) as path:
        if args.method == "linear":
            return dcsvm.train_linear_file(path, memory_mb=args.memory_mb, **own, **params)
        return dcsvm.train_low_rank_file(path, memory_mb=args.memory_mb, **own, **params)
