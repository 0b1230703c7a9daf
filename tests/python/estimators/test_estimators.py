"""The estimators against scikit-learn's: same names, defaults, numbers and errors. Its own tests run in test_sklearn_own.py."""

import dataclasses
import inspect
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

THEIRS = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"]
NAMES = [*THEIRS, "DCSVC", "RandSVC", "CascadeSVC", "OnlineSVC"]
rng = np.random.default_rng(0)
X = rng.standard_normal((150, 4))
LABELS = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.5 * rng.standard_normal(150), [-0.5, 0.5])]
NUMBERS = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(150)
Q = rng.standard_normal((40, 4))


def target(name):
    return LABELS if "SVC" in name else NUMBERS


def pair(name, **params):
    """Theirs and ours, solved far beyond the default tolerance."""
    params = {"tol": 1e-9, **params}
    return getattr(svm, name)(**params), getattr(dcsvm, name)(**params)


def output(model, X=Q):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def assert_same(theirs, ours, X=Q, atol=1e-6):
    np.testing.assert_allclose(output(ours, X), output(theirs, X), rtol=0, atol=atol)
    if hasattr(theirs, "classes_"):
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        values = theirs.set_params(decision_function_shape="ovo").decision_function(X).reshape(len(X), -1)
        clear = np.abs(values).min(axis=1) > 1e-4
        np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])


@pytest.mark.filterwarnings("ignore:specified nu is infeasible")  # the checks' data are
@pytest.mark.filterwarnings("ignore:the margin r")  # and some without a margin
@pytest.mark.parametrize(
    ("name", "params"), [*((name, {}) for name in NAMES), ("SVC", {"kernel": "precomputed"}), ("SVR", {"kernel": "precomputed"})]
)
def test_check_estimator(name, params):
    results = check_estimator(getattr(dcsvm, name)(**params), on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"] == []
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}  # SCIPY_ARRAY_API is off
    assert not any(r["expected_to_fail"] for r in results)


@pytest.mark.parametrize("name", THEIRS)
def test_parameters_and_defaults_are_theirs_and_keyword_only(name):
    theirs = inspect.signature(getattr(svm, name)).parameters
    ours = inspect.signature(getattr(dcsvm, name)).parameters
    assert all(p.kind is p.KEYWORD_ONLY for p in ours.values())
    assert {n: ours[n].default for n in theirs} == {n: p.default for n, p in theirs.items()}


@pytest.mark.parametrize("name", THEIRS)
def test_our_parameters(name):
    theirs = inspect.signature(getattr(svm, name)).parameters
    ours = inspect.signature(getattr(dcsvm, name)).parameters
    assert set(ours) - set(theirs) <= {*inspect.signature(dcsvm.train).parameters, "warm_start"}, "other names than train has"
    assert ours["callback"].default is None
    assert not ours["warm_start"].default
    assert ours["solver"].default == "auto"
    if "early_level" in ours:
        assert ours["early_level"].default is None, "exact unless asked"


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_and_attribute_is_documented_and_validated(name):
    cls = getattr(dcsvm, name)
    names = list(inspect.signature(cls).parameters)
    assert set(cls._parameter_constraints) == set(names)
    parameters, attributes = inspect.getdoc(cls).split("Attributes\n")
    assert [line.split(" : ")[0].strip() for line in parameters.splitlines() if " : " in line] == names
    fitted = cls(kernel="linear").fit(X, target(name))
    public = {n for n in dir(fitted) if n.endswith("_") and not n.startswith("_")} - {"probA_", "probB_"}
    assert {n for n in public if f"\n{n} : " not in attributes} == set()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", THEIRS)
def test_attributes_are_theirs(name, sparse):
    data = sp.csr_matrix(X) if sparse else X
    params = {"kernel": "linear"} if name in {"SVC", "SVR"} else {"gamma": 0.1}
    theirs, ours = (m.fit(data, target(name)) for m in pair(name, **params))
    attributes = {a for a in dir(theirs) if a.endswith("_") and not a.startswith("_")} - {"probA_", "probB_"}
    for attribute in {a for a in attributes if hasattr(theirs, a)}:
        a, b = getattr(theirs, attribute), getattr(ours, attribute)
        if attribute == "n_iter_":
            assert type(a) is type(b)
            assert np.shape(a) == np.shape(b)
            assert np.asarray(a).dtype.kind == np.asarray(b).dtype.kind
            continue
        assert sp.issparse(a) == sp.issparse(b), attribute
        if sp.issparse(a):
            a, b = a.toarray(), b.toarray()
        assert np.asarray(a).dtype == np.asarray(b).dtype, attribute
        if np.asarray(a).dtype.kind == "f":
            atol = 1e-5 if name in {"SVC", "SVR"} else 1e-3  # their kernel values are float32
            np.testing.assert_allclose(b, a, rtol=0, atol=atol, err_msg=attribute)
        else:
            np.testing.assert_array_equal(b, a, err_msg=attribute)
    methods = {n for n in dir(type(theirs)) if not n.startswith("_")} - {"unused_param"}
    assert {n for n in methods if not hasattr(type(ours), n)} == set()


# Solutions that are unique: under a linear kernel the margin of a nu problem need not be, and sigmoid is no kernel for all data.
UNIQUE = [
    (name, kernel)
    for name in THEIRS
    for kernel in ("linear", "poly", "rbf", "sigmoid")
    if name in {"SVC", "SVR"} or kernel in {"poly", "rbf"}
]


@pytest.mark.parametrize(("name", "kernel"), UNIQUE)
def test_same_numbers(name, kernel):
    params = {"kernel": kernel, "gamma": 0.1, "coef0": 0.5}
    theirs, ours = (m.fit(X, target(name)) for m in pair(name, **params))
    assert_same(theirs, ours, atol=1e-5)


@pytest.mark.parametrize("name", THEIRS)
def test_same_numbers_with_weights(name):
    weights = rng.uniform(0.5, 2, 150) * (rng.random(150) > 0.2)
    params = {"nu": 0.3} if name == "NuSVC" else {}
    theirs, ours = (m.fit(X, target(name), sample_weight=weights) for m in pair(name, **params))
    assert_same(theirs, ours)


@pytest.mark.parametrize("class_weight", ["balanced", {"low": 5, "high": 0.5}])
def test_same_numbers_with_class_weights(class_weight):
    theirs, ours = (m.fit(X, LABELS) for m in pair("SVC", class_weight=class_weight))
    assert_same(theirs, ours)
    np.testing.assert_array_equal(theirs.class_weight_, ours.class_weight_)


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, sp.coo_array, sp.csc_matrix])
@pytest.mark.parametrize("name", NAMES)
def test_sparse_is_dense(name, container):
    data = np.where(np.abs(X) > 0.7, X, 0)
    seed = {"random_state": 0} if name == "CascadeSVC" else {}  # which deals the rows
    dense = getattr(dcsvm, name)(**seed).fit(data, target(name))
    sparse = getattr(dcsvm, name)(**seed).fit(container(data), target(name))
    np.testing.assert_allclose(output(sparse, container(data)), output(dense, data), atol=1e-8)
    # Of equal rows any may be the support vector.
    np.testing.assert_allclose(*(np.unique(sv, axis=0) for sv in (sparse.support_vectors_.toarray(), dense.support_vectors_)))
    with pytest.raises(ValueError, match=f"cannot use sparse input in '{name}' trained on dense data"):
        dense.predict(container(data))


def test_unsorted_and_duplicate_columns_leave_the_callers_matrix_alone():
    data = sp.csr_matrix((np.array([1.0, 2, 3, 1, 1, 5]), np.array([2, 0, 1, 1, 3, 0]), np.array([0, 2, 4, 6])), shape=(3, 4))
    before = data.indices.copy()
    model = dcsvm.SVC(kernel="linear").fit(data, [0, 1, 1])
    np.testing.assert_array_equal(data.indices, before)
    np.testing.assert_allclose(
        model.decision_function(data), dcsvm.SVC(kernel="linear").fit(data.toarray(), [0, 1, 1]).decision_function(data.toarray())
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name != "OnlineSVC"])  # which copies the rows that it keeps
def test_float32_is_used_where_it_lies(name, monkeypatch):
    from dcsvm.estimators import _svm

    seen = []
    real = _svm.solve
    monkeypatch.setattr(_svm, "solve", lambda data, *a, **k: seen.append(data) or real(data, *a, **k))
    data = np.asfortranarray(X, dtype=np.float32)
    model = getattr(dcsvm, name)().fit(data, target(name))
    assert seen[0] is data or np.shares_memory(seen[0], data)
    assert model.support_vectors_.dtype == np.float32
    np.testing.assert_array_equal(model.support_vectors_, data[model.support_])
    assert not model.support_vectors_.flags.writeable
    np.testing.assert_allclose(output(model), output(getattr(dcsvm, name)().fit(data.astype(float), target(name))), atol=1e-4)


def test_a_subset_of_the_rows_predicts_the_same():
    for name in NAMES:
        model = getattr(dcsvm, name)().fit(X, target(name))
        whole = output(model, X)
        np.testing.assert_allclose(np.concatenate([output(model, X[i : i + 7]) for i in range(0, 150, 7)]), whole, atol=1e-12)


@pytest.mark.parametrize("how", ["replaced", "in place"])
@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM"])
def test_changed_coefficients_are_used(name, how):
    model = getattr(dcsvm, name)(kernel="linear").fit(X, (LABELS == "low") if name == "SVC" else NUMBERS)
    before = output(model)
    if how == "replaced":
        model._dual_coef_ = 3 * model._dual_coef_
        model._intercept_ = 3 * model._intercept_ + 1
    else:
        model._dual_coef_ *= 3
        model._intercept_ *= 3
        model._intercept_ += 1
    sign = -1 if name == "SVC" else 1
    np.testing.assert_allclose(output(model), 3 * before + sign, atol=1e-9)
    model._dual_coef_ = np.ones((1, 3))
    with pytest.raises(ValueError, match="sv_coef must have"):
        model.predict(X)


def test_a_class_without_weight_is_as_if_it_were_not_there():
    weights = np.where(LABELS == "middle", 0.0, 1.5)
    left = weights > 0
    model = dcsvm.SVC(gamma=0.3).fit(X, LABELS, sample_weight=weights)
    without = dcsvm.SVC(gamma=0.3).fit(X[left], LABELS[left], sample_weight=weights[left])
    np.testing.assert_array_equal(model.classes_, ["high", "low"])
    np.testing.assert_allclose(model.decision_function(Q), without.decision_function(Q), atol=1e-9)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(left)[without.support_])


def test_scale_sees_repeated_rows_and_nothing_else_of_weights():
    whole, other = rng.integers(0, 4, 150), rng.uniform(0.5, 2, 150)
    for data in (X, sp.csr_array(X)):
        repeated = dcsvm.SVC().fit(np.repeat(X, whole, axis=0), np.repeat(LABELS, whole))
        assert dcsvm.SVC().fit(data, LABELS, sample_weight=whole)._gamma == pytest.approx(repeated._gamma, rel=1e-12)
        assert dcsvm.SVC().fit(data, LABELS, sample_weight=other)._gamma == pytest.approx(1 / (4 * X.var()), rel=1e-12)


def test_gamma_0_and_infinite_c():
    theirs, ours = (m.fit(X, NUMBERS > 0) for m in pair("SVC", gamma=0.0))
    assert ours._gamma == theirs._gamma == 0
    np.testing.assert_allclose(ours.decision_function(Q), theirs.decision_function(Q), atol=1e-6)
    assert dcsvm.SVC(C=np.inf, kernel="linear").fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) == 1


def test_nu_svc_with_class_weights_is_the_svc_of_its_c():
    y = NUMBERS > 0
    weights = {False: 3.0, True: 0.5}
    C = 1 / dcsvm.NuSVC(nu=0.4).fit(X, y).report_.problems[0]["r"]
    plain = dcsvm.SVC(C=C, class_weight=weights).fit(X, y)
    weighted = dcsvm.NuSVC(nu=0.4, class_weight=weights).fit(X, y)
    np.testing.assert_allclose(weighted.decision_function(Q), plain.decision_function(Q), atol=1e-7)


def test_rows_on_the_border_are_inside():
    model = dcsvm.OneClassSVM(nu=0.2).fit(X)
    free = model.support_[(model.dual_coef_[0] < 1 - 1e-9)]
    assert len(free)
    assert (model.predict(X[free]) == 1).all()
    assert (model.predict(X) == -1).mean() <= 0.2
    np.testing.assert_array_equal(model.predict(X) == 1, model.decision_function(X) > 0)


def test_break_ties():
    model = dcsvm.SVC(gamma=0.1, break_ties=True).fit(X, LABELS)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(1)])
    with pytest.raises(ValueError, match="break_ties must be False"):
        model.set_params(decision_function_shape="ovo").predict(X)


@pytest.mark.parametrize("name", NAMES)
def test_the_warning_names_the_limit_that_a_default_stands_for(name):
    """Its 10^7 steps take too long for a test: the report of a training that took them is made up."""
    model = getattr(dcsvm, name)(kernel="linear").fit(X, target(name))
    assert model.max_iter == -1
    problems = [{"stop_reason": "converged", "n_iter": 20_000_000}, {"stop_reason": "max_iter", "n_iter": 10_000_007}]
    report = dataclasses.replace(model.report_, stop_reason="max_iter", problems=problems, violation=1.0)
    model._model = SimpleNamespace(report=report)
    model.fit_status_ = 1
    with pytest.warns(ConvergenceWarning) as caught:
        model._warn_unless_converged()
    said = str(caught[0].message)
    assert said.startswith("Solver terminated early (max_iter=-1, whose limit was met after 10,000,007 steps).  Consider")
    assert said.endswith("Or raise max_iter, or lower C." if hasattr(model, "C") else "Or raise max_iter.")


@pytest.mark.parametrize("name", NAMES)
def test_max_iter(name):
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=2\).  Consider pre-processing your data"):
        model = getattr(dcsvm, name)(max_iter=2, kernel="linear").fit(X, target(name))
    assert model.fit_status_ == 1
    if name == "CascadeSVC":  # the limit is that of each problem in the cascade
        assert np.all(np.asarray(model.n_iter_) >= 2)
    else:
        assert np.all(np.asarray(model.n_iter_) <= 2)
        assert np.any(np.asarray(model.n_iter_) == 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.set_params(max_iter=-1).fit(X, target(name)).fit_status_ == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "OnlineSVC"])  # later rows have no kernel values
def test_callable_kernels(name):
    def linear(a, b):
        return np.asarray(a) @ np.asarray(b).T

    # What a callable returns may have other digits in another call: BLAS looks at addresses.
    called, builtin = (getattr(dcsvm, name)(kernel=k, tol=1e-9).fit(X.tolist(), target(name)) for k in (linear, "linear"))
    np.testing.assert_allclose(output(called, Q.tolist()), output(builtin), atol=1e-6)
    # not support_: of a linear kernel in four dimensions the coefficients are not unique
    np.testing.assert_allclose(called.report_.objective, builtin.report_.objective, rtol=1e-7, atol=1e-9)
    assert called.support_vectors_.shape == (0, 0)
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = called.coef_
