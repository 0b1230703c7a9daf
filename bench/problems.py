"""The benchmark problems, each by its recipe, so that every figure speaks of the same numbers.

Real data comes from the folder DCSVM_DATA, else ../shared/data beside the checkout or the current folder. Generated problems
come from dcsvm.datasets. A name may end in "/n": the first n training rows ("covtype85k/10000").

>>> load("ijcnn1").X_train.shape
(49990, 22)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

ROUND_DIGITS = (0, 3, 6, 8, 9)


@dataclass(frozen=True)
class Problem:
    """X (n, d) float64, dense or CSR; y (n,) float64 labels; params: C and gamma of the rbf kernel, as dcsvm.train takes them."""

    name: str
    X_train: Any
    y_train: np.ndarray
    X_test: Any
    y_test: np.ndarray
    params: dict[str, float] = field(default_factory=dict)
    tested_on: str = "test"  # "train" where the data has no test part: an accuracy that says only that fits agree

    @property
    def C(self) -> float:
        return self.params["C"]

    @property
    def gamma(self) -> float:
        return self.params["gamma"]

    @property
    def data_bytes(self) -> int:
        """Of the training part."""
        x = self.X_train
        return sum(a.nbytes for a in ((x.data, x.indices, x.indptr) if hasattr(x, "indptr") else (x,))) + self.y_train.nbytes


class DataAbsentError(FileNotFoundError):
    """The folder of real data is not there."""


def data_dir() -> Path:
    if folder := os.environ.get("DCSVM_DATA"):
        return Path(folder)
    places = [p / "shared" / "data" for p in (Path(__file__).resolve().parents[2], Path.cwd().parent)]
    return next((p for p in places if p.is_dir()), places[0])


def _arrays(name: str) -> dict[str, np.ndarray]:
    path = data_dir() / name
    if not path.exists():
        raise DataAbsentError(f"real data set {path} is absent (set DCSVM_DATA)")
    with np.load(path) as z:
        return {k: z[k] for k in z.files}


def _minmax(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    low, high = by.min(axis=0), by.max(axis=0)
    return (x - low) / np.where(high > low, high - low, 1)


def _split(name: str) -> tuple[np.ndarray, ...]:
    z = _arrays(name)
    return tuple(z[k].astype(np.float64) for k in ("X_train", "y_train", "X_test", "y_test"))


def _as_is(file: str, C: float, gamma: float, divide: float = 1) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        x, y, xt, yt = _split(file)
        return Problem(name, x / divide, y, xt / divide, yt, {"C": C, "gamma": gamma})

    return make


def _csr(dense: Callable[[str], Problem]) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        from scipy.sparse import csr_matrix

        p = dense(name)
        return replace(p, X_train=csr_matrix(p.X_train), X_test=csr_matrix(p.X_test))

    return make


def _covtype85k(name: str) -> Problem:
    z = _arrays("covtype_sample85k.npz")
    x = z["X"].astype(np.float64)
    x, y = _minmax(x, x), np.where(z["y"] == 2, 1.0, -1.0)
    order = np.random.default_rng(0).permutation(85745)
    x, y = x[order], y[order]
    cut = int(0.8 * len(y))
    return Problem(name, x[:cut], y[:cut], x[cut:], y[cut:], {"C": 32.0, "gamma": 32.0})


def _mnist_round(name: str) -> Problem:
    x, y, xt, yt = _split("mnist.npz")
    y, yt = (np.where(np.isin(v, ROUND_DIGITS), 1.0, -1.0) for v in (y, yt))
    return Problem(name, x / 255, y, xt / 255, yt, {"C": 10.0, "gamma": 0.031})


def _svmguide1(name: str) -> Problem:
    x, y, xt, yt = _split("svmguide1.npz")
    return Problem(name, _minmax(x, x), y, _minmax(xt, x), yt, {"C": 32.0, "gamma": 8.0})


def _heart(name: str) -> Problem:
    z = _arrays("heart_scale.npz")
    x, y = z["X"].astype(np.float64), z["y"].astype(np.float64)
    return Problem(name, x, y, x, y, {"C": 1.0, "gamma": 1 / 13}, tested_on="train")


def _w8a(name: str) -> Problem:
    from scipy.sparse import load_npz

    y = _arrays("w8a_y.npz")["y"].astype(np.float64)
    x = load_npz(data_dir() / "w8a_X.npz").tocsr().astype(np.float64)
    return Problem(name, x, y, x, y, {"C": 8.0, "gamma": 0.5}, tested_on="train")


def _generated(kind: str, n: int, C: float, gamma: float, noise: float = 0.0) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        import dcsvm

        generate = getattr(dcsvm.datasets, f"make_{kind}")
        x, y = generate(n, random_state=1, **({"noise": noise} if noise else {}))
        xt, yt = generate(20_000, random_state=2)  # clean labels
        return Problem(name, x, y.astype(np.float64), xt, yt.astype(np.float64), {"C": C, "gamma": gamma})

    return make


_A9A = _as_is("a9a.npz", 8.0, 0.03125)

PROBLEMS: dict[str, Callable[[str], Problem]] = {
    "heart": _heart,
    "svmguide1": _svmguide1,
    "usps": _as_is("usps.npz", 10.0, 0.0078125),
    "pendigits": _as_is("pendigits.npz", 10.0, 2.0, divide=100),
    "ijcnn1": _as_is("ijcnn1.npz", 32.0, 2.0),
    "a9a": _A9A,
    "a9a-csr": _csr(_A9A),
    "w8a": _w8a,
    "covtype85k": _covtype85k,
    "mnist-round": _mnist_round,
    "mnist": _as_is("mnist.npz", 10.0, 0.031, divide=255),
}
for _n, _tag in ((100_000, "100k"), (1_000_000, "1m")):
    PROBLEMS[f"twonorm-{_tag}"] = _generated("twonorm", _n, 1.0, 0.05)
    PROBLEMS[f"ringnorm-{_tag}"] = _generated("ringnorm", _n, 1.0, 0.05)
    PROBLEMS[f"checkerboard-{_tag}"] = _generated("checkerboard", _n, 10.0, 4.0)
PROBLEMS["ncheckerboard-100k"] = _generated("checkerboard", 100_000, 10.0, 4.0, noise=0.2)
PROBLEMS["ncheckerboard-800k"] = _generated("checkerboard", 800_000, 10.0, 4.0, noise=0.2)


# Training rows, so that runs are planned without reading the data.
ROWS = {
    "heart": 270,
    "svmguide1": 3_089,
    "usps": 7_291,
    "pendigits": 7_494,
    "ijcnn1": 49_990,
    "a9a": 32_561,
    "a9a-csr": 32_561,
    "w8a": 49_749,
    "covtype85k": 68_596,
    "mnist-round": 60_000,
    "mnist": 60_000,
} | {
    name: n for name in PROBLEMS for tag, n in (("-100k", 100_000), ("-800k", 800_000), ("-1m", 1_000_000)) if name.endswith(tag)
}


# Files of the real problems below data_dir; the others are generated.
FILES: dict[str, tuple[str, ...]] = {
    name: (f"{name}.npz",) for name in ("svmguide1", "usps", "pendigits", "ijcnn1", "a9a", "mnist")
} | {
    "heart": ("heart_scale.npz",),
    "a9a-csr": ("a9a.npz",),
    "w8a": ("w8a_X.npz", "w8a_y.npz"),
    "covtype85k": ("covtype_sample85k.npz",),
    "mnist-round": ("mnist.npz",),
}


def parse(name: str) -> tuple[str, int]:
    """ "ijcnn1/1000" -> ("ijcnn1", 1000). ValueError for an unknown name or a bad number of rows."""
    base, slash, rows = name.partition("/")
    if base not in PROBLEMS:
        raise ValueError(f"unknown problem {base!r}; known: {', '.join(PROBLEMS)}")
    if not slash:
        return base, ROWS[base]
    if not rows.isdigit() or not 2 <= int(rows) <= ROWS[base]:
        raise ValueError(f"{name}: after the slash comes a number of training rows, 2 to {ROWS[base]}")
    return base, int(rows)


def load(name: str) -> Problem:
    """The problem of that name. ValueError for an unknown name, DataAbsentError without its file."""
    base, k = parse(name)
    problem = PROBLEMS[base](name)
    if k < len(problem.y_train):
        problem = replace(problem, X_train=problem.X_train[:k], y_train=problem.y_train[:k])
    return problem
