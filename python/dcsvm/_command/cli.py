"""The command dcsvm: what its sub-commands do."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import dcsvm

from .._input import formulations, linear_solvers
from .._input.columns import feature_names, other_features
from .._input.validate import as_data, in_a_row
from .._load_model import AnyModel
from . import arguments, bench, datasets, easy, files, inputs, method_arguments, model_info, options, scale, search, tune


def _report(text: str) -> None:
    if sys.stderr is not None:  # print(file=None) would write to stdout
        print(f"dcsvm: {text}", file=sys.stderr)


def _run_train(args: argparse.Namespace) -> None:
    if args.model is None:
        args.model = f"{inputs.stem(args.data)}.model"
    files.check_writable(args.model, args.data, args.labels)
    if args.checkpoint is not None:
        files.check_writable(args.checkpoint, args.data, args.labels)
    known = method_arguments.parameters(args)
    params = {k: v for k, v in vars(args).items() if k in known and v is not None}
    if args.class_weight is not None:
        params["class_weight"] = options.class_weight(args.class_weight)
    params["verbose"] = sys.stderr is not None and sys.stderr.isatty() and not args.quiet
    model = _trained(args, params)
    files.save(model, args.model, timings=not args.no_timings)
    where = sys.stderr if args.model in files.STDOUT else sys.stdout
    if not args.quiet and where is not None:
        print(f"{model.report}\nmodel written   {args.model}", file=where)


def _trained(args: argparse.Namespace, params: dict[str, Any]) -> method_arguments.Trained:
    if args.memory_mb is not None or args.cache_dir is not None:
        return method_arguments.train_file(args, params)
    x, y = inputs.load(args, "train", args.n_features)
    if y is None and params.get("formulation") not in formulations.SIDES and params.get("solver") not in linear_solvers.SIDES:
        cure = "leave out --label-column none" if inputs.format_of(args) == "csv" else "give --labels FILE.npy"
        raise ValueError(f"{args.data}: no labels; {cure}")
    return method_arguments.train(args, x, y, params)


def _run_predict(args: argparse.Namespace) -> None:
    if args.data in inputs.STDIN and args.model in inputs.STDIN:
        raise ValueError("DATA and MODEL cannot both come from stdin")
    files.check_writable(args.output, args.data, args.labels, args.model)
    model = _predicting(inputs.load_model(args.model)[0], args)
    values: Callable[..., Any] | None = None
    if args.decision_values or args.probabilities:
        values = model.decision_function if args.decision_values else model.predict_proba
    x, y = inputs.load(args, "test", model.n_features_in_)
    names, x = feature_names(x), as_data("X", x)
    if inputs.format_of(args) == "csv" and args.label_column is None and x.shape[1] == model.n_features_in_ - 1:
        raise ValueError(
            f"{args.data}: expected {model.n_features_in_} features beside the labels in the first column, found "
            f"{x.shape[1]}; for a table without labels give --label-column none"
        )
    if found := other_features(model._names.features, names):
        raise ValueError(
            f"{args.data}: the columns should have the names of the training, in the same order ({found}); --label-column "
            "says which one holds the labels; without its first line the columns are taken in their order"
        )
    predicted = model.predict(x, n_jobs=args.n_jobs) if y is not None or values is None else None
    out: Any = predicted if values is None else values(x, n_jobs=args.n_jobs)
    with files.writing_text(args.output) as file:
        as_text = str if out.dtype.kind == "U" else repr
        file.writelines(" ".join(map(as_text, row)) + "\n" for row in out.reshape(len(out), -1).tolist())
    if y is not None and predicted is not None and predicted.ndim == 1 and not args.quiet:  # files have one target
        if (predicted.dtype.kind == "U") != (np.asarray(y).dtype.kind == "U"):
            kinds = ("text", "numbers")[:: 1 if predicted.dtype.kind == "U" else -1]
            _report(f"warning: no accuracy: the model predicts {kinds[0]}, and the labels of {args.data} are {kinds[1]}")
            return
        if len(y) != len(predicted):
            raise ValueError(f"{args.data}: {len(predicted)} rows but {len(y)} labels")
        where = sys.stderr if args.output in files.STDOUT else sys.stdout
        if where is not None:
            print(_quality(model_info.predicts_labels(model), predicted, np.asarray(y)), file=where)


def _predicting(model: AnyModel, args: argparse.Namespace) -> Any:
    """The model that predicts as the options say. ValueError for an option that its kind does not have."""
    if isinstance(model, dcsvm.Model):
        if args.probabilities and not model_info.predicts_labels(model):
            raise ValueError(f"{args.model}: a regression predicts numbers and has no probabilities of classes")
        model = model if args.prediction is None else model.with_prediction(args.prediction)
        return model if args.precision is None else model.with_precision(args.precision)
    kind = model_info.KINDS[type(model)]
    if args.prediction is not None:
        raise ValueError(f"{args.model}: --prediction is for models trained with --early-level; this is {kind}")
    if args.precision is not None:
        raise ValueError(f"{args.model}: --precision is for models of dcsvm train and LIBSVM's; this is {kind}")
    if args.probabilities and not hasattr(model, "predict_proba"):
        raise ValueError(f"{args.model}: {kind} has no probabilities; predict without --probabilities")
    return model


def _quality(labels: bool, predicted: npt.NDArray[Any], y: npt.NDArray[Any]) -> str:
    if labels:
        right = int((predicted == y).sum())
        return f"accuracy {100 * right / len(y):.2f} % ({right} of {len(y)})"
    with np.errstate(invalid="ignore", divide="ignore"):  # all values equal: there is no correlation
        correlation = np.cov(predicted, y, bias=True)[0, 1] / (predicted.std() * y.std())
    error = float(np.mean((predicted - y) ** 2))
    return f"mean squared error {error:.6g}\nsquared correlation coefficient {correlation**2:.6g}"


def _run_info(args: argparse.Namespace) -> None:
    if args.model is None:
        rows: list[tuple[str, Any]] = list(dcsvm.build_config().items())
    else:
        model, own_format = inputs.load_model(args.model)
        size = f" ({Path(args.model).stat().st_size:,} bytes)" if Path(args.model).is_file() else ""
        rows = [("file", f"{args.model}{size}"), *model_info.about(model, own_format)]
    for name, value in rows:
        print(f"{name:<16}{', '.join(map(str, value)) if isinstance(value, list) else value}")
    if args.model is not None and model_info.has_report(model):
        print(f"\ntraining\n{model.report}")


def _run_convert(args: argparse.Namespace) -> None:
    files.check_writable(args.output, args.model)
    model = inputs.load_model(args.model)[0]
    if args.format not in (known := model_info.formats(model)):
        raise ValueError(f"{args.model}: --format {args.format} is not for such a model; expected {in_a_row(known, 'or')}")
    try:
        files.save(model, args.output, format=args.format)
    except ValueError as e:  # such as text labels, which the text formats do not hold
        raise ValueError(f"{args.model}: {e}") from None


def _run_demo(args: argparse.Namespace) -> None:
    from .demo import run

    run(rows=args.rows, seed=args.random_state, n_jobs=args.n_jobs, quiet=args.quiet)


_COMMANDS = {
    **{
        "train": _run_train,
        "predict": _run_predict,
        "info": _run_info,
        "convert": _run_convert,
        "cv": search.run,
        "grid": search.run,
        "tune": tune.run,
    },
    "easy": lambda args: easy.run(args, _run_words),
    **{"scale": scale.run, "datasets": datasets.run, "demo": _run_demo, "bench": bench.run},
}


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _report(f"warning: {message}")


def _drop_stdout() -> None:
    """Otherwise Python reports the same error again when it flushes stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""

    return guarded(lambda: _run_words(sys.argv[1:] if argv is None else argv))


def _run_words(words: Sequence[str]) -> None:
    """A command and its arguments."""
    parser = arguments.parser()
    given = _joined(words)
    if given and given[0] in _OF_LIBSVM and (habit := arguments.libsvm_habit(given[0], given[1:])):
        parser._command(given[0]).error(habit)
    args = parser.parse_args(given)
    _COMMANDS[args.command](args)


_OF_LIBSVM = ("train", "predict", "cv", "grid", "tune", "easy", "scale")  # that have options of other names there
_WITH_MINUS = (
    "--class-weight",
    *options.FLAGS["C"],
    "-g",
    "--gamma",
    *search.RANGES,
)  # options whose values may begin with a minus sign


def _joined(given: Sequence[str]) -> list[str]:
    """``--class-weight -1:2`` as ``--class-weight=-1:2``: argparse takes what begins with a minus sign and is no number for an
    option."""
    words: list[str] = []
    for word in given:
        if words and words[-1] in _WITH_MINUS and re.match(r"-[\d.]", word):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def guarded(command: Callable[[], None]) -> int:
    """Runs a command; errors become one line on stderr. Returns the exit code."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                command()
            except SystemExit:  # after a help
                _flush()
                raise
        _flush()
    except BrokenPipeError:
        _drop_stdout()  # the program that read stdout has ended
        return 141
    except KeyboardInterrupt:
        _report("interrupted")
        return 130
    except (ValueError, OSError, MemoryError) as e:
        _report(f"error: {_message(e)}")
        try:
            _flush()
        except OSError:  # stdout is on a full disk: that was the error
            _drop_stdout()
        return 1
    return 0
