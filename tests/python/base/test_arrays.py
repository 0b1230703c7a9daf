"""Any layout and number type gives the same model, and float arrays are not copied."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from dcsvm import _core
from dcsvm._input import validate as _validate
from dcsvm._input.labels import as_labels, as_targets

RNG = np.random.default_rng(5)
X = RNG.integers(-8, 8, (300, 4)) / 4.0  # exact in every float type
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.standard_normal(300) > 0, 1, -1)


def readonly(a):
    a = a.copy()
    a.setflags(write=False)
    return a


def spread(a):
    big = np.full((2 * a.shape[0], 3 * a.shape[1]), np.nan, dtype=a.dtype)
    big[::2, 1::3] = a
    return big[::2, 1::3]


def unaligned(a):
    raw = np.empty(a.nbytes + 1, dtype=np.uint8)[1:].view(a.dtype).reshape(a.shape)
    raw[...] = a
    return raw


def in_record(a):
    record = np.zeros(a.shape, dtype=[("pad", np.int8), ("value", a.dtype)])
    record["value"] = a
    return record["value"]


LAYOUTS = {
    "c": np.ascontiguousarray,
    "fortran": np.asfortranarray,
    "strided": spread,
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": readonly,
    "unaligned": unaligned,
    "record": in_record,
    "matrix": lambda a: sp.csr_matrix(a).todense(),
}
NOT_COPIED = ("c", "fortran", "strided", "reversed", "read-only")


def same(model, reference):
    np.testing.assert_array_equal(model.alpha, reference.alpha)
    np.testing.assert_array_equal(model.intercept_, reference.intercept_)


@pytest.fixture(scope="module")
def reference():
    return {t: dcsvm.train(X.astype(t), Y, C=2, gamma=0.5) for t in (np.float32, np.float64)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, dtype, reference):
    x = LAYOUTS[layout](X.astype(dtype))
    model = dcsvm.train(x, Y, C=2, gamma=0.5)
    np.testing.assert_allclose(model.alpha, reference[dtype].alpha, atol=1e-3)
    assert model.report.objective == pytest.approx(reference[dtype].report.objective, rel=5e-6)
    np.testing.assert_allclose(model.decision_function(x), reference[dtype].decision_function(X), atol=2e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", NOT_COPIED)
def test_arrays_are_not_copied(layout, dtype):
    x = LAYOUTS[layout](X.astype(dtype))
    seen = _core.describe_data(_validate.as_data("X", x))
    assert seen["address"] == x.ctypes.data
    assert (seen["row_stride"], seen["col_stride"]) == tuple(s // x.itemsize for s in x.strides)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_csr_is_not_copied(kind, dtype):
    x = kind(X.astype(dtype))
    assert _core.describe_data(_validate.as_data("X", x))["address"] == x.data.ctypes.data


@pytest.mark.parametrize(
    "dtype", [np.float16, np.longdouble, ">f4", ">f8", np.int8, np.int32, np.int64, np.uint16, np.bool_, object], ids=str
)
def test_number_types(dtype):
    x = np.abs(X * 4) % 2 if dtype is np.bool_ else np.abs(X * 4)
    converted = x.astype(dtype)
    same(dcsvm.train(converted, Y, gamma=0.1), dcsvm.train(x, Y, gamma=0.1))


def test_lists():
    same(dcsvm.train(X.tolist(), Y.tolist(), gamma=0.5), dcsvm.train(X, Y, gamma=0.5))


def test_column_of_labels_and_labels_of_any_layout():
    reference = dcsvm.train(X, Y, gamma=0.5)
    same(dcsvm.train(X, Y[:, None], gamma=0.5), reference)
    same(dcsvm.train(X, np.repeat(Y, 2)[::2], gamma=0.5), reference)
    same(dcsvm.train(X, Y.astype(">f8"), gamma=0.5), reference)
    same(dcsvm.train(X, Y, gamma=0.5, sample_weight=np.ones(600, np.float32)[::2]), reference)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_csr(kind, dtype, index, reference):
    x = kind(X.astype(dtype))
    x.indices, x.indptr = x.indices.astype(index), x.indptr.astype(index)
    model = dcsvm.train(x, Y, C=2, gamma=0.5)
    assert model.report.objective == pytest.approx(reference[dtype].report.objective, rel=5e-6)
    np.testing.assert_allclose(model.decision_function(x), reference[dtype].decision_function(X), atol=2e-3)
    np.testing.assert_allclose(model.decision_function(X), model.decision_function(x), atol=1e-5)
    np.testing.assert_array_equal(model.support_vectors_.toarray(), X[model.support_])


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "dok", "bsr"])
def test_other_sparse_formats(form, reference):
    model = dcsvm.train(sp.csr_matrix(X).asformat(form), Y, C=2, gamma=0.5)
    assert model.report.objective == pytest.approx(reference[np.float64].report.objective, rel=5e-6)


def test_sparse_integers_and_mixed_index_types():
    x = sp.csr_matrix((X * 4).astype(np.int64))
    reference = dcsvm.train(sp.csr_matrix(X * 4), Y, gamma=0.1)
    same(dcsvm.train(x, Y, gamma=0.1), reference)
    x = sp.csr_matrix(X * 4)
    x.indptr = x.indptr.astype(np.int64)
    same(dcsvm.train(x, Y, gamma=0.1), reference)
    x.indices = x.indices.astype(np.uint16)
    same(dcsvm.train(x, Y, gamma=0.1), reference)


def test_own_csr_stands_in_for_scipy(reference):
    x = sp.csr_matrix(X)
    own = dcsvm.CsrMatrix(x.data, x.indices, x.indptr, x.shape)
    np.testing.assert_array_equal(own.toarray(), X)
    same(dcsvm.train(own, Y, C=2, gamma=0.5), dcsvm.train(x, Y, C=2, gamma=0.5))


def test_empty_rows_and_columns():
    x = sp.csr_matrix(X * (np.arange(300)[:, None] % 3 > 0) * np.array([1, 0, 1, 0]))
    dense = dcsvm.train(x.toarray(), Y, gamma=0.5)
    model = dcsvm.train(x, Y, gamma=0.5)
    assert model.report.objective == pytest.approx(dense.report.objective, rel=5e-6)


def test_one_row_one_column():
    model = dcsvm.train(X[:, :1], Y, gamma=0.5)
    assert model.predict(X[:1, :1]).shape == (1,)
    assert model.decision_function(X[:, 0:1].T.reshape(-1, 1)).shape == (300,)


def test_pandas():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    same(dcsvm.train(pd.DataFrame(X), pd.Series(Y), gamma=0.5), dcsvm.train(X, Y, gamma=0.5))


def test_large_arrays_are_converted_in_pieces_and_whole():
    x = np.arange(3 * 2**21 + 5, dtype=np.int64).reshape(-1, 1) % 1000
    for a in (x, np.asfortranarray(np.hstack([x, x])), x[::-2], x.astype(">f8"), x.astype(object)[:1000]):
        got = _validate.as_data("X", a)
        assert got.dtype == np.float64
        np.testing.assert_array_equal(got, a.astype(float))
    indptr = np.arange(0, 3 * 2**21 + 1)
    sparse = _validate.CsrMatrix(np.ones(3 * 2**21), np.arange(3 * 2**21) % 3, indptr, (3 * 2**21, 3))
    dense = sparse.toarray()
    np.testing.assert_array_equal(dense.argmax(1), np.arange(3 * 2**21) % 3)
    assert dense.sum() == 3 * 2**21


def test_support_vectors_of_csr_data_are_csr():
    x = sp.random(60, 1000, density=0.02, format="csr", random_state=0, dtype=np.float32)
    y = np.arange(60) % 2
    model = dcsvm.train(x, y)
    rows = model.support_vectors_
    assert sp.issparse(rows)
    assert rows.format == "csr"
    assert rows.shape == (len(model.support_), 1000)
    np.testing.assert_array_equal(rows.toarray(), x[model.support_].toarray())
    again = type(model).from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.support_vectors_.toarray(), rows.toarray())
    dense = dcsvm.train(x.toarray(), y).support_vectors_
    assert isinstance(dense, np.ndarray)


def test_labels_targets_and_weights_are_copied():
    for read in (as_labels, as_targets, _validate.as_vector):
        given = np.arange(6.0) % 2
        assert not np.shares_memory(read("y", given, 6), given)


def test_errors_name_the_columns_of_a_data_frame_that_hold_text_and_rows_without_label():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "city": ["a", "b", "c"], "pay": [1e6, 3e6, 2e6]})
    for train in (dcsvm.train, lambda X, y: dcsvm.SVC().fit(X, y)):
        with pytest.raises(
            ValueError, match=r"could not convert string to float: '.'.*Column 'city' holds text: .*OneHotEncoder"
        ):
            train(frame, [0, 1, 0])
        with pytest.raises(ValueError, match=r"Column 'city' holds text"):
            train(frame.astype({"city": "category"}), [0, 1, 0])
        with pytest.raises(ValueError, match=r"Dates in 'day': make numbers of them"):
            dcsvm.train(frame[["age"]].assign(day=pd.Timestamp("2020-01-01")), [0, 1, 0])
        for missing in (None, float("nan"), pd.NA):
            with pytest.raises(ValueError, match=r"y has no label at row 1 \(found .*\): drop the rows without labels"):
                train(frame[["age"]], pd.Series(["a", missing, "b"], dtype=object))
    numbers = frame[["age", "pay"]]
    for value, text in ((np.nan, "NaN"), (np.inf, "infinity")):
        bad = numbers.mask(np.array([[False, False], [False, True], [False, False]]), value)
        for call in (lambda X: dcsvm.train(X, [0, 1, 0]), dcsvm.train(frame[["age"]].assign(pay=1.0), [0, 1, 0]).predict):
            with pytest.raises(ValueError, match=rf"^X has {text} at row 1, column 1 \('pay'\)"):
                call(bad)
    with pytest.raises(ValueError, match=r"Missing values in 'age': fill or drop them first"):
        dcsvm.train(numbers.astype("Float64").mask(numbers == 2), [0, 1, 0])
    huge = numbers.assign(pay=[1e308, 1e308, 1e308])
    with pytest.raises(ValueError, match=r"^X: kernel values overflow"):  # finite, though the sum is not
        dcsvm.train(huge, [0, 1, 0])
    with pytest.warns(dcsvm.ScaleWarning, match=r"column 1 \('pay'\) is wide, column 0 \('age'\) narrow\."):
        dcsvm.train(frame[["age", "pay"]], [0, 1, 0])
