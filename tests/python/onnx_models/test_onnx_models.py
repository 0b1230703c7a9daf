"""to_onnx of native models, run by onnxruntime: labels, decision values and probabilities are those of their own methods."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from _onnx_graphs import agrees, blobs, error, run, wave  # noqa: E402
from dcsvm._graphs.kernels import FORMS  # noqa: E402
from dcsvm._input import kernels  # noqa: E402
from dcsvm._model_file.fields import ModelFile, expansions, leaves  # noqa: E402

KERNELS = {
    "linear": {},
    "poly": {"degree": 3, "gamma": 0.2, "coef0": 1.0},
    "rbf": {"gamma": 0.3},
    "sigmoid": {"gamma": 0.05, "coef0": -0.1},
}


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("kernel", KERNELS)
def test_classes_by_every_kernel(kernel, k):
    X, y = blobs(600, 6, k)
    model = dcsvm.train(X, y, C=1, kernel=kernel, precision="double", **KERNELS[kernel])
    queries, _ = blobs(500, 6, k, seed=1)
    agrees(model, queries)


@pytest.mark.parametrize("kernel", ["exponential", "matern32", "matern52", "tanimoto"])
def test_kernels_that_libsvm_has_not(kernel):
    X, y = blobs(400, 6, 3)
    model = dcsvm.train(X, y, kernel=kernel, precision="double")
    agrees(model, blobs(500, 6, 3, seed=1)[0], single=1e-4)
    agrees(model, X, single=1e-2 if kernel == "exponential" else 1e-4, double=1e-6)  # a root of a cancelled difference
    with pytest.raises(ValueError, match=f"kernel='{kernel}'.*op='plain'"):
        model.to_onnx(op="ml")


def test_each_kernel_has_a_form_or_can_have_none():
    none = {"precomputed", *kernels.OF_SUMS}
    assert {*FORMS} == kernels.KERNELS.keys() - none, "FORMS of _graphs/kernels.py; a kernel that is missing there is refused"


@pytest.mark.parametrize("kernel", ["laplacian", "chi2"])
def test_kernels_without_a_form(kernel):
    X, y = blobs(100, 3, 2)
    model = dcsvm.train(abs(X), y, kernel=kernel)
    with pytest.raises(ValueError, match=f"to_onnx: kernel='{kernel}' has no form in ONNX"):
        model.to_onnx()


@pytest.mark.parametrize("features", [2, 20])
def test_narrow_kernels_and_data_far_from_zero(features):
    X, y = blobs(800, features, 2, far=1000.0)
    model = dcsvm.train(X, y, C=1, gamma=1.0 / features, precision="double")
    agrees(model, X[:300], double=1e-10)  # single: rows and shift are the same numbers in float32


def test_large_coefficients_of_narrow_kernels():
    X, y = dcsvm.datasets.make_checkerboard(3000, noise=0.05, random_state=0)
    X = X.astype(np.float32).astype(np.float64)
    model = dcsvm.train(X, y, C=30, gamma=4, precision="double")
    assert np.abs(model.dual_coef_).sum() > 10_000
    agrees(model, dcsvm.datasets.make_checkerboard(1000, random_state=1)[0].astype(np.float32).astype(np.float64))


@pytest.mark.parametrize("ridge", [True, False])
@pytest.mark.parametrize("size", [1.0, 100.0, 10_000.0])
def test_errors_follow_from_the_sizes_of_the_terms(size, ridge):
    """The bound that docs/guide/onnx.md gives: coefficients that cancel each other lose digits in any order of summation."""
    X, y = wave(400, 4)
    queries, _ = wave(300, 4, seed=1)
    how = {"gamma": 0.3, "precision": "double"}
    if ridge:
        model = dcsvm.train_ridge(X, y, alpha=1 / size, **how)
    else:
        model = dcsvm.train(X, y, formulation="epsilon_svr", epsilon=0.01, C=size, **how)
    expected = model.predict(queries)
    squares = ((queries[:, None, :] - np.asarray(model.support_vectors_)[None]) ** 2).sum(axis=2)
    terms = (np.exp(-0.3 * squares) @ np.abs(model.dual_coef_).T).max() / np.abs(expected).max()
    assert terms > 10
    assert error(run(model.to_onnx(), queries)["prediction"], expected) < 1.5e-7 * terms
    assert error(run(model.to_onnx(dtype="float64"), queries)["prediction"], expected) < 2e-15 * terms


@pytest.mark.data
@pytest.mark.parametrize(("name", "C", "gamma"), [("svmguide1", 32, 8), ("pendigits", 10, 2)])
def test_real_problems(real_data, name, C, gamma):
    data = real_data(f"{name}.npz")
    low, high = data["X_train"].min(axis=0), data["X_train"].max(axis=0)
    X, queries = (((data[part] - low) / (high - low)).astype(np.float32).astype(np.float64) for part in ("X_train", "X_test"))
    agrees(dcsvm.train(X, data["y_train"], C=C, gamma=gamma, precision="double"), queries)


def test_sparse_rows_and_their_linear_kernel():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    X, y = blobs(300, 12, 3)
    X[np.abs(X) < 1.5] = 0
    for kernel in ("linear", "rbf"):
        model = dcsvm.train(sparse.csr_matrix(X), y, kernel=kernel, gamma=0.1, precision="double")
        agrees(model, X)


def test_nu_svc_text_labels_and_labels_that_are_no_whole_numbers():
    X, y = blobs(300, 3, 3)
    agrees(dcsvm.train(X, np.array(["a", "bb", "ccc"])[y.astype(int)], gamma=0.3, precision="double"), X)
    agrees(dcsvm.train(X, y + 0.5, gamma=0.3, formulation="nu_svc", nu=0.6, precision="double"), X)


@pytest.mark.parametrize("formulation", ["epsilon_svr", "nu_svr", "one_class"])
def test_one_problem(formulation):
    X, y = wave(400, 3)
    model = dcsvm.train(X, None if formulation == "one_class" else y, formulation=formulation, gamma=0.5, precision="double")
    agrees(model, X)


def test_regression_without_support_vectors():
    X, _ = wave(50, 2)
    model = dcsvm.train(X, np.zeros(50), formulation="epsilon_svr", epsilon=0.5)
    assert len(model.support_) == 0
    assert np.array_equal(run(model.to_onnx(), X)["prediction"], model.predict(X))


def test_kernel_ridge():
    X, y = wave(300, 4)
    agrees(dcsvm.train_ridge(X, y, gamma=0.3, precision="double"), X)


# Probabilities


def test_probabilities_of_two_classes_are_the_sigmoid():
    X, y = blobs(400, 3, 2)
    model = dcsvm.train(X, y, gamma=0.3, probability=True, precision="double")
    agrees(model, X)
    assert np.abs(run(model.to_onnx(op="ml"), X)["probabilities"] - model.predict_proba(X)).max() < 3e-5


@pytest.mark.parametrize("k", [3, 5])
def test_probabilities_of_several_classes_are_coupled_in_a_loop(k):
    X, y = blobs(500, 3, k)
    model = dcsvm.train(X, y, gamma=0.3, probability=True, precision="double")
    agrees(model, X)
    for rows in (1, 0):  # a loop that ends at once
        found = run(model.to_onnx(), X[:rows])["probabilities"]
        assert np.allclose(found, model.predict_proba(X[:rows]) if rows else np.empty((0, k)), atol=1e-5)


def test_probabilities_of_one_class():
    X, _ = blobs(400, 2, 2)
    model = dcsvm.train(X, None, formulation="one_class", nu=0.3, probability=True, precision="double")
    assert model.calibration is not None
    agrees(model, X)


# Clusters


@pytest.mark.parametrize("clustering", ["kernel_kmeans", "kmeans"])
@pytest.mark.parametrize("how", ["early", "naive"])
@pytest.mark.parametrize("k", [2, 4])
def test_clustered_models(k, how, clustering):
    X, y = blobs(1500, 5, k)
    options = {"solver": "dc", "early_level": 1, "branching": 4, "clustering": clustering, "precision": "double"}
    model = dcsvm.train(X, y, gamma=0.2, prediction=how, **options)
    assert model.clustered
    agrees(model, blobs(700, 5, k, seed=3)[0])
    agrees(model, X[:1])


def test_clusters_that_lack_classes():
    random = np.random.default_rng(0)
    y = np.arange(1200) % 6
    X = np.array([[0, 0], [0, 3], [40, 0], [40, 3], [80, 0], [120, 0]], dtype=float)[y] + random.normal(size=(1200, 2))
    X = X.astype(np.float32).astype(float)
    model = dcsvm.train(X, y, gamma=0.05, solver="dc", early_level=1, branching=4, clustering="kmeans", precision="double")
    present = {len(e.classes) for e in expansions(ModelFile(model.to_bytes()))}
    assert min(present) < 6, present
    agrees(model, X)


@pytest.mark.parametrize("formulation", ["epsilon_svr", "one_class"])
def test_clustered_models_of_one_problem(formulation):
    X, y = wave(1500, 3)
    given = None if formulation == "one_class" else y
    model = dcsvm.train(X, given, formulation=formulation, gamma=0.5, solver="dc", early_level=1, precision="double")
    assert model.clustered
    agrees(model, X[:400])


# Other families


@pytest.mark.parametrize("features", ["nystrom", "rks", "fastfood"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_low_rank(features, k, multi_class):
    X, y = blobs(800, 5, k)
    model = dcsvm.train_low_rank(X, y, gamma=0.2, n_landmarks=80, features=features, multi_class=multi_class)
    agrees(model, X[:300], double=None)  # its own methods compute kernel values in float32
    if features == "nystrom":
        d2 = ((X[:300, None, :] - model.landmarks_[None]) ** 2).sum(axis=2)
        twin = np.exp(-model.gamma * d2) @ model.coef_.T + model.intercept_
        assert error(run(model.to_onnx(dtype="float64"), X[:300])["decision"], twin[:, 0] if twin.shape[1] == 1 else twin) < 1e-12


def test_supervised_low_rank():
    X, y = blobs(800, 5, 2)
    agrees(dcsvm.train_low_rank(X, y, gamma=0.2, n_landmarks=60, supervised=True, C=0.01), X, double=None, single=3e-5)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine_poly"])
def test_least_squares(kernel):
    X, y = blobs(400, 5, 3)
    X[7] = 0  # a row that has no norm 1
    agrees(dcsvm.train_ls_svm(X, y, kernel=kernel, gamma=0.3, gamma_ls=10, method="exact"), X)


def test_least_squares_regression_of_several_targets():
    X, y = wave(400, 3)
    agrees(dcsvm.train_ls_svm(X, np.stack([y, -2 * y], axis=1), gamma=0.5, regression=True, gamma_ls=10, method="exact"), X)


def _twin_of_dc_pred(model, X):
    """Decisions in double, leaf by leaf, off the model's file; and the largest sum of the sizes of their terms, relative to the
    largest decision."""
    file = ModelFile(model.to_bytes())
    head, tree, found = file["DPRD"], file["DPTR"], leaves(file)
    kernel, pseudo, d = head.kernel(), head.number("I"), head.number("q")
    head.array("f8")
    moved = X - head.array("f4")
    directions, thresholds, children = tree.array("f4").reshape(-1, d), tree.array("f4"), tree.array("i4")
    out, terms = [], 0.0
    for x in moved:
        at = 0 if len(thresholds) else -1
        while at >= 0:
            at = children[2 * at + int(directions[at].astype(float) @ x > thresholds[at])]
        leaf = found[~at]
        if leaf.m == 0:
            out.append(leaf.intercept.astype(float))
            continue
        u = leaf.landmarks.astype(float).reshape(leaf.m, d)
        distance = np.sqrt(((u - x) ** 2).sum(axis=1))
        gamma = float(leaf.gamma)
        values = np.exp(-gamma * distance**2) if kernel.type == "rbf" else (kernel.gamma * u @ x + kernel.coef0) ** kernel.degree
        if leaf.p and pseudo == 3:
            values = np.concatenate([values, values[leaf.pairs[::2]] * values[leaf.pairs[1::2]]])
        elif leaf.p:
            between = leaf.between.astype(float).reshape(leaf.m, leaf.p)
            bound = np.abs(between - distance[:, None]).max(axis=0) if pseudo == 1 else (between + distance[:, None]).min(axis=0)
            values = np.concatenate([values, np.exp(-gamma * bound**2)])
        coef = leaf.coef.astype(float).reshape(-1, leaf.m + leaf.p)
        out.append(coef @ values + leaf.intercept)
        terms = max(terms, (np.abs(coef) @ np.abs(values)).max())
    return np.array(out), terms / np.abs(out).max()


def own_in_float(terms):
    """Between a graph and a DC-Pred++ model's own methods, which sum coefficients of opposite signs in float32."""
    return max(6e-7 * terms, 1e-5)


@pytest.mark.parametrize("pseudo", ["none", "triangle", "triangle_upper", "polynomial"])
@pytest.mark.parametrize("k", [2, 3])
def test_dc_pred(k, pseudo):
    X, y = blobs(1500, 5, k)
    model = dcsvm.train_dc_pred(X, y, gamma=0.2, n_leaves=6, n_landmarks=6, n_pseudo=0 if pseudo == "none" else 5, pseudo=pseudo)
    queries, _ = blobs(400, 5, k, seed=2)
    twin, terms = _twin_of_dc_pred(model, queries)
    twin = -twin[:, 0] if k == 2 else twin
    assert error(run(model.to_onnx(dtype="float64"), queries)["decision"], twin) < 2e-15 * terms
    assert error(run(model.to_onnx(), queries)["decision"], twin) < 1.5e-7 * terms
    agrees(model, queries, single=own_in_float(terms), double=None)


def test_dc_pred_of_other_kernels_regression_and_one_leaf():
    X, y = blobs(600, 4, 2)
    exact = dcsvm.train(X, y, gamma=0.2)
    for model in (
        dcsvm.train_dc_pred(X, y, kernel="poly", degree=2, gamma=0.2, coef0=1.0, n_leaves=3),
        dcsvm.train_dc_pred(X, y, gamma=0.2, n_leaves=1),
        dcsvm.compress(exact, X, n_leaves=4),
        dcsvm.train_dc_pred_ridge(*wave(600, 4), gamma=0.3, n_leaves=4),
    ):
        twin, terms = _twin_of_dc_pred(model, X)
        twin = twin[:, 0] * (-1 if len(model.classes_) else 1)
        found = run(model.to_onnx(dtype="float64"), X)
        assert error(found["decision" if len(model.classes_) else "prediction"], twin) < 2e-15 * terms
        agrees(model, X, single=own_in_float(terms), double=None)


@pytest.mark.parametrize("solver", ["logistic", "squared_hinge", "crammer_singer", "svr_squared", "one_class"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("op", ["plain", "ml"])
def test_linear_models(solver, k, op):
    X, y = blobs(400, 6, k)
    options = {"nu": 0.4, "bias": -1} if solver == "one_class" else {"bias": 1}
    model = dcsvm.train_linear(X, None if solver == "one_class" else y, solver=solver, **options)
    agrees(model, X, op=op)


# The operators of ai.onnx.ml


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("k", [2, 4])
def test_ml_operators(kernel, k):
    X, y = blobs(300, 5, k)
    model = dcsvm.train(X, y, kernel=kernel, probability=True, precision="double", **KERNELS[kernel])
    graph = model.to_onnx(op="ml")
    assert {"SVMRegressor", "SVMClassifier"} & {node.op_type for node in graph.graph.node}
    agrees(model, X, op="ml", single=1e-4)  # they sum in float32, one after another
    plain = {node.domain for node in model.to_onnx().graph.node}
    assert plain == {""}


def test_ml_regression_and_one_class():
    X, y = wave(300, 3)
    agrees(dcsvm.train(X, y, formulation="epsilon_svr", precision="double"), X, op="ml", single=1e-4)
    agrees(dcsvm.train(X, None, formulation="one_class", precision="double"), X, op="ml", single=1e-4)


# What has no form, and files


def test_models_without_a_form_are_refused_by_name(tmp_path):
    X, y = blobs(1500, 3, 2)
    given = dcsvm.train(X[:60] @ X[:60].T, y[:60], kernel="precomputed")
    with pytest.raises(ValueError, match=r"kernel='precomputed'.*no form in ONNX"):
        given.to_onnx()
    clustered = dcsvm.train(X, y, solver="dc", early_level=1)
    clustered.to_onnx(tmp_path / "early.onnx")
    with pytest.raises(ValueError, match="op='ml' has no operator for a clustered model"):
        clustered.to_onnx(op="ml")
    model = dcsvm.train(X, y)
    with pytest.raises(ValueError, match="op='ml' has no operator for a LowRankModel"):
        dcsvm.train_low_rank(X, y, n_landmarks=20).to_onnx(op="ml")
    with pytest.raises(ValueError, match="op='ml' computes in float32"):
        model.to_onnx(op="ml", dtype="float64")
    with pytest.raises(ValueError, match="op must be"):
        model.to_onnx(op="plane")
    with pytest.raises(ValueError, match="dtype must be"):
        model.to_onnx(dtype="double")
    with pytest.raises(OSError, match="missing"):
        model.to_onnx(tmp_path / "missing" / "model.onnx")


def test_a_file_above_the_formats_two_gigabytes_is_refused_before_it_is_built(monkeypatch):
    X, y = blobs(400, 500, 2)
    model = dcsvm.train(X, y)
    monkeypatch.setattr("dcsvm._graphs.graph.LARGEST", 100_000)
    with pytest.raises(ValueError, match=r"a Model of \d+ vectors with 500 features each would be larger than 2 GB"):
        model.to_onnx()
    dcsvm.train(X, y, kernel="linear").to_onnx()  # its weights are one vector


def test_the_file_is_the_graph_and_a_loaded_model_gives_the_same(tmp_path):
    X, y = blobs(200, 3, 2)
    model = dcsvm.train(X, y)
    graph = model.to_onnx(tmp_path / "model.onnx")
    assert onnx.load(tmp_path / "model.onnx") == graph
    model.save(tmp_path / "model.dcsvm")
    assert dcsvm.load_model(tmp_path / "model.dcsvm").to_onnx() == graph
    assert graph.producer_name == "dcsvm"
    model.save(tmp_path / "model.txt", format="libsvm")
    assert error(run(dcsvm.load_model(tmp_path / "model.txt").to_onnx(), X)["decision"], model.decision_function(X)) < 1e-5


def test_every_kind_of_model_has_a_form():
    from dcsvm._graphs.decisions import KINDS
    from dcsvm._load_model import _CLASSES

    assert len(KINDS) == len(_CLASSES)
    for path in (Path(__file__).parents[2] / "golden").glob("*.dcsvm"):
        file = ModelFile(dcsvm.load_model(path).to_bytes())
        assert sum(tag in file for tag in KINDS) == 1, path


def test_a_kind_without_a_form_is_named(monkeypatch):
    from dcsvm._graphs.decisions import KINDS

    monkeypatch.delitem(KINDS, "LDKL")
    with pytest.raises(TypeError, match=r"to_onnx: a LDKLModel has no graph: .*KINDS of dcsvm/_graphs/decisions\.py"):
        dcsvm.train_ldkl(*blobs(60, 3, 2)).to_onnx()


def test_without_onnx_the_error_says_what_to_install():
    program = "import sys; sys.modules['onnx'] = None\nimport dcsvm\ndcsvm.train([[0.0], [1.0]], [0, 1]).to_onnx()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "to_onnx needs the package onnx: pip install '.[onnx]' in a checkout of dcsvm" in done.stderr
