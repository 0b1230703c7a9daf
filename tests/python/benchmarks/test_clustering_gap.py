"""bench/clustering_gap.py: Theorem 1 of the DC-SVM paper, measured."""

import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm

sys.path.insert(0, str(Path(__file__).parents[3]))
gap = pytest.importorskip("bench.clustering_gap", reason="bench/ is not beside tests/")


def test_the_gap_of_a_clustering_is_within_the_papers_bound():
    x, y = dcsvm.datasets.make_checkerboard(400, random_state=0)
    values = {how: gap.clustering_gap(x, y, (2, 8), how, 10.0, gamma=4) for how in ("kernel_kmeans", "random")}
    for found in values.values():
        assert (found.difference > 0).all()
        assert (found.difference <= found.bound).all(), "Theorem 1"
    assert (values["kernel_kmeans"].difference < values["random"].difference).all()
    rough = gap.clustering_gap(x, y, (2,), "kernel_kmeans", 10.0, gamma=4, tol=0.1)
    assert rough.difference[0] == pytest.approx(values["kernel_kmeans"].difference[0], rel=0.3), "seen at any tolerance"
    with pytest.raises(ValueError, match="two classes"):
        gap.clustering_gap(x, np.arange(400) % 3, (2,), "random", 1.0)


def test_the_bound_by_its_definition():
    x, _ = dcsvm.datasets.make_checkerboard(400, random_state=0)
    of = np.random.default_rng(0).integers(0, 8, 400)
    K = np.exp(-4 * ((x[:, None] - x) ** 2).sum(axis=2))
    assert gap.between(x, of, 4.0) == pytest.approx(K[of[:, None] != of].sum(), rel=1e-9)
