"""dcsvm.dask on clusters in this process: what goes in, what comes out, and what stays lazy."""

import json
import logging
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

da = pytest.importorskip("dask.array", reason="dcsvm.dask needs the extra dask")

from dask import delayed  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import ConvergenceWarning, NotFittedError  # noqa: E402

from dcsvm.dask import DaskOneClassSVM, DaskSVC, DaskSVR  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")


def arrays(X, y, rows=600):
    return da.from_array(X, chunks=(rows, -1)), None if y is None else da.from_array(y, chunks=rows)


@pytest.fixture(scope="module")
def fitted(cluster, noisy):
    return DaskSVC(C=10, gamma=4).fit(*arrays(*noisy))


@pytest.fixture(scope="module")
def local(noisy):
    return dcsvm.SVC(C=10, gamma=4, precision="double", tol=1e-4).fit(*noisy)


def test_the_objective_is_that_of_one_machine(fitted, local, noisy):
    report = fitted.report_
    assert report.stop_reason == "converged"
    assert report.violation < 1e-3
    assert report.objective == pytest.approx(local.report_.objective, rel=1e-5)
    assert report.n_rows == 3000
    assert report.n_partitions == 5
    assert report.n_repeated == 0
    assert report.rounds == fitted.rounds_
    assert report.rounds[-1].certified
    np.testing.assert_array_equal(fitted.support_vectors_, noisy[0][fitted.support_])
    assert (fitted.to_local().predict(noisy[0]) == local.predict(noisy[0])).mean() > 0.999


def test_a_report_shows_itself_as_that_of_one_machine_does(fitted, local):
    report = fitted.report_
    assert len(repr(report).splitlines()) <= 5
    shown, of_one = ({line[:16].strip(): line[16:] for line in str(r).splitlines()} for r in (report, local.report_))
    assert {"stop reason", "objective", "violation", "support vectors", "gamma", "seconds"} <= shown.keys() & of_one.keys()
    assert shown["rounds"] == str(len(report.rounds))
    assert report._repr_html_().count("<table") == 2, "the facts and the rounds"
    assert json.loads(report.to_json())["n_support"] == report.n_support
    assert report.to_frame("rounds")["violation"].tolist() == [r.violation for r in report.rounds]
    assert report.to_frame()["seconds"].item() == report.seconds


def test_prediction_is_lazy_and_of_the_same_kind(fitted, noisy, cluster):
    import dask.dataframe as dd
    import pandas as pd

    X, y = noisy
    dX, dy = arrays(X, y, 700)
    expected, values = fitted.to_local().predict(X), fitted.to_local().decision_function(X)
    before = cluster.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
    labels, decisions = fitted.predict(dX), fitted.decision_function(dX)
    assert cluster.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == before
    assert isinstance(labels, da.Array)
    assert (labels.chunks, labels.dtype) == (dy.chunks, expected.dtype)
    models = [k for k in labels.__dask_graph__() if "SVC" in str(k)]
    assert len(models) <= 1  # the model is in the graph once
    np.testing.assert_array_equal(labels.compute(), expected)
    np.testing.assert_array_equal(decisions.compute(), values)
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"], index=np.arange(len(X)) + 7), npartitions=4)
    series = fitted.predict(frame.astype(float))
    assert series.npartitions == 4
    found = series.compute()
    np.testing.assert_array_equal(found.to_numpy(), expected)
    np.testing.assert_array_equal(found.index, np.arange(len(X)) + 7)
    parts = fitted.predict([delayed(X[:10]), delayed(X[10:20])])
    np.testing.assert_array_equal(np.concatenate([p.compute() for p in parts]), expected[:20])
    np.testing.assert_array_equal(fitted.predict(X), expected)
    assert fitted.score(dX, dy) == pytest.approx(fitted.score(X, y))
    assert fitted.score(dX, dy, da.from_array(np.arange(3000.0), chunks=700)) == pytest.approx(
        fitted.score(X, y, np.arange(3000.0))
    )


def test_data_frames_and_delayed_parts(cluster, noisy, fitted):
    import dask.dataframe as dd
    import pandas as pd

    X, y = noisy
    table = pd.DataFrame(X, columns=["a", "b"])
    table["y"] = np.where(y == 1, "yes", "no")
    frame = dd.from_pandas(table, npartitions=5)
    model = DaskSVC(C=10, gamma=4).fit(frame[["a", "b"]], frame["y"])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b"]
    labels = model.predict(frame[["a", "b"]]).compute()
    assert (labels == table["y"]).mean() == pytest.approx(fitted.score(X, y), abs=2e-3)
    parts = [(delayed(X[i : i + 600]), delayed(y[i : i + 600])) for i in range(0, 3000, 600)]
    again = DaskSVC(C=10, gamma=4).fit([p for p, _ in parts], [q for _, q in parts])
    np.testing.assert_array_equal(again.support_, fitted.support_)
    np.testing.assert_array_equal(again.dual_coef_, fitted.dual_coef_)


def test_files_of_which_dask_would_read_several_as_one_partition(cluster, noisy, fitted, tmp_path):
    """The program of docs/distributed.md: Dask tunes the reading of one column otherwise than that of all."""
    import dask.dataframe as dd
    import pandas as pd

    pytest.importorskip("pyarrow", reason="files of Parquet are written with pyarrow")
    X, y = noisy
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": y})
    for i in range(4):
        table[i * 750 : (i + 1) * 750].to_parquet(tmp_path / f"{i}.parquet")
    rows = dd.read_parquet(f"{tmp_path}/*.parquet")
    X_parts, y_parts = rows.drop(columns="label"), rows["label"]
    assert len(y_parts.to_delayed()) < len(X_parts.to_delayed()) == 4
    model = DaskSVC(C=10, gamma=4).fit(X_parts, y_parts)
    assert model.report_.n_partitions == 4
    assert model.report_.objective == pytest.approx(fitted.report_.objective, rel=1e-4)
    np.testing.assert_array_equal(model.predict(X_parts).compute(), model.to_local().predict(table[["a", "b"]]))
    assert model.score(X_parts, y_parts) == pytest.approx(fitted.score(X, y), abs=2e-3)


def test_equal_bits_for_other_workers_and_other_orders(noisy, fitted):
    from distributed import Client, LocalCluster

    for workers, threads in ((1, 1), (3, 2)):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=threads, processes=False, dashboard_address=":0") as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            again = DaskSVC(C=10, gamma=4, client=client).fit(*arrays(*noisy))
        np.testing.assert_array_equal(again.support_, fitted.support_)
        np.testing.assert_array_equal(again.dual_coef_, fitted.dual_coef_)
        np.testing.assert_array_equal(again.intercept_, fitted.intercept_)


def test_sparse_parts_weights_and_several_classes(cluster, blobs):
    X, y = blobs
    weight = np.random.default_rng(0).uniform(0.5, 2, 800)
    parts = [delayed(sp.csr_matrix(X[i : i + 200])) for i in range(0, 800, 200)]
    targets = [delayed(y[i : i + 200]) for i in range(0, 800, 200)]
    weights = [delayed(weight[i : i + 200]) for i in range(0, 800, 200)]
    model = DaskSVC(C=2, gamma=0.5, class_weight="balanced", tol=1e-4).fit(parts, targets, weights)
    whole = dcsvm.SVC(C=2, gamma=0.5, class_weight="balanced", tol=1e-4).fit(sp.csr_matrix(X), y, weight)
    assert model.report_.objective == pytest.approx(whole.report_.objective, rel=1e-6)
    np.testing.assert_allclose(model.class_weight_, whole.class_weight_)
    dX = da.from_array(X, chunks=(300, -1)).map_blocks(sp.csr_matrix)
    values = model.decision_function(dX)
    assert values.shape == (800, 4)
    np.testing.assert_allclose(values.compute(), whole.decision_function(sp.csr_matrix(X)), atol=2e-2)


def test_regression_and_one_class(cluster):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (1500, 2))
    t = np.sin(3 * X[:, 0]) + X[:, 1]
    dX, dt = arrays(X, t, 400)
    model = DaskSVR(C=5, gamma=2.0, tol=1e-4).fit(dX, dt)
    whole = dcsvm.SVR(C=5, gamma=2.0, tol=1e-4, precision="double").fit(X, t)
    assert model.report_.objective == pytest.approx(whole.report_.objective, rel=1e-6)
    np.testing.assert_allclose(model.predict(dX).compute(), whole.predict(X), atol=1e-3)
    assert model.score(dX, dt) == pytest.approx(whole.score(X, t), abs=1e-4)
    inside = DaskOneClassSVM(nu=0.1, gamma=1.0, tol=1e-5).fit(dX)
    expected = dcsvm.OneClassSVM(nu=0.1, gamma=1.0, tol=1e-5, precision="double").fit(X)
    assert inside.report_.objective == pytest.approx(expected.report_.objective, rel=1e-6)
    clear = np.abs(expected.decision_function(X)) > 1e-3  # free support vectors lie on the border: tol decides their side
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(inside.predict(dX).compute()[clear], expected.predict(X)[clear])
    np.testing.assert_allclose(inside.score_samples(dX).compute(), expected.score_samples(X), rtol=1e-4)
    assert inside.offset_ == pytest.approx(expected.offset_, rel=1e-4)


def test_partitions_without_rows(cluster, noisy, fitted):
    X, y = noisy
    dX, dy = arrays(X, y)
    keep = da.from_array(np.arange(3000) >= 600, chunks=600)
    model = DaskSVC(C=10, gamma=4).fit(dX[keep], dy[keep])  # chunks of unknown length, the first one empty
    whole = dcsvm.SVC(C=10, gamma=4, precision="double").fit(X[600:], y[600:])
    assert model.report_.n_partitions == 4
    assert model.report_.objective == pytest.approx(whole.report_.objective, rel=1e-5)
    assert len(model.predict(dX[keep]).compute()) == 2400


def test_clone_pickle_and_to_local_drop_the_client(cluster, fitted, noisy):
    given = DaskSVC(C=3, client=cluster)
    assert clone(given).client is cluster
    assert given.get_params()["client"] is cluster
    fitted.set_params(client=cluster)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.client is None
    np.testing.assert_array_equal(again.predict(noisy[0]), fitted.predict(noisy[0]))
    assert fitted.client_ is cluster
    local = fitted.to_local()
    assert type(local) is dcsvm.SVC
    assert not any("client" in name for name in vars(local))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(local)).predict(noisy[0]), fitted.predict(noisy[0]))
    with pytest.raises(NotFittedError):
        given.to_local()
    with pytest.raises(NotFittedError):
        given.support_  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'save': to_local\(\)\.save is the one of SVC"):
        fitted.save("model.dcsvm")
    assert not isinstance(fitted, dcsvm.SVC)
    assert "support_" in dir(fitted)


def test_a_line_for_each_round_and_a_callback(cluster, noisy, caplog):
    seen = []
    with caplog.at_level(logging.INFO, "dcsvm.dask"), pytest.warns(ConvergenceWarning, match="cancelled"):
        model = DaskSVC(C=10, gamma=4, callback=lambda r: seen.append(r) or r["number"] == 2).fit(*arrays(*noisy))
    assert [r["number"] for r in seen] == [1, 2]
    assert [r.message.split(":")[0] for r in caplog.records if r.name == "dcsvm.dask"] == ["round 1", "round 2"]
    assert model.report_.stop_reason == "cancelled"
    assert model.fit_status_ == 1
    history = dcsvm.History()
    DaskSVC(callback=history, C=10, gamma=4, max_pool_rows=200).fit(*arrays(*noisy))  # in parts
    assert f"records {len(history.records)}; objective" in repr(history)
    assert list(history.to_frame().columns) == list(history.records[-1])
    assert history.to_frame()["n_pool"].iloc[0] > 0
    with pytest.raises(ValueError, match=r"draw columns of history.to_frame\(\)"):
        dcsvm.plotting.convergence(history)


def test_a_partition_that_fails_once_is_loaded_again(cluster, noisy, fitted, tmp_path):
    failed = tmp_path / "failed"

    def once(block):
        if not failed.exists():
            failed.touch()
            raise OSError("try again")
        return block

    X, y = noisy
    blocks = [delayed(once, pure=False)(X[i : i + 600]) for i in range(0, 3000, 600)]
    again = DaskSVC(C=10, gamma=4).fit(blocks, [delayed(y[i : i + 600]) for i in range(0, 3000, 600)])
    assert failed.exists()
    np.testing.assert_array_equal(again.dual_coef_, fitted.dual_coef_)


def test_rows_are_not_gathered(cluster, noisy):
    """What reaches the client is the model and little else."""
    from dcsvm.dask import _engine

    sizes = []
    gather = _engine.DaskEngine.gather

    def counted(self, handles):
        values = gather(self, handles)
        sizes.append(len(pickle.dumps(values)))
        return values

    X, y = dcsvm.datasets.make_twonorm(20000, random_state=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_engine.DaskEngine, "gather", counted)
        model = DaskSVC(C=1, gamma=0.05, tol=0.01).fit(*arrays(X, y, 2000))
    model_bytes = len(pickle.dumps(model.model_))
    assert sum(sizes) < 1.3 * model_bytes + 3e5
    assert sum(sizes) < X.nbytes / 3


def test_two_fits_at_once(cluster, noisy, fitted):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda C: DaskSVC(C=C, gamma=4, client=cluster).fit(*arrays(*noisy)), (10, 1)))
    np.testing.assert_array_equal(both[0].dual_coef_, fitted.dual_coef_)
    assert both[1].report_.stop_reason == "converged"


def test_threads_are_the_workers(cluster):
    from dcsvm.dask._engine import DaskEngine

    engine = DaskEngine(cluster)
    assert engine.n_threads() == 4
    assert engine.gather([engine.submit("threads", lambda *, n_jobs: n_jobs)]) == [2]


@pytest.mark.parametrize("estimator", [dcsvm.SVC, dcsvm.OneClassSVM, dcsvm.LowRankSVC, dcsvm.LinearSVC, dcsvm.NuSVC])
def test_estimators_of_one_machine_say_that_they_gather(noisy, estimator):
    X, y = arrays(noisy[0][:300], noisy[1][:300])
    advice = "an estimator of dcsvm.dask" if estimator is dcsvm.NuSVC else f"dcsvm.dask.Dask{estimator.__name__}"
    with pytest.warns(UserWarning, match=f"X is a Dask collection.*{advice}"):
        estimator().fit(X, y)
    huge = da.zeros((2 * 10**8, 2), chunks=(10**7, 2))
    with pytest.raises(ValueError, match=f"3.2 GB.*use {advice}"):
        estimator().fit(huge, y)


def kept(client, word=""):
    """Keys of dcsvm's tasks whose results a worker keeps."""
    return client.run_on_scheduler(
        lambda dask_scheduler: sum(
            str(key).startswith("dcsvm-" + word) and bool(task.who_has) for key, task in dask_scheduler.tasks.items()
        )
    )


def test_results_are_released(cluster, noisy):
    seen = []
    model = DaskSVC(C=10, gamma=4, callback=lambda r: seen.append((kept(cluster, "look"), kept(cluster, "solve"))))
    model.fit(*arrays(*noisy))
    assert len(seen) >= 3
    # Five partitions: the looks of this round, at most those of the last one, and no older ones; likewise the solutions.
    assert max(looks for looks, _ in seen) <= 10
    assert max(solutions for _, solutions in seen) <= 2
    del model
    while kept(cluster):  # for ever, if something still wants them
        pass


def test_the_simulated_cluster_has_the_same_rounds(fitted, noisy):
    sys.path.insert(0, str(Path(__file__).parents[3]))
    costs = pytest.importorskip("bench.simulated_costs", reason="bench/ is not beside tests/")
    found = costs.simulate(*noisy, workers=2, partitions=5, C=10, gamma=4.0)
    for one, two in zip(found.rounds, fitted.rounds_, strict=True):
        for name in ("n_pool", "n_joined", "n_support", "n_changed", "n_violators", "violation", "objective", "n_kernel_values"):
            assert getattr(one, name) == getattr(two, name), name
    np.testing.assert_array_equal(found.outcome.solution.value.model.dual_coef_, -fitted.to_local()._dual_coef_)


def test_partitions_larger_than_a_worker_are_refused(cluster, noisy):
    from dcsvm.dask._engine import DaskEngine

    engine = DaskEngine(cluster)
    info = {"workers": {"a": {"memory_limit": 10**9}, "b": {"memory_limit": 10**9}}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(cluster), "scheduler_info", lambda self, **_: info)
        with pytest.raises(ValueError, match=r"largest partition has 900 rows and 0.90 GB.*1.00 GB.*smaller partitions"):
            engine.check_memory(10**9, [900, 100])
        with pytest.warns(UserWarning, match=r"partitions have 1.50 GB, all workers together 2.00 GB"):
            engine.check_memory(int(1.5e9), [100] * 10)
        engine.check_memory(10**9, [100] * 10)
        info["workers"]["a"]["memory_limit"] = 0  # no limit
        engine.check_memory(10**12, [1])


def test_the_same_rows_with_other_labels(cluster, noisy):
    """Partitions of one fit are never taken for those of another."""
    X, y = noisy
    dX, dy = arrays(X, y)
    first = DaskSVC(C=10, gamma=4).fit(dX, dy)
    second = DaskSVC(C=10, gamma=4).fit(dX, -dy)
    assert first.score(dX, dy) == second.score(dX, -dy) > 0.9
    weighted = DaskSVC(C=10, gamma=4).fit(dX, dy, da.from_array(np.where(y > 0, 1.0, 1e-3), chunks=600))
    assert (weighted.predict(X) == 1).sum() > (first.predict(X) == 1).sum()


def test_dask_tells_fitted_models_apart(noisy):
    """Its graphs name an object by its token."""
    from dask.tokenize import tokenize

    X, y = noisy[0][:300], noisy[1][:300]
    for make in (lambda: dcsvm.SVC(C=10, gamma=4), lambda: dcsvm.LowRankSVC(gamma=4.0, n_landmarks=20, random_state=0)):
        one, two = make().fit(X, y), make().fit(X, -y)
        assert tokenize(one) == tokenize(one)
        assert len({tokenize(one), tokenize(two), tokenize(make()), tokenize(make().set_params(C=3))}) == 4
        rows = da.from_array(X, chunks=(100, -1))
        both = [rows.map_blocks(lambda block, model: model.predict(block), model=m, drop_axis=1, dtype=int) for m in (one, two)]
        found = da.stack(both).compute()
        np.testing.assert_array_equal(found, [one.predict(X), two.predict(X)])
    unnamed = dcsvm.SVC(kernel=lambda a, b: a @ b.T)
    assert tokenize(unnamed, ensure_deterministic=False)
