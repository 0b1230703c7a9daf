"""``LogisticRegressionCV``: C and l1_ratio by cross-validation, each C of a fold from the weights of the C before."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import sklearn.linear_model
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, metadata_routing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from sklearn.utils.metadata_routing import _raise_for_params, _routing_enabled  # isort: skip
from sklearn.utils.validation import _check_method_params

from .._input.validate import FloatArray
from .._linear.model import LinearModel
from .._shown.training_warnings import users_line
from ._docs import LABELLED_AND_ROUTED, documented
from ._estimator import with_own_names
from ._inputs import parameters_checked
from ._linear_parameters import LogisticCVParameters
from ._logistic import LogisticRegression
from ._logistic_base import LOGISTIC_FORMS, PENALTY_IS_DEPRECATED, LogisticBase
from ._logistic_problem import Chosen, LogisticProblem, Paths, Weights, stop_reason

if TYPE_CHECKING:
    from typing_extensions import Self

_DEFAULTS = inspect.signature(sklearn.linear_model.LogisticRegressionCV).parameters
_WARNINGS = {  # of parameters that are "warn", in the scikit-learn that is installed
    "l1_ratios": "The default value for l1_ratios will change from None to (0.0,) in version 1.10. From version 1.10 onwards, "
    "only array-like with values in [0, 1] will be allowed, None will be forbidden. To avoid this warning, explicitly set a "
    "value, e.g. l1_ratios=(0,).",
    "scoring": "The default value of the parameter 'scoring' will change from None, i.e. accuracy, to 'neg_log_loss' in version "
    "1.11. To silence this warning, explicitly set the scoring parameter: scoring='neg_log_loss' for the new, scoring='accuracy' "
    "or scoring=None for the old default.",
    "use_legacy_attributes": "The fitted attributes of LogisticRegressionCV will be simplified in scikit-learn 1.10 to remove "
    "redundancy. Set `use_legacy_attributes=False` to enable the new behavior now, or set it to `True` to silence this warning "
    "during the transition period while keeping the deprecated behavior for the time being. The default value of "
    "use_legacy_attributes will change from True to False in scikit-learn 1.10.",
}


@documented(
    *("classes_", "C_", "Cs_", "coefs_paths_", "l1_ratio_", "l1_ratios_", "scores_"),
    **LOGISTIC_FORMS
    | {
        "C_": ("float, or ndarray of shape (n_vectors,)", "The best C."),
        "n_iter_": (
            "ndarray of shape (n_folds, n_l1_ratios, n_Cs)",
            "Newton steps. With legacy attributes (1, n_folds, n_Cs[, n_l1_ratios]).",
        ),
    },
)
@dataclass(kw_only=True, repr=False, eq=False)
class LogisticRegressionCV(LogisticCVParameters, LogisticBase):
    """Logistic regression that chooses C, and l1_ratio, by cross-validation: scikit-learn's ``LogisticRegressionCV``.

    Parameters
    ----------
    class_weight : dict or 'balanced' or None, default=None
        Factors of C, ``{label: factor}``, others 1; 'balanced': n_samples / (n_classes * rows of the class), where
        rows count as much as their ``sample_weight``.
    fit_intercept : bool, default=True
        With a bias.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS (joblib sets it in its workers), else every core; -1:
        every core. The model does not depend on it.
    tol : float >= 0, default=0.0001
        Stop when the objective is within 1e-12 ``tol`` of its minimum, relative; with l1 1e-6 ``tol``. By the
        gradient, relative to that of weights 0: C=inf 1e-2 ``tol``, two classes with l1 0.1 ``tol``.
        solver='liblinear': LIBLINEAR's.
    max_iter : int >= 0, default=100
        Newton steps at most, 0: the weights stay 0, or where they are. Reaching it is a ConvergenceWarning.
    verbose : bool or int, default=0
        Show progress on stderr.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows.
    solver : {'lbfgs', 'liblinear', 'newton-cg', 'newton-cholesky', 'sag', 'saga'}, default='lbfgs'
        All mean the multinomial model, found by Newton's method, and l2. 'saga': also l1 and the elastic net.
        'liblinear': l2 or l1 of two classes, and the bias is regularised.
    intercept_scaling : float > 0, default=1.0
        For solver='liblinear': value of the feature whose weight is the bias; the larger, the less it is regularised.
    multi_class : {'auto', 'ovr', 'multinomial'}, default='auto'
        'auto' and 'multinomial': all classes in one problem. 'ovr': each class against the rest, probabilities
        divided by their sum, as scikit-learn did until 1.7.
    dual : bool, default=False
        Whether tol is that of the dual problem, for solver 'liblinear' with l2.
    Cs : int or array-like, default=10
        Values of C; a number: so many from 1e-4 to 1e4.
    l1_ratios : array-like or None, default='warn'
        Values of l1_ratio. 'warn' and None: l2.
    cv : int, splitter, iterable or None, default=None
        Folds of equal classes, a splitter, or pairs of rows to train on and to test on; None: 5.
    penalty : {'l1', 'l2', 'elasticnet'}, default='deprecated'
        As of LogisticRegression, with l1_ratios in the place of l1_ratio.
    scoring : str, callable or None, default='warn'
        Name of a score or function (estimator, X, y). 'warn' and None: accuracy; scikit-learn 1.11 will take
        'neg_log_loss'.
    refit : bool, default=True
        Train on all rows with the best C. False: the mean of the folds' weights, each for its own best C.
    use_legacy_attributes : bool, default='warn'
        Whether attributes are as in scikit-learn until 1.9. 'warn': they are.

    Attributes
    ----------
    C_ : float, or ndarray of shape (n_vectors,)
        The best C.
    Cs_ : ndarray of shape (n_Cs,)
        The values of C.
    l1_ratio_ : float, or ndarray of shape (n_vectors,)
        The best l1_ratio.
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        The values of l1_ratio.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_Cs)
        Scores. With legacy attributes a dict, of each class (n_folds, n_Cs) or (n_folds, n_Cs, n_l1_ratios).
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_Cs, n_vectors, n_features + bias)
        Weights. With legacy attributes a dict, of each class (n_folds, n_Cs, [n_l1_ratios,] n_features + bias).
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights; two classes: (1, n_features).
    intercept_ : ndarray of shape (n_classes,)
        What a decision adds to ``coef_ @ x``; two classes: (1,).
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when X was a data frame.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_Cs)
        Newton steps. With legacy attributes (1, n_folds, n_Cs[, n_l1_ratios]).
    model_ : LinearModel
        The native model of the present weights; classes are numbered in it.
    report_ : LinearReport
        What the training did. A lower bound of the objective is known where the bias is regularised or there is none,
        and C is finite; else it is NaN.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_twonorm(1000, random_state=0)
    >>> model = dcsvm.LogisticRegressionCV(l1_ratios=(0,), scoring="accuracy", use_legacy_attributes=False).fit(X, y)
    >>> bool(0 < model.C_ <= 1e4)
    True
    """

    # sample_weight is the scorer's
    __metadata_request__score = {"sample_weight": metadata_routing.UNUSED}  # noqa: RUF012

    @parameters_checked
    @LABELLED_AND_ROUTED
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C, >= 0. Rows of weight 0 take no part.
        **params : object
            For the splitter and the scorer, with scikit-learn's metadata routing.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        _raise_for_params(params, self, "fit")
        given = self._without_warn("l1_ratios")
        penalty, ratios = self._ratios(given)
        scoring, legacy = self._without_warn("scoring"), self._without_warn("use_legacy_attributes", True)
        X, y = self._training_data(X, y)
        problem = self._problem(X, y, sample_weight, self.multi_class == "ovr")
        routed = self._routed("fit", sample_weight, params)
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y, **routed.splitter.split))
        self.Cs_: FloatArray = (
            np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, Integral) else np.asarray(self.Cs, dtype=np.float64)
        )
        self.l1_ratios_: npt.NDArray[Any] = np.array([None] if given is None else ratios)
        scored = get_scorer(scoring), X, sample_weight, routed.scorer.score
        if self.multi_class == "ovr" and len(self.classes_) > 2:
            parts = [
                (problem.against_rest(k, self.solver == "liblinear"), np.where(y == c, 1, -1))
                for k, c in enumerate(self.classes_)
            ]
        else:
            parts = [(problem, y)]
        labels = self.classes_ if len(parts) == 1 else np.array([-1, 1])
        paths = [self._paths(part, folds, ratios, self._judge(*scored, of_part, labels)) for part, of_part in parts]
        chosen = [self._choose(part, path, np.array(ratios), penalty) for (part, _), path in zip(parts, paths, strict=True)]
        self._take(with_own_names(self._together(problem, chosen), self))
        self.C_: Any = np.array([one.C for one in chosen])
        self.l1_ratio_: Any = np.array([one.l1_ratio for one in chosen])
        self._keep(paths, has_ratios=given is not None, legacy=legacy or len(parts) > 1)
        return self

    def _without_warn(self, name: str, instead: Any = None) -> Any:
        """The parameter; for "warn" what this means, after scikit-learn's warning where the installed one has it."""
        value = getattr(self, name)
        if not (isinstance(value, str) and value == "warn"):
            return value
        if name in _DEFAULTS and _DEFAULTS[name].default == "warn":
            warnings.warn(_WARNINGS[name], FutureWarning, stacklevel=users_line())
        return instead

    def _ratios(self, given: Any) -> tuple[str | None, list[float]]:
        """The penalty's name and the values of l1_ratio that hold, after scikit-learn's warnings and refusals."""
        plain = [] if given is None else list(given)
        if self.l1_ratios is None and self.penalty == "deprecated" and PENALTY_IS_DEPRECATED:
            text = (
                "'l1_ratios=None' was deprecated in version 1.8 and will trigger an error in 1.10. Use an array-like with values"
            )
            warnings.warn(f"{text} in [0, 1] instead.", FutureWarning, stacklevel=users_line())
        whole = False if all(r == 0 for r in plain) else True if all(r == 1 for r in plain) else None
        penalty = self._kind_of_penalty(
            whole,
            False,
            "'l1_ratios' and 'Cs' instead. Use l1_ratios=(0,) instead of penalty='l2', l1_ratios=(1,) instead of penalty='l1', "
            "l1_ratios set to floats between 0 and 1 instead of penalty='elasticnet', and Cs=(np.inf,) instead of penalty=None",
        )
        if penalty == "elasticnet":
            if not plain or any(not (isinstance(r, Real) and 0 <= float(r) <= 1) for r in plain):
                raise ValueError(f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={given!r})")
            return penalty, [float(r) for r in plain]
        if plain and self.penalty != "deprecated":
            text = f"l1_ratios parameter is only used when penalty is 'elasticnet'. Got (penalty={penalty})"
            warnings.warn(text, UserWarning, stacklevel=users_line())
        return penalty, [float(penalty == "l1")] * max(1, len(plain))

    def _judge(
        self, scorer: Any, X: Any, sample_weight: Any, params: dict[str, Any], y: Any, labels: npt.NDArray[Any]
    ) -> Callable[[Weights, float, npt.NDArray[Any]], float]:
        """score(weights, C, test rows), of rows X with labels y, one of those given."""
        if (
            scorer is not None
            and hasattr(scorer, "_score_func")
            and "labels" in (known := inspect.signature(scorer._score_func).parameters)
        ):  # the test rows of a fold may lack a class
            two = {"pos_label": labels[-1]} if len(labels) == 2 and "pos_label" in known else {}
            scorer = make_scorer(
                scorer._score_func,
                greater_is_better=scorer._sign == 1,
                response_method=scorer._response_method,
                **{"labels": labels, **two, **getattr(scorer, "_kwargs", {})},
            )

        def judge(weights: Weights, C: float, test: npt.NDArray[Any]) -> float:
            model = LogisticRegression(solver=self.solver, C=C)
            model.classes_, model.n_features_in_ = labels, X.shape[1]
            model.coef_, model.intercept_ = weights
            if scorer is None:
                return float(model.score(X[test], y[test], None if sample_weight is None else np.asarray(sample_weight)[test]))
            return float(scorer(model, X[test], y[test], **_check_method_params(X=X, params=params, indices=test)))

        return judge

    def _paths(
        self, problem: LogisticProblem, folds: Iterable[tuple[Any, Any]], ratios: list[float], judge: Callable[..., float]
    ) -> Paths:
        unfinished, found = "converged", []
        for train, test in folds:
            rows = np.arange(problem.X.shape[0])
            counts = np.bincount(rows[train], minlength=len(rows)).astype(np.float64)
            part = problem.of_rows(counts)
            for ratio in ratios:
                start = None
                for C in self.Cs_.tolist():
                    model = part.solve(C, ratio, self.max_iter, start)
                    start = Weights(model.coef_, model.intercept_)
                    unfinished = stop_reason(model) if stop_reason(model) != "converged" else unfinished
                    steps = model.report.n_iter if model.report else 0
                    found.append((self._beside(start), judge(start, C, test), steps))
        self._warn_of(unfinished)
        shape = (-1, len(ratios), len(self.Cs_))
        weights = np.array([w for w, _, _ in found])
        return Paths(
            weights.reshape(*shape, *weights.shape[1:]),
            np.array([score for _, score, _ in found]).reshape(shape),
            np.array([n for _, _, n in found], dtype=np.int32).reshape(shape),
        )

    def _beside(self, weights: Weights) -> FloatArray:
        """Coefficients and bias as scikit-learn's paths have them, (n_vectors, columns and bias)."""
        return np.column_stack(weights) if self.fit_intercept else weights.coef

    def _apart(self, both: FloatArray) -> Weights:
        return Weights(both[:, :-1], both[:, -1]) if self.fit_intercept else Weights(both, np.zeros(len(both)))

    def _choose(self, problem: LogisticProblem, paths: Paths, ratios: FloatArray, penalty: str | None) -> Chosen:
        if self.refit:
            ratio, C = np.unravel_index(np.argmax(paths.scores.sum(axis=0).T), paths.scores.shape[:0:-1])[::-1]
            start = self._apart(paths.weights[:, ratio, C].mean(axis=0))
            model = problem.solve(float(self.Cs_[C]), float(ratios[ratio]), self.max_iter, start)
            self._warn_of(stop_reason(model))
            return Chosen(float(self.Cs_[C]), float(ratios[ratio]), model)
        best = [np.unravel_index(np.argmax(one.T), one.T.shape)[::-1] for one in paths.scores]
        weights = np.mean([one[place] for one, place in zip(paths.weights, best, strict=True)], axis=0)
        l1_ratio = float(np.mean([ratios[r] for r, _ in best])) if penalty == "elasticnet" else 0.0
        model = self._apart(weights).model(problem.options["solver"], problem.options["bias"], problem.n_classes)
        return Chosen(float(np.mean([self.Cs_[C] for _, C in best])), l1_ratio, model)

    @staticmethod
    def _together(problem: LogisticProblem, chosen: list[Chosen]) -> LinearModel:
        """The only model, or the models of each class against the rest as one."""
        if len(chosen) == 1:
            return chosen[0].model
        both = Weights(*(np.concatenate([getattr(one.model, f"{name}_") for one in chosen]) for name in Weights._fields))
        return both.model(problem.options["solver"], problem.options["bias"], problem.n_classes)

    def _keep(self, paths: list[Paths], *, has_ratios: bool, legacy: bool) -> None:
        """Sets scores_, coefs_paths_ and n_iter_, and the others as scikit-learn has them. paths: of each problem."""
        self.scores_: Any = paths[0].scores
        self.coefs_paths_: Any = paths[0].weights
        self.n_iter_ = paths[0].n_iter
        if not legacy:
            self.C_, self.l1_ratio_ = float(self.C_[0]), float(self.l1_ratio_[0])
            return
        labels = self.classes_ if len(self.classes_) > 2 else self.classes_[1:]
        last = np.s_[:, :] if has_ratios else np.s_[:, :, 0]  # folds, Cs and ratios, where they were given
        parts = [Paths._make(np.swapaxes(values, 1, 2)[last] for values in part) for part in paths]
        of_labels = parts if len(parts) > 1 else len(labels) * parts
        self.scores_ = {label: part.scores for label, part in zip(labels, of_labels, strict=True)}
        vectors = [part.weights[..., k, :] for part in parts for k in range(part.weights.shape[-2])]
        self.coefs_paths_ = dict(zip(labels, vectors, strict=True))
        self.n_iter_ = np.array([part.n_iter for part in parts], dtype=np.int32)
        self.C_ = np.resize(self.C_, len(labels))
        self.l1_ratio_ = np.resize(self.l1_ratio_, len(labels)) if has_ratios else np.full(len(labels), None)

    # Scores by `scoring`

    def score(self, X: Any, y: Any, sample_weight: Any = None, **score_params: Any) -> float:
        """Score by ``scoring`` on rows and labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **score_params : object
            For the scorer, with scikit-learn's metadata routing.

        Returns
        -------
        float
            The score.
        """
        _raise_for_params(score_params, self, "score")
        routed = self._routed("score", sample_weight, score_params)
        return float(self._get_scorer()(self, X, y, **routed.scorer.score))

    def _routed(self, method: str, sample_weight: Any, params: dict[str, Any]) -> Any:
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if _routing_enabled():
            return process_routing(self, method, **params, **weights)
        return Bunch(splitter=Bunch(split={}), scorer=Bunch(score={**params, **weights}))

    def get_metadata_routing(self) -> Any:
        """Where ``fit`` and ``score`` send what they are given besides.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            For scikit-learn's metadata routing.
        """
        to_splitter = MethodMapping().add(caller="fit", callee="split")
        to_scorer = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=to_splitter)
        return router.add(scorer=self._get_scorer(), method_mapping=to_scorer)

    def _get_scorer(self) -> Any:
        return get_scorer("accuracy" if self.scoring in ("warn", None) else self.scoring)
