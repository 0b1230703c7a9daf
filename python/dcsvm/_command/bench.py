"""The command bench: the user's data, trained by dcsvm and by every peer that is installed."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import dcsvm

from .. import _core
from .._bench import __main__ as one
from .._bench import peers
from .._input.formulations import FORMULATIONS, REGRESSIONS, SIDES
from .._input.kernels import uses
from .._input.rows import gamma_of
from .._shown.packages import installed_by
from .._svm.train import defaults
from . import inputs, options

EPILOG = """\
examples:
  dcsvm bench train.txt                         C-SVC with the rbf kernel, C=1, gamma="scale"
  dcsvm bench train.txt -C 32 -g 2 --tol 1e-4 --repeat 3
  dcsvm bench prices.txt --formulation epsilon_svr --epsilon 0.05
  dcsvm bench text.txt --linear                 LIBLINEAR's problem with the squared hinge

Peers: LIBSVM (libsvm-official), scikit-learn, its Extension (scikit-learn-intelex); with --linear LIBLINEAR (liblinear-official)
and scikit-learn. Those that are not installed are named below the table. Seconds are those of the training call alone, and mean
something only on an otherwise idle machine. Objective and violation are computed from each solution in double precision, alike
for all: the dual objective and the largest KKT violation, with --linear the primal objective and the duality gap over it. They
are left out where they would take more than 5 * 10^9 kernel values.
"""
_DESCRIBED = ("C", "kernel", "degree", "gamma", "coef0", "formulation", "nu", "epsilon")
_HOW = ("tol", "cache_size", "n_jobs")


def add_arguments(p: argparse.ArgumentParser) -> None:
    """The options, on a parser."""
    inputs.add_data(p)
    solved, how = p.add_argument_group("what is solved"), p.add_argument_group("how")
    for name, default, parameter in options.declared(_core.TrainParams, dcsvm.train):
        if name in (*_DESCRIBED, *_HOW):
            options.add(solved if name in _DESCRIBED else how, name, default, parameter)
    solved.add_argument("--linear", action="store_true", help="a linear SVM of classes, with C alone")
    names = dict.fromkeys([*peers.KERNEL, *peers.LINEAR])
    how.add_argument("--peers", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)} (all)")
    how.add_argument("--repeat", type=int, default=1, metavar="N", help="trainings of each, in turn; the median counts (1)")
    how.add_argument("--time-limit", type=float, default=600, metavar="S", help="of one training with its judgement (600)")


def run(args: argparse.Namespace) -> None:
    """Trains by everyone, and prints the table."""
    if args.repeat < 1 or not args.time_limit > 0:
        raise ValueError(f"--repeat and --time-limit must be positive, got {args.repeat} and {args.time_limit:g}")
    if find_spec("scipy") is None:
        raise ValueError(f"dcsvm bench needs scipy: {installed_by('bench')}")
    known = peers.LINEAR if args.linear else peers.KERNEL
    chosen = {name: peer for name, peer in known.items() if not args.peers or name in args.peers}
    if not chosen:
        raise ValueError(f"--peers: expected some of {', '.join(known)}, got {', '.join(args.peers)}")
    spec = _asked(args)
    x, y = _rows(args, spec["formulation"])
    if not args.linear:
        rule = spec["params"]["gamma"]
        spec["params"]["gamma"] = gamma_of(rule, x, spec["params"].get("kernel", "rbf")) if isinstance(rule, str) else float(rule)
    absent = [peer for peer in chosen.values() if peer.version() is None]
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name, peer in chosen.items() if peer not in absent}
    with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
        one.write(Path(folder), x, y)
        for turn in range(args.repeat):
            for name, found in runs.items():
                if turn == 0 or "error" not in found[0]:
                    if not args.quiet:
                        print(f"dcsvm: {known[name].label} ...", file=sys.stderr, flush=True)
                    found.append(_one({**spec, "peer": name, "judged": turn == 0}, folder, args))
    print(f"{args.data}: {x.shape[0]:,} rows, {x.shape[1]:,} features; {_words(spec)}\n")
    print(*_table(known, runs), sep="\n")
    if absent:
        print("\nnot installed: " + ", ".join(f"{peer.label} (pip install {peer.package})" for peer in absent))


def _asked(args: argparse.Namespace) -> dict[str, Any]:
    """The problem and the settings, as a training's process takes them."""
    value = {n: defaults()[n] if getattr(args, n) is None else getattr(args, n) for n in (*_DESCRIBED, *_HOW)}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = cores if value["n_jobs"] in (None, -1) else value["n_jobs"]
    settings = {"tol": value["tol"], "cache_mb": value["cache_size"], "threads": threads}
    if args.linear:
        if other := [n for n in _DESCRIBED if n != "C" and getattr(args, n) is not None]:
            raise ValueError(f"--linear has no {other[0]}; leave it out, or --linear")
        return {"formulation": "linear", "params": {"C": value["C"]}, "settings": settings}
    params = {name: value[name] for name in _DESCRIBED if name != "formulation"}
    return {"formulation": value["formulation"], "params": params, "settings": settings}


def _rows(args: argparse.Namespace, formulation: str) -> tuple[Any, Any]:
    """X in double precision and y as numbers: of classes without numbers, their places in the order."""
    x, y = inputs.load(args, "train")
    if y is None:
        if formulation not in SIDES:
            raise ValueError(f"{args.data}: no labels")
        y = np.zeros(x.shape[0])
    if hasattr(x, "indptr"):
        from scipy.sparse import csr_matrix

        x = csr_matrix((np.asarray(x.data, np.float64), x.indices, x.indptr), shape=x.shape)
    y = np.asarray(y)
    numbers = y.dtype.kind in "fiub"
    if not numbers and formulation in REGRESSIONS:
        raise ValueError(f"{args.data}: {formulation} needs numbers as targets, found text")
    return x if hasattr(x, "indptr") else np.asarray(x, np.float64), (
        np.asarray(y, np.float64) if numbers else np.unique(y, return_inverse=True)[1].astype(np.float64)
    )


def _one(spec: dict[str, Any], folder: str, args: argparse.Namespace) -> dict[str, Any]:
    """What one training found, or {"error": why}."""
    count = str(spec["settings"]["threads"])
    env = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "DCSVM_NUM_THREADS"), count)
    command = [sys.executable, "-m", "dcsvm._bench", folder, json.dumps(spec)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=args.time_limit)
    except subprocess.TimeoutExpired:
        return {"error": f"over {args.time_limit:g} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:120]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _words(spec: dict[str, Any]) -> str:
    given = {**spec["params"], "tol": spec["settings"]["tol"], "threads": spec["settings"]["threads"]}
    has: Any = FORMULATIONS.get(spec["formulation"], {})  # of a linear problem C is all that is given
    unused = [name for name in ("C", "nu", "epsilon") if not has.get(name, True)]
    unused += [name for name in ("degree", "coef0", "gamma") if not uses(given.get("kernel", "rbf"), name)]
    shown = (f"{k}={v if isinstance(v, str) else format(v, '.6g')}" for k, v in given.items() if k not in unused)
    return f"{spec['formulation']}, {', '.join(shown)}"


def _table(known: dict[str, peers.Peer], runs: dict[str, list[dict[str, Any]]]) -> list[str]:
    lines: list[tuple[str, ...]] = [("", "version", "seconds", "times dcsvm's", "objective", "violation", "support vectors")]
    seconds = {name: statistics.median(r["seconds"] for r in found) for name, found in runs.items() if "error" not in found[0]}
    for name, found in runs.items():
        first, peer = found[0], known[name]
        if "error" in first:
            lines.append((peer.label, peer.version() or "", first["error"], "", "", "", ""))
            continue
        stopped = "" if first["stop_reason"] == "converged" else f" ({first['stop_reason'][:40]})"
        against = f"{seconds[name] / seconds['dcsvm']:.3g}" if "dcsvm" in seconds else ""
        judged = [format(first[key], form) if key in first else "" for key, form in _JUDGED.items()]
        lines.append((peer.label, peer.version() or "", f"{seconds[name]:.3g}{stopped}", against, *judged))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


_JUDGED = {"objective": ".9g", "violation": ".1e", "n_support": ","}
