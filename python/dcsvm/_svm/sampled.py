"""Training on samples of the rows: the two other solvers of "c_svc"."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._input import validate
from .._input.choices import Unpack
from .model import Model
from .train import SolverOptions, train, warning

solve: Callable[..., Model] = inspect.unwrap(train)


def _check(function: str, parameters: Iterable[str], own: Sequence[str]) -> None:
    """TypeError for parameters that the function has not."""
    known = [*own, *SolverOptions.__annotations__]
    if unknown := sorted(set(parameters) - set(known)):
        raise validate.unknown_parameters(function, unknown, known)


@warning
def train_rand(
    X: Any,
    y: Any,
    *,
    n_support_estimate: int | None = None,
    rand_epsilon: float = 0.2,
    rand_delta: float = 0.9,
    sample_factor: float = 2.0,
    **parameters: Unpack[SolverOptions],
) -> Model:
    """Trains a classifier on random samples of the rows: RandSVM, ``dcsvm.train(solver="rand")``.

    Krishnan, Bhattacharyya, Hariharan, NIPS 2007, Algorithm 1.

    Parameters
    ----------
    X, y
        As for :func:`dcsvm.train`.
    n_support_estimate : int or None, default=None
        k: the estimated number of support vectors of each pair of classes, >= 2: stops with "support_limit",
        near-optimal, when so many are found; None: 16 / rand_epsilon^2 log(4 n / rand_delta), Eq. (4).
    rand_epsilon, rand_delta : float, default=0.2 and 0.9
        Distortion and probability of failure in Eq. (4), in (0, 1).
    sample_factor : float, default=2.0
        c >= 1: samples have c k rows.
    **parameters
        As for :func:`dcsvm.train`, without solver.

    Returns
    -------
    Model
        Its ``report.levels`` has the rounds.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`dcsvm.train`.

    Warns
    -----
    ConvergenceWarning
        When it stopped for another reason than convergence, "support_limit" too.
    """
    _check("train_rand", parameters, ("n_support_estimate", "rand_epsilon", "rand_delta", "sample_factor"))
    own = {"rand_epsilon": rand_epsilon, "rand_delta": rand_delta, "sample_factor": sample_factor}
    return solve(X, y, solver="rand", n_support_estimate=n_support_estimate, **own, **parameters)


@warning
def train_cascade(
    X: Any, y: Any, *, cascade_leaves: int = 8, cascade_passes: int | None = None, **parameters: Unpack[SolverOptions]
) -> Model:
    """Trains a classifier by a cascade of merged parts: ``dcsvm.train(solver="cascade")``.

    Graf, Cosatto, Bottou, Durdanovic, Vapnik, NIPS 2004.

    Parameters
    ----------
    X, y
        As for :func:`dcsvm.train`.
    cascade_leaves : int, default=8
        Parts of the first layer, a power of two.
    cascade_passes : int or None, default=None
        Passes at most; None: until no row violates.
    **parameters
        As for :func:`dcsvm.train`, without solver.

    Returns
    -------
    Model
        Its ``report.levels`` has the passes.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`dcsvm.train`.

    Warns
    -----
    ConvergenceWarning
        When rows still violate after the last pass.
    """
    _check("train_cascade", parameters, ("cascade_leaves", "cascade_passes"))
    return solve(X, y, solver="cascade", cascade_leaves=cascade_leaves, cascade_passes=cascade_passes, **parameters)
