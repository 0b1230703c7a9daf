"""A trained model."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input import validate
from .._input.choices import ModelFormat, Precision, Prediction
from .._input.formulations import FORMULATIONS, REGRESSIONS
from .._input.kernels import uses
from .._input.packed import to_pack
from .._input.parameters import parameters_of
from .._input.validate import FloatArray, IndexArray
from .._shown.docstrings import of_rows
from .._shown.report import Report
from .coef import check_unclustered, linear_coef
from .explained import KERNEL_ROWS, ExplainedModel
from .levels import Level


class Model(ExplainedModel):
    """A trained model, as :func:`dcsvm.train` and :func:`dcsvm.load_model` return it.
    It never changes, and it can be pickled.

    Classifiers have n_pairs = n_classes * (n_classes - 1) / 2 binary problems, one for each pair of classes (one-vs-one).
    One-class and regression have one problem: ``classes_`` is empty, ``n_support_`` has one entry, ``dual_coef_`` is
    (1, n_support) and ``intercept_`` (1,), ``alpha`` (n,); regression: alpha - alpha*.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, ascending: text, int64 when all are whole numbers, or float64.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors, grouped by class; int64.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        Those rows: CSR after CSR data, else dense float64; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class; int64.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, with scikit-learn's signs; float64.
    coef_ : ndarray of shape (n_pairs, n_features)
        Weights of the features, dense and read-only, with the signs of ``intercept_``; formed when it is asked for. Only of
        models with kernel="linear" that are not clustered (AttributeError).
    intercept_ : ndarray of shape (n_pairs,)
        Constants of the decisions, with scikit-learn's signs (clustered models: one run of pairs per cluster); float64.
    alpha : ndarray of shape (n,) or (n_pairs, n)
        Dual variables of all rows: what ``warm_start_alpha`` takes. Dense, 8 n_pairs n bytes, and made anew at each use;
        ``dual_coef_`` has the same values for the support vectors alone. nu_svc: divided by the margin r of the pair, as in
        LIBSVM, so that all of a pair are <= 0 where r is negative.
    n_features_in_ : int
        Columns that predict expects.
    levels_ : tuple of Level
        What ``keep_levels=True`` kept of divide and conquer.
    report : Report or None
        What the training did; None for a model from LIBSVM's text files.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    __slots__ = ()
    _core_type = _core.Model
    _origin = "a Model comes from dcsvm.train"

    # Prediction

    @of_rows(
        "ndarray of shape (n,)",
        "Labels, with the dtype of ``classes_``; several classes: the one with most votes, ties to the lower (two classes: a "
        "decision of 0 is for the higher, as in LIBSVM). A model of LIBSVM's files decides ties by the file's order of classes. "
        "One-class: int64, 1 inside, -1 outside. Regression: the predicted numbers, float64.",
        rows=KERNEL_ROWS,
    )
    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels, or predicted numbers, of the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR. For a precomputed kernel
            K(X, training rows).
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,)
            Labels, with the dtype of ``classes_``; several classes: the one with most votes, ties to the lower (two
            classes: a decision of 0 is for the higher, as in LIBSVM). A model of LIBSVM's files decides ties by the
            file's order of classes. One-class: int64, 1 inside, -1 outside. Regression: the predicted numbers, float64.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        labels = self._of_rows(_core.predict, X, n_jobs)
        if self.formulation in REGRESSIONS:
            return labels
        return self._as_labels(labels)

    @of_rows(
        "ndarray of shape (n,) or (n, n_pairs)",
        "Float64, with scikit-learn's signs. Two classes: positive for ``classes_[1]``. More: a column for each pair (i, j), "
        "i < j, "
        "positive for class i, in the order (0, 1), (0, 2), ..., (k - 2, k - 1). One-class: positive inside. Regression: what "
        ":meth:`predict` gives.",
        rows=KERNEL_ROWS,
    )
    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Signed distances, scaled, from the separating surface.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR. For a precomputed kernel
            K(X, training rows).
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n,) or (n, n_pairs)
            Float64, with scikit-learn's signs. Two classes: positive for ``classes_[1]``. More: a column for each pair
            (i, j), i < j, positive for class i, in the order (0, 1), (0, 2), ..., (k - 2, k - 1). One-class: positive
            inside. Regression: what :meth:`predict` gives.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        """
        values = self._of_rows(_core.decision_function, X, n_jobs)
        if values.shape[1] > 1:
            return values
        return 0.0 - values[:, 0] if self._flipped else values[:, 0]

    @of_rows(
        "ndarray of shape (n, n_classes) or (n, 2)",
        "Columns in the order of ``classes_``. One-class: inside and outside, in steps of LIBSVM's density marks.",
        rows=KERNEL_ROWS,
        raises=[("ValueError", "For a model without probabilities.")],
    )
    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Probability of each class, of a classifier or one-class model that was trained with ``probability=True``.

        Platt's sigmoids on the pairs' decision values, joined by pairwise coupling (Wu, Lin, Weng 2004). The class of highest
        probability need not be the one that :meth:`predict` votes for.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows: float32 or float64 of any strides (other numbers become float64), or scipy CSR. For a precomputed kernel
            K(X, training rows).
        n_jobs : int or None, default=None
            Threads; None: the default (DCSVM_NUM_THREADS, OMP_NUM_THREADS, else all cores), -1: all cores.

        Returns
        -------
        ndarray of shape (n, n_classes) or (n, 2)
            Columns in the order of ``classes_``. One-class: inside and outside, in steps of LIBSVM's density marks.

        Raises
        ------
        ValueError
            For another number of features, NaN or infinity (naming row and column).
        ValueError
            For a model without probabilities.
        """
        return self._of_rows(_core.predict_proba, X, n_jobs)

    def with_prediction(self, how: Prediction) -> Model:
        """The same clustered model with another way to predict.

        Parameters
        ----------
        how : {'early', 'naive'}
            "early": the nearest cluster's model, Eq. (6) of the DC-SVM paper. "naive": the sum over all clusters, Eq. (5).

        Returns
        -------
        Model
            A new model over the same memory.

        Raises
        ------
        ValueError
            For a model that is not clustered.
        """
        return Model(self._core.with_prediction(validate.choice("prediction", how, PREDICTIONS)))._named(self._names)

    def with_precision(self, precision: Precision) -> Model:
        """The same model with kernel values in another precision when it predicts.

        Parameters
        ----------
        precision : {'single', 'double'}
            "double": decisions agree with a computation in float64, as LIBSVM's, up to its rounding. "single": faster, with
            six digits or so.

        Returns
        -------
        Model
            A new model, whose files keep the precision.
        """
        return Model(self._core.with_precision(validate.choice("precision", precision, PRECISIONS)))._named(self._names)

    # Files

    def save(self, path: str | os.PathLike[str], *, format: ModelFormat = "dcsvm", sv_digits: int = 17) -> None:
        """Writes the model.

        Parameters
        ----------
        path : str or os.PathLike[str]
            The file, compressed when its name ends in .gz, .bz2 or .xz. A crash leaves the old file or the new one, never half.
        format : {'dcsvm', 'libsvm'}, default='dcsvm'
            "dcsvm" keeps everything; "libsvm" is the text that LIBSVM's tools read, without the report.
        sv_digits : int, default=17
            Significant digits of the support vectors in LIBSVM's format, 1 to 17. LIBSVM itself writes 8, which loses data; 17
            means all there are.

        Raises
        ------
        OSError
            When the file cannot be written.
        ValueError
            For "libsvm": labels that are not whole numbers, or a model that stopped early.
        """
        if validate.choice("format", format, FORMATS) == "dcsvm":
            super().save(path)
        else:
            self._check_text_format(format, "dcsvm.train")
            digits = validate.integer("sv_digits", sv_digits, low=1, high=17)
            with to_pack(validate.path("path", path)) as file:
                _core.save_libsvm_model(self._core, str(file), digits)

    # Its parts

    @property
    def report(self) -> Report:
        """What the training did; None for a model from LIBSVM's text files, which keep no report of the training."""
        if not hasattr(self, "_report"):
            found = Report(**self._core.report())
            self._report = self._with_training(found) if found.solver else None
        report: Report = self._report  # a trained model has one: no checks for users
        return report

    @property
    def levels_(self) -> tuple[Level, ...]:
        """What ``keep_levels=True`` kept of each level, bottom first: clusters, support vectors and their coefficients.

        Kept in memory alone. AttributeError after a training without ``keep_levels``, and for a model from a file or a pickle.
        """
        kept = self._core.kept_levels()
        report = self.report
        if not kept and report is not None and report.solver == "dc":
            raise AttributeError("levels_: train with keep_levels=True; files and pickles of models do not hold the levels")
        rows = max(len(self._core.classes), 2) - 1
        return tuple(
            Level(number, clusters, support, coef.reshape(rows, len(support)), of.astype(np.int64) if len(of) else None)
            for number, clusters, support, coef, of in kept
        )

    @property
    def formulation(self) -> str:
        """ "c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr" or "kernel_ridge"."""
        return self._core.formulation

    @property
    def calibration(self) -> dict[str, FloatArray] | None:
        """What :meth:`predict_proba` uses, None when the model was trained without ``probability=True``.

        ``a``, ``b`` : one for each pair (i, j), i < j: P(class i) = 1 / (1 + exp(a f + b)) with f positive for class i (LIBSVM's
        probA and probB). Regression: ``a`` is [sigma], the scale of the Laplace density of y - prediction
        ``density_marks`` : of a one-class model
        """
        values = self._core.calibration()
        return values if any(v.size for v in values.values()) else None

    @property
    def nu(self) -> float | None:
        """The training's nu; None where the formulation has none, and for models of LIBSVM's files, which do not keep it."""
        return self._core.nu if FORMULATIONS[self.formulation]["nu"] and self.report is not None else None

    @property
    def epsilon(self) -> float | None:
        """The training's epsilon; None where the formulation has none, and for models of LIBSVM's files, which do not keep it."""
        return self._core.epsilon if FORMULATIONS[self.formulation]["epsilon"] and self.report is not None else None

    @property
    def precision(self) -> str:
        """Of the kernel values of predictions, "single" or "double": the training's, or that of :meth:`with_precision`."""
        return self._core.precision

    @property
    def _flipped(self) -> bool:
        # With two classes scikit-learn's positive class is the second, LIBSVM's the first.
        return len(self._core.classes) == 2

    @property
    def support_(self) -> IndexArray:
        return self._core.support()

    @property
    def support_vectors_(self) -> Any:
        """The support vectors in the layout of the training data: a scipy.sparse.csr_matrix (a :class:`dcsvm.CsrMatrix` where
        scipy is not installed) over the model's own memory, read-only; or a dense float64 copy."""
        if self.kernel == "precomputed":
            return np.empty((0, 0))
        points = self._core.support_points()
        if isinstance(points, tuple):
            return validate.scipy_csr(validate.CsrMatrix(*points, (len(self.support_), self.n_features_in_)))
        return self._core.support_vectors().reshape(-1, self.n_features_in_)

    @property
    def n_support_(self) -> IndexArray:
        return self._core.n_support_per_class()

    @property
    def dual_coef_(self) -> FloatArray:
        coef = self._core.sv_coef().reshape(max(len(self._core.classes), 2) - 1, -1)
        return validate.read_only(0.0 - coef if self._flipped else coef)

    @property
    def coef_(self) -> FloatArray:
        if self.kernel != "linear":
            raise AttributeError(f"coef_ needs kernel='linear'; this model has kernel={self.kernel!r}")
        check_unclustered(self.clustered)
        coef: FloatArray = linear_coef(self.dual_coef_, self.n_support_, self.support_vectors_)
        return coef

    @property
    def intercept_(self) -> FloatArray:
        rho = self._core.rho()
        return validate.read_only(rho if self._flipped else 0.0 - rho)

    @property
    def alpha(self) -> FloatArray:
        alpha = validate.read_only(self._core.alpha())
        return alpha if len(alpha) > 1 else alpha[0]

    @property
    def clustered(self) -> bool:
        """Whether training stopped at an ``early_level``."""
        return self._core.clustered

    @property
    def prediction(self) -> str:
        """How a clustered model predicts."""
        return self._core.prediction

    def _describe(self) -> str:
        kernel = f"{self.kernel} kernel"
        kernel += f", degree={self.degree}" if uses(self.kernel, "degree") else ""
        kernel += f", gamma={self.gamma:.6g}" if uses(self.kernel, "gamma") else ""
        kernel += f", coef0={self.coef0:.6g}" if uses(self.kernel, "coef0") else ""
        what = self._some_classes() if len(self.classes_) else self.formulation
        report = self.report
        kind = f", stopped early, {self.prediction!r} prediction" if self.clustered else ""
        if not report:  # LIBSVM's files do not say how many rows there were
            return f"{kernel}; {what}; {len(self.support_):,} support vectors; no report of the training"
        rows = f"{len(self.support_):,} of {self._core.n_train:,} rows are support vectors"
        return f"{kernel}; {what}; {rows}{kind}; {report.stop_reason}"


PREDICTIONS = parameters_of(_core.TrainParams)["prediction"].choices
PRECISIONS = parameters_of(_core.TrainParams)["precision"].choices
FORMATS = ("dcsvm", "libsvm")
