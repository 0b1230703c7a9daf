"""A fitted estimator as scikit-learn's own class, for programs that know only that."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._input.formulations import CLASSIFIERS

_CLASSES = {"c_svc": "SVC", "nu_svc": "NuSVC", "epsilon_svr": "SVR", "nu_svr": "NuSVR", "one_class": "OneClassSVM"}
_SAME = (  # attributes that mean the same there
    *("support_", "dual_coef_", "intercept_", "fit_status_", "shape_fit_", "n_features_in_", "n_iter_"),
    *("_n_support", "_dual_coef_", "_intercept_", "_probA", "_probB", "_num_iter", "_sparse"),
)
_SOMETIMES = ("classes_", "class_weight_", "offset_", "feature_names_in_")
_NO_PROBABILITIES = np.empty(0)


def to_sklearn(estimator: Any) -> Any:
    """An estimator of sklearn.svm with the parameters that it has, fitted to the same solution."""
    from sklearn import svm

    model = estimator.model_
    if model.clustered:
        raise ValueError(
            f"this {type(estimator).__name__} stopped early and predicts with a model for each cluster, which scikit-learn has "
            "not; fit with early_level=None"
        )
    twin = getattr(svm, _CLASSES[model.formulation])()
    given = estimator.get_params(deep=False)
    known = {name: given[name] for name in twin.get_params(deep=False) if name in given}
    probabilities = bool(len(getattr(estimator, "_probA", _NO_PROBABILITIES)))
    if "probability" in known:
        known["probability"] = True if probabilities else type(twin)().probability  # "platt" is not known there
    twin.set_params(**known)
    for name in _SAME:
        setattr(twin, name, getattr(estimator, name, _NO_PROBABILITIES))
    for name in _SOMETIMES:
        if hasattr(estimator, name):
            setattr(twin, name, getattr(estimator, name))
    twin._effective_probability = probabilities  # of scikit-learn 1.9
    twin._gamma = estimator._gamma
    vectors = estimator.support_vectors_
    twin.support_vectors_ = (
        sp.csr_matrix(vectors, dtype=np.float64) if sp.issparse(vectors) else np.array(vectors, dtype=np.float64, order="C")
    )
    if sp.issparse(vectors):  # scikit-learn's code takes 32-bit indices
        for name in ("indices", "indptr"):
            setattr(twin.support_vectors_, name, getattr(twin.support_vectors_, name).astype(np.int32))
    if model.formulation not in CLASSIFIERS:
        twin.class_weight_ = np.empty(0)
        twin._n_support = np.array([len(twin.support_), 0], dtype=np.int32)
    if callable(estimator.kernel):
        twin._BaseLibSVM__Xfit = estimator._X_fit  # predict gives the kernel new rows and these
    return twin
