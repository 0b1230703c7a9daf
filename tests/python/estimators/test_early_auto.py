"""DCSVC as it is by default: the level follows from the number of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.exceptions import ConvergenceWarning

PROBLEMS = [("twonorm", 1, 0.05), ("ringnorm", 1, 0.05), ("checkerboard", 10, 4)]


def generated(kind, n, seed):
    return getattr(dcsvm.datasets, f"make_{kind}")(n, random_state=seed)


@pytest.mark.parametrize(("kind", "C", "gamma"), PROBLEMS)
def test_nearly_as_accurate_as_exact(kind, C, gamma):
    X, y = generated(kind, 9000, 1)
    X_test, y_test = generated(kind, 5000, 2)
    early = dcsvm.DCSVC(C=C, gamma=gamma, random_state=0).fit(X, y)
    assert early.model_.clustered
    exact = dcsvm.SVC(C=C, gamma=gamma).fit(X, y)
    assert early.score(X_test, y_test) > exact.score(X_test, y_test) - 0.01


@pytest.mark.parametrize(("n", "clusters"), [(4000, None), (4001, 4), (16000, 4), (16001, 16)])
def test_rows_per_cluster_are_bounded(n, clusters):
    X, y = generated("checkerboard", n, 1)
    model = dcsvm.DCSVC(C=1, gamma=1, random_state=0).fit(X, y)
    levels = [level for level in model.report_.levels if level["level"] > 0]
    if clusters is None:
        assert not model.model_.clustered
        return
    assert [level["clusters"] for level in levels] == [clusters]  # and no levels below
    assert sum(levels[0]["sizes"]) == n


def test_a_callback_is_obeyed_before_any_cluster_is_solved():
    X, y = generated("checkerboard", 20000, 1)
    phases = []
    with pytest.warns(ConvergenceWarning, match="cancelled"):
        model = dcsvm.DCSVC(C=10, gamma=4, random_state=0, callback=lambda p: phases.append(p["phase"]) or True).fit(X, y)
    assert phases == ["clustering"]
    assert model.report_.stop_reason == "cancelled"
    assert model.report_.n_iter == 0
    assert np.isin(model.predict(X[:50]), y).all()


def test_clustering_where_the_nearest_centre_is_found_faster():
    X, y = generated("checkerboard", 6000, 1)
    fit = {"C": 1, "gamma": 1, "random_state": 0}
    by_default = dcsvm.DCSVC(**fit).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(by_default, dcsvm.DCSVC(clustering="kmeans", **fit).fit(X, y).decision_function(X))
    rows = sp.csr_matrix(X)
    kernel = dcsvm.DCSVC(clustering="kernel_kmeans", **fit).fit(rows, y).decision_function(rows)
    np.testing.assert_array_equal(dcsvm.DCSVC(**fit).fit(rows, y).decision_function(rows), kernel)
