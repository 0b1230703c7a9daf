"""train_linear_file: the answers of train_linear, under a cap of memory, from damaged and from good files."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import dcsvm
from dcsvm._command import cli

SMOOTH = ["logistic", "logistic_dual", "squared_hinge", "squared_hinge_dual", "svr_squared", "svr_squared_dual"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Sparse rows of three classes in about 1 MB of text: many blocks at the smallest cap."""
    rng = np.random.default_rng(1)
    X = sparse.random(3000, 100, density=0.2, random_state=2, format="csr", dtype=np.float32)
    y = np.argmax(X @ rng.normal(size=(100, 3)) + 0.2 * rng.normal(size=(3000, 3)), axis=1).astype(float)
    path = tmp_path_factory.mktemp("text") / "sparse.txt"
    dcsvm.save_svmlight(path, X, y)
    return X, y, path


@pytest.mark.parametrize("solver", [*SMOOTH, *(pytest.param(s, marks=pytest.mark.slow) for s in ("hinge_dual", "svr_dual"))])
def test_the_objective_is_that_of_training_in_memory(data, solver, tmp_path):
    X, y, path = data
    options = {"solver": solver, "C": 0.5}
    whole = dcsvm.train_linear(X, y, **options, tol=1e-5, max_iter=100000)
    tol = (
        0.1 if solver in ("hinge_dual", "svr_dual") else 1e-4
    )  # of the relative duality gap: times 1e-4 with a corner, else 1e-5
    model = dcsvm.train_linear_file(path, memory_mb=1, cache_dir=tmp_path / "b", **options, tol=tol)
    assert len(list((tmp_path / "b").iterdir())) > 10
    assert model.classes_.tolist() == whole.classes_.tolist()
    mine, best = model.report, whole.report
    assert mine.primal_objective == pytest.approx(best.primal_objective, rel=1e-4)
    assert mine.primal_objective >= best.dual_objective * (1 - 1e-9)
    assert mine.primal_objective - mine.dual_objective <= 1e-3 * mine.primal_objective
    assert mine.stop_reason == "converged"
    assert np.mean(model.predict(X) == whole.predict(X)) > 0.99 or solver.startswith("svr")
    if solver == "logistic":
        w, b = model.coef_, model.intercept_
        z = (X @ w.T + b) * np.where(y[:, None] == model.classes_, 1, -1)
        objective = 0.5 * (w**2).sum() + 0.5 * (b**2).sum() + 0.5 * np.logaddexp(0, -z).sum()
        assert mine.primal_objective == pytest.approx(objective, rel=1e-9)


def test_cap_and_threads_do_not_change_the_model(data, tmp_path):
    *_, path = data
    options = {"solver": "squared_hinge", "cache_dir": tmp_path / "b", "class_weight": "balanced"}
    first = dcsvm.train_linear_file(path, memory_mb=0.7, n_jobs=1, **options)
    all_kept = dcsvm.train_linear_file(path, memory_mb=500, n_jobs=3, keep_cache=False, **options)
    assert np.array_equal(first.coef_, all_kept.coef_)
    assert first.report.peak_cache_bytes < all_kept.report.peak_cache_bytes
    assert not (tmp_path / "b").exists()
    assert path.exists()


@pytest.mark.parametrize("solver", ["hinge_dual", "svr_dual"])
def test_sparse_rows_with_a_corner_in_the_loss_are_descended_block_by_block(solver, tmp_path):
    """Also where the file is sorted, so that the blocks of one class pull w to and fro."""
    rng = np.random.default_rng(3)
    X = sparse.random(3000, 800, density=0.03, random_state=4, format="csr", dtype=np.float32)
    z = X @ rng.normal(size=800) + 0.1 * rng.normal(size=3000)
    order = np.argsort(z)
    X, z = X[order], z[order]
    y = np.where(z > 0, 1.0, -1.0) if solver == "hinge_dual" else z
    file = tmp_path / "sorted"
    dcsvm.save_svmlight(file, X, y)
    options = {"solver": solver, "cache_dir": tmp_path / "b", "C": 0.1}
    first = dcsvm.train_linear_file(file, memory_mb=0.7, n_jobs=1, **options)
    all_kept = dcsvm.train_linear_file(file, memory_mb=500, **options)
    assert first.report.peak_cache_bytes < all_kept.report.peak_cache_bytes
    mine, best = first.report, dcsvm.train_linear(X, y, solver=solver, C=0.1, tol=1e-3).report
    assert mine.method == "dual_descent"
    assert mine.stop_reason == "converged"
    assert mine.primal_objective - mine.dual_objective <= 2.01e-4 * mine.primal_objective
    assert mine.primal_objective == pytest.approx(best.primal_objective, rel=3e-4)
    assert np.array_equal(first.coef_, dcsvm.train_linear_file(file, memory_mb=0.7, n_jobs=2, **options).coef_)
    # All blocks in memory: the rows are in random order, as in train_linear.
    assert all_kept.coef_ == pytest.approx(dcsvm.train_linear(X, y, solver=solver, C=0.1).coef_, rel=1e-6, abs=1e-9)


def test_dense_rows_and_few_columns(tmp_path):
    X, y = dcsvm.datasets.make_twonorm(3000, random_state=1)
    X = X.astype(np.float32)
    dcsvm.save_svmlight(tmp_path / "t", X, y)
    for solver in ("logistic", "hinge_dual"):
        model = dcsvm.train_linear_file(tmp_path / "t", solver=solver, memory_mb=2, tol=1e-3 if solver == "logistic" else 0.1)
        whole = dcsvm.train_linear(X, y, solver=solver, tol=1e-6)
        assert model.report.primal_objective == pytest.approx(whole.report.primal_objective, rel=1e-4)
        assert (model.predict(X) == y).mean() > 0.95


@pytest.mark.parametrize("solver", ["crammer_singer", "one_class", "l1_logistic", "l1_squared_hinge"])
def test_solvers_that_need_rows_or_columns_are_refused(data, solver):
    with pytest.raises(ValueError, match=f"solver: {solver} needs"):
        dcsvm.train_linear_file(data[2], solver=solver, **({"bias": -1} if solver == "one_class" else {}))


def test_bad_input_is_named(data, tmp_path):
    *_, path = data
    with pytest.raises(MemoryError, match="memory_mb must hold targets"):
        dcsvm.train_linear_file(path, memory_mb=0.1, cache_dir=tmp_path / "c")
    with pytest.raises(TypeError, match="sample_weight"):
        dcsvm.train_linear_file(path, sample_weight=[1])
    with pytest.raises(ValueError, match="memory_mb"):
        dcsvm.train_linear_file(path, memory_mb=0)
    with pytest.raises(FileNotFoundError):
        dcsvm.train_linear_file(tmp_path / "none")
    (tmp_path / "bad").write_text("1 1:2\n-1 x\n")
    with pytest.raises(ValueError, match=":2:"):
        dcsvm.train_linear_file(tmp_path / "bad")
    assert not (tmp_path / "bad.dcsvm-blocks").exists()
    (tmp_path / "one").write_text("1 1:2\n1 1:3\n")
    with pytest.raises(ValueError, match="class"):
        dcsvm.train_linear_file(tmp_path / "one")
    dcsvm.train_linear_file(path, cache_dir=tmp_path / "c")
    block = tmp_path / "c" / "block-00000000"
    block.write_bytes(block.read_bytes()[:-3] + b"abc")
    with pytest.raises(ValueError, match="damaged"):
        dcsvm.train_linear_file(path, cache_dir=tmp_path / "c")


def test_it_can_be_stopped(data, tmp_path):
    seen = []

    def stop(progress):
        seen.append(progress.phase)
        return progress.phase == "newton"

    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        dcsvm.train_linear_file(data[2], solver="logistic", cache_dir=tmp_path / "c", callback=stop)
    assert "newton" in seen


def test_the_command(data, tmp_path, capsys):
    X, y, path = data
    model = str(tmp_path / "m")
    train = ["train", str(path), model, "--method", "linear", "--solver", "logistic", "-C", "2"]
    assert cli.main([*train, "--no-regularize-bias"]) == 0
    expected = dcsvm.train_linear(X, y, solver="logistic", C=2, regularize_bias=False)
    assert dcsvm.load_model(model).coef_ == pytest.approx(expected.coef_, abs=1e-5)
    assert cli.main([*train, "--memory-mb", "3", "--cache-dir", str(tmp_path / "c")]) == 0
    assert (tmp_path / "c" / "index").exists()
    assert cli.main(["predict", str(path), model, str(tmp_path / "out"), "--probabilities"]) == 0
    capsys.readouterr()
    for wrong, message in (
        ([*train, "--gamma", "1"], "--gamma belongs to --method exact or low-rank, not to --method linear"),
        (["train", str(path), model, "--solver", "logistic"], "--solver logistic: --method exact has"),
        ([*train[:-4], "--solver", "smo"], "--solver smo: --method linear has"),
        (["train", str(path), model, "--bias", "1"], "--bias belongs to --method linear"),
        ([*train, "--memory-mb", "5", "--cache-size", "3"], "one cap"),
    ):
        assert cli.main(wrong) == 1
        assert message in capsys.readouterr().err


@pytest.mark.slow
def test_the_cap_holds(tmp_path):
    """Peak memory of a process that trains on a file many times larger than memory_mb, against one that trains on a small one."""
    code = """
import resource, sys, dcsvm
dcsvm.train_linear_file(sys.argv[1], memory_mb=float(sys.argv[3]), cache_dir=sys.argv[2], solver=sys.argv[4], tol=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    X, y = dcsvm.datasets.make_twonorm(20000, random_state=4)
    cap = 3.0
    dcsvm.save_svmlight(tmp_path / "large", X, y)
    dcsvm.save_svmlight(tmp_path / "small", X[:200], y[:200])
    assert (tmp_path / "large").stat().st_size > 2 * cap * 2**20
    for solver in ("logistic", "hinge_dual"):
        peak = {}
        for name in ("small", "large"):
            done = subprocess.run(
                [sys.executable, "-c", code, str(tmp_path / name), str(tmp_path / f"{name}-blocks"), str(cap), solver],
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            peak[name] = float(done.stdout)
        assert peak["large"] - peak["small"] < cap + 4, solver  # MB; 4: what malloc keeps of freed buffers
