"""What ``keep_levels=True`` keeps of a training by divide and conquer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._input import validate
from .._input.validate import CsrMatrix, FloatArray, IndexArray
from .._shown.display import Shown

_ROWS = 4096  # summed at once


@dataclass(frozen=True, repr=False)
class Level(Shown):
    """A level of divide and conquer, or the refine step (level 0), as it stood when it was solved.

    Attributes
    ----------
    level : int
        Its number; 0 is the refine step.
    n_clusters : int
        Clusters with at least one row.
    support : ndarray of shape (n_support,)
        Rows of X with a coefficient other than 0, ascending.
    sv_coef : ndarray of shape (max(n_classes, 2) - 1, n_support)
        Their coefficients y alpha in LIBSVM's layout, positive for the lower class.
    cluster_of : ndarray of shape (n,) or None
        The cluster of each row, -1 for rows of weight 0; None for the refine step.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    level: int
    n_clusters: int
    support: IndexArray
    sv_coef: FloatArray
    cluster_of: IndexArray | None

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("level", str(self.level) if self.level else "0 (refine)"),
            ("clusters", f"{self.n_clusters:,}"),
            ("support vectors", f"{len(self.support):,}"),
        ]

    def centres(self, X: Any) -> FloatArray:
        """The means of the clusters' rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            The rows that were trained on.

        Returns
        -------
        ndarray of shape (n_clusters, n_features)
            Float64.

        Raises
        ------
        ValueError
            For another number of rows, and for the refine step, which has no clusters.
        """
        if self.cluster_of is None:
            raise ValueError("the refine step (level 0) has no clusters; take another level")
        data = validate.as_data("X", X)
        if data.shape[0] != len(self.cluster_of):
            raise ValueError(f"X must be the {len(self.cluster_of):,} rows of the training, got {data.shape[0]:,}")
        sums = np.zeros((self.n_clusters, data.shape[1]))
        for begin in range(0, data.shape[0], _ROWS):
            clusters = self.cluster_of[begin : begin + _ROWS]
            if isinstance(data, CsrMatrix):
                first, last = data.indptr[begin], data.indptr[begin + len(clusters)]
                of_value = np.repeat(clusters, np.diff(data.indptr[begin : begin + len(clusters) + 1]))
                taken = of_value >= 0
                np.add.at(sums, (of_value[taken], data.indices[first:last][taken]), data.data[first:last][taken])
            else:
                order = np.argsort(clusters, kind="stable")[(clusters < 0).sum() :]
                found, starts = np.unique(clusters[order], return_index=True)
                if len(found):
                    sums[found] += np.add.reduceat(data[begin : begin + len(clusters)][order], starts, axis=0, dtype=np.float64)
        sizes = np.bincount(self.cluster_of[self.cluster_of >= 0], minlength=self.n_clusters)
        return sums / np.maximum(sizes, 1)[:, None]

    def found(self, support: IndexArray) -> tuple[float, float]:
        """How well this level's support vectors agree with others.

        Parameters
        ----------
        support : ndarray of shape (n_support,)
            Rows, such as ``Model.support_`` of the final model.

        Returns
        -------
        precision : float
            The share of this level's support vectors that is among `support`.
        recall : float
            The share of `support` that this level has.
        """
        common = len(np.intersect1d(self.support, support))
        return common / max(len(self.support), 1), common / max(len(support), 1)
