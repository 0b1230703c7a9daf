"""Peers that are reference versions in bench/methods: two classes, dense rows."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from dcsvm._bench.fits import Problem

from . import PEERS, Fit, Settings, timed, timed_fit


class Method:
    """The peer of that name. Its fit raises ValueError for other than two classes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.train = importlib.import_module(f"..methods.{PEERS[name].method}", __package__).train

    def fit(self, problem: Problem, settings: Settings) -> Fit:
        labels = np.unique(problem.y_train)
        if len(labels) != 2 or problem.regression:
            raise ValueError(f"the peer {self.name} trains two classes, and {problem.name} has others")
        (x, signs), prepare = timed(lambda: (_dense(problem.X_train), np.where(problem.y_train == labels[1], 1.0, -1.0)))
        params = {"C": problem.C, "gamma": problem.gamma, **settings.options}
        decide, seconds = timed_fit(lambda: self.train(x, signs, **params))
        return Fit(seconds, lambda rows: np.where(decide(rows) > 0, labels[1], labels[0]), None, prepare, _dense)


def _dense(x: Any) -> np.ndarray:
    return np.ascontiguousarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64)
