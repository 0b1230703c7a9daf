"""The command dcsvm, as a user runs it."""

import re

import numpy as np
import pytest

import dcsvm
from _command import error, ok
from dcsvm._command import cli


def test_info_and_predict_of_least_squares_models(folder):
    x, y = dcsvm.load_svmlight(folder / "train.txt")
    x_test, _ = dcsvm.load_svmlight(folder / "test.txt")
    options = {"kernel": "cosine_poly", "gamma": 2.0, "degree": 4, "coef0": 1.0}
    model = dcsvm.train_ls_svm(x, y, **options)
    model.save(folder / "ls")
    out = ok(folder, "info", "ls").stdout
    for text in (
        "LS-SVM, classes",
        "kernel          cosine_poly",
        "gamma           2\n",
        "coef0           1\n",
        "degree          4\n",
    ):
        assert text in out
    for text in ("classes         -1, 1\n", f"training rows   {len(y)}\n", "outputs         2\n", "residual"):
        assert text in out
    assert ok(folder, "predict", "test.txt", "ls", "ls.txt").stdout.startswith("accuracy ")
    np.testing.assert_array_equal(np.loadtxt(folder / "ls.txt"), model.predict(x_test))
    ok(folder, "predict", "test.txt", "ls", "p.txt", "--probabilities")
    np.testing.assert_array_equal(np.loadtxt(folder / "p.txt"), model.predict_proba(x_test))
    assert "this is an LS-SVM" in error(folder, "predict", "test.txt", "ls", "o.txt", "--prediction", "naive")
    assert "--precision is for models" in error(folder, "predict", "test.txt", "ls", "o.txt", "--precision", "double")

    dcsvm.train_ls_svm(x, y, regression=True, gamma=1.0).save(folder / "r")
    assert "LS-SVM, regression" in ok(folder, "info", "r").stdout
    assert "mean squared error" in ok(folder, "predict", "test.txt", "r", "r.txt").stdout


def test_train_predict_info(folder):
    done = ok(folder, "train", "train.txt", "m", "--C", 10, "--gamma", 4)
    assert done.stderr == "", "no progress into a pipe"
    assert re.search(r"stop reason +converged", done.stdout)
    assert "model written   m" in done.stdout
    x, y = dcsvm.load_svmlight(folder / "train.txt")
    reference = dcsvm.train(x, y, C=10, gamma=4)
    saved = dcsvm.load_model(folder / "m")
    np.testing.assert_array_equal(saved.alpha, reference.alpha)

    done = ok(folder, "predict", "test.txt", "m", "out.txt")
    labels = np.loadtxt(folder / "out.txt")
    x_test, y_test = dcsvm.load_svmlight(folder / "test.txt")
    np.testing.assert_array_equal(labels, reference.predict(x_test))
    right = int((labels == y_test).sum())
    assert done.stdout == f"accuracy {right / 3:.2f} % ({right} of 300)\n"

    done = ok(folder, "info", "m")
    for text in (
        "kernel          rbf",
        "gamma           4\n",
        "features        2\n",
        "classes         -1, 1\n",
        "exact",
        "converged",
    ):
        assert text in done.stdout


def test_options_mirror_the_api(folder):
    ok(
        *(
            folder,
            "train",
            "train.npz",
            "m",
            "-C",
            2,
            "-g",
            "auto",
            "--no-intercept",
            "--class-weight=-1:2.5",
            "--class-weight=1:0.5",
        ),
        *("--solver", "smo", "--tol", "1e-5", "--precision", "double", "--cache-size", 10, "--n-jobs", 1, "--no-shrinking"),
    )
    with np.load(folder / "train.npz") as d:
        x, y = d["X"], d["y"]
    params = {
        "class_weight": {-1: 2.5, 1: 0.5},
        "solver": "smo",
        "tol": 1e-5,
        "precision": "double",
        "cache_size": 10,
        "shrinking": False,
    }
    reference = dcsvm.train(x, y, C=2, gamma="auto", fit_intercept=False, **params)
    np.testing.assert_array_equal(dcsvm.load_model(folder / "m").alpha, reference.alpha)


def test_early_and_other_predictions(folder):
    ok(folder, "train", "both.npz", "m", "--C", 10, "--gamma", 4, "--early-level", 1, "--sample-size", 100, "--seed", 3)
    model = dcsvm.load_model(folder / "m")
    assert model.clustered
    with np.load(folder / "both.npz") as d:
        x, y = d["X_test"], d["y_test"]
    for how in ("early", "naive"):
        done = ok(folder, "predict", "both.npz", "m", "out", "--prediction", how)
        accuracy = 100 * (model.with_prediction(how).predict(x) == y).mean()
        assert f"accuracy {accuracy:.2f} %" in done.stdout
    assert "stopped early" in ok(folder, "info", "m").stdout


def test_predictions_in_double(folder):
    ok(folder, "train", "both.npz", "m", "--gamma", 4)
    double = dcsvm.load_model(folder / "m").with_precision("double")
    with np.load(folder / "both.npz") as d:
        expected = double.decision_function(d["X_test"])
    ok(folder, "predict", "both.npz", "m", "out", "--decision-values", "--precision", "double")
    np.testing.assert_array_equal(np.loadtxt(folder / "out"), expected)


def test_stdout_and_numpy_files(folder):
    ok(folder, "train", "x.npy", "--labels", "y.npy", "m", "--gamma", 4)
    model = dcsvm.load_model(folder / "m")
    x = np.load(folder / "x.npy")
    done = ok(folder, "predict", "x.npy", "m", "-")
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), model.predict(x))
    assert done.stderr == "", "no labels, no accuracy"
    done = ok(folder, "predict", "train.txt", "m", "-")
    assert len(done.stdout.splitlines()) == 600
    assert done.stderr.startswith("accuracy")
    done = ok(folder, "predict", "x.npy", "m", "-", "--decision-values", "-q")
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), model.decision_function(x))


def test_probabilities(folder):
    ok(folder, "train", "train.npz", "m", "--gamma", 4, "--probability", "--seed", 5)
    model = dcsvm.load_model(folder / "m")
    done = ok(folder, "predict", "x.npy", "m", "-", "--probabilities", "-q")
    rows = [line.split() for line in done.stdout.splitlines()]
    np.testing.assert_array_equal(np.array(rows, float), model.predict_proba(np.load(folder / "x.npy")))
    ok(folder, "train", "train.npz", "plain")
    assert "trained without probability" in error(folder, "predict", "x.npy", "plain", "-", "--probabilities")


def test_quiet(folder):
    done = ok(folder, "train", "train.txt", "m", "--quiet")
    assert done.stdout == ""
    assert dcsvm.load_model(folder / "m").n_features_in_ == 2


def test_errors(folder):
    ok(folder, "train", "train.txt", "m", "--gamma", 4)
    (folder / "bad.txt").write_text("1 1:1\n1 2:x\n")
    (folder / "wide.txt").write_text("1 1:1 3:1\n")
    (folder / "bad.npz").write_bytes(b"PK\x03\x04 broken")
    (folder / "damaged").write_bytes((folder / "m").read_bytes()[:-9])
    np.savez(folder / "other.npz", A=np.eye(2))
    for args, text in [
        (("train", "absent.txt", "n"), "absent.txt: No such file"),
        (("train", "bad.txt", "n"), "bad.txt:2:5"),
        (("train", "bad.npz", "n"), "bad.npz"),
        (("train", "other.npz", "n"), "other.npz: expected an array X or X_train, found"),
        (("train", "x.npy", "n"), "x.npy: no labels"),
        (("train", "train.txt", "n", "--C", -1), "C must be a finite number > 0, got -1"),
        (("train", "train.txt", "n", "--gamma", 0), "gamma must be"),
        (("train", "train.txt", "n", "--class-weight", "1:-2"), "class_weight[1.0]"),
        (
            ("train", "train.txt", "n", "--early-level", 1, "--solver", "smo"),
            'early_level needs solver "dc" or "auto"',
        ),
        (("train", "train.txt", "absent/n"), "absent: no such folder"),
        (("predict", "test.txt", "train.txt", "n"), "train.txt"),
        (("predict", "test.txt", "damaged", "n"), "damaged"),
        (("predict", "wide.txt", "m", "n"), "wide.txt:1:7"),
        (("predict", "test.txt", "m", "n", "--prediction", "naive"), "early_level"),
        (("info", "absent"), "absent: No such file"),
        (("demo", "--rows", 3), "rows must be"),
        (("train", "train.txt", "n", "--labels", "y.npy"), "--labels is for .npy and .npz; train.txt is read as svmlight"),
        (("train", "train.npz", "n", "--zero-based"), "--zero-based is for svmlight text; train.npz"),
        (("train", "train.npz", "n", "--n-features", 2), "--n-features is for svmlight text; train.npz"),
        (
            ("train", "train.txt", "n", "--degree", 10**11),
            "degree must be a whole number >= 0 and <= 2147483647, got 100000000000",
        ),
        (("bench", "x.npy"), "x.npy: no labels"),
        (("bench", "train.txt", "--repeat", 0), "--repeat and --time-limit must be positive, got 0 and 600"),
        (("bench", "train.txt", "--linear", "--gamma", 2), "--linear has no gamma"),
        (
            ("bench", "train.txt", "--linear", "--peers", "libsvm"),
            "--peers: expected some of dcsvm, liblinear, sklearn, got libsvm",
        ),
    ]:
        assert text in error(folder, *args)


def test_class_weights_that_contradict_each_other(folder):
    for weights, text in [
        (("balanced", "1:2"), "balanced sets the weights of all classes"),
        (("1:2", "balanced"), "balanced sets the weights of all classes"),
        (("1:2", "1:3"), "names label 1 twice"),
        (("1:2", "1.0:2"), "names label 1 twice"),
    ]:
        assert text in error(folder, "train", "train.txt", "n", *(f"--class-weight={w}" for w in weights))
    ok(folder, "train", "train.txt", "m", "--class-weight=balanced", "--quiet")


@pytest.mark.parametrize(
    ("habit", "ours"),
    [
        (("-d", "2"), "here it is --degree"),
        (("-t", "0"), "--kernel linear"),
        (("-w-1", "2"), r"-w-1 is .* --class-weight=LABEL:FACTOR"),
        (("-e", "0.1"), "--tol"),
        (("-m", "100"), "--cache-size"),
        (("-v", "5"), "dcsvm cv DATA --folds N"),
        (("-b", "1"), "--probability"),
    ],
)
def test_options_of_libsvm_are_answered_with_ours(folder, habit, ours):
    for args in (("train", *habit, "train.txt", "m"), ("train", "train.txt", *habit)):
        done = error(folder, *args, code=2)
        assert "usage: dcsvm" in done
        assert re.search(ours, done)


@pytest.mark.parametrize(("args", "meant"), [(("trian",), "train"), (("train", "a", "b", "--kernel", "rbff"), "rbf")])
def test_misspelt_commands_and_options_get_a_suggestion(args, meant, capsys):
    with pytest.raises(SystemExit):
        cli.main(list(args))
    assert f"(did you mean '{meant}'?)" in capsys.readouterr().err


def test_usage(folder):
    for args in (
        (),
        ("trian",),
        ("train",),
        ("train", "a", "--kernel", "x"),
        ("train", "a", "--gamma", "b"),
        ("train", "a", "--nope"),
        ("train", "train.txt", ""),
        ("info", ""),
    ):
        lines = error(folder, *args, code=2).splitlines()
        assert len(lines) == 3
        assert lines[0].startswith("usage: dcsvm")
        assert "error: " in lines[1]
        assert lines[2].endswith("--help explains the options.")
    assert error(folder, "easy", code=2).startswith("usage: dcsvm easy [options] DATA [TEST]\n")
    help_text = ok(folder, "--help").stdout
    assert "examples:" in help_text
    assert "exit codes" in help_text
    for command in ("train", "predict", "info", "cv", "grid", "scale", "demo", "bench"):
        assert command in help_text
        assert "usage: dcsvm" in ok(folder, command, "--help").stdout
    assert ok(folder, "--version").stdout == f"dcsvm {dcsvm.__version__}\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--gamm", "3"), "there is no option --gamm (did you mean --gamma?)"),
        (("--gamm=3",), "there is no option --gamm=3 (did you mean --gamma?)"),
        (("--kernl", "rbf", "--tole", "1"), "there is no option --kernl (did you mean --kernel?); there is no option --tole"),
        (("--xyzzy",), "there is no option --xyzzy\n"),
        (("third",), "unexpected argument 'third'"),
    ],
)
def test_options_are_not_abbreviated(folder, given, said):
    assert said in error(folder, "train", "-g", 4, "train.txt", "m", *given, code=2)


def test_warning_without_convergence(folder):
    done = ok(folder, "train", "train.txt", "m", "--C", 1000, "--gamma", 4, "--max-iter", 5)
    assert done.stderr.startswith("dcsvm: warning: training stopped with 'max_iter'")


def test_info_about_the_build(folder):
    out = ok(folder, "info").stdout
    assert dcsvm.__version__ in out
    assert dcsvm.build_config()["isa"] in out


def test_demo(folder):
    out = ok(folder, "demo", "--rows", 3000, "--seed", 1).stdout
    table = [line for line in out.splitlines() if re.match(r"(checkerboard|twonorm) +(early|exact)", line)]
    assert len(table) == 4
    for line in table:
        accuracy = float(re.search(r"([\d.]+) %", line).group(1))
        assert accuracy > (93 if line.startswith("checkerboard") else 95)
    assert "saved, loaded again" in out


def test_habits_of_svm_train(folder):
    """-c is C, and a model without a name is called as its data."""
    ok(folder, "train", "-c4", "train.txt", "-q")
    ok(folder, "train", "-C", "4", "train.txt", "named.model", "-q", "--no-timings")
    again = ok(folder, "train", "train.txt", "-c", "4", "--no-timings")
    assert "model written   train.txt.model" in again.stdout
    assert (folder / "train.txt.model").read_bytes() == (folder / "named.model").read_bytes()
    text = (folder / "train.txt").read_text()
    assert "DATA from stdin" in error(folder, "train", "-", input=text)
    assert "accuracy" in ok(folder, "cv", "train.txt", "-v", "3").stdout


def test_easy_scales_searches_trains_and_predicts(folder):
    done = ok(folder, "easy", "train.txt", "test.txt", "-q", "--folds", "3")
    assert {"train.txt.range", "train.txt.model", "test.txt.predict"} <= {p.name for p in folder.iterdir()}
    ok(folder, "scale", "test.txt", "scaled.txt", "--restore", "train.txt.range")
    ok(folder, "predict", "scaled.txt", "train.txt.model", "again.txt")
    assert (folder / "again.txt").read_text() == (folder / "test.txt.predict").read_text()
    assert "best" in done.stdout
