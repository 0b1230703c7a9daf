"""Calling the C libraries: prototypes, interruption and errors; what LIBSVM's and LIBLINEAR's Python modules share."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_uint,
    c_void_p,
    cast,
    create_string_buffer,
)
from typing import Any

import numpy as np

from .. import _core
from . import rows

PRINT_STRING_FUN = CFUNCTYPE(None, c_char_p)


def print_null(s: object) -> None:
    return


def no_function() -> Any:
    return cast(c_void_p(), PRINT_STRING_FUN)


def fillprototype(f: Any, restype: Any, argtypes: Sequence[Any]) -> None:
    f.restype = restype
    f.argtypes = argtypes


def fillprototypes(library: Any, *prototypes: tuple[str, Any, Sequence[Any]]) -> None:
    """(name, result, arguments) of each function."""
    for name, result, arguments in prototypes:
        fillprototype(getattr(library, name), result, arguments)


def owned(pointer: Any) -> Any:
    """The model behind a pointer, freed with the last Python reference. ValueError for NULL."""
    if not pointer:
        raise ValueError("Null pointer")
    model = pointer.contents
    model.__createfrom__ = "C"
    return model


class Call(Structure):
    """struct dcsvm_call of c_call.h."""

    _fields_ = (
        *(("n_threads", c_int), ("seed", c_uint), ("interrupted", c_void_p), ("context", c_void_p)),
        *(("error", c_char_p), ("error_size", c_size_t)),
    )


def _called(function: Any, arguments: tuple[Any, ...]) -> tuple[int, str]:
    """Calls one of dcsvm's own C functions, which Ctrl-C interrupts: the code that it returned and the reason."""
    text = create_string_buffer(2000)
    call = Call(interrupted=_core.interrupt_poll(), error=cast(text, c_char_p), error_size=len(text))
    code = function(*arguments, byref(call))
    if code == 3:
        raise KeyboardInterrupt
    return code, text.value.decode(errors="replace")


def checked(function: Any, *arguments: Any) -> None:
    """Calls one of dcsvm's own C functions, which Ctrl-C interrupts, and raises the error that it returned."""
    code, why = _called(function, arguments)
    if code != 0:
        raise (MemoryError if code == 2 else ValueError)(why)


def done_with_file(function: Any, *arguments: Any) -> bool:
    """Calls a function that reads or writes a file as the original's do: whether it succeeded. Says why it did not, except where
    the file could not be opened."""
    code, why = _called(function, arguments)
    if code not in (0, 4):
        print(why, file=sys.stderr)
    return code == 0


def pointer_to(array: Any) -> Any:
    return array.ctypes.data_as(POINTER(c_double))


def check_labels(y: Any) -> None:
    if not isinstance(y, (list, tuple, np.ndarray)):
        raise TypeError(f"type of y: {type(y)} is not supported!")


def check_rows(x: Any) -> None:
    if not isinstance(x, (list, tuple)) and not rows.is_matrix(x):
        raise TypeError(f"type of x: {type(x)} is not supported!")


def check_problem(y: Any, x: Any) -> None:
    check_labels(y)
    check_rows(x)
    if len(y) != (len(x) if isinstance(x, (list, tuple)) else x.shape[0]):
        raise ValueError("len(y) != len(x)")


def labels_of(y: Any) -> Any:
    labels = (c_double * len(y))()
    array = rows.flat_numbers(y) if not isinstance(y, np.ndarray) else y
    if array is not None:
        rows.view(labels, np.float64)[:] = array
    else:
        for i, yi in enumerate(y):
            labels[i] = yi
    return labels


def structure_text(structure: Any, names: Sequence[str]) -> str:
    return "".join(f" {name}: {getattr(structure, name)}\n" for name in [*names, *structure.__dict__]).strip()


def as_lists(values: Any) -> list[list[float]]:
    """values.tolist(). So many new lists would start the garbage collector many times, three quarters of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        lists: list[list[float]] = values.tolist()
    finally:
        if collecting:
            gc.enable()
    return lists
