"""Certificates against a judge in float64, and the warnings where a certificate says little."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import dcsvm

sys.path.insert(0, str(Path(__file__).parents[3]))
certificates = pytest.importorskip("bench.certificates", reason="bench/ is not beside tests/")


def overlapping(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), np.repeat([0.0, 1.0], n // 2)


def test_random_trainings_are_what_they_say():
    # 50322: far larger coefficients on the way than at the end, whose rounding stays in the gradient; 61724: a working set
    # grows again after the active set was small enough to be one; 80470: tol above 2 epsilon, where a and a* may both be above 0
    verdicts = certificates.sweep([*range(2000, 2060), 50322, 61724, 80470], jobs=1, quiet=True, seconds=1.0)
    assert not [certificates.describe(v) for v in verdicts if v.faults]
    assert sum(v.stop == "converged" for v in verdicts) >= 40


def test_random_early_models_are_what_they_say():
    # 5039: without a bias, a cluster of one class has a problem of its own
    verdicts = certificates.sweep([*range(2000, 2025), 5039], jobs=1, quiet=True, seconds=1.0, make=certificates.early)
    assert not [certificates.describe(v, certificates.early) for v in verdicts if v.faults]
    assert sum(v.stop == "converged" for v in verdicts) >= 15


def test_random_trainings_with_other_kernels_are_what_they_say():
    make = certificates.other_kernel
    verdicts = certificates.sweep([*range(2000, 2030)], jobs=1, quiet=True, seconds=1.0, make=make)
    assert not [certificates.describe(v, make) for v in verdicts if v.faults]
    assert sum(v.stop == "converged" for v in verdicts) >= 20


def test_the_judge_notices_what_is_wrong():
    """A solution to a large tolerance, judged at a small one."""
    r = certificates.recipe(2001)
    seeds = (s for s in range(2000, 2100) if certificates.recipe(s).formulation == "c_svc")
    shares = []
    for _, seed in zip(range(8), seeds, strict=False):
        r = certificates.recipe(seed)
        r.params.update(C=1.0, tol=0.3, solver="smo")
        model, _ = certificates.train(r, 5.0)
        found = certificates.judge(r, model)
        shares.append(max(p.violation for p in found) / 1e-4)
        assert any("violation" in f for f in certificates.faults(found, model.report, 1e-4)) == (shares[-1] > 1)
    assert max(shares) > 10


@pytest.mark.parametrize("single", [False, True])
def test_inner_products_of_features_far_from_zero_as_a_given_matrix(single):
    """Float values of this matrix cannot tell the rows apart: judged in double, "converged" is true all the same."""
    x, y = overlapping(400)
    x = x * 0.5 + 1000
    x[y == 1, 0] += 1
    k = x @ x.T
    k = k.astype(np.float32) if single else k
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        model = dcsvm.train(k, y, kernel="precomputed", C=1.0, max_iter=200_000)
    beta = np.where(y == 0, 1.0, -1.0) * model.alpha
    g = np.where(y == 0, 1.0, -1.0) - k.astype(np.float64) @ beta
    up = np.where(y == 0, model.alpha < 1, model.alpha > 0)
    low = np.where(y == 0, model.alpha > 0, model.alpha < 1)
    violation = g[up].max() - g[low].min()
    assert model.report.violation == pytest.approx(violation, rel=0.1, abs=1e-4)
    assert (model.report.stop_reason == "converged") == (violation < 1e-3)


def test_a_margin_that_is_not_above_tol_is_a_warning():
    x, y = overlapping()
    with pytest.warns(UserWarning, match=r"^the margin r of nu_svc is not above tol=0\.001"):
        model = dcsvm.train(x, y, formulation="nu_svc", kernel="linear", nu=0.9)
    assert model.report.problems[0]["r"] <= 1e-3
    with pytest.warns(UserWarning, match="Choose a larger nu"):
        dcsvm.NuSVC(kernel="linear", nu=0.9).fit(np.tile(x, (2, 1)), np.tile(y, 2))


def test_a_negative_margin_divides_as_libsvm_does():
    """LIBSVM divides alpha and rho by r whatever its sign, so the labels turn with it."""
    turned = 0
    for seed in range(50):  # the margin of many of them is 0, and the last steps choose the sign of what is found
        x, y = overlapping(seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dcsvm.train(x, y, formulation="nu_svc", kernel="linear", nu=0.97, max_iter=20_000)
        r = model.report.problems[0]["r"]
        if r >= 0:
            continue
        turned += 1
        coef = np.zeros(len(x))
        coef[model.support_] = model._core.sv_coef()
        assert np.all(coef[y == 0] <= 0)  # the other way round than with r > 0
        assert np.all(coef[y == 1] >= 0)
        assert np.abs(coef).sum() == pytest.approx(0.97 * len(x) / -r)
    assert turned > 0


def test_nothing_is_divided_by_a_margin_whose_square_has_no_inverse():
    x, y = overlapping()
    with pytest.warns(UserWarning, match="margin r of nu_svc is not above tol"):
        model = dcsvm.train(x * 1e-120, y, formulation="nu_svc", kernel="linear", nu=0.5)
    report = model.report
    assert 0 < abs(report.problems[0]["r"]) < 1e-160
    assert np.isfinite([report.objective, report.gap, *model.alpha]).all()
    assert np.abs(model.alpha).sum() == pytest.approx(0.5 * len(x))


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_features_far_from_zero_are_a_warning(kernel):
    x, y = overlapping()
    gamma = 1e-9
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dcsvm.train(x + 2e4, y, kernel=kernel, gamma=gamma, max_iter=100)
        dcsvm.SVC(kernel=kernel, gamma=gamma, max_iter=100).fit(x + 2e4, y)
    assert sum("times its spread or more away from 0" in str(w.message) for w in caught) == 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dcsvm.train(x + 5e3, y, kernel=kernel, gamma=gamma, max_iter=100)
        dcsvm.train(x + 2e4, y, kernel="rbf", max_iter=100)
    assert not any("spread" in str(w.message) for w in caught)
