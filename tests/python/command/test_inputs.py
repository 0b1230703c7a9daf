"""Where the commands read and write: stdin and stdout, compressed files, CSV."""

import bz2
import functools
import gzip
import lzma
import os
import re
import subprocess

import numpy as np
import pytest

import _command
import dcsvm
from dcsvm._command.cli import main as cli_main


@pytest.fixture(scope="module")
def data():
    return dcsvm.datasets.make_checkerboard(300, random_state=1)


@pytest.fixture
def folder(tmp_path, data):
    x, y = data
    dcsvm.save_svmlight(tmp_path / "d.txt", x, y)
    text = (tmp_path / "d.txt").read_bytes()
    for end, module in ((".gz", gzip), (".bz2", bz2), (".xz", lzma)):
        (tmp_path / f"d.txt{end}").write_bytes(module.compress(text))
    np.savez(tmp_path / "d.npz", X=x, y=y)
    (tmp_path / "d.npz.gz").write_bytes(gzip.compress((tmp_path / "d.npz").read_bytes()))
    table = "\n".join(f"{b},{float(a[0])!r},{float(a[1])!r}" for a, b in zip(x, y, strict=True))
    (tmp_path / "d.csv").write_text(table + "\n")
    (tmp_path / "named.csv").write_text('"the class",first,second\n' + table)
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(table.encode()))
    dcsvm.train(x, y, gamma=4).save(tmp_path / "m")
    return tmp_path


cli, ok = (functools.partial(run, text=False) for run in (_command.cli, _command.ok))


def predicted(data):
    x, y = data
    return dcsvm.train(x, y, gamma=4).predict(x)


@pytest.mark.parametrize("name", ["d.txt.gz", "d.txt.bz2", "d.txt.xz", "d.npz.gz", "d.csv", "d.csv.gz", "named.csv"])
def test_every_format_is_read_alike(folder, data, name):
    done = ok(folder, "predict", name, "m", "-", "-q")
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), predicted(data))


def test_a_pipeline_of_stdin_and_stdout(folder, data):
    text = (folder / "d.txt").read_bytes()
    trained = ok(folder, "train", "-", "-", "-g", 4, "-q", input=text)
    assert (trained.stdout, trained.stderr) != (b"", b"")
    model = dcsvm.Model.from_bytes(trained.stdout)
    np.testing.assert_array_equal(model.predict(data[0]), predicted(data))
    done = ok(folder, "predict", "d.txt", "-", "-", "-q", input=trained.stdout)
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), predicted(data))
    assert b"support vectors" in ok(folder, "info", "-", input=trained.stdout).stdout
    loud = ok(folder, "train", "d.txt", "-", "-g", 4)
    assert dcsvm.Model.from_bytes(loud.stdout).n_features_in_ == 2
    assert b"converged" in loud.stderr, "the report is not in the model's way"
    done = ok(folder, "predict", "-", "m", "out", "--format", "csv", input=(folder / "d.csv").read_bytes())
    np.testing.assert_array_equal(np.loadtxt(folder / "out"), predicted(data))


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")
def test_the_devices_of_stdin_and_stdout(folder, data):
    done = ok(folder, "predict", "/dev/stdin", "m", "/dev/stdout", input=(folder / "d.txt").read_bytes())
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), predicted(data))
    assert done.stderr.startswith(b"accuracy")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipes(folder, data):
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["sh", "-c", "cat d.txt > pipe"], cwd=folder):
        done = ok(folder, "predict", "pipe", "m", "-", "-q")
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), predicted(data))


def test_the_label_column(folder, data):
    x, y = data
    np.savetxt(folder / "last.csv", np.c_[x, y], delimiter=",", header="a,b,class", comments="", fmt="%.17g")
    np.savetxt(folder / "none.csv", x, delimiter=",", fmt="%.17g")
    for column in ("3", "class"):
        done = ok(folder, "predict", "last.csv", "m", "out", "--label-column", column)
        assert done.stdout.startswith(b"accuracy"), "labels were found"
        np.testing.assert_array_equal(np.loadtxt(folder / "out"), predicted(data))
    done = ok(folder, "predict", "none.csv", "m", "-", "--label-column", "none")
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), predicted(data))
    assert done.stderr == b""


def test_text_labels_in_csv(folder, data):
    x, y = data
    words = np.where(y > 0, "yes", "no")
    rows = "\n".join(f"{w},{float(a[0])!r},{float(a[1])!r}" for a, w in zip(x, words, strict=True))
    (folder / "words.csv").write_text(rows + "\n")
    (folder / "titled.csv").write_text("class,a,b\n" + rows)
    for name in ("words.csv", "titled.csv"):
        ok(folder, "train", name, "w", "-g", 4, "--class-weight", "yes:2", "-q")
        model = dcsvm.load_model(folder / "w")
        assert model.classes_.tolist() == ["no", "yes"]
        np.testing.assert_array_equal(model.alpha, dcsvm.train(x, y, gamma=4, class_weight={1: 2.0}).alpha)
        done = ok(folder, "predict", name, "w", "out")
        assert done.stdout.startswith(b"accuracy")
        assert (folder / "out").read_text().split() == model.predict(x).tolist()


def test_weights_of_negative_labels_as_people_type_them(folder):
    ok(folder, "train", "d.txt", "joined", "--class-weight=-1:3", "--class-weight", "1:2", "-q")
    ok(folder, "train", "d.txt", "apart", "--class-weight", "-1:3", "--class-weight", "1:2", "-q")
    joined, apart = (dcsvm.load_model(folder / name) for name in ("joined", "apart"))
    np.testing.assert_array_equal(joined.alpha, apart.alpha)
    assert joined.alpha.max() == 3


def test_refusals_name_what_was_given(folder):
    (folder / "cut.gz").write_bytes((folder / "d.txt.gz").read_bytes()[:-20])
    (folder / "not.gz").write_bytes(b"1 1:2\n")
    (folder / "not.bz2").write_bytes(b"1 1:2\n")
    (folder / "not.xz").write_bytes(b"1 1:2\n")
    (folder / "bad.txt.gz").write_bytes(gzip.compress(b"1 1:1\n1 2:x\n"))
    (folder / "empty.csv").write_text("a,b\n")
    before = sorted(p.name for p in folder.iterdir())
    for args, text in [
        (("train", "cut.gz", "n"), "cut.gz: cannot be unpacked"),
        (("train", "not.gz", "n"), "not.gz: cannot be unpacked"),
        (("train", "not.bz2", "n"), "not.bz2: cannot be unpacked"),
        (("train", "not.xz", "n"), "not.xz: cannot be unpacked"),
        (("train", "absent.gz", "n"), "absent.gz: No such file"),
        (("train", "bad.txt.gz", "n"), "bad.txt.gz:2:5"),
        (("train", "empty.csv", "n"), "empty.csv: "),
        (("train", "d.csv", "n", "--label-column", "4"), "a place from 1 to 3, or none; got '4'"),
        (("train", "d.csv", "n", "--class-weight", "yes:2"), "class_weight has the label 'yes'"),
        (("train", "named.csv", "n", "--label-column", "third"), "the first line is the class, first, second"),
        (("train", "d.csv", "n", "--label-column", "none"), "no labels"),
        (("train", "d.csv", "n", "--zero-based"), "--zero-based is for svmlight text; d.csv is read as csv"),
        (("train", "d.txt", "n", "--label-column", "1"), "--label-column is for CSV; d.txt is read as svmlight"),
        (("train", "d.txt", "n", "--format", "npz"), "d.txt: "),
        (("predict", "-", "-", "n"), "cannot both come from stdin"),
        (("predict", "d.txt", "-", "n"), "stdin"),
        (("train", "-", "n"), "stdin:1"),
    ]:
        done = cli(folder, *args, input=b"nonsense\n")
        assert done.returncode == 1, (args, done)
        assert done.stderr.decode().startswith("dcsvm: error: "), done.stderr
        assert text in done.stderr.decode(), (args, done.stderr)
        assert len(done.stderr.splitlines()) == 1
    assert sorted(p.name for p in folder.iterdir()) == before, "nothing is left behind"


@pytest.mark.parametrize("between", [",", ";", "\t", " "])
def test_a_table_that_is_read_as_text_of_pairs_is_told_from_other_errors(between, tmp_path, capsys):
    (tmp_path / "t.tsv").write_text(f"1{between}2{between}3\n-1{between}4{between}5\n")
    assert cli_main(["train", str(tmp_path / "t.tsv"), str(tmp_path / "n")]) == 1
    found = capsys.readouterr().err
    assert "(or is it a CSV file?)" in found if between == "," else "(or is it a table? Columns are separated by commas" in found
    (tmp_path / "t.tsv").write_text("1 1:2\n-1 x\n")
    assert cli_main(["train", str(tmp_path / "t.tsv"), str(tmp_path / "n")]) == 1
    assert "'x' is not index:value\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1,2\n1,two\n", ":2: column 2 holds 'two', which is not a number: encode or leave out such columns"),
        (b"1,2\n1,2,3\n", ":2: expected 2 columns as in the first line, found 3"),
        (b"class,a\n1,2\n\n1,\n", ":4: column 2 (a) is empty: fill or drop missing values first"),
        (b"a,class\n1,yes\n", ":2: column 2 (class) holds 'yes', .*; if it holds the labels, give --label-column"),
        (b"1;2\n-1;3\n", ": expected commas between the columns, found semicolons"),
        (b"1\t2\n-1\t3\n", ": expected commas between the columns, found tabs"),
        (b"caf\xe9,2\n1,3\n", ": expected text in UTF-8, found the byte 0xe9: "),
        (b"1,2\n" * 20000 + b"caf\xe9,2\n", ": expected text in UTF-8, found the byte 0xe9: "),
    ],
    ids=range(8),
)
def test_what_makes_a_csv_unreadable_is_named(content, message, tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(content)
    assert cli_main(["train", str(tmp_path / "t.csv"), str(tmp_path / "n")]) == 1
    expected = re.escape(f"dcsvm: error: {tmp_path / 't.csv'}{message}").replace(r"\.\*", ".*")
    assert re.match(expected, capsys.readouterr().err)


def test_a_csv_with_a_byte_order_mark(folder):
    """Excel writes one."""
    (folder / "marked.csv").write_text("class,a\n1,0\n-1,2\n", encoding="utf-8-sig")
    (folder / "unnamed.csv").write_text("1,0\n-1,2\n", encoding="utf-8-sig")
    for given in (("marked.csv", "n", "--label-column", "class"), ("unnamed.csv", "n")):
        ok(folder, "train", *given)
        assert dcsvm.load_model(folder / "n").classes_.tolist() == [-1, 1]


def test_a_compressed_csv_from_stdin_is_refused(folder):
    done = cli(folder, "train", "-", "n", "--format", "csv", input=(folder / "d.csv.gz").read_bytes())
    assert done.returncode == 1
    assert done.stderr.decode().startswith(
        "dcsvm: error: stdin: expected text in UTF-8, found the byte 0x8b: unpack a compressed file"
    )


def test_what_a_csv_lacks_is_said(folder, data):
    (folder / "rows.csv").write_text("".join(f"{a!r},{b!r}\n" for a, b in data[0].astype(float).tolist()))
    refused = cli(folder, "predict", "rows.csv", "m", "-")
    assert b"expected 2 features beside the labels in the first column, found 1" in refused.stderr
    assert b"--label-column none" in refused.stderr
    assert len(cli(folder, "predict", "rows.csv", "m", "-", "--label-column", "none").stdout.split()) == len(data[1])
    scaled = cli(folder, "scale", "named.csv", "-")
    assert (scaled.returncode, b"dcsvm scale reads svmlight text, got csv" in scaled.stderr) == (1, True)
