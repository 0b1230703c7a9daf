"""The parameters of the core's trainings, as C++ declares them (cpp/include/dcsvm/parameters.hpp)."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .. import _core
from . import validate
from .suggestions import did_you_mean

#: arguments that have another name in C++
DECLARED_AS = {"random_state": "seed", "n_jobs": "n_threads"}

Params = TypeVar("Params", bound="_core._AnyParams")
P = ParamSpec("P")
R = TypeVar("R")


class Parameter(NamedTuple):
    """Name, type and range of a parameter, and what it means."""

    name: str
    type: str  # "bool", "int", "float", "str" or "list"
    text: str
    default: Any
    choices: tuple[str, ...]
    optional: bool  # None is a value of its own
    zero: str | None  # what None means; it is 0 in C++
    low: float
    high: float
    low_allowed: bool
    high_allowed: bool
    infinity: str | None  # what it means

    def is_default(self, value: object) -> bool:
        """Whether the value is certainly the default, a plain one. Looking at all that it may be takes longer."""
        return self.zero is None and type(value) is type(self.default) and value == self.default

    def checked(self, value: object) -> Any:
        """The value as the core takes it. ValueError naming the parameter, the value and what is allowed."""
        none_allowed = self.optional or self.zero is not None
        if value is None and none_allowed:
            return None if self.optional else 0
        if self.type == "bool":
            return validate.boolean(self.name, value)
        if self.type == "str":
            return validate.choice(self.name, value, self.choices)
        also = " or None" if none_allowed else ""
        if self.type == "int":
            high = int(self.high) if math.isfinite(self.high) else 2**63 - 1
            return validate.integer(self.name, value, low=int(self.low), high=high, also=also)
        if self.infinity is not None:
            if isinstance(value, numbers.Real) and value == math.inf:
                return math.inf
            also += " or infinity"
        limits = {"at_least" if self.low_allowed else "above": self.low, "at_most" if self.high_allowed else "below": self.high}
        return validate.real(self.name, value, **limits, also=also)


def parameters_of(kind: type[_core._AnyParams]) -> dict[str, Parameter]:
    """By name, those of a class of the core such as ``_core.TrainParams``."""
    key: Any = kind
    return _read(key)


@functools.cache
def _read(kind: Any) -> dict[str, Parameter]:
    return {d["name"]: Parameter(**d) for d in kind.parameters}


def fill(p: Params, given: Mapping[str, Any]) -> Params:
    """Sets the fields of ``p``, which is new, to the checked arguments of their names. Apart from those: gamma may be a rule,
    class_weight "balanced"; random_state is the field seed, n_jobs n_threads."""
    declared = parameters_of(type(p))
    for name, parameter in declared.items():
        if name in given and name not in ("gamma", "class_weight"):
            value = given[name]
            if not parameter.is_default(value):  # which ``p`` has
                setattr(p, name, parameter.checked(value))
    if "gamma" in given:
        _set_gamma(p, given["gamma"], declared["gamma"])
    if "class_weight" in given:
        for name, value in zip(("class_weight", "balanced"), validate.class_weight(given["class_weight"]), strict=True):
            setattr(p, name, value)
    p.seed = validate.seed(given["random_state"])
    p.n_threads = validate.threads(given["n_jobs"])
    return p


def _set_gamma(p: _core._AnyParams, gamma: Any, declared: Parameter) -> None:
    if not isinstance(gamma, str):
        p.gamma_rule, p.gamma = "value", declared.checked(gamma)
    elif gamma in ("scale", "auto"):
        p.gamma_rule = gamma
    else:
        hint = did_you_mean(gamma, ("scale", "auto"))
        raise ValueError(f"gamma must be a number > 0, 'scale' or 'auto'; got {gamma!r}{hint}")


def known_parameters(
    function: str, given: Mapping[str, Any], known: Iterable[str], refused: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    """What was given; TypeError when it names another parameter than the known ones, or one of these that is refused.

    refused : name -> why
    """
    for name, why in (refused or {}).items():
        if name in given:
            raise TypeError(f"{function}() takes no {name}: {why}")
    names = list(known)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise validate.unknown_parameters(function, unknown, names)
    return given


@functools.cache
def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a training that are given by name, and their defaults."""
    return {name: p.default for name, p in inspect.signature(function).parameters.items() if p.kind is p.KEYWORD_ONLY}


def data_first(function: Callable[P, R]) -> Callable[P, R]:
    """Gives a function of X and y the error for an estimator in the place of X."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if args:
            refuse_estimator(function.__name__, args[0])
        return function(*args, **kwargs)

    return run


def refuse_estimator(function: str, X: Any) -> None:
    """TypeError for an estimator in the place of X."""
    if not (hasattr(X, "fit") and hasattr(X, "get_params")):
        return
    advice = "an estimator is trained by its own method fit(X, y)"
    if function == "cross_validate":
        advice = (
            "for estimators there is sklearn.model_selection.cross_validate; this one trains SVMs from X and y along C and gamma"
        )
    raise TypeError(f"{function}: the first argument is X, the data, and not an estimator, got {type(X).__name__}: {advice}")


def training(kind: type[_core._AnyParams]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function a training whose parameters the core declares as `kind`, which its attribute ``declared_as`` says. It then
    has the error for parameters that it does not have: their names, and those that were meant."""

    def complete(function: Callable[P, R]) -> Callable[P, R]:
        known = inspect.signature(function).parameters

        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            if args:
                refuse_estimator(function.__name__, args[0])
            if not known.keys() >= kwargs.keys():
                raise validate.unknown_parameters(
                    function.__name__, [name for name in kwargs if name not in known], defaults_of(function)
                )
            return function(*args, **kwargs)

        vars(run)["declared_as"] = kind
        return run

    return complete
