"""The classes that stand in the place of scikit-learn's, and the record of what they did."""

from __future__ import annotations

import inspect
import logging
import sys
import threading
import time
import warnings
from abc import ABCMeta
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import estimators

_log = logging.getLogger("dcsvm.patched")
#: what dcsvm raises where it does not take something: scikit-learn's code then trains, or raises its own error
_REFUSALS = (ValueError, TypeError, ArithmeticError, AttributeError, MemoryError)


@dataclass
class Record:
    """The trainings of one class."""

    ours: int = 0
    seconds: float = 0.0
    theirs: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


_records: dict[str, Record] = {}
_lock = threading.Lock()


class _Replacement(ABCMeta):
    """Estimators of scikit-learn's own class, made before the patch or read from old pickles, are instances of ours too."""

    def __subclasscheck__(cls, subclass: type) -> bool:
        # By the list of bases: issubclass(subclass, _theirs) would ask the subclasses of _theirs, this one too, without end.
        bases = getattr(subclass, "__mro__", ())
        theirs = vars(cls).get("_theirs")  # a user's subclass has none of its own
        return cls in bases or (theirs is not None and theirs in bases)

    def __instancecheck__(cls, instance: Any) -> bool:
        return issubclass(type(instance), cls)


def replacement(solver: type, theirs: Any) -> Any:
    """scikit-learn's class with `solver` before it."""
    name = theirs.__name__
    names = {
        "__module__": "dcsvm.patched",
        "__qualname__": name,
        "__doc__": theirs.__doc__,
        "_theirs": theirs,
        "_ours": getattr(estimators, name),
    }
    return _Replacement(name, (solver, theirs), names)


def solved_by_dcsvm(estimator: Any, why_not: Callable[[], str], solve: Callable[[], None]) -> bool:
    """Whether dcsvm did it. why_not : a reason to leave it to scikit-learn's code, else "" """
    name = type(estimator)._theirs.__name__
    begin = time.perf_counter()
    try:
        reason = why_not()
        if not reason:
            solve()
    except _REFUSALS as error:
        reason = f"dcsvm refuses it: {type(error).__name__}: {error}"
    with _lock:
        record = _records.setdefault(name, Record())
        if reason:
            record.theirs += 1
            record.reasons[reason] += 1
        else:
            record.ours += 1
            record.seconds += time.perf_counter() - begin
    if reason:
        _log.info("%s.fit: scikit-learn's own code, because %s", name, reason)
    else:
        _log.debug("%s.fit: dcsvm", name)
    return not reason


def warn_as_sklearn(estimator: Any, text: str, category: type[Warning]) -> None:
    """A warning from the module of scikit-learn's class, by whose name programs filter it."""
    theirs = type(estimator)._theirs
    module, line = sys.modules[theirs.__module__], inspect.unwrap(theirs.fit).__code__.co_firstlineno
    seen = vars(module).setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, category, str(module.__file__), line, module.__name__, seen)


def class_without_weight(labels: npt.NDArray[Any], weights: Any) -> bool:
    """Whether there is a class whose rows all have weight 0 or less: dcsvm leaves it out, scikit-learn does not."""
    if weights is None or np.size(weights) == 0 or np.shape(weights) != np.shape(labels):  # a wrong shape is an error elsewhere
        return False
    return len(np.unique(labels[np.asarray(weights) > 0])) < len(np.unique(labels))


def summary() -> str:
    """What was trained in this process since the last summary, a line for each class."""
    with _lock:
        records = dict(_records)
        _records.clear()
    lines = ["dcsvm in scikit-learn's place, in this process alone:"]
    if not records:
        lines = ["dcsvm in scikit-learn's place: no estimator was trained in this process"]
    for name, record in sorted(records.items()):
        lines.append(f"  {name}: {record.ours} trained by dcsvm in {record.seconds:.3g} s")
        if record.theirs:
            lines[-1] += f", {record.theirs} by scikit-learn's own code"
            lines += [f"    {count} because {reason}" for reason, count in record.reasons.most_common(3)]
    return "\n".join(lines)
