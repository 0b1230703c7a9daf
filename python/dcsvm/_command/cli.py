"""The command dcsvm: train, predict, info, demo, bench."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import dcsvm

from .._base.validate import as_data
from .._svm import train as _train
from . import arguments as _arguments
from . import files as _command_files
from . import low_rank_arguments as _low_rank_arguments
from . import model_info as _model_info


def _complain(text: str) -> None:
    if sys.stderr is not None:  # print would take stdout instead
        print(f"dcsvm: {text}", file=sys.stderr)


def _class_weight(given: Sequence[str | tuple[float, float]]) -> str | dict[float, float]:
    weights: dict[float, float] = {}
    for weight in given:
        if isinstance(weight, str):
            if len(given) > 1:
                raise ValueError("--class-weight balanced is for all classes: it is given alone")
            return weight
        if weight[0] in weights:
            raise ValueError(f"--class-weight names label {weight[0]:g} twice")
        weights[weight[0]] = weight[1]
    return weights


def _run_train(args: argparse.Namespace) -> None:
    target = Path(args.model)
    _command_files.check_writable(target, args.data, args.labels)
    known = _low_rank_arguments.parameters(args)
    params = {k: v for k, v in vars(args).items() if k in known and v is not None}
    if args.class_weight is not None:
        params["class_weight"] = _class_weight(args.class_weight)
    params["verbose"] = sys.stderr is not None and sys.stderr.isatty() and not args.quiet
    model = _trained(args, params)
    model.save(target)
    if not args.quiet:
        print(f"{model.report!r}\nmodel written   {target}")


def _trained(args: argparse.Namespace, params: dict[str, Any]) -> dcsvm.Model | dcsvm.LowRankModel:
    if args.memory_mb is not None or args.cache_dir is not None:
        return _low_rank_arguments.train_file(args, params)
    x, y = _command_files.load(args, "train", args.n_features)
    if y is None:
        raise ValueError(f"{args.data}: no labels; give --labels FILE.npy")
    return dcsvm.train_low_rank(x, y, **params) if args.method == "low-rank" else dcsvm.train(x, y, **params)


def _run_predict(args: argparse.Namespace) -> None:
    if args.output == "-":
        _command_files.stdout()
    else:
        _command_files.check_writable(Path(args.output), args.data, args.labels, args.model)
    model = dcsvm.load_model(args.model)
    values: Callable[..., Any] | None = model.decision_function if args.decision_values else None
    formulation = "c_svc"
    if isinstance(model, dcsvm.LowRankModel):
        _low_rank_arguments.check_predict(args)
    elif isinstance(model, dcsvm.DCPredModel):
        if args.prediction is not None or args.probabilities:
            raise ValueError("--prediction and --probabilities are not for DC-Pred++ models")
        formulation = "c_svc" if len(model.classes_) else "kernel_ridge"
    else:
        formulation = _model_info.formulation_of(model)
        if args.prediction is not None:
            if isinstance(model, dcsvm.LsSvmModel):
                raise ValueError(f"{args.model}: --prediction is for models trained with --early-level; this is an LS-SVM")
            model = model.with_prediction(args.prediction)
        if args.decision_values or args.probabilities:
            values = model.decision_function if args.decision_values else model.predict_proba
    x, y = _command_files.load(args, "test", model.n_features_in_)
    x = as_data("X", x)
    labels = model.predict(x, n_jobs=args.n_jobs) if y is not None or values is None else None
    out = labels if values is None else values(x, n_jobs=args.n_jobs)
    assert out is not None
    with _command_files.writing(args.output) as file:
        file.writelines(" ".join(map(repr, row)) + "\n" for row in out.reshape(len(out), -1).tolist())
    if y is not None and labels is not None and labels.ndim == 1 and not args.quiet:  # files have one target
        if len(y) != len(labels):
            raise ValueError(f"{args.data}: {len(labels)} rows but {len(y)} labels")
        where = sys.stderr if args.output == "-" else sys.stdout
        if where is not None:
            print(_quality(formulation, labels, np.asarray(y)), file=where)


def _quality(formulation: str, predicted: npt.NDArray[Any], y: npt.NDArray[Any]) -> str:
    if formulation in _train.CLASSIFIERS or formulation == "one_class":
        right = int((predicted == y).sum())
        return f"accuracy {100 * right / len(y):.2f} % ({right} of {len(y)})"
    with np.errstate(invalid="ignore", divide="ignore"):  # one value only: no correlation
        correlation = np.cov(predicted, y, bias=True)[0, 1] / (predicted.std() * y.std())
    error = float(np.mean((predicted - y) ** 2))
    return f"mean squared error {error:.6g}\nsquared correlation coefficient {correlation**2:.6g}"


def _run_info(args: argparse.Namespace) -> None:
    if args.model is None:
        rows: list[tuple[str, Any]] = list(dcsvm.build_config().items())
    else:
        model = dcsvm.load_model(args.model)
        rows = [("file", f"{args.model} ({Path(args.model).stat().st_size:,} bytes)"), *_model_info.about(model)]
    for name, value in rows:
        print(f"{name:<16}{', '.join(map(str, value)) if isinstance(value, list) else value}")
    if args.model is not None and _model_info.was_trained_here(model):
        print(f"\ntraining\n{model.report!r}")


def _run_demo(args: argparse.Namespace) -> None:
    from .demo import run

    run(rows=args.rows, seed=args.seed, n_jobs=args.n_jobs, quiet=args.quiet)


def _run_bench(args: argparse.Namespace) -> None:
    try:
        command = importlib.import_module("dcsvm.bench.command")
    except ModuleNotFoundError as e:
        if e.name != "dcsvm.bench":
            raise
        raise ValueError(
            "this installation is without dcsvm.bench; install dcsvm again, or run python -m bench in a checkout"
        ) from None
    command.run(args)


_COMMANDS = {"train": _run_train, "predict": _run_predict, "info": _run_info, "demo": _run_demo, "bench": _run_bench}


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"warning: {message}")


def _drop_stdout() -> None:
    """Python would complain again when it flushes stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""

    def command() -> None:
        parser = _arguments.parser()
        given = sys.argv[1:] if arguments is None else arguments
        if given and given[0] in ("train", "predict") and (habit := _arguments.libsvm_habit(given[1:])):
            parser.error(habit)
        args = parser.parse_args(given)
        _COMMANDS[args.command](args)

    return guarded(command)


def guarded(command: Callable[[], None]) -> int:
    """Runs a command; errors become one line on stderr. Returns the exit code."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()  # the reader has gone
        return 141
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    except (ValueError, OSError, MemoryError) as e:
        _complain(f"error: {_message(e)}")
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:  # a full disk behind stdout: it was the error
            _drop_stdout()
        return 1
    return 0
