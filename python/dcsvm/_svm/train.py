"""Training."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec

import numpy as np

from .. import _core
from .._input import validate
from .._input.choices import Balanced, Clustering, Formulation, GammaRule, Kernel, Precision, Prediction, Solver
from .._input.columns import feature_names
from .._input.formulations import CLASSIFIERS, SIDES
from .._input.labels import as_labels, as_targets, coded, count_pairs
from .._input.parameters import defaults_of, fill, training
from .._model.training import trained
from .._shown.training_warnings import about, limit_met, some, warn_of
from .._shown.watching import Callback, warn_stopped
from .model import Model

_TOL = 1e-3

P = ParamSpec("P")


def warning(solve: Callable[P, Model]) -> Callable[P, Model]:
    """Apart from the training itself, because the estimators warn in scikit-learn's words (``inspect.unwrap``)."""

    @functools.wraps(solve)
    def run(*args: P.args, **kwargs: P.kwargs) -> Model:
        model = solve(*args, **kwargs)
        report = model.report
        if report.stop_reason != "converged":
            tol: Any = kwargs.get("tol", _TOL)
            where = f"at a violation of {about(report.violation)} or more" + f", above tol={tol:g}" * (not report.violation < tol)
            if report.stop_reason == "support_limit":
                where = "with as many support vectors as estimated: near-optimal, and how far from optimal is not known"
            limit, advice = "", ""
            if report.stop_reason == "max_iter":
                given, passes = (kwargs.get(name) for name in ("max_iter", "cascade_passes"))
                most = -1 if given is None else int(given)  # type: ignore[call-overload]
                by_passes = passes is not None and not 0 <= most <= report.n_iter
                name = "cascade_passes" if by_passes else "max_iter"
                limit = limit_met(name, passes if by_passes else most, report.problems, report.n_iter)  # type: ignore[arg-type]
                advice = f"scale the features, lower C, or raise {name}"
            if report.stop_reason == "time_limit":
                where += f", the objective within {about(10 * report.gap)} of the optimum" * math.isfinite(report.gap)
            warn_stopped(report.stop_reason, f"{some(report.n_iter)} steps", where, advice, limit)
        warn_of(report.warnings, feature_names(args[0] if args else kwargs.get("X")))
        return model

    return run


@training(_core.TrainParams)
@warning
def train(
    X: Any,
    y: Any = None,
    *,
    C: float = 1.0,
    kernel: Kernel = "rbf",
    degree: int = 3,
    gamma: float | GammaRule = "scale",
    coef0: float = 0.0,
    fit_intercept: bool = True,
    formulation: Formulation = "c_svc",
    nu: float = 0.5,
    epsilon: float = 0.1,
    quantile: float | None = None,
    solver: Solver = "auto",
    n_levels: int | None = None,
    branching: int = 4,
    sample_size: int = 1000,
    clustering: Clustering = "kernel_kmeans",
    balance_clusters: bool = True,
    keep_levels: bool = False,
    early_level: int | None = None,
    prediction: Prediction = "early",
    precision: Precision = "single",
    tol: float = _TOL,
    cache_size: float = 2000,
    class_weight: Mapping[Any, float] | Balanced | None = None,
    sample_weight: Any = None,
    probability: bool = False,
    shrinking: bool = True,
    max_iter: int = -1,
    random_state: Any = 0,
    n_jobs: int | None = None,
    warm_start_alpha: Any = None,
    checkpoint: Any = None,
    checkpoint_interval: float = 60,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
    n_support_estimate: int | None = None,
    rand_epsilon: float = 0.2,
    rand_delta: float = 0.9,
    sample_factor: float = 2.0,
    cascade_leaves: int = 8,
    cascade_passes: int | None = None,
) -> Model:
    """Trains a kernel support vector machine, exactly or (``early_level``) approximately and much faster.

    Solves LIBSVM's problems with scikit-learn's sample weights w_i; Q_ij = y_i y_j K(x_i, x_j), d = a - a*::

        "c_svc"        classes; min 1/2 a'Qa - e'a, 0 <= a_i <= C_i, and y'a = 0 when fit_intercept
        "nu_svc"       classes; min 1/2 a'Qa, 0 <= a_i <= w_i, y'a = 0, sum a = nu sum w; then a is divided by the margin r
        "one_class"    the region where X lies; min 1/2 a'Ka, 0 <= a_i <= w_i, sum a = nu sum w
        "epsilon_svr"  numbers; min 1/2 d'Kd + epsilon sum(a + a*) - y'd, 0 <= a_i, a*_i <= C w_i, and sum d = 0 when
                       fit_intercept
        "nu_svr"       numbers; min 1/2 d'Kd - y'd, 0 <= a_i, a*_i <= C w_i, sum d = 0, sum(a + a*) = C nu sum w

    Several classes: one-vs-one. Data is not copied; other Python threads run meanwhile; Ctrl-C stops it.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        Float32 or float64 of any strides (other numbers become float64), or scipy CSR; for
        ``kernel="precomputed"`` the (n, n) matrix of kernel values.
    y : array-like of shape (n,), default=None
        Labels, numbers or text, at least two different ones; regression: finite targets; one_class: not used.
    C : float, default=1.0
        Upper bound of alpha, > 0 (c_svc, epsilon_svr, nu_svr).
    kernel : str, default='rbf'
        "linear" ``x'z`` | "poly" ``(gamma x'z + coef0)^degree`` | "rbf" ``exp(-gamma |x-z|^2)`` | "sigmoid"
        ``tanh(gamma x'z + coef0)`` | "precomputed" | "exponential" ``exp(-gamma |x-z|)`` | "matern32"
        ``(1 + a) exp(-a)``, ``a = sqrt(3) gamma |x-z|`` | "matern52" ``(1 + a + a^2/3) exp(-a)``, ``a = sqrt(5) gamma |x-z|``
        | "laplacian" ``exp(-gamma |x-z|_1)`` | "chi2" ``exp(-gamma sum_k (x_k-z_k)^2 / (x_k+z_k))`` for features >= 0 |
        "tanimoto" ``x'z / (|x|^2 + |z|^2 - x'z)``.
    degree : int, default=3
        Of the poly kernel, >= 0.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    gamma : float or str, default='scale'
        A number > 0, or "scale" 1 / (n_features * Var(X)), or "auto" 1 / n_features. Of exponential and matern "scale" is
        the root of that number, of laplacian and chi2 1 / (n_features * Std(X)): the unit of X changes no kernel value.
    fit_intercept : bool, default=True
        With a bias (LIBSVM) or without (the DC-SVM paper; c_svc and epsilon_svr only).
    formulation : str, default='c_svc'
        What is trained, see above.
    nu : float, default=0.5
        In (0, 1] (nu_svc, one_class, nu_svr): bounds the share of margin errors from above and of support vectors from
        below; nu_svc: at most 2 min(n_a, n_b) / (n_a + n_b) for each pair of classes.
    epsilon : float, default=0.1
        Half width of the tube without loss, >= 0 (epsilon_svr).
    quantile : float or None, default=None
        The quantile of y in (0, 1) that is predicted (epsilon_svr; Takeuchi, Le, Sears, Smola 2006): a_i <= quantile C w_i and
        a*_i <= (1 - quantile) C w_i, with epsilon=0 the pinball loss. None: errors of both signs cost C.
    class_weight : dict or 'balanced' or None, default=None
        ``{label: factor}`` (others 1) or "balanced"; C_i = C * class_weight * sample_weight (c_svc only).
    sample_weight : array-like of shape (n,) or None, default=None
        At least 0; rows of weight 0 do not take part.
    probability : bool, default=False
        Also calibrate for ``predict_proba`` by a cross-validation of 5 folds drawn by random_state (regression: for the
        scale of the error); 4 to 5 times the work.
    solver : str, default='auto'
        "smo" one problem; "dc" divide and conquer; "auto" picks (``report.solver_reason`` says why); c_svc: "rand" random
        samples (RandSVM), "cascade" a cascade of merged parts.
    tol : float, default=1e-3
        Stop when the largest KKT violation is below; where the problem is small in the violation's unit, go on until the duality
        gap is at most ``tol`` of what was gained (``report.tol`` says how far).
    cache_size : float, default=2000
        MB of working memory for kernel rows and packed data.
    precision : str, default='single'
        Of kernel values, "single" or "double" (for tol below about 1e-5).
    shrinking : bool, default=True
        Leave variables that stay at a bound aside.
    max_iter : int, default=-1
        SMO steps in each binary problem; 0: none, -1: LIBSVM's ceiling, max(10^7, 100 n).
    n_jobs : int or None, default=None
        Threads; None the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1 all cores.
    random_state : int, Generator, RandomState or None, default=0
        None: different each time. The same seed gives the same model
        whatever n_jobs.
    warm_start_alpha : array or None, default=None
        A feasible start, as ``Model.alpha`` returns it (nu_svc: of any scale).
    checkpoint : path or None, default=None
        A file that keeps what was found so far. A call that was killed or interrupted, and is made again with the same data and
        parameters, goes on from there. The file is removed when the call has its result.
    checkpoint_interval : float, default=60
        Seconds of work that may be lost, > 0.
    max_seconds : float or None, default=None
        Seconds, after which it stops at its next step with the best solution so far, and warns; the report's gap says how far
        from the optimum that is at most, and its computation comes on top. None: no limit.
    callback : callable or None, default=None
        Called with a progress object about 20 times a second (phase, level, done, total, n_iter, violation, objective,
        active, n_support, seconds); returning True stops with what there is.
    verbose : bool, default=False
        Progress on stderr.
    n_levels, branching : int, default=None and 4
        Divide and conquer (Hsieh, Si, Dhillon, ICML 2014): levels, and level l has branching^l clusters; n_levels None:
        chosen from n, without levels of fewer than 16
        clusters when the exact solution follows.
    early_level : int or None, default=None
        Stop after this level and predict with its clusters' models; None: go on to the exact solution.
    prediction : str, default='early'
        Of an early model, "early" | "naive", see :meth:`Model.with_prediction`; the latter needs early_level.
    clustering : str, default='kernel_kmeans'
        "kernel_kmeans" (found on `sample_size` rows, the rest assigned) or "kmeans"; "random": clusters of equal size that are
        drawn, the paper's baseline (not with early_level: they cannot route queries).
    sample_size : int, default=1000
        Rows on which kernel k-means runs.
    balance_clusters : bool, default=True
        Split oversize clusters, drop the smallest.
    keep_levels : bool, default=False
        Keep each level's clusters and support vectors as :attr:`Model.levels_`, in memory alone.
    n_support_estimate : int or None, default=None
        "rand" (Krishnan, Bhattacharyya, Hariharan, NIPS 2007, Algorithm 1): k, the estimated number of support vectors of each
        pair of classes, >= 2: stops with "support_limit", near-optimal, when so many are found; None:
        16 / rand_epsilon^2 log(4 n / rand_delta), Eq. (4).
    rand_epsilon, rand_delta : float, default=0.2 and 0.9
        Distortion and probability of failure in Eq. (4), in (0, 1).
    sample_factor : float, default=2.0
        c >= 1: samples have c k rows.
    cascade_leaves : int, default=8
        "cascade" (Graf, Cosatto, Bottou, Durdanovic, Vapnik, NIPS 2004): parts of the first layer, a power of two.
    cascade_passes : int or None, default=None
        Passes at most; None: until no row violates.

    Returns
    -------
    Model
        The model; ``report`` says what the training did.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        For bad values and bad data (naming row and column).
    MemoryError
        When ``cache_size`` is too small.
    OSError
        When the checkpoint cannot be written.

    Warns
    -----
    ConvergenceWarning
        When it stopped for another reason than convergence.
    ScaleWarning, UserWarning
        Of what ``report.warnings`` holds.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train(X, y, C=10, gamma=4)
    >>> float((model.predict(X) == y).mean()) > 0.97
    True
    """
    classes = None
    if formulation in CLASSIFIERS:
        y, class_weight, classes = coded(y, class_weight)
    p = fill(_core.TrainParams(), locals())
    data = validate.as_data("X", X)
    n = data.shape[0]
    labels = _labels(formulation, y, n)
    weights = None if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
    n_problems = 1 if formulation not in CLASSIFIERS else count_pairs(labels)
    alpha = validate.as_alpha(warm_start_alpha, n, n_problems)
    interval = validate.real("checkpoint_interval", checkpoint_interval, above=0)
    state = None if checkpoint is None else validate.path("checkpoint", checkpoint)

    def solve(watch: Callback | None) -> _core.Model:
        return _core.train(data, labels, p, weights, alpha, state, interval, watch)

    return trained(Model, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X, classes=classes)


def defaults() -> dict[str, Any]:
    """The values of train's parameters that are not given."""
    return defaults_of(train)


@functools.cache
def parameter_names() -> tuple[str, ...]:
    """The names of train's parameters."""
    return tuple(defaults())


def _labels(formulation: str, y: object, n: int) -> validate.FloatArray:
    if formulation in SIDES:
        return np.zeros(n)
    if y is None:
        raise ValueError(f"y is missing: formulation={formulation!r} needs one entry for each row of X")
    return as_labels("y", y, n) if formulation in CLASSIFIERS else as_targets("y", y, n)
