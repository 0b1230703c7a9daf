"""From partitions and an estimator's parameters to a Problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._input import validate
from .._input.validate import FloatArray, shown
from .engine import Engine, PartitionError
from .problem import Problem
from .summary import Summary, summarise


@dataclass(frozen=True)
class Data:
    """Partitions that have rows. first: number of each one's first row; labels: which partitions they are."""

    parts: list[Any]
    first: list[int]
    labels: list[int]
    counts: list[int]  #: rows of each
    summary: Summary


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def described(engine: Engine, parts: Sequence[Any]) -> Data:
    """Handles of rows.Part -> Data. PartitionError when they do not fit together, ValueError without rows."""
    found: list[Summary] = engine.gather([engine.submit("moments", summarise, part, part=p) for p, part in enumerate(parts)])
    total = found[0]
    for p, one in enumerate(found[1:], 1):
        try:
            total = total.merged(one)
        except ValueError as error:
            raise PartitionError(f"partition {p}: {error}") from None
    if total.n == 0:
        raise ValueError(f"X has no rows: all {len(found)} partitions are empty")
    if total.weight <= 0:
        raise ValueError("sample_weight: all weights are zero or negative, which counts as zero")
    if not np.isfinite([total.weight, total.weighted.squares]).all() and np.isfinite(total.entries.squares):
        raise ValueError("sample_weight: sums of the weights left the range of float64; divide them by their largest")
    counts = [s.n for s in found]
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).tolist()
    used = [p for p, n in enumerate(counts) if n > 0]
    return Data([parts[p] for p in used], [first[p] for p in used], used, [counts[p] for p in used], total)


def classes_of(summary: Summary, class_weight: Any = None) -> npt.NDArray[Any]:
    """Labels with weight and a factor above 0, ascending."""
    classes = summary.labels[summary.label_weight > 0]
    if isinstance(class_weight, Mapping):
        classes = classes[[class_weight.get(label, 1.0) > 0 for label in classes.tolist()]]
    check_classes(classes)
    return classes


def check_classes(classes: npt.NDArray[Any]) -> None:
    """ValueError for labels that are no classes, or fewer than two."""
    if classes.dtype.kind == "f" and (classes != np.floor(classes)).any():
        example = classes[classes != np.floor(classes)][0]
        raise ValueError(
            f"y must hold labels of classes: whole numbers or text; it holds {example}. For numbers to predict use DaskSVR"
        )
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes with weight, got {len(classes)}: {classes.tolist()}")


def check_class_weight(class_weight: Any) -> None:
    """ValueError for what is not None, "balanced" or {label: factor >= 0}. Whether y has the labels only the partitions know."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict {{label: factor}}, got {shown(class_weight)}")
    for label, factor in class_weight.items():
        validate.real(f"class_weight[{shown(label)}]", factor, at_least=0)


def class_costs(C: float, class_weight: Any, classes: npt.NDArray[Any], summary: Summary) -> FloatArray:
    """C times the factor of each class. "balanced": scikit-learn's n / (n_classes * rows of the class)."""
    rows = summary.label_rows[np.isin(summary.labels, classes)]
    if class_weight is None:
        factors = np.ones(len(classes))
    elif isinstance(class_weight, str):
        factors = rows.sum() / (len(classes) * rows)
    else:
        known = set(summary.labels.tolist())
        unknown = [label for label in class_weight if label not in known]
        if unknown:
            raise ValueError(f"class_weight has the label {shown(unknown[0])}, which is not in y: {summary.labels.tolist()}")
        factors = np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
    return np.asarray(C * factors)


def c_svc(data: Data, options: dict[str, Any], class_weight: Any) -> Problem:
    classes = classes_of(data.summary, class_weight)
    own = _own(data, options)
    cost = class_costs(own["C"], class_weight, classes, data.summary)
    return Problem("c_svc", own, cost, classes, fit_intercept=own["fit_intercept"], tol=own["tol"])


def epsilon_svr(data: Data, options: dict[str, Any]) -> Problem:
    own = _own(data, options)
    cost, epsilon = np.array([own["C"]]), own["epsilon"]
    return Problem("epsilon_svr", own, cost, epsilon=epsilon, fit_intercept=own["fit_intercept"], tol=own["tol"])


def one_class(data: Data, options: dict[str, Any]) -> Problem:
    own = _own(data, options)
    nu = own.pop("nu")
    return Problem("one_class", own, np.ones(1), nu=nu, tol=own["tol"])


def _own(data: Data, options: dict[str, Any]) -> dict[str, Any]:
    own = {name: value for name, value in options.items() if name not in ("n_jobs", "class_weight")}
    own["gamma"] = data.summary.gamma(own["gamma"], own["kernel"])
    return own
