"""Options of dcsvm train, made from the arguments of the Python functions and the core's declarations of their parameters."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import _core
from .._input.parameters import DECLARED_AS, Parameter, parameters_of
from . import inputs

# Where the option is not the argument's name with - for _.
FLAGS = {
    "C": ("-C", "-c", "--C"),  # -c is LIBSVM's
    "gamma": ("-g", "--gamma"),
    "fit_intercept": ("--no-intercept",),
    "random_state": ("--seed",),
    "lambda_": ("--lambda",),
}
# What the option takes, where the core's text does not say it.
_TAKES = {
    "gamma": ": a number, scale = 1 / (features * variance) (exponential, matern: its root; laplacian, chi2: 1 / (features * "
    "standard deviation)), or auto = 1 / features",
    "class_weight": "; once for each class, as --class-weight -1:2.5, or 'balanced': n / (classes * rows of the class)",
    "n_jobs": "; -1: all cores",
}
PYTHON_ALONE = ("keep_levels",)  # what it keeps is not in the model's file
# What the option says, where "do not" before the core's text would be no sentence.
_NEGATED = {"regularize_bias": "keep the weight of the bias out of the norm; needs bias = 1 and a solver from the primal side"}
_NOT_HERE = ("precomputed", "kernel_ridge")  # choices that the command has no data or no training for


def _gamma(text: str) -> float | str:
    try:
        return text if text in ("scale", "auto") else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, scale or auto; got {text!r}") from None


def whole_number(text: str) -> int:
    """A seed. argparse reports the error."""
    if not text.isdecimal() or int(text) >= 2**64:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to 2^64 - 1; got {text!r}")
    return int(text)


def _number_or_auto(text: str) -> float | str:
    return text if text == "auto" else float(text)


def _weight(text: str) -> str | tuple[float | str, float]:
    if text == "balanced":
        return text
    label, _, factor = text.rpartition(":")
    if not label:
        raise ValueError
    try:
        return float(label), float(factor)
    except ValueError:
        return label, float(factor)


_weight.__name__, _number_or_auto.__name__ = "LABEL:FACTOR", "number"  # what argparse prints


def declared(kind: type[_core._AnyParams], *functions: Callable[..., Any]) -> Iterator[tuple[str, Any, Parameter]]:
    """Arguments of functions that are parameters of the core: name, default, declaration."""
    parameters = parameters_of(kind)
    for function in functions:
        for name, argument in inspect.signature(function).parameters.items():
            parameter = parameters.get(DECLARED_AS.get(name, name))
            if parameter is not None and name not in PYTHON_ALONE:
                yield name, argument.default, parameter


def flags(name: str, default: Any) -> tuple[str, ...]:
    """The option's names: the argument's with - for _, and with no- for a switch that is on."""
    return FLAGS.get(name, (f"--{'no-' * (default is True)}{name.replace('_', '-')}",))


def standard(default: Any, parameter: Parameter) -> str | None:
    """The default in words."""
    return parameter.zero if default is None else f"{default:g}" if isinstance(default, (int, float)) else default


def add(
    group: argparse._ArgumentGroup, name: str, default: Any, parameter: Parameter, *, more: str = "", also: Sequence[str] = ()
) -> None:
    """The option of an argument; it is None when it is not given. more: stands behind the default. also: further choices."""
    names = flags(name, default)
    shown = standard(default, parameter)
    text = parameter.text + _TAKES.get(name, "") + f" ({shown}{more})" * (shown is not None)
    kind: Any = {"int": int, "float": float}.get(parameter.type)
    if parameter.type == "bool":
        text = _NEGATED.get(name, f"do not {parameter.text}") if default else parameter.text
        group.add_argument(*names, dest=name, action="store_false" if default else "store_true", default=None, help=text)
    elif parameter.choices:
        choices = [choice for choice in parameter.choices if choice not in _NOT_HERE] + list(also)
        group.add_argument(*names, dest=name, choices=choices, help=text)
    elif name == "class_weight":
        group.add_argument(*names, dest=name, type=_weight, action="append", metavar="LABEL:FACTOR", help=text)
    elif name == "gamma":
        group.add_argument(*names, dest=name, type=_gamma, help=text)
    elif name == "random_state":
        group.add_argument(*names, dest=name, type=whole_number, metavar="N", help=text)
    elif name == "budget":  # a number, or one with x behind
        group.add_argument(*names, dest=name, metavar="X", help=text)
    else:
        number = _number_or_auto if default == "auto" else kind
        group.add_argument(*names, dest=name, type=number, metavar="N" if kind is int else "X", help=text)


def add_no_timings(group: argparse._ActionsContainer) -> None:
    """The option about what a model file leaves out."""
    text = "leave seconds and threads out of the model file: equal trainings then write equal files"
    group.add_argument("--no-timings", action="store_true", help=text)


def add_checkpoint(group: argparse._ArgumentGroup) -> None:
    """The options about the file from which a killed command goes on."""
    group.add_argument(
        "--checkpoint",
        type=inputs.named,
        metavar="FILE",
        help="keep what was found so far in FILE: the same command, given again after a kill, goes on from there",
    )
    group.add_argument("--checkpoint-interval", type=float, metavar="S", help="seconds of work that may be lost (60)")


def choices_of(kind: type[_core._AnyParams], name: str) -> list[str]:
    """The names that a parameter takes."""
    return [choice for choice in parameters_of(kind)[name].choices if choice not in _NOT_HERE]


def class_weight(given: Sequence[str | tuple[float | str, float]]) -> str | dict[float | str, float]:
    """The values of --class-weight as the argument of train."""
    weights: dict[float | str, float] = {}
    for weight in given:
        if isinstance(weight, str):
            if len(given) > 1:
                raise ValueError("--class-weight balanced sets the weights of all classes: give it alone")
            return weight
        if weight[0] in weights:
            label = weight[0] if isinstance(weight[0], str) else f"{weight[0]:g}"
            raise ValueError(f"--class-weight names label {label} twice; give each label once")
        weights[weight[0]] = weight[1]
    return weights
