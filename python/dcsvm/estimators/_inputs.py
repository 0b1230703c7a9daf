"""What users pass to fit and predict, in the form that the core takes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import check_array, validate_data

from .._input.columns import text_columns
from .._input.labels import coded_weights, refuse_missing, refuse_text_targets
from .._input.rows import variance_of
from .._input.validate import FloatArray, canonical, shown
from ._callbacks import with_callbacks

F = TypeVar("F", bound=Callable[..., Any])

_DASK_STUB = Path(__file__).parents[1] / "dask" / "__init__.pyi"  # the public names there, read without Dask
_MOST_GATHERED = 1e9  # bytes of a Dask collection that fit copies
_FEW_VALUES = 10_000  # scikit-learn's checks take longer than looking at so many values
_OF_TEXT = ("could not convert string", "Cannot cast str")  # in errors of numpy; of pandas, for categories
FLOATS = (np.float64, np.float32)  # kept as they are; other numbers become float64


def parameters_checked(fit: F) -> F:
    """A ``fit`` whose estimator's parameters scikit-learn checks first, and which calls scikit-learn's callbacks; the type of the
    method stays known."""
    return parameters_checked_alone(with_callbacks(fit))


def parameters_checked_alone(fit: F) -> F:
    """The same for a ``fit`` that calls the callbacks itself."""
    checking: F = _fit_context(prefer_skip_nested_validation=True)(fit)
    return checking


def note_gathering(estimator: Any, X: Any) -> None:
    """Warns when X is a Dask collection, which fit would copy into this process; ValueError for one too large for that."""
    if type(X).__module__.split(".")[0] not in ("dask", "dask_expr"):
        return
    name, there = type(estimator).__name__, _DASK_STUB.read_text()
    twins = [f"Dask{kind.__name__}" for kind in type(estimator).__mro__]
    twin = next((f"dcsvm.dask.{twin}" for twin in twins if f" as {twin}\n" in there), None)
    other = twin or "an estimator of dcsvm.dask"
    size = float(getattr(X, "nbytes", math.nan))
    if size > _MOST_GATHERED:
        raise ValueError(
            f"X is a Dask collection of {size / 1e9:.1f} GB, which {name} would copy into the memory of this process: use {other}"
        )
    warnings.warn(
        f"X is a Dask collection, which {name} copies into the memory of this process: {other} trains where the data is",
        UserWarning,
        stacklevel=2,
    )


def checked(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, **how: Any) -> tuple[Any, Any]:
    """X as a finite array or canonical CSR matrix, and y; sets or compares the number and the names of features.

    how: more arguments of scikit-learn's validate_data.
    """
    if reset:
        if not how and _plain_training(X, y):
            estimator.n_features_in_ = X.shape[1]
            if hasattr(estimator, "feature_names_in_"):
                del estimator.feature_names_in_
            return X, y
        note_gathering(estimator, X)
    elif isinstance(y, str) and not how and _plain_rows(estimator, X):
        return X, y
    options = {"dtype": FLOATS, "accept_sparse": "csr", "accept_large_sparse": True, "reset": reset, **how}
    try:
        if y is not None and not isinstance(y, str):
            refuse_missing("y", np.asarray(y))
            if how.get("y_numeric"):
                refuse_text_targets("y", np.asarray(y))
        if isinstance(y, str):
            X = validate_data(estimator, X, **options)
        else:
            X, y = validate_data(estimator, X, y, **options)
    except ValueError as error:
        if not any(text in str(error) for text in _OF_TEXT):
            raise
        raise ValueError(f"{error}{text_columns(X)}") from error
    return canonical(X) if sp.issparse(X) else X, y


def _plain_rows(estimator: Any, X: Any) -> bool:
    """Whether X is certainly what scikit-learn's checks, which take longer than a prediction of a few rows, would return as it
    is. They see all other rows, and give their messages."""
    return (
        _plain_matrix(X)
        and X.shape[1] == getattr(estimator, "n_features_in_", -1)
        and not hasattr(estimator, "feature_names_in_")
    )


def _plain_matrix(X: Any) -> bool:
    return (
        type(X) is np.ndarray and X.dtype in FLOATS and 0 < X.size <= _FEW_VALUES and X.ndim == 2 and bool(np.isfinite(X).all())
    )


def _plain_training(X: Any, y: Any) -> bool:
    """The same for a training, whose checks take longer than solving a hundred rows."""
    return _plain_matrix(X) and type(y) is np.ndarray and y.shape == X.shape[:1] and _plain_numbers(y)


def _plain_numbers(y: npt.NDArray[Any]) -> bool:
    return y.dtype.kind in "iu" or (y.dtype in FLOATS and bool(np.isfinite(y).all()))


def kernel_matrix(kernel: Callable[[Any, Any], Any], A: Any, B: Any) -> FloatArray:
    """K(A, B) of a callable kernel, dense."""
    K = kernel(A, B)
    K = K.toarray() if sp.issparse(K) else K
    return np.asarray(check_array(np.asarray(K, dtype=np.float64)))


def labels_of(y: Any) -> npt.NDArray[Any]:
    """Class labels of any kind, (n,)."""
    if _plain_labels(y):
        return np.asarray(y)
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    return np.asarray(labels)


def _plain_labels(y: Any) -> bool:
    """Whether y is few whole numbers that repeat: labels of which scikit-learn's checks have nothing to say."""
    return (
        type(y) is np.ndarray
        and y.ndim == 1
        and 0 < y.size <= _FEW_VALUES
        and _plain_numbers(y)
        and (y.dtype.kind != "f" or bool((y == np.floor(y)).all()))
        and 2 * len(np.unique(y)) < y.size
    )


def targets_of(y: Any) -> FloatArray:
    """Targets of a regression, (n,)."""
    targets = column_or_1d(y, warn=True)
    refuse_text_targets("y", targets)
    return np.asarray(targets, dtype=np.float64)


def class_codes(labels: npt.NDArray[Any], *, some: bool = False) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """The classes, ascending, and each label's place among them. ValueError for a single class. some: of rows with weight."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        of = " whose class_weight and sample_weight are above 0" * some
        raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class{of}")
    return classes, codes


def codes_of_batch(estimator: Any, labels: npt.NDArray[Any], classes: Any) -> npt.NDArray[np.intp]:
    """Of rows for partial_fit: each label's place among ``classes_``, which the first call sets. ValueError for a first call
    without classes, other labels, and class weights that partial_fit cannot have."""
    if estimator.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' is for fit: partial_fit does not know how many rows of each class will come. Give the "
            "factors as a dict, for example of compute_class_weight('balanced', classes=classes, y=y)"
        )
    first = _check_partial_fit_first_call(estimator, classes)
    try:
        _check_classes_of_batches(estimator)
    except ValueError:
        if first:
            del estimator.classes_  # the next call is the first again
        raise
    known = np.isin(labels, estimator.classes_)
    if not known.all():
        row = int(np.argmin(known))
        raise ValueError(
            f"y has the label {shown(labels[row])} at row {row}, which is not in classes={estimator.classes_.tolist()}"
        )
    return np.searchsorted(estimator.classes_, labels)


def _check_classes_of_batches(estimator: Any) -> None:
    if len(estimator.classes_) < 2:
        raise ValueError(f"classes must name at least two labels, got {len(estimator.classes_)} class")
    factors = class_factors(estimator.class_weight, estimator.classes_, estimator.classes_)
    if not factors.all():
        label = shown(estimator.classes_[int(np.argmin(factors))])
        raise ValueError(
            f"class_weight[{label}] is 0, which only fit leaves out by itself: leave the label out of classes, and its rows out "
            "of the batches"
        )


def taking_part(class_weight: Any, labels: npt.NDArray[Any], weights: FloatArray | None) -> npt.NDArray[np.bool_] | None:
    """The rows whose weight and whose class's factor are above 0, None: all. A class without such rows is left out of a training.
    ValueError names the label of a bad factor, and labels that are missing."""
    part = None if weights is None or (weights > 0).all() else weights > 0
    if not isinstance(class_weight, Mapping):
        return part
    classes, codes = np.unique(labels, return_inverse=True)
    factors = class_factors(class_weight, classes, labels)
    if factors.all():
        return part
    alive = factors[codes] > 0
    return alive if part is None else alive & part


def above_zero(class_weight: Any) -> Any:
    """class_weight without the labels that it leaves out."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    return {label: factor for label, factor in class_weight.items() if not (isinstance(factor, Real) and factor == 0)}


def class_factors(
    class_weight: Any, classes: npt.NDArray[Any], y: npt.NDArray[Any], weights: FloatArray | None = None
) -> FloatArray:
    """The factor of C of each class. "balanced" counts rows by `weights`. ValueError names the label of a bad one."""
    if class_weight == "balanced" and weights is not None:
        of_class = np.bincount(np.searchsorted(classes, y), weights=weights, minlength=len(classes))
        return np.asarray(of_class.sum() / (len(classes) * of_class))
    if not isinstance(class_weight, Mapping):
        return np.asarray(compute_class_weight(class_weight, classes=classes, y=y))
    found, unknown = coded_weights(class_weight, classes)
    if unknown and len(found) < len(classes):  # else a fold may lack the class
        without = [label for place, label in enumerate(classes.tolist()) if place not in found]
        raise ValueError(f"The classes, {without}, are not in class_weight: {unknown}")
    return np.array([found.get(place, 1.0) for place in range(len(classes))])


def sample_weights(sample_weight: Any, X: Any, n: int) -> FloatArray | None:
    """n weights >= 0 (negative ones count as 0, as in scikit-learn), not all 0."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight and X have incompatible shapes: {weights.shape!r} vs {getattr(X, 'shape', (n,))!r}")
    if not np.isfinite(weights).all():
        raise ValueError(
            f"sample_weight has {shown(weights[~np.isfinite(weights)][0])} at row {int(np.argmin(np.isfinite(weights)))}"
        )
    weights = np.maximum(weights, 0.0)
    if not weights.any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return weights


def scale_of_repeated(X: Any, weights: FloatArray | None) -> float | None:
    """gamma="scale" where weights are whole numbers, thus repetitions of rows: 1 / (n_features * variance of the repeated rows).

    None where X's own variance holds: no weights, equal ones, or other numbers (scikit-learn's gamma does not look at weights).
    """
    if weights is None or not np.ptp(weights) or (weights != np.floor(weights)).any():
        return None
    variance = variance_of(X, weights)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0
