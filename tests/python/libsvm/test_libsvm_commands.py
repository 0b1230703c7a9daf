"""svm-train, svm-predict and svm-scale: LIBSVM's options, files, text, errors and exit codes."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _commands import call, fine, program
from dcsvm import svmutil


@pytest.fixture
def folder(tmp_path, board):
    dcsvm.save_svmlight(tmp_path / "train", board[0][:400], board[1][:400])
    dcsvm.save_svmlight(tmp_path / "test", board[0][400:600], board[1][400:600])
    return tmp_path


def test_the_commands_are_ours(folder):
    assert "DCSVM_NUM_THREADS" in call(folder, "svm-train")[1]


def test_train_and_predict(folder, board):
    text = fine(folder, "svm-train", "-c", 10, "-g", 4, "train")
    assert re.fullmatch(
        r"[.*]*\*\noptimization finished, #iter = \d+\nnu = 0\.\d{6}\nobj = -\d+\.\d{6}, rho = -?\d+\.\d{6}\n"
        r"nSV = \d+, nBSV = \d+\nTotal nSV = \d+\n",
        text,
    )
    assert (folder / "train.model").exists(), "the default name, in the current folder"
    model = dcsvm.train(board[0][:400], board[1][:400], C=10, gamma=4)
    right = int((model.predict(board[0][400:600]) == board[1][400:600]).sum())
    assert (
        fine(folder, "svm-predict", "test", "train.model", "out") == f"Accuracy = {right / 2:g}% ({right}/200) (classification)\n"
    )
    assert np.array_equal(np.loadtxt(folder / "out"), model.predict(board[0][400:600]))
    assert fine(folder, "svm-train", "-q", "-c", 10, "-g", 4, "train", "m") == ""
    assert fine(folder, "svm-predict", "-q", "test", "m", "out2") == ""
    assert (folder / "out").read_bytes() == (folder / "out2").read_bytes()


def test_a_compressed_file_goes_through_a_pipe(folder):
    """As docs/libsvm.md and the error message say."""
    (folder / "train.gz").write_bytes(gzip.compress((folder / "train").read_bytes()))
    fine(folder, "svm-train", "-q", "train", "m")
    command = (
        f"gzip -dc train.gz | {program('svm-train')} -q /dev/stdin piped && {program('svm-train')} -q <(gzip -dc train.gz) named"
    )
    subprocess.run(["bash", "-c", command], cwd=folder, check=True)
    assert (folder / "m").read_bytes() == (folder / "piped").read_bytes() == (folder / "named").read_bytes()
    assert "found a compressed file: unpack it first" in "".join(map(str, call(folder, "svm-train", "train.gz", "n")))


def test_same_model_as_svmutil(folder):
    for options in (
        "-s 0 -w1 2",
        "-s 1 -n 0.3",
        "-s 2 -n 0.2",
        "-s 3 -p 0.2",
        "-s 4 -n 0.3",
        "-t 0 -c 0.1",
        "-t 1 -d 2 -r 1 -g 1",
        "-h 0",
    ):
        fine(folder, "svm-train", "-q", *options.split(), "train", "m")
        y, x = svmutil.svm_read_problem(folder / "train")
        svmutil.svm_save_model(folder / "m2", svmutil.svm_train(y, x, options + " -q"))
        assert (folder / "m").read_bytes() == (folder / "m2").read_bytes(), options


def test_regression(folder, board):
    rng = np.random.default_rng(0)
    x = rng.random((200, 3))
    dcsvm.save_svmlight(folder / "r", x, x[:, 0] + x[:, 1] ** 2)
    assert re.search(r"\nepsilon = 0\.\d+\nobj", fine(folder, "svm-train", "-s", 4, "-c", 10, "r", "m"))
    out = fine(folder, "svm-predict", "r", "m", "out")
    assert re.fullmatch(
        r"Mean squared error = \S+ \(regression\)\nSquared correlation coefficient = 0\.9\d+ \(regression\)\n", out
    )
    assert np.loadtxt(folder / "out") == pytest.approx(x[:, 0] + x[:, 1] ** 2, abs=0.2)
    assert re.fullmatch(
        r"Cross Validation Mean squared error = \S+\nCross Validation Squared correlation coefficient = \S+\n",
        fine(folder, "svm-train", "-q", "-s", 3, "-v", 5, "r"),
    )


def test_cross_validation(folder):
    line = fine(folder, "svm-train", "-v", 5, "-c", 10, "-g", 4, "train").splitlines()[-1]
    accuracy = float(re.fullmatch(r"Cross Validation Accuracy = (\S+)%", line)[1])
    assert 80 < accuracy <= 100
    assert not (folder / "train.model").exists()


def test_probabilities(folder):
    fine(folder, "svm-train", "-q", "-b", 1, "-c", 10, "-g", 4, "train", "m")
    fine(folder, "svm-predict", "-b", 1, "test", "m", "out")
    lines = (folder / "out").read_text().splitlines()
    model = svmutil.svm_load_model(folder / "m")
    assert lines[0] == "labels " + " ".join(map(str, model.get_labels()))
    p = np.array([line.split() for line in lines[1:]], dtype=float)
    assert p.shape == (200, 3)
    np.testing.assert_allclose(p[:, 1:].sum(axis=1), 1, atol=1e-5)
    assert fine(folder, "svm-predict", "test", "m", "out").startswith(
        "Model supports probability estimates, but disabled in prediction.\nAccuracy = "
    )
    fine(folder, "svm-train", "-q", "-s", 2, "-b", 1, "-g", 4, "train", "m")
    fine(folder, "svm-predict", "-b", 1, "test", "m", "out")
    assert (folder / "out").read_text().startswith("label normal outlier\n")
    fine(folder, "svm-train", "-q", "-s", 3, "-b", 1, "-g", 4, "train", "m")
    assert fine(folder, "svm-predict", "-b", 1, "test", "m", "out").startswith("Prob. model for test data: target value = ")


def test_precomputed(folder, board):
    x, y, xt = board[0][:100], board[1][:100], board[0][100:150]

    def write(name, labels, first, kernel):
        with (folder / name).open("w") as file:
            for label, serial, row in zip(labels, first, kernel, strict=True):
                file.write(" ".join([f"{label:g} 0:{serial}", *(f"{j + 1}:{v!r}" for j, v in enumerate(row))]) + "\n")

    write("k", y, range(1, 101), (x @ x.T).tolist())
    write("kt", board[1][100:150], [0] * 50, (xt @ x.T).tolist())
    fine(folder, "svm-train", "-q", "-t", 4, "k", "m")
    fine(folder, "svm-predict", "-q", "kt", "m", "out")
    model = dcsvm.train(x, y, kernel="linear")
    assert (np.loadtxt(folder / "out") == model.predict(xt)).mean() > 0.97
    (folder / "k").write_text("1 1:2\n-1 1:3\n")
    assert call(folder, "svm-train", "-t", 4, "k")[0::2] == (
        1,
        "Wrong input format: first column must be 0:sample_serial_number\n",
    )
    (folder / "k").write_text("1 0:9 1:2\n-1 0:1 1:3\n")
    assert call(folder, "svm-train", "-t", 4, "k")[0::2] == (1, "Wrong input format: sample_serial_number out of range\n")


WRONG = [
    *("1 1:2 1:3", "1 2:2 1:3", "1 1", "1 a:1", "1 1:b", "x 1:1", "1 1:nan", "", "# note", "1 -1:1", "1 1:1e999"),
    *("1:1", "1 1:", "1 1: 2:3", "1 0x1:1", "1 ++1:1", "1 1:0x", "0x 1:1", "1 1:0x1p1024", "1 1:inf", "inf 1:1"),
]


def test_a_comment_behind_values(folder):
    (folder / "noted").write_text("1 1:1 # note\n-1 1:2 # 3:4\n")
    fine(folder, "svm-train", "-q", "noted", "m")


PLAIN = "1 1:8 2:2\n-1 1:1 2:0.5\n1 1:9 2:-1\n-1 2:3\n"
ODD = "+0x1 +1:0x1p3 02: 2\n-0X1p0 1:+1.\t+02:\t0x.8\n  +1.0 1:0x9p+0  2:-0x2P-1\r\n-1 002:.3e1\n"


def test_numbers_as_strtol_and_strtod_read_them(folder):
    """LIBSVM's commands and LIBLINEAR's read both texts; checked with those of LIBSVM 3.37 and LIBLINEAR 2.50."""
    for name, text in (("plain", PLAIN), ("odd", ODD)):
        (folder / name).write_text(text, newline="")
        fine(folder, "svm-train", "-q", "-t", 0, name, f"{name}.model")
        fine(folder, "svm-predict", name, f"{name}.model", f"{name}.out")
        fine(folder, "liblinear-train", "-q", name, f"{name}.linear")
        fine(folder, "liblinear-predict", name, f"{name}.linear", f"{name}.labels")
        (folder / f"{name}.scaled").write_text(fine(folder, "svm-scale", "-s", f"{name}.ranges", name))
    for end in ("model", "out", "linear", "labels", "scaled", "ranges"):
        assert (folder / f"odd.{end}").read_bytes() == (folder / f"plain.{end}").read_bytes(), end
    ranges = (folder / "plain.ranges").read_text()
    assert "1 0 9\n" in ranges
    (folder / "odd.ranges").write_text(ranges.replace("1 0 9\n", " +01 -0x0p1\n0X9 "))
    again = fine(folder, "svm-scale", "-r", "odd.ranges", "odd")
    assert again == (folder / "plain.scaled").read_text()
    x, y = dcsvm.load_svmlight(folder / "odd")
    assert x.toarray().tolist() == [[8, 2], [1, 0.5], [9, -1], [0, 3]]
    assert y.tolist() == [1, -1, 1, -1]


def test_the_largest_index(folder):
    (folder / "wide").write_text("1 1:1 2147483647:1\n-1 1:-1\n")
    fine(folder, "svm-train", "-q", "-g", 1, "wide", "m")
    assert "2147483647:1 " in (folder / "m").read_text()
    fine(folder, "svm-predict", "wide", "m", "out")
    assert (folder / "out").read_text() == "1\n-1\n"
    fine(folder, "svm-train", "-q", "train", "narrow")
    assert fine(folder, "svm-predict", "wide", "narrow", "out").startswith("Accuracy")
    fine(folder, "liblinear-train", "-q", "train", "linear")
    fine(folder, "liblinear-predict", "wide", "linear", "out")
    x, _ = dcsvm.load_svmlight(folder / "wide")
    assert x.shape == (2, 2147483647)
    assert dcsvm.load_model(folder / "m").predict(x).tolist() == [1, -1]
    for command in ("svm-train", "svm-scale", "liblinear-train"):
        (folder / "wider").write_text("1 1:1 2147483648:1\n")
        code, _, err = call(folder, command, "wider")
        assert code == 1
        assert "too large (at most 2147483647)" in err


@pytest.mark.parametrize("line", WRONG)
def test_wrong_input(folder, line):
    (folder / "bad").write_text(f"1 1:1\n{line}\n-1 1:2\n")
    fine(folder, "svm-train", "-q", "train", "m")
    for args in (("svm-train", "bad"), ("svm-predict", "bad", "m", "out"), ("svm-scale", "bad")):
        code, _, err = call(folder, *args)
        assert code == 1
        assert err.splitlines()[0] == "Wrong input format at line 2"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory can be limited on Linux alone")
def test_no_memory(folder):
    (folder / "wide").write_text("1 1:1\n-1 2147483646:1\n")
    before = sorted(folder.iterdir())
    limited = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", program("svm-scale"), "-s", "factors", "wide"]
    done = subprocess.run(limited, capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "ERROR: out of memory\n")
    assert sorted(folder.iterdir()) == before


def test_errors(folder):
    fine(folder, "svm-train", "-q", "train", "m")
    (folder / "damaged").write_text((folder / "m").read_text().replace("rbf", "xyz"))
    overflow = "X: kernel values overflow (infinity or NaN)"
    (folder / "labels").write_text("1 1:1\n3e10 1:2\n")
    (folder / "huge").write_text("1 1:1\n1 1:1e300\n1 1:2\n")
    cases = {
        ("svm-train", "absent"): "can't open input file absent\n",
        ("svm-train", "-z", "1", "train"): "Unknown option: -z\n",
        ("svm-train", "-v", "1", "train"): "n-fold cross validation: n must >= 2\n",
        ("svm-train", "-c", "-1", "train"): "ERROR: C <= 0\n",
        ("svm-train", "-s", "7", "train"): "ERROR: unknown svm type\n",
        ("svm-train", "-t", "7", "train"): "ERROR: unknown kernel type\n",
        ("svm-train", "-s", "1", "-n", "0.99", "train"): "ERROR: specified nu is infeasible\n",
        ("svm-train", "labels"): "ERROR: labels: row 1: label 3e+10 is not an int\n",
        ("svm-train", "-s", "2", "huge"): f"ERROR: huge: {overflow}; scale the features\n",
        ("svm-train", "-s", "2", "-v", "2", "huge"): f"ERROR: huge: {overflow}; scale the features\n",
        ("svm-predict", "huge", "m", "out"): f"ERROR: huge: {overflow} at row 1; is it scaled as the training data was?\n",
        ("svm-train", "train", "no/such/folder"): "can't save model to file no/such/folder\n",
        ("svm-train",): "",
        ("svm-train", "-c"): "",
        ("svm-predict", "absent", "m", "out"): "can't open input file absent\n",
        ("svm-predict", "test", "absent", "out"): "can't open model file absent\n",
        ("svm-predict", "test", "m", "no/such"): "can't open output file no/such\n",
        ("svm-predict", "-b", "1", "test", "m", "out"): "Model does not support probabiliy estimates\n",
        ("svm-predict", "-x", "test", "m", "out"): "Unknown option: -x\n",
        ("svm-predict", "test", "m"): "",
        ("svm-scale",): "",
        ("svm-scale", "-x", "train"): "unknown option\n",
        ("svm-scale", "-l", "2", "train"): "inconsistent lower/upper specification\n",
        ("svm-scale", "-y", "2", "1", "train"): "inconsistent lower/upper specification\n",
        ("svm-scale", "-s", "a", "-r", "b", "train"): "cannot use -r and -s simultaneously\n",
        ("svm-scale", "absent"): "can't open file absent\n",
        ("svm-scale", "-r", "absent", "train"): "can't open file absent\n",
    }
    for args, expected in cases.items():
        code, out, err = call(folder, *args)
        assert (code, err) == (1, expected), args
        assert ("Usage:" in out) == (expected == "" or "ption: -" in expected or expected.startswith(("unknown o", "n-fold")))
    code, _, err = call(folder, "svm-predict", "test", "damaged", "out")
    assert code == 1
    assert "unknown kernel function" in err
    assert err.endswith("can't open model file damaged\n")


@pytest.mark.parametrize(
    "command",
    [
        "svm-train train train",
        "svm-train train link",
        "svm-predict test m test",
        "svm-predict test m m",
        "svm-scale -s train train",
    ],
)
def test_what_is_read_is_never_overwritten(folder, command):
    fine(folder, "svm-train", "-q", "train", "m")
    (folder / "link").symlink_to("train")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    code, out, err = call(folder, *command.split())
    assert (code, out) == (1, "")
    assert err.startswith("ERROR: ")
    assert "would overwrite" in err
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize(
    "command",
    [
        "svm-predict test damaged out",
        "svm-predict bad m out",
        "svm-predict test damaged old",
        "svm-predict bad m old",
        "svm-predict -b 1 test m old",
        "svm-predict test m /dev/full",
        "svm-scale -s old bad",
        "svm-scale -s /dev/full train",
        "svm-train bad old",
        "svm-train -q train /dev/full",
    ],
)
def test_failure_leaves_no_output_and_keeps_the_old_one(folder, command):
    fine(folder, "svm-train", "-q", "train", "m")
    (folder / "damaged").write_text((folder / "m").read_text()[:500])
    (folder / "bad").write_text("1 1:1\n-1 1:x\n")
    (folder / "old").write_text("old")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    code, _, err = call(folder, *command.split())
    assert code == 1
    assert err
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["svm-train train n", "svm-train -v 2 train", "svm-predict test m out", "svm-scale train"])
def test_what_cannot_be_written_to_stdout_is_an_error(folder, command):
    fine(folder, "svm-train", "-q", "train", "m")
    name, *arguments = command.split()
    with open("/dev/full", "w") as full:
        done = subprocess.run([program(name), *arguments], stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert done.returncode == 1
    assert "can't write to stdout" in done.stderr


def test_no_zero_is_written_with_a_sign(folder):
    """Symmetric rows, whose bias is 0 or a rounding error, with both orders of the labels."""
    for labels in ((1, -1), (-1, 1), (0, 1)):
        (folder / "sym").write_text("".join(f"{labels[v < 0]} 1:{v}\n" for v in (1, 2, -1, -2)) + f"{labels[1] + 3} 2:3\n")
        for kernel in (0, 2):
            out = fine(folder, "svm-train", "-t", kernel, "-g", 1, "sym", "m")
            assert "-0.000000" not in out
            assert not re.search(r" -0( |$)", (folder / "m").read_text(), re.MULTILINE)


def test_features_of_very_different_scale_are_a_warning(folder, board):
    dcsvm.save_svmlight(folder / "wide", board[0][:400] * [1e6, 1], board[1][:400])
    for options in (["wide", "m"], ["-v", 2, "wide"]):
        code, _, err = call(folder, "svm-train", "-q", "-g", 1e-12, *options)
        assert code == 0
        assert "WARNING: features differ in scale by a factor of 1e+06 or more: column 0 is wide" in err
    code, _, err = call(folder, "svm-train", "-q", "-s", 1, "-n", 0.9, "-t", 0, "train", "m")
    assert code == 0
    assert "WARNING: the margin r of nu_svc" in err


def test_output_through_a_link_and_into_a_device(folder):
    fine(folder, "svm-train", "-q", "train", "m")
    (folder / "there").write_text("old")
    (folder / "link").symlink_to("there")
    fine(folder, "svm-predict", "test", "m", "link")
    assert (folder / "link").is_symlink()
    assert len((folder / "there").read_text().splitlines()) == 200
    assert fine(folder, "svm-predict", "-q", "test", "m", "/dev/stdout") == (folder / "there").read_text()
    with open(folder / "out", "wb") as out:  # a file that is printed into is not replaced
        subprocess.run([program("svm-predict"), "test", "m", "/dev/stdout"], cwd=folder, stdout=out, check=True)
    assert re.fullmatch(r"(-?1\n){200}Accuracy = .*\n", (folder / "out").read_text())


def test_scale_by_hand(tmp_path):
    (tmp_path / "a").write_text("1 1:2 2:5 4:1\n-2 1:4 3:0.1 4:1\n3 2:-5 4:1\n")
    assert fine(tmp_path, "svm-scale", "-s", "range", "a") == "1 2:1 3:-1 \n-2 1:1 3:1 \n3 1:-1 2:-1 3:-1 \n"
    assert (tmp_path / "range").read_text() == "x\n-1 1\n1 0 4\n2 -5 5\n3 0 0.10000000000000001\n"
    assert fine(tmp_path, "svm-scale", "-r", "range", "a") == fine(tmp_path, "svm-scale", "a")
    assert fine(tmp_path, "svm-scale", "-l", 0, "-y", 0, 10, "-s", "r2", "a") == "6 1:0.5 2:1 \n0 1:1 2:0.5 3:1 \n10 \n"
    assert (tmp_path / "r2").read_text().startswith("y\n0 10\n-2 3\nx\n0 1\n1 0 4\n")
    (tmp_path / "b").write_text("3 1:8 5:7\n-2 1:0\n")
    code, out, err = call(tmp_path, "svm-scale", "-r", "r2", "b")
    assert (code, out) == (0, "10 1:2 2:0.5 \n0 2:0.5 \n")
    text = "WARNING: feature index 5 appeared in file b was not seen in the scaling factor file r2. The feature is scaled to 0.\n"
    assert err == text
    (tmp_path / "z").write_text("1 0:1 1:2\n2 0:3 1:2\n")
    code, out, err = call(tmp_path, "svm-scale", "z")
    assert (code, out) == (0, "1 0:-1 \n2 0:1 \n")
    assert err.startswith("WARNING: minimal feature index is 0, but indices should start from 1\n")
    for text in ("", "q\n", "x\n1\n", "x\n-1 1\n2 0 1\n1 0 1\n", "x\n-1 1\n1 0\n", "y\n1\n"):
        (tmp_path / "bad").write_text(text)
        assert call(tmp_path, "svm-scale", "-r", "bad", "a")[0] == 1, text


def debians(name: str) -> str:
    path = Path("/usr/bin") / name
    if not path.exists():
        pytest.skip(f"{path} is not installed (Debian's libsvm-tools)")
    return str(path)


def test_scale_like_libsvm(folder):
    theirs = debians("svm-scale")
    for options in (["-l", "-1"], ["-l", "0"], ["-l", "0", "-u", "3", "-y", "-1", "1"]):
        done = subprocess.run([theirs, *options, "-s", "theirs", "train"], capture_output=True, text=True, cwd=folder)
        assert call(folder, "svm-scale", *options, "-s", "ours", "train")[1:] == (done.stdout, done.stderr)
        assert np.loadtxt((folder / "ours").read_text().splitlines()[-2:]) == pytest.approx(
            np.loadtxt((folder / "theirs").read_text().splitlines()[-2:])
        )
