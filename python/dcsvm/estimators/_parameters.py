"""The parameters of the estimators, each declared once: type, default, description, and what scikit-learn's validation accepts.

Parameters that belong together are a dataclass. An estimator inherits those it has and adds its own, so that its ``__init__`` is
generated, and scikit-learn, type checkers and ``help`` read the same signature. Where two bases of an estimator share a field,
that of the base named first counts, for dataclasses too: the parameters of an estimator stand first among its bases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from .. import _core
from .._input.choices import Balanced, GammaRule, Kernel, MultiClass
from .._input.kernels import with_gamma_of
from .._input.parameters import Parameter, parameters_of
from .._shown.watching import Callback

KernelOrCallable = Kernel | Callable[[Any, Any], Any]

TRAIN = parameters_of(_core.TrainParams)
LINEAR = parameters_of(_core.LinearParams)
LOW_RANK = parameters_of(_core.LowRankParams)
DC_PRED = parameters_of(_core.DcPredParams)
LDKL = parameters_of(_core.LdklParams)
LS_SVM = parameters_of(_core.LsSvmParams)
RIDGE = parameters_of(_core.RidgeParams)
POSITIVE = Interval(Real, 0.0, None, closed="neither")
FRACTION = Interval(Real, 0.0, 1.0, closed="neither")
BUDGET = (POSITIVE, str, None)  # a number, or a text such as "12x"
_MAX_INT = 2**31 - 1
_AS_DECLARED: Any = object()
_GAMMA = (
    f"Of all kernels but {with_gamma_of('nothing')}. 'scale': 1 / (n_features * X.var()), for {with_gamma_of('length')} its "
    f"root, for {with_gamma_of('sum')} 1 / (n_features * X.std()). 'auto': 1 / n_features."
)


def at_least(low: int) -> Interval:
    """Whole numbers from `low` on."""
    return Interval(Integral, low, None, closed="left")


def parameter(default: Any, text: str, *accepted: Any, kind: str = "", positional: bool = False) -> Any:
    """A parameter of an estimator that the core does not know, or means otherwise.

    accepted : constraints of scikit-learn's validation; a tuple of strings is a choice between them
    kind : the type as the documentation shows it, where `accepted` does not say it
    positional : scikit-learn takes it without its name too
    """
    listed = "".join(f" One of {', '.join(map(repr, value))}." for value in accepted if _is_long(value))
    metadata = {"text": text + listed, "accepted": accepted, "kind": kind or _kind(accepted)}
    return field(default=default, metadata=metadata, kw_only=not positional)


def declared(
    p: Parameter,
    *also: Any,
    default: Any = _AS_DECLARED,
    text: str = "",
    more: str = "",
    accepted: tuple[Any, ...] | None = None,
    without: tuple[str, ...] = (),
    kind: str = "",
) -> Any:
    """A parameter of an estimator as the core declares it: default, range or choices, and sentence. What is given here differs.

    also : accepted besides
    text : in place of the core's sentence
    more : sentences after the core's
    accepted : in place of the core's range or choices
    without : choices that the estimator does not have
    """
    as_declared = _accepted(p, without) if accepted is None else accepted
    as_default = None if p.zero is not None and p.default == 0 else p.default
    value = as_default if default is _AS_DECLARED else default
    said = text or f"{_sentence(p)}{f' {more}' * bool(more)}"
    return parameter(value, said, *_joined((*as_declared, *also)), kind=kind)


def _joined(accepted: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same with all names as one choice, and None at the end."""
    names = [name for value in accepted if isinstance(value, tuple) for name in value]
    others = [value for value in accepted if value is not None and not isinstance(value, tuple)]
    return (*[tuple(names)] * bool(names), *others, *[None] * (None in accepted))


def _sentence(p: Parameter) -> str:
    """The core's text as a sentence; a name of a choice at its begin keeps its letters."""
    first = p.text if p.text.split()[0].endswith(":") else p.text[0].upper() + p.text[1:]
    return f"{first}{f'; None: {p.zero}' * bool(p.zero)}."


def _accepted(p: Parameter, without: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of a parameter of the core, as scikit-learn's validation takes them."""
    if p.type == "bool":
        return ("boolean",)
    if p.choices:
        return (tuple(choice for choice in p.choices if choice not in without),)
    number: Any = Integral if p.type == "int" else Real
    whole = int if p.type == "int" else float
    low, high = (whole(end) if math.isfinite(end) and end != _MAX_INT else None for end in (p.low, p.high))
    left, right = low is not None and p.low_allowed, high is not None and p.high_allowed
    closed = "both" if left and right else "left" if left else "right" if right else "neither"
    return (Interval(number, low, high, closed=closed), *[None] * (p.optional or p.zero is not None))


def constraints(accepted: tuple[Any, ...]) -> list[Any]:
    """What scikit-learn's validation takes for `accepted`."""
    return [StrOptions(set(value)) if isinstance(value, tuple) else value for value in accepted]


_KINDS = {
    callable: "callable",
    "array-like": "array-like",
    dict: "dict",
    Integral: "int",
    "boolean": "bool",
    "verbose": "bool or int",
}


def _is_long(value: Any) -> bool:
    """A choice of more names than the line of a type can hold."""
    return isinstance(value, tuple) and len(value) > 8


def _kind(accepted: tuple[Any, ...]) -> str:
    names = []
    for value in accepted:
        if _is_long(value):
            names.append("str")
        elif isinstance(value, tuple):
            names.append(repr(value[0]) if len(value) == 1 else "{" + ", ".join(map(repr, value)) + "}")
        elif isinstance(value, Interval):
            names.append(_range(value))
        elif value == "random_state":
            names.append("int, RandomState instance or None")
        elif value is not None and not isinstance(value, Hidden):
            names.append(_KINDS[value])
    return " or ".join([*names, "None"] if None in accepted else names)


def _range(interval: Interval) -> str:
    name = "float" if interval.type is Real else "int"
    left, right = interval.closed in ("left", "both"), interval.closed in ("right", "both")
    if interval.left is None:
        return name
    if interval.right is None:
        return f"{name} {'>=' if left else '>'} {interval.left:g}"
    return f"{name} in {'[' if left else '('}{interval.left:g}, {interval.right:g}{']' if right else ')'}"


@dataclass(kw_only=True, repr=False, eq=False)
class ThreadsParameter:
    n_jobs: int | None = parameter(
        None,
        "Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1: every "
        "core. The model does not depend on it.",
        Integral,
        None,
    )


@dataclass(kw_only=True, repr=False, eq=False)
class ClassWeightParameter:
    """Of classifiers with kernels."""

    class_weight: Mapping[Any, float] | Balanced | None = parameter(
        None,
        "Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class).",
        dict,
        ("balanced",),
        None,
    )


@dataclass(kw_only=True, repr=False, eq=False)
class KernelParameters(ThreadsParameter):
    """Of all estimators with kernels."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    kernel: KernelOrCallable = declared(
        TRAIN["kernel"],
        callable,
        text="x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel values "
        "(symmetric), or a function of two sets of rows that returns theirs.",
    )
    degree: int = declared(TRAIN["degree"])
    gamma: float | GammaRule = declared(
        TRAIN["gamma"],
        ("scale", "auto"),
        default="scale",
        text=_GAMMA,
    )
    coef0: float = declared(TRAIN["coef0"])


@dataclass(kw_only=True, repr=False, eq=False)
class SeedParameter:
    random_state: Any = parameter(None, "Seed of the random choices.", "random_state")


@dataclass(kw_only=True, repr=False, eq=False)
class TimeParameter:
    """Of every estimator that trains one model."""

    max_seconds: float | None = declared(TRAIN["max_seconds"], more="Reaching it is a ConvergenceWarning.")


@dataclass(kw_only=True, repr=False, eq=False)
class SolverParameters:
    """Of every estimator that solves one of LIBSVM's problems."""

    gamma: float | GammaRule = declared(
        TRAIN["gamma"],
        ("scale", "auto"),
        default="scale",
        text=_GAMMA,
        accepted=(Interval(Real, 0.0, None, closed="left"),),  # 0 as scikit-learn
    )
    shrinking: bool = declared(TRAIN["shrinking"])
    tol: float = declared(
        TRAIN["tol"],
        more="For up to 200 rows the solver aims at 1e-10, which costs next to nothing there.",
    )
    cache_size: float = declared(TRAIN["cache_size"], default=200, more="More saves time on large problems.")
    verbose: bool | int = parameter(
        False, "Show progress with the violation and the active rows: a bar on a terminal and in notebooks.", "verbose"
    )
    max_iter: int = declared(TRAIN["max_iter"], more="Reaching it is a ConvergenceWarning.")
    precision: Literal["auto", "single", "double"] = declared(
        TRAIN["precision"],
        ("auto",),
        default="auto",
        text="Of kernel values. 'auto': double up to 2000 rows and where the data needs it, else single.",
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
class WarmStartParameter:
    """Of every estimator that solves one of LIBSVM's problems on one machine."""

    warm_start: bool = parameter(
        False,
        "Start from the last fit's solution, scaled into the new bounds, when the labels of its rows are the same; new rows may "
        "follow them. Often no faster than from zero.",
        "boolean",
    )


@dataclass(kw_only=True, repr=False, eq=False)
class ProbabilityParameter:
    """Of classifiers by one against one on one machine."""

    probability: bool | Literal["platt", "deprecated"] = parameter(
        "deprecated",
        "Platt scaling for predict_proba, by 5-fold cross-validation. 'platt': predict then gives the class of highest "
        "probability, as LIBSVM's ``svm_predict_probability`` does. True: predict goes by decision values and may differ, as in "
        "scikit-learn 1.9, where this is deprecated.",
        "boolean",
        ("platt",),
        Hidden(StrOptions({"deprecated"})),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class ClassifierParameters(ClassWeightParameter):
    """Of classifiers by one against one."""

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
    C: float = declared(
        TRAIN["C"],
        text="Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes.",
        accepted=(Interval(Real, 0.0, None, closed="right"),),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class FiniteCostParameter:
    C: float = declared(
        TRAIN["C"],
        text="Price of errors: the larger, the fewer errors in training and the longer it takes.",
        accepted=(POSITIVE,),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class CostAndBiasParameters(CostParameter):
    """Of C-SVC and epsilon-SVR, which are also defined without a bias."""

    fit_intercept: bool = declared(TRAIN["fit_intercept"], text="With a bias (LIBSVM's problem) or without (the DC-SVM paper's).")


@dataclass(kw_only=True, repr=False, eq=False)
class NuParameter:
    nu: float = declared(
        TRAIN["nu"],
        text="An upper bound on the share of rows with errors and a lower bound on the share of support vectors.",
    )


@dataclass(kw_only=True, repr=False, eq=False)
class SolverChoice:
    solver: Literal["auto", "smo", "dc"] = declared(
        TRAIN["solver"],
        text="One problem from the start, or divide and conquer first; 'auto' picks and says why in ``report_.solver_reason``.",
        without=("rand", "cascade"),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class WholeSolverChoice:
    """Of problems that have no clusters."""

    solver: Literal["auto", "smo"] = declared(
        TRAIN["solver"],
        text="One problem from the start, which 'auto' takes too: with nu, a cluster would have a margin or tube of its own.",
        without=("rand", "cascade", "dc"),
    )


@dataclass(kw_only=True, repr=False, eq=False)
class LevelParameters:
    """Of divide and conquer."""

    n_levels: int | None = declared(
        TRAIN["n_levels"],
        text="Levels of divide and conquer; None: early_level where it is given, else the fewest that bring the bottom clusters "
        "to about 2000 rows.",
    )
    branching: int = declared(TRAIN["branching"])
    sample_size: int = declared(TRAIN["sample_size"])
    keep_levels: bool = declared(
        TRAIN["keep_levels"],
        text="Keep each level's clusters and support vectors as ``model_.levels_``, not in files or pickles.",
    )


@dataclass(kw_only=True, repr=False, eq=False)
class EarlyLevelParameter:
    """Of estimators that end with the exact solution where nothing else is asked for."""

    early_level: int | None = declared(TRAIN["early_level"], more="None: go on to the exact solution.")
