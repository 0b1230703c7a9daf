"""CSV files in the commands: which lines, labels and names of columns are accepted."""

from pathlib import Path

import numpy as np
import pytest

import dcsvm
from dcsvm._command import table
from dcsvm._command.cli import main

NAMED = "kind,wide,long\nb,0,1\na,1,0\nb,0,2\na,2,0\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder: its exit code, and what it printed on stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*args):
        code = main([*map(str, args)])
        return code, *capsys.readouterr()

    return command


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("1,,0.5", "t.csv:1: column 2 is empty: fill or drop missing values first; a line of names that has"),
        ("1,NA,0.5", "t.csv:1: column 2 holds 'NA', which is not a number"),
        ("label,2019,2020", None),  # a label that is text
        ("1,nan,0.5", "t.csv:1: column 2 is nan: fill or drop"),
        ("yes,NA,NA", "t.csv:1: this line has no numbers, as a line of names, but its label 'yes' is that of other lines"),
        ("yes,,", "t.csv:1: column 2 is empty"),
    ],
)
def test_a_bad_cell_in_the_first_line_does_not_make_it_a_line_of_names(run, first, message):
    Path("t.csv").write_text(f"{first}\nyes,1,2\nno,2,1\n")
    code, _, said = run("train", "t.csv", "m", "-q")
    assert (code, said[: len("dcsvm: error: ")] == "dcsvm: error: ") == ((1, True) if message else (0, False))
    assert (message or "") in said


def test_a_line_of_names_with_numbers_is_chosen_by_the_label_column(run):
    Path("t.csv").write_text("label,2019,\n1,1,2\n-1,2,1\n")
    assert run("train", "t.csv", "m", "-q")[0] == 1
    assert run("train", "t.csv", "m", "-q", "--label-column", "label")[0] == 0
    assert dcsvm.load_model("m").feature_names_in_.tolist() == ["2019", ""]


def test_a_number_of_a_column_is_not_taken_for_a_name(run):
    """The first line holds the cell 1, and --label-column 1 means the first column."""
    Path("t.csv").write_text("1,1,2\n-1,2,1\n")
    assert run("train", "t.csv", "m", "-q", "--label-column", 1)[0] == 0
    assert dcsvm.load_model("m").n_support_.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,1,2\n,2,1\n-1,1,1\n", "t.csv:2: the label is empty: fill or drop missing values first"),
        ("a,1,2\nb,2,1\n ,1,1\n", "t.csv:3: the label is empty"),
        ("1,1,2\nnan,2,1\n-1,1,1\n", "t.csv:2: the label is nan"),
        (",1,2\n,2,1\n", "t.csv: no labels"),
        ("kind,a,b\nx,1,2\ny,2,inf\n", "t.csv:3: column 3 (b) is inf"),
    ],
)
def test_missing_labels_are_named(run, rows, message):
    Path("t.csv").write_text(rows)
    code, _, said = run("train", "t.csv", "m")
    assert code == 1
    assert said.startswith(f"dcsvm: error: {message}")


def test_a_table_without_labels_is_predicted_without_accuracy(run):
    Path("t.csv").write_text("1,1,2\n-1,2,1\n")
    Path("new.csv").write_text(",1,2\n,2,1\n")
    run("train", "t.csv", "m", "-q")
    assert run("predict", "new.csv", "m", "out") == (0, "", "")
    assert Path("out").read_text() == "1\n-1\n"


@pytest.mark.filterwarnings("always")
def test_labels_of_two_kinds_are_warned_of(run):
    Path("t.csv").write_text("1,1,2\n-1,2,1\nx,1,1\n")
    code, _, said = run("train", "t.csv", "m", "-q")
    assert code == 0
    assert said == "dcsvm: warning: t.csv:3: the label 'x' is not a number, unlike '1': all labels are taken as text\n"
    Path("numbers.csv").write_text("1,1,2\n-1,2,1\n")
    code, out, said = run("predict", "numbers.csv", "m", "out")
    assert (code, out) == (0, "")
    assert said == "dcsvm: warning: no accuracy: the model predicts text, and the labels of numbers.csv are numbers\n"
    assert run("predict", "numbers.csv", "m", "out", "-q") == (0, "", "")


def test_columns_are_compared_by_their_names(run):
    Path("t.csv").write_text(NAMED)
    Path("swapped.csv").write_text("kind,long,wide\nb,1,0\na,0,1\n")
    Path("other.csv").write_text("kind,wide,height\nb,1,0\na,0,1\n")
    Path("bare.csv").write_text("b,0,1\na,1,0\n")
    run("train", "t.csv", "m", "-q")
    assert dcsvm.load_model("m").feature_names_in_.tolist() == ["wide", "long"]
    for name, found in (
        ("swapped.csv", "'long' stands where 'wide' was expected"),
        ("other.csv", "not seen in training: height; missing: long"),
    ):
        code, _, said = run("predict", name, "m", "out")
        assert code == 1
        assert said.startswith(f"dcsvm: error: {name}: the columns should have the names of the training")
        assert found in said
    for name, rows in (("t.csv", 4), ("bare.csv", 2)):
        assert run("predict", name, "m", "out")[:2] == (0, f"accuracy 100.00 % ({rows} of {rows})\n")


@pytest.mark.parametrize("method", ["exact", "low-rank", "linear"])
def test_text_labels_with_every_method(run, method):
    Path("t.csv").write_text(NAMED)
    assert run("train", "t.csv", "m", "-q", "--method", method, "--class-weight", "b:2")[0] == 0
    assert dcsvm.load_model("m").classes_.tolist() == ["a", "b"]
    assert run("predict", "t.csv", "m", "out") == (0, "accuracy 100.00 % (4 of 4)\n", "")
    assert Path("out").read_text().split() == ["b", "a", "b", "a"]


def test_text_labels_of_low_rank_and_linear_trainings():
    x, y = dcsvm.datasets.make_checkerboard(200, random_state=1)
    words = np.where(y > 0, "yes", "no")
    for train, options in (
        (dcsvm.train_linear, {}),
        (dcsvm.train_low_rank, {"gamma": 4, "n_landmarks": 50}),
        (lambda *a, **k: dcsvm.low_rank_path(*a, [1.0], **k).models[0], {"gamma": 4, "n_landmarks": 50}),
    ):
        model = train(x, words, class_weight={"yes": 2.0}, **options)
        numbers = train(x, y, class_weight={1: 2.0}, **options)
        assert model.predict(x).tolist() == np.where(numbers.predict(x) > 0, "yes", "no").tolist()
    with pytest.raises(ValueError, match="unlabelled=-1 is a number, but y holds text"):
        dcsvm.train_low_rank(x, words, unlabelled=-1)
    with pytest.raises(ValueError, match="a regression predicts numbers"):
        dcsvm.train_linear(x, words, solver="svr_squared")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("y,a,b\n-1,1,2,3\n1,2,3,4\n", (), "t.csv: the first line has 3 columns and the others have 4"),
        ('"a","y"\n"1",0.5,-1\n"2",0.25,1\n', ("--label-column", "y"), "has 2 columns and the others have 3"),  # R's write.table
        ("-1,0.5\n1,0.25\n", ("--label-column", "-1"), "a place from 1 to 2, or none; got '-1'"),
        ("-1,0.5\n1,0.25\n", ("--label-column", ""), "got ''"),
        (",y,a\n0,-1,1\n1,1,2\n", (), "column 1 has no name, as row numbers have none"),
        ("9007199254740992,1\n9007199254740993,2\n", (), "labels beyond 2^53"),
        ("cat,1\ndog,2\nnan,3\n", (), "t.csv:3: the label is nan"),
        ('cat,1\n"cat,2\ndog,3\n"dog,4\n', (), "goes over several lines: a quote may have no end"),
        ("\n1,2\n2,3\n", (), "the first line is empty"),
        ("", (), "the first line is empty"),
        ('y,"a\n' + "1,2\n" * 40000, (), "a quote may have no end"),
        ("1,1_000\n-1,2\n", (), "column 2 holds '1_000', which is not a number"),
    ],
)
def test_what_is_no_table(run, text, column, message):
    Path("t.csv").write_text(text)
    code, _, said = run("train", "t.csv", "m", "-q", *column)
    assert code == 1
    assert message in said
    assert not Path("m").exists()


@pytest.mark.filterwarnings("always")
def test_a_line_of_names_that_may_be_taken_for_a_row_is_named(run):
    rows = "".join(f"{'dog' if i % 2 else 'cat'},{i},{i % 3}\n" for i in range(12))
    Path("t.csv").write_text("species,0,1\n" + rows)
    code, _, said = run("train", "t.csv", "m", "-q")
    assert code == 0
    assert "t.csv:1: the label 'species' occurs in this line alone" in said
    assert "give --label-column species" in said
    assert run("train", "t.csv", "m", "-q", "--label-column", "species")[2] == ""
    assert dcsvm.load_model("m").classes_.tolist() == ["cat", "dog"]


@pytest.mark.filterwarnings("always")
def test_row_numbers_of_pandas_are_left_out(run):
    Path("t.csv").write_text(",y,a\n" + "".join(f"{i},{i % 2},{i % 2 + 0.01 * i}\n" for i in range(8)))
    code, _, said = run("train", "t.csv", "m", "-q", "--label-column", "y")
    assert code == 0
    assert "column 1 has no name: it is taken for row numbers and left out" in said
    assert dcsvm.load_model("m").feature_names_in_.tolist() == ["a"]
    code, out, _ = run("predict", "t.csv", "m", "o", "--label-column", "y")
    assert (code, "accuracy 100.00 %" in out) == (0, True)


def test_names_with_line_ends(run):
    Path("t.csv").write_text('y,"height\n(cm)",b\n1,2,3\n-1,3,4\n')
    assert run("train", "t.csv", "m", "-q")[0] == 0
    assert dcsvm.load_model("m").feature_names_in_.tolist() == ["height\n(cm)", "b"]


def test_ctrl_c_while_labels_are_read(run, monkeypatch):
    Path("t.csv").write_text("cat,1\ndog,2\n")

    def interrupted(*_):
        raise KeyboardInterrupt

    loadtxt = np.loadtxt

    def with_interrupt(*args, converters, **kwargs):
        return loadtxt(*args, converters=dict.fromkeys(converters, interrupted), **kwargs)

    monkeypatch.setattr(table.np, "loadtxt", with_interrupt)
    with pytest.raises(KeyboardInterrupt):
        table.read(Path("t.csv"), None, "t.csv")


@pytest.mark.parametrize("how", [("--formulation", "one_class"), ("--method", "linear", "--solver", "one_class")])
def test_one_class_needs_no_labels(run, how):
    Path("t.csv").write_text("a,b\n" + "".join(f"{i % 5},{i % 3}\n" for i in range(30)))
    assert run("train", "t.csv", "m", "-q", "--label-column", "none", *how)[0] == 0
    assert "leave out --label-column none" in run("train", "t.csv", "m", "-q", "--label-column", "none")[2]


def test_a_model_on_stdout_is_alone_there(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("".join(f"{i % 2},{i % 2 + 0.01 * i}\n" for i in range(40)))
    assert main(["grid", "t.csv", "-C", "1", "-g", "1", "--folds", "2", "--save", "-"]) == 0
    out, said = capfdbinary.readouterr()
    assert out.startswith(b"\x89DCSVM")
    assert b"best" in said
