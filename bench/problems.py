"""The benchmark problems, each by its recipe, so that every figure speaks of the same numbers.

Real data comes from archives in the folder DCSVM_DATA, else ../shared/data beside the checkout or the current folder; else from
what `dcsvm datasets` downloaded. Generated problems come from dcsvm.datasets. A name may end in "/n": the first n training rows
("covtype85k/10000").

>>> load("ijcnn1").X_train.shape
(49990, 22)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dcsvm._bench.fits import Problem

from . import text_problems

OCR_FILE = "mnist_ocr.npz"  # bench/embedded.py
ROUND_DIGITS = (0, 3, 6, 8, 9)


class DataAbsentError(FileNotFoundError):
    """The real data is neither in the folder nor downloaded."""


def data_dir() -> Path:
    if folder := os.environ.get("DCSVM_DATA"):
        return Path(folder)
    places = [p / "shared" / "data" for p in (Path(__file__).resolve().parents[2], Path.cwd().parent)]
    return next((p for p in places if p.is_dir()), places[0])


def _arrays(name: str) -> dict[str, np.ndarray]:
    with np.load(data_dir() / name) as z:
        return {k: z[k] for k in z.files}


def _downloaded(name: str, part: str = "train", dense: bool = True) -> tuple[Any, np.ndarray]:
    """A set of LIBSVM's data page. DataAbsentError when it was not downloaded: a benchmark downloads nothing by itself."""
    import dcsvm

    try:
        return dcsvm.datasets.fetch(name, part=part, dense=dense, download=False)
    except FileNotFoundError:
        how = "DCSVM_DATA" if os.environ.get("DCSVM_DATA") else "DCSVM_DATA is not set"
        where = f"neither in {data_dir()} ({how}) nor downloaded"
        raise DataAbsentError(f"the data is {where}; dcsvm datasets {name} downloads it") from None


def _minmax(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    low, high = by.min(axis=0), by.max(axis=0)
    return (x - low) / np.where(high > low, high - low, 1)


def _split(name: str) -> tuple[np.ndarray, ...]:
    if (data_dir() / f"{name}.npz").exists():
        z = _arrays(f"{name}.npz")
        return tuple(z[k].astype(np.float64) for k in ("X_train", "y_train", "X_test", "y_test"))
    return (*_downloaded(name), *_downloaded(name, "test"))


def _as_is(data: str, C: float, gamma: float, divide: float = 1) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        x, y, xt, yt = _split(data)
        return Problem(name, x / divide, y, xt / divide, yt, {"C": C, "gamma": gamma})

    return make


def _csr(dense: Callable[[str], Problem]) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        from scipy.sparse import csr_matrix

        p = dense(name)
        return replace(p, X_train=csr_matrix(p.X_train), X_test=csr_matrix(p.X_test))

    return make


def _covtype85k(name: str) -> Problem:
    if (data_dir() / "covtype_sample85k.npz").exists():
        z = _arrays("covtype_sample85k.npz")
        x, y = z["X"].astype(np.float64), z["y"]
    else:  # as many other rows, in the same proportions of the classes: figures are near the published ones, not equal
        x, y = _downloaded("covtype", dense=False)
        mixed = np.random.default_rng(0).permutation(len(y))
        by_class = mixed[np.argsort(y[mixed], kind="stable")]
        chosen = by_class[np.arange(85745) * len(y) // 85745]
        x, y = x[chosen].toarray(), y[chosen]
    x, y = _minmax(x, x), np.where(y == 2, 1.0, -1.0)
    order = np.random.default_rng(0).permutation(85745)
    x, y = x[order], y[order]
    cut = int(0.8 * len(y))
    return Problem(name, x[:cut], y[:cut], x[cut:], y[cut:], {"C": 32.0, "gamma": 32.0})


def _round(digits: Callable[[str], Problem]) -> Callable[[str], Problem]:
    """Round digits against the others."""

    def make(name: str) -> Problem:
        p = digits(name)
        y, yt = (np.where(np.isin(v, ROUND_DIGITS), 1.0, -1.0) for v in (p.y_train, p.y_test))
        return replace(p, y_train=y, y_test=yt)

    return make


def _cadata(name: str) -> Problem:
    if (data_dir() / "cadata.npz").exists():
        z = _arrays("cadata.npz")
        x, y = (np.asarray(z[k], dtype=np.float64) for k in ("X", "y"))
    else:
        x, y = _downloaded("cadata")
    x, y = _minmax(x, x), _minmax(y, y)
    order = np.random.default_rng(0).permutation(len(y))
    x, y, cut = x[order], y[order], int(0.8 * len(y))
    return Problem(name, x[:cut], y[:cut], x[cut:], y[cut:], {"C": 8.0, "gamma": 8.0}, regression=True)


def _svmguide1(name: str) -> Problem:
    x, y, xt, yt = _split("svmguide1")
    return Problem(name, _minmax(x, x), y, _minmax(xt, x), yt, {"C": 32.0, "gamma": 8.0})


def _heart(name: str) -> Problem:
    if (data_dir() / "heart_scale.npz").exists():
        z = _arrays("heart_scale.npz")
        x, y = z["X"].astype(np.float64), z["y"].astype(np.float64)
    else:
        x, y = _downloaded("heart_scale")
    return Problem(name, x, y, x, y, {"C": 1.0, "gamma": 1 / 13}, tested_on="train")


def _w8a(name: str) -> Problem:
    if (data_dir() / "w8a_X.npz").exists():
        from scipy.sparse import load_npz

        y = _arrays("w8a_y.npz")["y"].astype(np.float64)
        x = load_npz(data_dir() / "w8a_X.npz").tocsr().astype(np.float64)
    else:
        x, y = _downloaded("w8a", dense=False)
    return Problem(name, x, y, x, y, {"C": 8.0, "gamma": 0.5}, tested_on="train")


def _generated(kind: str, n: int, C: float, gamma: float, noise: float = 0.0) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        import dcsvm

        generate = getattr(dcsvm.datasets, f"make_{kind}")
        x, y = generate(n, random_state=1, **({"noise": noise} if noise else {}))
        xt, yt = generate(20_000, random_state=2)  # clean labels
        return Problem(name, x, y.astype(np.float64), xt, yt.astype(np.float64), {"C": C, "gamma": gamma})

    return make


def _gaussians(name: str) -> Problem:
    """26 classes of 600 rows with 16 features, which overlap."""
    random = np.random.default_rng(0)
    centre = random.standard_normal((26, 16))
    y = np.repeat(np.arange(26.0), 600)
    x = centre[y.astype(int)] + 0.9 * random.standard_normal((len(y), 16))
    order = random.permutation(len(y))
    return _untested(name, x[order] / 4, y[order], {"C": 1.0, "gamma": 1.0})


def _ocr(name: str) -> Problem:
    if not (data_dir() / OCR_FILE).exists():
        raise DataAbsentError(f"{OCR_FILE} is not in {data_dir()}; python -m bench.embedded makes it")
    z = _arrays(OCR_FILE)
    return Problem(name, z["X_train"], z["y_train"], z["X_test"], z["y_test"], {"C": 10.0, "gamma": 1.0})


def _embeddings(n: int, d: int, k: int) -> Callable[[str], Problem]:
    """Unit vectors in float32, as models of text and images give them: k classes of four clusters each; all share a direction."""

    def make(name: str) -> Problem:
        random = np.random.default_rng(0)
        centre = random.standard_normal((k, 4, d)) + random.standard_normal((k, 1, d))
        centre /= np.linalg.norm(centre, axis=2, keepdims=True)
        shared = random.standard_normal(d)
        shared /= np.linalg.norm(shared)

        def rows(m: int) -> tuple[np.ndarray, np.ndarray]:
            y = random.integers(0, k, m)
            x = centre[y, random.integers(0, 4, m)] + 0.5 * shared + 1.6 / np.sqrt(d) * random.standard_normal((m, d))
            return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32), y.astype(float)

        (x, y), (xt, yt) = rows(n), rows(10_000)
        return Problem(name, x, y, xt, yt, {"C": 10.0, "gamma": 1.0})

    return make


def _noisy_labels(name: str) -> Problem:
    """25,000 rows of 10 features in ten classes; 40 % of the labels are drawn anew."""
    random = np.random.default_rng(0)
    centre = random.standard_normal((10, 10))
    y = random.integers(0, 10, 25_000)
    x = centre[y] + random.standard_normal((len(y), 10))
    anew = random.random(len(y)) < 0.4
    y = np.where(anew, random.integers(0, 10, len(y)), y).astype(float)
    return _untested(name, x / 4, y, {"C": 1.0, "gamma": 1.0})


def _smooth(name: str) -> Problem:
    """A smooth function of 8 features with noise 0.1, 50,000 rows."""
    random = np.random.default_rng(0)
    x = random.uniform(0, 1, (50_000, 8))
    t = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + np.cos(2 * x[:, 3] + x[:, 4])
    return _untested(name, x, t + 0.1 * random.standard_normal(len(t)), {"C": 1.0, "gamma": 1.0}, regression=True)


def _untested(name: str, x: np.ndarray, y: np.ndarray, params: dict[str, Any], regression: bool = False) -> Problem:
    return Problem(name, x, y, x, y, params, tested_on="train", regression=regression)


def _text(name: str) -> Problem:
    path = data_dir() / text_problems.FILES[name]
    if not path.exists():
        raise DataAbsentError(f"the data is not in {data_dir()}: {path.name} is no set of LIBSVM's page")
    x, y = text_problems.text(name, _arrays(path.name))
    return _untested(name, x, y, {"C": 1.0}, regression=name == "imdb-rating")


def _variant(base: str, formulation: str, params: dict[str, Any]) -> Callable[[str], Problem]:
    def make(name: str) -> Problem:
        p = PROBLEMS[base](base)
        return replace(p, name=name, formulation=formulation, params=p.params | params)

    return make


_A9A = _as_is("a9a", 8.0, 0.03125)
_MNIST = _as_is("mnist", 10.0, 0.031, divide=255)
_USPS = _as_is("usps", 10.0, 0.0078125)
_PENDIGITS = _as_is("pendigits", 10.0, 2.0, divide=100)

PROBLEMS: dict[str, Callable[[str], Problem]] = {
    "heart": _heart,
    "svmguide1": _svmguide1,
    "usps": _USPS,
    "usps-round": _round(_USPS),
    "pendigits": _PENDIGITS,
    "pendigits-round": _round(_PENDIGITS),
    "ijcnn1": _as_is("ijcnn1", 32.0, 2.0),
    "a9a": _A9A,
    "a9a-csr": _csr(_A9A),
    "w8a": _w8a,
    "covtype85k": _covtype85k,
    "mnist-round": _round(_MNIST),
    "mnist": _MNIST,
    "cadata": _cadata,
    "gaussians": _gaussians,
    "noisy-labels": _noisy_labels,
    "smooth": _smooth,
}
for _n, _tag in ((100_000, "100k"), (1_000_000, "1m")):
    PROBLEMS[f"twonorm-{_tag}"] = _generated("twonorm", _n, 1.0, 0.05)
    PROBLEMS[f"ringnorm-{_tag}"] = _generated("ringnorm", _n, 1.0, 0.05)
    PROBLEMS[f"checkerboard-{_tag}"] = _generated("checkerboard", _n, 10.0, 4.0)
PROBLEMS["ncheckerboard-100k"] = _generated("checkerboard", 100_000, 10.0, 4.0, noise=0.2)
PROBLEMS["ncheckerboard-800k"] = _generated("checkerboard", 800_000, 10.0, 4.0, noise=0.2)
EMBEDDINGS = {
    f"embeddings-{d}-{k}": (n, d, k)
    for n, d, k in ((10_000, 384, 20), (4_000, 768, 10), (6_000, 1_024, 2), (10_000, 768, 100), (50_000, 384, 2))
}
PROBLEMS |= {name: _embeddings(*of) for name, of in EMBEDDINGS.items()} | {"embeddings-ocr": _ocr}
for _name in text_problems.FILES:
    PROBLEMS[_name] = _text
# Other formulations, kernels and costs of these.
_POLY = {"kernel": "poly", "degree": 3, "coef0": 1.0}
VARIANTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "26-classes-C1000": ("gaussians", "c_svc", {"C": 1000.0}),
    "26-classes-poly": ("gaussians", "c_svc", _POLY),
    "26-classes-poly-C1000": ("gaussians", "c_svc", {"C": 1000.0, **_POLY}),
    "svr-cadata": ("cadata", "epsilon_svr", {"epsilon": 0.01}),
    "nu-svr-cadata": ("cadata", "nu_svr", {"nu": 0.5}),
    "svr-smooth": ("smooth", "epsilon_svr", {"epsilon": 0.1}),
    "nu-svr-smooth": ("smooth", "nu_svr", {"nu": 0.3}),
    "nu-svc-usps": ("usps", "nu_svc", {"nu": 0.1}),
    "nu-svc-ijcnn1": ("ijcnn1", "nu_svc", {"nu": 0.05}),
    "one-class-covtype85k": ("covtype85k", "one_class", {"nu": 0.1}),
}
PROBLEMS |= {name: _variant(*variant) for name, variant in VARIANTS.items()}

# Training rows, so that runs are planned without reading the data.
ROWS = {
    "heart": 270,
    "svmguide1": 3_089,
    "usps": 7_291,
    "usps-round": 7_291,
    "pendigits": 7_494,
    "pendigits-round": 7_494,
    "ijcnn1": 49_990,
    "a9a": 32_561,
    "a9a-csr": 32_561,
    "w8a": 49_749,
    "covtype85k": 68_596,
    "mnist-round": 60_000,
    "mnist": 60_000,
    "cadata": 16_512,
    "gaussians": 15_600,
    "noisy-labels": 25_000,
    "smooth": 50_000,
    **dict.fromkeys(("newsgroups20", "newsgroups20b", "newsgroups20b-bigrams"), 11_314),
    **dict.fromkeys(("imdb", "imdb-rating"), 25_000),
    **{name: n for name, (n, _, _) in EMBEDDINGS.items()},
    "embeddings-ocr": 10_000,
} | {
    name: n for name in PROBLEMS for tag, n in (("-100k", 100_000), ("-800k", 800_000), ("-1m", 1_000_000)) if name.endswith(tag)
}
ROWS |= {name: ROWS[base] for name, (base, _, _) in VARIANTS.items()}


# Of the real problems: the set of LIBSVM's data page, and the archives below data_dir that are taken first.
REAL: dict[str, tuple[str, tuple[str, ...]]] = {
    name: (name, (f"{name}.npz",)) for name in ("svmguide1", "usps", "pendigits", "ijcnn1", "a9a", "mnist")
} | {
    "heart": ("heart_scale", ("heart_scale.npz",)),
    "a9a-csr": ("a9a", ("a9a.npz",)),
    "w8a": ("w8a", ("w8a_X.npz", "w8a_y.npz")),
    "covtype85k": ("covtype", ("covtype_sample85k.npz",)),
    "mnist-round": ("mnist", ("mnist.npz",)),
    "usps-round": ("usps", ("usps.npz",)),
    "pendigits-round": ("pendigits", ("pendigits.npz",)),
    "cadata": ("cadata", ("cadata.npz",)),
}
REAL |= {name: REAL[base] for name, (base, _, _) in VARIANTS.items() if base in REAL}


def where(name: str) -> str:
    """Where a problem's data comes from, in a few words."""
    if name == "embeddings-ocr":
        return "there" if (data_dir() / OCR_FILE).exists() else "absent: python -m bench.embedded makes it"
    if name in text_problems.FILES:
        return "there" if (data_dir() / text_problems.FILES[name]).exists() else "absent: no set of LIBSVM's page"
    if name not in REAL:
        return "generated"
    set_name, files = REAL[name]
    if all((data_dir() / file).exists() for file in files):
        return "there"
    import dcsvm

    try:
        for part in dcsvm.datasets.catalogue()[set_name].parts:
            dcsvm.datasets.fetch_file(set_name, part=part, download=False)
    except FileNotFoundError:
        return f"absent: dcsvm datasets {set_name} downloads it"
    return "downloaded"


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
