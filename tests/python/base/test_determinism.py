"""The same data, parameters, seed and ISA give the same bits, whatever the number of threads."""

import numpy as np
import pytest

import dcsvm

PARAMS = {
    "smo": {"solver": "smo"},
    "dc": {"solver": "dc", "n_levels": 2, "sample_size": 300},
    "kmeans": {"solver": "dc", "n_levels": 2, "sample_size": 300, "clustering": "kmeans"},
    "early": {"early_level": 2, "n_levels": 2, "sample_size": 300},
    "double": {"solver": "smo", "precision": "double", "shrinking": False},
}


@pytest.fixture(scope="module")
def data():
    return dcsvm.datasets.make_checkerboard(4000, noise=0.1, random_state=7)


def same(a, b, x):
    np.testing.assert_array_equal(a.alpha, b.alpha)
    np.testing.assert_array_equal(a.intercept_, b.intercept_)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_array_equal(a.decision_function(x), b.decision_function(x))
    assert a.report.objective == b.report.objective
    assert a.report.violation == b.report.violation


@pytest.mark.parametrize("how", PARAMS)
def test_threads_do_not_matter(data, how):
    x, y = data
    models = [dcsvm.train(x, y, C=10, gamma=4, n_jobs=n, **PARAMS[how]) for n in (1, 2, 3)]
    for other in models[1:]:
        same(models[0], other, x)
    assert models[1].report.n_threads == 2
    np.testing.assert_array_equal(models[0].decision_function(x, n_jobs=1), models[0].decision_function(x, n_jobs=3))


def test_threads_do_not_matter_for_several_classes(blobs):
    x, y = blobs
    same(dcsvm.train(x, y, gamma=0.5, n_jobs=1), dcsvm.train(x, y, gamma=0.5, n_jobs=2), x)


def test_runs_repeat(data):
    x, y = data
    same(dcsvm.train(x, y, C=10, gamma=4, **PARAMS["dc"]), dcsvm.train(x, y, C=10, gamma=4, **PARAMS["dc"]), x)


def test_random_state(data):
    x, y = data
    params = {"C": 10, "gamma": 4, **PARAMS["early"]}
    same(
        dcsvm.train(x, y, random_state=np.random.default_rng(3), **params),
        dcsvm.train(x, y, random_state=np.random.default_rng(3), **params),
        x,
    )
    same(
        dcsvm.train(x, y, random_state=np.random.RandomState(3), **params),
        dcsvm.train(x, y, random_state=np.random.RandomState(3), **params),
        x,
    )
    one, other = (dcsvm.train(x, y, random_state=s, **params) for s in (1, 2))
    assert not np.array_equal(one.alpha, other.alpha), "the seed decides the clustering"
    a, b = (dcsvm.train(x, y, random_state=None, **params) for _ in range(2))
    assert not np.array_equal(a.alpha, b.alpha), "None is another seed each time"
