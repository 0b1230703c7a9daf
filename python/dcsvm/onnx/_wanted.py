"""How an estimator answers, where that differs from its native model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base.native import NativeModel
from .._svm.model import Model
from ._answers import Chance, calibrated, coupled


class Wanted(NamedTuple):
    """decision: "native" | "of_classes": a column for each class from the votes of pairs | "difference" of two columns.
    label_by: "votes", as the native model | "decision" | "probabilities". probabilities: None where the native model has them.
    sigmoids: those of an estimator, of the values of its decision_function. zero_inside: of one-class models."""

    decision: str = "native"
    label_by: str = "votes"
    probabilities: bool | None = None
    sigmoids: Chance | None = None
    zero_inside: bool = False
    two_dimensional: bool = False  # of a regression of one target


def native(model: Any) -> tuple[NativeModel[Any], Wanted]:
    """The native model of a model or fitted estimator, and what is wanted of it. TypeError for others."""
    if isinstance(model, NativeModel):
        return model, Wanted()
    if not any(c.__module__ == "dcsvm" for c in type(model).__mro__) or not hasattr(model, "to_onnx"):
        raise TypeError(f"to_onnx: a dcsvm model or fitted estimator was expected, got a {type(model).__name__}")
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if callable(getattr(model, "kernel", None)):
        raise ValueError(
            "to_onnx: a callable kernel has no form in ONNX: its values come from outside. Train with kernel 'linear', "
            "'poly', 'rbf' or 'sigmoid'"
        )
    return _trained(model), _wanted(model)


def _trained(model: Any) -> NativeModel[Any]:
    found: NativeModel[Any] = model.model_
    if isinstance(found, Model) and hasattr(model, "_current_core"):  # users may have changed coefficients
        return Model(model._current_core())._named(found._names)
    return found


def _wanted(model: Any) -> Wanted:
    from ..estimators import LSSVC, LSSVR, LinearOneClassSVM, LinearSVC
    from ..estimators._calibrated import CalibratedClassifier
    from ..estimators._classifier import BaseSVC

    probabilities = hasattr(model, "predict_proba")
    if isinstance(model, BaseSVC):
        by_class = model.decision_function_shape == "ovr"
        by = "probabilities" if model.probability == "platt" else "decision" if model.break_ties else "votes"
        return Wanted("of_classes" if by_class else "native", by, probabilities)
    return Wanted(
        "difference" if isinstance(model, (LSSVC, LinearSVC)) else "native",
        probabilities=probabilities,
        sigmoids=_sigmoids(model) if probabilities and isinstance(model, CalibratedClassifier) else None,
        zero_inside=isinstance(model, LinearOneClassSVM),
        two_dimensional=isinstance(model, LSSVR) and len(model._shape) == 1,
    )


def _sigmoids(model: Any) -> Chance | None:
    """What ``predict_proba`` makes of decision values; None where ``fit`` was not asked for it."""
    if not model._calibration:
        return None
    a, b = (np.array(model._calibration[name]) for name in ("a", "b"))
    return coupled(a, b, len(model.classes_)) if model._pairs() else calibrated(a, b)
