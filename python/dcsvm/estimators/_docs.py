"""What the docstrings of the estimators and their methods say, where several say the same."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from .._input.validate import unknown_parameters
from .._shown.docstrings import Entry, described
from ._parameters import constraints

E = TypeVar("E")
F = TypeVar("F", bound=Callable[..., object])

OF_SVM = (
    *("coef_", "dual_coef_", "fit_status_", "intercept_", "n_iter_", "n_support_", "shape_fit_", "support_"),
    "support_vectors_",
)


def documented(*attributes: str, **other: str | tuple[str, str]) -> Callable[[type[E]], type[E]]:
    """Completes the dataclass of an estimator: what scikit-learn's validation accepts, and the error for other parameters. The
    arguments are for ``python -m generate``, which writes the sections Parameters and Attributes of the class's docstring.

    attributes : those that not every estimator has
    other : another text of a parameter; another type and text of an attribute
    """

    def complete(cls: type[E]) -> type[E]:
        kind: Any = cls
        parameters = [f for f in fields(kind) if f.init]
        kind._parameter_constraints = {f.name: constraints(f.metadata["accepted"]) for f in parameters}
        kind._documented = attributes, other
        return suggesting(cls)

    return complete


def suggesting(cls: type[E]) -> type[E]:
    """The class with the error for parameters that it does not have."""
    known = [*inspect.signature(cls).parameters]
    cls.__init__ = _suggesting(cls.__init__, cls.__name__, known)  # type: ignore[method-assign]
    return cls


def _suggesting(init: Callable[..., None], name: str, known: list[str]) -> Callable[..., None]:
    """The ``__init__`` with a suggestion in the error for a parameter that does not exist."""

    @functools.wraps(init)  # scikit-learn and help read the signature of what is wrapped
    def suggesting(self: object, *args: Any, **given: Any) -> None:
        if unknown := [parameter for parameter in given if parameter not in known]:
            raise unknown_parameters(name, unknown, known)
        init(self, *args, **given)

    return suggesting


def of_rows(name: str, kind: str, text: str, *, x: Entry | None = None) -> Callable[[F], F]:
    """Describes a fitted estimator's method of X by what it returns. x : of X itself, where it is special"""
    return described(x or X, returns=(name, kind, text), raises=_OF_ROWS)


def of_training(
    y_kind: str, y_text: str, weight_text: str, *, x: Entry | None = None, more: tuple[Entry, ...] = ()
) -> Callable[[F], F]:
    """Describes a fit. weight_text : of sample_weight; "" where there is none. more : other parameters"""
    weight = [("sample_weight", "array-like of shape (n_samples,), default=None", weight_text)] * bool(weight_text)
    return described(x or TRAINING_X, ("y", y_kind, y_text), *weight, *more, returns=FITTED, raises=_OF_FIT)


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
_LABELS = (
    "array-like of shape (n_samples,)",
    "Class labels, numbers or text.",
    "Factors of each row's C, >= 0. Rows of weight 0 take no part.",
)
LABELLED = of_training(*_LABELS)
_ROUTED = ("**params", "object", "For the splitter and the scorer, with scikit-learn's metadata routing.")
LABELLED_AND_ROUTED = of_training(*_LABELS, more=(_ROUTED,))
