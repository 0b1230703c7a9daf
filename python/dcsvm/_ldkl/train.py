"""Local deep kernel learning (LDKL): training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _core
from .._input import validate
from .._input.choices import Balanced
from .._input.labels import coded, training_rows
from .._input.parameters import defaults_of, fill, training
from .._model.training import trained
from .._shown.training_warnings import about, limit_met, some
from .._shown.watching import Callback, warn_stopped
from .model import LDKLModel


@training(_core.LdklParams)
def train_ldkl(
    X: Any,
    y: Any,
    *,
    depth: int = 5,
    budget: float | str | None = None,
    lambda_w: float = 3e-4,
    lambda_v: float = 1e-5,
    lambda_theta: float = 1e-5,
    sigma: float = 1.0,
    sharpness: float = 100.0,
    standardise: bool = True,
    n_passes: int = 30,
    batch_size: int = 128,
    learning_rate: float = 0.01,
    tol: float = 0.01,
    max_iter: int | None = None,
    cache_size: float = 2000,
    class_weight: Mapping[Any, float] | Balanced | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> LDKLModel:
    """Trains a local deep kernel machine (LDKL, Jose et al. 2013): a tree in which a row meets few inner products.

    A row x walks from the root of a complete binary tree to a leaf, to the right child where theta_k'x > 0; its decision is the
    sum of (w_k'x) tanh(sigma v_k'x) over the nodes on its path. w, v and theta are learned together by stochastic descent, with a
    smooth choice of the child that becomes sharp; then the weights w are found anew for the tree as it is, which is a convex
    problem. The first step's problem is not convex: the tree depends on ``random_state``, and only the weights are certified.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`.
    y : array-like of shape (n,)
        Labels, numbers or text, at least two different ones; more than two: a tree for each class against the rest.
    depth : int, default=5
        Levels of the tree below its root, from 0 to 16. A prediction costs 3 depth + 2 inner products, a training step 2^depth
        times more at its beginning.
    budget : float or str or None, default=None
        Such as 12 or "12x": what a prediction may cost, as a multiple of a linear model's inner product. The deepest tree that
        it allows and whose leaves have 32 rows on average at least; depth is ignored.
    lambda_w, lambda_v, lambda_theta : float, default=3e-4, 1e-5 and 1e-5
        Weights of \\|W\\|^2 / 2, \\|V\\|^2 / 2 and \\|Theta\\|^2 / 2 beside the mean hinge loss; the constants are in the norms.
    sigma : float, default=1.0
        Of the local functions tanh(sigma v'x), > 0.
    sharpness : float, default=100.0
        s of the smooth choice tanh(s theta'x) at the end, >= 1; it begins at 1 and grows in equal ratios.
    standardise : bool, default=True
        Train on features of mean 0 and variance 1 (CSR: of mean square 1, so that zeros stay), a copy in float32; norms are those
        of the vectors for these features. The model takes X as it is.
    n_passes : int, default=30
        Over the data, for the tree.
    batch_size : int, default=128
        Rows of one step.
    learning_rate : float, default=0.01
        Of the steps (Adam's), > 0; it falls to 0 with the passes.
    tol : float, default=0.01
        Stop when the weights' duality gap, as a share of their objective, is below.
    max_iter : int or None, default=None
        Passes over the data, for the weights; None: 1000, or 10^7 / n where that is more.
    cache_size : float, default=2000
        MB of working memory: the copy of X, and the tree's parameters three times.
    class_weight, sample_weight
        As for :func:`dcsvm.train`; they multiply the loss, whose weights have the mean 1. More than two classes: the weight of a
        class holds for its rows in every tree.
    random_state, n_jobs, max_seconds, callback, verbose
        As for :func:`dcsvm.train`. The callback's phases are "tree" and "weights".

    Returns
    -------
    LDKLModel
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
        When the weights' gap did not reach ``tol``.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train_ldkl(X, y, n_passes=60)
    >>> float((model.predict(X) == y).mean()) > 0.9
    True
    >>> round(model.cost)  # 17 products of two features, and 6 times tanh
    50
    """
    y, class_weight, classes = coded(y, class_weight)
    given = {**locals(), "budget": None if budget is None else validate.multiple("budget", budget)}
    p = fill(_core.LdklParams(), given)
    data, labels, weights = training_rows(X, y, sample_weight)

    def solve(watch: Callback | None) -> _core.LdklModel:
        return _core.train_ldkl(data, labels, p, weights, watch)

    model = trained(LDKLModel, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X, classes=classes)
    _warn(model, p.tol, max_iter)
    return model


def _warn(model: LDKLModel, tol: float, max_iter: int | None) -> None:
    """Of a training that did not converge."""
    report = model.report
    if report.stop_reason == "converged":
        return
    where = f"at a duality gap of {about(report.violation)} or more of the objective, above tol={tol:g}"
    limit = limit_met("max_iter", max_iter, (), report.n_iter) if report.stop_reason == "max_iter" else ""
    after = f"{some(report.n_iter)} passes for the weights,"
    warn_stopped(report.stop_reason, after, where, "raise max_iter, tol or lambda_w", limit)


def parameter_names() -> list[str]:
    """The names of train_ldkl's parameters."""
    return list(defaults_of(train_ldkl))
