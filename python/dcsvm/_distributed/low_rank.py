"""Low-rank SVMs by Newton's method on sums over partitions.

    min over (w, b):  1/2 |w|^2 + 1/2 b^2 + sum_i C_i max(0, 1 - y_i (F_i w + b))^2        for each problem

With the squared hinge loss the objective is piecewise quadratic, and Newton's method ends after a few steps (Keerthi, DeCoste
2005). Each step is one pass: partitions compute loss, gradient and Hessian, (k + 1) x (k + 1), which are summed in a tree. The
features F = K(X, Z) M with M M' = K(Z, Z)^-1 are those of the Nystrom approximation (Lan et al. 2019, Eq. 12).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.choices import MultiClass
from .._input.parameters import fill
from .._input.validate import FloatArray
from .._low_rank.model import LowRankModel
from .._low_rank.train import train_low_rank
from .engine import Engine, same
from .newton import Columns, Minimum, Newton, Pass, Sums, add_sums, sums_of_rows
from .problem import Problem
from .rows import Part, Rows, stacked

_FAN_IN = 8
_BLOCK = 2**22  # features that are made at once


@dataclass(frozen=True)
class Features:
    """How to make features: F = K(X, landmarks) inverse_root; and the signs of each class in each problem."""

    landmarks: FloatArray
    inverse_root: FloatArray  #: (k, k): the transposed inverse of the Cholesky factor of K(Z, Z)
    signs: FloatArray  #: (n_classes, n_problems): 1, -1, or 0 where the class takes no part
    bias: bool
    start: FloatArray  #: (n_problems, k + 1)


@dataclass
class NewtonLoop:
    """parts : handles of rows.Part; first, labels, counts: number of the first row, of the partition and of its rows."""

    engine: Engine
    problem: Problem
    parts: Sequence[Any]
    labels: Sequence[int]
    first: Sequence[int]
    counts: Sequence[int]
    n_landmarks: int
    landmark_sample: int
    multi_class: MultiClass
    tol: float  #: of the relative duality gap
    max_passes: int
    keep_features: bool
    seed: int = 0
    on_pass: Callable[[Pass], bool] = lambda _: False

    def run(self) -> tuple[Any, Minimum]:
        """A handle of the LowRankModel, and how the minimum was found."""
        problem = self.engine.submit("problem", same, self.problem)
        n = sum(self.counts)
        samples = [
            self.engine.submit(
                "sample", labelled_sample, problem, part, first, -(-self.landmark_sample * count // n), self.seed, part=label
            )
            for part, first, count, label in zip(self.parts, self.first, self.counts, self.labels, strict=True)
        ]
        sample_model = self.engine.submit(
            "landmarks", train_sample, problem, self.n_landmarks, self.multi_class, n, self.seed, *samples
        )
        features = self.engine.submit("map", make_features, problem, sample_model, self.multi_class)
        kept = [
            self.engine.submit("features", features_of, problem, part, features, self.keep_features, part=label)
            for part, label in zip(self.parts, self.labels, strict=True)
        ]
        start = self.engine.gather([self.engine.submit("start", start_of, features)])[0]

        def sums(weights: FloatArray) -> Sums:
            return self._sums(problem, features, kept, weights)

        k = start.shape[1]
        found = Newton(sums, _no_product, np.ones(k), self.tol, self.max_passes, self.on_pass).run(start)
        model = self.engine.submit("model", finished, sample_model, features, found.weights)
        return model, found

    def _sums(self, problem: Any, features: Any, kept: Sequence[Any], weights: FloatArray) -> Sums:
        shared = self.engine.submit("weights", same, weights)
        sums = [
            self.engine.submit("pass", sums_of, problem, part, one, features, shared, part=label)
            for part, one, label in zip(self.parts, kept, self.labels, strict=True)
        ]
        total: Sums = self.engine.gather([self.engine.tree_reduce("sum", add_sums, sums, _FAN_IN)])[0]
        return total


# Tasks


def labelled_sample(problem: Problem, part: Part, first: int, count: int, seed: int, *, n_jobs: int) -> Rows:
    """Rows at random that take part, at least one of each class."""
    upper, target = problem.upper(part), problem.targets(part)
    index = np.flatnonzero(upper > 0)
    random = np.random.default_rng((seed, first))
    chosen = random.choice(index, min(len(index), count), replace=False)
    of_each = [index[target[index] == c][:1] for c in np.unique(target[index])]
    return problem.rows_of(part, first, np.unique(np.concatenate([chosen, *of_each]).astype(np.int64)))


def train_sample(
    problem: Problem, n_landmarks: int, multi_class: MultiClass, n: int, seed: int, *samples: Rows, n_jobs: int
) -> LowRankModel:
    """A low-rank model of the sample: its landmarks are those of the whole, its weights the start."""
    rows = stacked(samples)
    names = ("kernel", "degree", "gamma", "coef0", "fit_intercept")
    options: dict[str, Any] = {name: problem.options[name] for name in names}
    landmarks: Any = "kmeans"
    size: dict[str, Any] = {"n_landmarks": n_landmarks}
    if rows.n <= 10 * n_landmarks:
        dense = rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X
        distinct = np.unique(dense, axis=0)
        if len(distinct) <= n_landmarks:
            landmarks, size = distinct, {}
    C = problem.options["C"]
    return train_low_rank(
        rows.X,
        rows.target,
        C=C * n / rows.n,  # the sample stands for all rows
        sample_weight=rows.upper / C,
        landmarks=landmarks,
        loss="squared_hinge",
        multi_class=multi_class,
        tol=1.0,
        random_state=seed,
        n_jobs=n_jobs,
        **size,
        **options,
    )


def _params(problem: Problem, n_jobs: int, precision: str) -> _core.TrainParams:
    given = {name: problem.options[name] for name in ("kernel", "degree", "gamma", "coef0")}
    return fill(_core.TrainParams(), {**given, "precision": precision, "random_state": 0, "n_jobs": n_jobs})


def _roots(k_zz: FloatArray, least: float) -> tuple[FloatArray, FloatArray]:
    """R and S with R R' = K and S = inverse(R'). Where K has negative eigenvalues (sigmoid), these are cut off, and those below
    `least`."""
    try:
        root: Any = np.linalg.cholesky(k_zz + least * np.eye(len(k_zz)))
        return root, np.linalg.solve(root, np.eye(len(k_zz))).T
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(k_zz)
        roots: Any = np.sqrt(np.where(values > max(least, 0.0), values, 0.0))
        inverse: Any = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
        return vectors * roots, vectors * inverse


def make_features(problem: Problem, model: LowRankModel, multi_class: MultiClass, *, n_jobs: int) -> Features:
    landmarks = np.ascontiguousarray(model.landmarks_)
    k_zz = _core.kernel_values(landmarks, landmarks, _params(problem, n_jobs, "double"))
    k = len(landmarks)
    root, inverse_root = _roots(k_zz, 1e-10 * float(np.trace(k_zz)) / k)
    start = np.concatenate([model._core.coef().reshape(-1, k) @ root, model._core.intercept()[:, None]], axis=1)
    signs = signs_of(len(problem.classes), multi_class)
    return Features(landmarks, np.ascontiguousarray(inverse_root), signs, problem.fit_intercept, start)


def signs_of(n_classes: int, multi_class: MultiClass) -> FloatArray:
    """(n_classes, n_problems), as low_rank.hpp: two classes and pairs are positive for the lower class, else for the column's."""
    if n_classes == 2:
        return np.array([[1.0], [-1.0]])
    if multi_class == "ovr":
        return np.asarray(2.0 * np.eye(n_classes) - 1.0)
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    return np.array([[1.0 if c == i else -1.0 if c == j else 0.0 for i, j in pairs] for c in range(n_classes)])


def start_of(features: Features, *, n_jobs: int) -> FloatArray:
    return features.start


def _mapped(problem: Problem, X: Any, features: Features, n_jobs: int) -> npt.NDArray[np.float32]:
    """(n, k + 1): features, and a column of ones (zeros without a bias)."""
    values = _core.kernel_values(X, features.landmarks.astype(X.dtype), _params(problem, n_jobs, "single"))
    out = np.empty((X.shape[0], len(features.landmarks) + 1), dtype=np.float32)
    out[:, :-1] = values @ features.inverse_root
    out[:, -1] = 1.0 if features.bias else 0.0
    return out


def features_of(problem: Problem, part: Part, features: Features, keep: bool, *, n_jobs: int) -> npt.NDArray[np.float32] | None:
    """None: they are made again in every pass."""
    return _mapped(problem, part.X, features, n_jobs) if keep else None


def sums_of(
    problem: Problem, part: Part, kept: npt.NDArray[np.float32] | None, features: Features, weights: FloatArray, *, n_jobs: int
) -> Sums:
    cost, sign = problem.upper(part), features.signs[problem.targets(part).astype(np.intp)]
    step = max(1, _BLOCK // weights.shape[1])
    found = []
    for begin in range(0, part.n, step):
        rows = slice(begin, begin + step)
        block = _mapped(problem, part.X[rows], features, n_jobs) if kept is None else kept[rows]
        used = cost[rows, None] * (sign[rows] != 0)
        found.append(sums_of_rows(Columns(block.astype(np.float64)), used, sign[rows], weights, "squared_hinge", True)[0])
    return add_sums(*found, n_jobs=n_jobs)


def finished(model: LowRankModel, features: Features, weights: FloatArray, *, n_jobs: int) -> LowRankModel:
    coef = weights[:, :-1] @ features.inverse_root.T
    intercept = weights[:, -1] if features.bias else np.zeros(len(weights))
    return LowRankModel(model._core.with_coefficients(np.ascontiguousarray(coef).ravel(), intercept))


def _no_product(vectors: FloatArray) -> FloatArray:
    raise AssertionError("passes give the whole Hessian")
