"""Estimators that find their parameters: scikit-learn's checks, and dcsvm.tune with the same seed."""

import inspect
import pickle
from dataclasses import fields

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils.estimator_checks import check_estimator

from dcsvm.estimators._parameters import EarlyLevelParameter, LevelParameters

X, Y = dcsvm.datasets.make_checkerboard(400, noise=0.05, random_state=0)
WAVE = np.sin(4 * X[:, 0])
EXPECTED = {
    "SVCCV": {},
    "NuSVCCV": {
        "check_class_weight_classifiers": "C is chosen by plain accuracy, so large that weights of 1000 and 0.0001 hardly matter",
    },
    "SVRCV": {
        f"check_sample_weight_equivalence_on_{kind}_data": "repeated rows fall into other folds, by which C is chosen"
        for kind in ("dense", "sparse")
    },
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["SVCCV", "NuSVCCV", "SVRCV"])
def test_check_estimator(name):
    model = getattr(dcsvm, name)(cv=2, min_rows=10)
    results = check_estimator(model, on_skip=None, on_fail=None, expected_failed_checks=EXPECTED[name])
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("name", ["SVCCV", "SVRCV"])
def test_as_the_plain_estimator_with_what_won(name):
    y = Y if name == "SVCCV" else WAVE
    how = {} if name == "SVCCV" else {"epsilon": 0.05}
    model = getattr(dcsvm, name)(C=[1, 10, 100], gamma=[1, 4], cv=3, random_state=0, **how).fit(X, y)
    plain = getattr(dcsvm, name[:-2])(**model.best_params_, **how).fit(X, y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=1e-6)
    assert model.score(X, y) > 0.9
    assert (model.C_, model.gamma_) == (model.best_params_["C"], model.best_params_["gamma"])
    results = model.cv_results_
    assert results["params"][model.best_index_] == model.best_params_
    assert results["mean_test_score"][model.best_index_] == model.best_score_
    assert len(results["split2_test_score"]) == len(results["params"]) == 6
    assert 0.7 < model.held_out_score_ <= 1
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], results["mean_test_score"])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    np.testing.assert_allclose(model.to_sklearn().predict(X), model.predict(X), atol=1e-6)


def test_results_are_as_those_of_a_halving_search():
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    theirs = HalvingGridSearchCV(dcsvm.SVC(), {"C": [1, 10], "gamma": [1.0, 4.0]}, cv=3).fit(X, Y).cv_results_
    ours = dcsvm.SVCCV(C=[1, 10], gamma=[1.0, 4.0], cv=3, min_rows=100).fit(X, Y).cv_results_
    times = {"mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"}
    trained = {name for name in theirs if name.endswith("_train_score")}
    assert set(theirs) - trained - times == set(ours) - {"seconds"}
    for name in set(theirs) & set(ours):
        assert type(ours[name]) is type(theirs[name]), name
        assert len(ours[name]) == len(ours["params"])
    mean, rank = ours["mean_test_score"], ours["rank_test_score"]
    assert rank.dtype == theirs["rank_test_score"].dtype
    np.testing.assert_array_equal(rank, [1 + np.sum(mean > score) for score in mean])


def test_text_labels_weights_groups_probabilities():
    y = np.where(Y > 0, "black", "white")
    groups = np.arange(400) // 10
    model = dcsvm.SVCCV(C=[10], gamma=[4, 8], cv=GroupKFold(4), scoring="balanced_accuracy", probability="platt")
    model.set_params(class_weight={"black": 2.0}, random_state=1).fit(X, y, sample_weight=np.ones(400), groups=groups)
    assert model.n_splits_ == 3
    assert set(model.classes_) == set(model.predict(X)) == {"black", "white"}
    assert model.predict_proba(X).shape == (400, 2)
    weight = np.where(np.arange(400) % 4, 1.0, 0.0)
    wrong = np.where(weight > 0, Y, 7)  # rows of weight 0, whatever their label
    kept = weight > 0
    for name, value in (("SVCCV", {"C": [10]}), ("NuSVCCV", {"nu": [0.2], "class_weight": {-1: 1.5}})):
        for cv in (2, KFold(4), None):
            model = getattr(dcsvm, name)(**value, gamma=4, cv=cv, random_state=0).fit(X, wrong, sample_weight=weight)
            assert set(model.classes_) == set(Y)
            assert model.best_score_ > 0.8, "wrong labels count for nothing"
            assert model.n_splits_ == (3 if isinstance(cv, KFold) else cv or 5)
    five = dcsvm.SVCCV(C=[10], gamma=4, random_state=0).fit(X[kept], Y[kept])
    none = dcsvm.SVCCV(C=[10], gamma=4, random_state=0, cv=None).fit(X[kept], Y[kept])
    assert five.held_out_score_ == none.held_out_score_


def test_nu_and_a_callable_kernel():
    nu = dcsvm.NuSVCCV(gamma=[4], nu=[0.1, 0.3], cv=2, random_state=0).fit(X, Y)
    assert nu.nu_ in (0.1, 0.3)
    own = dcsvm.SVCCV(kernel=lambda A, B: np.exp(-4 * ((A[:, None] - B[None]) ** 2).sum(axis=2)), C=[1, 10], cv=2, random_state=0)
    assert own.fit(X[:200], Y[:200]).score(X[:200], Y[:200]) > 0.9
    assert own.gamma_ is None


def test_signatures_begin_as_the_plain_ones():
    for name in ("SVCCV", "NuSVCCV", "SVRCV"):
        own, plain = (set(inspect.signature(getattr(dcsvm, n)).parameters) for n in (name, name[:-2]))
        assert own - plain >= {"cv", "scoring", "min_rows", "budget"}
        assert plain - own <= {f.name for kind in (LevelParameters, EarlyLevelParameter) for f in fields(kind)}


@pytest.mark.parametrize("name", ["SVCCV", "NuSVCCV", "SVRCV"])
def test_a_warm_start_trains_what_won_without_another_race(name):
    y = WAVE if name == "SVRCV" else Y
    model = getattr(dcsvm, name)(cv=2, min_rows=50, random_state=0, warm_start=True).fit(X[:-20], y[:-20])
    won, results, steps = model.best_params_, model.cv_results_, np.sum(model.n_iter_)
    model.fit(X[:-20], y[:-20])
    assert model.best_params_ is won
    assert model.cv_results_ is results
    if name != "NuSVCCV":  # whose alphas are divided by the margin, so that they are no solution to begin with
        assert np.sum(model.n_iter_) < steps / 4
    model.fit(X, y)
    assert model.shape_fit_ == X.shape
    cold = getattr(dcsvm, name[:-2])(**won).fit(X, y)
    np.testing.assert_allclose(model.predict(X), cold.predict(X), atol=2e-3)
