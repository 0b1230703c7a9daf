"""dcsvm/_bench/quality.py, the judge of every benchmark, against what dcsvm and scikit-learn say of themselves."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import svm

import dcsvm
from dcsvm import _core
from dcsvm._bench import quality
from dcsvm._bench.sklearn import ESTIMATORS
from dcsvm._input import kernels as core_kernels
from dcsvm._input.choices import Formulation
from dcsvm._input.parameters import fill

sys.path.insert(0, str(Path(__file__).parents[3]))
problems = pytest.importorskip("bench.problems", reason="bench/ is not beside tests/")

KERNELS = {
    "rbf": {"gamma": 0.5},
    "linear": {},
    "poly": {"gamma": 0.3, "coef0": 1.0, "degree": 2},
    "sigmoid": {"gamma": 0.02, "coef0": 0.1},
}
FORMULATIONS = {
    "c_svc": {"C": 1.0},
    "nu_svc": {"nu": 0.6},
    "one_class": {"nu": 0.2},
    "epsilon_svr": {"C": 1.0, "epsilon": 0.1},
    "nu_svr": {"C": 1.0, "nu": 0.4},
}


@pytest.fixture
def problem(blobs):
    """problem(formulation, kernel)"""

    def make(formulation, kernel="rbf"):
        x, labels = blobs
        x, y = x[:300], labels[:300].astype(np.float64)
        if formulation.endswith("svr"):
            y = np.sin(x[:, 0]) + 0.1 * x[:, 1]
        params = {"kernel": kernel, **KERNELS[kernel], **FORMULATIONS[formulation]}
        return problems.Problem("blobs", x, y, x, y, params, formulation=formulation)

    return make


def train(p, tol=1e-6, **more):
    y = None if p.formulation == "one_class" else p.y_train
    model = dcsvm.train(p.X_train, y, formulation=p.formulation, tol=tol, precision="double", **p.params, **more)
    return model, quality.from_alpha(model.classes_, model.alpha)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_judge_finds_what_the_core_reports(problem, formulation, kernel):
    p = problem(formulation, kernel)
    model, duals = train(p)
    q = quality.measure(p, duals)
    assert len(duals) == (6 if formulation in quality.PAIRWISE else 1)
    assert q.n_support == len(model.support_)
    assert q.infeasibility < 1e-9
    assert q.violation < 1.001e-6
    if formulation != "nu_svc":
        assert q.objective == pytest.approx(model.report.objective, rel=1e-9)
        return
    reported = [r["objective"] * r["r"] ** 2 for r in model.report.problems]  # of alpha divided by r
    assert q.objective == pytest.approx(sum(reported), rel=1e-5)


@pytest.mark.filterwarnings("ignore:the margin r")
def test_multipliers_of_a_negative_margin_are_positive():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = dcsvm.train(x, y, formulation="nu_svc", nu=0.6, kernel="linear", precision="double")
    (dual,) = quality.from_alpha(model.classes_, -np.abs(model.alpha))
    (other,) = quality.from_libsvm(model.classes_, model.n_support_, model.support_, model.dual_coef_)
    assert (dual.multipliers > 0).all()
    np.testing.assert_array_equal(dual.multipliers[np.argsort(dual.rows)], other.multipliers[np.argsort(other.rows)])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_judge_notices_an_early_stop(problem, formulation):
    p = problem(formulation)
    good = quality.measure(p, train(p)[1])
    loose = quality.measure(p, train(p, tol=0.05)[1])
    assert loose.violation > 100 * good.violation
    assert loose.objective > good.objective


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_judge_notices_what_is_infeasible(problem, formulation):
    p = problem(formulation)
    _, duals = train(p)
    more = [replace(d, multipliers=np.where(np.arange(len(d.rows)) == 0, 1.5, 1.0) * d.multipliers) for d in duals]
    assert quality.measure(p, more).infeasibility > 1e-3


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_scikit_learn_s_layout(problem, formulation):
    """Equal solutions, from the coefficients of both packages."""
    p = problem(formulation)
    name, own = ESTIMATORS[formulation]
    peer = getattr(svm, name)(gamma=p.gamma, tol=1e-6, **{k: p.params[k] for k in own}).fit(p.X_train, p.y_train)
    labels = peer.classes_ if formulation in quality.PAIRWISE else None
    theirs = quality.measure(p, quality.from_libsvm(labels, peer.n_support_, peer.support_, peer.dual_coef_))
    ours = quality.measure(p, train(p)[1])
    assert theirs.violation < 2e-6
    assert theirs.infeasibility < 1e-9
    assert theirs.objective == pytest.approx(ours.objective, rel=1e-6)


@pytest.mark.parametrize("formulation", ["c_svc", "epsilon_svr"])
def test_judge_without_a_bias(problem, formulation):
    p = problem(formulation)
    model, duals = train(p, fit_intercept=False)
    q = quality.measure(p, duals, fit_intercept=False)
    assert q.violation < 1.001e-6
    assert q.objective == pytest.approx(model.report.objective, rel=1e-9)
    assert quality.measure(p, duals).infeasibility > 1e-3, "sum b is not 0"


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_products_by_blocks_are_those_of_the_matrix(problem, kernel, form, monkeypatch):
    monkeypatch.setattr(quality, "BLOCK_VALUES", 1000)  # several blocks
    p = problem("c_svc", kernel)
    x = form(p.X_train)
    b = np.random.default_rng(0).standard_normal(len(p.y_train))
    whole = quality.kernel_matrix(x, p.params) @ b
    assert quality.kernel_times(x, x, b, p.params) == pytest.approx(whole, rel=1e-10, abs=1e-10)


def test_unknown_kernels_and_formulations_are_refused(problem):
    p = problem("c_svc")
    params = {"kernel": "spline", "gamma": 1.0}
    text = "kernel 'spline' is not judged: its formula is missing in"
    with pytest.raises(ValueError, match=text):
        quality.kernel_matrix(p.X_train, params)
    with pytest.raises(ValueError, match=text):
        quality.kernel_times(p.X_train, p.X_train, np.zeros(len(p.X_train)), params)
    with pytest.raises(ValueError, match=text):
        quality.kernel_of(np.ones((2, 2)), params)
    dual = train(problem("epsilon_svr"))[1]
    with pytest.raises(ValueError, match="formulation 'kernel_ridge' is not judged: its dual is missing"):
        quality.measure(replace(problem("epsilon_svr"), formulation="kernel_ridge"), dual)


@pytest.mark.parametrize("kernel", [name for name in core_kernels.KERNELS if name != "precomputed"])
def test_the_judge_has_each_kernel_of_the_core(kernel):
    """By formulas of its own: one that is missing there is an error, which names the kernel."""
    x = np.abs(np.random.default_rng(0).standard_normal((40, 5)))
    params = {"kernel": kernel, "gamma": 0.3, "coef0": 0.5, "degree": 3}
    own = {"precision": "double", "random_state": 0, "n_jobs": 1}
    values = np.asarray(_core.kernel_values(x, x, fill(_core.TrainParams(), {**own, **params})))
    np.testing.assert_allclose(quality.kernel_matrix(x, params), values, rtol=1e-10, atol=1e-12)
    b = np.random.default_rng(1).standard_normal(40)
    np.testing.assert_allclose(quality.kernel_times(x, x, b, params), values @ b, rtol=0, atol=1e-6)  # a root of what cancels


def test_the_judge_has_each_formulation_that_is_trained():
    assert {*FORMULATIONS} == {*get_args(Formulation)}, "its dual belongs in measure, and its parameters here"


def test_cost_of_measuring_quality(problem):
    p = problem("c_svc")
    duals = train(p)[1]
    members = [np.isin(p.y_train, d.classes).sum() for d in duals]
    assert quality.cost(p, duals) == sum(n * len(d.rows) for n, d in zip(members, duals, strict=True))
