"""Options of dcsvm train for low-rank models."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .._low_rank import params as _low_rank_params
from .._low_rank import train as _low_rank
from .._low_rank.model import LowRankModel
from .._svm import train as _train

# Options of one method alone: how they are stored.
_EXACT_ONLY = (
    *("formulation", "nu", "epsilon", "probability", "solver", "early_level", "prediction", "n_levels", "branching"),
    *("sample_size", "clustering", "precision", "shrinking"),
)
_LOW_RANK_ONLY = (
    "n_landmarks",
    "landmarks",
    "features",
    "supervised",
    "n_labelled",
    "balance",
    "lambda_",
    "unlabelled",
    "loss",
    "multi_class",
    "n_passes",
    "memory_mb",
    "cache_dir",
)


def add_arguments(p: argparse.ArgumentParser) -> None:
    g = p.add_argument_group("low-rank models (--method low-rank)")
    g.add_argument("--method", choices=("exact", "low-rank"), default="exact", help="low-rank: a linear SVM on features (exact)")
    g.add_argument("--n-landmarks", type=int, metavar="K", help="points that the features come from; more is more accurate (500)")
    g.add_argument("--landmarks", choices=_low_rank_params.LANDMARKS, help="how they are chosen (kmeans)")
    g.add_argument("--features", choices=_low_rank_params.FEATURES, help="(nystrom)")
    g.add_argument("--supervised", action="store_true", default=None, help="learn the features' spectrum from labels (LLSVM^2)")
    g.add_argument("--n-labelled", type=int, metavar="N", help="LLSVM^2: labelled rows that the spectrum is learned from (100)")
    g.add_argument("--balance", type=float, metavar="A", help="LLSVM^2: weight of pairs of two classes, a of Eq. 17 (1)")
    g.add_argument(
        "--lambda", dest="lambda_", type=_number_or_auto, metavar="L", help="LLSVM^2: ties to the kernel's spectrum (auto)"
    )
    g.add_argument("--unlabelled", type=float, metavar="LABEL", help="rows with this label give landmarks only")
    g.add_argument("--loss", choices=_low_rank_params.LOSSES, help="(hinge)")
    g.add_argument("--multi-class", choices=_low_rank_params.MULTI_CLASS, help="(ovr)")
    g.add_argument(
        "--memory-mb", type=float, metavar="MB", help="stream a text file that may be larger than memory, under this cap"
    )
    g.add_argument("--cache-dir", metavar="FOLDER", help="where its blocks are kept (DATA.dcsvm-blocks)")
    g.add_argument("--n-passes", type=int, metavar="N", help="over the data, when it is trained in blocks (3)")


def _number_or_auto(text: str) -> float | str:
    return text if text == "auto" else float(text)


def parameters(args: argparse.Namespace) -> set[str]:
    """The names of the method's parameters. ValueError for an option of the other method."""
    low_rank = args.method == "low-rank"
    for name in _EXACT_ONLY if low_rank else _LOW_RANK_ONLY:
        if getattr(args, name) is not None:
            option = "--no-shrinking" if name == "shrinking" else f"--{name.rstrip('_').replace('_', '-')}"
            raise ValueError(f"{option} belongs to --method {'exact' if low_rank else 'low-rank'}, not to --method {args.method}")
    return set(_low_rank.parameter_names() if low_rank else _train.parameter_names())


def train_file(args: argparse.Namespace, params: dict[str, Any]) -> LowRankModel:
    """--memory-mb: training in blocks."""
    if args.memory_mb is None:
        raise ValueError("--cache-dir is for --memory-mb")
    if Path(args.data).suffix in (".npz", ".npy") or args.labels is not None:
        raise ValueError("--memory-mb streams text files (svmlight); numpy files are read whole")
    if params.pop("cache_size", None) is not None:
        raise ValueError("--cache-size and --memory-mb are one cap: give one of them")
    options = {"cache_dir": args.cache_dir, "n_features": args.n_features, "zero_based": args.zero_based}
    return _low_rank.train_low_rank_file(args.data, memory_mb=args.memory_mb, **options, **params)


def check_predict(args: argparse.Namespace) -> None:
    """ValueError for options of dcsvm predict that low-rank models have not."""
    if args.prediction is not None:
        raise ValueError(f"{args.model}: --prediction is for models trained with --early-level; this is a low-rank model")
    if args.probabilities:
        raise ValueError(f"{args.model}: a low-rank model has no probabilities")
