"""liblinear-train and liblinear-predict: LIBLINEAR's options, files, text, errors and exit codes."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import tool
from _commands import call, fine
from _liblinear_cases import SOLVERS, pattern, problem, theirs
from dcsvm import liblinearutil


@pytest.fixture
def folder(tmp_path):
    x, y = problem("odd", n=200)
    dcsvm.save_svmlight(tmp_path / "train", x[:120], y[:120])
    dcsvm.save_svmlight(tmp_path / "test", x[120:], y[120:])
    x, t = problem("targets")
    dcsvm.save_svmlight(tmp_path / "targets", x, t)
    x, y = problem("four")
    dcsvm.save_svmlight(tmp_path / "four", x, y)
    return tmp_path


def data_of(solver):
    return "targets" if solver > 10 else "four"


@pytest.mark.parametrize("solver", SOLVERS)
def test_train_as_liblinearutil_does(folder, solver, capfd):
    data = folder / data_of(solver)
    options = f"-s {solver} -c 0.5" + ("" if solver == 21 else " -B 1")
    text = fine(folder, "liblinear-train", *options.split(), data, "m")
    y, x = liblinearutil.svm_read_problem(data)
    liblinearutil.save_model(folder / "m2", liblinearutil.train(y, x, options))
    assert text == capfd.readouterr().out
    assert (folder / "m").read_bytes() == (folder / "m2").read_bytes()
    assert fine(folder, "liblinear-train", "-q", *options.split(), data) == ""
    assert (folder / f"{data.name}.model").read_bytes() == (folder / "m").read_bytes(), "the default name, in this folder"


def test_predict(folder):
    fine(folder, "liblinear-train", "-q", "-s", 0, "-B", 1, "train", "m")
    y, x = liblinearutil.svm_read_problem(folder / "test")
    labels, (accuracy, _, _), p = liblinearutil.predict(y, x, liblinearutil.load_model(folder / "m"), "-b 1 -q")
    right = round(accuracy * 0.8)
    assert fine(folder, "liblinear-predict", "test", "m", "out") == f"Accuracy = {accuracy:g}% ({right}/80)\n"
    assert np.loadtxt(folder / "out").tolist() == labels
    assert fine(folder, "liblinear-predict", "-q", "-b", 1, "test", "m", "out") == ""
    lines = (folder / "out").read_text().splitlines()
    assert lines[0] == "labels " + " ".join(map(str, liblinearutil.load_model(folder / "m").get_labels()))
    np.testing.assert_allclose([[float(v) for v in line.split()[1:]] for line in lines[1:]], p, rtol=1e-5)
    fine(folder, "liblinear-train", "-q", "-s", 11, "targets", "m")
    assert re.fullmatch(
        r"Mean squared error = \S+ \(regression\)\nSquared correlation coefficient = \S+ \(regression\)\n",
        fine(folder, "liblinear-predict", "targets", "m", "out"),
    )
    y, x = liblinearutil.svm_read_problem(folder / "targets")
    expected = liblinearutil.predict(y, x, liblinearutil.load_model(folder / "m"), "-q")[0]
    assert np.loadtxt(folder / "out").tolist() == expected, "17 digits"
    fine(folder, "liblinear-train", "-q", "-s", 21, "targets", "m")
    (folder / "few").write_text("1 1:1\n-1 2:1 9:4\n")
    assert re.fullmatch(r"Accuracy = \d+% \(\d/2\)\n", fine(folder, "liblinear-predict", "few", "m", "out"))


@pytest.mark.parametrize(
    "options", ["-s 0 -v 5", "-s 2 -v 3 -B 1", "-s 0 -C -e 1e-5", "-s 2 -C -v 3", "-s 11 -C -p 0.5", "-C -c 0.25"]
)
def test_folds_and_search_are_liblinears(folder, options):
    """A fresh process of LIBLINEAR draws the same folds, so the lines are equal up to what the tolerance leaves open."""
    data = data_of(11 if "11" in options else 0)
    code = (
        "import sys\nfrom liblinear.liblinearutil import *\ny, x = svm_read_problem(sys.argv[1])\n"
        "param = parameter(sys.argv[2])\nparam.print_func = parameter('').print_func\ntrain(problem(y, x, param.bias), param)"
    )
    done = subprocess.run(
        [tool("python"), "-c", code, data, options], capture_output=True, text=True, cwd=folder, check=True
    ).stdout
    code, out, err = call(folder, "liblinear-train", *options.split(), data)
    assert code == 0
    assert err == ("Solver not specified. Using -s 2\n" if "-s" not in options else "")
    lines = out.splitlines()
    if "-C" in options:
        folds = 3 if "-v" in options else 5
        assert lines.pop(0) == f"Doing parameter search with {folds}-fold cross validation."
        assert len(lines) > 5
    expected = [line for line in done.splitlines() if re.match("log2c|WARNING|Best|Cross", line)]
    if "-C" not in options:
        assert [pattern(line) for line in lines] == [pattern(line) for line in expected]
    # A search ends after values of C that change nothing, as far as the tolerance tells: some values may be left out or added.
    assert pattern(lines[-1]) == pattern(expected[-1])
    numbered = [[re.fullmatch(r"(.*?)(\d+\.?\d*)\D*", line) for line in found] for found in (lines, expected)]
    ours, other = (dict(one.groups() for one in found if one) for found in numbered)
    common = [what for what in ours if what in other]
    assert len(common) >= 0.7 * len(other)
    numbers, their_numbers = (np.array([float(found[what]) for what in common]) for found in (ours, other))
    np.testing.assert_allclose(numbers, their_numbers, rtol=0.02)
    assert np.mean(numbers == their_numbers) > 0.5
    assert not list(folder.glob("*.model")), "no model is written"


@pytest.mark.parametrize("options", ["-s 0 -v 5", "-s 1 -v 2", "-s 4 -v 5", "-s 2 -v 5 -w1 2"])
@pytest.mark.parametrize("labels", [(1, -1), (-1, 1), (1, 2), (2, 1), (3, 1, 2)], ids=str)
def test_ties_of_folds_are_liblinears(folder, labels, options):
    """Rows without values, whose decisions are 0, are of the class that the order in a fold's training rows says."""
    rng = np.random.default_rng(len(labels))
    y = rng.permuted(np.repeat(labels, 20))
    lines = [f"{label} {labels.index(label) + 1}:1" if i % 3 == 0 else str(label) for i, label in enumerate(y)]
    (folder / "empty").write_text("\n".join(lines) + "\n")
    code = "import sys\nfrom liblinear.liblinearutil import *\ntrain(*svm_read_problem('empty'), sys.argv[1])"
    done = subprocess.run([tool("python"), "-c", code, options + " -q"], capture_output=True, text=True, cwd=folder, check=True)
    assert fine(folder, "liblinear-train", "-q", *options.split(), "empty") == done.stdout
    ours = subprocess.run(
        [tool("python"), "-c", code.replace("liblinear.", "dcsvm.", 1), options + " -q"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    assert ours.stdout == done.stdout


def test_more_folds_than_rows(folder):
    (folder / "few").write_text("1 1:1\n-1 1:-1\n1 1:2\n-1 1:-3\n")
    code, out, err = call(folder, "liblinear-train", "-v", 9, "few")
    assert (code, out) == (0, "Cross Validation Accuracy = 100%\n")
    assert err == "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)\n"


def test_options(folder):
    """Only the letter counts; -q, -C and -R take no value; options end at the first word without a dash."""
    fine(folder, "liblinear-train", "-quiet", "-solver", 2, "-cost", 0.5, "-Bias", 1, "-R", "train", "m")
    fine(folder, "liblinear-train", "-q", "-s", 2, "-c", 0.5, "-B", 1, "-R", "train", "m2")
    assert (folder / "m").read_bytes() == (folder / "m2").read_bytes()
    fine(folder, "liblinear-train", "-q", "train", "-q")
    assert (folder / "-q").exists()
    fine(folder, "liblinear-train", "-q", "-e", "abc1", "-e", 0.1, "-w3", 2, "-w3", 3, "train", "m")
    fine(folder, "liblinear-train", "-q", "-w3", 6, "train", "m2")
    assert (folder / "m").read_bytes() == (folder / "m2").read_bytes()
    assert pattern(fine(folder, "liblinear-train", "-s", 1, "train", "m"))[0] == "optimization finished, #iter = N"


def test_empty_file_and_index_0(folder):
    (folder / "empty").write_text("")
    fine(folder, "liblinear-train", "-q", "empty", "m")
    assert "nr_class 0\nlabel\nnr_feature 0\n" in (folder / "m").read_text()
    assert theirs.load_model(str(folder / "m")).nr_class == 0


WRONG = [
    *("1 1:2 1:3", "1 2:2 1:3", "1 1", "1 a:1", "1 1:b", "x 1:1", "1 1:nan", "", "# note", "1 -1:1", "1 0:1", "1 1:1e999"),
    "1:1",
]


def test_a_comment_behind_values(folder):
    (folder / "noted").write_text("1 1:1 # note\n-1 1:2 # 3:4\n")
    fine(folder, "liblinear-train", "-q", "noted", "m")


@pytest.mark.parametrize("line", WRONG)
def test_wrong_input(folder, line):
    (folder / "bad").write_text(f"1 1:1\n{line}\n-1 1:2\n")
    fine(folder, "liblinear-train", "-q", "train", "m")
    for args in (("liblinear-train", "bad"), ("liblinear-predict", "bad", "m", "out")):
        code, _, err = call(folder, *args)
        assert code == 1
        assert err.splitlines()[0] == "Wrong input format at line 2"
    assert not (folder / "out").exists()


def test_errors(folder):
    fine(folder, "liblinear-train", "-q", "train", "m")
    (folder / "damaged").write_text((folder / "m").read_text().replace("bias", "bais"))
    (folder / "labels").write_text("1 1:1\n3e10 1:2\n")
    search = "Warm-start parameter search only available for -s 0, -s 2 and -s 11\n"
    cases = {
        ("liblinear-train", "absent"): "can't open input file absent\n",
        ("liblinear-train", "-z", "1", "train"): "unknown option: -z\n",
        ("liblinear-train", "-v", "1", "train"): "n-fold cross validation: n must >= 2\n",
        ("liblinear-train", "-C", "-s", "1", "train"): search,
        ("liblinear-train", "-c", "-1", "train"): "ERROR: C <= 0\n",
        ("liblinear-train", "-e", "0", "train"): "ERROR: eps <= 0\n",
        ("liblinear-train", "-s", "8", "train"): "ERROR: unknown solver type\n",
        ("liblinear-train", "-s", "101", "train"): "ERROR: unknown solver type\n",
        ("liblinear-train", "-s", "11", "-p", "-1", "train"): "ERROR: p < 0\n",
        ("liblinear-train", "-R", "train"): "ERROR: To not regularize bias, must specify -B 1 along with -R\n",
        ("liblinear-train", "-s", "21", "-B", "1", "train"): "ERROR: prob->bias >=0, but this is ignored in ONECLASS_SVM\n",
        ("liblinear-train", "labels"): "ERROR: labels: row 1: label 3e+10 is not an int\n",
        ("liblinear-train", "train", "no/such/folder"): "can't save model to file no/such/folder\n",
        ("liblinear-train",): "",
        ("liblinear-train", "-c"): "",
        ("liblinear-predict", "absent", "m", "out"): "can't open input file absent\n",
        ("liblinear-predict", "test", "absent", "out"): "can't open model file absent\n",
        ("liblinear-predict", "test", "m", "no/such"): "can't open output file no/such\n",
        ("liblinear-predict", "-b", "1", "test", "m", "out"): "probability output is only supported for logistic regression\n",
        ("liblinear-predict", "-x", "test", "m", "out"): "unknown option: -x\n",
        ("liblinear-predict", "test", "m"): "",
        ("liblinear-predict", "-b"): "",
    }
    for args, expected in cases.items():
        code, out, err = call(folder, *args)
        assert (code, err) == (1, expected), args
        assert ("Usage:" in out) == (expected in ("", search) or "ption: -" in expected or expected.startswith("n-fold"))
    code, _, err = call(folder, "liblinear-train", "-s", "21", "-n", "1.5", "train", "m3")
    assert code == 1
    assert "nu" in err
    assert not (folder / "m3").exists()
    code, _, err = call(folder, "liblinear-predict", "test", "damaged", "out")
    assert code == 1
    assert err.endswith("can't open model file damaged\n")
    assert "unknown text in model file: [bais]" in err


@pytest.mark.parametrize(
    "command",
    [
        "liblinear-train train train",
        "liblinear-train train link",
        "liblinear-predict test m test",
        "liblinear-predict test m m",
        "liblinear-predict test damaged out",
        "liblinear-predict bad m old",
        "liblinear-predict -b 1 test m old",
        "liblinear-predict test m /dev/full",
        "liblinear-train bad old",
        "liblinear-train -q train /dev/full",
    ],
)
def test_failure_changes_no_file(folder, command):
    fine(folder, "liblinear-train", "-q", "train", "m")
    (folder / "link").symlink_to("train")
    (folder / "damaged").write_text((folder / "m").read_text()[:100])
    (folder / "bad").write_text("1 1:1\n-1 1:x\n")
    (folder / "old").write_text("old")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    code, _, err = call(folder, *command.split())
    assert code == 1
    assert err
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
