"""The command dcsvm: train, predict, info, demo, bench."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import re
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

import dcsvm

from . import _bench_arguments, _low_rank_arguments, _model_info, _train
from ._model import PREDICTIONS
from ._validate import CsrMatrix, as_data

_FORMATS = """\
data files:
  SVMlight / LIBSVM text ("label index:value ...", any name), or numpy: .npz with arrays X and y (or X_train, y_train,
  X_test, y_test: train takes the first two, predict the others), or .npy with the matrix and --labels FILE.npy.
"""

_MAIN = """\
examples:
  dcsvm demo                                    see what it does, on generated data (5 to 15 seconds on two cores)
  dcsvm train heart.txt heart.model             C=1, rbf kernel, gamma="scale"
  dcsvm predict test.txt heart.model out.txt    one label a line; prints the accuracy
  dcsvm info heart.model                        what a model file holds
  dcsvm COMMAND --help                          more about each

exit codes: 0 done, 1 an error (one line on stderr), 2 wrong usage, 130 Ctrl-C. Nothing half-written is left.
"""

_TRAIN = (
    _FORMATS
    + """
examples:
  dcsvm train a9a.txt a9a.model --C 8 --gamma 0.03125
  dcsvm train big.npz big.model --C 32 --gamma 32 --early-level 3   64 clusters (4^3), no exact solve: a fraction of the time
  dcsvm train skewed.txt m --class-weight=1:20                      errors on class 1 cost twenty times as much
  dcsvm train prices.txt m --formulation epsilon_svr --epsilon 0.05 numbers instead of classes
  dcsvm train m.txt m --tol 1e-6 --precision double                 a very exact solution
  dcsvm train a9a.txt m -C 8 --method low-rank --n-landmarks 1000   features of 1,000 landmarks: time grows with the rows alone
  dcsvm train huge.txt m --method low-rank --memory-mb 500          a file larger than memory, in blocks

which solver:
  Leave --solver auto for the exact answer, LIBSVM's to within the tolerance: it takes one block solver for small problems and
  divide and conquer (dc) for large ones. --early-level L stops after clustering into branching^L parts and solving each alone:
  accuracy is usually within a few tenths of a point. Scale features to similar ranges first; gamma and C then matter
  most (try powers of ten around gamma="scale" and C=1).
"""
)

_PREDICT = (
    _FORMATS
    + """
examples:
  dcsvm predict test.txt heart.model out.txt    labels into out.txt, accuracy on stdout
  dcsvm predict test.txt heart.model -          labels on stdout, accuracy on stderr
  dcsvm predict new.npy heart.model out.txt     no labels: no accuracy
"""
)


def _gamma(text: str) -> float | str:
    return text if text in ("scale", "auto") else float(text)


def _weight(text: str) -> str | tuple[float, float]:
    if text == "balanced":
        return text
    label, _, factor = text.rpartition(":")
    return float(label), float(factor)


# svm-train's options that are not ours -> what is.
_LIBSVM = {
    "-c": "-C",
    "-t": "--kernel linear (-t 0), poly (1), rbf (2) or sigmoid (3)",
    "-d": "--degree",
    "-r": "--coef0",
    "-e": "--tol",
    "-m": "--cache-size",
    "-w": "--class-weight=LABEL:FACTOR",
    "-s": "--formulation c_svc (-s 0), nu_svc (1), one_class (2), epsilon_svr (3) or nu_svr (4)",
    "-n": "--nu",
    "-p": "--epsilon",
    **dict.fromkeys(("-b", "-v"), "not in this version"),
}


def _libsvm_habit(arguments: Sequence[str]) -> str | None:
    """The first option that svm-train and svm-predict have and dcsvm has not, and what to write instead."""
    for argument in arguments:
        if argument == "--":
            break
        if option := re.fullmatch(r"(-[ctdremsbvnp])[-+.\deE]*|(-w)\S+", argument):
            ours = _LIBSVM[option[1] or option[2]]
            return f"{argument} is an option of LIBSVM's commands; here it is {ours}"
    return None


_gamma.__name__, _weight.__name__ = "gamma", "LABEL:FACTOR"  # what argparse prints


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dcsvm",
        description="Kernel support vector machines: exact like LIBSVM, or early by divide and conquer.",
        epilog=_MAIN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dcsvm {dcsvm.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, text: str, epilog: str) -> argparse.ArgumentParser:
        p = commands.add_parser(
            name, help=text, description=text, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        p.add_argument("-q", "--quiet", action="store_true", help="no progress, and only results on stdout")
        return p

    train = command("train", "Train a model and save it.", _TRAIN)
    _add_train(train)
    _low_rank_arguments.add_arguments(train)
    predict = command("predict", "Predict labels with a saved model.", _PREDICT)
    _add_data(predict)
    predict.add_argument("model", metavar="MODEL", help="model file from dcsvm train")
    predict.add_argument("output", metavar="OUTPUT", help="file to write, one label a line; - is stdout")
    instead = predict.add_mutually_exclusive_group()
    instead.add_argument("--decision-values", action="store_true", help="write decision values instead of labels")
    instead.add_argument("--probabilities", action="store_true", help="write a probability for each class instead of labels")
    predict.add_argument(
        "--prediction", choices=PREDICTIONS, help="for a model trained with --early-level: another way to predict"
    )
    predict.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1 is all cores")
    info = command("info", "Describe a model file, or this build.", "")
    info.add_argument("model", metavar="MODEL", nargs="?", help="model file; without it: version, compiler, instruction sets")
    demo = command("demo", "Train on generated data, early and exactly, and print what came out.", "")
    demo.add_argument("--rows", type=int, default=100_000, metavar="N", help="training rows of each problem (100000)")
    demo.add_argument("--seed", type=int, default=0, help="of data and clustering (0)")
    demo.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1 is all cores")
    _bench_arguments.add_arguments(command("bench", _bench_arguments.DESCRIPTION, _bench_arguments.EPILOG))
    return parser


def _add_data(p: argparse.ArgumentParser) -> None:
    p.add_argument("data", metavar="DATA", help="data file")
    p.add_argument("--labels", metavar="FILE.npy", help="labels, when DATA is a .npy matrix or a scipy .npz")
    p.add_argument("--zero-based", action="store_true", help="text indices start at 0")


def _add_train(p: argparse.ArgumentParser) -> None:
    _add_data(p)
    p.add_argument("model", metavar="MODEL", help="model file to write")
    p.add_argument("--n-features", type=int, metavar="N", help="columns of a text file (default: the largest index in it)")
    g = p.add_argument_group("what is solved")
    g.add_argument(
        "--formulation",
        choices=_train.FORMULATIONS,
        help="classes: c_svc, nu_svc; the region where the data lies: one_class; numbers: epsilon_svr, nu_svr (c_svc)",
    )
    g.add_argument("-C", "--C", type=float, help="price of errors, > 0 (1)")
    g.add_argument("--nu", type=float, help="of nu_svc, one_class and nu_svr, in (0, 1] (0.5)")
    g.add_argument("--epsilon", type=float, help="of epsilon_svr: half width of the tube without loss (0.1)")
    g.add_argument("--kernel", choices=[k for k in _train.KERNELS if k != "precomputed"], help="(rbf)")
    g.add_argument(
        "-g", "--gamma", type=_gamma, help="a number, 'scale' = 1/(features * variance), or 'auto' = 1/features (scale)"
    )
    g.add_argument("--degree", type=int, help="of the poly kernel (3)")
    g.add_argument("--coef0", type=float, help="of the poly and sigmoid kernels (0)")
    g.add_argument("--no-intercept", dest="fit_intercept", action="store_false", default=None, help="no bias term")
    g.add_argument(
        "--class-weight",
        type=_weight,
        action="append",
        metavar="LABEL:FACTOR",
        help="C of a class times a factor, as --class-weight=-1:2.5, once for each class; or 'balanced'",
    )
    g = p.add_argument_group("how")
    g.add_argument("--solver", choices=_train.SOLVERS, help="(auto)")
    g.add_argument("--early-level", type=int, metavar="L", help="stop after level L of divide and conquer")
    g.add_argument("--prediction", choices=PREDICTIONS, help="how an early model predicts (early)")
    g.add_argument("--n-levels", type=int, metavar="L", help="levels of divide and conquer (chosen from the rows)")
    g.add_argument("--branching", type=int, metavar="K", help="level l has K^l clusters (4)")
    g.add_argument("--sample-size", type=int, metavar="M", help="points that the clustering is found on (1000)")
    g.add_argument("--clustering", choices=_train.CLUSTERINGS, help="(kernel_kmeans)")
    g.add_argument("--n-support-estimate", type=int, metavar="K", help="solver rand stops at so many support vectors (Eq. 4)")
    g.add_argument("--rand-epsilon", type=float, metavar="E", help="distortion in the estimate of K (0.2)")
    g.add_argument("--rand-delta", type=float, metavar="D", help="probability of failure in the estimate of K (0.9)")
    g.add_argument("--sample-factor", type=float, metavar="C", help="samples of solver rand have C K rows (2)")
    g.add_argument("--cascade-leaves", type=int, metavar="N", help="parts of solver cascade, a power of two (8)")
    g.add_argument("--cascade-passes", type=int, metavar="N", help="passes of solver cascade (until no row violates)")
    g.add_argument("--tol", type=float, help="stop when the KKT violation is below (0.001)")
    g.add_argument("--cache-size", type=float, metavar="MB", help="memory for kernel rows (2000)")
    g.add_argument("--precision", choices=_train.PRECISIONS, help="of kernel values (single)")
    g.add_argument("--no-shrinking", dest="shrinking", action="store_false", default=None, help="look at all variables always")
    g.add_argument("--probability", action="store_true", default=None, help="calibrate for probabilities as well")
    g.add_argument("--max-iter", type=int, metavar="N", help="limit of solver steps (-1: none)")
    g.add_argument("--seed", type=int, dest="random_state", help="of the clustering (0)")
    g.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1 is all cores (DCSVM_NUM_THREADS, else all)")


# Files


def _load(args: argparse.Namespace, part: str, n_features: int | None = None) -> tuple[Any, npt.NDArray[Any] | None]:
    path = Path(args.data)
    if path.suffix not in (".npz", ".npy"):
        return dcsvm.load_svmlight(path, n_features=n_features, zero_based=args.zero_based)
    try:
        y = None if args.labels is None else np.load(args.labels)
        if path.suffix == ".npy":
            return np.load(path), y
        with np.load(path) as arrays:
            if "indptr" in arrays:
                shape = tuple(int(v) for v in arrays["shape"])
                return CsrMatrix(arrays["data"], arrays["indices"], arrays["indptr"], (shape[0], shape[1])), y
            for suffix in ("", f"_{part}"):
                if f"X{suffix}" in arrays:
                    labels = arrays[f"y{suffix}"] if y is None and f"y{suffix}" in arrays else y
                    return arrays[f"X{suffix}"], labels
            raise ValueError(f"no array X or X_{part}; it has {', '.join(arrays)}")
    except (ValueError, zipfile.BadZipFile, EOFError) as e:
        raise ValueError(f"{path}: {e}") from None


def _stdout() -> TextIO:
    if sys.stdout is None:  # the shell's >&-
        raise OSError(errno.EBADF, "is closed", "stdout")
    return sys.stdout


def _complain(text: str) -> None:
    if sys.stderr is not None:  # print would take stdout instead
        print(f"dcsvm: {text}", file=sys.stderr)


@contextmanager
def _writing(path: str) -> Iterator[TextIO]:
    """A text file that appears whole or not at all; - is stdout."""
    if path == "-":
        yield _stdout()
        return
    target = Path(path)
    if target.exists() and not target.is_file():  # /dev/null, a pipe
        with target.open("w") as file:
            yield file
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("x") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _check_writable(path: Path, *inputs: str | None) -> None:
    """Before the work, not after it: the folder exists, and nothing that is read would be overwritten."""
    for name in inputs:
        if name is not None and path.is_file() and Path(name).exists() and path.samefile(name):
            raise ValueError(f"{path} would overwrite {name}, which is read; name another output")
    if path.exists() and not path.is_file() and not path.is_dir():  # /dev/null, a pipe
        return
    parent = path.parent
    if not parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(parent))
    if path.is_dir():
        raise IsADirectoryError(21, "is a folder", str(path))
    if not os.access(parent, os.W_OK):
        raise PermissionError(13, "cannot write into this folder", str(parent))


# Commands


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
    _check_writable(target, args.data, args.labels)
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
    x, y = _load(args, "train", args.n_features)
    if y is None:
        raise ValueError(f"{args.data}: no labels; give --labels FILE.npy")
    return dcsvm.train_low_rank(x, y, **params) if args.method == "low-rank" else dcsvm.train(x, y, **params)


def _run_predict(args: argparse.Namespace) -> None:
    if args.output == "-":
        _stdout()
    else:
        _check_writable(Path(args.output), args.data, args.labels, args.model)
    model = dcsvm.load_model(args.model)
    values: Callable[..., Any] | None = model.decision_function if args.decision_values else None
    formulation = "c_svc"
    if isinstance(model, dcsvm.LowRankModel):
        _low_rank_arguments.check_predict(args)
    else:
        formulation = _model_info.formulation_of(model)
        if args.prediction is not None:
            if isinstance(model, dcsvm.LsSvmModel):
                raise ValueError(f"{args.model}: --prediction is for models trained with --early-level; this is an LS-SVM")
            model = model.with_prediction(args.prediction)
        if args.decision_values or args.probabilities:
            values = model.decision_function if args.decision_values else model.predict_proba
    x, y = _load(args, "test", model.n_features_in_)
    x = as_data("X", x)
    labels = model.predict(x, n_jobs=args.n_jobs) if y is not None or values is None else None
    out = labels if values is None else values(x, n_jobs=args.n_jobs)
    assert out is not None
    with _writing(args.output) as file:
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
    from ._demo import run

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
        parser = _parser()
        given = sys.argv[1:] if arguments is None else arguments
        if given and given[0] in ("train", "predict") and (habit := _libsvm_habit(given[1:])):
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
