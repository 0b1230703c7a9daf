"""KernelRidge and DCPredRidge under scikit-learn's own checks."""

import pytest

import dcsvm

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")
from sklearn.utils.estimator_checks import parametrize_with_checks

SAMPLED = "landmarks come from sampled rows, which repeated rows change"


def expected(estimator):
    if isinstance(estimator, dcsvm.KernelRidge):
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": SAMPLED for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [dcsvm.KernelRidge(), dcsvm.DCPredRidge(n_leaves=4, n_landmarks=6, refine=20)], expected_failed_checks=expected
)
def test_sklearns_checks(estimator, check):
    check(estimator)
