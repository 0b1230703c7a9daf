"""Peers: one module each, all with the same signature.

PACKAGE : str                             the distribution whose version is printed
fit(problem, settings) -> Fit             trains; its seconds are the training call alone
load(path) -> (X as CSR, y)               optional: reads LIBSVM text
"""

from __future__ import annotations

import importlib
import importlib.metadata
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from ..quality import PairAlpha

NAMES = (
    "dcsvm_auto",
    "dcsvm_smo",
    "dcsvm_dc",
    "dcsvm_early",
    "libsvm",
    "sklearn_svc",
    "sklearnex_float32",
    "sklearnex_float64",
    "libsvm_subsample",
    "nystroem_linearsvc",
    "null",
)


@dataclass(frozen=True)
class Settings:
    tol: float = 1e-3
    cache_mb: float = 4000
    threads: int = 2
    options: dict[str, Any] = field(default_factory=dict)  # of this peer, as its own package names them


@dataclass
class Fit:
    """What a training gave.

    seconds : the training call
    predict : X -> labels
    pairs : the dual solution, None where the peer does not solve this dual
    prepare_seconds : conversion of the data to the peer's own form, not part of seconds (in the peer's favour)
    predict_form : X -> the peer's own form for predict, likewise
    notes : the peer's own report
    """

    seconds: float
    predict: Callable[[Any], np.ndarray]
    pairs: list[PairAlpha] | None = None
    prepare_seconds: float = 0.0
    predict_form: Callable[[Any], Any] = lambda x: x
    notes: dict[str, Any] = field(default_factory=dict)


def get(name: str) -> ModuleType:
    if name not in NAMES:
        raise KeyError(f"unknown peer {name!r}; known: {', '.join(NAMES)}")
    return importlib.import_module(f"{__name__}.{name}")


def version(name: str) -> str:
    package = get(name).PACKAGE
    return f"{package} {importlib.metadata.version(package)}" if package else "-"


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start
