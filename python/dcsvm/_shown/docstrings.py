"""What docstrings say in numpydoc's sections, where several say the same. ``python -m generate`` writes it into the sources."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type[Any])
Entry = tuple[str, str, str]  # name, type, text

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

#: of methods that explain
BACKGROUND = (
    "background",
    "array-like of shape (n_features,) or None, default=None",
    "Of linear decisions: the row that features are compared with, as ``X.mean(axis=0)``; None: 0.",
)
AS_SHAP = (
    "as_shap",
    "bool, default=False",
    "Return a ``shap.Explanation``, for the plots of the package shap, which must be installed.",
)
AS_EXPLANATION = (
    "Explanation or shap.Explanation",
    "``values`` of shape (n, n_features), or (n, n_features, n_decisions) where ``decision_function`` has several columns; and "
    "``base_values``. Both are float64 and add up to the decisions.",
)
NO_SHAP = ("ImportError", "With ``as_shap`` where shap is not installed.")
NEAREST = ("k", "int, default=5", "How many.")
AS_NEAREST = (
    "NearestSupport",
    "``indices``, ``contributions`` and ``shares``, each of shape (n, k), or (n, k, n_pairs) for several pairs of classes.",
)
GRADIENT_SHAPE = "ndarray of shape (n, n_features) or (n, n_features, n_decisions)"


def described(
    *parameters: Entry, returns: Entry | tuple[str, str] | None = None, raises: Iterable[tuple[str, str]] = ()
) -> Callable[[F], F]:
    """Says what the sections of a method's docstring say."""

    def noted(function: F) -> F:
        method: Any = function
        method._documented = parameters, returns, tuple(raises)
        return function

    return noted


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
    """Says what the section Attributes in the docstring of a dataclass says: of its own fields, then of the inherited ones.

    texts : what each field is, or its type and what it is; those of ``_ATTRIBUTES`` need none. KeyError for a field without text
    """

    def noted(cls: C) -> C:
        entries = []
        for field in sorted(dataclasses.fields(cls), key=lambda f: f.name not in cls.__annotations__):
            text = texts[field.name] if field.name in texts else _ATTRIBUTES[field.name]
            kind, text = (str(field.type), text) if isinstance(text, str) else text
            entries.append((field.name, kind, text))
            if not hasattr(cls, field.name):
                setattr(cls, field.name, _Field(field.name, text))
        cls._documented = entries
        return cls

    return noted


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
    """Describes a native model's method of X and n_jobs. rows : what X is besides rows"""
    name, kind, text = ROWS
    x = (name, kind, f"{text} {rows}".rstrip())
    return described(x, N_JOBS, returns=(returns[0], returns[1]), raises=(BAD_ROWS, *raises))
