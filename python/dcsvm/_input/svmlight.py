"""SVMlight text files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from . import validate
from .labels import as_numbers
from .packed import to_pack, unpacked
from .validate import CsrMatrix


def load_svmlight(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dense: bool = False,
    n_jobs: int | None = None,
) -> tuple[Any, npt.NDArray[np.float64]]:
    """Reads a file of ``label index:value ...`` lines (SVMlight, LIBSVM), parsed on all cores.

    Parameters
    ----------
    path : str or os.PathLike[str]
        The file. One whose name ends in .gz, .bz2 or .xz is unpacked.
    n_features : int or None, default=None
        Columns of X; an index beyond is an error. None: the largest index in the file.
    zero_based : bool, default=False
        Indices start at 0 instead of 1.
    dense : bool, default=False
        X as a float64 array instead of CSR.
    n_jobs : int or None, default=None
        Threads, as for :func:`dcsvm.train`.

    Returns
    -------
    X : scipy.sparse.csr_matrix, dcsvm.CsrMatrix without scipy, or ndarray, of shape (n, n_features)
        Rows, float64.
    y : ndarray of shape (n,)
        Labels or targets, float64.

    Raises
    ------
    OSError
        When the file cannot be read.
    ValueError
        For text of another form, naming file, line and column, and for a compressed file that is damaged.
    """
    path = validate.path("path", path)
    columns = 0 if n_features is None else validate.integer("n_features", n_features, low=1, high=2**31 - 1)
    base, n_threads = validate.boolean("zero_based", zero_based), validate.threads(n_jobs)
    with unpacked(path) as text:
        values, indices, indptr, n_columns, y = _core.load_svmlight(text, columns, base, n_threads)
    x = CsrMatrix(values, indices, indptr, (len(y), n_columns))
    return (x.toarray() if validate.boolean("dense", dense) else validate.scipy_csr(x)), y


def save_svmlight(path: str | os.PathLike[str], X: Any, y: Any, *, zero_based: bool = False) -> None:
    """Writes rows and labels as SVMlight text that reads back exactly. Zeros are not written.

    Parameters
    ----------
    path : str or os.PathLike[str]
        The file, compressed when its name ends in .gz, .bz2 or .xz. A crash leaves the old file or the new one, never half.
    X : array-like or CSR matrix of shape (n, n_features)
        Rows, finite.
    y : array-like of shape (n,)
        Labels or targets, finite numbers.
    zero_based : bool, default=False
        Indices start at 0 instead of 1.

    Raises
    ------
    OSError
        When the file cannot be written.
    ValueError
        For bad data.
    """
    path = validate.path("path", path)
    data = validate.as_data("X", X)
    labels = as_numbers("y", y, data.shape[0])
    base = validate.boolean("zero_based", zero_based)
    with to_pack(path) as text:
        _core.save_svmlight(text, data, labels, base)
