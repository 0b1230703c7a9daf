"""max_seconds: no time at all gives a model with a true certificate, enough time the same bits as no limit."""

import pickle
import warnings

import numpy as np
import pytest

import dcsvm

X, Y = dcsvm.datasets.make_checkerboard(900, noise=0.1, random_state=0)
WAVE = np.sin(3 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=len(X))
THREE = (X[:, 0] > X[:, 0].mean()).astype(int) + (X[:, 1] > X[:, 1].mean())
NO_TIME, MUCH = 1e-9, 1e6

SVMS = {
    "c_svc": (Y, {"C": 5, "gamma": 4}),
    "c_svc, three classes": (THREE, {"C": 5, "gamma": 4}),
    "c_svc, dc": (Y, {"C": 5, "gamma": 4, "solver": "dc", "n_levels": 1}),
    "c_svc, linear": (Y, {"C": 5, "kernel": "linear"}),
    "nu_svc": (Y, {"formulation": "nu_svc", "nu": 0.4, "gamma": 4}),
    "one_class": (None, {"formulation": "one_class", "nu": 0.1, "gamma": 4}),
    "epsilon_svr": (WAVE, {"formulation": "epsilon_svr", "epsilon": 0.05, "gamma": 4}),
    "epsilon_svr, a quantile": (WAVE, {"formulation": "epsilon_svr", "epsilon": 0, "quantile": 0.8, "gamma": 4}),
    "nu_svr": (WAVE, {"formulation": "nu_svr", "nu": 0.3, "gamma": 4}),
    "early": (Y, {"C": 5, "gamma": 4, "early_level": 1}),
    "rand": (Y, {"C": 5, "gamma": 4, "solver": "rand"}),
    "cascade": (Y, {"C": 5, "gamma": 4, "solver": "cascade"}),
}
OTHERS = {
    "linear": lambda **how: dcsvm.train_linear(X, Y, **how),
    "linear, three classes": lambda **how: dcsvm.train_linear(X, THREE, solver="multinomial", **how),
    "linear, Crammer and Singer": lambda **how: dcsvm.train_linear(X, THREE, solver="crammer_singer", **how),
    "linear, hinge": lambda **how: dcsvm.train_linear(X, Y, solver="hinge_dual", **how),
    "low rank": lambda **how: dcsvm.train_low_rank(X, Y, gamma=4, n_landmarks=30, **how),
    "low rank, greedy": lambda **how: dcsvm.train_low_rank(X, Y, gamma=4, n_landmarks=30, landmarks="greedy", **how),
    "ls_svm": lambda **how: dcsvm.train_ls_svm(X, Y, gamma=4, gamma_ls=10, **how),
    "ridge": lambda **how: dcsvm.train_ridge(X, WAVE, gamma=4, solver="cg", **how),
    "ldkl": lambda **how: dcsvm.train_ldkl(X, Y, **how),
    "dc_pred": lambda **how: dcsvm.train_dc_pred(X, Y, gamma=4, **how),
    "dc_pred, support": lambda **how: dcsvm.train_dc_pred(X, Y, gamma=4, landmarks="support", **how),
    "dc_pred, regression": lambda **how: dcsvm.train_dc_pred_ridge(X, WAVE, gamma=4, **how),
}


def stopped(call):
    with pytest.warns(dcsvm.ConvergenceWarning, match=r"^training stopped with 'time_limit' \(max_seconds\).*raise max_seconds"):
        return call()


@pytest.mark.parametrize("name", SVMS)
def test_no_time_for_a_kernel_svm(name):
    y, how = SVMS[name]
    model = stopped(lambda: dcsvm.train(X, y, max_seconds=NO_TIME, **how))
    report = model.report
    assert report.stop_reason == "time_limit"
    assert np.isfinite(np.asarray(model.decision_function(X))).all()
    assert report == pickle.loads(pickle.dumps(model)).report
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = dcsvm.train(X, y, **{**how, "tol": 1e-6, "precision": "double"})
    if name in ("early", "rand", "cascade"):
        return
    # What is said of the solution is true: its optimum is within the gap, and the objective is that of its alphas.
    lowest = best.report.objective
    if name != "nu_svc":  # whose objective is divided by the square of a margin that is not yet known
        assert report.objective - report.gap <= lowest + 1e-5 * abs(lowest)
        assert lowest <= report.objective + 1e-5 * abs(lowest)
    if name in ("c_svc", "epsilon_svr"):
        b = model.alpha * (np.where(model.classes_[0] == Y, 1, -1) if name == "c_svc" else 1)
        k = np.exp(-4 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
        linear = np.abs(b).sum() if name == "c_svc" else WAVE @ b - 0.05 * np.abs(b).sum()
        assert abs(0.5 * b @ k @ b - linear - report.objective) <= 1e-5 * abs(report.objective) + 1e-12


@pytest.mark.parametrize("name", OTHERS)
def test_no_time_for_other_trainings(name):
    model = stopped(lambda: OTHERS[name](max_seconds=NO_TIME))
    assert model.report.stop_reason == "time_limit"
    assert np.isfinite(np.asarray(model.decision_function(X))).all()


@pytest.mark.parametrize("name", [*SVMS, *OTHERS])
def test_much_time_changes_nothing(name):
    def run(**how):
        if name in OTHERS:
            return OTHERS[name](**how)
        y, given = SVMS[name]
        return dcsvm.train(X, y, **given, **how)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        free, limited = run(), run(max_seconds=MUCH)
    assert free.report.stop_reason == limited.report.stop_reason
    np.testing.assert_array_equal(free.decision_function(X), limited.decision_function(X))


def test_the_gap_of_a_solution_bounds_the_decisions():
    model = dcsvm.train(X, Y, C=5, gamma=4, fit_intercept=False, tol=1e-2)
    best = dcsvm.train(X, Y, C=5, gamma=4, fit_intercept=False, tol=1e-7, precision="double")
    off = np.abs(model.decision_function(X) - best.decision_function(X)).max()
    assert 0 < off <= np.sqrt(2 * model.report.gap) + 1e-5
    assert model.report.objective - best.report.objective <= model.report.gap + 1e-6 * abs(best.report.objective)
    assert best.report.gap < model.report.gap < np.inf


def test_probabilities_are_left_out_and_a_checkpoint_goes_on(tmp_path):
    model = stopped(lambda: dcsvm.train(X, Y, C=5, gamma=4, probability=True, max_seconds=NO_TIME))
    with pytest.raises(Exception, match="probabilit"):
        model.predict_proba(X)
    path = tmp_path / "state"
    stopped(lambda: dcsvm.train(X, Y, C=5, gamma=4, checkpoint=path, max_seconds=NO_TIME))
    assert path.exists()
    again = dcsvm.train(X, Y, C=5, gamma=4, checkpoint=path)
    assert again.report.stop_reason == "converged"
    assert not path.exists()


def test_the_callback_counts_more():
    with pytest.warns(dcsvm.ConvergenceWarning, match="'cancelled'"):
        model = dcsvm.train(X, Y, gamma=4, callback=lambda _: True, max_seconds=NO_TIME)
    assert model.report.stop_reason == "cancelled"


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "LinearSVC", "LowRankSVC", "LDKLSVC", "DCPredSVC", "LSSVC", "DCSVC"])
def test_estimators(name):
    from sklearn.exceptions import ConvergenceWarning

    model = getattr(dcsvm, name)(max_seconds=NO_TIME)
    with pytest.warns((ConvergenceWarning, dcsvm.ConvergenceWarning), match="max_seconds"):
        model.fit(X, Y)
    assert model.report_.stop_reason == "time_limit"
    assert set(model.predict(X)) <= {1.0, -1.0}
    fit_status = getattr(model, "fit_status_", 1)
    assert fit_status == 1


def test_probabilities_of_a_stopped_estimator():
    from sklearn.exceptions import ConvergenceWarning, NotFittedError

    with pytest.warns(ConvergenceWarning, match=r"max_seconds=1e-09.*within \de.\d+ of the optimum"):
        model = dcsvm.SVC(max_seconds=NO_TIME, probability="platt", tol=1e-4).fit(X, Y)
    with pytest.raises(NotFittedError, match="when max_seconds stopped fit"):
        model.predict_proba(X)
    assert model.predict(X).shape == (len(X),)


@pytest.mark.parametrize("wrong", [0, -1, np.inf, np.nan, "1"])
def test_bad_values(wrong):
    with pytest.raises(ValueError, match=r"^max_seconds must be a (finite )?number > 0.*or None"):
        dcsvm.train(X, Y, max_seconds=wrong)


def test_what_has_no_best_so_far_refuses():
    with pytest.raises(TypeError, match=r"cross_validate\(\) takes no max_seconds"):
        dcsvm.cross_validate(X, Y, max_seconds=1)
    with pytest.raises(TypeError, match=r"tune\(\) takes no max_seconds: budget"):
        dcsvm.tune(X, Y, max_seconds=1)
    with pytest.raises(TypeError, match=r"linear_path\(\) takes no max_seconds"):
        dcsvm.linear_path(X, Y, max_seconds=1)
    with pytest.raises(ValueError, match="max_seconds is for one value of C"):
        dcsvm.LowRankSVC(C=[1, 2], cv=2, max_seconds=1).fit(X, Y)
    with pytest.raises(ValueError, match="max_seconds is for one training, not for the trials of a budget"):
        dcsvm.train_dc_pred(X, Y, budget=5, max_seconds=1)
