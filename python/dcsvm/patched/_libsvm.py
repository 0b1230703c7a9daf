"""LIBSVM's problems: scikit-learn prepares and checks them, dcsvm solves them and computes the predictions.

scikit-learn's ``BaseLibSVM`` gives each problem to a method of its own (``_dense_fit``, ``_sparse_fit``), and each prediction
likewise. These methods are overridden here. Should a later scikit-learn call others, its own code is used: the answers stay
right, and a test finds it.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.utils.validation import _check_feature_names

from .. import _core
from .._input.validate import as_data, threads
from ._class import class_without_weight, solved_by_dcsvm

_SHARED = (
    *("C", "nu", "epsilon", "kernel", "degree", "coef0", "tol"),
    *("shrinking", "cache_size", "max_iter", "verbose"),
)
_FITTED = ("support_", "fit_status_", "_num_iter")
_CALLABLES_ROWS = "_BaseLibSVM__Xfit"  # where scikit-learn keeps the rows that a callable kernel is called with


class LibsvmSolver:
    """Before SVC, NuSVC, SVR, NuSVR or OneClassSVM of scikit-learn."""

    _ours: Any

    # Training

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """As scikit-learn's, solved by dcsvm."""
        own, parent, given = cast(Any, self), cast(Any, super()), X
        # Of a data frame of sparse columns, which scikit-learn takes for dense and refuses; a callable kernel has X as it is.
        if getattr(X, "ndim", 0) == 2 and hasattr(X, "sparse") and not callable(own.kernel):
            X = X.sparse.to_coo().tocsr()
        parent.fit(X, y, sample_weight)
        if X is not given:
            _check_feature_names(self, given, reset=True)
        return self

    def _dense_fit(self, X: Any, y: Any, sample_weight: Any, *rest: Any, **more: Any) -> None:
        parent: Any = super()
        self._fit_with(parent._dense_fit, X, y, sample_weight, *rest, **more)

    def _sparse_fit(self, X: Any, y: Any, sample_weight: Any, *rest: Any, **more: Any) -> None:
        parent: Any = super()
        self._fit_with(parent._sparse_fit, X, y, sample_weight, *rest, **more)

    def _fit_with(self, theirs: Any, X: Any, y: Any, sample_weight: Any, *rest: Any, random_seed: int) -> None:
        own: Any = self
        for name in ("_dcsvm", "support_vectors_"):
            vars(self).pop(name, None)

        def why_not() -> str:
            return self._why_not(y, sample_weight)

        def solve() -> None:
            self._solve(X, y, sample_weight, random_seed)

        if solved_by_dcsvm(self, why_not, solve):
            own._warn_from_fit_status()
        else:
            theirs(X, y, sample_weight, *rest, random_seed=random_seed)

    def _why_not(self, y: Any, sample_weight: Any) -> str:
        own: Any = self
        if own._impl == "nu_svc" and own.class_weight is not None:
            return "scikit-learn's NuSVC ignores class_weight, and dcsvm's does not"
        if own._impl in ("c_svc", "nu_svc"):
            if not (own.class_weight_ > 0).all():
                return "a class weight is not above 0"
            if class_without_weight(y, sample_weight):
                return "a class has no row of weight above 0"
        return ""

    def _solve(self, X: Any, y: Any, sample_weight: Any, random_seed: int) -> None:
        own: Any = self
        known = set(self._ours._get_param_names())
        given = {name: getattr(own, name) for name in _SHARED if name in known}
        rows = X
        if callable(own.kernel):
            setattr(self, _CALLABLES_ROWS, X)
            rows = own._compute_kernel(X)
            if rows.shape[0] != rows.shape[1]:
                raise ValueError("X.shape[0] should be equal to X.shape[1]")
            given["kernel"] = "precomputed"
        if own._impl in ("c_svc", "nu_svc"):
            given["probability"] = bool(getattr(own, "_effective_probability", own.probability))
            given["class_weight"] = dict(enumerate(own.class_weight_.tolist())) if own.class_weight is not None else None
        if "random_state" in known:
            given["random_state"] = random_seed if given.get("probability") else 0  # of folds alone, as scikit-learn's
        inner = self._ours(**given, gamma=own._gamma)
        inner._fit_quietly(rows, None if own._impl == "one_class" else y, sample_weight if len(sample_weight) else None)
        if found := [w["text"] for w in inner.report_.warnings if "infeasible" in w["text"]]:
            raise ValueError(found[0])
        for name in _FITTED:
            setattr(self, name, getattr(inner, name))
        of_classes = own._impl in ("c_svc", "nu_svc")
        own._n_support = inner._n_support if of_classes else np.array([len(inner.support_), 0], dtype=np.int32)
        own._probA, own._probB = (getattr(inner, name, np.empty(0)) for name in ("_probA", "_probB"))
        own.dual_coef_, own.intercept_ = inner._dual_coef_, inner._intercept_.copy()
        own._dcsvm = inner

    def __getattr__(self, name: str) -> Any:
        if name == "support_vectors_" and "_dcsvm" in vars(self):  # not twice in memory and in pickles
            return self._dcsvm.support_vectors_
        return object.__getattribute__(self, name)  # raises the error of a property, or Python's

    # Predicting

    def _current_core(self) -> Any:
        """The core's model with the coefficients as they are now; None where scikit-learn trained, or somebody changed more."""
        own: Any = self
        if "_dcsvm" not in vars(self) or "support_vectors_" in vars(self):
            return None
        return own._dcsvm._core_with(own._dual_coef_, own._intercept_)

    def _answer(self, compute: Any, theirs: Any, X: Any, *, kernel: bool = False) -> Any:
        own: Any = self
        core = self._current_core()
        if core is None:
            return theirs(X)
        rows = own._compute_kernel(X) if kernel else X
        if callable(own.kernel) and (rows.ndim != 2 or rows.shape[1] != own.shape_fit_[0]):
            return theirs(X)
        return compute(core, as_data("X", rows), threads(None))

    def _dense_predict(self, X: Any) -> Any:
        parent: Any = super()
        return self._answer(_core.predict, parent._dense_predict, X, kernel=True)

    def _sparse_predict(self, X: Any) -> Any:
        parent: Any = super()
        return self._answer(_core.predict, parent._sparse_predict, X)

    def _dense_decision_function(self, X: Any) -> Any:
        parent: Any = super()
        return self._answer(_core.decision_function, parent._dense_decision_function, X)

    def _sparse_decision_function(self, X: Any) -> Any:
        parent: Any = super()
        return self._answer(_core.decision_function, parent._sparse_decision_function, X)

    def _dense_predict_proba(self, X: Any) -> Any:
        parent: Any = super()
        return self._answer(_core.predict_proba, parent._dense_predict_proba, X, kernel=True)

    def _sparse_predict_proba(self, X: Any) -> Any:
        parent: Any = super()
        return self._answer(_core.predict_proba, parent._sparse_predict_proba, X)
