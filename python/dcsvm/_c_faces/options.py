"""Options of the commands as the Python modules of LIBSVM and LIBLINEAR take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from ctypes import c_double, c_int
from typing import Any

from .library import print_null


def parse_train_options(
    param: Any, options: Any, flags: Mapping[str, tuple[str, Any]], valued: Mapping[str, tuple[str, Any, str]], folds: str
) -> None:
    """Sets the attributes of a parameter that the options of a training name.

    flags : option to attribute and value
    valued : option to attribute, conversion, and an attribute that becomes True ("": none)
    folds : the attribute that -v sets
    """
    argv = _argument_list(options)
    param.set_to_default_values()
    weights: list[tuple[int, float]] = []
    given = iter(argv)
    for option in given:
        if option in flags:
            setattr(param, *flags[option])
        elif option in valued:
            name, convert, flag = valued[option]
            setattr(param, name, convert(_next(given)))
            if flag:
                setattr(param, flag, True)
        elif option == "-v":
            setattr(param, folds, 1)
            param.nr_fold = int(_next(given))
            if param.nr_fold < 2:
                raise ValueError("n-fold cross validation: n must >= 2")
        elif option.startswith("-w"):
            value = _next(given)
            weights.append((int(option[2:]), float(value)))
        else:
            raise ValueError("Wrong options")
    param.nr_weight = len(weights)
    param.weight_label = (c_int * len(weights))(*(w[0] for w in weights))
    param.weight = (c_double * len(weights))(*(w[1] for w in weights))


def parse_predict_options(options: str) -> tuple[int, Callable[[str], None]]:
    """Whether probabilities are wanted, and the function that prints."""
    probability, info = 0, print
    argv = iter(options.split())
    for option in argv:
        if option == "-b":
            probability = int(_next(argv))
        elif option == "-q":
            info = print_null  # type: ignore[assignment]
        else:
            raise ValueError("Wrong options")
    return probability, info


def _argument_list(options: Any) -> list[Any]:
    if isinstance(options, list):
        return options
    if isinstance(options, str):
        return options.split()
    raise TypeError("arg 1 should be a list or a str.")


def _next(given: Iterator[Any]) -> Any:
    for value in given:
        return value
    raise IndexError("list index out of range")
