"""The generators against what their papers say about them."""

import numpy as np
import pytest

from dcsvm import datasets

N = 60000
A = 2 / np.sqrt(20)


def test_twonorm():
    x, y = datasets.make_twonorm(N)
    assert x.shape == (N, 20)
    assert set(y) == {-1, 1}
    for label in (-1, 1):
        part = x[y == label]
        np.testing.assert_allclose(part.mean(axis=0), label * A, atol=0.03)
        np.testing.assert_allclose(np.cov(part.T), np.eye(20), atol=0.05)
    best = np.where(x.sum(axis=1) > 0, 1, -1)  # the optimal rule
    assert (best == y).mean() == pytest.approx(0.97725, abs=0.003)


def test_ringnorm():
    x, y = datasets.make_ringnorm(N)
    inner, outer = x[y == -1], x[y == 1]
    np.testing.assert_allclose(inner.mean(axis=0), A, atol=0.03)
    np.testing.assert_allclose(np.cov(inner.T), np.eye(20), atol=0.05)
    np.testing.assert_allclose(outer.mean(axis=0), 0, atol=0.06)
    np.testing.assert_allclose(np.cov(outer.T), 4 * np.eye(20), atol=0.2)
    log_ratio = -(x**2).sum(axis=1) / 8 - 20 * np.log(2) + ((x - A) ** 2).sum(axis=1) / 2
    assert (np.where(log_ratio > 0, 1, -1) == y).mean() == pytest.approx(0.987, abs=0.003)


def test_checkerboard():
    x, y = datasets.make_checkerboard(N)
    assert x.min() >= 0
    assert x.max() < 4
    squares = np.floor(x).astype(int)
    np.testing.assert_array_equal(y, np.where(squares[:, 0] % 2 == squares[:, 1] % 2, 1, -1))
    counts = np.bincount(4 * squares[:, 0] + squares[:, 1])
    np.testing.assert_allclose(counts, N / 16, rtol=0.1)


def test_noise_shuffles_labels():
    clean_x, clean = datasets.make_checkerboard(N)
    x, y = datasets.make_checkerboard(N, noise=0.2)
    np.testing.assert_array_equal(x, clean_x)
    assert (y != clean).mean() == pytest.approx(0.1, abs=0.01)
    assert y.sum() == clean.sum(), "shuffled, not drawn"


@pytest.mark.parametrize("make", [datasets.make_twonorm, datasets.make_ringnorm, datasets.make_checkerboard])
def test_seeds_and_types(make):
    x, y = make(100, random_state=3)
    assert x.dtype == np.float64
    again, labels = make(100, random_state=3)
    np.testing.assert_array_equal(x, again)
    np.testing.assert_array_equal(y, labels)
    assert not np.array_equal(x, make(100, random_state=4)[0])
    assert make(100, dtype=np.float32)[0].dtype == np.float32
    assert make(5, random_state=np.random.default_rng(0))[0].shape[0] == 5
    for bad in ({"n_samples": 0}, {"n_samples": 2.5}, {"random_state": -1}, {"dtype": int}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            make(**bad)


def test_bad_noise():
    for noise in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="noise"):
            datasets.make_checkerboard(10, noise=noise)
