"""Leave-one-out without n trainings: in closed form for least squares, and what a solution tells of it for SVMs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.columns import check_features
from .._input.formulations import CLASSIFIERS
from .._input.kernels import uses
from .._input.labels import as_targets
from .._input.parameters import fill
from .._input.rows import rows_at
from .._input.validate import FloatArray, IndexArray
from .._least_squares.ls_svm import LsSvmModel
from .._shown.display import Shown
from .._svm.model import Model
from .scorers import neg_mean_pinball_loss, r2
from .spans import Problem, inverse_diagonal, invert_factor, may_err, span_decisions

LooMethod = Literal["exact", "span", "xi_alpha"]

_METHODS = {"kernel_ridge": ("exact",), "LS-SVM": ("exact",), "c_svc": ("span", "xi_alpha"), "epsilon_svr": ("span",)}
_SLACK = 10.0  # what a model's residual or violation may be times its tolerance, on the data that it was trained with


@dataclass(frozen=True, repr=False)
class HeldOut(Shown):
    """What :func:`dcsvm.leave_one_out` found.

    Attributes
    ----------
    method : str
        "exact", "span" or "xi_alpha".
    score : float
        Of the held-out predictions: accuracy; R² (the mean over several targets); of a ``quantile`` minus scikit-learn's
        mean_pinball_loss of it. "xi_alpha": a bound that the leave-one-out accuracy is not below.
    errors : ndarray of shape (n,) or None
        Rows predicted wrongly, "xi_alpha": that may be; bool. None for regression.
    decisions : ndarray of shape (n,) or (n, n_outputs) or None
        What ``decision_function`` of the model without the row says of it, for a row of weight 0 that of the model; float64.
        None for "xi_alpha".
    predictions : ndarray of shape (n,) or (n, n_targets) or None
        The same of ``predict``.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    method: str
    score: float
    errors: npt.NDArray[np.bool_] | None
    decisions: FloatArray | None
    predictions: npt.NDArray[Any] | None

    def _facts(self) -> list[tuple[str, str]]:
        score = f"{self.score:.4f}" + " or more" * (self.method == "xi_alpha")
        errors = [] if self.errors is None else [("errors", f"{int(self.errors.sum()):,} of {len(self.errors):,} rows")]
        return [("method", self.method), ("score", score), *errors]


def leave_one_out(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    method: LooMethod | None = None,
    cache_size: float = 2000,
    n_jobs: int | None = None,
) -> HeldOut:
    """What each training row would be predicted as by a model of all the other rows, from the one model of all rows.

    ``gamma`` and the balanced weights of classes stay those of the model.

    Parameters
    ----------
    model : Model, LsSvmModel or estimator
        What :func:`dcsvm.train_ridge`, :func:`dcsvm.train_ls_svm` or :func:`dcsvm.train` (c_svc, epsilon_svr) returned, or a
        fitted estimator that has one as ``model_``. It has converged.
    X : array-like or CSR matrix of shape (n, n_features)
        The training rows, in their order; the kernel values (n, n) of a precomputed kernel.
    y : array-like of shape (n,) or (n, n_targets)
        Their labels or targets.
    sample_weight : array-like of shape (n,) or None, default=None
        Of the training. Scores are not weighted, and rows of weight 0 take no part in them.
    method : {'exact', 'span', 'xi_alpha'} or None, default=None
        None: the first that the model allows. "exact" (ridge, LS-SVM): the predictions of n trainings, from the inverse of the
        system's matrix: y_i - a_i / (M^-1)_ii (Cawley, Talbot 2004). "span" (c_svc, epsilon_svr): an estimate, exact where
        the other support vectors stay free or at their bounds (Vapnik, Chapelle 2000). "xi_alpha" (c_svc): an upper bound of the
        errors (after Joachims 2000) of exact trainings, without an assumption on the solution; several classes: rows that some
        pair may put wrong.
    cache_size : float, default=2000
        MB that the matrix may take: 8 n^2 bytes, "span" 8 times the square of the free support vectors; "xi_alpha" needs none.
    n_jobs : int or None, default=None
        Threads for kernel values and decisions, as for :func:`dcsvm.train`. The inverse is numpy's work.

    Returns
    -------
    HeldOut
        Score, errors, decisions and predictions.

    Raises
    ------
    TypeError
        When model is none of these.
    ValueError
        For a method that the model does not allow, a model that has not converged, is approximate or comes without its training's
        parameters; and for X, y and sample_weight of which the model is no solution, so that they are not those of its training.
    MemoryError
        When ``cache_size`` is too small.

    Notes
    -----
    "exact" solves the system anew in float64: the model's own coefficients differ from that solution by its ``tol``.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(400, random_state=0)
    >>> model = dcsvm.train_ls_svm(X, y, gamma=4, gamma_ls=10, method="exact")
    >>> dcsvm.leave_one_out(model, X, y).score > 0.9
    True
    """
    model = getattr(model, "model_", model)
    if not isinstance(model, (Model, LsSvmModel)):
        raise TypeError(
            "model must be what dcsvm.train, train_ridge or train_ls_svm returned, or a fitted estimator that has one as model_; "
            f"got {type(model).__name__}"
        )
    kind = model.formulation if isinstance(model, Model) else "LS-SVM"
    parameters = _checked(model, kind)
    allowed = _METHODS[kind]
    how = allowed[0] if method is None else validate.choice("method", method, ("exact", "span", "xi_alpha"))
    if how not in allowed:
        raise ValueError(f"method must be {validate.in_a_row(map(repr, allowed), 'or')} for a model of {kind}, got {how!r}")
    task = _Task(model, parameters, X, sample_weight, validate.real("cache_size", cache_size, above=0), n_jobs)
    if isinstance(model, LsSvmModel):
        return _of_ls_svm(model, task, y)
    return _of_ridge(model, task, y) if how == "exact" else _of_svm(model, task, y, how)


def _checked(model: Model | LsSvmModel, kind: str) -> dict[str, Any]:
    """The parameters of a training whose model is a solution of its problem. ValueError."""
    if kind not in _METHODS:
        raise ValueError(f"model: leave_one_out knows models of {', '.join(_METHODS)}, got one of {kind}: take cross_validate")
    if model.training is None or model.report is None:
        raise ValueError(
            "model: it does not know how it was trained, as models of LIBSVM's files and of scikit-learn; train it with dcsvm"
        )
    parameters: dict[str, Any] = model.training["parameters"]
    why = ""
    if isinstance(model, Model) and model.clustered:
        why = "is of clusters (early_level), each with its own solution; train without early_level"
    elif parameters.get("method") == "nystrom":
        why = "is a committee (method='nystrom'), which solves no system; train with method='exact'"
    elif model.report.stop_reason != "converged":
        why = f"has not converged (stop_reason {model.report.stop_reason!r}); train it to its end, an LS-SVM with method='exact'"
    if why:
        raise ValueError(f"model: leave_one_out needs a solution of the whole problem, but this model {why}")
    return parameters


class _Task:
    """The training data with the model's kernel."""

    def __init__(
        self,
        model: Model | LsSvmModel,
        parameters: dict[str, Any],
        X: Any,
        sample_weight: Any,
        cache_size: float,
        n_jobs: int | None,
    ) -> None:
        check_features(model._names.features, X)
        self.data, self.parameters, self.cache_size = validate.as_data("X", X), parameters, cache_size
        self.n = n = model._core.n_train
        if self.data.shape != (n, model.n_features_in_):
            raise ValueError(f"X must be the training data, of shape {(n, model.n_features_in_)}, got {self.data.shape}")
        if model.kernel == "precomputed" and not isinstance(self.data, np.ndarray):
            self.data = self.data.toarray()
        self.weights = np.ones(n) if sample_weight is None else validate.as_vector("sample_weight", sample_weight, n)
        self.part = np.flatnonzero(self.weights > 0)
        self.kernel = model.kernel
        given: dict[str, Any] = {"precision": "double", "random_state": 0, "n_jobs": n_jobs}
        given["kernel"] = "linear" if self.kernel in ("precomputed", "cosine_poly") else self.kernel
        self.gamma, self.degree, self.coef0 = model.gamma, model.degree, model.coef0
        given |= {name: getattr(model, name) for name in ("gamma", "degree", "coef0") if uses(self.kernel, name)}
        self.core = fill(_core.TrainParams(), given)

    def values(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Kernel values of rows of X, in float64."""
        if self.kernel == "precomputed":
            return np.asarray(self.data[np.ix_(rows, columns)], dtype=np.float64)
        K: FloatArray = np.asarray(_core.kernel_values(rows_at(self.data, rows), rows_at(self.data, columns), self.core))
        if self.kernel == "cosine_poly":
            size = self._sizes()
            size[size == 0] = 1
            K /= size[rows, None]
            K /= size[columns]
            K *= self.gamma
            K += self.coef0
            K **= self.degree
        return K

    def _sizes(self) -> FloatArray:
        """|x| of the rows."""
        if isinstance(self.data, np.ndarray):
            return np.asarray(np.linalg.norm(self.data.astype(np.float64), axis=1))
        row = np.repeat(np.arange(self.n), np.diff(self.data.indptr))
        return np.asarray(np.sqrt(np.bincount(row, np.square(self.data.data, dtype=np.float64), self.n)))

    def must_fit(self, rows: int, of: str) -> None:
        needed = 8 * rows * rows / 2**20
        if needed > self.cache_size:
            raise MemoryError(
                f"cache_size must be at least {int(needed) + 1} MB for the matrix of {rows:,} {of}, got {self.cache_size:g}"
            )

    def must_solve(self, missed: float, tol: float, what: str) -> None:
        if not missed <= _SLACK * tol:  # NaN
            raise ValueError(
                "X, y and sample_weight must be those that the model was trained with, in the same order: the model is no "
                f"solution for them ({what} {missed:.3g}, where its training reached {tol:.3g})"
            )

    def scored(
        self,
        method: str,
        truth: npt.NDArray[Any],
        decisions: FloatArray | None,
        predictions: npt.NDArray[Any] | None,
        errors: Any,
    ) -> HeldOut:
        """errors: None for a regression."""
        at, quantile = self.part, self.parameters.get("quantile")
        if errors is not None:
            score = float(np.mean(~errors[at]))
        else:
            assert predictions is not None
            measure = r2 if quantile is None else neg_mean_pinball_loss(quantile)
            columns = zip(truth[at].reshape(len(at), -1).T, predictions[at].reshape(len(at), -1).T, strict=True)
            score = float(np.mean([measure(*pair) for pair in columns]))
        return HeldOut(method, score, errors, decisions, predictions)


def _codes(classes: npt.NDArray[Any], y: Any, n: int) -> IndexArray:
    """The place of each label in classes_. ValueError."""
    labels = validate.as_array("y", y)
    if labels.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one label for each row of X; got {labels.shape}")
    places = {label: place for place, label in enumerate(classes.tolist())}
    for row, label in enumerate(labels.tolist()):
        if label not in places:
            raise ValueError(f"y has the label {label!r} at row {row}, which the model was not trained with")
    return np.array([places[label] for label in labels.tolist()], dtype=np.int64)


def _residuals(M: FloatArray, z: FloatArray, bias: bool) -> FloatArray:
    """z_i less the prediction of row i by the system without it, a_i / (B^-1)_ii: B is M, bordered by ones for a bias, and a the
    solution of B (a, b) = (z, 0) (Cawley, Talbot 2004). z has columns. M is overwritten."""
    try:
        invert_factor(M)
    except np.linalg.LinAlgError:
        raise ValueError(
            "model: its matrix K plus the regularisation is not positive definite in float64; train with more regularisation"
        ) from None
    if bias:
        ones = M.sum(axis=1)
        z = z - (ones @ (M @ z)) / (ones @ ones)  # the bias
    return np.asarray((M.T @ (M @ z)) / inverse_diagonal(M, bias)[:, None])


def _of_ridge(model: Model, task: _Task, y: Any) -> HeldOut:
    at, target = task.part, as_targets("y", y, task.n)
    task.must_fit(len(at), "rows")
    M = task.values(at, at)
    M[np.diag_indices_from(M)] += task.parameters["alpha"] / task.weights[at]
    z, tol = target[at], max(task.parameters["tol"], 1e-12)
    task.must_solve(float(np.linalg.norm(z - M @ model.alpha[at]) / (np.linalg.norm(z) or 1)), tol, "residual")
    held_out = np.array(model.with_precision("double").decision_function(task.data)) if len(at) < task.n else np.empty(task.n)
    held_out[at] = z - _residuals(M, z[:, None], False)[:, 0]
    return task.scored("exact", target, held_out, held_out.copy(), None)


def _of_ls_svm(model: LsSvmModel, task: _Task, y: Any) -> HeldOut:
    if (task.weights != 1).any():
        raise ValueError("sample_weight must be None for an LS-SVM, which is trained without weights")
    n, outputs = model.dual_coef_.shape[::-1]
    codes = None
    if model._core.regression:
        given = np.asarray(y)
        columns = list(given.T) if given.ndim == 2 else [given]
        if len(columns) != outputs:
            raise ValueError(f"y must have a column for each of the model's {outputs} targets, got shape {given.shape}")
        z = np.stack([as_targets("y", column, n) for column in columns], axis=1)
    else:
        codes = _codes(model.classes_, y, n)
        z = np.eye(outputs)[codes]
    task.must_fit(n, "rows")
    M = task.values(task.part, task.part)
    M[np.diag_indices_from(M)] += 1 / task.parameters["gamma_ls"]
    missed = np.linalg.norm(z - M @ model.dual_coef_.T - model.intercept_) / (np.linalg.norm(z) or 1)
    task.must_solve(float(missed), max(task.parameters["tol"], 1e-12), "residual")
    held_out = z - _residuals(M, z, True)
    if codes is None:
        shown = held_out[:, 0] if outputs == 1 else held_out
        return task.scored("exact", z, held_out, shown.copy(), None)
    best = held_out.argmax(axis=1)
    return task.scored("exact", codes, held_out, model.classes_[best], best != codes)


def _of_svm(model: Model, task: _Task, y: Any, how: str) -> HeldOut:
    decisions = np.array(_core.decision_function(model.with_precision("double")._core, task.data, task.core.n_threads))
    tol = max(model.report.violation, task.parameters["tol"])
    classes = model.classes_ if model.formulation in CLASSIFIERS else None
    truth = as_targets("y", y, task.n) if classes is None else _codes(classes, y, task.n)
    problems = list(_problems(model, task, truth, decisions))
    for p in problems:
        task.must_solve(p.violation(), tol, "violation")
    if how == "xi_alpha":
        errors = np.zeros(task.n, dtype=bool)
        for p in problems:
            errors[p.rows] |= may_err(p, task.values, tol)
        return task.scored(how, truth, None, None, errors)
    for pair, p in enumerate(problems):
        task.must_fit(len(p.support()[0]), "free support vectors")
        decisions[p.rows, pair] = span_decisions(p, task.values)
    if classes is None:
        return task.scored(how, truth, decisions[:, 0], decisions[:, 0].copy(), None)
    votes = np.zeros((task.n, len(classes)), dtype=np.int64)
    for pair, (i, j) in enumerate(itertools.combinations(range(len(classes)), 2)):
        votes[np.arange(task.n), np.where(decisions[:, pair] > 0, i, j)] += 1
    best = votes.argmax(axis=1)
    return task.scored(how, truth, 0.0 - decisions[:, 0] if len(classes) == 2 else decisions, classes[best], best != truth)


def _problems(model: Model, task: _Task, truth: npt.NDArray[Any], decisions: FloatArray) -> Iterator[Problem]:
    """The model's problem of each pair of classes, or of its regression."""
    C, bias, alpha = task.parameters["C"], task.parameters["fit_intercept"], np.atleast_2d(model.alpha)
    if model.formulation not in CLASSIFIERS:
        at, quantile = task.part, task.parameters["quantile"]
        up, down = (C, C) if quantile is None else (quantile * C, (1 - quantile) * C)
        box = -down * task.weights[at], up * task.weights[at]
        yield Problem(at, truth[at], decisions[at, 0], alpha[0, at], *box, task.parameters["epsilon"], bias)
        return
    bound = C * task.weights * _factors(model, task, truth)[truth]
    for pair, (i, j) in enumerate(itertools.combinations(range(len(model.classes_)), 2)):
        at = np.flatnonzero(((truth == i) | (truth == j)) & (bound > 0))
        target = np.where(truth[at] == i, 1.0, -1.0)
        box = np.minimum(0, target * bound[at]), np.maximum(0, target * bound[at])
        yield Problem(at, target, decisions[at, pair], target * np.abs(alpha[pair, at]), *box, 0.0, bias)


def _factors(model: Model, task: _Task, codes: IndexArray) -> FloatArray:
    """By class, what C is multiplied by."""
    given, k = task.parameters["class_weight"], len(model.classes_)
    if given == "balanced":
        return np.asarray(len(task.part) / (k * np.bincount(codes[task.part], minlength=k)))
    factors = np.ones(k)
    for label, factor in given or []:
        factors[np.searchsorted(model._core.classes, label)] = factor
    return factors
