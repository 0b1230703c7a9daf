"""Every kernel against its definition: values, trainings, files, families, and data that it is not for."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel

import dcsvm
from dcsvm import _core
from dcsvm._bench import quality
from dcsvm._input.kernels import KERNELS
from dcsvm._input.parameters import fill

OWN = [name for name, kernel in KERNELS.items() if not kernel["in_libsvm"]]  # scikit-learn's SVC has none of them
GAMMA = {"exponential": 0.3, "matern32": 0.4, "matern52": 0.4, "laplacian": 0.1, "chi2": 0.5}


def chi2(X, Z):
    total = np.zeros((len(X), len(Z)))
    for x, z in zip(X.T, Z.T, strict=True):
        both = x[:, None] + z[None]
        total += np.divide((x[:, None] - z[None]) ** 2, both, out=np.zeros_like(both), where=both > 0)
    return total


def twin(kernel, X, Z):
    """K by its definition, in float64."""
    g, r = GAMMA.get(kernel, 1.0), cdist(X, Z)
    if kernel == "tanimoto":
        inner = X @ Z.T
        either = (X * X).sum(axis=1)[:, None] + (Z * Z).sum(axis=1)[None] - inner
        return np.where(either == 0, 1, inner / np.where(either == 0, 1, either))
    a3, a5 = np.sqrt(3) * g * r, np.sqrt(5) * g * r
    return {
        "exponential": lambda: np.exp(-g * r),
        "matern32": lambda: (1 + a3) * np.exp(-a3),
        "matern52": lambda: (1 + a5 + a5**2 / 3) * np.exp(-a5),
        "laplacian": lambda: np.exp(-g * cdist(X, Z, "cityblock")),
        "chi2": lambda: np.exp(-g * chi2(X, Z)),
    }[kernel]()


def data(n, d, zeros=0.0, seed=0):
    """Features >= 0, some rows twice and nearly twice, and a row of zeros."""
    rng = np.random.default_rng(seed)
    X = np.abs(rng.standard_normal((n, d)))
    X[rng.random((n, d)) < zeros] = 0
    X[3] = X[5]
    X[7] = X[5] * (1 + 1e-4)
    X[9] = 0
    return X.astype(np.float32).astype(np.float64)


def problem(n=300, d=6, seed=0):
    X = data(n, d, seed=seed)
    return X, np.where(np.sin(3 * X[:, 0]) + X[:, 1] > 1, "yes", "no")


def values(kernel, X, Z, precision):
    params = {"kernel": kernel, "gamma": GAMMA.get(kernel, 1.0), "precision": precision, "random_state": 0, "n_jobs": 1}
    return np.asarray(_core.kernel_values(X, Z, fill(_core.TrainParams(), params)))


@pytest.mark.parametrize("kernel", OWN)
@pytest.mark.parametrize("storage", ["float64", "float32", "fortran", "csr", "wide csr"])
def test_values(kernel, storage):
    for n, d, zeros in ((40, 3, 0), (60, 90, 0.85), (30, 700, 0.9)) if storage != "wide csr" else ((30, 25000, 0.999),):
        X = data(n, d, zeros)
        given = {"float64": X, "float32": X.astype(np.float32), "fortran": np.asfortranarray(X)}.get(storage)
        given = sp.csr_matrix(X) if given is None else given
        expected = twin(kernel, X, X)
        np.testing.assert_allclose(values(kernel, given, given, "double"), expected, rtol=1e-7, atol=1e-7)
        if kernel == "exponential" and "csr" in storage and d > 512:
            continue  # float has too few digits, and no training takes it
        np.testing.assert_allclose(values(kernel, given, given, "single"), expected, atol=2e-6 * (1 + np.sqrt(d)))
        assert np.all(np.diag(values(kernel, given, given, "single")) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("isa", dcsvm.build_config()["isa_built"])
def test_values_of_every_instruction_set(isa):
    built = list(dcsvm.build_config()["isa_built"])
    if built.index(isa) > built.index(dcsvm.build_config()["isa"]):
        pytest.skip(f"this CPU has no {isa}")
    code = (
        "from test_kernels import *\n"
        "for kernel in OWN:\n"
        "    for storage in ('float32', 'csr'): test_values(kernel, storage)\n"
        "print(dcsvm.build_config()['isa'])"
    )
    environment = {**os.environ, "DCSVM_FORCE_ISA": isa}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=os.path.dirname(__file__), capture_output=True, text=True, check=False
    )
    assert run.stdout.split() == [isa], run.stderr


def test_equal_to_scikit_learn():
    X = data(50, 8)
    np.testing.assert_allclose(values("laplacian", X, X, "double"), laplacian_kernel(X, gamma=0.1), rtol=1e-12)
    np.testing.assert_allclose(values("chi2", X, X, "double"), chi2_kernel(X, gamma=0.5), rtol=1e-12)
    y = X.sum(axis=1)
    for kernel, gamma in (("laplacian", None), ("laplacian", 0.3), ("chi2", 0.7)):
        ours = dcsvm.KernelRidge(kernel=kernel, gamma=gamma, alpha=0.1).fit(X, y)
        assert ours.model_.kernel == kernel
        theirs = KernelRidge(kernel=kernel, gamma=gamma, alpha=0.1).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)


@pytest.mark.parametrize("kernel", OWN)
def test_positive_definite(kernel):
    for zeros in (0.0, 0.7):
        X = np.unique(data(150, 5, zeros), axis=0)
        k = values(kernel, X, X, "double")
        assert np.linalg.eigvalsh(k)[0] > -1e-7


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", OWN)
def test_equal_to_precomputed(kernel, precision):
    """The five formulations, with a few solvers, against kernel='precomputed' of the twin's values."""
    X, y = problem()
    Z = data(50, 6, seed=1)
    K, k = twin(kernel, X, X), twin(kernel, Z, X)
    gamma = GAMMA.get(kernel, "scale")
    cases = [
        (dcsvm.SVC, {"C": 3}, y),
        (dcsvm.SVC, {"C": 3, "solver": "dc", "n_levels": 1, "branching": 3}, y),
        (dcsvm.NuSVC, {"nu": 0.3}, y),
        (dcsvm.SVR, {"C": 2}, X[:, 0] * X[:, 1]),
        (dcsvm.NuSVR, {"C": 2}, X[:, 0] * X[:, 1]),
        (dcsvm.OneClassSVM, {"nu": 0.2}, None),
    ]
    for estimator, params, target in cases:
        tight = {"tol": 1e-5, "precision": precision}
        own = estimator(kernel=kernel, gamma=gamma, **params, **tight).fit(X, target)
        plain = {name: v for name, v in params.items() if name not in ("solver", "n_levels", "branching")}
        other = estimator(kernel="precomputed", **plain, **tight).fit(K, target)
        np.testing.assert_allclose(own.report_.objective, other.report_.objective, rtol=1e-4)
        of_rows = own.decision_function(Z) if hasattr(own, "decision_function") else own.predict(Z)
        expected = other.decision_function(k) if hasattr(other, "decision_function") else other.predict(k)
        np.testing.assert_allclose(of_rows, expected, atol=1e-3)
        if target is y:
            b = np.zeros(len(X))
            b[own.support_] = own.dual_coef_[0]
            np.testing.assert_allclose(own.decision_function(X), K @ b + own.intercept_[0], atol=1e-4)


@pytest.mark.parametrize("kernel", OWN)
@pytest.mark.parametrize("sparse", [False, True])
def test_certificate(kernel, sparse):
    X, y = problem(500, 8, seed=2)
    given = sp.csr_matrix(np.where(X < 0.6, 0, X)) if sparse else X
    model = dcsvm.train(given, y, kernel=kernel, C=10, tol=1e-4, random_state=0)
    K = quality.kernel_matrix(given, {"kernel": kernel, "gamma": model.gamma})
    sign = np.where(y == model.classes_[0], 1.0, -1.0)
    alpha = np.asarray(model.alpha)
    judged = quality.judge_c_svc(sign, alpha, K @ (sign * alpha), np.full(len(y), 10.0), True)
    assert judged.violation <= 1e-4
    assert abs(judged.violation - model.report.violation) <= 1e-6
    np.testing.assert_allclose(judged.objective, model.report.objective, rtol=5e-6)


@pytest.mark.parametrize("kernel", OWN)
def test_file(kernel, tmp_path):
    X, y = problem()
    model = dcsvm.train(X, (y == "yes").astype(float), kernel=kernel)
    model.save(tmp_path / "own.model")
    again = dcsvm.load_model(tmp_path / "own.model")
    assert (again.kernel, again.gamma) == (kernel, model.gamma)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    with pytest.raises(ValueError, match=f"kernel {kernel}: LIBSVM has no such kernel"):
        model.save(tmp_path / "text.model", format="libsvm")
    assert not (tmp_path / "text.model").exists()


@pytest.mark.parametrize("kernel", OWN)
def test_families(kernel):
    """Each learns about as much as the exact SVM, judged by rows that it has not seen."""
    X, y = problem(700)
    seen, rest = slice(0, 400), slice(400, None)
    whole = dcsvm.SVC(kernel=kernel, C=3).fit(X[seen], y[seen]).score(X[rest], y[rest])
    families = [
        dcsvm.DCSVC(kernel=kernel, C=3, early_level=1, n_levels=1, branching=3, random_state=0),
        dcsvm.LowRankSVC(kernel=kernel, C=3, n_landmarks=200, random_state=0),
        dcsvm.LowRankSVC(kernel=kernel, C=3, n_landmarks=200, supervised=True, random_state=0),
        dcsvm.LSSVC(kernel=kernel, gamma_ls=1.0, n_iter=20000, random_state=0),
        dcsvm.OnlineSVC(kernel=kernel, C=3),
    ]
    if KERNELS[kernel]["gamma_of"] == "sum":
        with pytest.raises(ValueError, match=rf"kernel={kernel} is not for DC-Pred\+\+"):
            dcsvm.train_dc_pred(X, y, kernel=kernel)
        with pytest.raises(ValueError, match=rf"^The 'kernel' parameter of DCPredSVC must be .*'{kernel}'"):
            dcsvm.DCPredSVC(kernel=kernel).fit(X, y)
    else:
        families.append(dcsvm.DCPredSVC(kernel=kernel, C=3, n_leaves=1, n_landmarks=200, random_state=0))
    for estimator in families:
        assert estimator.fit(X[seen], y[seen]).score(X[rest], y[rest]) > whole - 0.08, estimator
    grid = dcsvm.cross_validate(X, y, kernel=kernel, C=[1, 10], cv=3, **({"gamma": [0.1, 0.5]} if kernel in GAMMA else {}))
    assert grid.best_score > 0.8
    found = dcsvm.tune(X, y, kernel=kernel, cv=3)
    assert found.best_score > 0.8


@pytest.mark.parametrize("kernel", OWN)
def test_gamma_scale(kernel):
    """By its definition, and so that the unit of X changes nothing."""
    X, y = problem()
    d, spread = X.shape[1], X.std()
    expected = {"length": 1 / (np.sqrt(d) * spread), "sum": 1 / (d * spread)}.get(KERNELS[kernel]["gamma_of"], 0)
    one, other = dcsvm.train(X, y, kernel=kernel), dcsvm.train(1024 * X, y, kernel=kernel)
    if expected:
        np.testing.assert_allclose(one.gamma, expected)
        np.testing.assert_allclose(one.gamma / other.gamma, 1024)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(1024 * X), atol=2e-3)


def test_features_below_0():
    X, y = problem()
    X[150, 4] = -0.25
    said = "-0.25 at row 150, column 4: kernel=chi2 is for features >= 0"
    for given in (X, np.asfortranarray(X, dtype=np.float32), sp.csr_matrix(X)):
        with pytest.raises(ValueError, match=said):
            dcsvm.train(given, y, kernel="chi2")
    model = dcsvm.train(np.abs(X), y, kernel="chi2")
    with pytest.raises(ValueError, match=said):
        model.predict(X)
    with pytest.raises(ValueError, match=said):
        dcsvm.LowRankSVC(kernel="chi2").fit(X, y)
    with pytest.raises(ValueError, match=said):
        dcsvm.cross_validate(X, y, kernel="chi2", gamma=[0.1], C=[1.0])
    dcsvm.train(X, y, kernel="tanimoto")  # positive definite for all numbers


def test_tanimoto_of_bits():
    rng = np.random.default_rng(0)
    bits = (rng.random((200, 128)) < 0.1).astype(np.float32)
    bits[0] = 0
    both, either = bits @ bits.T, np.maximum(bits[:, None], bits[None]).sum(axis=2)
    expected = np.where(either == 0, 1, both / np.maximum(either, 1))
    for given in (bits, sp.csr_matrix(bits)):
        np.testing.assert_allclose(values("tanimoto", given, given, "single"), expected, atol=1e-7)


def test_tiny_and_huge_units():
    """Float has no squares of these: values are formed in double."""
    X, y = problem()
    for unit in (1e-25, 1e25):
        for kernel in OWN:
            model = dcsvm.train(unit * X, y, kernel=kernel)
            assert model.report.stop_reason == "converged"
            assert (model.predict(unit * X) == y).mean() > 0.8


def test_unknown_names():
    with pytest.raises(ValueError, match="laplacian"):
        dcsvm.train([[0.0], [1.0]], [0, 1], kernel="laplace")
