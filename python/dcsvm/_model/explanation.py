"""What explains a decision: shares of the features, and of the support vectors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._input import validate
from .._input.validate import FloatArray, IndexArray


class Explanation(NamedTuple):
    """The result of ``explain``: ``values.sum(axis=1) + base_values`` are the decisions.

    Parameters
    ----------
    values : ndarray of shape (n, n_features) or (n, n_features, n_decisions)
        What each feature adds to the decision of each row; float64. The last axis is there where ``decision_function`` has
        several columns, and in their order.
    base_values : ndarray of shape () or (n_decisions,)
        The decision that all rows begin with, when no feature is known; float64.
    """

    values: FloatArray
    base_values: FloatArray


class NearestSupport(NamedTuple):
    """The result of ``nearest_support_vectors``, the largest contributions first. Several pairs of classes have a last axis.

    Parameters
    ----------
    indices : ndarray of shape (n, k) or (n, k, n_pairs)
        Rows of ``support_vectors_``, int64; -1 where a pair has fewer than k. ``support_[indices]`` are rows of the training
        data.
    contributions : ndarray of shape (n, k) or (n, k, n_pairs)
        What each adds to the decision: coefficient times kernel value, with the signs of the decision; float64.
    shares : ndarray of shape (n, k) or (n, k, n_pairs)
        Its absolute value over the sum of those of all support vectors, 0 to 1; float64.
    """

    indices: IndexArray
    contributions: FloatArray
    shares: FloatArray


for _kind in (Explanation, NearestSupport):
    _kind.__module__ = "dcsvm"  # what users import from, and what pickles name


def without_single(values: Any) -> Any:
    """(n, m, columns) as (n, m) where there is one column: without a copy."""
    return values[:, :, 0] if values.shape[2] == 1 else values


def signed(values: FloatArray, flipped: bool) -> FloatArray:
    """The core's values with scikit-learn's signs, in place."""
    if flipped:
        np.subtract(0.0, values, out=values)  # 0.0 for 0, not -0.0
    return values


def dense(X: Any) -> FloatArray:
    """The rows of X, which the core has checked, as a float64 array."""
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def explained_by_weights(coef: Any, intercept: Any, X: Any, background: Any) -> Explanation:
    """Of decisions X @ coef.T + intercept: feature j adds coef_j (x_j - background_j).

    coef : (n_decisions, n_features), or (n_features,)
    """
    coef = np.atleast_2d(dense(coef))
    rows, base = dense(X), np.array(np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(coef)))
    if background is not None:
        at = validate.as_vector("background", background, coef.shape[1], of="the columns of X")
        rows, base = rows - at, base + coef @ at
    values = without_single(rows[:, :, np.newaxis] * coef.T + 0.0)  # 0.0 for 0, not -0.0
    return Explanation(values, base[0] if len(base) == 1 else base)


def gradient_of_weights(coef: Any, n: int) -> FloatArray:
    """The gradients of n rows."""
    coef = np.atleast_2d(dense(coef))
    return np.array(without_single(np.broadcast_to(coef.T, (n, *coef.T.shape))))


def refuse_background(background: object, kernel: str) -> None:
    """ValueError for a background where the decision is not linear."""
    if background is not None:
        raise ValueError(
            f"background is for linear models and kernel='linear', got one with kernel={kernel!r}: its explanation begins "
            "where all factors of the kernel are 1. Leave background out"
        )


def as_shap_explanation(found: Explanation, X: Any, names: Any) -> Any:
    """As shap's class, which its plots take. names : of the features, or None"""
    try:
        import shap
    except ImportError as error:
        raise ImportError(
            "as_shap=True needs the package shap: pip install shap. Without it, explain(X) gives the same numbers as arrays"
        ) from error
    base = np.broadcast_to(found.base_values, (len(found.values), *np.shape(found.base_values)))
    return shap.Explanation(
        values=found.values,
        base_values=np.array(base),
        data=dense(X),
        feature_names=None if names is None else list(names),
    )
