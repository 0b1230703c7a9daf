"""What the estimators of LIBSVM's problems share: fit, predict and the fitted attributes."""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from .. import _core
from .._input import validate
from .._input.formulations import SIDES
from .._input.validate import FloatArray
from .._shown.report import Report
from .._shown.training_warnings import about, limit_met, users_line, warn_of
from .._svm.coef import check_unclustered, linear_coef
from .._svm.model import Model
from .._svm.train import parameter_names, train
from ._estimator import NativeEstimator, with_own_names
from ._explained import ExplainedSVM
from ._inputs import checked, kernel_matrix, sample_weights
from ._parameters import SolverParameters, TimeParameter, WarmStartParameter
from ._to_sklearn import to_sklearn

solve: Callable[..., Model] = inspect.unwrap(train)  # without train's own warning: here scikit-learn's is given
ENDED = ("cancelled", "time_limit")  # by the user: what there is is kept, without probabilities
SMALL = 2000  # up to so many rows double precision takes no noticeable time
# Up to so many rows a far smaller tol takes no noticeable time either. Results then agree to many digits, not only to tol,
# between fits that are the same problem: weights and repeated rows, sparse and dense X (scikit-learn's checks ask for that).
# Nothing else depends on it: what tol promises holds for any number of rows.
_TINY = 200
_TINY_TOL = 1e-10
_TINY_STEPS = 100_000
_LARGE_C = 1e200  # stands for C = inf: no alpha comes near it, and no sum of alphas overflows


class BaseSVM(ExplainedSVM, WarmStartParameter, SolverParameters, TimeParameter, NativeEstimator):
    """Subclasses say what y is, and how decision values become predictions."""

    _formulation: str

    # Fitting

    def _targets(self, y: Any, weights: FloatArray | None) -> tuple[Any, FloatArray | None]:
        """y and the weights as the core takes them. Sets ``classes_`` and ``class_weight_`` of a classifier."""
        raise NotImplementedError

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        """A feasible start from the last fit, for warm_start."""
        return None

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._fit_quietly(X, y, sample_weight)
        self._warn_of_training()

    def _fit_quietly(self, X: Any, y: Any, sample_weight: Any) -> None:
        """The training alone: no check of parameters, no warning."""
        X, data, y = self._checked_for_training(X, y)
        n, n_samples = data.shape[0], _num_samples(X)
        given = sample_weights(sample_weight, X, n)
        targets, weights = self._targets(y, given)
        options = self._options(n)
        if self.gamma == "scale":
            options["gamma"] = self._gamma_for(data, weights)
        if self.warm_start and hasattr(self, "_model") and not self._model.clustered:
            options["warm_start_alpha"] = self._start(n, targets, weights)
        try:
            model = self._solved(data, targets, weights, options)
        except ValueError as error:
            if "kernel values overflow" not in str(error):
                raise
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain large values and need to be"
                f" preprocessed. ({error})"
            ) from error
        self._keep(model, sp.issparse(data), type(data))  # as checked: a data frame of sparse columns has become CSR
        self._X_fit = X if callable(self.kernel) else None  # predict calls the kernel with new rows and all of these
        self.shape_fit_: tuple[int, ...] = X.shape if hasattr(X, "shape") else (n_samples,)

    def _checked_for_training(self, X: Any, y: Any) -> tuple[Any, Any, Any]:
        """X, what the core trains on, and y. Checks come in scikit-learn's order: where several fail, its message is given."""
        supervised = self._formulation not in SIDES
        if callable(self.kernel):
            if supervised:
                check_consistent_length(X, y)
            data = kernel_matrix(self.kernel, X, X)
            if data.shape[0] != data.shape[1]:
                raise ValueError("X.shape[0] should be equal to X.shape[1]")
        else:
            if sp.issparse(X) and self.kernel == "precomputed":
                raise TypeError("Sparse precomputed kernels are not supported.")
            X, y = checked(self, X, y if supervised else "no_validation", reset=True)
            data = X
            if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
                raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        if not supervised or y is None:
            return X, data, None
        targets = np.asarray(y)
        if targets.ndim == 0:
            raise ValueError("y should be a 1d array, got an array of shape () instead.")
        # As in scikit-learn, a callable may return fewer rows than X has; predict then refuses.
        return X, data, targets[: data.shape[0]]

    def _solved(self, data: Any, targets: Any, weights: FloatArray | None, options: dict[str, Any]) -> Model:
        return self._solved_well(data, targets, weights, {**options, "formulation": self._formulation})

    def _solved_well(self, data: Any, targets: Any, weights: FloatArray | None, options: dict[str, Any]) -> Model:
        """Solves to ``tol``, and few rows to ``_TINY_TOL`` unless that takes many steps."""
        unlimited = options["max_iter"] == -1
        if data.shape[0] <= _TINY and self.tol > _TINY_TOL:
            limits = {"tol": _TINY_TOL, "max_iter": _TINY_STEPS if unlimited else options["max_iter"]}
            model = solve(data, targets, sample_weight=weights, **{**options, **limits})
            if model.report.violation < self.tol or not unlimited or model.report.stop_reason in ENDED:
                return model
        return solve(data, targets, sample_weight=weights, **options)

    def _options(self, n: int) -> dict[str, Any]:
        """The arguments of train: parameters of the same name, and those that differ."""
        own = self._parameters()
        options = {name: own[name] for name in parameter_names() if name in own}
        options["verbose"] = bool(self.verbose)
        options["callback"] = self.callback
        if "C" in own and math.isinf(own["C"]):
            options["C"] = _LARGE_C
        if callable(self.kernel):
            options["kernel"] = "precomputed"
        if self.gamma == 0:  # scikit-learn allows 0; the smallest positive number makes the same kernel
            options["gamma"] = sys.float_info.min
        if self.precision == "auto":
            options["precision"] = "double" if n <= SMALL else "single"
        if "random_state" in own:
            options["random_state"] = self._seed()
        return options

    def _keep(self, model: Model, sparse: bool, container: Any) -> None:
        """Sets the fitted attributes."""
        core = model._core
        whole = np.int32 if core.n_train < 2**31 else np.int64
        n_problems = self._n_problems()
        self._model = with_own_names(model, self)
        self._sparse = sparse
        self._container = container if sparse else None
        self._gamma = 0.0 if self.gamma == 0 or model.kernel == "precomputed" else model.gamma
        self.support_: npt.NDArray[Any] = model.support_.astype(whole)
        self._n_support = model.n_support_.astype(whole)
        self._dual_coef_ = self._in_rows(core.sv_coef())
        self._intercept_ = 0.0 - core.rho()
        flipped = self._positive_for_second()
        self.dual_coef_: Any = -self._dual_coef_ if flipped else self._dual_coef_
        self.intercept_: FloatArray = 0.0 - self._intercept_ if flipped else self._intercept_.copy()
        self._protect_copies()
        outcome, steps = core.outcome(), core.steps()
        optimal = outcome["stop_reason"] not in ENDED and outcome["violation"] < self.tol
        self.fit_status_: int = int(outcome["stop_reason"] != "converged" and not optimal)
        if not len(steps):
            steps = np.full(n_problems, outcome["n_iter"])
        self._num_iter = steps.astype(np.int64 if steps.max() >= 2**31 else np.int32)

    def _protect_copies(self) -> None:
        """``_dual_coef_`` and ``_intercept_`` decide, as in scikit-learn; what is a copy of them cannot be changed in place."""
        validate.read_only(self.intercept_)
        if self.dual_coef_ is not self._dual_coef_:
            validate.read_only(self.dual_coef_.data if sp.issparse(self.dual_coef_) else self.dual_coef_)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_dual_coef_" in self.__dict__:
            self._protect_copies()

    def _take(self, model: Model) -> None:
        self.shape_fit_ = (model._core.n_train, model.n_features_in_)
        self._X_fit = None
        self._keep(model, isinstance(model._core.support_points(), tuple), sp.csr_matrix)

    def _n_problems(self) -> int:
        return 1

    def _positive_for_second(self) -> bool:
        """Whether decision values are positive for the second class, as scikit-learn's are with two classes; the core's are
        positive for the first."""
        return False

    def _in_rows(self, sv_coef: FloatArray) -> Any:
        """(n_classes - 1, n_SV); after sparse data as CSR with every entry stored, of the class that X had."""
        n_sv = len(self.support_)
        rows = len(sv_coef) // n_sv if n_sv else 1
        dense = sv_coef.reshape(rows, n_sv)
        if not self._sparse:
            return dense
        indices = np.tile(np.arange(n_sv, dtype=np.int32), rows)
        assert self._container is not None
        return self._container((sv_coef, indices, np.arange(rows + 1, dtype=np.int32) * n_sv), shape=dense.shape)

    def _limit(self) -> str:
        """The parameter that was reached when ``stop_reason`` is "max_iter"."""
        return "max_iter"

    def _warn_of_training(self) -> None:
        self._warn_unless_converged()
        warn_of(self._model._core.outcome()["warnings"], getattr(self, "feature_names_in_", None))

    def _warn_unless_converged(self) -> None:
        if self.fit_status_:
            report = self._model.report
            reason, advice = report.stop_reason, ""
            if reason == "time_limit":
                reason = f"max_seconds={self.max_seconds:g}"
                advice = " Raise max_seconds, or take the model as it is: report_ says how good."
                if math.isfinite(report.gap):
                    advice += f" Its objective is within {about(10 * report.gap)} of the optimum."
            elif reason != "cancelled":
                advice = "  Consider pre-processing your data with StandardScaler or MinMaxScaler."
            if reason == "max_iter":
                limit = self._limit()
                reason = limit_met(limit, getattr(self, limit), report.problems, report.n_iter)
                advice += f" Or raise {limit}, or lower C." if hasattr(self, "C") else f" Or raise {limit}."
            warnings.warn(f"Solver terminated early ({reason}).{advice}", ConvergenceWarning, stacklevel=users_line())

    # Predicting

    def _check_fitted(self) -> None:
        """NotFittedError before fit. scikit-learn's check takes longer than a prediction of one row."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)

    def _rows(self, X: Any) -> Any:
        """X as the core takes it."""
        self._check_fitted()
        if callable(self.kernel):
            data = kernel_matrix(self.kernel, X, self._X_fit)
        else:
            data, _ = checked(self, X, reset=False)
            if sp.issparse(data) and not self._sparse:
                raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        if (callable(self.kernel) or self.kernel == "precomputed") and data.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {data.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at training time"
            )
        if self._n_support.sum() != len(self.support_):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return validate.as_data("X", data)

    def _exported_model(self) -> Model:
        return Model(self._current_core())._named(self.model_._names)  # users may have changed coefficients

    def _current_core(self) -> _core.Model:
        """The model with `_dual_coef_` and `_intercept_` as they are now: users may have changed them."""
        return self._core_with(self._dual_coef_, self._intercept_)

    def _core_with(self, dual_coef: Any, intercept: Any) -> _core.Model:
        core = self._model._core
        coef = np.ravel(dual_coef.toarray() if sp.issparse(dual_coef) else dual_coef)
        rho = 0.0 - np.asarray(intercept, dtype=np.float64)
        if np.array_equal(coef, core.sv_coef()) and np.array_equal(rho, core.rho()):
            return core
        return core.with_coefficients(coef, rho)

    def _decisions(self, X: Any) -> FloatArray:
        rows = self._rows(X)
        return _core.decision_function(self._current_core(), rows, validate.threads(self.n_jobs))

    def _predictions(self, X: Any) -> FloatArray:
        rows = self._rows(X)
        return _core.predict(self._current_core(), rows, validate.threads(self.n_jobs))

    # What was fitted

    def _fitted(self, name: str) -> Model:
        model: Model | None = self.__dict__.get("_model")
        if model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} before fit")
        return model

    @property
    def model_(self) -> Model:
        """The native :class:`dcsvm.Model`: for files, other ways to predict, ``alpha``. It carries the labels."""
        return self._fitted("model_")

    @property
    def report_(self) -> Report:
        """What the training did, a :class:`dcsvm.Report`."""
        return self._fitted("report_").report

    @property
    def n_support_(self) -> npt.NDArray[Any]:
        """Number of support vectors for each class."""
        self._fitted("n_support_")
        return self._n_support

    @property
    def support_vectors_(self) -> Any:
        """Support vectors in X's precision, sparse if X was; read-only: the model's memory. Empty for precomputed kernels."""
        model = self._fitted("support_vectors_")
        if model.kernel == "precomputed":
            return np.empty((0, 0))
        points = model._core.support_points()
        if isinstance(points, tuple):
            assert self._container is not None
            return self._container(points, shape=(len(self.support_), model.n_features_in_))
        return points

    @property
    def coef_(self) -> Any:
        """Weights of the features when ``kernel="linear"``; read-only."""
        model = self._fitted("coef_")
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_unclustered(model.clustered)
        return linear_coef(self.dual_coef_, self._n_support, self.support_vectors_)

    def to_sklearn(self) -> Any:
        """The same fitted model as an estimator of ``sklearn.svm``, which predicts the same without dcsvm.

        Returns
        -------
        sklearn.svm.SVC, NuSVC, SVR, NuSVR or OneClassSVM
            With the parameters that it has; others are left out. With ``probability="platt"`` its ``predict`` goes by decision
            values.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For a model that stopped early.
        """
        check_is_fitted(self)
        return to_sklearn(self)
