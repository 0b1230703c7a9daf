"""Classification by one-vs-one: C-SVC and nu-SVC."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._input.validate import FloatArray
from .._svm.model import Model
from ._classifier import BaseSVC
from ._docs import OF_SVM, documented
from ._parameters import (
    ClassifierParameters,
    CostAndBiasParameters,
    KernelParameters,
    LevelParameters,
    NuParameter,
    SolverChoice,
    SolverParameters,
)
from ._warm import classifier_start


@dataclass(kw_only=True, repr=False, eq=False)
class SVCParameters(
    LevelParameters, SolverChoice, ClassifierParameters, SolverParameters, KernelParameters, CostAndBiasParameters
):
    """Of SVC, here and on a cluster."""


@documented(*OF_SVM, "class_weight_", "classes_")
@dataclass(kw_only=True, repr=False, eq=False)
class SVC(SVCParameters, BaseSVC):
    """C-support vector classification: scikit-learn's ``SVC``, solved on all cores.

    Reaches the optimum that LIBSVM and scikit-learn reach, to the same tolerance. Several classes: one against one.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    See Also
    --------
    DCSVC : Stops early by default, for many rows.
    NuSVC : nu instead of C.

    References
    ----------
    .. [1] Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML 2014.
    .. [2] Chang, Lin: LIBSVM: A Library for Support Vector Machines, ACM TIST 2, 2011.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from dcsvm import SVC
    >>> X, y = [[-1, -1], [-2, -1], [1, 1], [2, 1]], ["a", "a", "b", "b"]
    >>> make_pipeline(StandardScaler(), SVC(gamma="auto")).fit(X, y).predict([[-0.8, -1]]).tolist()
    ['a']
    """

    _formulation = "c_svc"


@documented(
    *OF_SVM,
    "class_weight_",
    "classes_",
    nu="In (0, 1]: an upper bound on the share of rows with errors and a lower bound on the share of support vectors. At most "
    "2 min(n_a, n_b) / (n_a + n_b) for each pair of classes. Larger values are an error for two classes, as in scikit-learn, and "
    "reduced to that with a warning for more.",
    class_weight="Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class). Where "
    "they differ, the C that belongs to nu (the mean over the pairs, geometric) is found first, and then an SVC with that C and "
    "these factors is trained. (scikit-learn's NuSVC ignores them.)",
)
@dataclass(kw_only=True, repr=False, eq=False)
class NuSVC(SolverChoice, BaseSVC, NuParameter):
    """Nu-support vector classification: scikit-learn's ``NuSVC``, solved on all cores.

    nu bounds the share of errors from above and that of support vectors from below. Several classes: one against one.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    See Also
    --------
    SVC : The same with the price C of errors.

    References
    ----------
    .. [1] Schölkopf, Smola, Williamson, Bartlett: New Support Vector Algorithms, Neural Computation 12, 2000.

    Examples
    --------
    >>> from dcsvm import NuSVC
    >>> NuSVC(gamma="auto").fit([[-1, -1], [-2, -1], [1, 1], [2, 1]], [1, 1, 2, 2]).predict([[-0.8, -1]]).tolist()
    [1]
    """

    _formulation = "nu_svc"

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        return classifier_start(self._model, targets, np.full(len(targets), np.inf), True)

    def _one_class_left(self) -> ValueError:
        return ValueError("specified nu is infeasible: all samples with positive weights belong to the same class")

    def _solved(self, data: Any, targets: Any, weights: FloatArray | None, options: dict[str, Any]) -> Model:
        of_class = np.sort(np.bincount(targets.astype(np.intp), weights=weights))
        largest = 2 * of_class[0] / (of_class[0] + of_class[-1])
        if self.nu > largest:
            text = f"specified nu is infeasible: nu={self.nu:g} is above {largest:.6g}, the largest that the classes' sizes allow"
            if len(of_class) == 2:
                raise ValueError(text)
            # One nu must suit pairs of all sizes. scikit-learn raises an error here, and excuses its own failing checks.
            warnings.warn(f"{text}: that is used instead", UserWarning, stacklevel=6)
            options["nu"] = largest * (1 - 1e-12)
        model = super()._solved(data, targets, weights, options)
        if not np.ptp(self.class_weight_):
            return model
        margins = np.maximum([p["r"] for p in model.report.problems], 1e-100)
        C = float(np.exp(-np.mean(np.log(margins))))
        factors = dict(enumerate(self.class_weight_.tolist()))
        weighted = {"formulation": "c_svc", "C": C, "class_weight": factors, "warm_start_alpha": None}
        return self._solved_well(data, targets, weights, {**options, **weighted})
