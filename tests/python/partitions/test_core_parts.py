"""What the core offers to trainings that are put together from parts: sums over kernel values, merged models, equal bytes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from certificate import rbf
from dcsvm import _core
from dcsvm._input.parameters import fill


def core_params(**values):
    return fill(_core.TrainParams(), {"random_state": 0, "n_jobs": None, **values})


@pytest.mark.parametrize("sparse", [False, True])
def test_kernel_sums_and_values(board, sparse):
    x, _ = board
    z, coef = x[:50], np.random.default_rng(0).standard_normal((2, 50))
    p = core_params(gamma=4.0, precision="double")
    expected = rbf(x, z, 4)
    data, points = (sp.csr_matrix(x), sp.csr_matrix(z)) if sparse else (x, z)
    np.testing.assert_allclose(_core.kernel_values(data, points, p), expected, atol=1e-12)
    np.testing.assert_allclose(_core.kernel_sums(data, points, coef, p), expected @ coef.T, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"gamma": None}, "gamma"),
        ({"kernel": "precomputed"}, "precomputed"),
        ({"points": np.zeros((3, 5))}, "columns"),
        ({"coef": np.zeros((1, 4))}, "column for each point"),
        ({"coef": np.full((1, 3), np.nan)}, "finite"),
        ({"x": np.full((2, 2), np.inf)}, "row 0"),
    ],
)
def test_kernel_sums_name_what_is_wrong(change, text):
    arguments = {"x": np.zeros((2, 2)), "points": np.zeros((3, 2)), "coef": np.zeros((1, 3)), "gamma": 1.0, **change}
    p = core_params(kernel=change.get("kernel", "rbf"), gamma=arguments["gamma"] or "scale")
    with pytest.raises(ValueError, match=text):
        _core.kernel_sums(arguments["x"], arguments["points"], arguments["coef"], p)


def clusters_of(x, centres):
    return ((x[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)


@pytest.mark.parametrize("sparse", [False, True])
def test_merged_clusters_answer_as_the_nearest_cluster(blobs, sparse):
    x, y = blobs
    keep = ~((x[:, 0] > 1.5) & (y != 3))  # the second cluster has one class only
    x, y = x[keep], y[keep]
    centres = np.array([[0.0, 0, 0], [4.5, 0, 0], [0, 1, 2]])
    cluster = clusters_of(x, centres)
    parts, models = [], []
    for c in range(3):
        rows = np.flatnonzero(cluster == c)
        one = len(np.unique(y[rows])) == 1
        data = sp.csr_matrix(x[rows]) if sparse else x[rows]
        model = None if one else dcsvm.train(data, y[rows], C=2, gamma=0.5)
        models.append(model)
        parts.append((None if one else model._core, float(y[rows][0]), len(rows), [] if one else rows[model.support_]))
    assert [m is None for m in models] == [False, True, False]
    whole = dcsvm.Model(_core.merge_clusters(parts, len(x), np.unique(y).astype(float), centres.ravel()))
    answer = whole.predict(sp.csr_matrix(x) if sparse else x)
    for c, model in enumerate(models):
        mine = cluster == c
        expected = 3 if model is None else model.predict(sp.csr_matrix(x[mine]) if sparse else x[mine])
        np.testing.assert_array_equal(answer[mine], expected)
    assert whole.report.objective == pytest.approx(sum(m.report.objective for m in models if m))
    vectors = whole.support_vectors_.toarray() if sparse else whole.support_vectors_
    np.testing.assert_array_equal(vectors, x[whole.support_])
    again = dcsvm.Model.from_bytes(whole.to_bytes())
    np.testing.assert_array_equal(again.predict(x), answer)
    with pytest.raises(ValueError, match=r"part 0.*not in classes"):
        _core.merge_clusters(parts, len(x), [2.0, 3.0], centres.ravel())
    with pytest.raises(ValueError, match=r"part 0.*not in \[0, n_train\)"):
        _core.merge_clusters(parts, 5, np.unique(y).astype(float), centres.ravel())
    with pytest.raises(ValueError, match=r"clusters"):
        _core.merge_clusters(parts, len(x), np.unique(y).astype(float), centres.ravel()[:6])


def test_merged_regressions():
    x = np.random.default_rng(0).uniform(-1, 1, (300, 1))
    t = np.sin(4 * x[:, 0])
    cluster = (x[:, 0] > 0).astype(int)
    parts = []
    for c in range(2):
        rows = np.flatnonzero(cluster == c)
        model = dcsvm.train(x[rows], t[rows], formulation="epsilon_svr", gamma=5.0, C=10)
        parts.append((model._core, 0.0, len(rows), rows[model.support_]))
    model = dcsvm.Model(_core.merge_clusters(parts, len(x), [], [-0.5, 0.5]))
    assert np.abs(model.predict(x) - t).max() < 0.15


def test_equal_trainings_give_equal_bytes(board, tmp_path):
    x, y = board
    one, two = (dcsvm.train(x, y, C=10, gamma=4, n_jobs=jobs) for jobs in (1, 2))
    assert one.to_bytes(timings=False) == two.to_bytes(timings=False)
    assert one.to_bytes() != two.to_bytes()  # the number of threads
    kept = dcsvm.Model.from_bytes(one.to_bytes(timings=False)).report
    assert kept.seconds == {}
    assert kept.objective == one.report.objective
    early = [dcsvm.train(x, y, C=10, gamma=4, early_level=1) for _ in range(2)]
    assert early[0].to_bytes(timings=False) == early[1].to_bytes(timings=False)


def test_pickles_hand_large_buffers_over(board, model):
    x, _ = board
    buffers = []
    text = pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    assert len(text) < 200
    assert sum(b.raw().nbytes for b in buffers) == len(model.to_bytes())
    again = pickle.loads(text, buffers=buffers)
    for protocol in (2, 4, 5):
        copy = pickle.loads(pickle.dumps(model, protocol=protocol))
        np.testing.assert_array_equal(copy.decision_function(x[:5]), again.decision_function(x[:5]))


def test_low_rank_models_take_other_coefficients(board):
    x, y = board
    model = dcsvm.train_low_rank(x, y, gamma=4, n_landmarks=30)
    core = model._core
    twice = dcsvm._load_model.LowRankModel(core.with_coefficients(2 * core.coef(), 2 * core.intercept()))
    np.testing.assert_allclose(twice.decision_function(x), 2 * model.decision_function(x), rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="entries"):
        core.with_coefficients([1.0], core.intercept())
    with pytest.raises(ValueError, match="finite"):
        core.with_coefficients(np.full_like(core.coef(), np.nan), core.intercept())
