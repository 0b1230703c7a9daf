"""DaskDCSVC and DaskLowRankSVC: the models of one machine from clusters and sums of many."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from _local_engine import LocalEngine
from _partitions import described, even, gathered, problem_of
from dcsvm._distributed import early, low_rank
from dcsvm._distributed.outer_loop import OuterLoop

da = pytest.importorskip("dask.array", reason="dcsvm.dask needs the extra dask")

from dask import delayed  # noqa: E402
from sklearn.datasets import make_blobs  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402

from dcsvm.dask import DaskDCSVC, DaskLowRankSVC  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")


def arrays(X, y, rows=1000):
    return da.from_array(X, chunks=(rows, -1)), da.from_array(y, chunks=rows)


@pytest.fixture(scope="module")
def large():
    return dcsvm.datasets.make_checkerboard(8000, noise=0.05, random_state=2)


# Clusters


def test_an_early_model_of_clusters(cluster, large):
    X, y = large
    dX, dy = arrays(X, y)
    model = DaskDCSVC(C=10, gamma=4, n_clusters=6).fit(dX, dy)
    report = model.report_
    assert report.stop_reason == "converged"
    assert report.violation < 1e-3
    assert 6 <= report.n_clusters <= 12
    assert model.model_.clustered
    exact = dcsvm.SVC(C=10, gamma=4).fit(X, y)
    test = dcsvm.datasets.make_checkerboard(4000, random_state=9)
    assert model.score(*test) > exact.score(*test) - 0.01
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    labels = model.predict(dX)
    np.testing.assert_array_equal(labels.compute(), model.to_local().predict(X))
    assert type(model.to_local()) is dcsvm.DCSVC
    naive = DaskDCSVC(C=10, gamma=4, n_clusters=6, prediction="naive").fit(dX, dy)
    assert naive.model_.prediction == "naive"


def test_each_cluster_is_solved_as_if_alone(large):
    X, y = large
    engine = LocalEngine(threads=2)
    data = described(engine, X, y, None, even(8000, 7))
    problem = problem_of("c_svc", data, {"C": 10, "gamma": 4.0})
    clustering = early.Clustering(engine, problem, data.parts, data.labels, data.first, data.counts, 5, 1e-3)
    model, violation, n_clusters = clustering.merged_model()
    assert violation < 1e-3
    own = early.nearest(X, clustering.solve(early.cluster_models)[1].value.centres)
    assert n_clusters == len(np.unique(own))
    answer = model.predict(X)
    for c in np.unique(own):
        rows = np.flatnonzero(own == c)
        alone = dcsvm.train(X[rows], (y[rows] == 1).astype(float), C=10, gamma=4)
        np.testing.assert_array_equal(answer[rows], alone.predict(X[rows]))


def test_the_exact_model_from_clusters(cluster, large):
    X, y = large
    model = DaskDCSVC(C=10, gamma=4, n_clusters=6, early_level=None, tol=1e-4).fit(*arrays(X, y))
    whole = dcsvm.SVC(C=10, gamma=4, tol=1e-4, precision="double").fit(X, y)
    report = model.report_
    assert report.objective == pytest.approx(whole.report_.objective, rel=1e-6)
    assert not model.model_.clustered
    # Clusters of neighbours send fewer rows than random partitions.
    assert report.rounds[0].n_pool < 1.3 * report.n_support


def test_when_to_start_from_clusters_is_declared_as_in_cpp():
    source = Path(__file__).parents[3] / "cpp" / "src"
    for name, file, number in (
        ("kDcFrom", "svm/choose_solver.cpp", early._LOCAL_FROM),
        ("kDcBelow", "svm/choose_solver.cpp", early._LOCAL_BELOW),
        ("kRecomputeWork", "kernel_matrix/row_source.hpp", early._EXPENSIVE_ABOVE),
    ):
        found = re.search(rf"^constexpr \w+ {name} = ([^;]+);", (source / file).read_text(), re.MULTILINE)
        assert float(found[1]) == number, name


def test_exact_trainings_with_a_local_kernel_start_from_clusters(monkeypatch):
    monkeypatch.setattr(early, "_LOCAL_FROM", 1200)
    X, y = make_blobs(1200, n_features=10, centers=40, cluster_std=3.0, random_state=1)
    y = y % 2

    def start(threads, gamma, borders):
        engine = LocalEngine(threads=threads)
        data = described(engine, X, y, None, borders)
        problem = problem_of("c_svc", data, {"C": 10, "gamma": gamma, "tol": 1e-4})
        pool = early.start_from_clusters(engine, problem, data, 1e-3, 0)
        return pool, OuterLoop(engine, problem, data.parts, data.labels, data.first)

    found = []
    for threads in (1, 8):  # other groups of clusters
        pool, loop = start(threads, 0.1, even(1200, 4))
        assert "cluster" in loop.engine.names
        outcome = loop.run(pool)
        found.append(gathered(outcome).rows.beta)
    np.testing.assert_array_equal(*found)
    whole = dcsvm.train(X, y, C=10, gamma=0.1, tol=1e-4, precision="double")
    assert outcome.objective == pytest.approx(whole.report.objective, rel=1e-6)
    assert start(1, 0.001, even(1200, 4))[0] is None  # not local
    assert start(1, 0.1, [0, 1200])[0] is None  # nothing to move


def test_clusters_of_one_class_of_skewed_sizes_and_of_sparse_rows(cluster):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.3, (3000, 2)), rng.normal(8, 0.1, (60, 2)), rng.normal(-8, 0.1, (60, 2))])
    y = np.where(X[:, 0] > 4, 2, np.where(X[:, 0] < -4, 1, rng.integers(0, 3, 3120)))
    order = rng.permutation(3120)
    X, y = X[order], y[order]
    blocks = [delayed(sp.csr_matrix(X[i : i + 780])) for i in range(0, 3120, 780)]
    model = DaskDCSVC(C=1, gamma=1.0, n_clusters=8).fit(blocks, [delayed(y[i : i + 780]) for i in range(0, 3120, 780)])
    answer = model.to_local().predict(sp.csr_matrix(X))
    far = np.abs(X[:, 0]) > 4
    np.testing.assert_array_equal(answer[far], y[far])
    again = DaskDCSVC(C=1, gamma=1.0, n_clusters=8).fit(blocks, [delayed(y[i : i + 780]) for i in range(0, 3120, 780)])
    np.testing.assert_array_equal(again.dual_coef_.toarray(), model.dual_coef_.toarray())


def test_too_large_clusters_are_split():
    rng = np.random.default_rng(0)
    sample = np.concatenate([rng.normal(0, 1, (400, 2)), rng.normal(50, 1, (20, 2))])
    centres = np.array([[0.0, 0.0], [50.0, 50.0]])
    new = early.split_centres(sample, centres, np.array([9000, 200]), 1000.0, 0)
    assert len(new) == 10
    assert (np.abs(new - 50).max(axis=1) < 5).sum() == 1


def test_tasks_of_clusters_have_about_equal_work():
    sizes = np.array([10, 10, 40, 10, 10, 30, 5, 5])
    found = early.buckets(sizes, 3)
    assert (np.bincount(found, weights=sizes**2) <= 1600).all()  # the largest cluster is alone
    assert set(found) == {0, 1, 2}
    assert early.buckets(np.array([7]), 4).tolist() == [0]


@pytest.mark.parametrize("features", [2, 12])
def test_many_centres_are_found_in_groups_whatever_the_number_of_tasks(monkeypatch, features):
    monkeypatch.setattr(early, "_GROUPS_ABOVE", 8)
    X = np.random.default_rng(0).normal(size=(4000, features))
    y = (X[:, 0] > 0).astype(float)
    found = []
    for threads in (1, 3):
        engine = LocalEngine(threads=threads)
        data = described(engine, X, y, None, even(4000, 5))
        problem = problem_of("c_svc", data, {"C": 1, "gamma": 1.0})
        clustering = early.Clustering(engine, problem, data.parts, data.labels, data.first, data.counts, 40, 1e-3)
        solved, route = clustering.solve(early.cluster_models)
        found.append(route.value.centres)
        rows = np.sort(np.concatenate([c.support for some in solved for c in some.value]))
        assert len(np.unique(rows)) == len(rows)
        assert sum(c.n_rows for some in solved for c in some.value) == 4000
        square = ((X[:, None, :] - found[-1][None]) ** 2).sum(axis=2)
        np.testing.assert_array_equal(early.nearest(X, found[-1]), np.argmin(square, axis=1))
        assert np.bincount(np.argmin(square, axis=1)).max() < 8 * 4000 / 40
    np.testing.assert_array_equal(*found)
    assert 35 <= len(found[0]) <= 60


# Low rank


def primal(model, X, y, C, weight=None):
    """1/2 |w|^2 + 1/2 b^2 + sum C_i loss_i of a low-rank model of two classes, from its coefficients alone."""
    core = model._core
    Z, coef, b = model.landmarks_, core.coef(), core.intercept()[0]
    K = np.exp(-model.gamma * ((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    norm = coef @ K @ coef
    f = -model.decision_function(X)  # positive for the lower class
    sign = np.where(y == np.unique(y)[0], 1, -1)
    return 0.5 * norm + 0.5 * b**2 + C * ((np.maximum(0, 1 - sign * f) ** 2) * (1 if weight is None else weight)).sum()


def test_low_rank_reaches_the_optimum_of_its_landmarks(cluster, large):
    X, y = large
    dX, dy = arrays(X, y)
    model = DaskLowRankSVC(C=2.0, gamma=4.0, n_landmarks=150).fit(dX, dy)
    report = model.report_
    assert report.stop_reason == "converged"
    assert report.gap < 1e-4
    assert len(report.passes) <= 15
    assert report.primal_objective == pytest.approx(primal(model.model_, X, y, 2.0), rel=1e-4)
    same = dcsvm.train_low_rank(
        X,
        (y == 1).astype(float),
        C=2.0,
        gamma=4.0,
        landmarks=model.model_.landmarks_,
        loss="squared_hinge",
        tol=1e-4,
        max_iter=5000,
    )
    assert report.primal_objective == pytest.approx(same.report.primal_objective, rel=1e-3)
    assert (model.predict(dX).compute() == np.array([-1, 1])[same.predict(X).astype(int)]).mean() > 0.998
    assert model.score(dX, dy) == pytest.approx(model.to_local().score(X, y))
    assert type(model.to_local()) is dcsvm.LowRankSVC


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_low_rank_of_several_classes_and_weights(cluster, blobs, multi_class):
    X, y = blobs
    weight = np.random.default_rng(0).integers(1, 4, 800).astype(float)
    dX, dy = arrays(X, y, 150)
    model = DaskLowRankSVC(C=1.0, gamma=0.5, n_landmarks=60, multi_class=multi_class, class_weight="balanced").fit(
        dX, dy, da.from_array(weight, chunks=150)
    )
    same = {"C": 1.0, "gamma": 0.5, "multi_class": multi_class, "class_weight": "balanced", "loss": "squared_hinge"}
    local = dcsvm.LowRankSVC(landmarks=model.model_.landmarks_, tol=1e-4, max_iter=5000, **same).fit(X, y, weight)
    assert model.report_.primal_objective == pytest.approx(local.report_.primal_objective, rel=1e-3)
    values = model.decision_function(dX)
    assert values.shape == (800, 4 if multi_class == "ovr" else 6)
    np.testing.assert_allclose(values.compute(), local.decision_function(X), atol=0.02)


@pytest.mark.filterwarnings("ignore:the sigmoid kernel is not positive")
def test_low_rank_of_a_kernel_with_negative_eigenvalues_is_that_of_its_positive_part(cluster, large):
    X, y = large[0][:1000], large[1][:1000]
    model = DaskLowRankSVC(kernel="sigmoid", gamma=2.0, n_landmarks=30).fit(*arrays(X, y, 250))
    Z = model.model_.landmarks_
    values, vectors = np.linalg.eigh(np.tanh(2.0 * Z @ Z.T))
    assert values[0] < -0.01 * values[-1]
    kept = values > 1e-10 * values.sum() / len(values)
    F = np.hstack([np.tanh(2.0 * X @ Z.T) @ vectors[:, kept] / np.sqrt(values[kept]), np.ones((len(X), 1))])
    minimum = dcsvm.train_linear(F, y, solver="squared_hinge", bias=-1, tol=1e-9).report.primal_objective
    assert model.report_.primal_objective == pytest.approx(minimum, rel=1e-4)


@pytest.mark.parametrize("keep", [True, False])
def test_low_rank_does_not_depend_on_the_partitions(large, keep):
    X, y = large
    found = []
    for parts in (1, 17, 200):
        engine = LocalEngine(threads=2)
        data = described(engine, X[:4000], y[:4000], None, even(4000, parts))
        problem = problem_of("c_svc", data, {"C": 2.0, "gamma": 4.0})
        model, outcome = low_rank.NewtonLoop(
            engine, problem, data.parts, data.labels, data.first, data.counts, 80, 1600, "ovr", 1e-6, 50, keep
        ).run()
        assert outcome.stop_reason == "converged"
        assert len(outcome.passes) <= 15
        found.append(outcome)
        assert primal(model.value, X[:4000], y[:4000], 2.0) == pytest.approx(outcome.primal_objective, rel=1e-4)
    # Other partitions draw other samples, and so other landmarks; the objectives are near each other.
    values = [o.primal_objective for o in found]
    assert max(values) < 1.1 * min(values)


def test_low_rank_parameters(cluster, large):
    X, y = arrays(large[0][:500], large[1][:500], 250)
    for parameters, text in [
        ({"C": [1, 2]}, "The 'C' parameter of DaskLowRankSVC must be"),
        ({"kernel": lambda a, b: a @ b.T}, "The 'kernel' parameter of DaskLowRankSVC must be"),
        ({"tol": 2.0}, "The 'tol' parameter of DaskLowRankSVC must be"),
        ({"n_landmarks": 0}, "The 'n_landmarks' parameter of DaskLowRankSVC must be"),
    ]:
        with pytest.raises(ValueError, match=text):
            DaskLowRankSVC(**parameters).fit(X, y)
    seen = []
    with pytest.warns(ConvergenceWarning, match="cancelled"):
        model = DaskLowRankSVC(n_landmarks=20, gamma=4.0, callback=lambda p: seen.append(p) or True).fit(X, y)
    assert [p["number"] for p in seen] == [1]
    assert model.report_.passes[0].gap == seen[0]["gap"]


def test_the_first_pool_from_clusters_is_feasible(large):
    """Clusters' coefficients satisfy the whole problem's constraint, so that the pool starts warm."""
    X, y = large[0][:3000], large[1][:3000]
    engine = LocalEngine(threads=2)
    data = described(engine, X, y, None, even(3000, 5))
    problem = problem_of("c_svc", data, {"C": 10, "gamma": 4.0, "tol": 1e-4})
    pool = early.Clustering(engine, problem, data.parts, data.labels, data.first, data.counts, 4, 1e-2).first_pool()
    assert abs(pool.value.rows.beta.sum()) < 1e-9 * np.abs(pool.value.rows.beta).sum()
    outcome = OuterLoop(engine, problem, data.parts, data.labels, data.first).run(pool)
    assert gathered(outcome).model is not None
    assert outcome.objective == pytest.approx(
        dcsvm.train(X, y, C=10, gamma=4, tol=1e-4, precision="double").report.objective, rel=1e-6
    )
