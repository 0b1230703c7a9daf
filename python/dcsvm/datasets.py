"""Problems of any size whose best possible accuracy is known, and the sets of LIBSVM's data page.

References
----------
1. L. Breiman: Bias, variance, and arcing classifiers. Technical report 460, Statistics Department, UC Berkeley, 1996
   (twonorm, ringnorm).
2. K. Krishnan, C. Bhattacharyya, R. Hariharan: A randomized algorithm for large scale support vector learning. NIPS 2007,
   section 3 (checkerboard).
3. L. Lan, Z. Wang, S. Zhe, W. Cheng, J. Wang, K. Zhang: Scaling up kernel SVM on limited resources: a low-rank linearization
   approach. IEEE TNNLS 2019, section VI (the noisy checkerboard: 20 % of the labels shuffled).
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._datasets.catalogue import SETS, DataSet, Part
from ._datasets.download import cache_folder, local_file
from ._input import validate
from ._input.suggestions import did_you_mean
from ._input.svmlight import load_svmlight
from ._input.validate import CsrMatrix

__all__ = ["DataSet", "Part", "catalogue", "fetch", "fetch_file", "make_checkerboard", "make_ringnorm", "make_twonorm"]

_FEATURES = 20


def _generator(random_state: object) -> np.random.Generator:
    return random_state if isinstance(random_state, np.random.Generator) else np.random.default_rng(validate.seed(random_state))


def _dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    d = np.dtype(dtype)
    if d not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {d}")
    return d


def _labels(rng: np.random.Generator, n: int) -> npt.NDArray[np.int64]:
    return np.where(rng.random(n) < 0.5, 1, -1)


def make_twonorm(
    n_samples: int = 1000, *, random_state: object = 0, dtype: npt.DTypeLike = np.float64
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Two spherical normal clouds in 20 features, means (a, ..., a) and -(a, ..., a) with a = 2 / sqrt(20), variance 1 [1].

    The best possible accuracy is Phi(2) = 97.7 %.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows.
    random_state : int, Generator, RandomState or None, default=0
        Seed; None: different each time.
    dtype : dtype, default=float64
        Of X, float32 or float64.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels +1 and -1, int64.

    Raises
    ------
    ValueError
        For bad values.
    """
    n = validate.integer("n_samples", n_samples, low=1, high=2**53)
    rng, d = _generator(random_state), _dtype(dtype)
    y = _labels(rng, n)
    x = rng.standard_normal((n, _FEATURES), dtype=d.type)
    x += (y * (2 / np.sqrt(_FEATURES))).astype(d)[:, None]
    return x, y


def make_ringnorm(
    n_samples: int = 1000, *, random_state: object = 0, dtype: npt.DTypeLike = np.float64
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Two normal clouds in 20 features, one around the other.

    +1 has mean 0 and variance 4, -1 has mean (a, ..., a) with a = 2 / sqrt(20) and variance 1 [1]. The best possible accuracy is
    about 98.7 %.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows.
    random_state : int, Generator, RandomState or None, default=0
        Seed; None: different each time.
    dtype : dtype, default=float64
        Of X, float32 or float64.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels +1 and -1, int64.

    Raises
    ------
    ValueError
        For bad values.
    """
    n = validate.integer("n_samples", n_samples, low=1, high=2**53)
    rng, d = _generator(random_state), _dtype(dtype)
    y = _labels(rng, n)
    x = rng.standard_normal((n, _FEATURES), dtype=d.type)
    x *= np.where(y > 0, 2.0, 1.0).astype(d)[:, None]
    x += np.where(y > 0, 0.0, 2 / np.sqrt(_FEATURES)).astype(d)[:, None]
    return x, y


def make_checkerboard(
    n_samples: int = 1000, *, noise: float = 0.0, random_state: object = 0, dtype: npt.DTypeLike = np.float64
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """A 4 x 4 board: points uniform on [0, 4) x [0, 4), +1 where floor(x1) and floor(x2) are both even or both odd [2].

    Parameters
    ----------
    n_samples : int, default=1000
        Rows.
    noise : float, default=0.0
        The fraction of rows, chosen at random, whose labels are shuffled among themselves [3], in [0, 1]; half of them change, so
        with 0.2 about 10 % of the labels are wrong.
    random_state : int, Generator, RandomState or None, default=0
        Seed; None: different each time.
    dtype : dtype, default=float64
        Of X, float32 or float64.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels +1 and -1, int64.

    Raises
    ------
    ValueError
        For bad values.
    """
    n = validate.integer("n_samples", n_samples, low=1, high=2**53)
    fraction = validate.real("noise", noise, at_least=0)
    if fraction > 1:
        raise ValueError(f"noise must be a fraction in [0, 1], got {noise!r}")
    rng, d = _generator(random_state), _dtype(dtype)
    x = rng.random((n, 2), dtype=d.type) * d.type(4)
    square = np.floor(x).astype(np.int64).sum(axis=1)
    y = np.where(square % 2 == 0, 1, -1)
    shuffled = rng.permutation(n)[: round(fraction * n)]
    y[shuffled] = y[rng.permutation(shuffled)]
    return x, y


def catalogue() -> dict[str, DataSet]:
    """The sets that :func:`dcsvm.datasets.fetch` knows, by name.

    Returns
    -------
    dict of str to DataSet
        Name, task ("binary", "multiclass" or "regression"), number of features, and the parts with their files and rows, as
        LIBSVM's data page states them.
    """
    return dict(SETS)


def fetch_file(
    name: str,
    *,
    part: Literal["train", "test"] = "train",
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    sha256: str | None = None,
) -> Path:
    """The unpacked file of a set of LIBSVM's data page, downloaded when it is asked for the first time.

    Parameters
    ----------
    name : str
        A name of :func:`dcsvm.datasets.catalogue`.
    part : {"train", "test"}, default="train"
        Which file.
    folder : path or None, default=None
        Where files are kept; None: the folder ``datasets`` of the environment variable ``DCSVM_CACHE``, else of
        ``~/.cache/dcsvm``.
    download : bool, default=True
        Whether to use the network; False: FileNotFoundError when the file is not there.
    sha256 : str or None, default=None
        The checksum that the file at its address must have. None: the checksum of the first download is kept beside the file.
        Either way the file is compared with its checksum each time.

    Returns
    -------
    pathlib.Path
        Of SVMlight text.

    Raises
    ------
    ValueError
        For an unknown name or part.
    OSError
        Without a network, or when a checksum differs. After a broken connection the next call goes on where it ended.
    """
    if name not in SETS:
        raise ValueError(
            f"there is no set {name!r}{did_you_mean(name, SETS)}; dcsvm.datasets.catalogue() and dcsvm datasets list them"
        )
    known = SETS[name]
    if part not in known.parts:
        raise ValueError(f"part must be one of {', '.join(map(repr, known.parts))} for {name!r}, got {part!r}")
    where = cache_folder() / "datasets" if folder is None else Path(validate.path("folder", folder))
    download = validate.boolean("download", download)
    return local_file(known.address(part), where, download=download, sha256=sha256, most=known.most_bytes(part))


def fetch(
    name: str,
    *,
    part: Literal["train", "test"] = "train",
    dense: bool = False,
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    sha256: str | None = None,
) -> tuple[Any, npt.NDArray[np.float64]]:
    """A set of LIBSVM's data page, downloaded when it is asked for the first time.

    Parameters
    ----------
    name, part, folder, download, sha256
        As for :func:`dcsvm.datasets.fetch_file`, which also says what is raised.
    dense : bool, default=False
        X as a float64 array instead of CSR.

    Returns
    -------
    X : scipy.sparse.csr_matrix, dcsvm.CsrMatrix without scipy, or ndarray, of shape (n, n_features)
        float64. Both parts have as many columns as the data page states.
    y : ndarray of shape (n,)
        Labels, or targets of a regression, as in the file.

    Warns
    -----
    UserWarning
        When the number of rows is not the one that the data page states.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.fetch("ijcnn1")  # doctest: +SKIP
    >>> X_test, y_test = dcsvm.datasets.fetch("ijcnn1", part="test")  # doctest: +SKIP
    """
    path = fetch_file(name, part=part, folder=folder, download=download, sha256=sha256)
    x, y = load_svmlight(path)
    known = SETS[name]
    if len(y) != known.parts[part].rows:
        warnings.warn(f"{path} has {len(y):,} rows; the data page states {known.parts[part].rows:,}", UserWarning, stacklevel=2)
    columns = max(x.shape[1], known.n_features)
    wide = CsrMatrix(x.data, x.indices, x.indptr, (len(y), columns))
    return (wide.toarray() if validate.boolean("dense", dense) else validate.scipy_csr(wide)), y
