"""Linear models: dcsvm finds the weights. Predictions are a product with them, which is scikit-learn's own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from ._class import class_without_weight, solved_by_dcsvm, warn_as_sklearn


class LinearSolver:
    """Before LinearSVC or LinearSVR of scikit-learn."""

    _ours: Any
    _theirs: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """As scikit-learn's, solved by dcsvm."""

        def why_not() -> str:
            return self._why_not(y, sample_weight)

        def solve() -> None:
            self._solve(X, y, sample_weight)

        if not solved_by_dcsvm(self, why_not, solve):
            parent: Any = super()
            parent.fit(X, y, sample_weight)
        return self

    def _why_not(self, y: Any, sample_weight: Any) -> str:
        if get_config().get("array_api_dispatch"):
            return "array_api_dispatch is on"
        if sample_weight is not None and hasattr(self, "class_weight") and class_without_weight(np.asarray(y), sample_weight):
            return "a class has no row of weight above 0"
        return ""

    def _parameters(self) -> dict[str, Any]:
        """scikit-learn's, which a subclass of a user may not have in its ``__init__``."""
        return {name: getattr(self, name) for name in self._theirs._get_param_names()}

    def _solve(self, X: Any, y: Any, sample_weight: Any) -> None:
        own: Any = self
        own._validate_params()
        X, y = self._checked(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            inner = self._ours(**self._parameters()).fit(X, y, sample_weight)
        if hasattr(inner, "classes_"):
            own.classes_ = inner.classes_
        own.coef_ = np.array(inner.coef_)
        own.intercept_ = self._intercept(inner)
        own.n_iter_ = inner.n_iter_
        if inner.report_.stop_reason != "converged" or own.n_iter_ >= own.max_iter:  # scikit-learn counts steps alone
            warn_as_sklearn(self, self._unfinished(), ConvergenceWarning)

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """As scikit-learn checks them, with its messages."""
        checked: tuple[Any, Any] = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", accept_large_sparse=False
        )
        return checked

    def _unfinished(self) -> str:
        return "Liblinear failed to converge, increase the number of iterations."

    def _intercept(self, inner: Any) -> Any:
        own: Any = self
        return np.atleast_1d(np.array(inner.intercept_)) if own.fit_intercept else 0.0


class LogisticSolver(LinearSolver):
    """Before LogisticRegression or LogisticRegressionCV of scikit-learn."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Any:
        """As scikit-learn's, solved by dcsvm. params : of LogisticRegressionCV, for the splitter and the scorer"""
        own: Any = self

        def why_not() -> str:
            if getattr(own, "_skl_callbacks", None):
                return "it has callbacks"
            return self._why_not_classes(y) or self._why_not(y, None)  # a class without weight is one of dcsvm's too

        def solve() -> None:
            own._validate_params()
            inner = self._ours(**self._parameters())
            if getattr(own, "warm_start", False) and hasattr(own, "coef_"):
                inner.coef_, inner.intercept_ = own.coef_, own.intercept_
            inner.fit(X, y, sample_weight, **params)
            vars(own).pop("feature_names_in_", None)
            vars(own).update({name: value for name, value in vars(inner).items() if name.endswith("_")})

        if not solved_by_dcsvm(self, why_not, solve):
            parent: Any = super(LinearSolver, self)
            parent.fit(X, y, sample_weight, **params)
        return self

    def _why_not_classes(self, y: Any) -> str:
        """Until scikit-learn 1.7 "multinomial" penalises a vector of each of two classes: half as much as dcsvm's one vector."""
        if getattr(self, "multi_class", None) == "multinomial" and len(np.unique(np.asarray(y))) == 2:
            return "multi_class='multinomial' has a vector of weights for each of two classes"
        return ""
