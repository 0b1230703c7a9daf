"""LDKLSVC under scikit-learn's own checks."""

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")
from sklearn.utils.estimator_checks import parametrize_with_checks

BATCHES = "the descent's batches are drawn from the rows, which repeated rows change"


def expected(_):
    return {f"check_sample_weight_equivalence_on_{kind}_data": BATCHES for kind in ("dense", "sparse")}


@parametrize_with_checks([dcsvm.LDKLSVC(depth=3, n_passes=20, lambda_w=1e-3)], expected_failed_checks=expected)
def test_sklearns_checks(estimator, check):
    check(estimator)


def test_it_is_train_ldkl():
    x, y = dcsvm.datasets.make_checkerboard(400, random_state=0)
    labels = np.where(y == 1, "white", "black")
    estimator = dcsvm.LDKLSVC(depth=3, n_passes=10, random_state=3, probability=True).fit(x, labels)
    seed = int(np.random.RandomState(3).randint(np.iinfo("i").max))
    model = dcsvm.train_ldkl(x, y, depth=3, n_passes=10, random_state=seed)
    np.testing.assert_array_equal(estimator.decision_function(x), model.decision_function(x))
    assert estimator.cost_ == model.cost
    assert estimator.n_iter_ == model.report.n_passes + model.report.n_iter
    chance = estimator.predict_proba(x)
    assert chance.shape == (400, 2)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
