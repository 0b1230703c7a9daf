"""DaskLinearSVC and DaskLogisticRegression: the optimum of one machine from sums over partitions."""

import logging
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from _local_engine import LocalEngine
from _partitions import described, even
from dcsvm._distributed import linear, setup
from dcsvm._distributed.problem import Problem

da = pytest.importorskip("dask.array", reason="dcsvm.dask needs the extra dask")

from sklearn.exceptions import ConvergenceWarning  # noqa: E402

from dcsvm.dask import DaskLinearSVC, DaskLogisticRegression  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
KINDS = [(DaskLinearSVC, dcsvm.LinearSVC), (DaskLogisticRegression, dcsvm.LogisticRegression)]


def arrays(X, y, rows=300):
    return da.from_array(X, chunks=(rows, -1)), da.from_array(y, chunks=rows)


def objective(model, X, y, weight=None, factors=None, regularised=True):
    """1/2 |w|^2 + sum C_i loss_i of an estimator's weights, summed over its problems, term by term."""
    total = 0.0
    for k, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
        positive = model.classes_[1] if len(model.classes_) == 2 else model.classes_[k]
        sign = np.where(y == positive, 1.0, -1.0)
        margin = sign * (X @ w + b)
        loss = np.maximum(0, 1 - margin) ** 2 if isinstance(model, (dcsvm.LinearSVC, DaskLinearSVC)) else np.logaddexp(0, -margin)
        cost = model.C * (np.ones(len(y)) if weight is None else weight)
        if factors is not None:
            cost = cost * np.array([factors.get(label, 1.0) for label in y.tolist()])
        scaled = b / model.intercept_scaling if model.fit_intercept else 0.0
        total += 0.5 * w @ w + 0.5 * regularised * scaled**2 + cost @ loss
    return total


def run(X, y, borders, loss="squared_hinge", regularised=True, tol=1e-8, engine=None):
    engine = engine or LocalEngine()
    data = described(engine, X, y, None, borders)
    classes = setup.classes_of(data.summary)
    rows = Problem("c_svc", {"C": 1.0}, np.ones(len(classes)), classes)
    problem = linear.LinearProblem(rows, loss, np.ones(len(classes)), 1.0, regularised)
    return linear.LinearLoop(engine, problem, data.parts, data.labels, X.shape[1], tol, 50).run()


@pytest.fixture(scope="module")
def norms():
    X, y = dcsvm.datasets.make_twonorm(1500, random_state=3)
    return 0.3 * X + 0.5, y


@pytest.mark.parametrize(("kind", "local"), KINDS)
@pytest.mark.parametrize("given", [{}, {"fit_intercept": False}, {"C": 20.0, "intercept_scaling": 3.0}], ids=str)
def test_the_objective_is_that_of_one_machine(cluster, norms, kind, local, given):
    X, y = norms
    model = kind(**given).fit(*arrays(X, y))
    one = local(**given, tol=1e-10, max_iter=100_000).fit(X, y)
    regularised = kind is DaskLinearSVC
    assert model.report_.stop_reason == "converged"
    assert len(model.report_.passes) <= 12
    found = objective(model, X, y, regularised=regularised)
    assert model.report_.primal_objective == pytest.approx(found, rel=1e-9)
    assert found <= objective(one, X, y, regularised=regularised) * (1 + 1e-6)
    np.testing.assert_allclose(model.coef_, one.coef_, atol=1e-3 * np.abs(one.coef_).max())
    assert (model.predict(X) == one.predict(X)).mean() > 0.998


@pytest.mark.parametrize(("kind", "local"), KINDS)
@pytest.mark.parametrize("storage", [np.asarray, np.float32, sp.csr_matrix])
def test_several_classes_weights_and_storage(cluster, blobs, kind, local, storage):
    X, y = blobs
    X = storage(X)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    factors = {int(np.unique(y)[0]): 3.0}
    dX = da.from_array(X.toarray() if sp.issparse(X) else X, chunks=(150, -1))
    if sp.issparse(X):
        dX = dX.map_blocks(sp.csr_matrix)
    model = kind(class_weight=factors, C=0.5).fit(dX, da.from_array(y, chunks=150), da.from_array(weight, chunks=150))
    one = local(class_weight=factors, C=0.5, tol=1e-10, max_iter=100_000).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, one.coef_, atol=2e-3 * np.abs(one.coef_).max())
    np.testing.assert_allclose(model.intercept_, one.intercept_, atol=2e-3 * np.abs(one.intercept_).max())
    np.testing.assert_array_equal(model.predict(dX).compute(), model.to_local().predict(X))


@pytest.mark.parametrize("parts", [2, 17, 200])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_any_partitions_reach_the_same_optimum(norms, parts, loss):
    X, y = norms
    whole = run(X, y, even(1500, 1), loss)
    order = np.argsort(y, kind="stable")
    for rows, borders in [(slice(None), even(1500, parts)), (order, np.sort(np.append(even(1500, parts), [0, 700, 700])))]:
        found = run(X[rows], y[rows], borders, loss)
        assert found.stop_reason == "converged"
        assert found.primal_objective == pytest.approx(whole.primal_objective, rel=1e-8)
        np.testing.assert_allclose(found.weights, whole.weights, atol=1e-5)


def test_the_gap_bounds_the_distance_from_the_optimum(norms):
    X, y = norms
    for loss in ("squared_hinge", "logistic"):
        best = run(X, y, even(1500, 4), loss, tol=1e-14).primal_objective
        for one in run(X, y, even(1500, 4), loss).passes:
            assert best <= one.primal_objective * (1 + 1e-12)
            assert (one.primal_objective - best) / one.primal_objective <= one.gap + 1e-12


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "multinomial"])
@pytest.mark.parametrize("sparse", [False, True])
def test_conjugate_gradients_reach_the_same_optimum(blobs, monkeypatch, loss, sparse):
    X, y = blobs
    X = sp.csr_matrix(X) if sparse else X
    whole = run(X, y, even(800, 3), loss, regularised=loss == "squared_hinge")
    monkeypatch.setattr(linear, "_HESSIAN_BYTES", 0)
    found = run(X, y, even(800, 3), loss, regularised=loss == "squared_hinge")
    assert sum(p.n_products for p in found.passes) > 0
    assert found.primal_objective == pytest.approx(whole.primal_objective, rel=1e-7)
    np.testing.assert_allclose(found.weights, whole.weights, atol=1e-3)


def test_the_same_partitions_give_the_same_bits(norms):
    one, two = (run(*norms, even(1500, 9), engine=LocalEngine(threads=t)) for t in (1, 2))
    np.testing.assert_array_equal(one.weights, two.weights)


def test_probabilities_are_lazy(cluster, norms):
    import dask.dataframe as dd
    import pandas as pd

    X, y = norms
    dX, dy = arrays(X, y)
    model = DaskLogisticRegression().fit(dX, dy)
    expected = model.to_local().predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(dX).compute(), expected)
    np.testing.assert_allclose(model.predict_log_proba(dX).compute(), np.log(expected))
    frame = dd.from_pandas(pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]), npartitions=4)
    model = DaskLogisticRegression().fit(frame, dd.from_pandas(pd.Series(y), npartitions=4))
    found = model.predict_proba(frame).compute()
    assert found.columns.tolist() == ["-1", "1"]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert model.feature_names_in_[1] == "f1"
    assert type(model.to_local()) is dcsvm.LogisticRegression
    again = pickle.loads(pickle.dumps(DaskLogisticRegression(client=cluster).fit(dX, dy)))
    assert again.client is None
    np.testing.assert_array_equal(again.predict(X), model.predict(frame).compute())


def test_a_callback_and_a_line_for_each_pass(cluster, norms, caplog):
    seen = []
    with caplog.at_level(logging.INFO, "dcsvm.dask"), pytest.warns(ConvergenceWarning, match="cancelled"):
        model = DaskLinearSVC(callback=lambda p: seen.append(p) or p["number"] == 2).fit(*arrays(*norms))
    assert [p["number"] for p in seen] == [1, 2]
    assert model.report_.gap == seen[1]["gap"]
    history = dcsvm.History()
    for one in seen:
        history(one)
    assert f"gap {model.report_.gap:.6g}" in repr(history)
    assert [r.message.split(":")[0] for r in caplog.records if r.name == "dcsvm.dask"] == ["pass 1", "pass 2"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: DaskLinearSVC(C=float("inf")), "'C' parameter"),
        (lambda: DaskLogisticRegression(C=float("inf")), "'C' parameter"),
        (lambda: DaskLogisticRegression(solver="newton"), "'solver' parameter"),
        (lambda: DaskLinearSVC(class_weight={7: 2.0}), "class_weight has the label 7"),
    ],
)
def test_bad_parameters_are_named(cluster, norms, make, text):
    with pytest.raises(ValueError, match=text):
        make().fit(*arrays(*norms))
