"""Options of dcsvm train for low-rank models."""

from __future__ import annotations

import argparse
from typing import Any

from .. import _core
from .._low_rank import train as _low_rank
from .._low_rank.model import LowRankModel
from .._svm import train as _train
from . import inputs, options

_BOTH = set(_train.parameter_names()) & set(_low_rank.parameter_names())
_STREAMING = ("memory_mb", "cache_dir")


def add_arguments(p: argparse.ArgumentParser) -> None:
    g = p.add_argument_group("low-rank models (--method low-rank)")
    g.add_argument("--method", choices=("exact", "low-rank"), default="exact", help="low-rank: a linear SVM on features (exact)")
    for name, default, parameter in options.declared(_core.LowRankParams, _low_rank.train_low_rank):
        if name not in _BOTH:
            options.add(g, name, default, parameter)
    g.add_argument(
        "--memory-mb", type=float, metavar="MB", help="stream a text file that may be larger than memory, under this cap"
    )
    g.add_argument("--cache-dir", metavar="FOLDER", help="where its blocks are kept (DATA.dcsvm-blocks)")


def parameters(args: argparse.Namespace) -> set[str]:
    """The names of the method's parameters. ValueError for an option of the other method."""
    low_rank = args.method == "low-rank"
    known, other = set(_train.parameter_names()), set(_low_rank.parameter_names())
    if low_rank:
        known, other = other, known
    for name in sorted(other - known) + [*_STREAMING] * (not low_rank):
        if getattr(args, name, None) is not None:
            option = "--no-shrinking" if name == "shrinking" else f"--{name.rstrip('_').replace('_', '-')}"
            raise ValueError(f"{option} belongs to --method {'exact' if low_rank else 'low-rank'}, not to --method {args.method}")
    return known


def train_file(args: argparse.Namespace, params: dict[str, Any]) -> LowRankModel:
    """--memory-mb: training in blocks."""
    if args.memory_mb is None:
        raise ValueError("--cache-dir is for --memory-mb")
    if inputs.format_of(args) != "svmlight" or args.labels is not None:
        raise ValueError("--memory-mb streams text files (svmlight); CSV and numpy files are read whole")
    if params.pop("cache_size", None) is not None:
        raise ValueError("--cache-size and --memory-mb are one cap: give one of them")
    own = {"cache_dir": args.cache_dir, "n_features": args.n_features, "zero_based": args.zero_based}
    with inputs.plain(args.data) as path:
        return _low_rank.train_low_rank_file(path, memory_mb=args.memory_mb, **own, **params)
