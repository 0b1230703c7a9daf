"""Cross-validation against scikit-learn over our own training, against LIBSVM, and what it refuses."""

import itertools

import numpy as np
import pytest

import dcsvm


def fold_by_fold(X, y, splits, metric=None, **params):
    scores = []
    for train, test in splits:
        predicted = dcsvm.train(X[train], y[train], **params).predict(X[test])
        scores.append(np.mean(predicted == y[test]) if metric is None else metric(y[test], predicted))
    return scores


def splits_of(n, folds, seed=0):
    order = np.random.default_rng(seed).permutation(n)
    return [(np.setdiff1d(order, part), np.sort(part)) for part in np.array_split(order, folds)]


def test_grid_equals_training_fold_by_fold(blobs):
    X, y = blobs
    splits = splits_of(len(y), 3)
    Cs, gammas = [10.0, 0.1, 1.0], [0.3, 2.0]
    found = dcsvm.cross_validate(X, y, C=Cs, gamma=gammas, cv=splits, tol=1e-5, class_weight={2: 3.0})
    assert found.scores.shape == (2, 3, 3)
    for g, gamma in enumerate(gammas):
        for c, C in enumerate(Cs):
            wanted = fold_by_fold(X, y, splits, C=C, gamma=gamma, tol=1e-5, class_weight={2: 3.0})
            np.testing.assert_allclose(found.scores[g, c], wanted, atol=1.01 / min(len(t) for _, t in splits))
    assert found.n_fits == 18
    assert found.n_unconverged == 0
    best = np.unravel_index(found.mean_scores.argmax(), (2, 3))
    assert found.best_score == found.mean_scores[best]
    assert found.mean_scores[gammas.index(found.best_params["gamma"]), Cs.index(found.best_params["C"])] == found.best_score
    assert np.array_equal(np.sort(found.rows), np.arange(len(y)))
    assert np.isin(found.predictions, [2, 3, 5, 8]).all()


def test_large_folds():
    X, y = dcsvm.datasets.make_checkerboard(5200, noise=0.05, random_state=3)
    splits = splits_of(5200, 5)
    found = dcsvm.cross_validate(X, y, C=[1, 30], gamma=[2, 20], cv=splits)
    assert found.n_unconverged == 0
    assert found.violation < 1e-3
    for g, gamma in enumerate([2, 20]):
        for c, C in enumerate([1, 30]):
            wanted = fold_by_fold(X, y, splits, C=C, gamma=gamma)
            np.testing.assert_allclose(found.scores[g, c], wanted, atol=3.01 / 1040)


@pytest.mark.parametrize(
    "params",
    [
        {"kernel": "linear"},
        {"fit_intercept": False},
        {"class_weight": "balanced"},
        {"formulation": "nu_svc", "nu": 0.3},
        {"solver": "dc", "n_levels": 1},
        {"early_level": 1, "n_levels": 1, "sample_size": 200},
    ],
    ids=str,
)
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_every_kind_of_classifier(board, params, storage):
    X, y = (a[:600] for a in board)
    X = np.round(X, 1) * (X > 0.7)
    if storage == "csr":
        X = pytest.importorskip("scipy.sparse").csr_matrix(X)
    splits = splits_of(600, 3, seed=1)
    found = dcsvm.cross_validate(X, y, C=[2.0], gamma=1.0, cv=splits, tol=1e-4, **params)
    wanted = fold_by_fold(X, y, splits, C=2.0, gamma=1.0, tol=1e-4, **params)
    for score, expected, (train, test) in zip(found.scores[0, 0], wanted, splits, strict=True):
        # The best linear decisions of five rows are 0, and rounding gives them a sign.
        decisions = dcsvm.train(X[train], y[train], C=2.0, gamma=1.0, tol=1e-4, **params).decision_function(X[test])
        ties = np.count_nonzero(abs(decisions) < 1e-4)
        assert ties <= 5
        assert abs(score - expected) <= 0.006 + ties / len(test)


def test_weights_and_precomputed(blobs):
    X, y = blobs[0][:300], blobs[1][:300]
    w = np.random.default_rng(0).uniform(0, 2, 300) * (np.arange(300) % 7 > 0)
    splits = splits_of(300, 4)
    K = np.exp(-0.7 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    a = dcsvm.cross_validate(X, y, C=[0.5, 5], gamma=0.7, cv=splits, sample_weight=w, tol=1e-5)
    b = dcsvm.cross_validate(K, y, C=[0.5, 5], kernel="precomputed", cv=splits, sample_weight=w, tol=1e-5)
    early = dcsvm.cross_validate(K, y, C=[5], kernel="precomputed", cv=splits, early_level=1, n_levels=1, sample_size=100)
    np.testing.assert_allclose(a.scores, b.scores, atol=0.015)
    assert early.scores.mean() > b.scores[0, 1].mean() - 0.05
    for f, (train, test) in enumerate(splits):
        model = dcsvm.train(X[train], y[train], C=5, gamma=0.7, sample_weight=w[train], tol=1e-5)
        judged = test[w[test] > 0]
        assert abs(a.scores[0, 1, f] - np.mean(model.predict(X[judged]) == y[judged])) < 0.015


def test_regression_and_one_class():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (300, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(300)
    splits = splits_of(300, 3)
    for params in ({"formulation": "epsilon_svr", "epsilon": 0.05}, {"formulation": "nu_svr", "nu": 0.4}):
        found = dcsvm.cross_validate(X, y, C=[1, 10], gamma=1, cv=splits, **params)
        error = dcsvm.cross_validate(X, y, C=10, gamma=1, cv=splits, scoring="neg_mean_squared_error", **params)
        for f, (train, test) in enumerate(splits):
            residual = y[test] - dcsvm.train(X[train], y[train], C=10, gamma=1, **params).predict(X[test])
            assert error.scores[0, 0, f] == pytest.approx(-np.mean(residual**2), rel=1e-6)
            assert found.scores[0, 1, f] == pytest.approx(1 - np.sum(residual**2) / np.sum((y[test] - y[test].mean()) ** 2))
    inside = dcsvm.cross_validate(X, formulation="one_class", nu=0.2, gamma=0.5, cv=3)
    assert 0.6 < inside.best_score < 0.95


def test_splitters_masks_and_scores_of_scikit_learn(blobs):
    ms = pytest.importorskip("sklearn.model_selection")
    metrics = pytest.importorskip("sklearn.metrics")
    X, y = blobs
    cv = ms.StratifiedKFold(4, shuffle=True, random_state=3)
    by_object = dcsvm.cross_validate(X, y, C=3, cv=cv, gamma=0.5, scoring=metrics.balanced_accuracy_score)
    masks = [(np.isin(np.arange(len(y)), a), np.isin(np.arange(len(y)), b)) for a, b in cv.split(X, y)]
    by_mask = dcsvm.cross_validate(X, y, C=3, cv=iter(masks), gamma=0.5, scoring=metrics.balanced_accuracy_score)
    assert np.array_equal(by_object.scores, by_mask.scores)
    assert np.array_equal(by_object.rows, np.concatenate([b for _, b in cv.split(X, y)]))
    grouped = dcsvm.cross_validate(X, y, cv=ms.ShuffleSplit(2, test_size=0.1, random_state=0))  # not every row is tested
    assert len(grouped.rows) == 160
    assert grouped.gamma[0] == pytest.approx(1 / (X.shape[1] * X.var()))


def test_folds_by_seed_and_threads(blobs):
    X, y = blobs
    a, b, c = (
        dcsvm.cross_validate(X, y, C=[1, 4], gamma=[0.5, 1], random_state=seed, n_jobs=jobs)
        for seed, jobs in ((3, 1), (3, 2), (4, 2))
    )
    assert np.array_equal(a.rows, b.rows)
    assert np.array_equal(a.predictions, b.predictions)
    assert not np.array_equal(a.rows, c.rows)


def test_accuracy_as_libsvm(blobs):
    svmutil = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
    X, y = blobs
    theirs = svmutil.svm_train(y.tolist(), X.tolist(), "-c 5 -g 0.5 -v 5 -q")
    ours = dcsvm.cross_validate(X, y, C=5, gamma=0.5).best_score
    assert abs(theirs / 100 - ours) < 3 * np.sqrt(0.25 / len(y))


def test_one_class_in_a_fold_is_predicted():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.repeat([0, 1], 6)
    found = dcsvm.cross_validate(X, y, cv=[(np.arange(6), np.arange(6, 12)), (np.arange(0, 12, 2), np.arange(1, 12, 2))])
    assert (found.predictions[0, 0, :6] == 0).all()
    assert found.scores[0, 0, 0] == 0


def test_not_converged_warns(board):
    with pytest.warns(dcsvm.ConvergenceWarning, match="models did not reach tol"):
        found = dcsvm.cross_validate(*board, C=1000, gamma=50, max_iter=5, cv=2)
    assert found.n_unconverged == 2


def test_callback_sees_progress_and_can_stop(board):
    seen = []
    dcsvm.cross_validate(*board, C=[1, 10], gamma=[1, 4], callback=lambda p: seen.append(p.phase))
    assert set(seen) == {"solve"}
    with pytest.raises(KeyboardInterrupt):
        dcsvm.cross_validate(*board, C=[1, 10], gamma=[1, 4], callback=lambda p: True)


ROWS = np.arange(800)
BAD = [
    ({"cv": 1}, r"^cv must be a whole number >= 2.*got 1"),
    ({"cv": 801}, r"^cv=801 folds of 800 rows"),
    ({"cv": 2.5}, r"^cv must be a whole number"),
    ({"cv": None}, r"^cv must be a whole number"),
    ({"cv": True}, r"^cv must be a whole number"),
    ({"cv": "five"}, r"^cv must be a number of folds"),
    ({"cv": []}, r"^cv must give at least one \(train, test\), and gave none"),
    ({"cv": [(ROWS[:5],)]}, r"^cv: fold 0 must be a pair"),
    ({"cv": [3]}, r"^cv: fold 0 must be a pair"),
    ({"cv": [(ROWS[:400], ROWS[400:] + 1)]}, r"test row 800, but rows are 0 to 799"),
    ({"cv": [(ROWS[:400], [-1])]}, r"test row -1"),
    ({"cv": [(ROWS[:400], ROWS[399:])]}, r"row 399 twice"),
    ({"cv": [(ROWS[:400], [])]}, r"no test rows"),
    ({"cv": [(ROWS[:400], [0.5])]}, r"test of fold 0 must be a list of row numbers"),
    ({"cv": [(np.ones(7, bool), [1])]}, r"mask of 800 rows"),
    ({"C": []}, r"^C must hold at least one number > 0"),
    ({"C": [1, 0]}, r"^C\[1\] must be a finite number > 0, got 0"),
    ({"C": [float("nan"), 1]}, r"^C\[0\]"),
    ({"C": "large"}, r"^C must be a finite number > 0"),
    ({"gamma": []}, r"^gamma must hold"),
    ({"gamma": [1, "scale"]}, r"^gamma\[1\]"),
    ({"gamma": "large"}, r"^gamma must be"),
    ({"scoring": "f_one"}, r"^scoring must be"),
    ({"scoring": "f1"}, r"take 'f1_macro', or number two classes 0 and 1 \((Target is multiclass|pos_label=1 is not a valid)"),
    ({"y": None}, r"^y is missing"),
    ({"y": np.ones(800)}, r"^y"),
    ({"sample_weight": [1]}, r"^sample_weight"),
    ({"kernel": "cubic"}, r"^kernel"),
    ({"callback": 3}, r"^callback"),
]


@pytest.mark.parametrize(("given", "message"), BAD, ids=[f"{next(iter(g))}-{i}" for i, (g, _) in enumerate(BAD)])
def test_bad_input(blobs, given, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.cross_validate(blobs[0], **{"y": blobs[1], **given})


def test_bad_data_and_names(blobs):
    X = blobs[0].copy()
    X[5, 1] = np.nan
    with pytest.raises(ValueError, match="row 5, column 1"):
        dcsvm.cross_validate(X, blobs[1])
    for bad, name in ((np.nan, "NaN"), (np.inf, "infinity")):
        y = np.where(np.arange(len(X)) == 3, bad, blobs[1])
        with pytest.raises(ValueError, match=f"^y has {name} at row 3$"):
            dcsvm.cross_validate(blobs[0], y)
        with pytest.raises(ValueError, match=f"^y has {name} at row 3$"):
            dcsvm.linear_path(blobs[0], y)
    with pytest.raises(TypeError, match=r"'kernal' .did you mean 'kernel'"):
        dcsvm.cross_validate(*blobs, kernal="rbf")
    for name in ("warm_start_alpha", "probability"):
        with pytest.raises(TypeError, match=f"takes no {name}"):
            dcsvm.cross_validate(*blobs, **{name: True})
    with pytest.raises(ValueError, match=r"scoring=.* compares predictions with y: give y"):
        dcsvm.cross_validate(blobs[0], formulation="one_class", scoring="accuracy")


def test_scorers_of_scikit_learn_by_name_and_as_objects(board):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    x, y = board
    skewed = np.where(x[:, 0] < 3.2, -1, y)
    folds = [(np.flatnonzero(np.arange(len(y)) % 3 != f), np.flatnonzero(np.arange(len(y)) % 3 == f)) for f in range(3)]
    found = dcsvm.cross_validate(x, skewed, C=1, gamma=4, cv=folds, scoring="balanced_accuracy")
    begin = 0
    for f, (_, rows) in enumerate(folds):
        predicted = found.predictions[0, 0, begin : begin + len(rows)]
        assert found.scores[0, 0, f] == pytest.approx(metrics.balanced_accuracy_score(skewed[rows], predicted))
        begin += len(rows)
    for scorer in (metrics.get_scorer("balanced_accuracy"), metrics.make_scorer(metrics.balanced_accuracy_score)):
        same = dcsvm.cross_validate(x, skewed, C=1, gamma=4, cv=folds, scoring=scorer)
        np.testing.assert_array_equal(same.scores, found.scores)
    target = np.sin(x[:, 0])
    found = dcsvm.cross_validate(x, target, formulation="epsilon_svr", gamma=1, cv=3, scoring="neg_mean_absolute_error")
    error = -np.mean(np.abs(target[found.rows] - found.predictions[0, 0]))
    assert found.best_score == pytest.approx(error, rel=1e-2), "folds of almost the same size"


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("formulation", ["c_svc", "nu_svc"])
def test_scorers_that_rank_two_classes_have_their_decision_values(board, name, formulation):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    x, y = board
    of = {"roc_auc": metrics.roc_auc_score, "average_precision": metrics.average_precision_score}[name]
    folds = [(np.flatnonzero(np.arange(len(y)) % 3 != f), np.flatnonzero(np.arange(len(y)) % 3 == f)) for f in range(3)]
    how = {"gamma": 0.3, "cv": folds, "formulation": formulation}
    found = dcsvm.cross_validate(x, y, scoring=name, **how)
    for f, (train, test) in enumerate(folds):
        model = dcsvm.train(x[train], y[train], gamma=0.3, formulation=formulation)
        assert found.scores[0, 0, f] == pytest.approx(of(y[test], model.decision_function(x[test])), abs=2e-3)
    np.testing.assert_array_equal(found.predictions, dcsvm.cross_validate(x, y, **how).predictions)
    if name == "roc_auc":
        words = np.where(y > 0, "b", "a")
        same = dcsvm.cross_validate(x, words, scoring=name, **how)
        np.testing.assert_array_equal(same.scores, found.scores)
        np.testing.assert_array_equal(same.predictions == "b", found.predictions > 0)


def test_a_scorer_of_probabilities_is_refused_with_the_function_that_was_called(board):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    calls = {
        "cross_validate": lambda **how: dcsvm.cross_validate(*board, gamma=4, **how),
        "tune": lambda **how: dcsvm.tune(*board, **how),
        "SVCCV": lambda **how: dcsvm.SVCCV(**how).fit(*board),
        "linear_path": lambda **how: dcsvm.linear_path(*board, C=[1], **how),
    }
    for name, call in calls.items():
        with pytest.raises(
            ValueError, match=rf"scoring='neg_log_loss' needs .*probabilities, and {name} has predictions"
        ) as seen:
            call(scoring="neg_log_loss")
        assert type(seen.value) is ValueError
    with pytest.raises(ValueError, match=r"scoring='roc_auc' needs decision values or probabilities, and linear_path has"):
        calls["linear_path"](scoring="roc_auc")


def test_rows_of_weight_0_take_no_part_in_scores(board):
    x, y = board
    w = np.where(np.arange(len(y)) % 4, 1.0, 0.0)
    wrong = np.where(w > 0, y, -y)
    folds = [(np.flatnonzero(np.arange(len(y)) % 3 != f), np.flatnonzero(np.arange(len(y)) % 3 == f)) for f in range(3)]
    found = dcsvm.cross_validate(x, wrong, gamma=4, cv=folds, sample_weight=w)
    hits = np.where(w[found.rows] > 0, found.predictions[0, 0] == y[found.rows], np.nan)
    begin = np.cumsum([0, *(len(test) for _, test in folds)])
    np.testing.assert_allclose(found.scores[0, 0], [np.nanmean(hits[a:b]) for a, b in itertools.pairwise(begin)])
    nothing = [(np.flatnonzero(w), np.flatnonzero(w == 0))]
    with pytest.raises(ValueError, match=r"cv: all \d+ test rows of fold 0 have weight 0, so that it has no score"):
        dcsvm.cross_validate(x, y, gamma=4, cv=nothing, sample_weight=w)


def test_scorers_that_cross_validate_cannot_serve(board):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    with pytest.raises(ValueError, match=r"scoring='f1' tells how well class 1 is told from class 0; y has other classes: take"):
        dcsvm.cross_validate(board[0], np.where(board[1] > 0, "a", "b"), gamma=4, cv=3, scoring="f1")
    with pytest.raises(ValueError, match=r"scoring='roc_auc' ranks rows by the decision values of two classes, and y has 3"):
        dcsvm.cross_validate(board[0], np.arange(len(board[1])) % 3, gamma=4, cv=3, scoring="roc_auc")
    with pytest.raises(ValueError, match=r"name of a scorer; got 'balanced_acuracy' \(did you mean 'balanced_accuracy'\?\)"):
        dcsvm.cross_validate(*board, gamma=4, cv=3, scoring="balanced_acuracy")


def test_the_frame_has_a_row_for_each_pair_of_parameters_the_best_first():
    pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = dcsvm.datasets.make_checkerboard(300, noise=0.1, random_state=0)
    found = dcsvm.cross_validate(X, y, C=[0.1, 10, 100], gamma=[0.1, 4], cv=3)
    frame = found.to_frame()
    assert frame.shape == (6, 7)
    assert {"C": frame["C"][0], "gamma": frame["gamma"][0]} == found.best_params
    assert frame["mean_score"][0] == found.best_score
    for _, row in frame.iterrows():
        g, c = np.flatnonzero(found.gamma == row["gamma"])[0], np.flatnonzero(row["C"] == found.C)[0]
        assert np.array_equal(row[["fold0", "fold1", "fold2"]], found.scores[g, c])
