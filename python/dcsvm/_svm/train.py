"""Training."""

from __future__ import annotations

import contextlib
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec

import numpy as np

from .. import _core
from .._base import validate
from .._base.parameters import fill, parameters_of
from .model import Model

_DECLARED = parameters_of(_core.TrainParams)
KERNELS, CLUSTERINGS = _DECLARED["kernel"].choices, _DECLARED["clustering"].choices
#: parameters of train_rand and train_cascade alone
SAMPLED = ("n_support_estimate", "rand_epsilon", "rand_delta", "sample_factor", "cascade_leaves", "cascade_passes")
CLASSIFIERS = ("c_svc", "nu_svc")
_TOL = 1e-3

Callback = Callable[[_core.Progress], Any]


P = ParamSpec("P")


class ConvergenceWarning(UserWarning):
    """Training stopped before the violation fell below ``tol``; ``Model.report.stop_reason`` says why."""


def warning(solve: Callable[P, Model]) -> Callable[P, Model]:
    """Apart from the training itself, because the estimators warn in scikit-learn's words (``inspect.unwrap``)."""

    @functools.wraps(solve)
    def run(*args: P.args, **kwargs: P.kwargs) -> Model:
        model = solve(*args, **kwargs)
        report = model.report
        if report.stop_reason != "converged":
            tol: Any = kwargs.get("tol", _TOL)
            where = f"at violation {report.violation:.3g}" + f", above tol={tol:g}" * (not report.violation < tol)
            if report.stop_reason == "support_limit":
                where = "with as many support vectors as estimated: near-optimal, and how far from optimal is not known"
            warnings.warn(
                f"training stopped with {report.stop_reason!r} after {report.n_iter:,} steps {where}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return model

    return run


@warning
def train(
    X: Any,
    y: Any = None,
    *,
    C: float = 1.0,
    kernel: str = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    fit_intercept: bool = True,
    formulation: str = "c_svc",
    nu: float = 0.5,
    epsilon: float = 0.1,
    solver: str = "auto",
    n_levels: int | None = None,
    branching: int = 4,
    sample_size: int = 1000,
    clustering: str = "kernel_kmeans",
    balance_clusters: bool = True,
    early_level: int | None = None,
    prediction: str = "early",
    precision: str = "single",
    tol: float = _TOL,
    cache_size: float = 2000,
    class_weight: Mapping[Any, float] | str | None = None,
    sample_weight: Any = None,
    probability: bool = False,
    shrinking: bool = True,
    max_iter: int = -1,
    random_state: Any = 0,
    n_jobs: int | None = None,
    warm_start_alpha: Any = None,
    callback: Callback | None = None,
    verbose: bool = False,
    **sampled: Any,
) -> Model:
    """Trains a kernel support vector machine, exactly or (``early_level``) approximately and much faster.

    Solves LIBSVM's problems with scikit-learn's sample weights w_i; Q_ij = y_i y_j K(x_i, x_j), d = a - a*:

    "c_svc"        classes; min 1/2 a'Qa - e'a, 0 <= a_i <= C_i, and y'a = 0 when ``fit_intercept``
    "nu_svc"       classes; min 1/2 a'Qa, 0 <= a_i <= w_i, y'a = 0, sum a = nu sum w; then a is divided by the margin r
    "one_class"    the region where X lies; min 1/2 a'Ka, 0 <= a_i <= w_i, sum a = nu sum w
    "epsilon_svr"  numbers; min 1/2 d'Kd + epsilon sum(a + a*) - y'd, 0 <= a_i, a*_i <= C w_i, and sum d = 0 when
                   ``fit_intercept``
    "nu_svr"       numbers; min 1/2 d'Kd - y'd, 0 <= a_i, a*_i <= C w_i, sum d = 0, sum(a + a*) = C nu sum w

    Several classes: one-vs-one. Data is not copied; other Python threads run meanwhile; Ctrl-C stops it.

    X : (n, n_features) array, float32 or float64 of any strides (other numbers become float64), or scipy CSR; for
        ``kernel="precomputed"`` the (n, n) matrix of kernel values
    y : (n,) labels, numbers, at least two different ones; regression: (n,) finite targets; one_class: not used

    What is solved
        C : upper bound of alpha, > 0 (c_svc, epsilon_svr, nu_svr)
        kernel : "linear" x'z | "poly" (gamma x'z + coef0)^degree | "rbf" exp(-gamma |x-z|^2) | "sigmoid" tanh(gamma x'z +
            coef0) | "precomputed"
        degree, coef0 : of the kernels that have them
        gamma : > 0, or "scale" 1 / (n_features * Var(X)), or "auto" 1 / n_features
        fit_intercept : with a bias (LIBSVM) or without (the DC-SVM paper; c_svc and epsilon_svr only)
        formulation : what is trained, see above
        nu : in (0, 1] (nu_svc, one_class, nu_svr): bounds the share of margin errors from above and of support vectors from
            below; nu_svc: at most 2 min(n_a, n_b) / (n_a + n_b) for each pair of classes
        epsilon : half width of the tube without loss, >= 0 (epsilon_svr)
        class_weight : {label: factor} (others 1) or "balanced"; C_i = C * class_weight * sample_weight (c_svc only)
        sample_weight : (n,) >= 0; rows of weight 0 do not take part
        probability : also calibrate for ``predict_proba`` by a cross-validation of 5 folds drawn by random_state (regression: for
            the scale of the error); 4 to 5 times the work
    How
        solver : "smo" one problem; "dc" divide and conquer; "auto" picks (``report.solver_reason`` says why); "rand" random
            samples and "cascade" (c_svc, see below)
        tol : stop when the largest KKT violation is below
        cache_size : MB of working memory for kernel rows and packed data
        precision : of kernel values, "single" or "double" (for tol below about 1e-5)
        shrinking : leave variables that stay at a bound aside
        max_iter : SMO steps in each binary problem; 0: none, -1: LIBSVM's ceiling, max(10^7, 100 n)
        n_jobs : threads; None the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1 all cores
        random_state : whole number, None (different each time), or numpy Generator or RandomState. The same seed gives the
            same model whatever n_jobs
        warm_start_alpha : a feasible start, as ``Model.alpha`` returns it (nu_svc: of any scale)
        callback : called with a progress object about 20 times a second (phase, level, done, total, n_iter, violation,
            objective, active, seconds); returning True stops with what there is
        verbose : progress on stderr
    Divide and conquer (Hsieh, Si, Dhillon, ICML 2014)
        n_levels, branching : levels, and level l has branching^l clusters; n_levels None: chosen from n, without
            levels of fewer than 16 clusters when the exact solution follows
        early_level : stop after this level and predict with its clusters' models; None: go on to the exact solution
        prediction : of an early model, "early" | "naive" | "bcm", see :meth:`Model.with_prediction`; the latter two need
            early_level
        clustering, sample_size : "kernel_kmeans" (found on sample_size points, the rest assigned) or "kmeans"
        balance_clusters : split oversize clusters, drop the smallest
    Solver "rand" has the parameters of :func:`dcsvm.train_rand` too, "cascade" those of :func:`dcsvm.train_cascade`.

    Returns a :class:`Model`. Warns with :class:`ConvergenceWarning` when it stopped for another reason than convergence.
    Raises TypeError for unknown parameters, ValueError for bad values and bad data (naming row and column), MemoryError when
    ``cache_size`` is too small.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train(X, y, C=10, gamma=4)
    >>> float((model.predict(X) == y).mean()) > 0.97
    True
    """
    if unknown := set(sampled) - set(SAMPLED):
        raise validate.unknown_parameters("train", sorted(unknown), parameter_names())
    p = fill(_core.TrainParams(), {**locals(), **sampled})
    data = validate.as_data("X", X)
    n = data.shape[0]
    labels = _labels(formulation, y, n)
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
    n_problems = 1 if formulation not in CLASSIFIERS else validate.count_pairs(labels)
    alpha = validate.as_alpha(warm_start_alpha, n, n_problems)
    with watching(p.tol, verbose, callback) as watch:
        return Model(_core.train(data, labels, p, weights, alpha, watch))


@contextlib.contextmanager
def watching(tol: float, verbose: object, callback: Callback | None) -> Iterator[Callback | None]:
    """What the core reports progress to."""
    if callback is not None and not callable(callback):
        raise ValueError(f"callback must be callable or None, got {callback!r}")
    if not validate.boolean("verbose", verbose):
        yield callback
        return
    from .._base.progress import showing

    with showing(tol) as show:
        yield _both(show, callback)


def parameter_names() -> list[str]:
    """The names of train's parameters."""
    return [*(name for name, p in inspect.signature(train).parameters.items() if p.kind is p.KEYWORD_ONLY), *SAMPLED]


def _labels(formulation: str, y: object, n: int) -> validate.FloatArray:
    if formulation == "one_class":
        return np.zeros(n)
    if y is None:
        raise ValueError(f"y is missing: formulation={formulation!r} needs one entry for each row of X")
    return validate.as_labels("y", y, n) if formulation in CLASSIFIERS else validate.as_targets("y", y, n)


def _both(show: Callback, callback: Callback | None) -> Callback:
    def run(progress: _core.Progress) -> bool:
        show(progress)
        return callback is not None and bool(callback(progress))

    return run
