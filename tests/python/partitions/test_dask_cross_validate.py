"""dcsvm.dask.cross_validate: the scores of one machine, one task for each gamma."""

import numpy as np
import pytest

import dcsvm

da = pytest.importorskip("dask.array", reason="dcsvm.dask needs the extra dask")

from dcsvm.dask import cross_validate  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")


def same(found, expected):
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.gamma, expected.gamma)
    np.testing.assert_array_equal(found.predictions, expected.predictions)
    np.testing.assert_array_equal(found.rows, expected.rows)
    assert found.best_params == expected.best_params
    assert found.best_score == expected.best_score
    assert found.n_fits == expected.n_fits
    assert found.violation == pytest.approx(expected.violation)


@pytest.mark.parametrize("kind", ["memory", "collection"])
def test_scores_are_those_of_one_machine(cluster, noisy, kind):
    X, y = noisy[0][:900], noisy[1][:900]
    grid = {"C": [1, 10, 100], "gamma": [1.0, 4.0, 16.0], "cv": 4}
    expected = dcsvm.cross_validate(X, y, **grid)
    if kind == "collection":
        X, y = da.from_array(X, chunks=(300, -1)), da.from_array(y, chunks=300)
    found = cross_validate(X, y, **grid)
    same(found, expected)
    assert found.mean_scores.shape == (3, 3)


def test_other_formulations_folds_and_weights(cluster, noisy):
    from sklearn.model_selection import KFold

    X, y = noisy[0][:400], noisy[1][:400]
    t, weight = X.sum(axis=1), np.random.default_rng(0).uniform(1, 2, 400)
    own = {"cv": KFold(3), "sample_weight": weight, "formulation": "epsilon_svr", "scoring": "neg_mean_squared_error"}
    same(cross_validate(X, t, gamma=[0.5, 1.0], **own), dcsvm.cross_validate(X, t, gamma=[0.5, 1.0], **own))
    halves = np.arange(400) % 2 == 0
    pairs = [(np.flatnonzero(halves), ~halves), (~halves, halves)]
    same(cross_validate(X, y, gamma=[1.0, 4.0], cv=(p for p in pairs)), dcsvm.cross_validate(X, y, gamma=[1.0, 4.0], cv=pairs))
    same(
        cross_validate(X, gamma="auto", formulation="one_class", nu=0.1, client=cluster),
        dcsvm.cross_validate(X, gamma="auto", formulation="one_class", nu=0.1),
    )
    inside = np.where(y > 0, 1.0, -1.0)
    own = {"gamma": [1.0, 4.0], "formulation": "one_class", "nu": 0.1, "scoring": "accuracy"}
    same(cross_validate(X, inside, **own), dcsvm.cross_validate(X, inside, **own))
    assert cross_validate(X, y).gamma == pytest.approx(dcsvm.cross_validate(X, y).gamma)


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"gamma": []}, ValueError, "gamma must hold at least one"),
        ({"gamma": [1.0, -2.0]}, ValueError, r"gamma\[1\] must be"),
        ({"C": -1.0}, ValueError, "C must be"),
        ({"C": [1.0, float("nan")]}, ValueError, r"C\[1\] must be"),
        ({"C": []}, ValueError, "C must hold at least one"),
        ({"kernel": "rfb"}, ValueError, "kernel must be one of"),
        ({"tol": 0}, ValueError, "tol must be"),
        ({"cv": 1}, ValueError, "cv must be"),
        ({"callback": print}, TypeError, "no callback"),
        ({"checkpoint": "a-file"}, TypeError, "no checkpoint"),
        ({"colour": 3}, TypeError, "colour"),
        ({"scoring": "f_one"}, ValueError, "scoring must be None"),
        ({"scoring": 3}, ValueError, "scoring must be None"),
        ({"scoring": "neg_log_loss"}, ValueError, "scoring='neg_log_loss' needs probabilities, and cross_validate has"),
    ],
)
def test_bad_arguments_are_named_before_work_is_sent(cluster, noisy, arguments, kind, text):
    lazy = da.from_array(noisy[0][:100], chunks=(50, -1)), da.from_array(noisy[1][:100], chunks=50)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(cluster), "submit", None)
        patch.setattr(type(cluster), "compute", None)
        patch.setattr(type(cluster), "get", None)
        for X, y in ((noisy[0][:100], noisy[1][:100]), lazy):
            with pytest.raises(kind, match=text):
                cross_validate(X, y, **arguments)


@pytest.mark.parametrize(
    ("cv", "text"),
    [
        ("5", "cv must be a number of folds >= 2, a splitter, or an iterable"),
        (101, "at most one fold for each row"),
        ([(0, 1, 2)], "fold 0 must be a pair"),
        ([(np.arange(50), np.ones(3, dtype=bool))], "test of fold 0 must be a mask of 100 rows"),
        (iter(()), "cv must give at least one"),
    ],
)
def test_bad_folds_are_named_before_work_is_sent(cluster, noisy, monkeypatch, cv, text):
    monkeypatch.setattr(type(cluster), "submit", None)
    monkeypatch.setattr(type(cluster), "compute", None)
    monkeypatch.setattr(type(cluster), "get", None)
    with pytest.raises(ValueError, match=text):
        cross_validate(noisy[0][:100], noisy[1][:100], cv=cv)


def test_unconverged_models_are_told(cluster, noisy):
    with pytest.warns(dcsvm.ConvergenceWarning, match="of 5 models did not reach tol"):
        cross_validate(noisy[0][:300], noisy[1][:300], C=100, gamma=4.0, max_iter=1)
