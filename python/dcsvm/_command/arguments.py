"""The command line of dcsvm: its sub-commands, their options and what --help says of them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

import dcsvm

from .. import _core
from .._input.parameters import parameters_of
from .._linear.model import FORMATS as LINEAR_FORMATS
from .._svm.model import FORMATS as MODEL_FORMATS
from .._svm.model import PRECISIONS, PREDICTIONS
from . import bench, datasets, easy, inputs, method_arguments, options, scale, search, tune
from .parser import Parser

_FORMATS = """\
data files:
  SVMlight / LIBSVM text ("label index:value ...", any name); CSV (.csv: numbers, the label in the first column; a first line of
  names may stand above); or numpy: .npz with arrays X and y (or X_train, y_train, X_test, y_test: train takes the first two,
  predict the others), or .npy with the matrix and --labels FILE.npy. Each may be compressed (.gz, .bz2, .xz). - is stdin or
  stdout.
"""

_MAIN = """\
examples:
  dcsvm demo                                    see what it does, on generated data (some seconds)
  dcsvm train heart.txt heart.model             C=1, rbf kernel, gamma="scale"
  dcsvm predict test.txt heart.model out.txt    one label a line; prints the accuracy
  dcsvm info heart.model                        what a model file holds
  dcsvm convert heart.model m --format libsvm   a model file that LIBSVM's programs read
  dcsvm cv heart.txt                            how good the parameters are, by cross-validation
  dcsvm grid heart.txt                          the best C and gamma
  dcsvm scale heart.txt scaled.txt              features in similar ranges
  dcsvm datasets heart_scale                    downloads a set of LIBSVM's data page, prints its path
  dcsvm COMMAND --help                          more about each

exit codes: 0 done, 1 an error (one line on stderr), 2 wrong usage, 130 Ctrl-C, 141 the reader of stdout has ended.
Nothing half-written is left.
"""

_TRAIN = (
    _FORMATS
    + """
examples:
  dcsvm train a9a.txt a9a.model --C 8 --gamma 0.03125
  dcsvm train big.npz big.model --C 32 --gamma 32 --early-level 3   64 clusters (4^3), no exact solve: a fraction of the time
  dcsvm train skewed.txt m --class-weight -1:20                     errors on class -1 cost twenty times as much
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

_CONVERT = """\
examples:
  dcsvm convert heart.model heart.libsvm --format libsvm    the text that svm-predict reads; without the report
  dcsvm convert heart.libsvm heart.model --format dcsvm     smaller, and with checksums

The texts of LIBSVM and LIBLINEAR hold labels that are whole numbers. A model that stopped early, a low-rank one, and the
other kinds that LIBSVM does not have stay in dcsvm's format.
"""


# svm-train's options that are not ours -> what is.
_LIBSVM = {
    "-t": "--kernel linear (-t 0), poly (1), rbf (2) or sigmoid (3)",
    "-d": "--degree",
    "-r": "--coef0",
    "-e": "--tol",
    "-m": "--cache-size",
    "-w": "--class-weight=LABEL:FACTOR",
    "-s": "--formulation c_svc (-s 0), nu_svc (1), one_class (2), epsilon_svr (3) or nu_svr (4)",
    "-n": "--nu",
    "-p": "--epsilon",
    "-b": "--probability (dcsvm predict: --probabilities)",
    "-v": "the command dcsvm cv DATA --folds N",
}
_OF_COMMAND = {
    "cv": {"-v": ""},  # which have it
    "grid": {"-v": ""},
    "tune": {"-v": ""},
    "easy": {"-v": "--folds"},
    "scale": {"-l": "--lower", "-u": "--upper", "-s": "--save", "-r": "--restore"},
}


# grid.py's, for files and pictures that dcsvm grid does not make -> what to do.
_NO_PICTURES = "dcsvm grid draws nothing: leave it and its value out (dcsvm.plotting.grid draws what cross_validate found)"
_GRID_PY = {
    "-svmtrain": "dcsvm grid needs no other program: leave it and its value out",
    "-gnuplot": _NO_PICTURES,
    "-png": _NO_PICTURES,
    "-out": "dcsvm grid prints its table on stdout: write > FILE behind the command",
    "-resume": "dcsvm grid begins where it was interrupted with --checkpoint FILE",
}


def libsvm_habit(command: str, arguments: Sequence[str]) -> str | None:
    """The first option that LIBSVM's command has and dcsvm's has not, and what to write instead."""
    known = _OF_COMMAND["scale"] if command == "scale" else {**_LIBSVM, **_OF_COMMAND.get(command, {})}
    for argument in arguments:
        if argument == "--":
            break
        if command == "grid" and argument in _GRID_PY:
            return f"{argument} is an option of LIBSVM's grid.py; {_GRID_PY[argument]}"
        option = re.fullmatch(r"(-[tdremsbvnplu])[-+.\deE]*|(-w)\S+", argument)
        if option and (ours := known.get(option[1] or option[2])):
            return f"{argument} is an option of LIBSVM's commands; here it is {ours}"
    return None


FORMATS = tuple(dict.fromkeys((*MODEL_FORMATS, *LINEAR_FORMATS)))


def parser() -> Parser:
    description = "Kernel support vector machines: exact like LIBSVM, or early by divide and conquer."
    top = Parser(prog="dcsvm", description=description, epilog=_MAIN)
    top.add_argument("--version", action="version", version=f"dcsvm {dcsvm.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, text: str, epilog: str) -> argparse.ArgumentParser:
        p = commands.add_parser(name, help=text, description=text, epilog=epilog)
        p.add_argument("-q", "--quiet", action="store_true", help="no progress, and only results on stdout")
        return p

    train = command("train", "Train a model and save it.", _TRAIN)
    _add_train(train)
    method_arguments.add_arguments(train)
    predict = command("predict", "Predict labels with a saved model.", _PREDICT)
    inputs.add_data(predict)
    predict.add_argument("model", type=inputs.named, metavar="MODEL", help="model file from dcsvm train; - is stdin")
    predict.add_argument("output", type=inputs.named, metavar="OUTPUT", help="file to write, one label a line; - is stdout")
    instead = predict.add_mutually_exclusive_group()
    instead.add_argument("--decision-values", action="store_true", help="write decision values instead of labels")
    instead.add_argument("--probabilities", action="store_true", help="write a probability for each class instead of labels")
    predict.add_argument(
        "--prediction", choices=PREDICTIONS, help="for a model trained with --early-level: another way to predict"
    )
    predict.add_argument("--precision", choices=PRECISIONS, help="of a kernel SVM's kernel values; default: that of its training")
    predict.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1 is all cores")
    info = command("info", "Describe a model file, or this build.", "")
    info.add_argument(
        "model", type=inputs.named, metavar="MODEL", nargs="?", help="model file; without it: version, compiler, instruction sets"
    )
    convert = command("convert", "Write a model file in another format.", _CONVERT)
    convert.add_argument("model", type=inputs.named, metavar="MODEL", help="model file of any of the formats; - is stdin")
    convert.add_argument("output", type=inputs.named, metavar="OUTPUT", help="model file to write; - is stdout")
    convert.add_argument(
        "--format",
        choices=FORMATS,
        required=True,
        help="of OUTPUT: libsvm of a model with a kernel, liblinear of a linear one, or dcsvm",
    )
    search.add_cv(command("cv", "Cross-validate one set of parameters.", _FORMATS + "\n" + search.CV))
    search.add_grid(command("grid", "Cross-validate a grid of C and gamma.", _FORMATS + "\n" + search.GRID))
    tune.add_arguments(command("tune", "Find C and gamma, and train with them.", _FORMATS + "\n" + tune.EPILOG))
    easy.add_arguments(command("easy", "Scale, search C and gamma, train and predict, as LIBSVM's easy.py.", easy.EPILOG))
    scale.add_arguments(command("scale", "Scale the features of a text file to similar ranges.", scale.EPILOG))
    datasets.add_arguments(command("datasets", "List the sets of LIBSVM's data page, or download some.", datasets.EPILOG))
    demo = command("demo", "Train on generated data, early and exactly, and print what came out.", "")
    demo.add_argument("--rows", type=int, default=100_000, metavar="N", help="training rows of each problem (100000)")
    demo.add_argument(
        "--seed", dest="random_state", type=options.whole_number, metavar="N", default=0, help="of data and clustering (0)"
    )
    demo.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1 is all cores")
    bench.add_arguments(command("bench", "Compare dcsvm with its peers on your own data.", bench.EPILOG))
    return top


def _add_train(p: argparse.ArgumentParser) -> None:
    inputs.add_data(p)
    text = "model file to write; - is stdout (the name of DATA with .model behind, in this folder)"
    p.add_argument("model", type=inputs.named, metavar="MODEL", nargs="?", help=text)
    p.add_argument("--n-features", type=int, metavar="N", help="columns of a text file (default: the largest index in it)")
    solved, how = p.add_argument_group("what is solved"), p.add_argument_group("how")
    order = list(parameters_of(_core.TrainParams))
    for name, default, parameter in options.declared(_core.TrainParams, dcsvm.train):
        first = order.index(parameter.name) < order.index("solver")
        also = options.choices_of(_core.LinearParams, name) if name == "solver" else ()  # one option for two families
        more = method_arguments.other_defaults(name, default)
        options.add(solved if first else how, name, default, parameter, more=more, also=also)
    options.add_checkpoint(how)
    options.add_no_timings(how)
