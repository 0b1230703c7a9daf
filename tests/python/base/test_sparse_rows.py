"""scipy's CSR in any order: what a matrix means decides, not how it is stored, and the caller's arrays stay as they are."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from _trainings import TRAININGS

N = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 6)) * (RNG.random((N, 6)) < 0.6)
X[:, 0] += 0.1  # no row is empty
Y = (X[:, 0] + X[:, 1] > 0.2).astype(int)
WAVE = np.sin(X.sum(axis=1))
PLAIN = sp.csr_matrix(X)


def backwards(x):
    """The columns of each row in descending order."""
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(x.indptr[:-1], x.indptr[1:], strict=True)])
    return sp.csr_matrix((x.data[order], x.indices[order], x.indptr), shape=x.shape)


def halves(x):
    """Each value as two."""
    return sp.csr_matrix((np.repeat(x.data, 2) / 2, np.repeat(x.indices, 2), x.indptr * 2), shape=x.shape)


def with_room(x):
    """Behind the last row, where scipy permits anything: what would be refused inside of a row."""
    data, indices = np.append(x.data, [np.nan, 1e300, 7.0]), np.append(x.indices, [x.shape[1] + 5, -3, 0]).astype(np.int32)
    return sp.csr_matrix((data, indices, x.indptr), shape=x.shape)


STORED = {
    "backwards": backwards,
    "halves": halves,
    "room": with_room,
    "all of them": lambda x: with_room(backwards(halves(x))),
    "csr_array": lambda x: sp.csr_array(with_room(backwards(x))),
    "wide indices": lambda x: wide(with_room(backwards(x))),
    "csc": lambda x: sp.csc_matrix(with_room(backwards(x).T.tocsr())).T.tocsc(),
}


def wide(x):
    x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    return x


def changes_nothing(stored, call):
    """The call's answer; the matrix is what it was."""
    before = [np.array(a) for a in (stored.data, stored.indices, stored.indptr)]
    found = call(stored)
    for a, b in zip((stored.data, stored.indices, stored.indptr), before, strict=True):
        np.testing.assert_array_equal(a, b)
    return found


def decisions(model):
    return np.asarray(model.decision_function(X)).ravel()


def of_batches(x):
    return decisions(dcsvm.train_low_rank_batches([(x, Y)], n_landmarks=20, gamma=0.5))


OPTIONS = {
    "train": {"gamma": 0.5},
    "train_low_rank": {"gamma": 0.5, "n_landmarks": 20},
    "train_dc_pred": {"gamma": 0.5},
    "train_dc_pred_ridge": {"gamma": 0.5},
    "train_ls_svm": {"gamma": 0.5},
    "train_ridge": {"gamma": 0.5},
}
FROM_MATRIX = [f.__name__ for f in TRAININGS if not f.__name__.endswith(("_file", "_batches"))]
FITTED = dcsvm.train(PLAIN, Y, gamma=0.5)
LINEAR = dcsvm.train_linear(PLAIN, Y)
LOW_RANK = dcsvm.train_low_rank(PLAIN, Y, gamma=0.5, n_landmarks=20)
RIDGE = dcsvm.train_ridge(PLAIN, WAVE, gamma=0.5)
DC_PRED = dcsvm.train_dc_pred(PLAIN, Y, gamma=0.5)
LDKL = dcsvm.train_ldkl(PLAIN, Y, depth=2)
LS_SVM = dcsvm.train_ls_svm(PLAIN, Y, gamma=0.5)
CALLS = {
    **{f"decisions, {type(m).__name__}": m.decision_function for m in (FITTED, LINEAR, LOW_RANK, DC_PRED, LDKL, LS_SVM)},
    "predict": FITTED.predict,
    "predict, ridge": RIDGE.predict,
    "gradient": FITTED.decision_gradient,
    "explain": lambda x: FITTED.explain(x).values,
    "explain, linear": lambda x: LINEAR.explain(x, background=X[0]).values,
    "one class": lambda x: decisions(dcsvm.train(x, formulation="one_class", nu=0.3, gamma=0.5)),
    "regression": lambda x: decisions(dcsvm.train(x, WAVE, formulation="epsilon_svr", gamma="scale")),
    "dc": lambda x: decisions(dcsvm.train(x, Y, gamma=0.5, solver="dc", n_levels=1)),
    "early": lambda x: decisions(dcsvm.train(x, Y, gamma=0.5, early_level=1)),
    "batches": lambda x: decisions(dcsvm.train_low_rank_batches([(x, Y)], n_landmarks=20, gamma=0.5)),
    "landmarks": lambda x: decisions(dcsvm.train_low_rank(PLAIN, Y, gamma=0.5, landmarks=x)),
    "cross_validate": lambda x: dcsvm.cross_validate(x, Y, C=[1, 10], cv=3).scores,
    "tune": lambda x: dcsvm.tune(x, Y, C=[1, 10], gamma=0.5, cv=3).best_score,
    "linear_path": lambda x: dcsvm.linear_path(x, Y, C=[0.1, 1], cv=3).scores,
}
ESTIMATORS = {
    "SVC": lambda x: decisions(dcsvm.SVC().fit(x, Y)),
    "LinearSVC": lambda x: decisions(dcsvm.LinearSVC().fit(x, Y)),
    "OnlineSVC": lambda x: decisions(dcsvm.OnlineSVC(gamma=0.5).fit(x, Y)),
    "SVC, decisions": dcsvm.SVC().fit(PLAIN, Y).decision_function,
}


@pytest.mark.parametrize("form", STORED)
@pytest.mark.parametrize("name", FROM_MATRIX)
def test_trainings(name, form):
    train, y = getattr(dcsvm, name), WAVE if "ridge" in name else Y
    options = {**OPTIONS.get(name, {}), "random_state": 0} if name != "train_ridge" else OPTIONS[name]
    found = changes_nothing(STORED[form](PLAIN), lambda x: decisions(train(x, y, **options)))
    np.testing.assert_allclose(found, decisions(train(PLAIN, y, **options)), rtol=0, atol=1e-12)


# scikit-learn's own checks of an estimator's rows look at what is behind the last one, too.
FORMS = {
    **dict.fromkeys(CALLS, ("backwards", "halves", "room", "all of them")),
    **dict.fromkeys(ESTIMATORS, ("backwards", "halves")),
}


@pytest.mark.parametrize(("name", "form"), [(name, form) for name, forms in FORMS.items() for form in forms])
def test_other_calls(name, form):
    call = {**CALLS, **ESTIMATORS}[name]
    np.testing.assert_allclose(changes_nothing(STORED[form](PLAIN), call), call(PLAIN), rtol=0, atol=1e-12)


def test_estimators_take_finite_values_behind_the_last_row():
    room = sp.csr_matrix((np.append(PLAIN.data, 7.0), np.append(PLAIN.indices, 0), PLAIN.indptr), shape=PLAIN.shape)
    model = changes_nothing(room, lambda x: dcsvm.SVC().fit(x, Y))
    np.testing.assert_array_equal(model.decision_function(room), dcsvm.SVC().fit(PLAIN, Y).decision_function(PLAIN))


def test_a_given_kernel_matrix():
    K = X @ X.T
    expected = dcsvm.train(K, Y, kernel="precomputed").alpha
    for form in STORED.values():
        found = changes_nothing(form(sp.csr_matrix(K)), lambda x: dcsvm.train(x, Y, kernel="precomputed").alpha)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_files(tmp_path):
    dcsvm.save_svmlight(tmp_path / "plain", PLAIN, Y)
    for form in STORED.values():
        changes_nothing(form(PLAIN), lambda x: dcsvm.save_svmlight(tmp_path / "other", x, Y))
        assert (tmp_path / "other").read_bytes() == (tmp_path / "plain").read_bytes()


def test_sums_of_small_integers_do_not_overflow():
    x = sp.csr_matrix((np.array([100, 100, 1], np.int8), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    np.testing.assert_array_equal(dcsvm.train(x, [0, 1], kernel="linear").support_vectors_.toarray(), [[200, 0], [0, 1]])


def test_own_csr_with_room_behind_the_last_row():
    room = with_room(PLAIN)
    own = dcsvm.CsrMatrix(room.data, room.indices, room.indptr, room.shape)
    expected = dcsvm.train(PLAIN, Y, gamma="scale")
    np.testing.assert_array_equal(dcsvm.train(own, Y, gamma="scale").alpha, expected.alpha)
    np.testing.assert_array_equal(expected.decision_function(own), expected.decision_function(PLAIN))
