"""The commands cv, grid and scale."""

import re
import shutil
import subprocess
import sysconfig

import numpy as np
import pytest

import _command
import dcsvm
from dcsvm._command.cli import main as cli_main

X, Y = dcsvm.datasets.make_checkerboard(300, noise=0.1, random_state=1)


@pytest.fixture
def folder(tmp_path):
    dcsvm.save_svmlight(tmp_path / "d.txt", X, Y)
    dcsvm.save_svmlight(tmp_path / "r.txt", X, np.sin(X[:, 0]))
    return tmp_path


def cli(folder, *args, code=0, **options):
    done = _command.cli(folder, *args, **options)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_cv_is_cross_validate(folder):
    found = dcsvm.cross_validate(X, Y, C=10, gamma=4, cv=4)
    out = cli(folder, "cv", "d.txt", "-C", 10, "-g", 4, "--folds", 4).stdout
    assert out.splitlines()[0].split() == ["accuracy", f"{found.best_score:.4f}"]
    assert out.splitlines()[1].split()[1:] == [f"{s:.4f}" for s in found.scores[0, 0]]
    regression = dcsvm.cross_validate(X, np.sin(X[:, 0]), formulation="epsilon_svr", gamma=1)
    out = cli(folder, "cv", "r.txt", "--formulation", "epsilon_svr", "-g", 1).stdout
    assert out.split()[:2] == ["r2", f"{regression.best_score:.4f}"]


def test_grid_finds_and_trains_the_best(folder):
    found = dcsvm.cross_validate(X, Y, C=[1, 10], gamma=[0.25, 4], cv=3)
    done = cli(folder, "grid", "d.txt", "-C", "1,10", "-g", "0.25,4", "--folds", 3, "--save", "m")
    for mean, line in zip(found.mean_scores, done.stdout.splitlines()[1:3], strict=True):
        assert line.split()[1:] == [f"{m:.4f}" for m in mean]
    best = re.search(r"best +(-C \S+ -g \S+)", done.stdout)[1]
    assert best == f"-C {found.best_params['C']:g} -g {found.best_params['gamma']:g}"
    model = dcsvm.load_model(folder / "m")
    np.testing.assert_array_equal(model.alpha, dcsvm.train(X, Y, **found.best_params).alpha)
    cli(folder, "train", "d.txt", "again", *best.split())
    np.testing.assert_array_equal(dcsvm.load_model(folder / "again").alpha, model.alpha)


def test_tune_writes_the_model_of_the_winner(folder):
    found = dcsvm.tune(X, Y, C=[1, 10], gamma=[0.25, 4], cv=3, min_rows=100)
    done = cli(folder, "tune", "d.txt", "-C", "1,10", "-g", "0.25,4", "--folds", 3, "--min-rows", 100)
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in done.stdout.splitlines())
    assert lines["best"] == ", ".join(f"{name}={value:.6g}" for name, value in found.best_params.items())
    assert lines["held-out score"].startswith(f"{found.held_out_score:.4f} on ")
    assert lines["model written"] == "d.txt.model"
    np.testing.assert_array_equal(dcsvm.load_model(folder / "d.txt.model").alpha, found.model.alpha)
    assert "no value of gamma was scored" in cli(folder, "tune", "d.txt", "m", "--budget", "1e-9", code=1).stderr
    assert "would overwrite the input d.txt" in cli(folder, "tune", "d.txt", "d.txt", code=1).stderr


def test_ranges_of_exponents_as_grid_py_takes_them(folder):
    dcsvm.save_svmlight(folder / "small.txt", X[:40], Y[:40])

    def values(*given):
        header, *rest = cli(folder, "grid", "small.txt", "--folds", 2, *given).stdout.splitlines()
        gammas = [line.split()[0] for line in rest[: next(i for i, line in enumerate(rest) if not line)]]
        return [float(c) for c in header.split()[3:]], [float(g) for g in gammas]

    assert values("-log2c", "-5,15,10", "-log2g", "3,-15,-9") == ([2**-5, 32, 2**15], [8, 2**-6, pytest.approx(2**-15, rel=1e-5)])
    assert values("--log2c=0,1,0.5", "-g", "0.5") == ([1, pytest.approx(2**0.5, rel=1e-5), 2], [0.5])
    assert values("-log2c", "null", "--log2g", "-1,0,1") == ([1], [0.5, 1])
    assert values("-C", "3", "-log2g", "null")[1] == [1 / X.shape[1]]
    assert values("-log2c", "1,2,3", "-g", "1") == ([2], [1])  # 2^4 is beyond


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (["-C", "-5,15,2"], "got '-5,15,2'; grid.py's ranges of exponents of 2 are given by --log2c and --log2g"),
        (["-g", "-15,3,2"], "got '-15,3,2'; grid.py's ranges of exponents of 2 are given by --log2c and --log2g"),
        (["-C", "0,1"], "expected numbers above 0, got '0,1'"),
        (["-log2c", "1,2"], "expected begin,end,step of exponents of 2, .* got '1,2'"),
        (["-log2c", "1,2,0"], "or the word null; got '1,2,0'"),
        (["-log2c", "5,1,1"], "or the word null; got '5,1,1'"),
        (["-log2c", "a,b,c"], "or the word null; got 'a,b,c'"),
        (["-log2g", "0,1,1e-9"], "or the word null; got '0,1,1e-9'"),
        (["-log2g", "0,inf,1"], "or the word null; got '0,inf,1'"),
        (["-log2g", "0,5000,100"], "or the word null; got '0,5000,100'"),
        (["-log2g", "1,3,1", "-g", "1"], "not allowed with argument"),
    ],
)
def test_ranges_that_are_none(given, text, capsys):
    with pytest.raises(SystemExit):
        cli_main(["grid", "d.txt", *given])
    assert re.search(text, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("-svmtrain", "needs no other program: leave it and its value out"),
        ("-gnuplot", "draws nothing: leave it and its value out"),
        ("-png", "draws nothing: leave it and its value out"),
        ("-out", "prints its table on stdout: write > FILE behind the command"),
        ("-resume", "with --checkpoint FILE"),
    ],
)
def test_options_of_grid_py_that_have_no_meaning_here(option, advice, capsys):
    with pytest.raises(SystemExit):
        cli_main(["grid", option, "null", "-log2c", "0,1,1", "d.txt"])
    assert re.search(f"{option} is an option of LIBSVM's grid.py; dcsvm grid .*{advice}", capsys.readouterr().err)


def test_the_grid_without_lists_is_that_of_grid_py(folder):
    dcsvm.save_svmlight(folder / "small.txt", X[:40], Y[:40])
    header, *rest = cli(folder, "grid", "small.txt", "--folds", 2).stdout.splitlines()
    assert [float(c) for c in header.split()[3:]] == [2.0**e for e in range(-5, 16, 2)]
    assert [float(line.split()[0]) for line in rest[:10]] == pytest.approx([2.0**e for e in range(-15, 4, 2)], rel=1e-5)


def test_scale_is_svm_scale(folder):
    program = shutil.which("svm-scale", path=sysconfig.get_path("scripts"))
    assert program, "svm-scale is not installed beside this Python"
    theirs = subprocess.run([program, "-s", "theirs", "d.txt"], cwd=folder, capture_output=True, text=True, check=True).stdout
    cli(folder, "scale", "d.txt", "out", "--save", "ours")
    assert (folder / "out").read_text() == theirs
    assert (folder / "ours").read_text() == (folder / "theirs").read_text()
    done = cli(folder, "scale", "-", "-", "--restore", "ours", input=(folder / "d.txt").read_text())
    assert done.stdout == theirs
    cli(folder, "scale", "d.txt", "out", "--lower", 0)
    values = dcsvm.load_svmlight(folder / "out", dense=True, n_features=2)[0]
    assert (values.min(), values.max()) == (0, 1)


def test_refusals(folder):
    (folder / "bad.txt").write_text("1 1:x\n")
    (folder / "ranges").write_text("nonsense")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    for args, text in [
        (("cv", "absent"), "absent: No such file"),
        (("cv", "d.txt", "--folds", 1), "cv must be a whole number >= 2"),
        (("cv", "d.txt", "--scoring", "acuracy"), "did you mean 'accuracy'"),
        (("grid", "d.txt", "--save", "d.txt"), "would overwrite the input d.txt"),
        (("grid", "d.txt", "--save", "absent/m"), "absent: no such folder"),
        (("scale", "absent", "out"), "error: absent: No such file"),
        (("scale", "bad.txt", "out"), "error: bad.txt:1:5: value 'x'"),
        (("scale", "d.txt", "d.txt"), "would overwrite the input d.txt"),
        (("scale", "d.txt", "out", "--lower", 2), "--lower must be below --upper, got 2 and 1"),
        (("scale", "d.txt", "out", "--restore", "ranges"), "error: ranges: failed to read"),
        (("scale", "bad.txt", "out", "--restore", "ranges"), "error: "),
    ]:
        done = cli(folder, *args, code=1)
        assert text in done.stderr, (args, done.stderr)
        assert len(done.stderr.splitlines()) == 1
        assert {p.name: p.read_bytes() for p in folder.iterdir()} == before, (args, "nothing is left behind")
    for args in (("grid", "d.txt", "-C", "1;2"), ("scale", "d.txt", "o", "--save", "a", "--restore", "b"), ("cv",)):
        assert "usage: dcsvm" in cli(folder, *args, code=2).stderr
    assert "expected numbers above 0, got '1,-1'" in cli(folder, "grid", "d.txt", "-C", "1,-1", code=2).stderr
    expected = "expected numbers with commas between them, as 1,10,100; got '1:10'"
    assert expected in cli(folder, "grid", "d.txt", "-C", "1:10", code=2).stderr
    assert "expected a number, scale or auto; got 'wide'" in cli(folder, "train", "d.txt", "m", "-g", "wide", code=2).stderr
