"""Classification from samples of the rows: RandSVM and the cascade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._classifier import BaseSVC
from ._docs import OF_SVM, documented
from ._parameters import TRAIN, CostAndBiasParameters, declared


@documented(
    *OF_SVM,
    "class_weight_",
    "classes_",
    random_state="Of the samples and of the folds of `probability`.",
)
@dataclass(kw_only=True, repr=False, eq=False)
class RandSVC(BaseSVC, CostAndBiasParameters):
    """Support vector classification on random samples (RandSVM): near-optimal from samples that hardly grow with the rows.

    A sample of ``sample_factor`` k rows is solved; rows outside that violate its margin replace those that are no support
    vectors, and it is solved again. When no row violates, the result is that of :class:`SVC`, and ``report_.violation`` proves
    it. When k support vectors are found, it stops with ``report_.stop_reason == "support_limit"``: near-optimal, and no warning,
    as that is what k asks for. ``report_.levels`` has the rounds.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    See Also
    --------
    SVC : The exact solution.
    DCSVC : Divide and conquer.

    References
    ----------
    .. [1] Krishnan, Bhattacharyya, Hariharan: A Randomized Algorithm for Large Scale Support Vector Learning, NIPS 2007.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(5000, random_state=0)
    >>> model = dcsvm.RandSVC(C=10, gamma=4, n_support_estimate=400, random_state=0).fit(X, y)
    >>> model.report_.stop_reason, bool(model.score(X, y) > 0.97)
    ('support_limit', True)
    """

    _formulation = "c_svc"

    epsilon: float = declared(
        TRAIN["rand_epsilon"], text="Distortion in the estimate of k, Eq. (4) of [1]_: 16 / epsilon^2 log(4 n / delta)."
    )
    delta: float = declared(TRAIN["rand_delta"], text="Probability in Eq. (4) that the result is worse.")
    n_support_estimate: int | None = declared(
        TRAIN["n_support_estimate"],
        text="k, the estimated number of support vectors of each pair of classes, at which it stops; None: Eq. (4), by `epsilon` "
        "and `delta`. The paper doubles that for data that is not separable.",
    )
    sample_factor: float = declared(TRAIN["sample_factor"], text="c: samples have c k rows.")

    def _options(self, n: int) -> dict[str, Any]:
        options = {**super()._options(n), "solver": "rand", "rand_epsilon": self.epsilon, "rand_delta": self.delta}
        del options["epsilon"]  # train's is the tube's
        return options

    def _warn_unless_converged(self) -> None:
        if self._model.report.stop_reason != "support_limit":
            super()._warn_unless_converged()


@documented(
    *OF_SVM, "class_weight_", "classes_", random_state="Of the dealing of rows to leaves and of the folds of `probability`."
)
@dataclass(kw_only=True, repr=False, eq=False)
class CascadeSVC(BaseSVC, CostAndBiasParameters):
    """Cascade support vector classification, a baseline: leaves are solved apart, their support vectors together, to one root.

    Passes are repeated, with the root's support vectors in every leaf, until no row violates the root's solution; then the result
    is that of :class:`SVC`. ``n_passes=1`` is the approximate, fast use; when rows still violate, that is a ConvergenceWarning.

    Parameters and attributes: ``help()`` of this class, or its page in the API reference, lists them.

    See Also
    --------
    SVC : The exact solution, usually sooner.
    DCSVC : Divide and conquer by clusters.

    References
    ----------
    .. [1] Graf, Cosatto, Bottou, Durdanovic, Vapnik: Parallel Support Vector Machines: The Cascade SVM, NIPS 2004.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000, random_state=0)
    >>> model = dcsvm.CascadeSVC(C=10, gamma=4, n_leaves=4, random_state=0).fit(X, y)
    >>> model.report_.stop_reason, bool(model.score(X, y) > 0.97)
    ('converged', True)
    """

    _formulation = "c_svc"

    n_leaves: int = declared(TRAIN["cascade_leaves"], text="Parts of the first layer, a power of two.")
    n_passes: int | None = declared(TRAIN["cascade_passes"], text="Passes at most; None: until no row violates.")

    def _options(self, n: int) -> dict[str, Any]:
        return {
            **super()._options(n),
            "solver": "cascade",
            "cascade_leaves": self.n_leaves,
            "cascade_passes": self.n_passes,
        }

    def _limit(self) -> str:
        return "max_iter" if self.n_passes is None or 0 <= self.max_iter <= self._model.report.n_iter else "n_passes"
