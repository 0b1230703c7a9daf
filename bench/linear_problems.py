"""The problems of the linear solvers that kernels do not have: text as tf-idf (float64 CSR), and two regressions."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .problems import _arrays, _minmax

FILES = {"newsgroups20b-bigrams": "newsgroups20_bigrams", "newsgroups20b": "newsgroups20", "imdb-rating": "imdb"}
TEXT = ("newsgroups20", "newsgroups20b", "newsgroups20b-bigrams", "imdb", "imdb-rating")


def tfidf(counts: sp.csr_matrix, n_train: int) -> sp.csr_matrix:
    """(1 + ln count) (1 + ln((1 + n) / (1 + df))), df among the first n_train rows; then every row has length 1."""
    df = np.bincount(counts.indices[: counts.indptr[n_train]], minlength=counts.shape[1])
    x = counts.astype(np.float64)
    x.data = (1 + np.log(x.data)) * (1 + np.log((1 + n_train) / (1 + df)))[x.indices]
    length = np.sqrt(np.add.reduceat(x.data**2, x.indptr[:-1])) if x.nnz else np.ones(0)
    length[np.diff(x.indptr) == 0] = 1.0
    x.data /= np.repeat(length, np.diff(x.indptr))
    return x


def text_problem(name: str) -> tuple[sp.csr_matrix, np.ndarray]:
    """The training part."""
    file = FILES.get(name, name)
    z = _arrays(f"{file}.npz")
    n = int(z["n_train"])
    counts = sp.csr_matrix((z["data"], z["indices"], z["indptr"].astype(np.int64)), shape=tuple(z["shape"]))
    x = tfidf(counts, n)[:n]
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
    if name.startswith("newsgroups20b"):
        classes = [str(c) for c in z["classes"]]
        y = np.array([1.0 if c.startswith(("comp.", "sci.")) else -1.0 for c in classes])[z["y"][:n].astype(int)]
    else:
        y = z["rating" if name == "imdb-rating" else "y"][:n].astype(np.float64)
    return x, y


def cadata() -> tuple[sp.csr_matrix, np.ndarray]:
    """Features and target in [0, 1]; the training part."""
    z = _arrays("cadata.npz")
    x, y = z["X"].astype(np.float64), z["y"].astype(np.float64)
    order = np.random.default_rng(0).permutation(len(y))[: int(0.8 * len(y))]
    return sp.csr_matrix(_minmax(x, x)[order]), _minmax(y, y)[order]
