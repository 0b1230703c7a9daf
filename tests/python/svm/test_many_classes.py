"""Many classes: sums over the support vectors of one for all others together, values of one matrix for all pairs, clusters."""

import numpy as np
import pytest
from sklearn.svm import SVC

import dcsvm


def clouds(k, per_class, seed=3):
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((k, 8))
    y = np.repeat(np.arange(k), per_class)
    return centres[y] + 0.7 * rng.standard_normal((k * per_class, 8)), y, rng.standard_normal((300, 8))


@pytest.mark.parametrize(("k", "per_class"), [(60, 3), (30, 20), (25, 40)])
def test_decisions_are_scikit_learns(k, per_class):
    X, y, queries = clouds(k, per_class)
    how = {"tol": 1e-6, "decision_function_shape": "ovo"}
    ours, theirs = dcsvm.SVC(**how).fit(X, y), SVC(**how).fit(X, y)
    decisions = ours.decision_function(queries)
    assert decisions == pytest.approx(theirs.decision_function(queries), abs=1e-5)
    assert np.array_equal(ours.predict(queries), theirs.predict(queries))
    assert np.array_equal(decisions[7:8], ours.decision_function(queries[7:8]))  # the same bits whatever is asked together


def test_a_pair_does_not_depend_on_the_others_or_on_the_number_of_threads():
    X, y, queries = clouds(30, 6)
    weights = np.where(np.arange(len(y)) % 7 == 0, 0.0, 1.0)  # rows of weight 0 are in no pair
    model = dcsvm.train(X, y, C=10, gamma=0.1, sample_weight=weights, n_jobs=1)
    assert model.report.n_kernel_values < 3 * len(y) ** 2, "each value once for all pairs, and those of a certificate"
    several = dcsvm.train(X, y, C=10, gamma=0.1, sample_weight=weights, n_jobs=3)
    np.testing.assert_array_equal(several.alpha, model.alpha)
    decisions = model.decision_function(queries)
    np.testing.assert_array_equal(several.decision_function(queries), decisions)
    for pair, (a, b) in enumerate([(0, 1), (4, 9), (28, 29)]):
        mine = np.isin(y, (a, b))
        alone = dcsvm.train(X[mine], y[mine], C=10, gamma=0.1, sample_weight=weights[mine])
        number = a * 30 - a * (a + 1) // 2 + b - a - 1
        assert -alone.decision_function(queries) == pytest.approx(decisions[:, number], abs=2e-3), pair
        assert model.report.problems[number]["objective"] == pytest.approx(alone.report.objective, rel=1e-5)


def test_early_models_of_many_classes_are_trainings_of_their_clusters():
    """The classes of a cluster are fewer than all, and others in each: its model is that of a training on its rows alone."""
    X, y, _ = clouds(40, 12)
    how = {"C": 10.0, "gamma": 0.1, "tol": 1e-5}
    model = dcsvm.train(X, y, early_level=1, branching=4, keep_levels=True, **how)
    (level,) = model.levels_
    assert level.n_clusters == 4
    present = [np.unique(y[level.cluster_of == c]) for c in range(4)]
    assert all(2 < len(classes) < 40 for classes in present)
    got = model.predict(X)
    same = 0
    for c in range(4):
        own = level.cluster_of == c
        assert np.isin(got[own], present[c]).all(), "no class that the cluster has not"
        same += (dcsvm.train(X[own], y[own], **how).predict(X[own]) == got[own]).sum()
    assert same >= 0.99 * len(y)
    assert (got == y).mean() > 0.9
