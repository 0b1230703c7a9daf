"""Random trainings with what real data have and uniform ones have not: weights and coefficients from one to a million in size,
dense clusters beside scattered rows, near-duplicates, rare heavy classes, targets with heavy tails. A seed decides everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from .recipes import REGRESSIONS, Array, Recipe, power

FLOAT = 2.0**-24  # rounding of a kernel value in float32
LARGEST = 1e6  # C, and a weight beside the least


@dataclass
class Shape:
    """Rows z; an rbf kernel whose width is about 1 sees their structure. some: rows unlike the others (a cluster, a band)."""

    z: Array
    some: Array


def pick(rng: np.random.Generator, chances: dict[str, float]) -> str:
    p = np.array(list(chances.values()))
    return str(rng.choice(list(chances), p=p / p.sum()))


# Data


def scattered(rng: np.random.Generator, n: int) -> Shape:
    d = int(rng.choice([1, 2, 3, 6, 12, 30]))
    return Shape(rng.standard_normal((n, d)) * min(1.0, (6 / d) ** 0.5), rng.random(n) < rng.uniform(0.01, 0.3))


def cluster(rng: np.random.Generator, n: int) -> Shape:
    """A dense cluster beside scattered rows, which hardly see each other."""
    d, few = int(rng.choice([2, 2, 3])), int(power(rng, 0.8, 1.8))
    spread = float(rng.choice([n**0.5 / 4, 10.0, 20.0]))
    z = rng.standard_normal((n, d))
    z[few:] = z[few:] * spread + rng.choice([6.0, 30.0])
    return Shape(z, np.arange(n) < few)


def duplicates(rng: np.random.Generator, n: int) -> Shape:
    """Groups of rows that are almost the same."""
    d, groups = int(rng.choice([2, 3, 8])), max(2, int(n / power(rng, 0.3, 1.5)))
    own = rng.integers(0, groups, n)
    z = 2 * rng.standard_normal((groups, d))[own] + power(rng, -7, -0.7) * rng.standard_normal((n, d))
    return Shape(z, own < max(1, groups // 20))


def bands(rng: np.random.Generator, n: int) -> Shape:
    """Two to five parts whose densities differ by powers of ten."""
    d, parts = int(rng.choice([1, 2, 3])), int(rng.integers(2, 6))
    own = np.sort(rng.choice(parts, n, p=rng.dirichlet(np.ones(parts))))
    spreads = 10 ** rng.uniform(-1.5, 1.5, parts)
    z = 30 * rng.standard_normal((parts, d))[own] + spreads[own, None] * rng.standard_normal((n, d))
    return Shape(z / power(rng, -1, 1), own == own[int(rng.integers(n))])


def log_normal(rng: np.random.Generator, n: int) -> Shape:
    z = np.exp(rng.uniform(0.5, 1.3) * rng.standard_normal((n, int(rng.choice([2, 3, 6])))))
    return Shape(z, z[:, 0] > np.quantile(z[:, 0], 0.95))


def byte_grid(rng: np.random.Generator, n: int) -> Shape:
    """Whole numbers from 0 to 255 (in units of 1/64 here): noise, sparse, or few patterns with noise."""
    d, style = int(rng.choice([2, 6, 20, 40])), rng.integers(3)
    z = rng.integers(0, 256, (n, d)).astype(float)
    if style == 1:
        z *= rng.random((n, d)) < 0.25
    elif style == 2:
        patterns = rng.integers(0, 256, (max(2, n // 20), d))
        z = np.clip(
            patterns[rng.integers(0, len(patterns), n)] + np.round(power(rng, -1, 1.3) * rng.standard_normal((n, d))), 0, 255
        )
    return Shape(z / 64, rng.random(n) < 0.05)


SHAPES: dict[str, tuple[Callable[[np.random.Generator, int], Shape], float]] = {
    "scattered": (scattered, 0.2),
    "cluster": (cluster, 0.4),
    "duplicates": (duplicates, 0.1),
    "bands": (bands, 0.1),
    "log_normal": (log_normal, 0.1),
    "byte_grid": (byte_grid, 0.1),
}


# Labels and targets


def smooth(rng: np.random.Generator, z: Array) -> Array:
    u = (z - z.mean(axis=0)) / (z.std(axis=0) + 1e-12)
    return np.asarray(np.sin(u @ rng.standard_normal((z.shape[1], 2))).prod(axis=1) + 0.3 * u[:, 0])


def labels(rng: np.random.Generator, z: Array, noisy: float) -> tuple[Array, str]:
    style = "noise" if rng.random() < noisy else pick(rng, {"smooth": 0.5, "flipped": 0.3, "rare": 0.2})
    n, classes = len(z), int(rng.choice([2, 2, 2, 2, 2, 3, 4]))
    if style == "noise":
        return rng.integers(0, classes, n).astype(float), style
    if style == "rare":
        return (rng.random(n) < rng.choice([0.02, 0.05])).astype(float), style
    s = smooth(rng, z)
    y = np.digitize(s, np.quantile(s, np.linspace(0, 1, classes + 1)[1:-1])).astype(float)
    flipped = rng.random(n) < (0.02 if style == "flipped" else rng.choice([0.05, 0.2]))
    y[flipped] = rng.integers(0, classes, flipped.sum())
    return y, style


def targets(rng: np.random.Generator, z: Array, noisy: float) -> tuple[Array, str]:
    style, n = "noise" if rng.random() < noisy else pick(rng, {"tails": 0.6, "outliers": 0.2, "smooth": 0.2}), len(z)
    if style == "noise":
        y = rng.standard_normal(n)
    else:
        y = smooth(rng, z)
        if style == "tails":
            y = y + 0.3 * rng.standard_t(1.2, n)
        elif style == "outliers":
            y = y + (rng.random(n) < 0.02) * rng.standard_normal(n) * power(rng, 1, 4)
    return np.asarray(y * (power(rng, -2, 2) if rng.random() < 0.3 else 1.0)), style


# Weights


def bounds(rng: np.random.Generator, some: Array, together: bool, tol: float) -> tuple[Array, str]:
    """Largest coefficient of each row. Often the heavy rows' are such that float's rounding of their sum is about
    tol. together: some are near one another."""
    n, style = len(some), {"equal": 0.2, "log_normal": 0.22, "log_uniform": 0.13, "one": 0.1, "some": 0.2, "others": 0.15}
    style = pick(rng, style | {"some": 1.0, "equal": 0.4} if together else style)
    heavy = {"one": np.arange(n) == rng.integers(n), "others": ~some}.get(style, some)
    at_edge, light = rng.random() < (0.75 if together else 0.5), power(rng, 0, 2)
    most = light * power(rng, 1, 6)
    if at_edge:
        most = power(rng, -0.7, 1.3) * tol / FLOAT / max(1, heavy.sum()) ** 0.5
    words = f"{style}{' at edge' if at_edge else ''}"
    if style == "equal":
        return np.full(n, min(most, LARGEST)), words
    ratio = float(np.clip(most / light, 2, LARGEST))
    if style == "log_normal":
        w = np.exp(rng.uniform(1, 3) * rng.standard_normal(n))
        w = np.clip(w / np.median(w), 1 / LARGEST, LARGEST)
    elif style == "log_uniform":
        w = ratio ** rng.random(n)
    else:
        w = np.where(heavy, ratio, 1.0)
        if rng.random() < 0.3:
            w *= np.exp(rng.standard_normal(n))
    return light * w, words


def concentrated(seed: int) -> Recipe:
    rng = np.random.default_rng([seed, 38])
    formulation = pick(rng, {"c_svc": 0.5, "epsilon_svr": 0.2, "one_class": 0.1, "nu_svc": 0.1, "nu_svr": 0.1})
    n = int(power(rng, 2.4, 3.0) if rng.random() < 0.85 else power(rng, 1.0, 2.4))
    kind = pick(rng, {name: chance for name, (_, chance) in SHAPES.items()})
    shape = SHAPES[kind][0](rng, n)
    z, some = shape.z, shape.some
    often = 20.0 if kind == "log_normal" else 1.0
    kernel = pick(rng, {"rbf": 1.0, "precomputed": 0.2, "linear": 0.1, "poly": 0.1 * often, "sigmoid": 0.1 * often})
    tol = power(rng, -6, -1)
    noisy = 0.8 if kind == "cluster" else 0.3
    y, style = targets(rng, z, noisy) if formulation in REGRESSIONS else labels(rng, z, noisy)
    if formulation == "one_class":
        style = ""
    elif formulation in ("c_svc", "nu_svc"):
        y[:4] = (0, 0, 1, 1)
    params: dict[str, Any] = {
        "formulation": formulation,
        "kernel": kernel,
        "tol": tol,
        "random_state": seed,
        "shrinking": bool(rng.random() < 0.85),
        "precision": "double" if rng.random() < 0.1 else "single",
        "solver": pick(rng, {"auto": 0.35, "smo": 0.3, "dc": 0.35}),
    }
    if rng.random() < 0.08:
        params["cache_size"] = 1.0

    w, weighting = bounds(rng, some, kind == "cluster", tol)
    if rng.random() < 0.08:
        absent = rng.random(n) < 0.1
        absent[:4] = False
        absent[[np.flatnonzero(y == c)[0] for c in np.unique(y)]] = False
        w[absent] = 0
    if formulation in ("c_svc", *REGRESSIONS):  # C is 1 to a million, or all that differs
        largest = float(w.max())
        params["C"] = (
            largest if weighting.startswith("equal") else power(rng, -1, 3) if rng.random() < 0.8 else min(largest, LARGEST)
        )
        w = w / params["C"]
    elif formulation == "nu_svc":  # nu is bounded by the lighter class
        for c in np.unique(y):
            w[y == c] /= w[y == c].mean()
    if w.min() < w.max():
        params["sample_weight"] = w
    if formulation == "c_svc" and (style == "rare" or rng.random() < 0.15):
        count = int(y.max()) + 1
        params["class_weight"] = "balanced" if rng.random() < 0.2 else {float(rng.integers(count)): power(rng, 1, 5)}

    if formulation in ("c_svc", "epsilon_svr"):
        params["fit_intercept"] = bool(rng.random() < 0.8)
    if formulation in ("nu_svc", "one_class", "nu_svr"):
        params["nu"] = float(f"{rng.uniform(0.05, 0.8):.3g}")
    if formulation == "epsilon_svr":
        params["epsilon"] = power(rng, -2, 0) * float(np.median(np.abs(y - np.median(y))) or 1.0)
    if formulation == "c_svc" and rng.random() < 0.25:
        params["solver"] = str(rng.choice(["rand", "cascade", "cascade"]))
        params["precision"] = "single"
    if formulation in ("nu_svc", "nu_svr") and params["solver"] == "dc":
        params["solver"] = "smo"
    if formulation == "nu_svc":
        mass = [w[y == c].sum() for c in np.unique(y)]
        params["nu"] = float(params["nu"] * min(2 * min(a, b) / (a + b) for a, b in combinations(mass, 2)))
    if params["solver"] == "dc" and rng.random() < 0.8:
        params |= {
            "n_levels": int(rng.integers(1, 3)),
            "branching": int(rng.integers(2, 5)),
            "sample_size": int(rng.integers(40, 200)),
        }
        if params["branching"] ** params["n_levels"] > n:
            params["n_levels"] = 1
    if params["solver"] == "cascade":
        params["cascade_leaves"] = int(rng.choice([2, 4]))
    warm = None
    if params["solver"] in ("auto", "smo", "dc") and rng.random() < 0.1:
        warm = {"tol": 0.1} | ({"C": params["C"] * float(rng.choice([0.3, 1.0]))} if "C" in params else {})

    x, storage = stored(rng, z, kernel, kind, params)
    words = f"{kind} n={n} d={z.shape[1]} {storage} y={style or 'none'} weights={weighting}"
    return Recipe(x, y, params, words + (f" warm={warm}" if warm else ""), warm)


def stored(rng: np.random.Generator, z: Array, kernel: str, kind: str, params: dict[str, Any]) -> tuple[Any, str]:
    """X as it is given, and the kernel's parameters."""
    storage = pick(rng, {"float64": 0.4, "float32": 0.25, "csr64": 0.12, "csr32": 0.13, "fortran": 0.1})
    if storage.startswith("csr") and z.shape[1] > 3:
        z = z * (rng.random(z.shape) < 0.5)
    inner = kernel in ("linear", "poly", "sigmoid")
    gamma = power(rng, -0.7, 0.8)
    if inner:
        gamma = power(rng, -1.5, 0.5) / float(np.median((z * z).sum(axis=1)) or 1.0)
    if kernel == "linear":
        z = z * gamma**0.5
    elif kind == "byte_grid":
        z, gamma = z * 64, gamma / 64**2
    else:
        scale = power(rng, -3, 3) if rng.random() < 0.5 else 1.0
        offset = power(rng, 0, 3) if not inner and not storage.startswith("csr") and rng.random() < 0.25 else 0.0
        z, gamma = scale * (z + offset), gamma / scale**2
    if kernel == "precomputed":
        z = np.exp(-gamma * cdist(z, z, "sqeuclidean")) if rng.random() < 0.75 else z @ z.T * gamma
    elif kernel != "linear":
        params["gamma"] = gamma
    if kernel in ("poly", "sigmoid"):
        params["coef0"] = float(rng.choice([0.0, 1.0, -0.5]))
        params["degree"] = int(rng.choice([2, 3]))
    x: Any = z.astype(np.float32) if storage.endswith("32") else z
    if storage == "fortran":
        x = np.asfortranarray(x)
    if storage.startswith("csr") and kernel != "precomputed":
        x = sparse.csr_matrix(x)
    return x, storage
