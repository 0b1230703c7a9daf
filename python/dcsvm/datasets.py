"""Problems of any size whose best possible accuracy is known.

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

from typing import Any

import numpy as np
import numpy.typing as npt

from ._base import validate

__all__ = ["make_checkerboard", "make_ringnorm", "make_twonorm"]

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

    The best possible accuracy is Phi(2) = 97.7 %. Returns X (n_samples, 20) and y (n_samples,) of +1 and -1.
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
    """Two normal clouds in 20 features, one around the other: +1 has mean 0 and variance 4, -1 has mean (a, ..., a) with
    a = 2 / sqrt(20) and variance 1 [1]. The best possible accuracy is about 98.7 %.

    Returns X (n_samples, 20) and y (n_samples,) of +1 and -1.
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

    noise : the fraction of rows, chosen at random, whose labels are shuffled among themselves [3]; half of them change, so with
        0.2 about 10 % of the labels are wrong
    Returns X (n_samples, 2) and y (n_samples,) of +1 and -1.
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
