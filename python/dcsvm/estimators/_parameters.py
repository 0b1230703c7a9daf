"""The parameters of the estimators, each declared once: type, default, description, and what scikit-learn's validation accepts.

Parameters that belong together are a dataclass. An estimator inherits those it has and adds its own, so that its ``__init__`` is
generated, and scikit-learn, type checkers and ``help`` read the same signature. No two bases of an estimator may share a field:
dataclasses do not resolve such diamonds by the method resolution order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from .._input.choices import Balanced, GammaRule, Kernel, MultiClass
from .._shown.watching import Callback
from .._svm.train import KERNELS

KernelOrCallable = Kernel | Callable[[Any, Any], Any]

POSITIVE = Interval(Real, 0.0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0.0, None, closed="left")
FRACTION = Interval(Real, 0.0, 1.0, closed="neither")


def at_least(low: int) -> Interval:
    """Whole numbers from `low` on."""
    return Interval(Integral, low, None, closed="left")


def parameter(default: Any, text: str, *accepted: Any, kind: str = "") -> Any:
    """A parameter of an estimator.

    accepted : constraints of scikit-learn's validation; a tuple of strings is a choice between them
    kind : the type as the documentation shows it, where `accepted` does not say it
    """
    return field(default=default, metadata={"text": text, "accepted": accepted, "kind": kind or _kind(accepted)})


def constraints(accepted: tuple[Any, ...]) -> list[Any]:
    """What scikit-learn's validation takes for `accepted`."""
    return [StrOptions(set(value)) if isinstance(value, tuple) else value for value in accepted]


_KINDS = {callable: "callable", dict: "dict", Integral: "int", "boolean": "bool", "verbose": "bool or int"}


def _kind(accepted: tuple[Any, ...]) -> str:
    names = []
    for value in accepted:
        if isinstance(value, tuple):
            names.append(repr(value[0]) if len(value) == 1 else "{" + ", ".join(map(repr, value)) + "}")
        elif isinstance(value, Interval):
            names.append("float" if value.type is Real else "int")
        elif value == "random_state":
            names.append("int, RandomState instance or None")
        elif value is not None and not isinstance(value, Hidden):
            names.append(_KINDS[value])
    return " or ".join([*names, "None"] if None in accepted else names)


@dataclass(kw_only=True, repr=False, eq=False)
class KernelParameters:
    """Of all estimators: the kernel, and threads."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    kernel: KernelOrCallable = parameter(
        "rbf",
        "x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel values "
        "(symmetric), or a function of two sets of rows that returns theirs.",
        KERNELS,
        callable,
    )
    degree: int = parameter(3, "Degree of the poly kernel, >= 0.", at_least(0))
    gamma: float | GammaRule = parameter(
        "scale",
        "Of the rbf, poly and sigmoid kernels, >= 0; 'scale': 1 / (n_features * X.var()), 'auto': 1 / n_features.",
        ("scale", "auto"),
        NOT_NEGATIVE,
    )
    coef0: float = parameter(0.0, "Of the poly and sigmoid kernels.", Interval(Real, None, None, closed="neither"))
    n_jobs: int | None = parameter(
        None,
        "Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1: every "
        "core. The model does not depend on it.",
        Integral,
        None,
    )


@dataclass(kw_only=True, repr=False, eq=False)
class SeedParameter:
    random_state: Any = parameter(None, "Seed of the random choices.", "random_state")


@dataclass(kw_only=True, repr=False, eq=False)
class SolverParameters:
    """Of every estimator that solves one of LIBSVM's problems."""

    shrinking: bool = parameter(True, "Leave out variables that stay at a bound while solving.", "boolean")
    tol: float = parameter(
        1e-3,
        "Stop when the largest violation of the optimality conditions is below. For up to 200 rows the solver aims at 1e-10, "
        "which costs next to nothing there.",
        POSITIVE,
    )
    cache_size: float = parameter(
        200, "MB of working memory for kernel rows and packed data. More saves time on large problems.", POSITIVE
    )
    verbose: bool | int = parameter(
        False, "Show progress with the violation and the active rows: a bar on a terminal and in notebooks.", "verbose"
    )
    max_iter: int = parameter(
        -1,
        "Limit of steps in each binary problem; -1: LIBSVM's, max(10^7, 100 n). Reaching it is a ConvergenceWarning.",
        at_least(-1),
    )
    precision: Literal["auto", "single", "double"] = parameter(
        "auto",
        "Of kernel values. 'auto': double up to 2000 rows and where the data needs it, else single.",
        ("auto", "single", "double"),
    )
    warm_start: bool = parameter(
        False,
        "Start from the last fit's solution, scaled into the new bounds, when the labels of its rows are the same; new rows may "
        "follow them. Often no faster than from zero.",
        "boolean",
    )
    callback: Callback | None = parameter(
        None,
        "Called about 20 times a second with a :class:`dcsvm.Progress`: phase ('clustering', 'level', 'refine', 'solve', "
        "'calibrate'; at the end 'done', with the report's values, unless it was stopped), level (0: the whole problem), done "
        "and total (clusters or pairs of the phase), n_iter (steps so far), violation, objective, active (rows not shrunk), "
        "n_support, seconds. Returning True stops and keeps the current solution, without probabilities.",
        callable,
        None,
    )


@dataclass(kw_only=True, repr=False, eq=False)
class ClassifierParameters:
    """Of classifiers by one against one."""

    probability: bool | Literal["platt", "deprecated"] = parameter(
        "deprecated",
        "Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest "
        "probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may differ, as in "
        "scikit-learn 1.9, where this is deprecated.",
        "boolean",
        ("platt",),
        Hidden(StrOptions({"deprecated"})),
    )
    class_weight: Mapping[Any, float] | Balanced | None = parameter(
        None,
        "Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).",
        dict,
        ("balanced",),
        None,
    )
    decision_function_shape: MultiClass = parameter(
        "ovr",
        "Of more than two classes: one column for each class, made from the pairs' values, or one for each pair.",
        ("ovr", "ovo"),
    )
    break_ties: bool = parameter(
        False, "With 'ovr' and more than two classes, predict by the largest decision value instead of by votes.", "boolean"
    )
    random_state: Any = parameter(None, "Seed of the clustering and of the folds of `probability`.", "random_state")


@dataclass(kw_only=True, repr=False, eq=False)
class CostParameter:
    C: float = parameter(
        1.0,
        "Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes.",
        Interval(Real, 0.0, None, closed="right"),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class CostAndBiasParameters(CostParameter):
    """Of C-SVC and epsilon-SVR, which are also defined without a bias."""

    fit_intercept: bool = parameter(True, "With a bias (LIBSVM's problem) or without (the DC-SVM paper's).", "boolean")


@dataclass(kw_only=True, repr=False, eq=False)
class NuParameter:
    nu: float = parameter(
        0.5,
        "In (0, 1]: an upper bound on the share of rows with errors and a lower bound on the share of support vectors.",
        Interval(Real, 0.0, 1.0, closed="right"),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class SolverChoice:
    solver: Literal["auto", "smo", "dc"] = parameter(
        "auto",
        "One problem from the start, or divide and conquer first; 'auto' picks and says why in ``report_.solver_reason``.",
        ("auto", "smo", "dc"),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LevelParameters:
    """Of divide and conquer."""

    n_levels: int | None = parameter(
        None,
        "Levels of divide and conquer; None: early_level where it is given, else the fewest that bring the bottom clusters to "
        "about 2000 rows.",
        at_least(1),
        None,
    )
    branching: int = parameter(4, "Level l has branching^l clusters.", at_least(2))
    sample_size: int = parameter(1000, "Rows on which the clusters' centres are found; the others join the nearest.", at_least(1))
    keep_levels: bool = parameter(
        False,
        "Keep each level's clusters and support vectors as ``model_.levels_``, not in files or pickles.",
        "boolean",
    )
    early_level: int | None = parameter(
        None, "Stop after this level and predict with its clusters' models; None: go on to the exact solution.", at_least(1), None
    )
