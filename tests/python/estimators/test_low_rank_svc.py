"""LowRankSVC under scikit-learn's own checks, and what is its own."""

import pickle

import numpy as np
import pytest

import dcsvm

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks([dcsvm.LowRankSVC(n_landmarks=50, tol=1e-10, max_iter=1000000)])
def test_sklearns_checks(estimator, check):
    check(estimator)


def test_labels_of_any_kind_and_weights(blobs):
    x, y = blobs
    names = np.array(["a", "b", "c", "d"])[np.searchsorted([2, 3, 5, 8], y)]
    model = dcsvm.LowRankSVC(gamma=0.5, n_landmarks=60, random_state=0, class_weight="balanced").fit(x, names)
    assert model.score(x, names) > dcsvm.SVC(gamma=0.5, class_weight="balanced").fit(x, names).score(x, names) - 0.03
    assert model.decision_function(x).shape == (len(y), 4)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))
    assert model.report_.n_landmarks <= 60


def test_a_path_of_C(board):
    x, y = board
    model = dcsvm.LowRankSVC(C=[0.01, 10], cv=3, gamma=4, n_landmarks=150, random_state=0).fit(x, y)
    assert model.C_ == 10
    assert model.cv_scores_.shape == (2, 3)


def test_callable_kernels(board):
    x, y = board
    model = dcsvm.LowRankSVC(C=10, kernel=lambda a, b: rbf_kernel(a, b, gamma=4), n_landmarks=150, random_state=0).fit(x, y)
    named = dcsvm.LowRankSVC(C=10, gamma=4, landmarks=model._given).fit(x, y)
    assert (model.predict(x) == named.predict(x)).mean() > 0.99
    with pytest.raises(ValueError, match="kernel must return shape"):
        dcsvm.LowRankSVC(kernel=lambda a, b: np.eye(len(b)), n_landmarks=20).fit(x, y)


def test_unlabelled_rows(blobs):
    x, y = blobs
    some = np.where(np.arange(len(y)) % 4 == 0, y, -1)
    model = dcsvm.LowRankSVC(gamma=0.5, n_landmarks=60, unlabelled=-1, supervised=True, random_state=0).fit(x, some)
    assert model.classes_.tolist() == [2, 3, 5, 8]
    labelled = some != -1
    assert model.score(x, y) > dcsvm.SVC(gamma=0.5).fit(x[labelled], y[labelled]).score(x, y) - 0.03


def test_fit_file(tmp_path):
    x, y = dcsvm.datasets.make_checkerboard(2000, random_state=3)
    dcsvm.save_svmlight(tmp_path / "d.txt", x, y)
    model = dcsvm.LowRankSVC(C=10, gamma=4, n_landmarks=150, random_state=0).fit_file(
        tmp_path / "d.txt", memory_mb=50, keep_cache=False
    )
    assert model.score(x, y) > 0.97
    with pytest.raises(ValueError, match="one C"):
        dcsvm.LowRankSVC(C=[1, 2]).fit_file(tmp_path / "d.txt")


def test_fit_batches():
    parts = [dcsvm.datasets.make_checkerboard(1000, random_state=i) for i in range(3)]
    model = dcsvm.LowRankSVC(C=10, gamma=4, n_landmarks=150, random_state=0).fit_batches(iter(parts), memory_mb=50)
    assert model.score(*parts[1]) > 0.97
    with pytest.raises(ValueError, match="a kernel by name"):
        dcsvm.LowRankSVC(kernel=rbf_kernel).fit_batches(parts)
