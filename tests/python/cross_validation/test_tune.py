"""tune against a whole grid by cross_validate, its folds and rounds, and what it refuses."""

import warnings

import numpy as np
import pytest

import dcsvm
from dcsvm import _core
from dcsvm._input import validate
from dcsvm._input.kernels import KERNELS, OF_SUMS, uses
from dcsvm._input.parameters import fill
from dcsvm._search import race, ranges
from dcsvm._search.ranges import Sample


def board(n, seed=0):
    return dcsvm.datasets.make_checkerboard(n, noise=0.1, random_state=seed)


def wave(n, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(-3, 3, (n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 4 + 0.1 * random.standard_normal(n)


@pytest.mark.parametrize("data", [board, lambda n: dcsvm.datasets.make_ringnorm(n, random_state=0)], ids=["board", "ringnorm"])
def test_the_winner_is_as_good_as_the_best_of_a_whole_grid(data):
    X, y = data(1600)
    found = dcsvm.tune(X, y)
    folds = list(np.array_split(np.random.default_rng(5).permutation(1600), 5))  # other folds than those of the race
    splits = [(np.setdiff1d(np.arange(1600), test), np.sort(test)) for test in folds]
    grid = dcsvm.cross_validate(X, y, C=2.0 ** np.arange(-3, 11, 2), gamma=4.0 ** np.arange(-5, 4), cv=splits)
    winner = dcsvm.cross_validate(X, y, **found.best_params, cv=splits)
    best = grid.scores.reshape(-1, 5)[grid.mean_scores.argmax()]
    apart = best - winner.scores[0, 0]
    assert apart.mean() <= max(0.005, apart.std(ddof=1) / np.sqrt(5))


def test_on_all_rows_each_cell_has_the_score_that_cross_validate_gives():
    """The exhaustive twin: one round on all rows, and values that are given."""
    X, y = board(500)
    order = np.random.default_rng(1).permutation(500)
    parts = np.array_split(order, 4)
    splits = [(np.setdiff1d(order, part), np.sort(part)) for part in parts]
    found = dcsvm.tune(X, y, C=[1, 30], gamma=[0.5, 4], cv=splits, min_rows=500)
    racing = [(np.setdiff1d(train, parts[3]), test) for train, test in splits[:3]]
    twin = dcsvm.cross_validate(X, y, C=[1, 30], gamma=[0.5, 4], cv=racing)
    assert len(found.trials) == 4
    for trial in found.trials:
        g, c = [0.5, 4].index(trial["gamma"]), [1, 30].index(trial["C"])
        np.testing.assert_array_equal(trial["fold_scores"], twin.scores[g, c])
        assert trial["rows"] == 375
    assert found.best_params == twin.best_params
    assert found.best_score == twin.best_score
    model = dcsvm.train(X[splits[3][0]], y[splits[3][0]], **found.best_params)
    assert found.held_out_score == pytest.approx(np.mean(model.predict(X[splits[3][1]]) == y[splits[3][1]]), abs=1.01 / 125)
    assert found.held_out_rows == 125
    whole = dcsvm.train(X, y, **found.best_params)
    np.testing.assert_array_equal(found.model.decision_function(X), whole.decision_function(X))


def test_rounds_have_more_rows_and_fewer_cells_and_the_judging_rows_are_in_none(monkeypatch):
    X, y = board(3000)
    seen = []
    evaluated = race.evaluated

    def noted(data, labels, *args, **how):
        seen.append(data)
        return evaluated(data, labels, *args, **how)

    monkeypatch.setattr(race, "evaluated", noted)
    found = dcsvm.tune(X, y, cv=3, min_rows=200)
    rounds = {}
    for trial in found.trials:
        rounds.setdefault(trial["rows"], []).append(trial)
    assert list(rounds) == [200, 800, 3000 - found.held_out_rows]
    assert len(rounds[200]) > 2 * len(rounds[800])
    assert len(rounds[3000 - found.held_out_rows]) <= 3
    assert 749 <= found.held_out_rows <= 751
    assert found.stop_reason == "finished"
    judged = dcsvm._core.make_folds(y.astype(float), 4, True, 0)[3][1]
    known = {row.tobytes() for row in X[judged]}
    assert not any(row.tobytes() in known for data in seen if len(data) < 2000 for row in data)


def test_a_second_round_on_all_rows_has_at_most_ten_cells():
    X, y = board(1900)
    found = dcsvm.tune(X, y, cv=3)
    last = [t for t in found.trials if t["round"] == 1]
    assert {t["rows"] for t in last} == {1900 - found.held_out_rows}
    assert 3 < len(last) <= 10
    assert len({t["gamma"] for t in last}) >= 3


def test_the_same_seed_gives_the_same_race_whatever_the_threads():
    X, y = board(1200)
    a, b, c = (dcsvm.tune(X, y, random_state=seed, n_jobs=jobs, min_rows=200) for seed, jobs in ((3, 1), (3, 2), (4, 2)))
    plain = [[{**t, "seconds": 0} for t in found.trials] for found in (a, b, c)]
    assert plain[0] == plain[1]
    assert plain[0] != plain[2]
    assert a.best_params == b.best_params
    assert a.held_out_score == b.held_out_score


@pytest.mark.parametrize("storage", ["dense", "csr", "precomputed", "text"])
def test_kinds_of_data(storage):
    X, y = board(600)
    how = {}
    if storage == "csr":
        X = pytest.importorskip("scipy.sparse").csr_matrix(X)
    elif storage == "precomputed":
        X, how = np.exp(-4 * ((X[:, None] - X[None]) ** 2).sum(axis=2)), {"kernel": "precomputed"}
    elif storage == "text":
        y, how = np.where(y > 0, "black", "white"), {"class_weight": {"black": 2.0}}
    found = dcsvm.tune(X, y, cv=3, min_rows=150, **how)
    assert found.held_out_score > 0.75
    assert found.best_params.keys() == ({"C"} if storage == "precomputed" else {"C", "gamma"})
    assert set(found.model.predict(X[:20])) <= set(y)


def test_sparse_and_dense_data_have_the_same_ranges():
    X, y = board(400)
    X = np.round(X, 1) * (X > 0.3)
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(X)
    dense, same = (dcsvm.tune(data, y, cv=3, min_rows=400) for data in (X, sparse))
    assert [(t["C"], t["gamma"]) for t in dense.trials] == [(t["C"], t["gamma"]) for t in same.trials]


@pytest.mark.parametrize("storage", ["dense", "far", "csr"])
@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        ("rbf", lambda x, z: ((x - z) ** 2).sum(axis=2)),
        ("matern32", lambda x, z: np.sqrt(((x - z) ** 2).sum(axis=2))),
        ("laplacian", lambda x, z: np.abs(x - z).sum(axis=2)),
        ("chi2", lambda x, z: ((x - z) ** 2 / np.where(x + z > 0, x + z, 1)).sum(axis=2)),
    ],
)
def test_distances_of_a_sample_are_those_of_the_formulas(kernel, formula, storage):
    random = np.random.default_rng(0)
    X = random.uniform(0, 2, (400, 6)) * random.integers(0, 2, (400, 6)) + (1e4 if storage == "far" else 0)
    X[350] = X[40]
    order = random.permutation(400)
    given = pytest.importorskip("scipy.sparse").csr_matrix(X) if storage == "csr" else X
    sample = Sample(validate.as_data("X", given), np.zeros(400), order, {"kernel": kernel})
    points = X[np.concatenate([np.sort(order[:300]), order[300:]])]
    np.testing.assert_allclose(sample._distances(), formula(points[:300, None], points[None]), rtol=1e-6, atol=1e-6)


def test_each_kernel_with_gamma_has_a_range():
    known = (*ranges.OF_PRODUCTS, *ranges.OF_DISTANCES)
    assert sorted(known) == sorted(name for name in KERNELS if uses(name, "gamma")), "OF_PRODUCTS, OF_DISTANCES of ranges.py"
    assert {*OF_SUMS} <= {*ranges.OF_DISTANCES}


@pytest.mark.parametrize("kernel", ranges.OF_DISTANCES)
def test_kernels_of_distances_are_as_the_range_of_gamma_assumes(kernel):
    """Of a distance that gamma multiplies: 1 for equal rows, and falling; those of sums over the features are exp(-gamma sum)."""
    X = np.abs(np.random.default_rng(0).standard_normal((30, 4)))

    def exponents(gamma):
        own = {"kernel": kernel, "gamma": gamma, "precision": "double", "random_state": 0, "n_jobs": 1}
        return -np.log(np.asarray(_core.kernel_values(X, X, fill(_core.TrainParams(), own))))

    once, twice = exponents(0.1), exponents(0.2)
    assert np.abs(once.diagonal()).max() < 1e-12
    assert (once[~np.eye(30, dtype=bool)] > 0).all()
    assert (twice >= once).all()
    if kernel in OF_SUMS:
        np.testing.assert_allclose(twice, 2 * once, rtol=1e-9, atol=1e-12)


def test_a_kernel_without_a_range_needs_values(monkeypatch):
    monkeypatch.setattr(ranges, "OF_DISTANCES", ())
    X, y = board(100)
    with pytest.raises(ValueError, match=r"gamma: no range is known of kernel='rbf': name the values, as gamma=\[0\.1, 1\]"):
        dcsvm.tune(X, y)
    assert dcsvm.tune(X, y, C=1, gamma=[1, 4], cv=2).best_params["gamma"] in (1, 4)


def test_a_sample_of_sparse_rows_stays_sparse():
    """As dense rows these would take 16 GB."""
    n, columns, entries = 2000, 10**6, 20
    random = np.random.default_rng(0)
    indices = np.sort(random.integers(0, columns // entries, (n, entries)) + columns // entries * np.arange(entries))
    data = random.uniform(size=n * entries), indices.ravel(), np.arange(n + 1) * entries
    X = pytest.importorskip("scipy.sparse").csr_matrix(data, shape=(n, columns))
    sample = Sample(validate.as_data("X", X), np.tile([0.0, 1.0], n // 2), np.arange(n), {"kernel": "laplacian"})
    typical = float(np.median(np.abs(X[:300] - X[300:600]).sum(axis=1).A1))
    gammas = sample.gammas()
    assert gammas[0] <= 0.05 / typical <= 4 * gammas[0]


@pytest.mark.parametrize("formulation", ["epsilon_svr", "nu_svr"])
def test_regression_whatever_the_unit_of_the_targets(formulation):
    X, y = wave(240)
    unit = 1e4
    found = dcsvm.tune(X, unit * y, formulation=formulation, cv=3, tol=1.0, epsilon=0.1 * unit)
    assert found.best_score > 0.8
    assert found.held_out_score > 0.8
    assert found.best_params["C"] > unit / 10


def test_a_quantile_is_judged_by_its_pinball_loss():
    def skewed(seed, n=1500):
        random = np.random.default_rng(seed)
        X = random.uniform(-1, 1, (n, 1))
        return X, X[:, 0] + random.exponential(size=n)

    (X, y), (fresh, truth) = skewed(0), skewed(1)
    how = {"formulation": "epsilon_svr", "quantile": 0.9, "epsilon": 0, "cv": 3}
    found = dcsvm.tune(X, y, min_rows=100, **how)
    assert np.mean(truth < found.model.predict(fresh)) == pytest.approx(0.9, abs=0.03)
    crossed = dcsvm.cross_validate(X, y, **found.best_params, **how)
    above = y[crossed.rows] - crossed.predictions[0, 0]
    losses = np.maximum(0.9 * above, -0.1 * above)
    assert crossed.best_score == pytest.approx(-losses.mean(), rel=1e-6)  # folds have 500 rows each
    assert found.best_score == pytest.approx(crossed.best_score, rel=0.1)


def test_nu_takes_the_place_of_C():
    X, y = board(500)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the margin r of nu_svc")  # of the smallest values of nu
        found = dcsvm.tune(X, y, formulation="nu_svc", cv=3, gamma=[1, 4])
    assert found.best_params.keys() == {"nu", "gamma"}
    assert found.held_out_score > 0.75
    inside = np.random.default_rng(0).standard_normal((300, 2))
    outside = np.random.default_rng(1).uniform(-6, 6, (60, 2))
    y = np.repeat([1, -1], [300, 60])
    y[300:][np.abs(outside).max(axis=1) < 2.5] = 1
    found = dcsvm.tune(np.vstack([inside, outside]), y, formulation="one_class", scoring=balanced, cv=3)
    assert found.held_out_score > 0.7
    assert found.best_params.keys() == {"nu", "gamma"}


def balanced(y, predicted):
    return float(np.mean([np.mean(predicted[y == label] == label) for label in np.unique(y)]))


def test_ranges_and_values_that_are_given():
    X, y = board(300)
    found = dcsvm.tune(X, y, C=(0.5, 200), gamma="scale", cv=3)
    Cs = sorted({t["C"] for t in found.trials})
    assert Cs[0] == pytest.approx(0.5)
    assert Cs[-1] == pytest.approx(200)
    (gamma,) = {t["gamma"] for t in found.trials}
    assert gamma == pytest.approx(1 / (2 * X.var()))
    found = dcsvm.tune(X, y, kernel="linear", C=3, cv=2)
    assert found.best_params == {"C": 3.0}
    assert len(found.trials) == 1


def test_groups_stay_together_and_scores_of_scikit_learn():
    ms = pytest.importorskip("sklearn.model_selection")
    X, y = board(400)
    groups = np.arange(400) // 20
    found = dcsvm.tune(X, y, cv=ms.GroupKFold(4), groups=groups, scoring="balanced_accuracy")
    assert found.n_folds == 3
    assert found.held_out_rows == 100
    ranked = dcsvm.tune(X, y, scoring="roc_auc", cv=3, min_rows=100)
    assert ranked.best_score > 0.9
    assert ranked.held_out_score == pytest.approx(ranked.best_score, abs=0.1)
    single = dcsvm.tune(X[:40], y[:40], cv=ms.LeaveOneOut(), C=[10], gamma=4)
    assert (single.held_out_score, single.n_folds) == (None, 40)  # a score of one row would say nothing
    two = dcsvm.tune(X, y, cv=ms.KFold(2, shuffle=True, random_state=0), C=[1, 10], gamma=2)
    assert two.held_out_score is None  # each of two folds is needed by the other
    assert two.n_folds == 2
    assert "held-out score none" in " ".join(repr(two).split())


def test_weights_reach_the_trainings():
    X, y = board(300)
    w = np.where(np.arange(300) % 3, 1.0, 0.0)
    y = np.where(w > 0, y, -y)  # rows that would do harm
    found = dcsvm.tune(X, y, sample_weight=w, C=[10], gamma=[4.0], cv=3)
    clean = dcsvm.train(X[w > 0], y[w > 0], C=10, gamma=4)
    np.testing.assert_allclose(found.model.decision_function(X), clean.decision_function(X), atol=5e-3)


@pytest.mark.parametrize("by", ["number", "splits"])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_rows_of_weight_0_take_no_part(by, kernel):
    X, y = board(400)
    w = np.where(np.arange(400) % 4, 1.0, 0.0)
    kept = np.flatnonzero(w)
    folds = [(np.setdiff1d(np.arange(400), test), test) for test in np.array_split(np.random.default_rng(0).permutation(400), 4)]
    place = np.cumsum(w > 0) - 1
    of_kept = [tuple(place[rows[w[rows] > 0]] for rows in fold) for fold in folds]
    K = np.exp(-4 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    how = {"C": [1, 10], **({"gamma": [4]} if kernel == "rbf" else {"kernel": "precomputed"})}
    one, two = (X, X[kept]) if kernel == "rbf" else (K, K[np.ix_(kept, kept)])
    wrong = np.where(w > 0, y, y[kept[0]])
    found = dcsvm.tune(one, wrong, sample_weight=w, cv=3 if by == "number" else folds, **how)
    alone = dcsvm.tune(two, y[kept], cv=3 if by == "number" else of_kept, **how)
    assert [t["fold_scores"] for t in found.trials] == [t["fold_scores"] for t in alone.trials]
    assert (found.held_out_score, found.held_out_rows) == (alone.held_out_score, alone.held_out_rows)


def test_a_callback_ends_it():
    X, y = board(2000)
    with pytest.raises(KeyboardInterrupt):
        dcsvm.tune(X, y, callback=lambda progress: True)


def test_it_shows_itself():
    X, y = board(600)
    found = dcsvm.tune(X, y, cv=3, min_rows=150, probability=True)
    text = " ".join(repr(found).split())
    for part in ("dcsvm.Tuning", "best C=", "gamma=", "over 3 folds", "held-out score 0.", "on 150 rows", "seconds"):
        assert part in text
    assert found._repr_html_().count("<tr") > 6
    assert found.model.predict_proba(X[:5]).shape == (5, 2)
    frame = pytest.importorskip("pandas") and found.to_frame()
    assert len(frame) == len(found.trials)
    assert frame.loc[0, "score"] == max(t["score"] for t in found.trials if t["rows"] == frame.loc[0, "rows"])
    assert {"C", "gamma", "rows", "score", "standard_error", "seconds", "fold2"} <= set(frame.columns)
