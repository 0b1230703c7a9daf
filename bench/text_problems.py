"""Text as tf-idf, for linear solvers: the training parts, which are also what is tested on."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

FILES = {  # an archive of DCSVM_DATA for each problem
    **dict.fromkeys(("newsgroups20", "newsgroups20b"), "newsgroups20.npz"),
    "newsgroups20b-bigrams": "newsgroups20_bigrams.npz",
    **dict.fromkeys(("imdb", "imdb-rating"), "imdb.npz"),
}


def tfidf(counts: sp.csr_matrix, n_train: int) -> sp.csr_matrix:
    """(1 + ln count) (1 + ln((1 + n) / (1 + df))), df among the first n_train rows; then every row has length 1."""
    df = np.bincount(counts.indices[: counts.indptr[n_train]], minlength=counts.shape[1])
    x = counts.astype(np.float64)
    x.data = (1 + np.log(x.data)) * (1 + np.log((1 + n_train) / (1 + df)))[x.indices]
    length = np.sqrt(np.add.reduceat(x.data**2, x.indptr[:-1])) if x.nnz else np.ones(0)
    length[np.diff(x.indptr) == 0] = 1.0
    x.data /= np.repeat(length, np.diff(x.indptr))
    return x


def text(name: str, z: dict[str, np.ndarray]) -> tuple[sp.csr_matrix, np.ndarray]:
    """X (float64 CSR) and y of the archive's arrays."""
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
