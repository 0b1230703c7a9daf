"""What the commands write: compressed files, equal files, other formats, and what they say about it."""

import bz2
import gzip
import lzma
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from dcsvm._command.cli import main

X, Y = dcsvm.datasets.make_checkerboard(80, random_state=1)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder with the file d.txt: its exit code, and what it printed on stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    dcsvm.save_svmlight("d.txt", X, Y)

    def command(*args):
        try:
            code = main([*map(str, args)])
        except SystemExit as e:
            code = e.code
        return code, *capsys.readouterr()

    return command


@pytest.mark.parametrize(("end", "module"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_outputs_are_compressed_as_their_names_say(run, end, module):
    def unpacked(name):
        return module.decompress(Path(name).read_bytes())

    run("train", "d.txt", "m", "-q", "--no-timings")
    run("train", "d.txt", f"m{end}", "-q", "--no-timings")
    assert unpacked(f"m{end}") == Path("m").read_bytes()
    run("predict", "d.txt", f"m{end}", f"out{end}", "-q")
    assert unpacked(f"out{end}").split() == [b"%d" % label for label in dcsvm.load_model("m").predict(X)]
    run("scale", "d.txt", "scaled")
    run("scale", "d.txt", f"scaled{end}")
    assert unpacked(f"scaled{end}") == Path("scaled").read_bytes()
    assert run("train", f"scaled{end}", "m2", "-q")[0] == 0


@pytest.mark.parametrize("method", ["exact", "low-rank", "linear"])
def test_equal_trainings_write_equal_files_without_timings(run, method):
    for name, threads in (("a.gz", 1), ("b.gz", 2)):
        run("train", "d.txt", name, "-q", "--method", method, "--no-timings", "--n-jobs", threads)
    assert Path("a.gz").read_bytes() == Path("b.gz").read_bytes()
    assert "thread" not in run("info", "a.gz")[1]


def test_convert_writes_the_texts_and_back(run):
    run("train", "d.txt", "m", "-q", "-g", 4)
    run("train", "d.txt", "linear", "-q", "--method", "linear")
    for model, format, program in (("m", "libsvm", "svm-predict"), ("linear", "liblinear", "liblinear-predict")):
        expected = dcsvm.load_model(model)
        assert run("convert", model, "text", "--format", format) == (0, "", "")
        expected.save("theirs", format=format)
        assert Path("text").read_text() == Path("theirs").read_text()
        subprocess.run([f"{sysconfig.get_path('scripts')}/{program}", "d.txt", "text", "out"], check=True, capture_output=True)
        np.testing.assert_array_equal(np.loadtxt("out"), expected.predict(X))
        assert run("convert", "text", "own", "--format", "dcsvm")[0] == 0
        np.testing.assert_array_equal(dcsvm.load_model("own").predict(X), expected.predict(X))
        for name, form in ((model, "dcsvm's own"), ("text", f"{format.upper()}'s text"), ("own", "dcsvm's own")):
            shown = run("info", name)[1]
            assert f"format          {form}\n" in shown
            assert ("report          none" in shown) == (name != model)


def test_convert_refuses_what_a_format_does_not_hold(run):
    run("train", "d.txt", "low", "-q", "--method", "low-rank")
    run("train", "d.txt", "m", "-q")
    assert "low: --format libsvm is not for such a model; expected dcsvm" in run("convert", "low", "o", "--format", "libsvm")[2]
    assert "expected dcsvm or libsvm" in run("convert", "m", "o", "--format", "liblinear")[2]
    dcsvm.train(X, np.where(Y > 0, "b", "a")).save("text")
    said = run("convert", "text", "o", "--format", "libsvm")[2]
    assert said.startswith("dcsvm: error: text: format 'libsvm' holds labels that are whole numbers")
    assert not Path("o").exists()
    assert "would overwrite the input m" in run("convert", "m", "m", "--format", "libsvm")[2]
    assert run("convert", "m", "o")[0] == 2


def test_one_class_labels_are_written_alike(run):
    run("train", "d.txt", "linear", "-q", "--method", "linear", "--solver", "one_class")
    run("train", "d.txt", "kernel", "-q", "--formulation", "one_class")
    for name in ("linear", "kernel"):
        run("predict", "d.txt", name, "out", "-q")
        assert set(Path("out").read_text().split()) == {"-1", "1"}


def test_a_regression_has_no_probabilities_and_info_shows_its_errors(run):
    dcsvm.save_svmlight("r.txt", X, X[:, 0])
    run("train", "r.txt", "m", "-q", "--formulation", "epsilon_svr", "--probability")
    scale = dcsvm.load_model("m").calibration["a"][0]
    assert f"error scale     {scale:.6g} (of a Laplace distribution)\n" in run("info", "m")[1]
    code, _, said = run("predict", "r.txt", "m", "o", "--probabilities")
    assert (code, said) == (1, "dcsvm: error: m: a regression predicts numbers and has no probabilities of classes\n")


def test_what_scale_says(run):
    if sys.platform == "linux":
        assert run("scale", "d.txt", "/dev/full") == (1, "", "dcsvm: error: /dev/full: No space left on device\n")
    assert run("scale", "d.txt", "o", "--restore", "none") == (1, "", "dcsvm: error: none: No such file or directory\n")
    run("scale", "d.txt", "o", "--save", "ranges")
    assert "leave --lower and --upper out" in run("scale", "d.txt", "o", "--restore", "ranges", "--upper", 2)[2]
    for habit, ours in (("-l", "--lower"), ("-r", "--restore")):
        code, _, said = run("scale", "d.txt", "o", habit, 0)
        assert (code, f"here it is {ours}\n" in said) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes as on POSIX")
def test_scale_into_a_closed_pipe_is_quiet(run):
    dcsvm.save_svmlight("many.txt", np.tile(X, (500, 1)), np.tile(Y, 500))
    command = [sys.executable, "-m", "dcsvm", "scale", "many.txt", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("train", "d.txt", "m", "--random-state", 1), "there is no option --random-state (did you mean --seed?)"),
        (("train", "d.txt", "m", "--seed", -1), "argument --seed: expected a whole number from 0 to 2^64 - 1; got '-1'"),
        (("-q", "train", "d.txt", "m"), "-q stands behind the command"),
        (("easy", "d.txt", "-v", 5), "here it is --folds\n"),
        (("cv", "d.txt", "--solver", "logistic"), "invalid choice: 'logistic'"),
        (("grid", "d.txt", "-g", "1,scale"), "or one of the words scale and auto, alone"),
    ],
)
def test_wrong_usage_is_answered_with_what_is_right(run, args, said):
    code, _, error = run(*args)
    assert (code, said in error) == (2, True), error


def test_the_help_shows_the_defaults_of_every_method(run):
    text = " ".join(run("train", "--help")[1].split())
    assert "is below (0.001; low-rank: 0.1; linear: LIBLINEAR's default of the solver)" in text
    assert "--no-regularize-bias keep the weight of the bias out of the norm" in text


def test_low_rank_takes_at_most_the_rows_as_landmarks(run):
    assert run("train", "d.txt", "m", "-q", "--method", "low-rank")[0] == 0
    assert dcsvm.load_model("m").report.n_landmarks <= len(Y)
    assert (
        "n_landmarks = 500, but X has only 80 rows" in run("train", "d.txt", "m", "--method", "low-rank", "--n-landmarks", 500)[2]
    )
    assert run("train", "d.txt", "m", "-q", "--method", "low-rank", "--budget", "20x")[0] == 0
    refused = run("train", "d.txt", "m", "--method", "low-rank", "--no-balance-clusters")
    assert "--no-balance-clusters belongs to --method exact, not to --method low-rank" in refused[2], "the option as it was given"


def test_a_grid_of_a_linear_kernel_has_no_gammas(run):
    out = run("grid", "d.txt", "--kernel", "linear", "-C", "1,10", "--folds", 2, "--checkpoint", "state", "--save", "m")[1]
    assert [line.split()[0] for line in out.splitlines()[:2]] == ["gamma", "-"]
    assert "best            -C 1" in out
    assert " -g " not in out
    assert dcsvm.load_model("m").kernel == "linear"


def test_a_linear_report_without_a_bound_shows_none():
    report = str(dcsvm.train_linear(X, Y, solver="squared_hinge", regularize_bias=False).report)
    assert "nan" not in report
    assert "(at least" in str(dcsvm.train_linear(X, Y, solver="squared_hinge_dual").report)
