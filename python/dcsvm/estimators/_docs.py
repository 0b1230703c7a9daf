"""Docstrings: what an attribute is, said once; each class lists the parameters and attributes that it has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from .._input.validate import unknown_parameters
from .._shown.docstrings import Entry, completed, entry, section
from ._parameters import constraints

E = TypeVar("E")
F = TypeVar("F", bound=Callable[..., object])

_ATTRIBUTES = {
    "C_": ("float", "The C of the model."),
    "class_weight_": ("ndarray of shape (n_classes,)", "Factors of C, as used."),
    "classes_": ("ndarray of shape (n_classes,)", "Labels, ascending."),
    "coef_": (
        "ndarray or sparse matrix of shape (n_problems, n_features)",
        "Weights of the features, for ``kernel='linear'``; read-only.",
    ),
    "cost_": ("float", "Inner products of n_features that a row costs on average; a linear model's is 1."),
    "cv_scores_": ("ndarray of shape (n_C, n_folds)", "Accuracies, when C is a sequence."),
    "dual_coef_": (
        "ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)",
        "Coefficients of the support vectors, signs included. Class i against j: row j - 1 when j > i, else row j.",
    ),
    "fit_status_": ("int", "0, or 1 when the solver did not converge."),
    "intercept_": ("ndarray of shape (n_problems,)", "Constants of the decision functions."),
    "n_features_in_": ("int", "Columns of X."),
    "feature_names_in_": ("ndarray of shape (`n_features_in_`,)", "Their names, when X was a data frame."),
    "n_iter_": ("ndarray of shape (n_problems,) or int", "Steps in each binary problem."),
    "n_support_": ("ndarray of shape (n_classes,) or (1,)", "Support vectors of each class."),
    "offset_": ("ndarray of shape (1,)", "``decision_function = score_samples - offset_``."),
    "shape_fit_": ("tuple of int", "Shape of X."),
    "support_": ("ndarray of shape (n_SV,)", "Rows of X that are support vectors."),
    "support_vectors_": ("ndarray or sparse matrix of shape (n_SV, n_features)", "Those rows, in X's precision; read-only."),
    "model_": ("dcsvm.Model", "The native model."),
    "report_": ("dcsvm.Report", "What the training did: objective, violation, steps, seconds, memory, levels."),
}


_OF_ALL = ("n_features_in_", "feature_names_in_", "model_", "report_")
OF_SVM = (
    *("coef_", "dual_coef_", "fit_status_", "intercept_", "n_iter_", "n_support_", "shape_fit_", "support_"),
    "support_vectors_",
)


#: stands in the docstrings of the sources, where editors that run no code show it
_SEE_HELP = "Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them."


def documented(*attributes: str, **other: str | tuple[str, str]) -> Callable[[type[E]], type[E]]:
    """Completes the dataclass of an estimator: the sections of its docstring, and what scikit-learn's validation accepts.

    attributes : those that not every estimator has
    other : another text of a parameter; another type and text of an attribute
    """

    def complete(cls: type[E]) -> type[E]:
        kind: Any = cls
        parameters = [f for f in fields(kind) if f.init]
        kind._parameter_constraints = {f.name: constraints(f.metadata["accepted"]) for f in parameters}
        cls.__init__ = _suggesting(cls.__init__, cls.__name__, [f.name for f in parameters])  # type: ignore[method-assign]
        if cls.__doc__ is None:  # python -OO
            return cls
        entries = [
            entry(f.name, f"{f.metadata['kind']}, default={f.default!r}", other.get(f.name, f.metadata["text"]))
            for f in parameters
        ]
        shown = {name: value for name, value in other.items() if isinstance(value, tuple)}
        listed = [
            entry(name, *shown.get(name, _ATTRIBUTES[name])) for name in _ATTRIBUTES if name in {*_OF_ALL, *attributes, *shown}
        ]
        sections = f"{section('Parameters', entries)}\n\n{section('Attributes', listed)}"
        own = inspect.cleandoc(cls.__doc__)  # from Python 3.13 on it has no indentation
        if _SEE_HELP not in own:
            raise ValueError(f"{cls.__name__}: its docstring lacks the sentence that the sections replace: {_SEE_HELP!r}")
        cls.__doc__ = own.replace(_SEE_HELP, sections)
        return cls

    return complete


def _suggesting(init: Callable[..., None], name: str, known: list[str]) -> Callable[..., None]:
    """The ``__init__`` with a suggestion in the error for a parameter that does not exist."""

    @functools.wraps(init)  # scikit-learn and help read the signature of what is wrapped
    def suggesting(self: object, *args: Any, **given: Any) -> None:
        if unknown := [parameter for parameter in given if parameter not in known]:
            raise unknown_parameters(name, unknown, known)
        init(self, *args, **given)

    return suggesting


def of_rows(name: str, kind: str, text: str, *, x: Entry | None = None) -> Callable[[F], F]:
    """Completes the docstring of a fitted estimator's method of X with what it returns. x : of X itself, where it is special"""
    return completed(x or X, returns=(name, kind, text), raises=_OF_ROWS)


def of_training(y_kind: str, y_text: str, weight_text: str, *, x: Entry | None = None) -> Callable[[F], F]:
    """Completes the docstring of a fit. weight_text : of sample_weight; "" where there is none"""
    weight = [("sample_weight", "array-like of shape (n_samples,), default=None", weight_text)] * bool(weight_text)
    return completed(x or TRAINING_X, ("y", y_kind, y_text), *weight, returns=FITTED, raises=_OF_FIT)


FITTED = ("self", "object", "Fitted estimator.")
X = ("X", "{array-like, sparse matrix} of shape (n_samples, n_features)", "The rows.")
KERNEL_X = (*X[:2], 'The rows; K(X, training rows) for ``kernel="precomputed"``.')
TRAINING_X = (
    *X[:2],
    "Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a copy.",
)
TRAINING_KERNEL_X = (
    "X",
    "{array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)",
    f'{TRAINING_X[2]} For ``kernel="precomputed"`` the kernel values of all pairs.',
)
REGRESSED = "Targets: finite numbers."
RIDGE_WEIGHT = "Weights w of the rows, >= 0: the regularisation of a row is alpha / w. Rows of weight 0 take no part."
_OF_ROWS = (
    ("NotFittedError", "Before ``fit``."),
    ("ValueError", "For another number of features, NaN or infinity."),
)
_OF_FIT = [
    ("ValueError", "For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes."),
]
#: the fit of classifiers in which weights of classes and rows multiply
LABELLED = of_training(
    "array-like of shape (n_samples,)",
    "Class labels, numbers or text.",
    "Factors of each row's C, >= 0. Rows of weight 0 take no part.",
)
