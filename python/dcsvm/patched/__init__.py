"""scikit-learn's estimators with dcsvm inside: what stands in the place of scikit-learn's classes after
:func:`dcsvm.patch_sklearn`, and what pickles of such estimators name.

Each is a subclass of scikit-learn's own class. Parameters, their checks, attributes, tags and messages are scikit-learn's; the
problem is solved by dcsvm. What dcsvm does not do is done by scikit-learn's own code, with a line in the log ``dcsvm.patched``.
"""

from __future__ import annotations

from typing import Any

from sklearn import kernel_ridge, linear_model, svm

from ._class import replacement
from ._libsvm import LibsvmSolver
from ._linear import LinearSolver, LogisticSolver
from ._ridge import RidgeSolver

__all__ = [
    *("SVC", "SVR", "KernelRidge", "LinearSVC", "LinearSVR", "LogisticRegression", "LogisticRegressionCV", "NuSVC", "NuSVR"),
    "OneClassSVM",
]

SVC: Any = replacement(LibsvmSolver, svm.SVC)
NuSVC: Any = replacement(LibsvmSolver, svm.NuSVC)
SVR: Any = replacement(LibsvmSolver, svm.SVR)
NuSVR: Any = replacement(LibsvmSolver, svm.NuSVR)
OneClassSVM: Any = replacement(LibsvmSolver, svm.OneClassSVM)
LinearSVC: Any = replacement(LinearSolver, svm.LinearSVC)
LinearSVR: Any = replacement(LinearSolver, svm.LinearSVR)
LogisticRegression: Any = replacement(LogisticSolver, linear_model.LogisticRegression)
LogisticRegressionCV: Any = replacement(LogisticSolver, linear_model.LogisticRegressionCV)
KernelRidge: Any = replacement(RidgeSolver, kernel_ridge.KernelRidge)
