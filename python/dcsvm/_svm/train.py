"""Training."""

from __future__ import annotations

import contextlib
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, ParamSpec

import numpy as np

from .. import _core
from .._base import validate as _validate
from .model import PREDICTIONS, Model

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
SOLVERS = ("auto", "smo", "dc", "rand", "cascade")
CLUSTERINGS = ("kernel_kmeans", "kmeans")
PRECISIONS = ("single", "double")
FORMULATIONS = ("c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr")
CLASSIFIERS = ("c_svc", "nu_svc")
_TOL = 1e-3

Callback = Callable[[_core.Progress], Any]


P = ParamSpec("P")


class ConvergenceWarning(UserWarning):
    """Training stopped before the violation fell below ``tol``; ``Model.report.stop_reason`` says why."""


def _warning(solve: Callable[P, Model]) -> Callable[P, Model]:
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


@_warning
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
    n_support_estimate: int | None = None,
    rand_epsilon: float = 0.2,
    rand_delta: float = 0.9,
    sample_factor: float = 2.0,
    cascade_leaves: int = 8,
    cascade_passes: int | None = None,
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
    **unknown: NoReturn,
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
    Random samples (RandSVM: Krishnan, Bhattacharyya, Hariharan, NIPS 2007, Algorithm 1)
        n_support_estimate : k, the estimated number of support vectors of each pair of classes, >= 2: stops with
            "support_limit", near-optimal, when so many are found; None: 16 / rand_epsilon^2 log(4 n / rand_delta), Eq. (4)
        rand_epsilon, rand_delta : distortion and probability of failure in Eq. (4), in (0, 1)
        sample_factor : c >= 1; samples have c k rows
    Cascade (Graf, Cosatto, Bottou, Durdanovic, Vapnik, NIPS 2004)
        cascade_leaves : parts of the first layer, a power of two
        cascade_passes : at most; None: until no row violates

    Returns a :class:`Model`. Warns with :class:`ConvergenceWarning` when it stopped for another reason than convergence.
    Raises TypeError for unknown parameters, ValueError for bad values and bad data (naming row and column), MemoryError when
    ``cache_size`` is too small.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train(X, y, C=10, gamma=4)
    >>> float((model.predict(X) == y).mean()) > 0.97
    True
    """
    given = locals()
    if unknown:
        raise _validate.unknown_parameters("train", unknown, parameter_names())
    p = train_params(given)

    data = _validate.as_data("X", X)
    n = data.shape[0]
    labels = _labels(formulation, y, n)
    weights = None if sample_weight is None else _validate.as_vector("sample_weight", sample_weight, n)
    n_problems = 1 if formulation not in CLASSIFIERS else _validate.count_pairs(labels)
    alpha = _validate.as_alpha(warm_start_alpha, n, n_problems)
    with watching(p.tol, verbose, callback) as watch:
        return Model(_core.train(data, labels, p, weights, alpha, watch))


def train_params(given: Mapping[str, Any]) -> _core.TrainParams:
    """train's arguments, checked, as the core takes them."""
    p = _core.TrainParams()
    p.formulation = _validate.choice("formulation", given["formulation"], FORMULATIONS)
    set_kernel(p, given["kernel"], given["degree"], given["gamma"], given["coef0"])
    p.C = _validate.real("C", given["C"], above=0)
    p.nu = _nu(given["nu"])
    p.epsilon = _validate.real("epsilon", given["epsilon"], at_least=0)
    p.fit_intercept = _validate.boolean("fit_intercept", given["fit_intercept"])
    p.tol = _validate.real("tol", given["tol"], above=0)
    p.cache_size = _validate.real("cache_size", given["cache_size"], above=0)
    p.shrinking = _validate.boolean("shrinking", given["shrinking"])
    p.max_iter = _validate.integer("max_iter", given["max_iter"], low=-1, high=2**63 - 1, also=" (-1: max(10^7, 100 n))")
    p.precision = _validate.choice("precision", given["precision"], PRECISIONS)
    p.class_weight, p.balanced = _validate.class_weight(given["class_weight"])
    p.probability = _validate.boolean("probability", given["probability"])
    p.seed = _validate.seed(given["random_state"])
    p.n_threads = _validate.threads(given["n_jobs"])
    p.solver = _validate.choice("solver", given["solver"], SOLVERS)
    p.n_levels = 0 if given["n_levels"] is None else _validate.integer("n_levels", given["n_levels"], low=1, also=" or None")
    p.branching = _validate.integer("branching", given["branching"], low=2)
    p.sample_size = _validate.integer("sample_size", given["sample_size"], low=1)
    p.clustering = _validate.choice("clustering", given["clustering"], CLUSTERINGS)
    p.balance_clusters = _validate.boolean("balance_clusters", given["balance_clusters"])
    p.early_level = _early_level(given["early_level"], given["n_levels"], given["solver"])
    p.prediction = _validate.choice("prediction", given["prediction"], PREDICTIONS)
    k = given["n_support_estimate"]
    p.n_support_estimate = 0 if k is None else _validate.integer("n_support_estimate", k, low=2, also=" or None")
    p.rand_epsilon = _fraction("rand_epsilon", given["rand_epsilon"])
    p.rand_delta = _fraction("rand_delta", given["rand_delta"])
    p.sample_factor = _validate.real("sample_factor", given["sample_factor"], at_least=1)
    p.cascade_leaves = _validate.integer("cascade_leaves", given["cascade_leaves"], low=1, high=2**20)
    passes = given["cascade_passes"]
    p.cascade_passes = (
        0 if passes is None else _validate.integer("cascade_passes", passes, low=1, high=2**31 - 1, also=" or None")
    )
    if p.prediction != "early" and p.early_level is None:
        raise ValueError(f"prediction={p.prediction!r} is a way of early models to predict: it needs early_level")
    return p


@contextlib.contextmanager
def watching(tol: float, verbose: object, callback: Callback | None) -> Iterator[Callback | None]:
    """What the core reports progress to."""
    if callback is not None and not callable(callback):
        raise ValueError(f"callback must be callable or None, got {callback!r}")
    if not _validate.boolean("verbose", verbose):
        yield callback
        return
    from .._base.progress import showing

    with showing(tol) as show:
        yield _both(show, callback)


def parameter_names() -> list[str]:
    """The names of train's parameters."""
    return [name for name, p in inspect.signature(train).parameters.items() if p.kind is p.KEYWORD_ONLY]


def set_kernel(p: _core._AnyParams, kernel: object, degree: object, gamma: float | str, coef0: object) -> None:
    """Checks a kernel and its parameters, and makes them those of `p`."""
    k = _core.KernelParams()
    k.type = _validate.choice("kernel", kernel, KERNELS)
    k.degree = _validate.integer("degree", degree, low=0)
    k.coef0 = _validate.real("coef0", coef0)
    if isinstance(gamma, str):
        if gamma not in ("scale", "auto"):
            raise ValueError(f"gamma must be a number > 0, 'scale' or 'auto'; got {gamma!r}")
        p.gamma_rule = gamma
    else:
        p.gamma_rule = "value"
        k.gamma = _validate.real("gamma", gamma, above=0)
    p.kernel = k


def _fraction(name: str, value: object) -> float:
    number = _validate.real(name, value, above=0)
    if number >= 1:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
    return number


def _nu(value: object) -> float:
    nu = _validate.real("nu", value, above=0)
    if nu > 1:
        raise ValueError(f"nu must be in (0, 1], got {value!r}")
    return nu


def _labels(formulation: str, y: object, n: int) -> _validate.FloatArray:
    if formulation == "one_class":
        return np.zeros(n)
    if y is None:
        raise ValueError(f"y is missing: formulation={formulation!r} needs one entry for each row of X")
    return _validate.as_labels("y", y, n) if formulation in CLASSIFIERS else _validate.as_targets("y", y, n)


def _early_level(early_level: object, n_levels: int | None, solver: str) -> int | None:
    if early_level is None:
        return None
    level = _validate.integer("early_level", early_level, low=1, also=" or None")
    if n_levels is not None and level > n_levels:
        raise ValueError(f"early_level must be <= n_levels = {n_levels}, got {level}")
    if solver not in ("auto", "dc"):
        raise ValueError(f"early_level={level} needs solver='dc' or 'auto': solver={solver!r} has no levels")
    return level


def _both(show: Callback, callback: Callback | None) -> Callback:
    def run(progress: _core.Progress) -> bool:
        show(progress)
        return callback is not None and bool(callback(progress))

    return run
