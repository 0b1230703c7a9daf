"""LLSVM and LLSVM^2 from Python: accuracy, path, supervised maps, limits."""

import pickle
import re

import numpy as np
import pytest

import dcsvm

SMALL = {"C": 10, "gamma": 4, "n_landmarks": 150}


@pytest.fixture(scope="module")
def low_rank(board):
    return dcsvm.train_low_rank(*board, **SMALL)


def test_it_learns_what_the_exact_machine_learns(board, low_rank, model):
    x, _ = board
    assert (low_rank.predict(x) == model.predict(x)).mean() > 0.93
    assert low_rank.report.stop_reason == "converged"
    assert low_rank.report.violation <= 0.1


def test_decisions_are_the_sum_that_the_attributes_say(board, low_rank):
    x, y = board
    d2 = ((x[:50, None, :] - low_rank.landmarks_[None]) ** 2).sum(axis=2)
    by_hand = np.exp(-low_rank.gamma * d2) @ low_rank.coef_[0] + low_rank.intercept_[0]
    assert low_rank.decision_function(x[:50]) == pytest.approx(by_hand, abs=2e-3)
    assert np.array_equal(low_rank.predict(x), np.where(low_rank.decision_function(x) > 0, 1, -1))
    assert low_rank.landmarks_.shape == (low_rank.report.n_landmarks, 2)
    assert low_rank.alpha.shape == (1, len(y))


def test_landmarks_of_the_users_own_and_kernels(board):
    x, y = board
    z = x[::10]
    mine = dcsvm.train_low_rank(x, y, C=10, gamma=4, landmarks=z)
    assert np.array_equal(mine.landmarks_, z[mine.used_])
    k_rz = np.exp(-4 * ((x[:, None] - z[None]) ** 2).sum(axis=2))
    k_zz = np.exp(-4 * ((z[:, None] - z[None]) ** 2).sum(axis=2))
    given = dcsvm.train_low_rank(k_rz, y, C=10, kernel="precomputed", landmark_kernel=k_zz)
    assert (given.predict(k_rz) == mine.predict(x)).mean() > 0.995
    for options in ({"kernel": "linear"}, {"kernel": "poly", "gamma": 0.5, "coef0": 1, "degree": 6}):
        model = dcsvm.train_low_rank(x - 2, y, n_landmarks=40, C=0.1, max_iter=200, tol=1, **options)
        assert pickle.loads(pickle.dumps(model)).kernel == options["kernel"]
    for how in ("kmeans++", "uniform"):
        model = dcsvm.train_low_rank(x, y, landmarks=how, **SMALL)
        rows = {tuple(r) for r in x}
        assert all(tuple(z) in rows for z in model.landmarks_)
    with pytest.warns(UserWarning, match="sigmoid kernel is not positive semi-definite"):
        dcsvm.train_low_rank(x, y, kernel="sigmoid", gamma=0.2, n_landmarks=60)


def test_kmeans_nystroem_is_its_slow_twin(board):
    """The landmarks are the means of the rows that are nearest to them, so that Lloyd's next step moves none. The model is the
    exact SVM of the kernel K_rz K_zz^-1 K_zr + 1, whose 1 is the bias as a feature."""
    x, y = board[0][:600].astype(np.float64), board[1][:600]
    options = {"n_landmarks": 40, "landmark_iterations": 200, "tol": 1e-5, "max_iter": 100_000}
    model = dcsvm.train_low_rank(x, y, C=10, gamma=4, **options)
    z = model.landmarks_
    assert len(z) == 40

    def K(a, b):
        return np.exp(-4 * ((a[:, None] - b[None]) ** 2).sum(axis=2))

    nearest = ((x[:, None] - z[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose([x[nearest == j].mean(axis=0) for j in range(len(z))], z, atol=1e-5)
    nystroem = K(x, z) @ np.linalg.solve(K(z, z), K(z, x)) + 1
    exact = dcsvm.train(nystroem, y, C=10, kernel="precomputed", fit_intercept=False, tol=1e-6, precision="double")
    assert model.report.objective == pytest.approx(exact.report.objective, rel=1e-6)
    np.testing.assert_allclose(model.decision_function(x), exact.decision_function(nystroem), atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_reduced_svm_is_the_minimum_of_its_problem(board, kernel):
    """Lee, Mangasarian 2001: min (|u|^2 + b^2) / 2 + C sum max(0, 1 - y (K u + b))^2, against a general minimiser."""
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")
    x, y = board[0][:400], board[1][:400]
    z, C = x[:30].astype(np.float64), 5.0
    options = {"gamma": 2.0, "coef0": -1.0} if kernel == "sigmoid" else {"gamma": 4.0}
    model = dcsvm.train_low_rank(
        x, y, C=C, kernel=kernel, landmarks=z, features="reduced", loss="squared_hinge", tol=1e-6, max_iter=100_000, **options
    )
    rows = x.astype(np.float64)
    if kernel == "rbf":
        K = np.exp(-4 * ((rows[:, None] - z[None]) ** 2).sum(axis=2))
    else:
        K = np.tanh(2 * rows @ z.T - 1)
    F = np.hstack([K, np.ones((len(rows), 1))])

    def primal(w):
        slack = np.maximum(0, 1 - y * (F @ w))
        return w @ w / 2 + C * slack @ slack, w - 2 * C * F.T @ (y * slack)

    best = optimize.minimize(primal, np.zeros(31), jac=True, method="L-BFGS-B", options={"maxiter": 10_000, "ftol": 1e-15})
    w = np.append(model.coef_[0], model.intercept_[0])
    assert model.report.stop_reason == "converged"
    assert primal(w)[0] == pytest.approx(best.fun, rel=1e-5)
    assert model.report.primal_objective == pytest.approx(best.fun, rel=1e-5)
    assert np.array_equal(model.landmarks_, z)
    again = pickle.loads(pickle.dumps(model))
    assert again.features == "reduced"
    assert np.array_equal(again.decision_function(x), model.decision_function(x))


def test_reduced_svm_with_landmarks_of_its_own(board):
    x, y = board
    model = dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=150, features="reduced")
    assert (model.predict(x) == y).mean() > 0.9
    k_rz = np.exp(-4 * ((x[:, None] - model.landmarks_[None]) ** 2).sum(axis=2))
    k_zz = np.exp(-4 * ((model.landmarks_[:, None] - model.landmarks_[None]) ** 2).sum(axis=2))
    given = dcsvm.train_low_rank(k_rz, y, C=10, kernel="precomputed", landmark_kernel=k_zz, features="reduced")
    assert (given.predict(k_rz) == model.predict(x)).mean() > 0.99
    with pytest.raises(ValueError, match='supervised needs features "nystrom"'):
        dcsvm.train_low_rank(x, y, features="reduced", supervised=True)


def test_sparse_and_dense_data_give_the_same(board):
    sp = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    x, y = board
    x = np.where(np.arange(x.shape[1]) == 0, np.round(x), x)
    dense = dcsvm.train_low_rank(x, y, landmarks=x[::9], C=10, gamma=4)
    sparse = dcsvm.train_low_rank(sp.csr_matrix(x), y, landmarks=x[::9], C=10, gamma=4)
    assert (dense.predict(x) == sparse.predict(sp.csr_matrix(x))).mean() > 0.995
    assert dcsvm.train_low_rank(sp.csr_matrix(x), y, **SMALL).predict(x).shape == y.shape


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_classes(blobs, multi_class, loss):
    x, y = blobs
    model = dcsvm.train_low_rank(x, y, gamma=0.5, n_landmarks=60, multi_class=multi_class, loss=loss)
    columns = 4 if multi_class == "ovr" else 6
    assert model.decision_function(x).shape == (len(y), columns)
    assert (model.predict(x) == y).mean() > (dcsvm.train(x, y, gamma=0.5).predict(x) == y).mean() - 0.03
    if multi_class == "ovr":
        assert np.array_equal(model.predict(x), model.classes_[model.decision_function(x).argmax(axis=1)])


def test_weights_say_how_often_a_row_counts(board):
    x, y = board
    options = {**SMALL, "landmarks": x[::12], "tol": 1e-3, "max_iter": 20000}
    twice = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    weighted = dcsvm.train_low_rank(x, y, sample_weight=twice, **options)
    repeated = dcsvm.train_low_rank(np.concatenate([x, x[::3]]), np.concatenate([y, y[::3]]), **options)
    assert weighted.report.objective == pytest.approx(repeated.report.objective, rel=1e-4)
    by_class = dcsvm.train_low_rank(x, y, class_weight={1: 3}, **options)
    by_row = dcsvm.train_low_rank(x, y, sample_weight=np.where(y == 1, 3.0, 1.0), **options)
    assert by_class.report.objective == by_row.report.objective


def test_warm_start(board, low_rank):
    x, y = board
    assert dcsvm.train_low_rank(x, y, warm_start_alpha=low_rank.alpha, **SMALL).report.n_iter == 0
    with pytest.raises(ValueError, match=r"warm_start_alpha must have shape \(1, 1500\)"):
        dcsvm.train_low_rank(x, y, warm_start_alpha=low_rank.alpha[:, 1:], **SMALL)
    with pytest.raises(ValueError, match=r"warm_start_alpha\[0, \d+\] is not in"):
        dcsvm.train_low_rank(x, y, warm_start_alpha=low_rank.alpha + 1, **SMALL)


def test_path(board):
    x, y = board
    path = dcsvm.low_rank_path(x, y, [0.01, 1, 10], cv=3, gamma=4, n_landmarks=150)
    assert path.scores.shape == (3, 3)
    assert path.scores[0].mean() < path.scores[2].mean()
    assert path.best.report.C in (1, 10)
    assert [m.report.C for m in path.models] == [0.01, 1, 10]
    assert path.models[1].report.seconds["features"] == 0  # one matrix of features for all
    folds = np.arange(len(y)) % 2
    assert dcsvm.low_rank_path(x, y, [1], cv=folds, gamma=4, n_landmarks=50).scores.shape == (1, 2)
    with pytest.raises(ValueError, match="call low_rank_path with cv"):
        _ = dcsvm.low_rank_path(x, y, [1], gamma=4, n_landmarks=50).best
    for bad, text in (
        ({"C": []}, "C must"),
        ({"C": [0]}, "C must"),
        ({"C": [1], "cv": 1}, "cv must"),
        ({"C": [1], "cv": folds * 0}, "cv"),
    ):
        with pytest.raises(ValueError, match=text):
            dcsvm.low_rank_path(x, y, **bad)
    with pytest.raises(TypeError, match="warm_start_alpha"):
        dcsvm.low_rank_path(x, y, [1], warm_start_alpha=None)
    with pytest.raises(MemoryError, match="must hold the features of all rows"):
        dcsvm.low_rank_path(x, y, [1], cache_size=2, gamma=4, n_landmarks=300)


def test_supervised(blobs):
    x, y = blobs
    model = dcsvm.train_low_rank(x, y, gamma=2, n_landmarks=80, supervised=True)
    assert model.report.lambda_ in [10.0**p for p in range(-5, 6)]
    options = {"gamma": 20, "n_landmarks": 80, "tol": 1e-4, "max_iter": 10000}
    given = dcsvm.train_low_rank(x, y, supervised=True, lambda_=1e9, **options)
    plain = dcsvm.train_low_rank(x, y, **options)  # a large lambda is the plain map
    assert given.decision_function(x) == pytest.approx(plain.decision_function(x), abs=1e-3)
    with pytest.raises(ValueError, match="leaves no feature"):
        dcsvm.train_low_rank(x, y, gamma=0.01, n_landmarks=10, supervised=True, lambda_=1e-300, balance=0)


def test_labels_help_where_C_and_gamma_are_badly_chosen(board):
    """Figure 2 of the paper in small: the mean over a grid, most of it far from good values."""
    x, y = board
    x_test, y_test = dcsvm.datasets.make_checkerboard(2000, random_state=9)
    scores = {False: [], True: []}
    for gamma in (1, 4, 16):
        for C in (1e-3, 1e-2, 1):
            for supervised in (False, True):
                model = dcsvm.train_low_rank(x, y, C=C, gamma=gamma, n_landmarks=80, supervised=supervised)
                scores[supervised].append((model.predict(x_test) == y_test).mean())
    assert np.mean(scores[True]) > np.mean(scores[False]) + 0.02
    assert max(scores[True]) > max(scores[False]) - 0.02


def test_unlabelled_rows_give_landmarks_only(blobs):
    x, y = blobs
    half = np.where(np.arange(len(y)) % 2 == 0, y, -1)
    model = dcsvm.train_low_rank(x, half, gamma=0.5, n_landmarks=60, unlabelled=-1)
    assert model.classes_.tolist() == [2, 3, 5, 8]
    assert not model.alpha[:, half == -1].any()
    weight = (half != -1).astype(float)
    by_weight = dcsvm.train_low_rank(x, y, gamma=0.5, n_landmarks=60, sample_weight=weight)
    assert np.array_equal(model.coef_, by_weight.coef_)
    with pytest.raises(ValueError, match="beside the unlabelled"):
        dcsvm.train_low_rank(x, np.where(y == 2, 2, -1), unlabelled=-1)


def test_callback_and_limits(board):
    seen = []
    x, y = dcsvm.datasets.make_checkerboard(20000, noise=0.2, random_state=3)
    with pytest.warns(dcsvm.ConvergenceWarning, match="'cancelled'"):
        model = dcsvm.train_low_rank(x, y, C=1000, gamma=4, tol=1e-8, callback=lambda p: seen.append(p.phase) or len(seen) >= 2)
    assert model.report.stop_reason == "cancelled"
    assert "solve" in seen
    with pytest.warns(dcsvm.ConvergenceWarning, match="max_iter"):
        assert dcsvm.train_low_rank(*board, max_iter=1, **SMALL).report.n_passes == 1


def test_model_files(tmp_path, board, low_rank):
    low_rank.save(tmp_path / "m")
    loaded = dcsvm.load_model(tmp_path / "m")
    assert isinstance(loaded, dcsvm.LowRankModel)
    assert np.array_equal(loaded.decision_function(board[0]), low_rank.decision_function(board[0]))
    assert loaded.report == low_rank.report
    assert repr(loaded) == repr(low_rank)
    assert loaded.alpha.shape == (1, 0)
    (tmp_path / "m").write_bytes(low_rank.to_bytes()[:-5])
    with pytest.raises(dcsvm.ModelError):
        dcsvm.load_model(tmp_path / "m")


def test_centres_of_pixels_are_pixels():
    """Rounded to the grid of bytes that the data lies on, where it is fine; centres of 0 and 1 stay means."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 256, (600, 30)) / 255.0
    y = np.where(x[:, :15].sum(axis=1) > x[:, 15:].sum(axis=1), 1, -1)
    model = dcsvm.train_low_rank(x, y, gamma=0.2, n_landmarks=60)
    off = np.abs(model.landmarks_ * 255 - np.round(model.landmarks_ * 255)).max()
    if dcsvm.build_config()["isa"] in ("avx2", "avx512vnni", "amx"):
        assert off < 1e-4
    assert (model.predict(x) == y).mean() > 0.9
    binary = dcsvm.train_low_rank(np.round(x), y, gamma=0.2, n_landmarks=60)
    assert not np.isin(binary.landmarks_, (0, 1)).all()


def test_sklearn_nystroem_at_equal_landmarks(board):
    kernel = pytest.importorskip("sklearn.kernel_approximation", reason="scikit-learn is not installed")
    svm = pytest.importorskip("sklearn.svm")
    x, y = board
    x_test, y_test = dcsvm.datasets.make_checkerboard(3000, random_state=9)
    theirs = kernel.Nystroem(gamma=4, n_components=100, random_state=0).fit(x)
    linear = svm.LinearSVC(C=10, max_iter=20000).fit(theirs.transform(x), y)
    mine = dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=100)
    assert (mine.predict(x_test) == y_test).mean() > linear.score(theirs.transform(x_test), y_test) - 0.01


def test_ijcnn1(real_data):
    """A third of the landmarks of the paper, whose error is 1.24 % (llsvm, table III)."""
    d = real_data("ijcnn1.npz")
    model = dcsvm.train_low_rank(d["X_train"], d["y_train"], C=8, gamma=1, n_landmarks=1000)
    assert (model.predict(d["X_test"]) != d["y_test"]).mean() < 0.0135


def test_the_command(tmp_path, capsys):
    from dcsvm._command import cli as cli

    x, y = dcsvm.datasets.make_checkerboard(600, random_state=1)
    dcsvm.save_svmlight(tmp_path / "d.txt", x, y)
    data, model = str(tmp_path / "d.txt"), str(tmp_path / "m")
    train = ["train", data, model, "-C", "10", "-g", "4", "--method", "low-rank"]
    assert cli.main([*train, "--n-landmarks", "100", "--landmarks", "uniform", "--loss", "squared_hinge"]) == 0
    assert "features)" in capsys.readouterr().out
    assert cli.main(["predict", data, model, str(tmp_path / "out")]) == 0
    assert float(re.search(r"accuracy ([\d.]+)", capsys.readouterr().out)[1]) > 97
    assert cli.main(["info", model]) == 0
    assert "(nystrom)" in capsys.readouterr().out
    assert cli.main([*train, "--memory-mb", "50", "--cache-dir", str(tmp_path / "c"), "--n-landmarks", "80"]) == 0
    assert (tmp_path / "c" / "index").exists()
    learned = ["--supervised", "--n-labelled", "60", "--balance", "0.3", "--lambda", "10", "--n-landmarks", "80"]
    assert cli.main([*train, *learned]) == 0
    assert dcsvm.load_model(model).report.lambda_ == 10
    assert cli.main([*train, "--unlabelled", "-1"]) == 1
    assert "beside the unlabelled" in capsys.readouterr().err
    for wrong, message in (
        (["train", data, model, "--lambda", "1"], "--lambda belongs to --method low-rank"),
        ([*train, "--solver", "dc"], "--solver belongs to --method exact"),
        ([*train, "--no-shrinking"], "--no-shrinking belongs"),
        (["train", data, model, "--n-landmarks", "5"], "--n-landmarks belongs to --method low-rank"),
        ([*train, "--cache-dir", "x"], "--cache-dir is for --memory-mb"),
        ([*train, "--memory-mb", "5", "--cache-size", "3"], "one cap"),
        (["predict", data, model, "-", "--prediction", "naive"], "this is a low-rank model"),
    ):
        assert cli.main(wrong) == 1
        assert message in capsys.readouterr().err


def test_the_default_number_of_landmarks_fits_few_rows():
    x, y = dcsvm.datasets.make_checkerboard(60, random_state=0)
    model = dcsvm.train_low_rank(x, y, C=10, gamma=4)
    assert model.report.n_landmarks <= 60
    np.testing.assert_array_equal(model.predict(x), dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=60).predict(x))
    assert dcsvm.low_rank_path(x, y, [1, 10], gamma=4).models[1].report.n_landmarks <= 60
    with pytest.raises(ValueError, match="only 60 rows"):
        dcsvm.train_low_rank(x, y, n_landmarks=61)
