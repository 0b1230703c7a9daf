"""DCPredSVC under scikit-learn's own checks; and compress for those who come from an estimator."""

import pytest

import dcsvm

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")
from sklearn.utils.estimator_checks import parametrize_with_checks

SAMPLED = "landmarks come from sampled rows, which repeated rows change"


def expected(_):
    return {f"check_sample_weight_equivalence_on_{kind}_data": SAMPLED for kind in ("dense", "sparse")}


@parametrize_with_checks([dcsvm.DCPredSVC(n_leaves=4, n_landmarks=6, refine=20)], expected_failed_checks=expected)
def test_sklearns_checks(estimator, check):
    check(estimator)


def test_compress_takes_the_model_of_an_estimator():
    x, y = dcsvm.datasets.make_checkerboard(300, random_state=0)
    estimator = dcsvm.SVC(C=10, gamma=4).fit(x, y)
    with pytest.raises(TypeError, match=r"model must be a dcsvm\.Model, got SVC: take its model_"):
        dcsvm.compress(estimator, x)
    assert (dcsvm.compress(estimator.model_, x, n_leaves=4).predict(x) == estimator.predict(x)).mean() > 0.9
