"""SVMlight text files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from . import validate
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

    path : the file
    n_features : columns of X; an index beyond is an error (None: the largest index in the file)
    zero_based : indices start at 0 instead of 1
    dense : X as a float64 array instead of CSR
    n_jobs : threads (None: the library's default; -1: all cores)

    Returns X (n, n_features), a scipy.sparse.csr_matrix of float64 (a :class:`dcsvm.CsrMatrix` where scipy is not installed),
    and y (n,) as float64. Raises OSError, or ValueError naming file, line and column.
    """
    path = validate.path("path", path)
    columns = 0 if n_features is None else validate.integer("n_features", n_features, low=1, high=2**31 - 1)
    values, indices, indptr, n_columns, y = _core.load_svmlight(
        path, columns, validate.boolean("zero_based", zero_based), validate.threads(n_jobs)
    )
    x = CsrMatrix(values, indices, indptr, (len(y), n_columns))
    return (x.toarray() if validate.boolean("dense", dense) else validate.scipy_csr(x)), y


def save_svmlight(path: str | os.PathLike[str], X: Any, y: Any, *, zero_based: bool = False) -> None:
    """Writes X (n, n_features) and y (n,) as SVMlight text that reads back exactly.

    Zeros are not written. A crash leaves the old file or the new one, never half. Raises OSError, ValueError.
    """
    path = validate.path("path", path)
    data = validate.as_data("X", X)
    labels = validate.as_numbers("y", y, data.shape[0])
    _core.save_svmlight(path, data, labels, validate.boolean("zero_based", zero_based))
