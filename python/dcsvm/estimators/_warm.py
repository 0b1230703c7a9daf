"""A feasible start for the next training from the solution of the last one."""

from __future__ import annotations

import numpy as np

from .._input.labels import distinct
from .._input.validate import FloatArray
from .._svm.model import Model


def classifier_start(model: Model, codes: FloatArray, upper: FloatArray, fit_intercept: bool) -> FloatArray | None:
    """alpha of `model` scaled into the bounds [0, upper] of another training on as many rows, or on more: added rows begin at 0.

    Scaling keeps y'alpha = 0. None where there are fewer rows, or their labels changed so that alpha is no start: training then
    begins at zero.
    """
    k = len(model.classes_)
    alpha = np.atleast_2d(model.alpha)
    added = len(codes) - alpha.shape[1]
    if added < 0 or k != len(distinct(codes)):
        return None
    alpha = np.pad(alpha, ((0, 0), (0, added)))
    rows = iter(alpha)
    for a in range(k):
        for b in range(a + 1, k):
            row = next(rows)
            sign = np.where(codes == a, 1.0, np.where(codes == b, -1.0, 0.0))
            if row[sign == 0].any() or (fit_intercept and abs(sign @ row) > 1e-8 * max(1.0, np.abs(row).sum())):
                return None
            row *= _shrink(row, upper)
    return alpha[0] if k == 2 else alpha


def one_problem_start(model: Model, upper: FloatArray, total: float | None) -> FloatArray | None:
    """The same for one-class (`total`: what the alphas sum to) and for epsilon regression, whose alpha has either sign."""
    added = len(upper) - len(model.alpha)
    if added < 0:
        return None
    alpha = np.pad(model.alpha, (0, added))
    factor = _shrink(np.abs(alpha), upper)
    if total is None:
        return np.asarray(alpha * factor)
    return alpha if factor == 1.0 and np.isclose(alpha.sum(), total, rtol=1e-9) else None


def _shrink(alpha: FloatArray, upper: FloatArray) -> float:
    """The factor <= 1 that brings alpha below upper."""
    support = alpha > 0
    return float(np.min(upper[support] / alpha[support], initial=1.0))
