"""Quantile regression with a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import d2_pinball_score

from .._input.validate import FloatArray
from ._docs import KERNEL_X, OF_SVM, TRAINING_KERNEL_X, documented, of_rows, of_training
from ._inputs import parameters_checked
from ._parameters import (
    FRACTION,
    CostAndBiasParameters,
    KernelParameters,
    LevelParameters,
    SolverChoice,
    SolverParameters,
    parameter,
)
from ._regression import BaseSVR
from ._warm import one_problem_start

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, repr=False, eq=False)
class QuantileParameters(LevelParameters, SolverChoice, SolverParameters, KernelParameters, CostAndBiasParameters):
    """Of QuantileSVR."""

    quantile: float | Sequence[float] = parameter(
        0.5,
        "What is predicted: about this share of the targets lies below. Several: a model for each.",
        FRACTION,
        "array-like",
        kind="float in (0, 1) or array-like",
    )


@documented(*OF_SVM)
@dataclass(kw_only=True, repr=False, eq=False)
class QuantileSVR(QuantileParameters, BaseSVR):
    """Quantile regression with a kernel: SVR with the pinball loss, for intervals and for targets of uneven spread.

    min 1/2 |w|^2 + C sum_i rho(y_i - f(x_i)), rho(r) = quantile r for r > 0, else (quantile - 1) r (Takeuchi, Le, Sears, Smola:
    Nonparametric Quantile Estimation, 2006): SVR's problem without a tube, with alpha in [-(1 - quantile) C, quantile C].

    Of several quantiles there is an estimator for each, in the list ``estimators_``; the attributes below are theirs. They are
    trained apart, so that they can cross where there are few rows. Their predictions of a row are put in order, which brings none
    further from the true quantiles on average (Chernozhukov, Fernandez-Val, Galichon 2010).

    Parameters
    ----------
    C : float > 0, default=1.0
        Price of errors, > 0, also infinity: the larger, the fewer errors in training and the longer it takes.
    fit_intercept : bool, default=True
        With a bias (LIBSVM's problem) or without (the DC-SVM paper's).
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    kernel : str or callable, default='rbf'
        x'z, (gamma x'z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x'z + coef0), X is the matrix of kernel
        values (symmetric), or a function of two sets of rows that returns theirs. One of 'linear', 'poly', 'rbf',
        'sigmoid', 'precomputed', 'exponential', 'matern32', 'matern52', 'laplacian', 'chi2', 'tanimoto'.
    degree : int >= 0, default=3
        Of the poly kernel.
    gamma : {'scale', 'auto'} or float >= 0, default='scale'
        Of all kernels but linear, precomputed and tanimoto. 'scale': 1 / (n_features * X.var()), for exponential,
        matern32 and matern52 its root, for laplacian and chi2 1 / (n_features * X.std()). 'auto': 1 / n_features.
    coef0 : float, default=0.0
        Of the poly and sigmoid kernels.
    max_seconds : float > 0 or None, default=None
        After which the training ends at its next step, with the best solution so far and stop_reason "time_limit";
        what the report says of it is computed then, and comes on top; None: no limit. Reaching it is a
        ConvergenceWarning.
    shrinking : bool, default=True
        Leave variables that stay at a bound aside while solving.
    tol : float > 0, default=0.001
        Stop when the largest KKT violation is below. For up to 200 rows the solver aims at 1e-10, which costs next to
        nothing there.
    cache_size : float > 0, default=200
        MB (2^20 bytes) of working memory for kernel rows and packed data. More saves time on large problems.
    verbose : bool or int, default=False
        Show progress with the violation and the active rows: a bar on a terminal and in notebooks.
    max_iter : int >= -1, default=-1
        SMO steps in each binary problem; -1: LIBSVM's limit, max(10^7, 100 n). Reaching it is a ConvergenceWarning.
    precision : {'single', 'double', 'auto'}, default='auto'
        Of kernel values. 'auto': double up to 2000 rows and where the data needs it, else single.
    callback : callable or None, default=None
        Called about 20 times a second with a :class:`dcsvm.Progress`: phase ('clustering', 'level', 'refine',
        'solve', 'calibrate'; at the end 'done', with the report's values, unless it was stopped), level (0: the whole
        problem), done and total (clusters or pairs of the phase), n_iter (steps so far), violation, objective, active
        (rows not shrunk), n_support, seconds. Returning True stops and keeps the current solution, without
        probabilities.
    warm_start : bool, default=False
        Start from the last fit's solution, scaled into the new bounds, when the labels of its rows are the same; new
        rows may follow them. Often no faster than from zero.
    solver : {'auto', 'smo', 'dc'}, default='auto'
        One problem from the start, or divide and conquer first; 'auto' picks and says why in
        ``report_.solver_reason``.
    n_levels : int >= 1 or None, default=None
        Levels of divide and conquer; None: early_level where it is given, else the fewest that bring the bottom
        clusters to about 2000 rows.
    branching : int >= 2, default=4
        Level l of divide and conquer has branching^l clusters.
    sample_size : int >= 1, default=1000
        Rows on which the clusters are found; the others join the nearest.
    keep_levels : bool, default=False
        Keep each level's clusters and support vectors as ``model_.levels_``, not in files or pickles.
    quantile : float in (0, 1) or array-like, default=0.5
        What is predicted: about this share of the targets lies below. Several: a model for each.

    Attributes
    ----------
    coef_ : ndarray or sparse matrix of shape (n_problems, n_features)
        Weights of the features, for ``kernel='linear'``; read-only.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)
        Coefficients of the support vectors, signs included. Class i against j: row j - 1 when j > i, else row j.
    fit_status_ : int
        0, or 1 when the solver did not converge.
    intercept_ : ndarray of shape (n_problems,)
        Constants of the decision functions.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : ndarray of shape (n_problems,) or int
        Steps in each binary problem.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Support vectors of each class.
    shape_fit_ : tuple of int
        Shape of X.
    support_ : ndarray of shape (n_SV,)
        Rows of X that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        Those rows, in X's precision; read-only.
    model_ : dcsvm.Model
        The native model.
    report_ : dcsvm.Report
        What the training did: objective, violation, steps, seconds, memory, levels.

    See Also
    --------
    SVR : Predicts a middle, with a tube in which targets cost nothing.

    Examples
    --------
    >>> import numpy
    >>> from dcsvm import QuantileSVR
    >>> X = numpy.linspace(0, 1, 400).reshape(-1, 1)
    >>> y = numpy.sin(6 * X.ravel()) + numpy.random.RandomState(0).exponential(X.ravel())
    >>> low, high = QuantileSVR(quantile=[0.1, 0.9], C=10).fit(X, y).predict(X).T
    >>> bool((low <= high).all()), 0.75 < float(numpy.mean((low <= y) & (y <= high))) < 0.85
    (True, True)
    """

    _formulation = "epsilon_svr"

    @parameters_checked
    @of_training(
        "array-like of shape (n_samples,)",
        "Targets.",
        "Factors of each row's C. Rows of weight 0 or below take no part.",
        x=TRAINING_KERNEL_X,
    )
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model, or one for each quantile.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C. Rows of weight 0 or below take no part.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        if np.ndim(self.quantile) == 0:
            vars(self).pop("estimators_", None)
            self._fit(X, y, sample_weight)
            return self
        quantiles = np.asarray(self.quantile)
        if quantiles.ndim != 1 or not len(quantiles) or not all(0 < q < 1 for q in quantiles):
            raise ValueError(f"quantile must be a number in (0, 1), or a list of some, got {self.quantile!r}")
        before = vars(self).get("estimators_", [])
        own = self._parameters()
        for name in [name for name in vars(self) if name == "_model" or (name.endswith("_") and name not in own)]:
            del vars(self)[name]
        kept = before if self.warm_start and len(before) == len(quantiles) else [None] * len(quantiles)
        each = [one or type(self)() for one in kept]
        for one, quantile in zip(each, quantiles, strict=True):
            one.set_params(**{**own, "quantile": float(quantile)})
            one.fit(X, y, sample_weight)
        self.estimators_: list[QuantileSVR] = each
        self.n_features_in_: int = each[0].n_features_in_
        if hasattr(each[0], "feature_names_in_"):
            self.feature_names_in_ = each[0].feature_names_in_
        return self

    def _options(self, n: int) -> dict[str, Any]:
        return {**super()._options(n), "epsilon": 0.0}

    def _start(self, n: int, targets: Any, weights: FloatArray | None) -> FloatArray | None:
        upper = np.full(n, self._options(n)["C"]) * (1.0 if weights is None else weights)
        alpha = np.zeros(n)
        alpha[: len(self._model.alpha)] = self._model.alpha[:n]
        quantile: Any = self.quantile
        return one_problem_start(self._model, upper * np.where(alpha > 0, quantile, 1 - quantile), None)

    @of_rows("y_pred", "ndarray of shape (n_samples,) or (n_samples, n_quantiles)", "Predicted quantiles.", x=KERNEL_X)
    def predict(self, X: Any) -> FloatArray:
        """Predict the quantiles of the targets of the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_quantiles)
            Predicted quantiles.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        if "estimators_" not in vars(self):
            return super().predict(X)
        columns = np.sort(np.column_stack([one.predict(X) for one in self.estimators_]), axis=1)
        places = np.argsort(np.argsort([float(one.quantile) for one in self.estimators_], kind="stable"))  # type: ignore[arg-type]
        return np.asarray(columns[:, places])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the pinball loss of a constant that the predictions save: D^2, at most 1, 0 for the constant quantile.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; K(X, training rows) for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The score; of several quantiles the mean.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For data that does not fit the model.
        """
        predicted = self.predict(X)
        quantiles: Any = np.atleast_1d(np.asarray(self.quantile, dtype=np.float64))
        columns = predicted.reshape(len(predicted), -1).T
        scores = [
            d2_pinball_score(y, column, alpha=q, sample_weight=sample_weight)
            for q, column in zip(quantiles, columns, strict=True)
        ]
        return float(np.mean(scores))

    def __getattr__(self, name: str) -> Any:
        if name in ("model_", "report_") and "estimators_" in vars(self):
            raise AttributeError(f"{name}: of several quantiles each has its own, such as estimators_[0].{name}")
        return object.__getattribute__(self, name)
