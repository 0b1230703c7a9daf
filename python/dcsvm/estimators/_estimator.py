"""What estimators around one native model share: parameters, rows, weights, seeds."""

from __future__ import annotations

import functools
import os
import pickle
import re
import uuid
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._graphs.wanted import Wanted
from .._input.choices import GraphDtype, GraphOperators
from .._input.compiled_kernel import is_machine_code
from .._input.kernels import scaled_gamma, uses
from .._input.suggestions import did_you_mean
from .._input.validate import FloatArray
from .._load_model import CLASS_OF
from .._model.native import NativeModel
from .._model_file.frame import Names, names_of
from .._shown.docstrings import AS_GRAPH, GRAPH, NO_GRAPH, described
from ._bases import BaseEstimator, CallbackSupportMixin, ClassifierMixin, RegressorMixin
from ._docs import of_rows
from ._files import SavedAsModel
from ._inputs import above_zero, checked, class_codes, class_factors, labels_of, scale_of_repeated, taking_part
from ._parameters import KernelParameters

if TYPE_CHECKING:
    from onnx import ModelProto

M = TypeVar("M", bound="NativeModel[Any]")
_KIND = "dcsvm model"  # a key that no fitted attribute has
_PLAIN = {str, int, float, bool, type(None)}  # types of parameters that do not change
_MOST_KEPT = 1000
_NAMED = re.compile(r"The '(\w+)' parameter of ")  # how scikit-learn's error begins
_valid: set[tuple[Any, ...]] = set()  # classes with the parameters that have passed


@functools.cache
def _parameter_names(kind: Any) -> tuple[str, ...]:
    return tuple(kind._get_param_names())


class ParametersEstimator(BaseEstimator):
    """An estimator whose parameters are the fields of a dataclass."""

    def __dask_tokenize__(self) -> Any:
        """What Dask takes for the identity. Of a dataclass it takes the parameters alone, and one fitted model for another."""
        try:
            return type(self).__name__, pickle.dumps(self, protocol=4)
        except (pickle.PicklingError, AttributeError, TypeError):  # a parameter that does not pickle, such as a lambda
            return uuid.uuid4().hex

    def _parameters(self) -> dict[str, Any]:
        """All of them, also where a subclass's own ``__init__`` has fewer, which get_params goes by."""
        own: Any = self  # each estimator is a dataclass
        return {f.name: getattr(self, f.name) for f in fields(own) if f.init}

    def _validate_params(self) -> None:
        """scikit-learn's check, which takes longer than solving a hundred rows: not where the same plain values have passed."""
        kind: Any = type(self)
        values = [getattr(self, name) for name in _parameter_names(kind)]
        key = (kind, tuple((type(value), value) for value in values if type(value) in _PLAIN))
        if len(key[1]) < len(values):
            self._validate_all()
        elif key not in _valid:
            self._validate_all()
            if len(_valid) >= _MOST_KEPT:
                _valid.clear()
            _valid.add(key)

    def _validate_all(self) -> None:
        if is_machine_code(getattr(self, "kernel", None)):
            raise InvalidParameterError("kernel is a compiled function: give kernel=dcsvm.CompiledKernel(function)")
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            name = _NAMED.match(str(error))
            raise InvalidParameterError(f"{error}{self._meant(name[1]) if name else ''}") from None

    def _meant(self, name: str) -> str:
        """The nearest choice of a parameter, for the end of an error."""
        own: Any = self
        accepted = next(f.metadata["accepted"] for f in fields(own) if f.name == name)
        value, choices = getattr(self, name), [choice for one in accepted if isinstance(one, tuple) for choice in one]
        return did_you_mean(value, choices) if isinstance(value, str) else ""


class RowsEstimator(SavedAsModel, CallbackSupportMixin, ParametersEstimator):
    """One native model, ``model_``, under scikit-learn's names; rows may be sparse."""

    #: whether random choices only change how a training gets to its one solution. Then equal data give equal bits, as those of
    #: scikit-learn's solvers do, also without a random_state
    _one_solution: ClassVar[bool] = False
    n_jobs: int | None
    random_state: Any
    model_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Models as the bytes of their files: later releases read them, and skops stores arrays but no compiled classes."""
        state = dict(super().__getstate__())
        for name, value in state.items():
            if isinstance(value, NativeModel):
                state[name] = {_KIND: type(value).__name__, "file": np.frombuffer(value.to_bytes(), dtype=np.uint8)}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        for name, value in state.items():
            if isinstance(value, dict) and _KIND in value:
                state[name] = CLASS_OF[value[_KIND]].from_bytes(np.asarray(value["file"]).data)
        super().__setstate__(state)

    def _training_data(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """X, dense or CSR, and y; notes number and names of the features."""
        return checked(self, X, y, reset=True, **how)

    def _training_rows(self, X: Any) -> Any:
        """The same without y."""
        return checked(self, X, reset=True)[0]

    def _rows(self, X: Any) -> Any:
        """X for a fitted model."""
        check_is_fitted(self)
        return checked(self, X, reset=False)[0]

    def _weights(self, sample_weight: Any, X: Any) -> FloatArray | None:
        return None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)

    def _seed(self) -> int:
        if self.random_state is None and self._one_solution:
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo("i").max))

    @described(*GRAPH, returns=AS_GRAPH, raises=[("NotFittedError", "Before ``fit``."), *NO_GRAPH])
    def to_onnx(
        self, path: str | os.PathLike[str] | None = None, *, op: GraphOperators = "plain", dtype: GraphDtype = "float32"
    ) -> ModelProto:
        """The fitted estimator as an ONNX graph that answers as its own methods do.

        Parameters
        ----------
        path : str, os.PathLike[str] or None, default=None
            A file that the graph is also written to.
        op : {'plain', 'ml'}, default='plain'
            Operators of the graph, as in :func:`dcsvm.onnx.to_onnx`.
        dtype : {'float32', 'float64'}, default='float32'
            Of X, the numbers in the graph and the outputs.

        Returns
        -------
        onnx.ModelProto
            The graph, which runs without dcsvm; :func:`dcsvm.onnx.to_onnx` says what its outputs are.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For models without a form in ONNX, and for files above 2 GB.
        ImportError
            Without the package onnx.
        OSError
            When the file cannot be written.
        """
        from .._graphs.convert import to_graph

        model, wanted = self._exported()
        return to_graph(model, wanted, type(self).__name__, path, op, dtype)

    def _exported(self) -> tuple[NativeModel[Any], Wanted]:
        """For a graph: the native model, and how this estimator answers."""
        check_is_fitted(self)
        if callable(getattr(self, "kernel", None)):
            from .._graphs.kernels import kernels_with_form

            raise ValueError(
                "to_onnx: a callable kernel has no form in ONNX: its values come from outside. Train with kernel "
                f"{kernels_with_form()}"
            )
        return self._exported_model(), self._wanted()

    def _exported_model(self) -> NativeModel[Any]:
        found: NativeModel[Any] = self.model_
        return found

    def _wanted(self) -> Wanted:
        return Wanted(probabilities=hasattr(self, "predict_proba"))

    @property
    def report_(self) -> Any:
        """What the training did."""
        check_is_fitted(self)
        return self.model_.report


def with_own_names(model: M, estimator: Any) -> M:
    """The native model under the labels and the feature names that the estimator was given."""
    features = getattr(estimator, "feature_names_in_", None)
    if features is not None and len(features) != model.n_features_in_:  # of a kernel matrix
        features = None
    names = names_of(getattr(estimator, "classes_", None), features)
    return model._named(names._replace(training=model._names.training))


class NativeEstimator(KernelParameters, RowsEstimator):
    """With a kernel."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _gamma_for(self, X: Any, weights: FloatArray | None) -> float | str:
        """gamma; "scale" counts rows as often as whole weights repeat them."""
        square = scale_of_repeated(X, weights) if self.gamma == "scale" and uses(self.kernel, "gamma") else None
        return self.gamma if square is None else scaled_gamma(str(self.kernel), square, X.shape[1])


class NativeRegressor(RegressorMixin, RowsEstimator):
    """For a NativeEstimator: numbers in, numbers out."""

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Predicted targets.")
    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Predicted targets.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        rows = self._rows(X)
        return np.asarray(self.model_.decision_function(rows, n_jobs=self.n_jobs))


class NativeClassifier(ClassifierMixin, RowsEstimator):
    """For a NativeEstimator: labels of any kind outside, their numbers in the core; the native model carries their names."""

    class_weight: Any

    def _class_weight(self, y: npt.NDArray[Any], weights: FloatArray | None = None) -> dict[int, float]:
        """Factors of C for the numbers of the classes, by `weights` where "balanced". ValueError names the label of a bad one."""
        return dict(enumerate(class_factors(above_zero(self.class_weight), self.classes_, y, weights).tolist()))

    def _labelled_rows(
        self, X: Any, y: Any, sample_weight: Any, unlabelled: Any = None
    ) -> tuple[Any, npt.NDArray[Any], npt.NDArray[np.intp], FloatArray | None]:
        """X, labels, their numbers (-1: `unlabelled`) and weights, of the rows that take part. Sets ``classes_``."""
        return self._labelled(*self._training_data(X, y), sample_weight, unlabelled)

    def _labelled(
        self, X: Any, y: Any, sample_weight: Any, unlabelled: Any = None
    ) -> tuple[Any, npt.NDArray[Any], npt.NDArray[np.intp], FloatArray | None]:
        """The same of checked X and y."""
        labels, weights = labels_of(y), self._weights(sample_weight, X)
        known = np.ones(len(labels), dtype=bool) if unlabelled is None else labels != unlabelled
        part = taking_part(self.class_weight, labels[known], None if weights is None else weights[known])
        if part is not None:
            rows = ~known
            rows[known] = part
            X, labels, known = X[rows], labels[rows], known[rows]
            weights = None if weights is None else weights[rows]
        self.classes_: npt.NDArray[Any]
        self.classes_, of_known = class_codes(labels[known], some=part is not None)
        codes = np.full(len(labels), -1, dtype=np.intp)
        codes[known] = of_known
        return X, labels, codes, weights

    @of_rows(
        "decisions",
        "ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)",
        "Two classes: one number a row, positive for ``classes_[1]``. More: a column for each class, or with "
        '``multi_class="ovo"`` '
        "one for each pair (i, j), i < j, positive for class i.",
    )
    def decision_function(self, X: Any) -> FloatArray:
        """Evaluate the decision function for the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        decisions : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: one number a row, positive for ``classes_[1]``. More: a column for each class, or with
            ``multi_class="ovo"`` one for each pair (i, j), i < j, positive for class i.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        rows = self._rows(X)
        return np.asarray(self.model_.decision_function(rows, n_jobs=self.n_jobs))

    @of_rows("y_pred", "ndarray of shape (n_samples,)", "Class labels.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classify the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Class labels.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        rows = self._rows(X)
        codes = self.model_._named(Names()).predict(rows, n_jobs=self.n_jobs)
        return np.asarray(self.classes_[codes.astype(np.intp)])
