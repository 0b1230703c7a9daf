"""Estimators that find C (or nu) and gamma themselves: the search of :func:`dcsvm.tune`, and SVC, NuSVC or SVR with what won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._input.choices import GammaRule
from .._input.kernels import uses
from .._input.parameters import defaults_of
from .._search.tune import REFUSED, searched, tune
from .._svm.train import parameter_names
from ._bases import ClassifierMixin
from ._classifier import BaseSVC
from ._docs import TRAINING_KERNEL_X, of_training
from ._inputs import class_codes, class_factors, kernel_matrix, labels_of, parameters_checked, sample_weights, targets_of
from ._parameters import (
    POSITIVE,
    TRAIN,
    at_least,
    declared,
    parameter,
)
from ._regression import BaseSVR
from ._svm import SMALL, BaseSVM
from ._to_sklearn import to_sklearn

if TYPE_CHECKING:
    from typing_extensions import Self

_VALUES = "a number, values in a list, or a range as a tuple (low, high)"
FOUND = {
    "best_params_": ("dict", "What won, such as ``{'C': ..., 'gamma': ...}``."),
    "best_score_": ("float", "Its mean score over the folds of the race, on the most rows that it raced on. It won by it."),
    "best_index_": ("int", "Its place in ``cv_results_``."),
    "held_out_score_": (
        "float or None",
        "Its score on rows that no round has seen, by a model that was trained without them; None where no fold was to spare.",
    ),
    "cv_results_": (
        "dict of arrays",
        "What was tried, as HalvingGridSearchCV has it: ``params`` (a list), ``param_C``, ..., ``iter``, ``n_resources`` (rows), "
        "``split0_test_score``, ..., ``mean_test_score``, ``std_test_score``, ``rank_test_score``. Times of trainings and scores "
        "are not known apart: ``seconds`` has both.",
    ),
    "n_splits_": ("int", "Folds of the race."),
    "stop_reason_": ("str", "'finished', or 'budget': the best so far won."),
    "gamma_": ("float or None", "The gamma that won; None: the kernel has none."),
}
OF_C = {"C_": ("float", "The C that won.")}


@dataclass(kw_only=True, repr=False, eq=False)
class TuningParameters:
    """Of the search."""

    gamma: float | GammaRule | Sequence[float] | None = parameter(
        None,
        f"{_VALUES.capitalize()}, or 'scale' or 'auto'. None: powers of 4, by the distances between rows.",
        POSITIVE,
        "array-like",
        ("scale", "auto"),
        None,
        kind="float, array-like, tuple, {'scale', 'auto'} or None",
    )
    cv: Any = parameter(
        5,
        "Folds of equal classes, a splitter, or pairs of rows to train on and to test on. A number: as many race, and one more "
        "judges the winner; else the last fold judges, where there are at least three and it has ten test rows. None: 5.",
        "cv_object",
        kind="int, splitter, iterable or None",
    )
    scoring: Any = parameter(
        None,
        "As :func:`dcsvm.cross_validate` takes it. None: accuracy or r2.",
        callable,
        str,
        None,
        kind="str, callable or None",
    )
    min_rows: int = parameter(500, "Rows of the first round, at least 25 for each class.", at_least(2))
    budget: float | None = parameter(
        None,
        "Seconds for search, training and held-out score; the training is given what is left of them. None: no limit.",
        POSITIVE,
        None,
    )
    random_state: Any = parameter(None, "Seed of the folds, of the samples, and of the training.", "random_state")
    warm_start: bool = parameter(
        False,
        "After the first fit there is no race: what won is trained on the rows, from the last solution. New rows may follow "
        "the old ones.",
        "boolean",
    )


@dataclass(kw_only=True, repr=False, eq=False)
class TunedCostParameters:
    """Of those that search C."""

    C: float | Sequence[float] | None = parameter(
        None,
        f"{_VALUES.capitalize()}. None: powers of 8, for each gamma from where all alphas are at the bound to where none is.",
        POSITIVE,
        "array-like",
        None,
        kind="float, array-like, tuple or None",
    )
    fit_intercept: bool = declared(TRAIN["fit_intercept"], text="With a bias (LIBSVM's problem) or without (the DC-SVM paper's).")


@dataclass(kw_only=True, repr=False, eq=False)
class TunedNuParameters:
    nu: float | Sequence[float] | None = parameter(
        None,
        f"{_VALUES.capitalize()}, all in (0, 1]. None: from 0.01 to 0.7, as far as the classes' sizes allow.",
        POSITIVE,
        "array-like",
        None,
        kind="float, array-like, tuple or None",
    )


class Tuned(BaseSVM):
    """What the classes share. ``_plain``: the estimator of one value of each."""

    _plain: type[Any]
    cv: Any
    scoring: Any
    min_rows: int
    budget: float | None

    def _race(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
        """Searches, trains, and sets the attributes."""
        if self.warm_start and hasattr(self, "best_params_"):
            return self._train(X, y, sample_weight, self.best_params_, self._seed(), warm=True)
        data, targets = self._race_data(X, y)
        n = data.shape[0]
        if n == 1:
            raise ValueError("n_samples=1: folds need more rows than one")
        given = sample_weights(sample_weight, X, n)
        part: Any = slice(None) if given is None else given > 0
        seed = self._seed()
        own = self._parameters()
        apart = {*defaults_of(tune), *REFUSED, "random_state", "class_weight"}
        options = {name: own[name] for name in parameter_names() if name in own and name not in apart}
        options |= {"formulation": self._formulation, "kernel": self._kernel_of_search(), "random_state": seed}
        if self.precision == "auto":
            options["precision"] = "double" if n <= SMALL else "single"
        if isinstance(self, ClassifierMixin):
            classes, codes = class_codes(targets[part])
            factors = class_factors(own["class_weight"], classes, targets[part])
            if self._formulation == "c_svc":
                options["class_weight"] = dict(zip(classes.tolist(), factors.tolist(), strict=True))
            elif np.ptp(factors):  # nu_svc takes weights of rows
                given = np.ones(n) if given is None else np.array(given)
                given[part] *= factors[codes]
        values = {name: own.get(name) for name in ("C", "gamma", "nu")}
        if not uses(options["kernel"], "gamma"):
            values["gamma"] = None  # which scikit-learn's estimators ignore there too

        def training(best: dict[str, float], most: float | None) -> None:
            self._train(X, y, sample_weight, best, seed, most=most)

        found = searched(
            data, targets, values, training,
            cv=5 if self.cv is None else self.cv, groups=groups,
            scoring=self.scoring, sample_weight=given, min_rows=self.min_rows, budget=self.budget,
            calibrated=own.get("probability") not in (None, False, "deprecated"), callback=self.callback, parameters=options,
            function=type(self).__name__,
        )  # fmt: skip
        self.best_params_: dict[str, float] = found.best_params
        self.best_score_: float = found.winner.score
        self.held_out_score_: float | None = found.held_out_score
        self.n_splits_: int = found.n_folds
        self.stop_reason_: str = found.stop_reason
        self.gamma_: float | None = found.best_params.get("gamma")
        self._results(found.trials, found.winner.round)

    def _kernel_of_search(self) -> Any:
        return "precomputed" if callable(self.kernel) else self.kernel

    def _race_data(self, X: Any, y: Any) -> tuple[Any, Any]:
        """X and y of the search, checked as in a training."""
        X, data, y = self._checked_for_training(X, y)
        if callable(self.kernel):
            data = kernel_matrix(self.kernel, X, X)
        return data, labels_of(y) if isinstance(self, ClassifierMixin) else targets_of(y)

    def _train(
        self, X: Any, y: Any, sample_weight: Any, best: dict[str, float], seed: int, warm: bool = False, most: float | None = None
    ) -> None:
        plain = self._with(best, seed)
        if most is not None:
            plain.max_seconds = most if plain.max_seconds is None else min(most, plain.max_seconds)
        if warm:
            vars(plain).update({name: value for name, value in vars(self).items() if name not in self._parameters()})
            plain.warm_start = True
        plain.fit(X, y, sample_weight)
        names = plain.get_params(deep=False)
        vars(self).update({name: value for name, value in vars(plain).items() if name not in names})

    def _with(self, best: dict[str, float], seed: Any) -> Any:
        """The plain estimator, not fitted."""
        given = {name: value for name, value in self._parameters().items() if name in self._plain().get_params(deep=False)}
        given |= {"gamma": "scale", **best, "warm_start": False}
        if "random_state" in given:
            given["random_state"] = seed
        return self._plain(**given)

    def _results(self, trials: list[dict[str, Any]], last: int) -> None:
        names = [name for name in ("C", "nu", "gamma") if name in trials[0]]
        scores = np.array([trial["fold_scores"] for trial in trials])
        mean = scores.mean(axis=1)
        params = [{name: trial[name] for name in names} for trial in trials]
        self.cv_results_: dict[str, Any] = {
            **{f"param_{name}": np.ma.array([trial[name] for trial in trials]) for name in names},
            "params": params,
            "iter": np.array([t["round"] for t in trials]),
            "n_resources": np.array([t["rows"] for t in trials]),
            **{f"split{i}_test_score": column.copy() for i, column in enumerate(scores.T)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": 1 + (mean > mean[:, None]).sum(axis=1).astype(np.int32),
            "seconds": np.array([t["seconds"] for t in trials]),
        }
        of_winner = [i for i, t in enumerate(trials) if params[i] == self.best_params_ and t["round"] == last]
        self.best_index_: int = of_winner[-1]

    def to_sklearn(self) -> Any:
        """The model as an estimator of ``sklearn.svm``, as SVC's and SVR's ``to_sklearn`` gives it.

        Returns
        -------
        sklearn.svm.SVC, NuSVC or SVR
            With the parameters that won.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For a model that stopped early.
        """
        self._check_fitted()
        plain = self._with(self.best_params_, None)
        vars(plain).update({name: value for name, value in vars(self).items() if name not in self._parameters()})
        return to_sklearn(plain)


_GROUPS = ("groups", "array-like of shape (n_samples,), default=None", "For a splitter that takes them, such as GroupKFold.")
_of_labels = of_training(
    *("array-like of shape (n_samples,)", "Class labels, numbers or text."),
    "Factors of each row's C in trainings; scores are not weighted. Rows of weight 0 take no part.",
    x=TRAINING_KERNEL_X,
    more=(_GROUPS,),
)


class TunedClassifier(Tuned, BaseSVC):
    @parameters_checked
    @_of_labels
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Find the parameters, and fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : array-like of shape (n_samples,)
            Class labels, numbers or text.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C in trainings; scores are not weighted. Rows of weight 0 take no part.
        groups : array-like of shape (n_samples,), default=None
            For a splitter that takes them, such as GroupKFold.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        self._race(X, y, sample_weight, groups)
        return self


class TunedRegressor(Tuned, BaseSVR):
    @parameters_checked
    @of_training(
        *("array-like of shape (n_samples,)", "Targets."),
        "Factors of each row's C in trainings; scores are not weighted. Rows of weight 0 take no part.",
        x=TRAINING_KERNEL_X,
        more=(_GROUPS,),
    )
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Find the parameters, and fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows. float32 and float64 arrays of any strides, and CSR with sorted columns, are used without a
            copy. For ``kernel="precomputed"`` the kernel values of all pairs.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of each row's C in trainings; scores are not weighted. Rows of weight 0 take no part.
        groups : array-like of shape (n_samples,), default=None
            For a splitter that takes them, such as GroupKFold.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For values of parameters that are not allowed, and for data that is not finite, empty, or of other shapes.
        """
        self._race(X, y, sample_weight, groups)
        return self
