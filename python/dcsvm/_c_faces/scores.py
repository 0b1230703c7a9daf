"""What the Python modules of LIBSVM and LIBLINEAR print about predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..commonutil import evaluations


def print_cross_validation(y: Any, target: Any, regression: bool) -> float:
    """Prints the scores of a cross-validation; returns the accuracy in %, or the mean squared error."""
    ACC, MSE, SCC = evaluations(y, target)
    if regression:
        print(f"Cross Validation Mean squared error = {MSE:g}")
        print(f"Cross Validation Squared correlation coefficient = {SCC:g}")
        return MSE
    print(f"Cross Validation Accuracy = {ACC:g}%")
    return ACC


def report_predictions(y: Any, labels: Any, regression: bool, info: Callable[[str], None]) -> tuple[float, float, float]:
    """Gives info the scores as text. y: the targets; [] when unknown. Accuracy in %, mean squared error, squared correlation."""
    n = len(labels)
    ACC, MSE, SCC = evaluations(np.zeros(n) if len(y) == 0 else y, labels)
    if regression:
        info(f"Mean squared error = {MSE:g} (regression)")
        info(f"Squared correlation coefficient = {SCC:g} (regression)")
    else:
        info(f"Accuracy = {ACC:g}% ({round(n * ACC / 100)}/{n}) (classification)")
    return ACC, MSE, SCC
