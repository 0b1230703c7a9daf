"""Every bad input gets an error that names what is wrong."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from dcsvm._load_model import CLASS_OF

X = np.random.default_rng(0).standard_normal((20, 3))
Y = np.arange(20) % 2


NU = ("nu_svc", "one_class", "nu_svr")
NOT_C_SVC = ("nu_svc", "one_class", "epsilon_svr", "nu_svr")


def with_value(value, row=7, column=1):
    x = X.copy()
    x[row, column] = value
    return x


BAD_PARAMETERS = [
    ({"C": 0}, r"^C must be a finite number > 0, got 0$"),
    ({"C": -1.5}, r"^C .*-1\.5"),
    ({"C": np.nan}, r"^C .*nan"),
    ({"C": np.inf}, r"^C .*inf"),
    ({"C": "1"}, r"^C .*'1'"),
    ({"C": True}, r"^C .*True"),
    ({"C": None}, r"^C .*None"),
    ({"C": [1.0]}, r"^C "),
    ({"gamma": 0}, r"^gamma .*> 0, got 0"),
    ({"gamma": -1}, r"^gamma .*-1"),
    ({"gamma": np.nan}, r"^gamma .*nan"),
    ({"gamma": "scal"}, r"^gamma .*'scale' or 'auto'; got 'scal'"),
    ({"kernel": "rfb"}, r"^kernel .*'precomputed'.*; got 'rfb' \(did you mean 'rbf'\?\)"),
    ({"kernel": 1}, r"^kernel .*got 1"),
    ({"degree": -1}, r"^degree .*>= 0, got -1"),
    ({"degree": 2.5}, r"^degree .*2\.5"),
    ({"degree": True}, r"^degree .*True"),
    ({"coef0": np.nan}, r"^coef0 .*nan"),
    ({"fit_intercept": 1}, r"^fit_intercept .*True or False, got 1"),
    ({"formulation": "svc"}, r"^formulation .*got 'svc'"),
    ({"formulation": "nu_sv"}, r"^formulation .*did you mean 'nu_sv[cr]'"),
    ({"formulation": None}, r"^formulation .*got None"),
    *(({"formulation": f, "nu": nu}, r"^nu ") for f in NU for nu in (0, -0.1, 1.5, np.nan, np.inf, "a", None)),
    *(({"formulation": f, "fit_intercept": False}, rf'^fit_intercept: formulation "{f}" always') for f in NU),
    *(({"formulation": f, "class_weight": "balanced"}, r'^class_weight is for formulation "c_svc"') for f in NOT_C_SVC),
    *(({"formulation": f, "class_weight": {0: 2.0}}, r'^class_weight is for formulation "c_svc"') for f in NOT_C_SVC),
    ({"formulation": "nu_svc", "warm_start_alpha": np.arange(-1, 19)}, r"^warm_start_alpha \[0, 0\] is negative"),
    ({"formulation": "nu_svr", "warm_start_alpha": np.ones(20)}, r"^warm_start_alpha violates sum\(alpha - alpha\*\) = 0 by 20"),
    *(({"formulation": f, "C": 0}, r"^C .*> 0, got 0") for f in ("epsilon_svr", "nu_svr")),
    *(({"formulation": f, "sample_weight": np.zeros(20)}, r"^all sample weights are zero") for f in NOT_C_SVC[1:]),
    ({"formulation": "nu_svc", "sample_weight": Y.astype(float)}, r"class 0"),
    (
        {"formulation": "nu_svc", "nu": 0.5, "sample_weight": 1 + 3.0 * Y},
        r"^nu: specified nu is infeasible: 0\.5 is above 0\.4, .*0 and 1",
    ),
    *(({"formulation": "epsilon_svr", "epsilon": e}, r"^epsilon .*>= 0") for e in (-0.1, np.nan, np.inf, "a", None)),
    ({"formulation": "one_class", "warm_start_alpha": np.full(20, 0.1)}, r"^warm_start_alpha violates sum\(alpha\) = nu"),
    ({"formulation": "one_class", "warm_start_alpha": np.full(20, -0.1)}, r"^warm_start_alpha\[?.*negative"),
    (
        {"formulation": "epsilon_svr", "warm_start_alpha": np.full(20, 0.1)},
        r"^warm_start_alpha violates sum\(alpha - alpha\*\) = 0",
    ),
    ({"formulation": "epsilon_svr", "warm_start_alpha": np.full(20, 1.1)}, r"^warm_start_alpha .*beyond the row's bound"),
    ({"formulation": "epsilon_svr", "warm_start_alpha": np.zeros((2, 20))}, r"^warm_start_alpha .*\(20,\)"),
    ({"solver": "sgd"}, r"^solver .*'auto', 'smo', 'dc', 'rand', 'cascade'; got 'sgd'"),
    ({"clustering": "kmean"}, r"^clustering .*did you mean"),
    ({"prediction": "late"}, r"^prediction .*got 'late'"),
    ({"precision": "half"}, r"^precision .*got 'half'"),
    ({"tol": 0}, r"^tol .*> 0, got 0"),
    ({"tol": -1e-3}, r"^tol "),
    ({"tol": np.nan}, r"^tol .*nan"),
    ({"prediction": "naive"}, r'^prediction "naive" .* needs early_level$'),
    ({"prediction": "naive", "solver": "dc"}, r'^prediction "naive" .* needs early_level$'),
    ({"cache_size": np.nan}, r"^cache_size .*nan"),
    ({"cache_size": np.inf}, r"^cache_size .*inf"),
    ({"cache_size": 0}, r"^cache_size .*got 0"),
    ({"n_levels": 0}, r"^n_levels .*>= 1 or None, got 0"),
    ({"branching": 1}, r"^branching .*>= 2, got 1"),
    ({"sample_size": 0}, r"^sample_size .*got 0"),
    ({"early_level": 0}, r"^early_level .*got 0"),
    ({"early_level": 3, "n_levels": 2}, r"^early_level must be <= n_levels = 2, got 3"),
    *(
        ({"early_level": 1, "solver": s}, rf'^early_level needs solver "dc" or "auto", got "{s}"$')
        for s in ("smo", "rand", "cascade")
    ),
    *(({"solver": s, "formulation": "nu_svc"}, rf'^solver "{s}" is for formulation "c_svc"') for s in ("rand", "cascade")),
    *(({"n_support_estimate": k}, r"^n_support_estimate .*>= 2 or None") for k in (1, 0, -5, 2.5, "2", True)),
    *(({name: v}, rf"^{name} ") for name in ("rand_epsilon", "rand_delta") for v in (0, 1, -0.1, np.nan, "a", None)),
    *(({"sample_factor": c}, r"^sample_factor .*>= 1") for c in (0.99, 0, np.inf, np.nan, None)),
    *(({"cascade_leaves": n}, r"^cascade_leaves ") for n in (0, 3, 12, 2.0, None)),
    *(({"cascade_passes": n}, r"^cascade_passes .*>= 1") for n in (0, -1, 1.5)),
    ({"shrinking": "yes"}, r"^shrinking .*'yes'"),
    ({"balance_clusters": None}, r"^balance_clusters .*None"),
    ({"max_iter": -2}, r"^max_iter .*-2"),
    ({"max_iter": 10.0}, r"^max_iter .*10\.0"),
    ({"random_state": -1}, r"^random_state .*-1"),
    ({"random_state": "a"}, r"^random_state .*'a'"),
    ({"n_jobs": 0}, r"^n_jobs .*0"),
    ({"n_jobs": 1.5}, r"^n_jobs .*1\.5"),
    ({"class_weight": "balance"}, r"^class_weight .*'balanced' or a dict.*'balance'"),
    ({"class_weight": {0: -1}}, r"^class_weight\[0\] .*>= 0, got -1"),
    ({"class_weight": {0: np.nan}}, r"^class_weight\[0\] .*nan"),
    ({"class_weight": {"a": 1}}, r"^class_weight .*'a'"),
    ({"class_weight": {0: 0.0}}, r"class"),
    ({"sample_weight": -np.ones(20)}, r"^sample_weight .*row 0"),
    ({"sample_weight": np.where(np.arange(20) == 3, np.nan, 1.0)}, r"^sample_weight .*row 3"),
    ({"sample_weight": np.ones(19)}, r"^sample_weight .*\(20,\).*\(19,\)"),
    ({"sample_weight": Y.astype(float)}, r"class"),
    ({"sample_weight": np.zeros(20)}, r"class|weight"),
    ({"warm_start_alpha": np.zeros(19)}, r"^warm_start_alpha .*\(20,\).*\(19,\)"),
    ({"warm_start_alpha": np.full(20, np.nan)}, r"^warm_start_alpha .*nan"),
    ({"warm_start_alpha": np.full(20, -0.5)}, r"^warm_start_alpha "),
    ({"warm_start_alpha": np.full(20, 1.5)}, r"^warm_start_alpha "),
    ({"warm_start_alpha": np.where(Y == 1, 0.5, 0.25)}, r"^warm_start_alpha "),
    ({"callback": 3}, r"^callback .*3"),
    ({"verbose": 2}, r"^verbose .*2"),
    ({"kernel": "precomputed"}, r"square|20"),
]


@pytest.mark.parametrize(
    ("params", "message"), BAD_PARAMETERS, ids=[f"{next(reversed(p))}-{i}" for i, (p, _) in enumerate(BAD_PARAMETERS)]
)
def test_bad_parameter(params, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.train(X, Y, **params)


BAD_TARGETS = [
    (np.where(np.arange(20) == 3, np.nan, 1.0), r"^y has NaN at row 3$"),
    (np.where(np.arange(20) == 4, -np.inf, 1.0), r"^y has .*infinity at row 4$"),
    (np.ones(19), r"^y must have shape \(20,\)"),
    (np.ones((20, 2)), r"^y must have shape \(20,\)"),
    (["a"] * 20, r"^y holds text \('a' at row 0\)"),
    (None, r"^y is missing: formulation='(epsilon|nu)_svr'"),
]


@pytest.mark.parametrize("formulation", ["epsilon_svr", "nu_svr"])
@pytest.mark.parametrize(("y", "message"), BAD_TARGETS, ids=range(len(BAD_TARGETS)))
def test_bad_targets(y, message, formulation):
    with pytest.raises(ValueError, match=message):
        dcsvm.train(X, y, formulation=formulation)


@pytest.mark.parametrize("formulation", ["c_svc", "nu_svc"])
def test_classifiers_need_two_classes(formulation):
    with pytest.raises(ValueError, match=r"one class only \(1\)"):
        dcsvm.train(X, np.ones(20), formulation=formulation)
    with pytest.raises(ValueError, match=r"^y is missing"):
        dcsvm.train(X, formulation=formulation)


def test_one_value_and_no_labels_are_enough_elsewhere():
    for formulation in ("epsilon_svr", "nu_svr"):  # a constant is fitted by the bias
        model = dcsvm.train(X, np.full(20, 3.0), formulation=formulation)
        np.testing.assert_allclose(model.predict(X), 3.0, atol=0.11)
    assert set(dcsvm.train(X, formulation="one_class").predict(X)) <= {-1, 1}
    assert len(dcsvm.train(X[:1], formulation="one_class").support_) == 1


@pytest.mark.parametrize(
    ("name", "near"), [("gama", "gamma"), ("c", "C"), ("random_seed", "random_state"), ("cachesize", "cache_size")]
)
def test_unknown_parameter_names_the_nearest(name, near):
    with pytest.raises(TypeError, match=rf"{name!r} \(did you mean {near!r}\?\)"):
        dcsvm.train(X, Y, **{name: 1})


BAD_DATA = [
    (with_value(np.nan), r"NaN at row 7, column 1"),
    (with_value(np.inf), r"infinity at row 7, column 1"),
    (np.asfortranarray(with_value(-np.inf, 19, 2)), r"infinity at row 19, column 2"),
    (with_value(np.nan).astype(np.float32), r"row 7, column 1"),
    (sp.csr_matrix(with_value(np.nan)), r"NaN at row 7, column 1"),
    (X[0], r"2 dimensions.*\(3,\).*reshape"),
    (X[None], r"2 dimensions.*\(1, 20, 3\)"),
    (np.zeros((0, 3)), r"X is empty: 0 rows"),
    (np.zeros((20, 0)), r"X is empty: 20 rows, 0 columns"),
    ([], r"X must have 2 dimensions"),
    ([[1, 2], [3]], r"X cannot be made an array"),
    ([["a", "b"]], r"X must hold numbers"),
    (np.array([["x", 1]], dtype=object), r"X must hold numbers"),
    (X.astype(complex), r"X must be real.*complex128"),
    (sp.csr_matrix(X.astype(complex)), r"X must be real.*complex128"),
    (np.ma.masked_array(X, X > 1), r"X has masked entries"),
    (None, r"X must have 2 dimensions"),
    (np.zeros((20, 3), dtype="datetime64[s]"), r"X must hold numbers, got dtype datetime64"),
]


@pytest.mark.parametrize(("x", "message"), BAD_DATA, ids=range(len(BAD_DATA)))
def test_bad_data(x, message):
    n = x.shape[0] if hasattr(x, "shape") else 20
    with pytest.raises(ValueError, match=message):
        dcsvm.train(x, np.arange(n) % 2)


def csr(indices, indptr, data=None, shape=(2, 3)):
    """scipy's constructor would look closer; this is what a user can build by hand."""
    data = np.ones(len(indices)) if data is None else data
    m = sp.csr_matrix(shape)
    m.data, m.indices, m.indptr = np.asarray(data, float), np.asarray(indices, np.int32), np.asarray(indptr, np.int32)
    return m


def own_csr(*arrays):
    m = csr(*arrays)
    return dcsvm.CsrMatrix(m.data, m.indices, m.indptr, m.shape)


BAD_CSR = [
    # scipy's are sorted (test_sparse_rows.py).
    (own_csr([0, 2, 1, 0], [0, 1, 4]), r"row 1 .*unsorted columns: 1 after 2; sort each row by columns"),
    (own_csr([0, 1, 1], [0, 1, 3]), r"row 1 .*duplicate column 1: give each column of a row once, with the sum"),
    (csr([2, 1, 3], [0, 1, 3]), r"row 1 .*3.*out of range"),
    (csr([2, 1, 0], [0, 10**9, 3]), r"indptr decreases"),
    (csr([2, 1, 0], [0, 3, -1]), r"indptr decreases"),
    (csr([0, 3], [0, 1, 2]), r"row 1 .*3.*out of range"),
    (csr([0, -1], [0, 1, 2]), r"row 1 .*-1"),
    (csr([0, 1], [0, 1, 5]), r"indptr ends at 5 but X holds 2"),
    (csr([0, 1], [0, 2, 1]), r"indptr decreases"),
    (csr([0, 1], [1, 1, 2]), r"indptr must start"),
    (csr([0, 1], [0, 1]), r"indptr has 2 entries, expected 3"),
    (csr([0, 1], [0, 1, 2], data=[1.0]), r"indptr ends at 2 but X holds 1"),
]


@pytest.mark.parametrize(("x", "message"), BAD_CSR, ids=range(len(BAD_CSR)))
def test_bad_csr(x, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        dcsvm.train(x, [0, 1])
    model = dcsvm.train(X, Y)
    with pytest.raises(ValueError, match=message):
        model.predict(x)


BAD_LABELS = [
    (np.zeros(20), r"one class"),
    (np.where(np.arange(20) == 4, np.nan, Y), r"y has NaN at row 4"),
    (np.where(np.arange(20) == 4, np.inf, Y), r"y has infinity at row 4"),
    (Y[:19], r"y must have shape \(20,\).*\(19,\)"),
    (np.stack([Y, Y], axis=1), r"y must have shape"),
    (np.array([b"a", b"b"])[Y], r"y holds text.*numpy\.unique"),
    (np.array(["a", 1.5], dtype=object)[Y], r"y (holds text|must hold numbers)"),
    (Y + 2**60, r"2\*\*53"),
    (Y + 1j, r"y must be real"),
    (None, r"^y is missing"),
]


@pytest.mark.parametrize(("y", "message"), BAD_LABELS, ids=range(len(BAD_LABELS)))
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.train(X, y)


@pytest.mark.parametrize("size", [1e12, 1e300])
def test_a_cache_larger_than_any_memory_is_a_cap_like_others(size):
    for params in ({}, {"solver": "dc"}, {"early_level": 1}):
        expected = dcsvm.train(X, Y, cache_size=100, **params)
        model = dcsvm.train(X, Y, cache_size=size, **params)
        np.testing.assert_array_equal(model.alpha, expected.alpha)
        assert model.report.peak_cache_bytes < 100 * 2**20


def test_cache_too_small_is_a_memory_error():
    x, y = dcsvm.datasets.make_twonorm(20000)
    with pytest.raises(MemoryError, match="cache_size"):
        dcsvm.train(x, y, cache_size=0.01)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (X[:, :2], r"X has 2 .*3"),
        (np.ones((4, 4)), r"X has 4 .*3"),
        (with_value(np.nan), r"NaN at row 7, column 1"),
        (X[0], r"2 dimensions"),
        (sp.csr_matrix(X[:, :2]), r"X has 2 .*3"),
        ([["a", "b", "c"]], r"X must hold numbers"),
    ],
)
def test_bad_prediction_input(x, message):
    model = dcsvm.train(X, Y)
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=message):
            method(x)


def test_nothing_to_predict():
    model = dcsvm.train(X, Y)
    with pytest.raises(ValueError, match="empty"):
        model.predict(np.empty((0, 3)))


def test_too_many_clusters_for_the_data():
    with pytest.raises(ValueError, match=r"n_levels|branching|early_level"):
        dcsvm.train(X, Y, solver="dc", n_levels=30, branching=10, early_level=30)


@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sp.csr_matrix, np.float32])
def test_a_precomputed_kernel_is_symmetric(convert):
    k = X @ X.T
    dcsvm.train(convert(k), Y, kernel="precomputed")
    k[3, 11] += 1
    with pytest.raises(ValueError, match=r"symmetric.*row 3, column 11 .*row 11, column 3"):
        dcsvm.train(convert(k), Y, kernel="precomputed")


def test_model_is_not_built_by_hand():
    with pytest.raises(TypeError, match=r"dcsvm\.train"):
        dcsvm.Model(None)


@pytest.mark.parametrize("train", ["train", "train_low_rank", "train_ls_svm", "train_dc_pred", "train_ldkl"])
@pytest.mark.parametrize("whole", [False, True])
def test_targets_of_a_regression_are_no_labels(train, whole):
    rng = np.random.default_rng(0)
    n = 500
    targets = rng.permutation(10 * n)[:n] + (0 if whole else 0.5)
    with pytest.raises(ValueError, match=r"^y has 500 different values in 500 rows.*epsilon_svr"):
        getattr(dcsvm, train)(rng.normal(size=(n, 2)), targets)


def test_many_classes_and_few_rows_are_labels():
    rng = np.random.default_rng(0)
    assert len(dcsvm.train(rng.normal(size=(25, 2)), np.arange(25) / 10).classes_) == 25
    assert len(dcsvm.train(rng.normal(size=(120, 2)), np.arange(120) // 2 / 10).classes_) == 60


def test_estimators_and_the_command_refuse_targets_of_a_regression(tmp_path, capsys):
    from dcsvm._command import cli

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(500, 2)), rng.permutation(5000)[:500].astype(float)
    dcsvm.save_svmlight(tmp_path / "rows", x, y)
    assert cli.main(["train", str(tmp_path / "rows"), str(tmp_path / "model")]) == 1
    assert "epsilon_svr" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()
    dcsvm.train(x, y, formulation="epsilon_svr")


@pytest.mark.parametrize("name", CLASS_OF)
def test_models_are_not_made_by_their_class(name):
    for given in ((), (3,)):
        with pytest.raises(TypeError, match=rf"an? {name} comes from dcsvm\.train.*, dcsvm\.load_model or {name}\.from_bytes"):
            getattr(dcsvm, name)(*given)
