"""Why a kernel model decides as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._input import validate
from .._input.validate import FloatArray
from .._model.explanation import (
    Explanation,
    NearestSupport,
    as_shap_explanation,
    explained_by_weights,
    refuse_background,
    signed,
    without_single,
)
from .._model.native import KernelModel
from .._shown.docstrings import (
    AS_EXPLANATION,
    AS_NEAREST,
    AS_SHAP,
    BACKGROUND,
    BAD_ROWS,
    GRADIENT_SHAPE,
    N_JOBS,
    NEAREST,
    NO_SHAP,
    ROWS,
    described,
    of_rows,
)

KERNEL_ROWS = "For a precomputed kernel K(X, training rows)."


class ExplainedModel(KernelModel[_core.Model]):
    """What :class:`dcsvm.Model` has of explanations."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def clustered(self) -> bool: ...
        @property
        def coef_(self) -> FloatArray: ...
        @property
        def intercept_(self) -> FloatArray: ...
        @property
        def _flipped(self) -> bool: ...
        def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray: ...

    @described(
        ROWS,
        BACKGROUND,
        AS_SHAP,
        N_JOBS,
        returns=AS_EXPLANATION,
        raises=[
            BAD_ROWS,
            ("ValueError", "For a kernel that is neither linear nor a product over the features, and for clustered models."),
            NO_SHAP,
        ],
    )
    def explain(self, X: Any, *, background: Any = None, as_shap: bool = False, n_jobs: int | None = None) -> Any:
        """Exact Shapley values of the features: what each adds to the decision of each row.

        Kernels rbf and laplacian: the worth of some features is the decision with the kernel's factors of the others put to 1,
        as if the row agreed in them with every support vector (PKeX-Shapley, arXiv 2505.16516). That is not KernelSHAP's worth,
        an average over other rows. Kernel linear: weight times feature. Computed in double. See docs/guide/explanations.md.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        background : array-like of shape (n_features,) or None, default=None
            Of linear decisions: the row that features are compared with, as ``X.mean(axis=0)``; None: 0.
        as_shap : bool, default=False
            Return a ``shap.Explanation``, for the plots of the package shap, which must be installed.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        Explanation or shap.Explanation
            ``values`` of shape (n, n_features), or (n, n_features, n_decisions) where ``decision_function`` has several
            columns; and ``base_values``. Both are float64 and add up to the decisions.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ValueError
            For a kernel that is neither linear nor a product over the features, and for clustered models.
        ImportError
            With ``as_shap`` where shap is not installed.
        """
        if self.kernel == "linear":
            if self.clustered:
                raise ValueError("explain: this model is clustered, and each of its clusters decides by itself")
            self.decision_function(X, n_jobs=n_jobs)  # checks X
            found = explained_by_weights(self.coef_, self.intercept_, validate.as_data("X", X), background)
        else:
            refuse_background(background, self.kernel)
            values = signed(self._of_rows(_core.explain, X, n_jobs), self._flipped)
            base = signed(_core.explanation_base(self._core), self._flipped)
            found = Explanation(without_single(values), base[0] if len(base) == 1 else base)
        if validate.boolean("as_shap", as_shap):
            return as_shap_explanation(found, validate.as_data("X", X), self._names.features)
        return found

    @of_rows(
        GRADIENT_SHAPE,
        "Derivatives of what ``decision_function`` gives; float64.",
        raises=[("ValueError", "For kernels precomputed, laplacian, chi2 and tanimoto, and for clustered models.")],
    )
    def decision_gradient(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Gradients of the decisions by the features, at the rows of X. Computed in double.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n, n_features) or (n, n_features, n_decisions)
            Derivatives of what ``decision_function`` gives; float64.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ValueError
            For kernels precomputed, laplacian, chi2 and tanimoto, and for clustered models.
        """
        values = self._of_rows(_core.decision_gradient, X, n_jobs)
        gradient: FloatArray = without_single(signed(values, self._flipped))
        return gradient

    @described(
        (ROWS[0], ROWS[1], f"{ROWS[2]} {KERNEL_ROWS}"),
        NEAREST,
        N_JOBS,
        returns=AS_NEAREST,
        raises=[BAD_ROWS, ("ValueError", "For clustered models.")],
    )
    def nearest_support_vectors(self, X: Any, k: int = 5, *, n_jobs: int | None = None) -> NearestSupport:
        """The support vectors with the largest share of the decision of each row.

        The share of one is the absolute value of its coefficient times kernel value over the sum of those of all.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR. For a precomputed kernel
            K(X, training rows).
        k : int, default=5
            How many.
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        NearestSupport
            ``indices``, ``contributions`` and ``shares``, each of shape (n, k), or (n, k, n_pairs) for several pairs of
            classes.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ValueError
            For clustered models.
        """
        k = validate.integer("k", k, low=1)

        def found(core: Any, rows: Any, n_threads: int) -> Any:
            return _core.nearest_support(core, rows, k, n_threads)

        indices, contributions, shares = self._of_rows(found, X, n_jobs)
        return NearestSupport(*map(without_single, (indices, signed(contributions, self._flipped), shares)))
