"""docs/reference/parameters.md, from the core's declarations and the signatures."""

import inspect
import math
from collections.abc import Callable

import dcsvm
from dcsvm._command import options
from dcsvm._input import suggestions
from dcsvm._input.parameters import DECLARED_AS, Parameter, parameters_of

PAGE = "docs/reference/parameters.md"
HEAD = """# All parameters on one page

One table for each training function, in the order of its signature. *Values* are what is accepted. An empty *default* means
that the argument has to be given. *Option* is that of the command, *C++* the member of the struct. *Elsewhere* lists names
of other packages that the error message for an unknown parameter recognises. What a parameter does in detail stands on the
function's own page; where interfaces differ in their defaults is explained under [defaults](defaults.md).

This page is made from the code by `python -m generate`.
"""
_ELSEWHERE = {"train_dc_pred_ridge"}  # trainings whose parameters stand on the page of another one
#: training -> what the core declares for it
TRAININGS: dict[Callable[..., object], type] = {
    function: function.declared_as
    for function in (getattr(dcsvm, name) for name in dcsvm.__all__ if name not in _ELSEWHERE)
    if hasattr(function, "declared_as")
}
_COMMANDS = {dcsvm.train: "dcsvm train", dcsvm.train_low_rank: "dcsvm train --method low-rank"}
_OTHER_DEFAULTS: dict[Callable[..., object], type] = {  # estimators that show them
    dcsvm.train: dcsvm.SVC,
    dcsvm.train_low_rank: dcsvm.LowRankSVC,
    dcsvm.train_dc_pred: dcsvm.DCPredSVC,
    dcsvm.train_ldkl: dcsvm.LDKLSVC,
    dcsvm.train_ls_svm: dcsvm.LSSVC,
}


OF_KERNEL = ("kernel", "degree", "gamma", "coef0")  # members of the struct's member kernel
ALSO = {  # what Python takes besides
    "gamma": ", `'scale'`, `'auto'`",
    "n_threads": ", -1: all cores",
    "class_weight": ", `'balanced'`",
    "seed": ", `None`, a numpy `Generator` or `RandomState`",
}
NOT_TRAINED = ("kernel_ridge",)  # by train: train_ridge does


def cell(text: str) -> str:
    return text.replace("|", r"\|")


def values(p: Parameter) -> str:
    if p.choices:
        allowed = ", ".join(f"`{choice!r}`" for choice in p.choices if choice and choice not in NOT_TRAINED)
    elif p.type == "bool":
        allowed = "`True`, `False`"
    elif p.type == "list":
        allowed = "a dict"
    else:
        kind = "whole number" if p.type == "int" else "number"
        low = f" {'>=' if p.low_allowed else '>'} {p.low:g}" if math.isfinite(p.low) else ""
        bounded = math.isfinite(p.high) and not (p.type == "int" and p.high == 2**31 - 1)
        high = f" and {'<=' if p.high_allowed else '<'} {p.high:g}" if bounded else ""
        allowed = kind + low + high
    allowed += ALSO.get(p.name, "")
    if p.optional or p.zero is not None:
        allowed += f", `None`{': ' + p.zero if p.zero else ''}"
    return allowed


def rows(function: Callable[..., object], kind: type, command: str, estimator: type | None):
    declared = parameters_of(kind)
    offered = inspect.signature(estimator).parameters if estimator else {}
    for name, argument in inspect.signature(function).parameters.items():
        field = DECLARED_AS.get(name, name)
        p = declared.get(field)
        if p is None:
            continue
        default = "" if argument.default is argument.empty else f"`{argument.default!r}`"
        if name in offered and offered[name].default != argument.default:
            default += f"; {estimator.__name__}: `{offered[name].default!r}`"
        offered_there = command and name not in options.PYTHON_ALONE
        flags = ", ".join(f"`{flag}`" for flag in options.flags(name, argument.default)) if offered_there else ""
        member = {"kernel": "kernel.type"}.get(name, f"kernel.{name}") if "kernel" in declared and name in OF_KERNEL else field
        allowed = values(p)
        if argument.default is None and "`None`" not in allowed:
            allowed += ", `None`"
        others = ", ".join(f"`{other}`" for other in suggestions.MEANT.get(name, ()))
        yield f"| `{name}` | {cell(p.text)} | {cell(allowed)} | {default} | {flags} | `{member}` | {others} |"


def page() -> str:
    parts = [HEAD]
    for function, kind in TRAININGS.items():
        name, command, estimator = function.__name__, _COMMANDS.get(function, ""), _OTHER_DEFAULTS.get(function)
        made = [f"The options are those of `{command}`." if command else "", f"C++: `dcsvm::{kind.__name__}`."]
        parts.append(f"## {name}\n\n[`dcsvm.{name}`]({name}.md). {' '.join(filter(None, made))}\n")
        parts.append("| parameter | meaning | values | default | option | C++ | elsewhere |\n|---|---|---|---|---|---|---|")
        parts[-1] += "".join("\n" + row for row in rows(function, kind, command, estimator)) + "\n"
    return "\n".join(parts)
