"""Docstrings in numpydoc's form: what several functions have in common is written once and joined on import."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type[Any])
Entry = tuple[str, str, str]  # name, type, text

_WIDTH = 114

#: of the native models' methods
ROWS = (
    "X",
    "array-like or CSR matrix of shape (n, n_features)",
    "Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.",
)
N_JOBS = (
    "n_jobs",
    "int or None, default=None",
    "Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.",
)
BAD_ROWS = ("ValueError", "For another number of features, NaN or infinity (naming row and column).")

GRAPH = (
    ("path", "str, os.PathLike[str] or None, default=None", "A file that the graph is also written to."),
    ("op", "{'plain', 'ml'}, default='plain'", "Operators of the graph, as in :func:`dcsvm.onnx.to_onnx`."),
    ("dtype", "{'float32', 'float64'}, default='float32'", "Of X, the numbers in the graph and the outputs."),
)
AS_GRAPH = ("onnx.ModelProto", "The graph, which runs without dcsvm; :func:`dcsvm.onnx.to_onnx` says what its outputs are.")
NO_GRAPH = (
    ("ValueError", "For models without a form in ONNX, and for files above 2 GB."),
    ("ImportError", "Without the package onnx."),
    ("OSError", "When the file cannot be written."),
)


def completed(
    *parameters: Entry, returns: Entry | tuple[str, str] | None = None, raises: Iterable[tuple[str, str]] = ()
) -> Callable[[F], F]:
    """Adds sections to a docstring that has none of them yet."""

    def fill(function: F) -> F:
        if function.__doc__ is not None:  # None: python -OO
            parts = [inspect.cleandoc(function.__doc__)]
            parts += [section("Parameters", [entry(*p) for p in parameters])] if parameters else []
            parts += [section("Returns", [entry(*returns)])] if returns else []
            parts += [section("Raises", [entry(*r) for r in raises])] if raises else []
            function.__doc__ = "\n\n".join(parts) + "\n"
        return function

    return fill


class _Field:
    """Stands in a dataclass for a field without default, whose value each object has: notebooks complete what a class has, and
    help() shows its text."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self.__doc__ = text

    def __get__(self, instance: object, owner: type) -> _Field:
        if instance is None:
            return self
        raise AttributeError(f"{type(instance).__name__!r} object has no attribute {self._name!r}")


def with_attributes(**texts: str | tuple[str, str]) -> Callable[[C], C]:
    """Adds the section Attributes to the docstring of a dataclass: its own fields, then the inherited ones.

    texts : what each field is, or its type and what it is; those of ``_ATTRIBUTES`` need none. KeyError for a field without text
    """

    def fill(cls: C) -> C:
        if cls.__doc__ is None:
            return cls
        listed = sorted(dataclasses.fields(cls), key=lambda f: f.name not in cls.__annotations__)
        entries = []
        for field in listed:
            text = texts[field.name] if field.name in texts else _ATTRIBUTES[field.name]
            entries.append(entry(field.name, *((str(field.type), text) if isinstance(text, str) else text)))
            if not hasattr(cls, field.name):
                setattr(cls, field.name, _Field(field.name, text if isinstance(text, str) else text[1]))
        cls.__doc__ = "\n\n".join([inspect.cleandoc(cls.__doc__), section("Attributes", entries)]) + "\n"
        return cls

    return fill


#: fields that several reports have
_ATTRIBUTES = {
    "stop_reason": '"converged", or why it stopped before: "max_iter", "cancelled" (by the callback), "stagnated" (rounding).',
    "seconds": 'Seconds by phase, and of all of them as "total".',
    "isa": "Instruction set that it ran on.",
    "n_threads": "Threads.",
    "gamma": "Of the kernel, as used.",
    "violation": "What remained of the optimality conditions' largest violation.",
    "n_kernel_values": "Kernel values computed.",
    "peak_cache_bytes": "Bytes of working memory in use at once, at most, of what ``cache_size`` limits.",
    "cost": "What a row costs in inner products of n_features; a linear model's is 1.",
}


def of_rows(*returns: str, rows: str = "", raises: Iterable[tuple[str, str]] = ()) -> Callable[[F], F]:
    """Completes the docstring of a native model's method of X and n_jobs. rows : what X is besides rows"""
    name, kind, text = ROWS
    x = (name, kind, f"{text} {rows}".rstrip())
    return completed(x, N_JOBS, returns=(returns[0], returns[1]), raises=(BAD_ROWS, *raises))


def section(title: str, entries: list[str]) -> str:
    """A section of numpydoc."""
    return "\n".join([title, "-" * len(title), *entries])


def entry(*parts: str) -> str:
    """name, type and text; or type and text."""
    *head, text = parts
    return f"{' : '.join(head)}\n{textwrap.fill(text, _WIDTH, initial_indent=' ' * 4, subsequent_indent=' ' * 4)}"
