"""DC-Pred++: models against their own files, single rows, exact models; what is refused."""

import contextlib
import pickle
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from dcsvm._input.choices import ProductKernel
from dcsvm._input.kernels import KERNELS

pytest.importorskip("sklearn", reason="the estimators need scikit-learn")


@pytest.fixture(scope="module")
def board():
    return dcsvm.datasets.make_checkerboard(3000, random_state=0)


@pytest.fixture(scope="module")
def model(board):
    return dcsvm.train_dc_pred(*board, C=10, gamma=4, n_leaves=8, n_landmarks=8, n_pseudo=8)


def test_is_nearly_as_good_as_the_exact_model(board, model):
    x, y = dcsvm.datasets.make_checkerboard(2000, random_state=1)
    exact = dcsvm.train(*board, C=10, gamma=4)
    assert (model.predict(x) == y).mean() > (exact.predict(x) == y).mean() - 0.02
    assert model.n_leaves == 8
    assert model.report.n_constant + model.report.n_landmarks / 8 <= 8
    assert model.report.stop_reason == "converged"


@pytest.mark.parametrize("pseudo", ["none", "triangle", "triangle_upper", "polynomial"])
@pytest.mark.parametrize("refine", [0, 20])
def test_every_kind_learns(board, pseudo, refine):
    x, y = board
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=4, n_leaves=16, n_landmarks=8, n_pseudo=12, pseudo=pseudo, refine=refine)
    assert (fast.predict(x) == y).mean() > (0.9 if refine else 0.85)
    assert (fast.report.n_pseudo == 0) == (pseudo == "none")


def test_a_linear_kernel_leaf_by_leaf_is_piecewise_linear(board):
    x, y = board
    fast = dcsvm.train_dc_pred(x, y, C=10, kernel="linear", n_leaves=16, n_landmarks=4)
    assert (fast.predict(x) == y).mean() > 0.8
    assert fast.pseudo == "none"


def test_rows_alone_batches_layouts_and_threads_agree(board, model):
    x = board[0][:300].astype(np.float32)
    expected = model.decision_function(x)
    for other in (x.astype(np.float64), np.asfortranarray(x), sp.csr_matrix(x), np.repeat(x, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(model.decision_function(other), expected)
    np.testing.assert_array_equal(np.concatenate([model.decision_function(row[None]) for row in x]), expected)
    np.testing.assert_array_equal(model.decision_function(np.tile(x, (100, 1)), n_jobs=2), np.tile(expected, 100))
    np.testing.assert_array_equal(model.predict(x), model.classes_[(expected > 0).astype(int)])


def test_the_same_model_whatever_the_threads(board):
    x, y = board
    options = {"C": 10, "gamma": 4, "n_leaves": 4, "n_landmarks": 5}
    one = dcsvm.train_dc_pred(x, y, n_jobs=1, **options)
    two = dcsvm.train_dc_pred(x, y, n_jobs=2, **options)
    np.testing.assert_array_equal(one.decision_function(x), two.decision_function(x))


def test_files_pickles_and_info(model, board, tmp_path, capsys):
    from dcsvm._command import cli as cli

    x = board[0][:200]
    path = tmp_path / "fast.model"
    model.save(path)
    loaded = dcsvm.load_model(path)
    assert isinstance(loaded, dcsvm.DCPredModel)
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(x), model.decision_function(x))
        assert other.report == model.report
    assert cli.main(["info", str(path)]) in (0, None)
    shown = capsys.readouterr().out
    assert "inner products a row" in shown
    assert f"{model.n_leaves} (" in shown
    with pytest.raises(dcsvm.ModelError, match="DC-Pred"):
        dcsvm.Model.from_bytes(model.to_bytes())


def test_damaged_files_are_refused(model):
    data = model.to_bytes()
    for at in range(0, len(data), 97):
        broken = bytearray(data)
        broken[at] ^= 0x41
        with pytest.raises(dcsvm.ModelError):
            dcsvm.DCPredModel.from_bytes(bytes(broken))
        with pytest.raises(dcsvm.ModelError):
            dcsvm.DCPredModel.from_bytes(data[:at])


def test_several_classes(board):
    x, _ = board
    y = (np.floor(2 * (x[:, 0] - x[:, 0].min())).astype(int) % 3) * 10
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=4, n_leaves=8, n_landmarks=8)
    assert fast.decision_function(x).shape == (len(x), 3)
    assert fast.classes_.tolist() == [0, 10, 20]
    np.testing.assert_array_equal(fast.predict(x), fast.classes_[fast.decision_function(x).argmax(axis=1)])
    assert (fast.predict(x) == y).mean() > 0.95


def test_weights_of_zero_leave_rows_out(board):
    x, y = board
    keep = np.arange(len(y)) % 3 > 0
    options = {"C": 10, "gamma": 4, "n_leaves": 4, "n_landmarks": 5}
    weighted = dcsvm.train_dc_pred(x, y, sample_weight=keep.astype(float), **options)
    alone = dcsvm.train_dc_pred(x[keep], y[keep], **options)
    np.testing.assert_array_equal(weighted.decision_function(x), alone.decision_function(x))


def test_compressed_models_answer_alike(board):
    x, y = board
    new, _ = dcsvm.datasets.make_checkerboard(2000, random_state=3)
    exact = dcsvm.train(x, y, C=10, gamma=4)
    early = dcsvm.train(x, y, C=10, gamma=4, early_level=1, n_levels=1)
    for full in (exact, early):
        fast = dcsvm.compress(full, x, n_leaves=8, n_landmarks=8)
        assert (fast.predict(new) == full.predict(new)).mean() > 0.96
        assert len(fast.to_bytes()) < len(full.to_bytes()) / 3


def test_budget(board):
    x, y = board
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=4, budget="60x", refine=10)
    assert fast.cost <= 60 * (1 + 1e-9)
    assert (fast.predict(x) == y).mean() > 0.9
    with pytest.raises(ValueError, match=r"^budget must allow two landmarks"):
        dcsvm.train_dc_pred(x, y, budget=1)
    with pytest.raises(ValueError, match=r"^budget must be a number > 0 or a text such as '12x'"):
        dcsvm.train_dc_pred(x, y, budget="fast")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("C", v) for v in (0, -1, np.nan)),
        ("kernel", "precomputed"),
        ("gamma", 0),
        *((n, 0) for n in ("n_leaves", "n_landmarks")),
        ("n_pseudo", -1),
        ("pseudo", "square"),
        ("refine", -1),
        ("sample_size", 1),
        ("tol", 0),
        ("cache_size", 0),
        ("class_weight", {0: -1.0}),
    ],
)
def test_bad_parameters_are_named(board, name, value):
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        dcsvm.train_dc_pred(*board, **{name: value})


def test_bad_data_and_what_cannot_be_done(board, model):
    x, y = board
    with pytest.raises(ValueError, match=r"equal|class"):
        dcsvm.train_dc_pred(x, np.ones(len(y)))
    broken = x.copy()
    broken[5, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 5\b.*column 1\b"):
        dcsvm.train_dc_pred(broken, y)
    with pytest.raises(ValueError, match=r"row 5\b.*column 1\b"):
        model.predict(broken)
    with pytest.raises(ValueError, match="X has 3 features, but the model was trained with 2"):
        model.predict(np.zeros((1, 3)))
    for train in (dcsvm.train_dc_pred, dcsvm.train_dc_pred_ridge):  # squared distances beyond the range of float32
        for scale in (1e19, 1e100):
            with pytest.raises(ValueError, match=r"^X: row \d+ is too far .*scale the features$"):
                train(x * scale, y)
        with pytest.raises(ValueError, match=r"^gamma must be at most .*got 1e\+308$"):
            train(x, y, gamma=1e308)
    tiny = dcsvm.train_dc_pred(x, y, C=1e-300)  # squared coefficients below the range of float64
    assert set(tiny.predict(x)) <= set(y)
    flat = dcsvm.train_dc_pred_ridge(x, y, gamma=4, alpha=1e200)
    assert np.isfinite(flat.predict(x)).all()
    with pytest.raises(ValueError, match="stationary"):
        dcsvm.train_dc_pred(x, y, kernel="poly", n_pseudo=4)
    with pytest.raises(MemoryError, match="cache_size"):
        dcsvm.train_dc_pred(x, y, cache_size=0.01)
    with pytest.raises(ValueError, match="model cannot be compressed: it tells no classes apart"):
        dcsvm.compress(dcsvm.train(x, None, formulation="one_class", nu=0.2), x)
    gram = np.exp(-((x[:100, None] - x[None, :100]) ** 2).sum(axis=2))
    with pytest.raises(ValueError, match="precomputed"):
        dcsvm.compress(dcsvm.train(gram, y[:100], kernel="precomputed"), gram)
    with pytest.raises(TypeError):
        dcsvm.compress(model, x)
    few = dcsvm.train_dc_pred(x[:40], y[:40], C=10, gamma=4, n_landmarks=200)  # more landmarks than rows
    assert few.report.n_landmarks <= 40


def test_the_type_of_kernels_has_those_that_the_core_takes(board):
    x, y = (part[:100] for part in board)
    taken = set()
    for kernel in KERNELS:
        with contextlib.suppress(ValueError):
            dcsvm.train_dc_pred(np.abs(x), y, kernel=kernel, n_leaves=1)
            taken.add(kernel)
    assert taken == {*get_args(ProductKernel)}


def test_one_class_leaves_have_no_landmarks():
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(0, 0.1, (200, 2)), rng.normal(5, 0.1, (200, 2))]
    fast = dcsvm.train_dc_pred(x, np.repeat([3, 7], 200), gamma=1, n_leaves=2)
    assert fast.report.n_constant == 2
    assert fast.report.n_landmarks == 0
    assert fast.predict([[0.0, 0.0], [5.0, 5.0]]).tolist() == [3, 7]


def test_estimator(board):
    from sklearn.base import clone

    x, y = board
    names = np.where(y > 0, "black", "white")
    estimator = clone(dcsvm.DCPredSVC(C=10, gamma=4, n_leaves=8, random_state=0)).fit(sp.csr_matrix(x), names)
    assert estimator.score(x, names) > 0.95
    assert estimator.cost_ == estimator.model_.cost == estimator.report_.cost
    np.testing.assert_array_equal(estimator.decision_function(x) > 0, estimator.predict(x) == "white")
