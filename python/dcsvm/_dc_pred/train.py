"""The trainings of DC-Pred++ models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from .._input import validate as _validate
from .._input.choices import Balanced, FeatureKernel, GammaRule, Landmarks, PseudoLandmarks, Unpack
from .._input.labels import as_targets, coded, training_rows
from .._input.parameters import defaults_of, fill, known_parameters, training
from .._input.validate import IndexArray
from .._model.training import trained
from .._shown.watching import Callback, warn_stopped
from .._svm.model import Model
from .model import DCPredModel
from .options import CompressOptions


@training(_core.DcPredParams)
def train_dc_pred(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    kernel: FeatureKernel = "rbf",
    degree: int = 3,
    gamma: float | GammaRule = "scale",
    coef0: float = 0.0,
    n_leaves: int = 16,
    n_landmarks: int = 12,
    n_pseudo: int = 0,
    pseudo: PseudoLandmarks = "triangle",
    landmarks: Landmarks = "auto",
    budget: float | str | None = None,
    refine: int = 60,
    sample_size: int = 500,
    fit_intercept: bool = True,
    tol: float = 1e-3,
    cache_size: float = 2000,
    class_weight: Mapping[Any, float] | Balanced | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> DCPredModel:
    """Trains a DC-Pred++ classifier (Hsieh, Si, Dhillon 2014): a tree of leaves, each with a few landmarks.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`; held as float32 while training.
    y : array-like of shape (n,)
        Labels, numbers or text, at least two different ones.
    C, kernel, degree, gamma, coef0, class_weight, sample_weight, tol
        As for :func:`dcsvm.train`; the kernel is not "precomputed".
    fit_intercept : bool, default=True
        An offset in each leaf.
    n_leaves : int, default=16
        Leaves of the tree, at most; a leaf has at least 32 rows.
    n_landmarks, n_pseudo : int, default=12 and 0
        Landmarks and pseudo landmarks of each leaf, at most.
    pseudo : str, default='triangle'
        "triangle" bounds distances from below, "triangle_upper" from above (rbf only) | "polynomial" products of pairs of
        kernel values | "none".
    landmarks : str, default='auto'
        "kmeans" centres in each leaf, coefficients fitted to its rows | "support" support vectors of one exact model of
        all rows: in each leaf those that weigh most there, with the model's own coefficients, until what is left out is
        below `tol` on average. For hundreds of landmarks, nearly exact; two classes; pseudo landmarks and `refine` are
        ignored | "auto" with `budget` the better of both for two classes, else "kmeans".
    budget : float or str or None, default=None
        Such as 12 or "12x": what a training row may cost on average, as a multiple of a linear model's inner product.
        Leaves, landmarks and pseudo landmarks are then chosen by accuracy on a fifth of the rows, held out (of at most
        30,000); n_leaves, n_landmarks and n_pseudo are ignored. The chosen ones are also tried with five times the steps
        of `refine`. When they do worse on all rows, which `refine` can cause, the model of the other four fifths is returned.
        With two classes, support vectors of an exact model are candidates, too (`landmarks`); the budget goes to the
        heaviest of all leaves. ``report.landmarks`` says what was chosen.
    refine : int, default=60
        For the rbf kernel: steps that move landmarks towards lower training loss; 0: the paper's alpha^2-weighted k-means.
    sample_size : int, default=500
        Rows of each leaf on which the kernel is approximated, Eq. (5).
    cache_size : float, default=2000
        MB; the rows take 8 * n * n_features bytes of it.
    random_state, n_jobs, max_seconds, callback, verbose
        As for :func:`dcsvm.train`. A callback that returns True leaves the remaining leaves at their larger class; the
        report's stop_reason is then "cancelled".

    Returns
    -------
    DCPredModel
        The model; ``report`` says what the training did.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        For bad values and bad data.
    MemoryError
        When ``cache_size`` is too small.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train_dc_pred(X, y, C=10, gamma=4, n_leaves=8)
    >>> float((model.predict(X) == y).mean()) > 0.95
    True
    """
    y, class_weight, classes = coded(y, class_weight)
    p = _params(locals())
    data, labels, weights = training_rows(X, y, sample_weight)
    within = _budget(budget, p, data.shape[0])

    def solve(watch: Callback | None) -> _core.DcPredModel:
        return _core.train_dc_pred(data, labels, p, weights, watch, *within)

    return _warning(trained(DCPredModel, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X, classes=classes))


@training(_core.DcPredParams)
def train_dc_pred_ridge(
    X: Any,
    y: Any,
    *,
    alpha: float = 1.0,
    kernel: FeatureKernel = "rbf",
    degree: int = 3,
    gamma: float | GammaRule = "scale",
    coef0: float = 0.0,
    n_leaves: int = 16,
    n_landmarks: int = 12,
    n_pseudo: int = 0,
    pseudo: PseudoLandmarks = "triangle",
    budget: float | str | None = None,
    refine: int = 60,
    sample_size: int = 500,
    fit_intercept: bool = True,
    tol: float = 1e-3,
    cache_size: float = 2000,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> DCPredModel:
    """Kernel ridge regression that predicts in the time of a few dozen inner products; see :func:`train_dc_pred`.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`; held as float32 while training.
    y : array-like of shape (n,)
        Finite numbers.
    alpha : float, default=1.0
        Weight of the regularisation, > 0, as in :func:`dcsvm.train_ridge`; a row of weight w has alpha / w.
    kernel, degree, gamma, coef0, sample_weight, tol
        As for :func:`dcsvm.train`; the kernel is not "precomputed".
    n_leaves, n_landmarks, n_pseudo, pseudo, refine, sample_size, cache_size, random_state, n_jobs
        As for :func:`train_dc_pred`.
    budget : float or str or None, default=None
        As for :func:`train_dc_pred`; chooses by the mean squared error on held-out rows.
    fit_intercept : bool, default=True
        An offset in each leaf. Without, a leaf of one target is not constant: it is pulled towards 0.
    max_seconds, callback, verbose
        As for :func:`train_dc_pred`; leaves that are left out predict their mean.

    Returns
    -------
    DCPredModel
        The model, without classes.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        For bad values and bad data.
    MemoryError
        When ``cache_size`` is too small.

    Examples
    --------
    >>> import dcsvm, numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> model = dcsvm.train_dc_pred_ridge(X, np.sin(4 * X[:, 0]) * X[:, 1], alpha=1e-2, gamma=2, n_leaves=4)
    >>> float(np.std(model.predict(X) - np.sin(4 * X[:, 0]) * X[:, 1])) < 0.05
    True
    """
    p = _params(locals())
    data, targets, weights = training_rows(X, y, sample_weight, as_targets)
    within = _budget(budget, p, data.shape[0])

    def solve(watch: Callback | None) -> _core.DcPredModel:
        return _core.train_dc_pred_ridge(data, targets, p, weights, watch, *within)

    return _warning(trained(DCPredModel, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X))


def _warning(model: DCPredModel) -> DCPredModel:
    """The same; warns of one whose time was over."""
    if model.report.stop_reason == "time_limit":
        leaves = f"some of its {model.report.n_leaves} leaves"
        warn_stopped("time_limit", leaves, "were trained, the others answer with their larger class, or their mean")
    return model


def compress(model: Model, X: Any, *, alpha: float = 1.0, **params: Unpack[CompressOptions]) -> DCPredModel:
    """Turns a model of :func:`dcsvm.train` or :func:`dcsvm.train_ridge` into a DC-Pred++ model that answers alike.

    Parameters
    ----------
    model : Model
        A classifier or regression.
    X : array-like or CSR matrix of shape (n, n_features)
        Rows like those to come, say the training rows; the model's own answers for them are what is learned.
    alpha : float, default=1.0
        Of :func:`dcsvm.train_dc_pred_ridge`, for regressions.
    **params
        As for :func:`dcsvm.train_dc_pred`, without C, the kernel's and the weights.

    Returns
    -------
    DCPredModel
        A model that is fitted to the given one's answers.

    Raises
    ------
    TypeError
        For something else than a :class:`dcsvm.Model`, and for unknown parameters.
    ValueError
        For a one-class model, or one whose kernel is precomputed; with landmarks="support" also for an early model and
        for several classes.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> exact = dcsvm.train(X, y, C=10, gamma=4)
    >>> fast = dcsvm.compress(exact, X, n_leaves=8)
    >>> float((fast.predict(X) == exact.predict(X)).mean()) > 0.95
    True
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"model must be a dcsvm.Model, got {type(model).__name__}" + ": take its model_" * hasattr(model, "model_")
        )
    known = sorted(_DEFAULTS.keys() - OF_THE_MODEL)
    given = {**_DEFAULTS, **known_parameters("compress", {**params}, known), "alpha": alpha}
    p = _params(given)
    if model.kernel != "rbf" and p.pseudo.startswith("triangle") and p.n_pseudo == 0:
        p.pseudo = "none"  # the default asks for nothing
    data = _validate.as_data("X", X)
    within = _budget(given["budget"], p, data.shape[0])

    def solve(watch: Callback | None) -> _core.DcPredModel:
        return _core.compress(model._core, data, p, watch, *within)

    found = _warning(trained(DCPredModel, solve, params=p, tol=p.tol, verbose=given["verbose"], callback=given["callback"]))
    return found._named(model._names)


def _params(given: Mapping[str, Any]) -> _core.DcPredParams:
    p = fill(_core.DcPredParams(), given)
    if p.kernel != "rbf" and p.pseudo.startswith("triangle") and p.n_pseudo == 0:
        p.pseudo = "none"  # the default asks for nothing
    return p


def _budget(budget: float | str | None, p: _core.DcPredParams, n: int) -> tuple[float, IndexArray | None]:
    """The budget as a number, and the order in which rows are held out."""
    if budget is None:
        return 0.0, None
    return _validate.multiple("budget", budget), np.random.default_rng(p.seed).permutation(n)


OF_THE_MODEL = {"C", "kernel", "degree", "gamma", "coef0", "class_weight", "sample_weight"}  # to compress
_DEFAULTS = defaults_of(train_dc_pred)
