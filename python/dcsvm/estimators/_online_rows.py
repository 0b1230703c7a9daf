"""The rows that online learning keeps, and what LaSVM knows of those in its working sets."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from .. import _core
from .._input import validate
from .._input.parameters import fill
from .._input.validate import FloatArray
from .._shown.watching import Callback, watching

_LEAST_PIECE, _MOST_PIECE = 256, 4096  # limits of the number of new rows in one call of the core


class Rows(NamedTuple):
    """Some rows with the numbers of their classes, their weights, and their numbers since the first call."""

    X: Any
    codes: FloatArray
    weights: FloatArray
    numbers: npt.NDArray[np.int64]

    def take(self, which: slice | npt.NDArray[np.intp]) -> Rows:
        """Some of them, in that order."""
        return Rows(self.X[which], self.codes[which], self.weights[which], self.numbers[which])


def _joined(parts: list[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    X, *others = zip(*(tuple(part) for part in parts), strict=True)
    stacked = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.concatenate(X)
    return Rows(stacked, *(np.concatenate(values) for values in others))


def _across_pieces(watch: Callback, done: int, steps: int, total: int, start: float) -> Callback:
    """`watch` for a piece of the rows that comes after `done` others: it sees the progress through all of them."""

    def run(progress: _core.Progress) -> Any:
        through, steps_so_far = done + progress.done, steps + progress.n_iter
        if progress.phase == "done" and through < total:  # the piece is, but others follow
            return False
        seconds = time.perf_counter() - start
        return watch(progress._replace(done=through, total=total, n_iter=steps_so_far, seconds=seconds))

    return run


class OnlineRows:
    """Rows in working sets with their alpha and gradient, and the rows that were set aside.

    alpha, gradient and member (1: in the working set) have shape (n_pairs of classes, n_working). gradient and member are None
    until the core has to compute them from alpha.
    """

    def __init__(self, n_classes: int, budget: int | None) -> None:
        self.n_seen = 0
        self._n_classes = n_classes
        self._budget = budget
        self._working: Rows | None = None
        self._alpha = np.zeros((n_classes * (n_classes - 1) // 2, 0))
        self._gradient: FloatArray | None = None
        self._member: npt.NDArray[np.uint8] | None = None
        self._others: list[Rows] = []
        self.joined_numbers = np.zeros(0, dtype=np.int64)  # of the rows that the last call of the core was given

    def state(self) -> dict[str, Any]:
        """Everything as arrays and numbers. So a pickle refers to no private class, and skops can store it."""
        parts = [part for part in (self._working, _joined(self._others) if self._others else None) if part is not None]
        return {
            **{"n_seen": self.n_seen, "n_classes": self._n_classes, "budget": self._budget, "alpha": self._alpha},
            **{"gradient": self._gradient, "member": self._member, "rows": [list(part) for part in parts]},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> OnlineRows:
        rows = cls(state["n_classes"], state["budget"])
        rows.n_seen, rows._alpha = state["n_seen"], state["alpha"]
        rows._gradient, rows._member = state["gradient"], state["member"]
        parts = [Rows(*part) for part in state["rows"]]
        if parts:
            rows._working, rows._others = parts[0], parts[1:]
        return rows

    @property
    def sparse(self) -> bool:
        rows = self._working if self._working is not None else self._others[0]
        return bool(sp.issparse(rows.X))

    @property
    def n_working(self) -> int:
        return int(self._alpha.shape[1])

    def keep(self, rows: Rows, alpha: FloatArray | None) -> None:
        """Holds rows that ``finish`` solves next, starting from `alpha` (None: zeros), without learning from them one by one."""
        self._working = rows
        self._alpha = np.zeros((len(self._alpha), len(rows.codes))) if alpha is None else np.atleast_2d(alpha)
        self._gradient = self._member = None

    def learn(self, rows: Rows, options: Mapping[str, Any]) -> _core.Model:
        """LaSVM's process and reprocess for each row. Returns the model of the working sets afterwards. Rows that the callback
        left out are set aside."""
        if self._working is not None:
            rows = self._in_one_layout(rows)
        p = fill(_core.TrainParams(), options)
        begin, n, steps, start = 0, len(rows.codes), 0, time.perf_counter()
        with watching(p.tol, options["verbose"], options["callback"]) as watch:
            while True:
                size = min(max(self.n_working, _LEAST_PIECE), _MOST_PIECE)
                piece = None if watch is None else _across_pieces(watch, begin, steps, n, start)
                core = self._learn_piece(rows.take(slice(begin, begin + size)), p, piece)
                report = core.report()
                begin, steps = begin + size, steps + report["n_iter"]
                if report["stop_reason"] == "cancelled":
                    self._set_aside(rows.take(slice(begin, None)))
                    return core
                if begin >= n:
                    return core

    def _learn_piece(self, new: Rows, p: _core.TrainParams, watch: Callback | None) -> _core.Model:
        known = self.n_working
        rows = new if self._working is None else _joined([self._working, new])
        core, alpha, gradient, member = _core.train_online(
            validate.as_data("X", rows.X),
            rows.codes,
            p,
            self._n_classes,
            p.C * rows.weights,
            self._alpha.ravel() if known else None,
            None if self._gradient is None else self._gradient.ravel(),
            None if self._member is None else self._member.ravel(),
            self._budget or 0,
            watch,
        )
        shape = (len(self._alpha), len(rows.codes))
        used = member.reshape(shape).any(axis=0)
        which = np.flatnonzero(used)
        self._working = rows.take(which)
        self._alpha, self._gradient = alpha.reshape(shape)[:, which], gradient.reshape(shape)[:, which]
        self._member = member.reshape(shape)[:, which]
        self.joined_numbers = rows.numbers
        self._set_aside(rows.take(np.flatnonzero(~used)))
        return core

    def _in_one_layout(self, rows: Rows) -> Rows:
        if sp.issparse(rows.X) == self.sparse:
            return rows
        if not self.sparse:
            raise ValueError("partial_fit got sparse rows after dense ones: give X.toarray()")
        return rows._replace(X=sp.csr_matrix(rows.X))

    def _set_aside(self, rows: Rows) -> None:
        """Keeps rows outside the working sets; where the budget has no room for all of them, the latest."""
        assert self._working is not None
        if len(rows.codes):
            self._others.append(rows)
        room = None if self._budget is None else max(self._budget - len(self._working.codes), 0)
        # Without a budget, pieces are joined with neighbours of similar size: few pieces remain, and a row is copied few times.
        while len(self._others) > 1 and (room is not None or len(self._others[-1].codes) >= len(self._others[-2].codes)):
            self._others[-2:] = [_joined(self._others[-2:])]
        if room is not None and self._others and len(self._others[0].codes) > room:
            latest = np.argsort(self._others[0].numbers, kind="stable")[len(self._others[0].codes) - room :]
            self._others = [self._others[0].take(latest)] if room else []

    def all(self) -> tuple[Rows, FloatArray]:
        """All rows that were kept in the order in which they came, and alpha as ``warm_start_alpha`` takes it."""
        assert self._working is not None
        rows = _joined([self._working, *self._others])
        alpha = np.zeros((len(self._alpha), len(rows.codes)))
        alpha[:, : self.n_working] = self._alpha
        order = np.argsort(rows.numbers, kind="stable")
        alpha = alpha[:, order]
        return rows.take(order), alpha[0] if len(alpha) == 1 else alpha

    def solved(self, rows: Rows, alpha: FloatArray) -> None:
        """Takes over the optimal alpha of all rows. The support vectors become the working sets."""
        alpha = np.atleast_2d(alpha)
        used = (alpha > 0).any(axis=0)
        which = np.flatnonzero(used)
        self._others = []
        self._working, self._alpha = rows.take(which), alpha[:, which]
        self._gradient = self._member = None
        self._set_aside(rows.take(np.flatnonzero(~used)))
