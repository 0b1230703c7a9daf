"""scikit-learn's base classes, which have no types, as type checkers shall see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

    class BaseEstimator:
        """See sklearn.base.BaseEstimator."""

        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters by name."""
            ...

        def set_params(self, **params: Any) -> Self:
            """Sets parameters by name."""
            ...

        def _validate_params(self) -> None: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> Any: ...
        def __setstate__(self, state: Any) -> None: ...

    class ClassifierMixin:
        """See sklearn.base.ClassifierMixin."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Accuracy on rows and labels."""
            ...

        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        """See sklearn.base.RegressorMixin."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """R^2 on rows and targets."""
            ...

        def __sklearn_tags__(self) -> Any: ...

    class OutlierMixin:
        """See sklearn.base.OutlierMixin."""

        def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Any:
            """Fits, and predicts for the same rows."""
            ...

        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        """See sklearn.base.TransformerMixin."""

        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
            """Fits, and transforms the same rows."""
            ...

        def set_output(self, *, transform: Any = None) -> Self:
            """Sets the container of what ``transform`` returns."""
            ...

        def __sklearn_tags__(self) -> Any: ...

    class OneToOneFeatureMixin:
        """See sklearn.base.OneToOneFeatureMixin."""

        def get_feature_names_out(self, input_features: Any = None) -> Any:
            """The names of the features that ``transform`` returns."""
            ...

    class LinearClassifierMixin(ClassifierMixin):
        """See sklearn.linear_model._base.LinearClassifierMixin."""

        def predict(self, X: Any) -> Any:
            """The labels of the rows of X."""
            ...

        def _predict_proba_lr(self, X: Any) -> Any: ...

    class SparseCoefMixin:
        """See sklearn.linear_model._base.SparseCoefMixin."""

        def densify(self) -> Self:
            """Makes ``coef_`` an array."""
            ...

        def sparsify(self) -> Self:
            """Makes ``coef_`` a CSR matrix."""
            ...

    class CallbackSupportMixin:
        """See sklearn.callback.CallbackSupportMixin, of scikit-learn 1.9."""

        def set_callbacks(self, *callbacks: Any) -> Self:
            """Sets what is called during ``fit``."""
            ...

        def _init_callback_context(self, **how: Any) -> Any: ...

    class MultiOutputMixin:
        """See sklearn.base.MultiOutputMixin."""

        def __sklearn_tags__(self) -> Any: ...
else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        MultiOutputMixin,
        OneToOneFeatureMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin

    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:  # before scikit-learn 1.9

        class CallbackSupportMixin:
            """No callbacks."""


__all__ = [
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassifierMixin",
    "LinearClassifierMixin",
    "MultiOutputMixin",
    "OneToOneFeatureMixin",
    "OutlierMixin",
    "RegressorMixin",
    "SparseCoefMixin",
    "TransformerMixin",
]
