"""python -m bench --paper: the descriptions agree with themselves, tables and claims say what results say, and a small run goes
through."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
papers = pytest.importorskip("bench.papers", reason="bench/ is not beside tests/")
from bench import command, paper_tables, peers, problems, report, studies  # noqa: E402
from bench.case import linear_cpu_seconds  # noqa: E402
from bench.paper_tables import PAPERS, PARTS, Claim, Data, Row, Study, Table, Theirs  # noqa: E402
from bench.peers import PEERS  # noqa: E402
from bench.results import Results  # noqa: E402
from bench.runner import Case  # noqa: E402
from test_bench import BOARD, arguments  # noqa: E402

TABLES = [p for p in PARTS.values() if isinstance(p, Table)]
SMALL = Table(
    "small",
    "A small table",
    (Data("board", BOARD, {"C": 7.0}), Data("absent")),
    (
        Row("exact", "dcsvm_auto", theirs=(Theirs(99.0, 2.0), None)),
        Row("early", "dcsvm_early", {"branching": 4, "n_levels": 1, "early_level": 1}),
        Row("linear", "dcsvm_linear", theirs=(Theirs(40.0, 1.0, 1.0), None)),
        Row("nobody", remark="no version here", theirs=(Theirs(98.0, 4.0), None)),
    ),
    base="exact",
)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_names(part):
    for case in part.cases():
        assert problems.parse(case.problem)
        assert case.peer in PEERS
    if isinstance(part, Study):
        assert part.study in studies.STUDIES
        return
    names = [r.name for r in part.rows]
    assert len(set(names)) == len(names)
    assert part.base in ("", *names)
    for row in part.rows:
        assert row.peer or row.remark, row.name
        assert len(row.theirs) <= len(part.data)
        assert {*row.own, *row.only} <= {d.problem for d in part.data}


@pytest.mark.parametrize("peer", sorted({r.peer for t in TABLES for r in t.rows if r.peer and not PEERS[r.peer].method}))
def test_every_peer_has_a_module(peer):
    assert (ROOT / "bench" / "peers" / f"{peer}.py").exists()


def test_claims_name_rows_that_are_run():
    for paper in PAPERS.values():
        for claim in paper.claims:
            part = PARTS[claim.table]
            assert part in paper.parts
            if isinstance(part, Study):
                continue
            for row, problem in ((claim.mine, claim.problem), (claim.base, claim.base_problem or claim.problem)):
                if row:
                    data = next(d for d in part.data if d.problem == problem)
                    assert part.row(row).case(data) is not None, claim.text


def test_every_accuracy_of_our_own_methods_is_a_claim():
    """So that none of them is worse than the paper's without a word. Rows of a part of a set are no claim: the paper has no such
    number."""
    claimed = {(c.table, c.problem, c.mine) for p in PAPERS.values() for c in p.claims if c.kind == "score"}
    own = {
        (t.name, data.problem, row.name)
        for t in TABLES
        for row in t.rows
        for j, data in enumerate(t.data)
        if row.case(data) and PEERS[row.peer].ours and "/" not in data.problem and papers._theirs(row, j).score is not None
    }
    assert own == claimed


def test_every_claim_that_does_not_hold_has_a_reason():
    r = Results(command.Store.of_files([ROOT / "bench" / "results" / "papers.jsonl"]).results)
    for claim in (claim for paper in PAPERS.values() for claim in paper.claims):
        assert papers.check(r, claim).holds or claim.why, papers.stated(claim).text


def test_selection(monkeypatch):
    assert papers.select(["rand-svm", "rand-svm-table-1"]) == [PARTS["rand-svm-table-1"]]
    with pytest.raises(ValueError, match="unknown table 'dc-svm-table-9', perhaps 'dc-svm-table-"):
        papers.select(["dc-svm-table-9"])
    with pytest.raises(ValueError, match="unknown table 'LLSVM', perhaps 'llsvm'"):
        papers.select(["LLSVM"])
    cases = command.plan(arguments("--paper", "dc-svm-table-2", "--problems", "ijcnn1"))
    assert {c.problem for c in cases} == {"ijcnn1"}
    assert Case("ijcnn1", "dcsvm_lowrank", options=(("n_components", 3000),)) in cases
    assert command.plan(arguments("--paper", "dc-svm-table-2", "--peers", "libsvm", "--problems", "ijcnn1")) == [
        Case("ijcnn1", "libsvm")
    ]
    with pytest.raises(ValueError, match=r"^--problems a9a is no problem of --paper dc-svm-figure-2, which has "):
        command.plan(arguments("--paper", "dc-svm-figure-2", "--problems", "a9a"))
    with pytest.raises(ValueError, match=r"^--peers libsvm is no peer of --paper dc-svm-figure-2, which has dcsvm_auto"):
        command.plan(arguments("--paper", "dc-svm-figure-2", "--peers", "libsvm"))
    lines = papers.listing()
    monkeypatch.setattr(problems, "where", lambda name: "absent: somewhere" if name == "ijcnn1" else "there")
    found = {line.split()[0]: line for line in papers.listing()}
    assert found["dc-svm-table-4"].endswith("(ijcnn1 is absent: somewhere)")
    monkeypatch.setattr(problems, "where", lambda name: "absent: somewhere")
    assert "absent" not in next(line for line in papers.listing() if "ls-svm-figure-2" in line), "it prints a log"
    assert found["rand-svm-table-1"].endswith("(no data: CCAT, C11)")
    assert all(any(line.strip().startswith(name) for line in lines) for name in PARTS)


def test_a_table_of_data_sets_needs_no_run(tmp_path, capsys):
    command.run(arguments("-q", "--paper", "dc-svm-table-3", "--work", tmp_path))
    assert "| ijcnn1 | ijcnn1 | 49,990 |" in capsys.readouterr().out


def run(cpu, accuracy, **more):
    return [{"cpu_seconds": cpu, "accuracy": accuracy, **more}]


def test_other_jobs_count_during_the_fit_and_for_a_short_one_since_the_import(monkeypatch):
    at = peers.Clocks
    monkeypatch.setattr(peers, "_IMPORTED", at(0.0, 0.0, 0.0))
    for limit, expected in ((0.0, 0.75), (1e9, 0.5)):
        moments = iter([at(10.0, 6.0, 10.0), at(14.0, 9.0, 16.0)])  # 4 CPU seconds of others before the fit, 3 during it
        monkeypatch.setattr(peers, "clocks", lambda moments=moments: next(moments))
        monkeypatch.setattr(peers, "_SHORT", limit)
        assert peers.timed_fit(lambda: "model")[0] == "model"
        assert peers.other_cpus == expected


def made():
    exact, early, linear = SMALL.cases()
    return Results(
        {
            exact: run(8.0, 98.9, other_cpus=0.1, n_support=1234, predict_cpu_seconds=0.5, linear_cpu_seconds=0.1),
            early: run(2.0, 98.0),
            linear: [{"error": "time limit", "limited": "fit", "time_limit": 5}],
        }
    )


def test_a_table():
    lines = papers.table(made(), SMALL)
    head, exact, early, linear, nobody = ([c.strip() for c in x.split("|")[1:-1]] for x in lines if x.startswith("| "))
    cell = lambda row, title: row[head.index(title)]  # noqa: E731
    assert (cell(exact, "accuracy %"), cell(exact, "paper's accuracy %")) == ("98.90", "99.00")
    assert cell(early, "exact's CPU s over these") == "~4x", "one of the two was measured beside other jobs"
    assert (cell(exact, "CPU s"), cell(early, "CPU s")) == ("8", "~2")
    assert cell(nobody, "paper's ratio") == "0.5x"
    assert cell(exact, "prediction x linear") == "5"
    assert cell(linear, "accuracy %") == "over 5 s"
    assert nobody[0] == "nobody (no version here)"
    assert cell(exact, "support vectors") == "1,234"
    assert "No data here: absent." in lines
    assert papers.table(made(), SMALL, only=[BOARD])[: len(lines) - 2] == lines[:-2], "of one problem"
    assert not any("|" in line for line in papers.table(made(), SMALL, only=["other"]))


@pytest.mark.parametrize(
    ("kind", "theirs", "mine", "base", "holds"),
    [
        ("faster", 4.0, "early", "exact", True),
        ("faster", 4.1, "early", "exact", False),
        ("score", 99.2, "exact", "", True),
        ("score", 99.3, "exact", "", False),
        ("near", 0.95, "early", "exact", True),
        ("near", 0.5, "early", "exact", False),
        ("multiple", 5.0, "exact", "", True),
        ("multiple", 4.9, "exact", "", False),
        ("growth", 0.2, "early", "exact", False),
        ("faster", 1.0, "linear", "exact", None),
        ("multiple", 5.0, "early", "", None),
    ],
)
def test_claims(monkeypatch, kind, theirs, mine, base, holds):
    monkeypatch.setitem(paper_tables.PARTS, "small", SMALL)
    assert papers.check(made(), Claim("", kind, theirs, "small", BOARD, mine, base))[1] is holds


def test_a_claim_that_fails_says_why(monkeypatch):
    monkeypatch.setitem(paper_tables.PARTS, "small", SMALL)
    one = Claim("as good", "score", 99.5, "small", BOARD, "exact", why="the rows are fewer.")
    paper = replace(PAPERS["dc-svm"], claims=(one, replace(one, theirs=98.0)))
    lines = papers.claims(made(), paper)
    assert "| as good | 98.90 % | -0.60 points | **no** |" in lines
    assert "| as good | 98.90 % | +0.90 points | yes |" in lines
    assert lines.count("*as good*: the rows are fewer.") == 1
    assert sum(line.startswith("Remarks on claims that do not hold") for line in lines) == 1
    sampled = replace(SMALL, data=tuple(replace(data, sample=True) for data in SMALL.data))
    monkeypatch.setitem(paper_tables.PARTS, "small", sampled)
    lines = papers.claims(made(), paper)
    assert "| as good | 98.90 % | -0.60 points | other data |" in lines, "of a sample of the paper's rows"
    assert "| as good | 98.90 % | +0.90 points | yes |" in lines


def test_claims_state_the_numbers_of_the_table(monkeypatch):
    for claim in (papers.stated(claim) for p in PAPERS.values() for claim in p.claims):
        assert claim.text
        assert claim.theirs is not None
    monkeypatch.setitem(paper_tables.PARTS, "small", SMALL)
    found = [
        papers.stated(Claim("", kind, None, "small", BOARD, "linear", base))
        for kind, base in (("score", ""), ("multiple", ""), ("faster", "exact"), ("growth", "exact"))
    ]
    assert [claim.theirs for claim in found] == [40.0, 1.0, 2.0, 0.5]
    assert found[0].text == "linear: 40.00 % (board)"
    assert found[2].text == "linear: 2 times faster than exact (board)"
    with pytest.raises(ValueError, match="the table small has no number for the claim 'multiple' of 'exact'"):
        papers.stated(Claim("", "multiple", None, "small", BOARD, "exact"))


def test_errors_count_the_other_way(monkeypatch):
    table = Table("small", "", SMALL.data, SMALL.rows, score="error")
    monkeypatch.setitem(paper_tables.PARTS, "small", table)
    assert papers.check(made(), Claim("", "score", 0.9, "small", BOARD, "exact"))[:2] == ("1.10 %", True)
    assert papers.check(made(), Claim("", "score", 0.7, "small", BOARD, "exact"))[1] is False


def test_a_total():
    table = Table("total", "", SMALL.data, SMALL.rows[:2], base="exact", total=True)
    exact, early = papers.table(made(), table)[-2:]
    assert exact == "| exact | 8 | 1x | 2 | 1x | 0 of 1 | 98.90 |"
    assert early == "| early | ~2 | ~4x |  |  | 1 of 1 | 98.00 |", "measured beside other jobs"


def test_a_run(tmp_path, monkeypatch, capsys):
    small = Table("small", "A small table", SMALL.data, SMALL.rows[:1])
    monkeypatch.setitem(paper_tables.PARTS, "small", small)
    study = Study("study", "A study", "clustering_gap", BOARD, {"n_clusters": "2 4", "costs": "1 10"})
    monkeypatch.setitem(paper_tables.PARTS, "study", study)
    out = tmp_path / "r.jsonl"
    command.run(arguments("-q", "--paper", "small", "study", "--repeat", 1, "--threads", 1, "--out", out, "--work", tmp_path))
    text = capsys.readouterr().out
    assert "| exact |" in text
    assert "bound over difference" in text
    results = Results(command.Store.of_files([out]).results)
    exact = results.first(SMALL.cases()[0])
    assert exact["cpu_seconds"] > 0
    assert exact["other_cpus"] > -0.5 or np.isnan(exact["other_cpus"])
    assert exact["accuracy"] > 90
    data = problems.load(BOARD)
    own = importlib.import_module("dcsvm").train(data.X_train, data.y_train, C=7.0, gamma=data.gamma)
    assert exact["notes"]["objective"] == pytest.approx(own.report.objective)
    for row in results.first(study.cases()[0])["table"]:
        assert 0 <= row["difference"] <= row["bound"]
    claim = Claim("", "at most", 1.0, "study", "", "bound over difference", "clusters=4")
    text, holds, against = papers.check(results, claim)
    assert not holds
    assert " to " in text
    assert text.endswith(" times")
    assert float(against.rstrip("x").replace(",", "")) > 1
    assert papers.check(results, replace(claim, kind="at least"))[1]


def test_pages(tmp_path):
    for paper in PAPERS.values():
        text = (ROOT / "docs" / "reproduce" / f"{paper.key}.md").read_text()
        assert all(text.count(mark) == 1 for mark in papers.MARKS), paper.key
        assert f"python -m bench --paper {paper.key} " in text
    page = tmp_path / "page.md"
    page.write_text("\n".join(papers.MARKS))
    store = command.Store()
    report.rewrite(page, papers.body(store, PAPERS["dc-svm"]), papers.MARKS)
    assert "Table 2: all methods" in page.read_text()


def test_where_pages_are_written(tmp_path):
    (tmp_path / "r.jsonl").write_text((ROOT / "bench" / "results" / "exact.jsonl").read_text())
    one, folder = tmp_path / "one.md", tmp_path / "pages"
    folder.mkdir()
    for page in (one, *(folder / f"{key}.md" for key in ("dc-svm", "llsvm"))):
        page.write_text("\n".join(papers.MARKS))
    command.run(arguments("--paper", "dc-svm", "--report", tmp_path / "r.jsonl", "--page", one))
    command.run(arguments("--paper", "dc-svm", "llsvm", "--report", tmp_path / "r.jsonl", "--page", folder))
    assert one.read_text() == (folder / "dc-svm.md").read_text()
    assert "Table III" in (folder / "llsvm.md").read_text()
    new = tmp_path / "new.md"
    command.run(arguments("--paper", "dc-svm", "--report", tmp_path / "r.jsonl", "--page", new))
    assert new.read_text().split(papers.MARKS[0])[1] == one.read_text().split(papers.MARKS[0])[1] + "\n"
    with pytest.raises(FileNotFoundError, match="no such folder"):
        command.run(arguments("--paper", "dc-svm", "--report", tmp_path / "r.jsonl", "--page", tmp_path / "none" / "new.md"))
    with pytest.raises(FileNotFoundError, match=r"no such page.*rand-svm.md"):
        command.run(arguments("--paper", "rand-svm", "--report", tmp_path / "r.jsonl", "--page", folder))


def test_a_linear_model_is_the_unit():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    assert linear_cpu_seconds(np.ones((2000, 30))) > 0
