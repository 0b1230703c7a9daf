"""DC-SVM with clusters as tasks (Hsieh, Si, Dhillon 2014): an early model, or the first pool of the exact solution.

1. every partition sends a sample of rows. Many centres are found in two steps: one worker finds groups of the sample by k-means,
   then tasks find the centres within the groups. Clusters that hold far more of the sample than the mean are split, at most twice
2. every partition assigns its rows to the nearest centre
3. rows move once, to the worker that solves their cluster; tasks are runs of several clusters, of about equal work
4. each cluster is solved alone; the caller merges the models (early), or their support vectors are the first pool (exact)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._input.validate import FloatArray, IndexArray
from .._svm.model import Model
from . import setup, tasks
from .engine import Engine, same
from .problem import Problem
from .rows import Part, Rows, is_sparse, stack_data, stacked

_SAMPLE = 40  # rows of the sample for each cluster
_SPLIT_ABOVE = 4.0  # times the mean size
_SPLITS = 2
_BUCKETS = 4  # tasks for each thread, of centres and of clusters
_GROUPS_ABOVE = 64  # centres, from which they are found within groups: k-means takes time that grows with their square
_ROWS_OF_GROUP = 100  # sampled rows for each group, from which the groups' centres are found
_TREE_FEATURES = 8  # up to which a tree finds the nearest centre faster than products with all of them
_TREE_FROM = 32  # centres
# When exact trainings start from clusters; as on one machine, where cpp/src/svm/choose_solver.cpp decides with the same numbers
# (test_clusters_and_low_rank.py compares them). Where all values are small whole
# numbers, C++ counts a quarter of them, because a kernel value is cheaper then; here all count.
_LOCAL_BELOW = 1e-3  # typical kernel value, below which a kernel is local
_LOCAL_FROM = 20_000  # rows
_EXPENSIVE_ABOVE = 8.0  # stored values of a row, above which kernel values cost more than clusters
_MOST_PARTS = 100  # partitions: rows are moved by a task for each pair of a partition and a group of clusters
_PAIRS = 256  # rows on each side of the sample of kernel values


@dataclass(frozen=True)
class Cluster:
    """A solved cluster: the model or, of one class, the class."""

    number: int
    n_rows: int
    model: Model | None
    only_class: float
    support: IndexArray  #: row numbers, in the order of Model.support_
    violation: float


@dataclass(frozen=True)
class Route:
    """centres (k, n_features); bucket (k,): which task solves each cluster."""

    centres: FloatArray
    bucket: IndexArray


@dataclass(frozen=True)
class Assigned:
    """A partition's rows that take part in the training, by the task that solves their cluster: positions in the partition,
    clusters, and where each task's rows end."""

    index: IndexArray
    cluster: npt.NDArray[np.int32]
    end: IndexArray


@dataclass(frozen=True)
class Clustering:
    """What a clustered training needs."""

    engine: Engine
    problem: Problem
    parts: Sequence[Any]
    labels: Sequence[int]
    first: Sequence[int]
    counts: Sequence[int]  #: rows of each partition
    n_clusters: int
    tol: float
    seed: int = 0

    def solve(self, function: Callable[..., Any]) -> tuple[list[Any], Any]:
        """Handles of what function(problem, tol, rows and clusters of each partition...) makes of the clusters of each task,
        and of the Route. function : cluster_models or cluster_rows."""
        problem = self.engine.submit("problem", same, self.problem)
        most = _BUCKETS * max(1, self.engine.n_threads())
        n_buckets = min(most, self.n_clusters)
        route = self._route(most, n_buckets)
        assigned = [
            self.engine.submit("assign", assign, problem, part, route, part=label)
            for part, label in zip(self.parts, self.labels, strict=True)
        ]
        pieces = [
            [
                self.engine.submit("move", rows_of_bucket, problem, part, first, one, b, part=label)
                for part, first, one, label in zip(self.parts, self.first, assigned, self.labels, strict=True)
            ]
            for b in range(n_buckets)
        ]
        self.engine.send()  # else a worker would wait for rows that another sends only after it has solved its first clusters
        return [self.engine.submit("cluster", function, problem, self.tol, *own) for own in pieces], route

    def merged_model(self) -> tuple[Model, float, int]:
        """The early model, the largest violation within a cluster and the number of clusters. Models come to the caller as
        soon as they are there: to merge them on a worker would move all of them once more."""
        solved, handle = self.solve(cluster_models)
        clusters: list[Cluster] = []
        route, first = self.engine.gather([handle, solved[0]])
        clusters += first
        for one in solved[1:]:
            clusters += self.engine.gather([one])[0]
        return merge(self.problem, sum(self.counts), route, clusters)

    def first_pool(self) -> Any:
        """A handle of the pool of all clusters' support vectors."""
        return self.engine.submit("pool", pool_of, self.problem, *self.solve(cluster_rows)[0])

    def _route(self, most: int, n_buckets: int) -> Any:
        """A handle of the Route. most: tasks that find centres."""
        n, wanted = sum(self.counts), _SAMPLE * self.n_clusters
        samples = [
            self.engine.submit("sample", sample_of, part, math.ceil(wanted * count / n), self.seed + p, part=label)
            for p, (part, count, label) in enumerate(zip(self.parts, self.counts, self.labels, strict=True))
        ]
        n_groups = 1 if self.n_clusters <= _GROUPS_ABOVE else math.isqrt(self.n_clusters)
        groups = None if n_groups == 1 else self.engine.submit("groups", centres_of_groups, n_groups, self.seed, *samples)
        n_tasks = min(most, n_groups)
        # Each takes all samples, which are on all workers: a task whose data is on one worker would run there.
        found = [
            self.engine.submit("centres", find_centres, self.n_clusters, groups, range(t, n_groups, n_tasks), self.seed, *samples)
            for t in range(n_tasks)
        ]
        return self.engine.submit("centres", route_of, n_buckets, *found)


def buckets(sizes: IndexArray, most: int) -> IndexArray:
    """Which of `most` tasks solves each cluster. The largest first, each to the task that has least work so far; work grows with
    the square of a cluster's rows."""
    work = np.zeros(most)
    place = np.zeros(len(sizes), dtype=np.int64)
    for c in np.argsort(-sizes, kind="stable"):
        place[c] = np.argmin(work)
        work[place[c]] += float(sizes[c]) ** 2
    return place


def start_from_clusters(engine: Engine, problem: Problem, data: setup.Data, tol: float, seed: int) -> Any:
    """A handle of the first pool of an exact training from as many clusters as there are partitions; None where the partitions'
    own support vectors are the better start. Under a local kernel a row matters to those near it only: partitions of random rows
    then have far more support vectors than clusters have, and with other coefficients."""
    summary = data.summary
    stored = summary.n_bytes / np.dtype(summary.dtype).itemsize / summary.n
    wanted = problem.formulation == "c_svc" and problem.options["kernel"] == "rbf" and stored > _EXPENSIVE_ABOVE
    if not wanted or summary.n < _LOCAL_FROM or not 1 < len(data.parts) <= _MOST_PARTS:
        return None
    share = 2 * _PAIRS / summary.n
    samples = [
        engine.submit("sample", sample_of, part, math.ceil(share * count), seed + p, part=label)
        for p, (part, count, label) in enumerate(zip(data.parts, data.counts, data.labels, strict=True))
    ]
    if engine.gather([engine.submit("sample", typical_value, problem, *samples)])[0] >= _LOCAL_BELOW:
        return None
    n_clusters = len(data.parts)
    return Clustering(engine, problem, data.parts, data.labels, data.first, data.counts, n_clusters, tol, seed).first_pool()


# Tasks


def typical_value(problem: Problem, *samples: Any, n_jobs: int) -> float:
    """The median of the kernel over pairs of rows."""
    rows = stack_data(samples)
    return float(np.median(problem.values(rows[0::2], rows[1::2], n_jobs)))


def sample_of(part: Part, count: int, seed: int, *, n_jobs: int) -> Any:
    index = np.sort(np.random.default_rng(seed).choice(part.n, min(part.n, count), replace=False))
    return part.X[index]


def centres_of_groups(n_groups: int, seed: int, *samples: Any, n_jobs: int) -> FloatArray:
    """Centres of at most n_groups groups of the sampled rows, by k-means on some of them."""
    rows = stack_data(samples)
    m = min(rows.shape[0], _ROWS_OF_GROUP * n_groups)
    return _k_means(rows[np.random.default_rng(seed).choice(rows.shape[0], m, replace=False)], n_groups, seed)


def find_centres(
    n_clusters: int, groups: FloatArray | None, wanted: Sequence[int], seed: int, *samples: Any, n_jobs: int
) -> list[tuple[FloatArray, IndexArray]]:
    """Of each of the wanted groups of sampled rows: distinct centres (in proportion to its rows, before large clusters are
    split), and how many rows of the sample are nearest to each. groups : their centres; None: all rows are one group."""
    sample = stack_data(samples)
    mean = sample.shape[0] / n_clusters
    group = np.zeros(sample.shape[0], dtype=np.int32) if groups is None else nearest(sample, groups)
    found = []
    for g in wanted:
        rows = sample[np.flatnonzero(group == g)]
        if rows.shape[0] == 0:
            continue
        centres = _k_means(rows, max(1, round(rows.shape[0] / mean)), seed + g)
        sizes = np.bincount(nearest(rows, centres), minlength=len(centres))
        for _ in range(_SPLITS):
            if sizes.max() <= _SPLIT_ABOVE * mean:
                break
            centres = split_centres(rows, centres, sizes, mean, seed + g)
            sizes = np.bincount(nearest(rows, centres), minlength=len(centres))
        found.append((centres, sizes))
    return found


def route_of(n_buckets: int, *found: list[tuple[FloatArray, IndexArray]], n_jobs: int) -> Route:
    both = [one for some in found for one in some]
    # Sorted, so that nothing depends on which task found a centre.
    centres, first = np.unique(np.concatenate([centres for centres, _ in both]), axis=0, return_index=True)
    return Route(np.ascontiguousarray(centres), buckets(np.concatenate([sizes for _, sizes in both])[first], n_buckets))


def _k_means(rows: Any, n_clusters: int, seed: int) -> FloatArray:
    from sklearn.cluster import KMeans

    distinct = len(np.unique(rows.toarray() if is_sparse(rows) else rows, axis=0))
    n_clusters = max(1, min(n_clusters, distinct))
    found = KMeans(n_clusters, n_init=1, max_iter=20, random_state=seed).fit(rows.astype(np.float64))
    return np.ascontiguousarray(np.unique(found.cluster_centers_, axis=0))


def split_centres(sample: Any, centres: FloatArray, sizes: IndexArray, mean: float, seed: int) -> FloatArray:
    """The centres with those of too large clusters replaced by several."""
    own = nearest(sample, centres)
    new = []
    for c, size in enumerate(sizes):
        rows = sample[np.flatnonzero(own == c)]
        few = rows.shape[0] < 2 or size <= _SPLIT_ABOVE * mean
        new.append(centres[c : c + 1] if few else _k_means(rows, math.ceil(size / mean), seed))
    return np.ascontiguousarray(np.unique(np.concatenate(new), axis=0))


def nearest(X: Any, centres: FloatArray, n_jobs: int = 1) -> npt.NDArray[np.int32]:
    """(n,) number of the nearest centre."""
    if not is_sparse(X) and X.shape[1] <= _TREE_FEATURES and len(centres) >= _TREE_FROM:
        from scipy.spatial import cKDTree

        return np.asarray(cKDTree(centres).query(X, workers=n_jobs)[1], dtype=np.int32)
    out = np.empty(X.shape[0], dtype=np.int32)
    square = (centres**2).sum(axis=1)
    step = max(1, 2**22 // max(len(centres), 1))
    for begin in range(0, X.shape[0], step):
        out[begin : begin + step] = np.argmin(square - 2.0 * np.asarray(X[begin : begin + step] @ centres.T), axis=1)
    return out


def assign(problem: Problem, part: Part, route: Route, *, n_jobs: int) -> Assigned:
    index = np.flatnonzero(problem.upper(part) > 0)
    cluster = nearest(part.X, route.centres, n_jobs)[index]
    bucket = route.bucket[cluster]
    order = np.argsort(bucket, kind="stable")
    end = np.cumsum(np.bincount(bucket, minlength=route.bucket.max() + 1))
    return Assigned(index[order], cluster[order], end)


def rows_of_bucket(
    problem: Problem, part: Part, first: int, assigned: Assigned, wanted: int, *, n_jobs: int
) -> tuple[Rows, npt.NDArray[np.int32]]:
    """The partition's rows of one task's clusters, and their clusters."""
    if wanted >= len(assigned.end):  # there are fewer clusters than tasks
        own = slice(0, 0)
    else:
        own = slice(assigned.end[wanted - 1] if wanted else 0, assigned.end[wanted])
    return problem.rows_of(part, first, assigned.index[own]), assigned.cluster[own]


def cluster_models(problem: Problem, tol: float, *pieces: tuple[Rows, npt.NDArray[np.int32]], n_jobs: int) -> list[Cluster]:
    out = []
    for number, rows in _clusters_of(problem, pieces):
        found, _, model = tasks.solved(problem, rows, tol, n_jobs)
        if model is None:
            out.append(Cluster(number, rows.n, None, float(rows.target[0]), np.zeros(0, dtype=np.int64), 0.0))
        else:
            out.append(Cluster(number, rows.n, model, 0.0, found.number[model.support_], model.report.violation))
    return out


def cluster_rows(problem: Problem, tol: float, *pieces: tuple[Rows, npt.NDArray[np.int32]], n_jobs: int) -> list[Rows]:
    """The support vectors of each cluster; of one class one row."""
    out = []
    for _, rows in _clusters_of(problem, pieces):
        found, _, model = tasks.solved(problem, rows, tol, n_jobs)
        out.append(found.take(np.arange(1) if model is None else model.support_))
    return out


def _clusters_of(problem: Problem, pieces: Sequence[tuple[Rows, npt.NDArray[np.int32]]]) -> Iterator[tuple[int, Rows]]:
    rows, cluster = stacked([p[0] for p in pieces]), np.concatenate([p[1] for p in pieces])
    for c in np.unique(cluster):
        own = rows.take(np.flatnonzero(cluster == c))
        yield int(c), tasks.started(problem, own) if problem.formulation == "one_class" else own


def merge(problem: Problem, n: int, route: Route, clusters: Sequence[Cluster]) -> tuple[Model, float, int]:
    """The early model, the largest violation within a cluster and the number of clusters. Clusters without rows that take part
    are left out; their queries go to the next nearest."""
    clusters = sorted(clusters, key=lambda c: c.number)
    if all(c.model is None for c in clusters):
        raise ValueError(f"n_clusters: none of {len(clusters)} clusters has rows of two classes; ask for fewer")
    parts: list[Any] = [(None if c.model is None else c.model._core, c.only_class, c.n_rows, c.support) for c in clusters]
    classes = np.arange(len(problem.classes), dtype=np.float64)
    used = np.ascontiguousarray(route.centres[[c.number for c in clusters]])
    model = Model(_core.merge_clusters(parts, n, classes, used.ravel()))
    return model, max(c.violation for c in clusters), len(clusters)


def pool_of(problem: Problem, *solved: list[Rows], n_jobs: int) -> tasks.Solution:
    return tasks.start_pool(problem, *(rows for some in solved for rows in some), n_jobs=n_jobs)
