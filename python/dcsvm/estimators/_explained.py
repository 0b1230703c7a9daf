"""Methods that explain the decisions of fitted estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._input import validate
from .._input.validate import FloatArray
from .._model.explanation import Explanation, NearestSupport, as_shap_explanation, explained_by_weights, gradient_of_weights
from .._shown.docstrings import AS_EXPLANATION, AS_NEAREST, AS_SHAP, BACKGROUND, GRADIENT_SHAPE, NEAREST, NO_SHAP, described
from ._docs import X as ROWS_OF_X
from ._docs import of_rows

if TYPE_CHECKING:
    from .._svm.model import Model

_NOT_FITTED = ("NotFittedError", "Before ``fit``.")
_BAD_ROWS = ("ValueError", "For another number of features, NaN or infinity.")
_GRADIENT = ("gradient", GRADIENT_SHAPE, "Float64.")


class ExplainedSVM:
    """Of an estimator with a kernel."""

    n_jobs: int | None

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> Any: ...
        def _exported_model(self) -> Model: ...

    @described(
        ROWS_OF_X,
        BACKGROUND,
        AS_SHAP,
        returns=AS_EXPLANATION,
        raises=[
            _NOT_FITTED,
            _BAD_ROWS,
            ("ValueError", "For a kernel that is neither linear nor a product over the features, and for early models."),
            NO_SHAP,
        ],
    )
    def explain(self, X: Any, *, background: Any = None, as_shap: bool = False) -> Any:
        """Exact Shapley values of the features: what each adds to the decision of each row.

        Several classes: of each pair of classes, as ``decision_function`` gives with ``decision_function_shape="ovo"``. What the
        values mean: :meth:`dcsvm.Model.explain`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        background : array-like of shape (n_features,) or None, default=None
            Of linear decisions: the row that features are compared with, as ``X.mean(axis=0)``; None: 0.
        as_shap : bool, default=False
            Return a ``shap.Explanation``, for the plots of the package shap, which must be installed.

        Returns
        -------
        Explanation or shap.Explanation
            ``values`` of shape (n, n_features), or (n, n_features, n_decisions) where ``decision_function`` has several
            columns; and ``base_values``. Both are float64 and add up to the decisions.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        ValueError
            For a kernel that is neither linear nor a product over the features, and for early models.
        ImportError
            With ``as_shap`` where shap is not installed.
        """
        rows = self._rows(X)
        return self._exported_model().explain(rows, background=background, as_shap=as_shap, n_jobs=self.n_jobs)

    @described(
        ROWS_OF_X,
        returns=_GRADIENT,
        raises=[_NOT_FITTED, _BAD_ROWS, ("ValueError", "For precomputed and callable kernels, and for early models.")],
    )
    def decision_gradient(self, X: Any) -> FloatArray:
        """Gradients of the decisions by the features, at the rows of X. Several classes: as for ``explain``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        gradient : ndarray of shape (n, n_features) or (n, n_features, n_decisions)
            Float64.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        ValueError
            For precomputed and callable kernels, and for early models.
        """
        rows = self._rows(X)
        return self._exported_model().decision_gradient(rows, n_jobs=self.n_jobs)

    @described(ROWS_OF_X, NEAREST, returns=AS_NEAREST, raises=[_NOT_FITTED, _BAD_ROWS, ("ValueError", "For early models.")])
    def nearest_support_vectors(self, X: Any, k: int = 5) -> NearestSupport:
        """The support vectors with the largest share of the decision of each row. Several classes: as for ``explain``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        k : int, default=5
            How many.

        Returns
        -------
        NearestSupport
            ``indices``, ``contributions`` and ``shares``, each of shape (n, k), or (n, k, n_pairs) for several pairs of
            classes.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        ValueError
            For early models.
        """
        rows = self._rows(X)
        return self._exported_model().nearest_support_vectors(rows, k, n_jobs=self.n_jobs)


class ExplainedWeights:
    """Of a linear estimator: all answers come from its ``coef_`` and ``intercept_``."""

    if TYPE_CHECKING:
        coef_: Any
        intercept_: Any

        def _rows(self, X: Any) -> Any: ...

    @described(ROWS_OF_X, BACKGROUND, AS_SHAP, returns=AS_EXPLANATION, raises=[_NOT_FITTED, _BAD_ROWS, NO_SHAP])
    def explain(self, X: Any, *, background: Any = None, as_shap: bool = False) -> Any:
        """Exact Shapley values of the features: weight times (feature - background).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        background : array-like of shape (n_features,) or None, default=None
            Of linear decisions: the row that features are compared with, as ``X.mean(axis=0)``; None: 0.
        as_shap : bool, default=False
            Return a ``shap.Explanation``, for the plots of the package shap, which must be installed.

        Returns
        -------
        Explanation or shap.Explanation
            ``values`` of shape (n, n_features), or (n, n_features, n_decisions) where ``decision_function`` has several
            columns; and ``base_values``. Both are float64 and add up to the decisions.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        ImportError
            With ``as_shap`` where shap is not installed.
        """
        rows = self._rows(X)
        found: Explanation = explained_by_weights(self.coef_, self.intercept_, rows, background)
        if validate.boolean("as_shap", as_shap):
            return as_shap_explanation(found, rows, getattr(self, "feature_names_in_", None))
        return found

    @of_rows(*_GRADIENT)
    def decision_gradient(self, X: Any) -> FloatArray:
        """Gradients of the decisions by the features: the weights, for each row of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        gradient : ndarray of shape (n, n_features) or (n, n_features, n_decisions)
            Float64.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        return gradient_of_weights(self.coef_, self._rows(X).shape[0])
