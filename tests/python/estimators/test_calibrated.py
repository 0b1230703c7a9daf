"""predict_proba of LinearSVC, LowRankSVC and DCPredSVC: Platt's sigmoids on held-out rows."""

import pickle

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

from dcsvm import _core


@pytest.fixture(scope="module")
def blobs():
    """Three classes that overlap, of text."""
    rng = np.random.default_rng(5)
    codes = np.repeat([0, 1, 2], [200, 150, 100])
    X = np.array([[0, 0], [2.0, 0], [0, 2.0]])[codes] + rng.normal(size=(450, 2))
    order = rng.permutation(450)
    return X[order], np.array(["x", "y", "z"])[codes[order]]


ESTIMATORS = [
    dcsvm.LinearSVC(probability=True),
    dcsvm.LinearSVC(probability=True, multi_class="crammer_singer", tol=0.01, max_iter=100000),
    dcsvm.LowRankSVC(probability=True, n_landmarks=60, C=[0.1, 1], random_state=0),
    dcsvm.LowRankSVC(probability=True, n_landmarks=60, multi_class="ovo", random_state=0),
    dcsvm.DCPredSVC(probability=True, n_leaves=2, random_state=0),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_about_as_good_as_those_of_scikit_learn(blobs, estimator, classes):
    X, y = blobs
    kept = y != "z" if classes == 2 else np.ones(len(y), dtype=bool)
    X, y = X[kept], y[kept]
    train, test = slice(0, 200), slice(200, None)
    mine = clone(estimator).fit(X[train], y[train])
    p = mine.predict_proba(X[test])
    assert p.shape == (len(y[test]), classes)
    assert p.min() >= 0
    assert p.sum(axis=1) == pytest.approx(1)
    assert np.exp(mine.predict_log_proba(X[test])) == pytest.approx(p)
    assert (mine.classes_[p.argmax(axis=1)] == mine.predict(X[test])).mean() > 0.9
    plain = clone(estimator).set_params(
        probability=False, **({"multi_class": "ovr"} if hasattr(estimator, "multi_class") else {})
    )
    theirs = CalibratedClassifierCV(plain, ensemble=False, cv=5).fit(X[train], y[train])
    assert log_loss(y[test], p) < log_loss(y[test], theirs.predict_proba(X[test])) + 0.03


def test_the_sigmoid_is_fitted_to_held_out_rows(blobs):
    X, y = blobs
    y = (y == "x").astype(int)
    mine = dcsvm.LinearSVC(probability=True, random_state=0).fit(X, y)
    held_out = np.empty(len(y))
    folds = _core.make_folds(y.astype(float), 5, True, dcsvm.LinearSVC(random_state=0)._seed())
    for train, test in folds:
        held_out[test] = dcsvm.LinearSVC().fit(X[train], y[train]).decision_function(X[test])
    a, b = _core.fit_sigmoid(held_out, y == 1)
    assert mine.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(a * mine.decision_function(X) + b)), abs=1e-6)


def test_files_pickles_and_weights(blobs, tmp_path):
    X, y = blobs
    weights = np.where(np.arange(len(y)) % 7 == 0, 0.0, 1.0)
    mine = dcsvm.LinearSVC(probability=True, random_state=0).fit(X, y, sample_weight=weights)
    without = dcsvm.LinearSVC(probability=True, random_state=0).fit(X[weights > 0], y[weights > 0])
    assert mine.predict_proba(X) == pytest.approx(without.predict_proba(X), abs=1e-6)
    mine.save(tmp_path / "m")
    for again in (dcsvm.LinearSVC.load(tmp_path / "m"), pickle.loads(pickle.dumps(mine))):
        assert np.array_equal(again.predict_proba(X), mine.predict_proba(X))


def test_unlabelled_rows_are_in_every_training(blobs):
    X, y = blobs
    codes = np.unique(y, return_inverse=True)[1]
    codes[::3] = -1
    mine = dcsvm.LowRankSVC(probability=True, unlabelled=-1, n_landmarks=40, random_state=0).fit(X, codes)
    assert mine.predict_proba(X).shape == (len(y), 3)


def test_without_it_there_is_none(blobs, tmp_path):
    X, y = blobs
    for estimator in (dcsvm.LinearSVC(), dcsvm.LowRankSVC(n_landmarks=20), dcsvm.DCPredSVC()):
        assert not hasattr(estimator, "predict_proba")
        with pytest.raises(AttributeError, match="has no attribute 'predict_proba'"):
            estimator.predict_proba(X)
    with pytest.raises(ValueError, match="2 rows of each class; class w has 1"):
        dcsvm.LinearSVC(probability=True).fit(X, np.append(y[:-1], "w"))
    dcsvm.save_svmlight(tmp_path / "t", X, np.unique(y, return_inverse=True)[1].astype(float))
    with pytest.raises(ValueError, match="probability=True needs all rows in memory"):
        dcsvm.LowRankSVC(probability=True).fit_file(tmp_path / "t")
