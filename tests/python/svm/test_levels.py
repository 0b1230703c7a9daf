"""keep_levels: what is kept of divide and conquer, and clusters drawn at random."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import dcsvm

X, Y = dcsvm.datasets.make_checkerboard(1200, random_state=0)
OPTIONS = {"C": 10, "gamma": 4, "solver": "dc", "n_levels": 2, "branching": 4, "keep_levels": True}


@pytest.fixture(scope="module")
def model():
    return dcsvm.train(X, Y, **OPTIONS)


def test_each_level_as_the_report_says(model):
    report = model.report.levels
    assert [level.level for level in model.levels_] == [entry["level"] for entry in report] == [2, 1, 0]
    for level, entry in zip(model.levels_, report, strict=True):
        assert level.n_clusters == entry["clusters"]
        assert len(level.support) == entry["n_support"]
        assert level.sv_coef.shape == (1, len(level.support))
        assert (level.sv_coef != 0).all()
        assert (np.diff(level.support) > 0).all()
        if level.cluster_of is not None:
            np.testing.assert_array_equal(np.sort(np.bincount(level.cluster_of)), np.sort(entry["sizes"]))
    assert model.levels_[-1].cluster_of is None
    np.testing.assert_array_equal(np.sign(model.levels_[0].sv_coef[0]), -Y[model.levels_[0].support], "positive: the lower label")


def test_the_clusters_solutions_are_a_feasible_start_of_the_reported_objective(model):
    level = model.levels_[0]
    of_cluster = [np.flatnonzero(level.cluster_of == c) for c in range(level.n_clusters)]
    coef = np.zeros(len(X))
    coef[level.support] = level.sv_coef[0]
    K = np.exp(-4 * ((X[:, None] - X) ** 2).sum(axis=2))
    objective = sum(coef[rows] @ K[np.ix_(rows, rows)] @ coef[rows] for rows in of_cluster) / 2 - np.abs(coef).sum()
    assert objective == pytest.approx(model.report.levels[0]["objective"], rel=1e-4)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_objective_and_violation_of_each_level_are_those_that_float64_finds(tol):
    X, y = dcsvm.datasets.make_checkerboard(4000, noise=0.1, random_state=1)
    C, gamma = 100, 8
    params = {"C": C, "gamma": gamma, "tol": tol, "precision": "single", "fit_intercept": False}
    model = dcsvm.train(X, y, solver="dc", n_levels=2, keep_levels=True, **params)
    K = np.exp(-gamma * ((X[:, None].astype(np.float64) - X) ** 2).sum(axis=2))
    sign = np.where(y == model.classes_[0], 1, -1)
    for level, entry in zip(model.levels_, model.report.levels, strict=True):
        beta = np.zeros(len(X))
        beta[level.support] = level.sv_coef[0]
        cluster_of = np.where(beta != 0, 0, -1) if level.cluster_of is None else level.cluster_of
        same = (cluster_of[:, None] == cluster_of) & (cluster_of >= 0)
        gradient = sign - (K * same) @ beta
        part = cluster_of >= 0
        up, low = beta < C * (sign > 0), beta > -C * (sign < 0)
        assert entry["objective"] == pytest.approx(-(sign + gradient) @ beta / 2, rel=1e-6)
        assert entry["violation"] == pytest.approx(max(gradient[part & up].max(), -gradient[part & low].min()), rel=0.1)


def test_levels_show_no_arrays(model):
    levels = model.levels_
    assert (
        repr(levels[0]) == f"<dcsvm.Level: level 2; clusters {levels[0].n_clusters}; support vectors {len(levels[0].support):,}>"
    )
    assert repr(levels[-1]).startswith("<dcsvm.Level: level 0 (refine); clusters 1; ")


def test_precision_and_recall_and_centres(model):
    precision, recall = model.levels_[-1].found(model.support_)
    common = set(model.levels_[-1].support) & set(model.support_)
    assert precision == len(common) / len(model.levels_[-1].support)
    assert recall == len(common) / len(model.support_)
    assert recall > 0.9
    level = model.levels_[0]
    expected = np.array([X[level.cluster_of == c].mean(axis=0) for c in range(level.n_clusters)])
    np.testing.assert_allclose(level.centres(X), expected, rtol=1e-12)
    np.testing.assert_allclose(level.centres(csr_matrix(X)), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="X must be the 1,200 rows of the training, got 7"):
        level.centres(X[:7])
    with pytest.raises(ValueError, match="the refine step"):
        model.levels_[-1].centres(X)


def test_rows_without_weight_are_in_no_cluster():
    weights = np.ones(len(X))
    weights[::7] = 0
    level = dcsvm.train(X, Y, sample_weight=weights, **OPTIONS).levels_[0]
    np.testing.assert_array_equal(level.cluster_of == -1, weights == 0)
    taking_part = [(X[(level.cluster_of == c)]).mean(axis=0) for c in range(level.n_clusters)]
    np.testing.assert_allclose(level.centres(X), taking_part, rtol=1e-12)


def test_several_classes_and_early_models():
    labels = np.floor(X[:, 0]).astype(int)
    model = dcsvm.train(X, labels, C=10, gamma=4, early_level=1, keep_levels=True)
    (level,) = model.levels_
    assert level.sv_coef.shape == (3, len(model.support_))
    np.testing.assert_array_equal(level.support, np.sort(model.support_))
    assert model.with_prediction("naive").levels_[0].level == 1


def test_only_on_request_and_not_in_files(model, tmp_path):
    without = dcsvm.train(X, Y, **{**OPTIONS, "keep_levels": False})
    assert without.to_bytes(timings=False) == model.to_bytes(timings=False), "the same model"
    model.save(tmp_path / "m")
    for other in (without, pickle.loads(pickle.dumps(model)), dcsvm.load_model(tmp_path / "m")):
        with pytest.raises(AttributeError, match="train with keep_levels=True"):
            _ = other.levels_
    assert dcsvm.train(X, Y, solver="smo", keep_levels=True).levels_ == ()


def test_random_clusters_are_of_equal_size_and_worse_than_found_ones(model):
    drawn = dcsvm.train(X, Y, clustering="random", **OPTIONS)
    assert drawn.report.objective == pytest.approx(model.report.objective, rel=1e-4), "the exact solution, whatever the clusters"
    sizes = np.bincount(drawn.levels_[0].cluster_of)
    assert len(sizes) == 16
    assert np.ptp(sizes) <= 1
    spread = {
        name: sum(X[m.levels_[0].cluster_of == c].var(axis=0).sum() for c in range(16))
        for name, m in (("r", drawn), ("k", model))
    }
    assert spread["k"] < 0.5 * spread["r"]
    again = dcsvm.train(X, Y, clustering="random", **OPTIONS, n_jobs=1)
    np.testing.assert_array_equal(again.levels_[0].cluster_of, drawn.levels_[0].cluster_of)
    other = dcsvm.train(X, Y, clustering="random", **OPTIONS, random_state=1)
    assert (other.levels_[0].cluster_of != drawn.levels_[0].cluster_of).any()


def test_random_clusters_route_no_queries():
    with pytest.raises(ValueError, match='clustering "random" is a baseline for exact training'):
        dcsvm.train(X, Y, clustering="random", early_level=1)


def test_estimators_keep_them_too():
    fitted = dcsvm.SVC(C=10, gamma=4, solver="dc", n_levels=1, keep_levels=True).fit(X, Y)
    assert fitted.model_.levels_[0].level == 1
