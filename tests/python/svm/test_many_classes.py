"""More classes than a class has support vectors: the sums over these are then formed for all other classes together."""

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
