"""svm_predict of arrays and CSR matrices, which takes no nodes, against the same rows as nodes."""

import ctypes
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")

from dcsvm import svm, svmutil  # noqa: E402
from dcsvm._c_faces.library import checked  # noqa: E402
from dcsvm._c_faces.rows import Matrix, as_matrix  # noqa: E402


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((120, 6))
    x[rng.random(x.shape) < 0.3] = 0
    return x, rng.integers(0, 3, 120)


def row_by_row(model, x, first=1):
    n = model.nr_class * (model.nr_class - 1) // 2
    result = []
    for row in x:
        dec = (ctypes.c_double * n)()
        nodes, _ = svm.gen_svm_nodearray({j + first: v for j, v in enumerate(row) if v})
        svm.libsvm.svm_predict_values(model, nodes, dec)
        result.append(dec[:])
    return result


@pytest.mark.parametrize("kernel", range(4))
@pytest.mark.parametrize("cols", [3, 6, 9])  # fewer and more columns than the model has
def test_width_and_form(rows, kernel, cols):
    x, y = rows
    model = svmutil.svm_train(y, x, f"-q -c 3 -g 0.3 -t {kernel}")
    queries = np.random.default_rng(1).standard_normal((70, cols))
    queries[:, 1::2] = 0
    expected = row_by_row(model, queries)
    shuffled = sparse.csr_matrix(queries)
    shuffled.indices, shuffled.data = shuffled.indices.copy(), shuffled.data.copy()
    for i in range(70):
        part = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
        shuffled.indices[part], shuffled.data[part] = shuffled.indices[part][::-1].copy(), shuffled.data[part][::-1].copy()
    shuffled.has_sorted_indices = shuffled.has_canonical_format = False
    thin = sparse.hstack([sparse.csr_matrix(queries), sparse.csr_matrix((70, 400))], format="csr")  # stays sparse
    for form in (queries, np.asfortranarray(queries), queries.tolist(), sparse.coo_matrix(queries), shuffled, thin):
        np.testing.assert_allclose(svmutil.svm_predict([], form, model, "-q")[2], expected, atol=1e-5, rtol=1e-5)
    whole = (10 * queries).astype(np.int8)
    np.testing.assert_allclose(svmutil.svm_predict([], whole, model, "-q")[2], row_by_row(model, whole), atol=1e-5, rtol=1e-5)


def test_model_with_index_0(rows):
    x, y = rows
    model = svmutil.svm_train(y, [dict(enumerate(row)) for row in x], "-q -g 0.3")
    moved = np.vstack([np.zeros(6), x[:, 1:].sum() * np.eye(6)])[:, 1:]
    expected = row_by_row(model, moved)
    for form in (moved, sparse.csr_matrix(moved)):
        np.testing.assert_allclose(svmutil.svm_predict([], form, model, "-q")[2], expected, atol=1e-5)


@pytest.mark.parametrize("first", [0, 1])
def test_far_apart_indices(rows, first):
    """A few indices up to the largest int are as many columns as there are indices."""
    x, y = rows
    x = x[:, :5]
    places = np.array([first, 7, 70_000, 5_000_000, 2**31 - 2])
    wide = [{int(k): v for k, v in zip(places, row, strict=True) if v} for row in x]
    model, plain = (svmutil.svm_train(y, form, "-q -c 3 -g 0.3") for form in (wide, x))
    assert model.get_sv_coef() == plain.get_sv_coef()
    assert model.rho[:3] == plain.rho[:3]
    assert svmutil.svm_train(y, wide, "-q -g 0.3 -v 3") == svmutil.svm_train(y, x, "-q -g 0.3 -v 3")
    queries = np.random.default_rng(3).standard_normal((70, 5))
    expected = row_by_row(plain, queries)
    foreign = [{**{int(k): v for k, v in zip(places, row, strict=True)}, 3_000_000: 0.0} for row in queries]
    np.testing.assert_allclose(svmutil.svm_predict([], foreign, model, "-q")[2], expected, atol=1e-5)
    if first == 1:
        at = sparse.coo_matrix((queries.ravel(), (np.repeat(np.arange(70), 5), np.tile(places - 1, 70))), shape=(70, 2**31 - 2))
        np.testing.assert_allclose(svmutil.svm_predict([], at.tocsr(), model, "-q")[2], expected, atol=1e-5)
    narrow = np.zeros((70, 8 - first))
    narrow[:, places[:2] - 1] = queries[:, :2]  # index 0 has no column
    queries[:, 2:] = 0
    queries[:, : 1 - first] = 0
    if first == 0:
        narrow[:, -1] = 0
    np.testing.assert_allclose(svmutil.svm_predict([], narrow, model, "-q")[2], row_by_row(plain, queries), atol=1e-5)


def test_no_rows_and_no_columns(rows):
    x, y = rows
    model = svmutil.svm_train(y, x, "-q")
    for empty in (np.empty((0, 6)), sparse.csr_matrix((0, 6))):
        with np.errstate(all="ignore"):
            matrix = as_matrix(empty)
            checked(svm.libsvm.dcsvm_svm_predict_matrix, model, matrix, 0, None, None)
    np.testing.assert_allclose(
        svmutil.svm_predict([], np.empty((2, 0)), model, "-q")[2], row_by_row(model, np.zeros((2, 6))), atol=1e-6
    )


@pytest.mark.parametrize(
    ("indices", "indptr", "message"),
    [
        ([0, 0], [0, 2], "column 0 is out of order or range"),
        ([1, 6], [0, 2], "column 6 is out of order or range"),
        ([-1, 3], [0, 2], "column -1 is out of order or range"),
        ([0, 1], [2, 0], "indptr decreases"),
        ([0, 1], [-1, 0], "indptr is negative"),
    ],
)
def test_bad_matrix(rows, indices, indptr, message):
    model = svmutil.svm_train(rows[1], rows[0], "-q")
    matrix = Matrix((1, 6), np.ones(2), np.array(indices, np.int32), np.array(indptr, np.int64))
    with pytest.raises(ValueError, match=message):
        checked(svm.libsvm.dcsvm_svm_predict_matrix, model, matrix, 0, None, None)


def test_bad_values_and_kernels(rows):
    x, y = rows
    model = svmutil.svm_train(y, x, "-q")
    bad = x.copy()
    bad[3, 2] = np.nan
    for form in (bad, sparse.csr_matrix(bad)):
        with pytest.raises(ValueError, match=r"NaN|finite"):
            svmutil.svm_predict([], form, model, "-q")
    given = svmutil.svm_train(y, np.column_stack([np.arange(1, 121), x @ x.T]), "-q -t 4")
    with pytest.raises(ValueError, match="serial numbers"):
        checked(svm.libsvm.dcsvm_svm_predict_matrix, given, as_matrix(x), 0, None, None)
    with pytest.raises(ValueError, match="null pointer"):
        checked(svm.libsvm.dcsvm_svm_predict_matrix, model, None, 0, None, None)
    with pytest.raises(ValueError, match="negative"):
        checked(svm.libsvm.dcsvm_svm_predict_matrix, model, Matrix((-1, 2), np.ones(2)), 0, None, None)
    with pytest.raises(ValueError, match="no values"):
        checked(svm.libsvm.dcsvm_svm_predict_matrix, model, Matrix((1, 2), None), 0, None, None)


@pytest.mark.parametrize("options", ["-s 0 -c 2", "-s 1 -n 0.3", "-s 0 -t 4"])
def test_cross_validation_by_probability(options, capsys):
    """-b 1 -v n takes the class of largest probability; classes that overlap keep that from being the vote's."""
    theirs = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
    ours, others = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 150)
        x = rng.standard_normal((150, 3)) + 1.2 * np.eye(3)[y]
        if "-t 4" in options:
            x = np.column_stack([np.arange(1, 151), np.exp(-((x[:, None] - x) ** 2).sum(axis=2) / 3)])
        ours.append(svmutil.svm_train(y, x, f"-q -b 1 -v 5 {options}"))
        others.append(theirs.svm_train(y, x, f"-q -b 1 -v 5 {options}"))
    # The folds are random in both, and differ: on one problem by 2.5 points (standard deviation), on the mean of eight by 0.9.
    assert np.mean(ours) == pytest.approx(np.mean(others), abs=3)
    assert svmutil.svm_train(y, x, f"-q -b 1 -v 5 {options}") == ours[-1]
    capsys.readouterr()


def test_threads_train_at_once(rows):
    x, y = rows
    options = [f"-q -c {c}" for c in (0.5, 1, 2, 4, 8, 16)]
    alone = [svmutil.svm_train(y, x, o).get_sv_coef() for o in options]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda o: svmutil.svm_train(y, x, o).get_sv_coef(), options * 3))
    assert together == alone * 3


def test_threads_use_all_of_it_at_once(rows, tmp_path):
    """Training, cross-validation, files and both ways to predict, of one model and of several, from four threads."""
    x, y = rows
    shared = svmutil.svm_train(y, x, "-q -c 2 -b 1")

    def work(i):
        options = f"-q -c {1 + i % 3}"
        own = svmutil.svm_train(y, x, options)
        path = tmp_path / f"{i}"
        svmutil.svm_save_model(path, own)
        return (
            svmutil.svm_train(y, x, f"{options} -v 3"),
            svmutil.svm_predict([], x, svmutil.svm_load_model(path), "-q")[2],
            svmutil.svm_predict([], x, shared, "-q -b 1")[2],
            row_by_row(shared, x[i : i + 5]),
        )

    alone = [work(i) for i in range(6)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, [*range(6)] * 2)) == alone * 2


def test_decision_values_stay_near_those_in_double():
    """Large coefficients multiply what float loses: then differences, or double."""
    rng = np.random.default_rng(3)
    x = rng.random((900, 22))
    y = rng.choice([-1, 1], 900)
    for options in ("-c 100 -g 2", "-c 1e4 -g 0.5", "-s 3 -c 50 -g 1", "-s 2 -n 0.5 -g 1", "-c 10 -t 1 -r 1 -g 1"):
        model = svmutil.svm_train(y, x, f"-q -e 0.01 {options}")
        single = np.empty(300)
        for i, row in enumerate(x[:300]):
            dec = (ctypes.c_double * 1)()
            svm.libsvm.svm_predict_values(model, svm.gen_svm_nodearray(row)[0], dec)
            single[i] = dec[0]
        values = np.array(svmutil.svm_predict([], x[:300], model, "-q")[2]).ravel()
        np.testing.assert_allclose(values, single, atol=2e-4, rtol=1e-9)


def test_labels_are_those_in_double():
    """Rows whose decision value is nearer to 0 than float's error."""
    rng = np.random.default_rng(4)
    x = rng.random((400, 8))
    model = svmutil.svm_train(rng.choice([-1, 1], 400), x, "-q -e 0.1 -c 50 -g 2")
    low, high = x[:200].copy(), x[200:].copy()
    signs = [np.sign(row_by_row(model, form)) for form in (low, high)]
    differ = np.flatnonzero(signs[0] != signs[1])
    low, high, below = low[differ], high[differ], signs[0][differ]
    for _ in range(45):  # to the boundary
        middle = (low + high) / 2
        same = np.sign(row_by_row(model, middle)) == below
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    queries = np.vstack([low, high])
    expected = np.array(row_by_row(model, queries))
    assert np.abs(expected).max() < 1e-9
    assert len(queries) > 64
    far = rng.random((300, 8))
    labels, _, values = svmutil.svm_predict([], np.vstack([queries, far]), model, "-q")
    np.testing.assert_allclose(values[: len(queries)], expected, atol=1e-11)
    np.testing.assert_array_equal(np.sign(labels), np.where(np.array(values).ravel() > 0, 1, -1) * model.get_labels()[0])
    clear = np.abs(expected.ravel()) > 1e-11
    np.testing.assert_array_equal(
        np.array(labels[: len(queries)])[clear], (np.sign(expected.ravel()) * model.get_labels()[0])[clear]
    )


def test_interrupt_is_not_lost_in_quiet_training():
    rng = np.random.default_rng(0)
    x, y = rng.random((6000, 10)), rng.choice([-1.0, 1.0], 6000)
    for _ in range(3):
        threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            svmutil.svm_train(y, x, "-q -c 1000 -g 1 -e 1e-9")
