"""The command that measures what the pages state: what is stale, and the tables of files with runs of their own kind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
pages = pytest.importorskip("bench.pages", reason="bench/ is not beside tests/")
from bench import command, torchkm_table  # noqa: E402
from bench.__main__ import Parser  # noqa: E402
from bench.arguments import add_arguments  # noqa: E402
from bench.store import RunFile  # noqa: E402


def git(folder, *words):
    name = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    return subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with two folders; returns it and its commit."""
    git(tmp_path, "init", "-q")
    for folder in ("core", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text("one")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    return tmp_path, git(tmp_path, "rev-parse", "--short", "HEAD")


def test_results_are_stale_when_what_they_measure_has_changed(checkout):
    folder, commit = checkout
    step = pages.Step("measured", ("core",), "bench", (), 1)
    assert pages.stale(step) == "not measured"

    def measured_at(commit):
        step.path.write_text(json.dumps({"session": {"id": "1", "date": "2026-11-28", "cpu": "one", "commit": commit}}) + "\n")

    measured_at(commit)
    assert pages.stale(step) == ""
    assert pages.state(step) == f"2026-11-28, one, commit {commit}; up to date"
    (folder / "other" / "file").write_text("two")
    assert pages.stale(step) == ""
    (folder / "core" / "file").write_text("two")
    assert pages.stale(step) == f"stale: core changed since {commit}"
    git(folder, "commit", "-qam", "two")
    assert pages.stale(step) == f"stale: core changed since {commit}"
    for unknown, why in (("0123456", "stale: core changed since 0123456"), ("", "stale: its session names no commit")):
        measured_at(unknown)
        assert pages.stale(step) == why


@pytest.mark.parametrize("name", pages.STEPS)
def test_steps_name_folders_and_commands_that_exist(name):
    step = pages.STEPS[name]
    assert all((ROOT / folder).is_dir() for folder in step.measures)
    for words in (step.command.format(file="new.jsonl"), *step.page):
        program, *options = words.split()
        if program == "bench":
            parser = Parser(prog="bench")
            add_arguments(parser)
            command._check(parser.parse_args(options if options != ["--report"] else []))
        else:
            assert (ROOT / f"{program.replace('.', '/')}.py").is_file()


def run(session, seconds, **other):
    asked = {"rows": 10_000, "columns": 10, "seed": 0, "larger_C": 1.0, "cache_size": 200.0}
    return {**asked, "seconds": seconds, "fresh": 0.85, "session": session, **other}


def test_the_table_of_torchkm_has_medians_of_the_newest_session_on_an_idle_machine(tmp_path):
    where = {"date": "2026-11-28", "cpu": "one", "cores": 2, "commit": "abc", "dcsvm": {"isa": "avx2"}}
    sessions = {"a": 0.1, "b": 0.2, "c": 7.0}
    runs = [
        *(run("a", s) for s in (9.0, 9.0)),
        *(run("b", s) for s in (3.0, 1.0, 2.0)),
        run("b", 0.1, larger_C=1000.0),
        *(run("c", s) for s in (0.5,)),
    ]
    lines = [{"session": {"id": key, "load_average_at_start": load, **where}} for key, load in sessions.items()]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *({"run": r} for r in runs)]))
    file = RunFile(path)
    assert file.runs == runs
    assert torchkm_table.table(file).splitlines() == [
        "Measured 2026-11-28, one (2 cores, avx2), commit abc.",
        "",
        "| rows | columns | `cache_size` | dcsvm, s (runs) | TorchKM, L40S | ThunderSVM, L40S | scikit-learn "
        "| accuracy on fresh rows |",
        "|---|---|---|---|---|---|---|---|",
        "| 10,000 | 10 | 200 MB | 2.0 (3) | 23.3 | 38 | 1,131 | 0.8500 |",
    ]


def test_the_table_of_torchkm_stays_where_no_run_is_there(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    before = f"{torchkm_table.BEGIN}\na table\n{torchkm_table.END}\n"
    page.write_text(before)
    monkeypatch.setattr(torchkm_table, "PAGE", page)
    monkeypatch.setattr(torchkm_table, "RESULTS", tmp_path / "absent.jsonl")
    monkeypatch.setattr(sys, "argv", ["bench.torchkm_table", "--page"])
    with pytest.raises(SystemExit, match="2"):
        torchkm_table.main()
    assert "absent.jsonl has no run" in capsys.readouterr().err
    assert page.read_text() == before
    marked = torchkm_table.ROOT / "docs/developers/benchmarks.md"
    assert all(mark in marked.read_text() for mark in (torchkm_table.BEGIN, torchkm_table.END))


def test_a_file_of_runs_is_added_to_with_one_session(tmp_path):
    path = tmp_path / "runs.jsonl"
    file = RunFile(path)
    for seconds in (1.0, 2.0):
        file.add({"seconds": seconds}, 1)
    assert RunFile(path).runs == file.runs
    assert list(RunFile(path).sessions) == [file.runs[0]["session"]]
    again = RunFile(path)
    again.add({"seconds": 3.0}, 1)
    assert [r["seconds"] for r in RunFile(path).runs] == [1.0, 2.0, 3.0]
