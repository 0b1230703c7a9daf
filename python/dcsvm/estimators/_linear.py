"""What all linear estimators share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._input.validate import FloatArray
from .._linear.model import LinearModel
from .._linear.train import defaults, how_it_ended, solved
from .._shown.training_warnings import users_line
from ._estimator import RowsEstimator, with_own_names
from ._explained import ExplainedWeights
from ._linear_parameters import LinearParameters
from ._logistic_problem import Weights
from ._parameters import TimeParameter

FORMS = {
    "coef_": ("ndarray of shape (n_vectors, n_features)", "Weights; two classes: (1, n_features); regression: (n_features,)."),
    "intercept_": ("ndarray of shape (n_vectors,)", "What a decision adds to ``coef_ @ x``."),
    "n_iter_": ("int", "Newton steps or passes; of several classes the most."),
    "model_": ("LinearModel", "The native model; classes are numbered in it."),
    "report_": ("LinearReport", "What the training did, with a lower bound of the objective where one is known; else it is NaN."),
}


class LinearEstimator(ExplainedWeights, LinearParameters, TimeParameter, RowsEstimator):
    """Training, and what the models have in common."""

    _one_solution = True
    model_: LinearModel
    fit_intercept: bool  # of those that have a bias
    intercept_scaling: float

    def _train(self, X: Any, y: Any, after: LinearModel | None = None, **options: Any) -> None:
        """after: a model that goes on with these rows in one pass."""
        own: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs, "verbose": bool(self.verbose)}
        own["max_seconds"] = self.max_seconds
        own["cache_size"] = None
        model = solved(X, y, **{**defaults(), **own, "random_state": self._seed(), **options}, after=after)
        self.model_ = with_own_names(model, self)
        self.n_iter_: int = max((p["n_iter"] for p in model.report.problems), default=0)
        if text := self._unfinished(model):
            warnings.warn(text, ConvergenceWarning, stacklevel=users_line())

    def _unfinished(self, model: LinearModel) -> str:
        """What to warn of after a training; "": nothing."""
        finished = model.report.stop_reason in ("converged", "one_pass")
        return "" if finished else how_it_ended(model, self.max_iter, type(self).__name__)

    def _bias(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else -1.0

    @property
    def coef_(self) -> FloatArray:
        """Weights."""
        check_is_fitted(self)
        return self.model_.coef_

    @property
    def intercept_(self) -> FloatArray:
        """What a decision adds to ``coef_ @ x``."""
        check_is_fitted(self)
        return self.model_.intercept_


def unsupported(penalty: str, loss: str, dual: bool | str, advice: str) -> ValueError:
    """For a combination that nobody solves: scikit-learn's words, and what to do."""
    text = f"The combination of penalty={penalty!r} and loss={loss!r} are not supported when dual={dual!r}"
    if (penalty, loss) == ("l1", "hinge"):
        text = f"The combination of penalty={penalty!r} and loss={loss!r} is not supported"
    given = f"Parameters: penalty={penalty!r}, loss={loss!r}, dual={dual!r}"
    return ValueError(f"Unsupported set of arguments: {text}, {given}: {advice}")


class WithWeights(LinearEstimator):
    """A model that is its weights, which users may set, as scikit-learn's. Probabilities and the report are those of the fit."""

    _sparse_coef = False  # after sparsify(), or when a sparse matrix was set

    def _train(self, X: Any, y: Any, after: LinearModel | None = None, **options: Any) -> None:
        super()._train(X, y, after, **options)
        self._sparse_coef = False

    def _unfinished(self, model: LinearModel) -> str:
        """By scikit-learn's rule, which counts steps alone, and with its words first, by which programs filter."""
        text = super()._unfinished(model)
        if not text and model.report.stop_reason != "one_pass" and self.n_iter_ >= self.max_iter:
            text = f"{type(self).__name__} needed the last step that max_iter={self.max_iter} allows"
        return text and f"Liblinear failed to converge, increase the number of iterations. {text}"

    def _set_weights(self, coef: Any, intercept: Any) -> None:
        """coef and intercept: in the shapes in which the estimator shows them; they are copied."""
        expected, trained = self.coef_.shape, self.model_
        dense = np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64)
        if dense.shape != expected:
            raise ValueError(f"coef_ must have the shape of the fitted model's, {expected}, got {dense.shape}")
        rows = np.atleast_2d(dense)
        of_rows = np.asarray(intercept, dtype=np.float64)
        if of_rows.shape not in ((), (len(rows),)):
            raise ValueError(f"intercept_ must be a number or have the shape {(len(rows),)}, got {of_rows.shape}")
        weights = Weights(rows, np.broadcast_to(of_rows, len(rows)))
        if len(rows) < len(trained.coef_):  # two classes with a vector each, of which the difference is shown
            weights = Weights(*(np.concatenate([-0.5 * w, 0.5 * w]) for w in weights))
        self._sparse_coef = sp.issparse(coef)
        self.model_ = with_own_names(weights.model(trained.solver, trained.bias, len(trained.classes_)), self)

    def _shown(self, coef: FloatArray) -> Any:
        return sp.csr_matrix(coef) if self._sparse_coef else coef
