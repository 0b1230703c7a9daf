"""Linear SVMs, logistic regression and linear regression: training."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from .._input import validate
from .._input.blocks import block_arguments
from .._input.choices import Balanced, LinearSolver, Unpack
from .._input.labels import as_labels, as_targets, coded, distinct
from .._input.linear_solvers import REGRESSIONS, SIDES
from .._input.parameters import defaults_of, fill, known_parameters, training
from .._input.validate import FloatArray
from .._model.training import trained
from .._shown.training_warnings import about, limit_met, some, users_line
from .._shown.watching import Callback, ConvergenceWarning, stopped
from .model import LinearModel
from .options import LinearFileOptions


@training(_core.LinearParams)
def train_linear(
    X: Any,
    y: Any = None,
    *,
    solver: LinearSolver = "squared_hinge_dual",
    C: float = 1.0,
    l1_ratio: float = 0.0,
    tol: float | None = None,
    epsilon: float = 0.1,
    nu: float = 0.5,
    bias: float = 1.0,
    regularize_bias: bool = True,
    class_weight: Mapping[Any, float] | Balanced | None = None,
    sample_weight: Any = None,
    initial_w: Any = None,
    max_iter: int | None = None,
    cache_size: float = 2000,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> LinearModel:
    """Trains a linear SVM, logistic regression or linear regression: the problems of LIBLINEAR.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`.
    y : array-like of shape (n,)
        Labels, numbers or text, at least two different ones; regression: targets; one_class: ignored.
    solver : str, default='squared_hinge_dual'
        With z = w'x and LIBLINEAR's number of its option -s.
        1/2 \\|w\\|^2 + C sum of log(1 + exp(-yz)): "logistic" (0), "logistic_dual" (7);
        max(0, 1 - yz)^2: "squared_hinge" (2), "squared_hinge_dual" (1); max(0, 1 - yz): "hinge_dual" (3).
        \\|w\\|_1 + C sum of the same: "l1_logistic" (6), "l1_squared_hinge" (5).
        All classes in one problem: "crammer_singer" (4); "multinomial": log sum of exp(z_m) - z_y, softmax probabilities; of two
        classes the problem of "logistic".
        Regression: max(0, \\|y - z\\| - epsilon)^2: "svr_squared" (11), "svr_squared_dual" (12); its root: "svr_dual" (13).
        The region where the data lies: "one_class" (21).
    C : float, default=1.0
        Price of errors, > 0; C_i = C * class_weight * sample_weight. Infinity: no penalty; for logistic, squared_hinge,
        svr_squared and multinomial, whose ``tol`` is then that of the gradient, relative to the one at w = 0.
    l1_ratio : float, default=0.0
        Share of \\|w\\|_1 in the penalty l1_ratio \\|w\\|_1 + (1 - l1_ratio) / 2 \\|w\\|^2, the elastic net, in [0, 1].
        For the same solvers.
    tol : float or None, default=None
        LIBLINEAR's eps, with its meaning for each solver (where X has few columns, the dual solvers stop at a duality gap that
        follows from it); None: LIBLINEAR's default, 0.01 (logistic, squared_hinge, l1, one_class), 0.0001 (svr_squared) or 0.1.
        multinomial: a relative duality gap, 0.0001.
    epsilon : float, default=0.1
        Regression: half width of the tube without loss.
    nu : float, default=0.5
        one_class: bounds the share of errors from above and that of support vectors from below, in (0, 1].
    bias : float, default=1.0
        Value of an additional feature of every row, whose weight gives the intercept; below 0: none.
    regularize_bias : bool, default=True
        Whether the weight of the bias is in the norm. False needs bias=1 and logistic, squared_hinge, an l1 solver,
        svr_squared or multinomial.
    class_weight, sample_weight
        As for :func:`dcsvm.train`; one_class takes the sample weights 0 and 1. More than two classes: the weight of a class holds
        where it is the positive one, the rest has factor 1 (LIBLINEAR's rule); multinomial: for the rows of the class.
    initial_w : array or None, default=None
        A start of shape (n_features + 1 with a bias, n_vectors), for logistic, squared_hinge, svr_squared, multinomial and the
        l1 solvers. Two classes: positive for the lower class.
    max_iter : int or None, default=None
        Newton steps or passes over the data for one problem; None: enough for every usual case.
    cache_size : float, default=2000
        MB of working memory: a copy of X in the solver's layout, where one is needed; weights and vectors over the columns that X
        declares, where these take more than 2 GB.
    random_state, n_jobs, max_seconds, callback, verbose
        As for :func:`dcsvm.train`.

    Returns
    -------
    LinearModel
        The model; ``report`` says what the training did.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        For bad values and bad data.
    MemoryError
        When ``cache_size`` is too small.

    Warns
    -----
    ConvergenceWarning
        When it stopped before ``tol`` was reached.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(2000)
    >>> model = dcsvm.train_linear(X, y, solver="logistic")
    >>> float((model.predict(X) == y).mean()) > 0.95
    True
    """
    given = locals()
    model = solved(**{name: given[name] for name in ("X", "y", *parameter_names())})
    _warn(model, max_iter)
    return model


def solved(
    X: Any,
    y: Any,
    *,
    class_weight: Mapping[Any, float] | Balanced | None,
    sample_weight: Any,
    initial_w: Any,
    callback: Callback | None,
    verbose: bool,
    after: LinearModel | None = None,
    **params: Any,
) -> LinearModel:
    """train_linear without its warning. ``params``: all others of its parameters; cache_size=None is of callers whose users have
    no such parameter: the default, and room for weights and tables of any size. after: a model with classes 0, 1, ..., that goes
    on with these rows in one pass."""
    classes, solver, tol, cap = None, params["solver"], params["tol"], params.pop("cache_size")
    if y is not None and solver not in (*REGRESSIONS, *SIDES):
        y, class_weight, classes = coded(y, class_weight)
    own = {"class_weight": class_weight, "tol": core_tol(tol), "cache_size": defaults()["cache_size"] if cap is None else cap}
    p = fill(_core.LinearParams(), {**params, **own})
    data = validate.as_data("X", X)
    n, n_features = data.shape
    targets = targets_of(solver, y, n)
    if cap is None:
        stored = len(data.data) if isinstance(data, validate.CsrMatrix) else data.size
        p.cache_size += _core.linear_tables_mb(p, n, n_features, stored, 0 if solver in REGRESSIONS else len(distinct(targets)))
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
    start = None if initial_w is None else _start(initial_w, n_features, targets, p)

    def solve(watch: Callback | None) -> _core.LinearModel:
        if after is not None:
            return _core.train_linear_online(after._core, data, targets, p, weights, watch)
        return _core.train_linear(data, targets, p, weights, start, watch)

    tol = tol or _core.linear_default_tol(p)
    return trained(LinearModel, solve, params=p, tol=tol, verbose=verbose, callback=callback, X=X, classes=classes)


def train_linear_file(
    path: str | os.PathLike[str],
    *,
    memory_mb: float = 1000,
    cache_dir: str | os.PathLike[str] | None = None,
    keep_cache: bool = True,
    n_features: int | None = None,
    zero_based: bool = False,
    **params: Unpack[LinearFileOptions],
) -> LinearModel:
    """:func:`dcsvm.train_linear` on a SVMlight (LIBSVM) text file that may be larger than memory.

    The text is parsed once into a folder of binary blocks, whose values are float32 and which later calls use again. Each step of
    conjugate gradients, or round of coordinate descent, is a pass over the blocks; those that fit under ``memory_mb`` stay in
    memory.

    Parameters
    ----------
    path : str or os.PathLike[str]
        The text file.
    memory_mb : float, default=1000
        Cap of the working memory, in MB of 2^20 bytes. Vectors over the rows (60 to 100 bytes a row) and columns must fit.
    cache_dir : str or os.PathLike[str] or None, default=None
        The folder; None: the path with ".dcsvm-blocks" behind.
    keep_cache : bool, default=True
        Leave the blocks for the next training.
    n_features, zero_based
        As for :func:`dcsvm.load_svmlight`.
    **params
        As for :func:`dcsvm.train_linear`, without cache_size, sample_weight and initial_w. solver: not crammer_singer,
        multinomial, one_class or one with \\|w\\|_1.

    Returns
    -------
    LinearModel
        The model; ``report`` says what the training did.

    Raises
    ------
    OSError
        When a file cannot be read or written.
    ValueError
        Naming file, line and column, or a cache that is damaged, of another version, or of another state of the file (delete it
        then).
    MemoryError
        When ``memory_mb`` is too small.

    Warns
    -----
    ConvergenceWarning
        When it stopped before ``tol`` was reached.
    """
    source = validate.path("path", path)
    blocks = block_arguments(memory_mb, cache_dir, keep_cache, n_features, zero_based)
    known = [name for name in parameter_names() if name not in NOT_IN_BLOCKS]
    options = {**defaults(), **known_parameters("train_linear_file", {**params}, known)}
    p = fill(_core.LinearParams(), {**options, "tol": core_tol(options["tol"])})

    def solve(watch: Callback | None) -> _core.LinearModel:
        return _core.train_linear_file(source, p, *blocks, watch)

    tol = p.tol or _core.linear_default_tol(p)
    model = trained(LinearModel, solve, params=p, tol=tol, verbose=options["verbose"], callback=options["callback"])
    _warn(model, options["max_iter"])
    return model


NOT_IN_BLOCKS = ("cache_size", "sample_weight", "initial_w")


def how_it_ended(model: LinearModel, max_iter: int | None, who: str = "training") -> str:
    """What a training says that did not converge, with what to do."""
    report, limit, advice = model.report, "", ""
    lower = "" if model.solver in SIDES else ", lower C"
    if report.stop_reason == "max_iter":
        limit = limit_met("max_iter", max_iter, report.problems, report.n_iter)
        advice = f"scale the features{lower}, or raise max_iter or tol"
    elif report.stop_reason == "stagnated":
        advice = f"scale the features{lower}, or raise tol"
    after, where = f"{some(report.n_iter)} steps", f"at a violation of {about(report.violation)} or more"
    if math.isnan(report.violation):  # of a pass over new rows
        after, where = report.stop_detail.removeprefix("after "), ""
    return stopped(report.stop_reason, after, where, advice, limit, who)


def _warn(model: LinearModel, max_iter: int | None) -> None:
    if model._core.stop_reason != "converged":
        warnings.warn(how_it_ended(model, max_iter), ConvergenceWarning, stacklevel=users_line())


def core_tol(tol: Any) -> float | None:
    """tol as the core takes it: None is the solver's own."""
    return None if tol is None else validate.real("tol", tol, above=0)


def defaults() -> dict[str, Any]:
    """train_linear's parameters and their defaults."""
    return defaults_of(train_linear)


def parameter_names() -> list[str]:
    """The names of train_linear's parameters."""
    return list(defaults())


def targets_of(solver: str, y: Any, n: int) -> FloatArray:
    """y as the core takes it: targets, labels, or zeros where there are none (one_class). ValueError where it is missing."""
    if solver in SIDES:
        return np.zeros(n)
    if y is None:
        raise ValueError(f"y is missing: solver={solver!r} needs one entry for each row of X")
    return as_targets("y", y, n) if solver in REGRESSIONS else as_labels("y", y, n)


def _start(initial_w: Any, n_features: int, y: FloatArray, p: _core.LinearParams) -> FloatArray:
    """initial_w as the core takes it. ValueError for another shape."""
    classes = 2 if p.solver in REGRESSIONS else len(distinct(y))
    shape = (n_features + (p.bias >= 0), 1 if classes == 2 else classes)
    return validate.as_matrix("initial_w", initial_w, shape, "features and bias, weight vectors")
