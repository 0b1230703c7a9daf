"""Labels and targets of a training: checked, numbered where they are text, and named in the core's errors."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .validate import FloatArray, as_array, as_data, as_vector, real, shown

_FEW_CLASSES = 30  # up to so many different numbers may be labels, whatever the number of rows
_MANY_CLASSES = 300  # up to so many, when all are whole numbers
_MAX_EXACT = 2**53  # whole numbers up to here are exact in float64


def distinct(values: FloatArray) -> FloatArray:
    """The different values of an array without NaN, ascending. Not by numpy.unique, whose first call imports numpy.ma: 10 ms of a
    process's first training."""
    a = np.sort(values, axis=None)
    return np.asarray(a[np.append(True, a[1:] != a[:-1])[: len(a)]])


def refuse_missing(name: str, a: npt.NDArray[Any]) -> None:
    """ValueError for labels of which some are missing: None, NaN among text, pandas' NA."""
    if a.dtype.kind != "O":
        return
    for row, label in enumerate(a.flat):
        if label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and label != label):
            raise ValueError(f"{name} has no label at row {row} (found {shown(label)}): drop the rows without labels")


def _refuse_continuous(name: str, a: FloatArray) -> None:
    """Targets of a regression given as labels: far more classes than anyone has, of about one row each. ValueError."""
    if len(a) <= _FEW_CLASSES:
        return
    some = np.sort(a[:: max(1, len(a) // 1000)])  # a look at about a thousand rows
    if 3 * (1 + np.count_nonzero(some[1:] != some[:-1])) < 2 * min(len(a), 1000):
        return
    if not np.isfinite(a).all():
        return
    classes = distinct(a)
    whole = bool((classes == np.floor(classes)).all())
    if len(classes) > (_MANY_CLASSES if whole else _FEW_CLASSES) and 3 * len(classes) > 2 * len(a):
        raise ValueError(
            f"{name} has {len(classes):,} different values in {len(a):,} rows, but labels name the classes of a classification. "
            "For numbers to predict use formulation='epsilon_svr' (train_linear: solver='svr_squared'; estimators: SVR, "
            "LinearSVR). If they are classes, number them 0, 1, ... and leave out classes of a single row"
        )


def as_labels(name: str, y: object, n: int) -> FloatArray:
    """Numeric labels of classes as float64. Their values are checked by the core, which names the row."""
    labels = as_numbers(name, y, n)
    _refuse_continuous(name, labels)
    return labels


def as_numbers(name: str, y: object, n: int) -> FloatArray:
    """Labels or targets as float64."""
    a = as_array(name, y)
    refuse_missing(name, a)
    if a.dtype.kind in "USO" and a.size and isinstance(a.flat[0], (str, bytes)):
        raise ValueError(
            f"{name} holds text; labels are numbers here. `classes, codes = numpy.unique(labels, return_inverse=True)` gives "
            "codes (with batches: of the labels of all batches)"
        )
    if a.ndim == 2 and a.shape[1] == 1:
        a = a[:, 0]
    if a.dtype.kind in "iu" and a.size and (a.max() > _MAX_EXACT or a.min() < -_MAX_EXACT):
        raise ValueError(f"{name} has labels beyond 2**53, which float64 cannot hold exactly")
    return as_vector(name, a, n)


def as_targets(name: str, y: object, n: int) -> FloatArray:
    """Targets of a regression as float64. Their values are checked by the core, which names the row."""
    a = as_array(name, y)
    refuse_text_targets(name, a)
    return as_vector(name, a[:, 0] if a.ndim == 2 and a.shape[1] == 1 else a, n)


def refuse_text_targets(name: str, a: npt.NDArray[Any]) -> None:
    """ValueError for targets of a regression that hold text."""
    if a.dtype.kind not in "USO":
        return
    for row, value in enumerate(a.flat):
        if isinstance(value, (str, bytes)):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"{name} holds text ({str(value)!r} at row {row}), but a regression predicts numbers. Convert "
                    f"{name} to numbers; if it holds labels of classes, use a classifier"
                ) from None


def training_rows(
    X: Any, y: Any, sample_weight: Any, as_y: Callable[[str, Any, int], FloatArray] = as_labels
) -> tuple[Any, FloatArray, FloatArray | None]:
    """X, y and weights as the core takes them. as_y: as_labels or as_targets."""
    data = as_data("X", X)
    n = data.shape[0]
    return data, as_y("y", y, n), None if sample_weight is None else as_vector("sample_weight", sample_weight, n)


def count_pairs(labels: FloatArray) -> int:
    """Binary problems of one-vs-one."""
    k = len(distinct(labels))
    return k * (k - 1) // 2


def coded(y: Any, class_weight: Any) -> tuple[Any, Any, npt.NDArray[Any] | None]:
    """Text labels as numbers: y and class_weight with 0, 1, ... in the place of the classes, and the classes, ascending. Other
    labels as they are, and None."""
    a = np.asarray(y)
    if a.dtype.kind == "O" and a.size and all(isinstance(label, str) for label in a.flat):
        a = a.astype(str)
    if a.dtype.kind != "U":
        return y, class_weight, None
    classes, codes = np.unique(a, return_inverse=True)
    if len(classes) == 1:
        raise ValueError(f"y has one class only ({str(classes[0])!r})")
    if isinstance(class_weight, Mapping):
        class_weight, unknown = coded_weights(class_weight, classes)
        if unknown:
            raise ValueError(unknown)
    return codes.reshape(a.shape), class_weight, classes


def coded_weights(class_weight: Mapping[Any, Any], classes: npt.NDArray[Any]) -> tuple[dict[int, float], str]:
    """Factors by the place of their class, and what is wrong with a label that no class has (empty: nothing). A whole number also
    names the class of its digits in text: scikit-learn takes 5 for "5". ValueError names the label of a bad factor."""
    places = {label: place for place, label in enumerate(classes.tolist())}
    if classes.dtype.kind in "UO":
        places = {int(label): place for label, place in places.items() if _is_digits(label)} | places
    found, unknown = {}, ""
    for label, factor in class_weight.items():
        value = real(f"class_weight[{shown(label)}]", factor, at_least=0)
        if label in places:
            found[places[label]] = value
        elif not unknown:
            known = ", ".join(map(shown, classes[:6].tolist())) + ", ..." * (len(classes) > 6)
            unknown = f"class_weight has the label {shown(label)}, which y does not have; it has {known}"
    return found, unknown


def _is_digits(label: Any) -> bool:
    return isinstance(label, str) and label.isdecimal() and str(int(label)) == label


def in_words(classes: npt.NDArray[Any] | None) -> contextlib.AbstractContextManager[None]:
    """The core's errors that name classes by their numbers name them by their text, where they have text."""
    return contextlib.nullcontext() if classes is None else _in_words(classes)


@contextlib.contextmanager
def _in_words(classes: npt.NDArray[Any]) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if not _CLASSES.search(str(error)):
            raise
        words = classes.tolist()
        text = _CLASSES.sub(lambda found: re.sub(r"\d+", lambda code: repr(words[int(code[0])]), found[0]), str(error))
        raise type(error)(text) from None


_CLASSES = re.compile(r"\bclass(?:es)? \d+(?: and \d+)?\b")
