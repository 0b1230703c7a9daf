"""Models that scikit-learn trained. They become LIBSVM's text, whose numbers have all their digits, and are read from it: one
reader judges all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from . import _core
from ._input.kernels import uses
from ._model_file.frame import names_of
from ._svm.model import Model

#: scikit-learn's names of kernels -> ours
_KERNELS = {"polynomial": "poly"} | {
    name: name for name in ("linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "precomputed")
}
#: LIBSVM's words. For a kernel that it has not, the text says rbf, which has gamma alone too, and the core is told which it is
_WORDS = {"poly": "polynomial", "laplacian": "rbf", "chi2": "rbf"}


def from_sklearn(estimator: Any) -> Model:
    """A fitted SVM or kernel ridge regression of scikit-learn as a model of dcsvm with the same decisions.

    It predicts with dcsvm's speed, and can be compressed, saved, exported and read like every other model. It keeps what the
    decisions need: support vectors, coefficients, biases, the kernel, classes, column names, and the two numbers a pair that
    scikit-learn's ``probability=True`` fitted. It has no ``report``, and weights of the training are not known.

    Parameters
    ----------
    estimator : sklearn.svm.SVC, NuSVC, SVR, NuSVR or OneClassSVM, or sklearn.kernel_ridge.KernelRidge
        Fitted. Kernel: "linear", "poly", "rbf", "sigmoid", of ridge regression also "laplacian" and "chi2", of SVMs also
        "precomputed".

    Returns
    -------
    Model
        Its decisions are those of the estimator up to rounding. Ridge regression becomes a model of epsilon-SVR, whose
        decisions have the same form. Of an estimator of dcsvm (also under :func:`patch_sklearn`) it is the own model.

    Raises
    ------
    TypeError
        For another kind of estimator.
    ValueError
        For a kernel that dcsvm has not (a function, "cosine", "additive_chi2"), and for ridge regression with several targets.
    sklearn.exceptions.NotFittedError
        When it is not fitted.
    ImportError
        Without scikit-learn.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> import dcsvm
    >>> fitted = SVC().fit([[0.0], [1.0], [3.0]], ["low", "low", "high"])
    >>> dcsvm.from_sklearn(fitted).predict([[2.5]]).tolist()
    ['high']
    """
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
    from sklearn.utils.validation import check_is_fitted

    own = getattr(estimator, "model_", None)
    if isinstance(own, Model):  # of dcsvm's estimators, patched ones included
        return own
    kinds = {SVC: "c_svc", NuSVC: "nu_svc", OneClassSVM: "one_class", SVR: "epsilon_svr", NuSVR: "nu_svr"}
    kinds[KernelRidge] = "epsilon_svr"
    kind = next((name for base, name in kinds.items() if isinstance(estimator, base)), None)
    if kind is None:
        known = ", ".join(base.__name__ for base in kinds)
        raise TypeError(f"estimator must be one of scikit-learn's {known}; got {type(estimator).__name__}")
    check_is_fitted(estimator)
    kernel = _kernel(estimator)
    lines, vectors, coef = _ridge(estimator) if isinstance(estimator, KernelRidge) else _svm(estimator)
    columns = int(estimator.shape_fit_[0]) if estimator.kernel == "precomputed" else int(estimator.n_features_in_)
    text = "\n".join([f"svm_type {kind}", *lines, f"total_sv {len(coef)}", "SV", *_rows(vectors, coef), ""])
    model = Model(_core.model_of_libsvm_text(text, columns, kernel))
    return model._named(names_of(getattr(estimator, "classes_", None), getattr(estimator, "feature_names_in_", None)))


def _kernel(estimator: Any) -> str:
    name = estimator.kernel
    if callable(name):
        raise ValueError(
            f"kernel={name!r} is a function, which a model cannot hold: a fitted SVM with kernel='precomputed' on its kernel "
            "matrix is converted, and so is KernelRidge with kernel='laplacian' or 'chi2' where the function is one of these"
        )
    if name not in _KERNELS:
        raise ValueError(f"kernel={name!r} is none of dcsvm's kernels; from_sklearn takes {', '.join(map(repr, _KERNELS))}")
    return _KERNELS[name]


def _kernel_lines(estimator: Any, gamma: float) -> list[str]:
    name = _kernel(estimator)
    lines = [f"kernel_type {_WORDS.get(name, name)}"]
    if name == "poly":
        if estimator.degree != int(estimator.degree):
            raise ValueError(f"degree={estimator.degree!r}: dcsvm's polynomials have whole numbers")
        lines.append(f"degree {int(estimator.degree)}")
    if uses(name, "gamma"):
        lines.append(f"gamma {gamma:.17g}")
    if uses(name, "coef0"):
        lines.append(f"coef0 {float(estimator.coef0):.17g}")
    return lines


def _numbers(name: str, values: Any) -> list[str]:
    values = np.asarray(values, dtype=np.float64).ravel()
    return [f"{name} {' '.join(format(v, '.17g') for v in values)}"] if len(values) else []


def _svm(estimator: Any) -> tuple[list[str], Any, npt.NDArray[np.float64]]:
    """The header, the support vectors and a row of coefficients for each. With two classes scikit-learn's public signs are
    others than LIBSVM's, which the attributes with an underscore have."""
    lines = _kernel_lines(estimator, getattr(estimator, "_gamma", 0.0))
    classes = getattr(estimator, "classes_", None)
    lines.append(f"nr_class {2 if classes is None else len(classes)}")
    lines += _numbers("rho", -np.asarray(estimator._intercept_))
    if classes is not None:
        lines.append(f"label {' '.join(map(str, range(len(classes))))}")
        if len(getattr(estimator, "_probA", ())) and len(getattr(estimator, "_probB", ())):
            lines += _numbers("probA", estimator._probA) + _numbers("probB", estimator._probB)
        lines.append(f"nr_sv {' '.join(map(str, estimator._n_support))}")
    coef = estimator._dual_coef_
    coef = np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64).T
    vectors = estimator.support_[:, None] if estimator.kernel == "precomputed" else estimator.support_vectors_
    return lines, vectors, coef


def _ridge(estimator: Any) -> tuple[list[str], Any, npt.NDArray[np.float64]]:
    if estimator.kernel == "precomputed":
        raise ValueError("kernel='precomputed' of KernelRidge: only SVMs are converted with it")
    coef = np.asarray(estimator.dual_coef_, dtype=np.float64)
    if coef.ndim > 1 and coef.shape[1] > 1:
        raise ValueError(f"this KernelRidge has {coef.shape[1]} targets; a model of dcsvm has one: fit one for each target")
    gamma = 1.0 / estimator.n_features_in_ if estimator.gamma is None else float(estimator.gamma)
    return [*_kernel_lines(estimator, gamma), "nr_class 2", "rho 0"], estimator.X_fit_, coef.reshape(-1, 1)


def _rows(vectors: Any, coef: npt.NDArray[np.float64]) -> list[str]:
    """Lines of support vectors: their coefficients, then index:value of what is not 0. One column of indices: those of the rows
    of a given matrix."""
    starts = [" ".join(format(v, ".17g") for v in row) for row in coef]
    if vectors.dtype.kind in "iu" and not sp.issparse(vectors):
        return [f"{start} 0:{row[0] + 1}" for start, row in zip(starts, vectors, strict=True)]
    stored = sp.csr_matrix(vectors, dtype=np.float64)
    stored.sort_indices()
    lines = []
    for i, start in enumerate(starts):
        span = slice(stored.indptr[i], stored.indptr[i + 1])
        pairs = zip(stored.indices[span], stored.data[span], strict=True)
        lines.append(" ".join([start, *(f"{j + 1}:{v:.17g}" for j, v in pairs)]))
    return lines
