"""Pages and pictures show runs of an idle machine, and of one problem those of one day and machine."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
pytest.importorskip("bench.command", reason="bench/ is not beside tests/")
from bench import linear, pictures, plots, readme, report  # noqa: E402
from bench.admitted import admitted  # noqa: E402
from bench.results import Results  # noqa: E402
from bench.runner import Case  # noqa: E402
from bench.store import Store  # noqa: E402

OURS, LIBSVM = Case("ijcnn1", "dcsvm_auto"), Case("ijcnn1", "libsvm")
IDLE = {"date": "2026-11-22", "cpu": "one", "cores": 2, "threads": 2, "load_average_at_start": 1.0, "python": "3", "dcsvm": None}


def store(runs, **sessions):
    """runs: (case, session, seconds, what else the run says). Sessions differ from IDLE."""
    made = Store()
    made.sessions = {key: {"id": key, **IDLE, **other} for key, other in sessions.items()}
    for case, session, seconds, *more in runs:
        run = {"session": session, "seconds": seconds, "rows": 10, **(more[0] if more else {})}
        made.results.setdefault(case, []).append(run)
    return made


def seconds(shown, case):
    return [run["seconds"] for run in shown.results.get(case, [])]


def test_runs_beside_other_work_are_left_out():
    busy, unknown = {"load_average_at_start": 1.01}, {"load_average_at_start": None, "date": "2026-11-21"}
    beside, alone = {"other_cpus": 1.2}, {"other_cpus": 0.3}
    runs = [
        (OURS, "idle", 1, alone),
        (OURS, "idle", 2, beside),
        (OURS, "busy", 3, alone),
        (LIBSVM, "busy", 4),
        (OURS, "unknown", 5),
    ]
    shown, left_out = admitted(store(runs, idle={}, busy=busy, unknown=unknown))
    assert seconds(shown, OURS) == [1]
    assert LIBSVM not in shown.results
    assert left_out == [
        "Left out: 4 runs (1 of 2026-11-21, 3 of 2026-11-22) that began at a load above 0.5 a core or ran beside other work."
    ]


@pytest.mark.parametrize("other", [{"date": "2026-11-23"}, {"cpu": "two"}, {"threads": 1}, {"dcsvm": {"isa": "avx2"}}])
def test_days_and_machines_are_not_pooled(other):
    """The setting with the most cases counts, and among equals the newest."""
    shown, left_out = admitted(store([(OURS, "a", 1), (OURS, "b", 9), (LIBSVM, "a", 5)], a={}, b=other))
    assert (seconds(shown, OURS), seconds(shown, LIBSVM)) == ([1], [5])
    day = other.get("date", IDLE["date"])
    assert left_out == [f"Left out: 1 run (1 of {day}) of another day or machine than the runs shown of the same problem."]


def test_sizes_of_a_problem_are_of_one_setting_and_problems_may_differ():
    small, other = Case("ijcnn1/500", "libsvm"), Case("a9a", "dcsvm_auto")
    runs = [(OURS, "new", 1), (LIBSVM, "new", 2), (small, "old", 3), (other, "old", 4)]
    shown, left_out = admitted(store(runs, new={"date": "2026-11-28"}, old={}))
    assert [seconds(shown, c) for c in (OURS, LIBSVM, small, other)] == [[1], [2], [], [4]]
    assert "1 run (1 of 2026-11-22)" in left_out[0]
    text = report.body(shown, left_out, [], ROOT / "page.md")
    assert text.startswith("ijcnn1: measured 2026-11-28, one (2 cores, 2 threads, ?), Python 3. a9a: measured 2026-11-22, one")
    assert left_out[0] in text


def test_linear_solvers_are_a_table_of_their_own_and_keep_their_own_day():
    mine, theirs = linear.cases(["ijcnn1:2", "a9a:1"], threads=1)[:2], linear.cases(["a9a:1"], threads=1)
    runs = [(OURS, "old", 1), (LIBSVM, "old", 2), (Case("ijcnn1/500", "libsvm"), "old", 3)]
    runs += [(case, "new", 9, {"cpu_seconds": s}) for case, s in zip([*mine, *theirs], (0.5, 1.5, 2.0, 1.0), strict=True)]
    shown, left_out = admitted(store(runs, old={}, new={"date": "2026-11-28", "threads": 1}))
    assert left_out == []
    assert len(shown.results) == 7
    text = report.body(shown, left_out, [], ROOT / "page.md")
    table = text.split("### Linear solvers")[1].splitlines()[4:]
    assert table == ["| | -s 1 | -s 2 |", "|---|---|---|", "| ijcnn1 |  | 3x |", "| a9a | 0.5x |  |"]


def curve(**session):
    """Of three sizes that all peers of the picture have."""
    peers = {"dcsvm_auto": 1e-4, "dcsvm_early": 1e-5, "libsvm": 1e-2, "sklearn_svc": 1.2e-2}
    runs = [(Case(f"covtype85k/{n}", p), "s", n * s, {"rows": n}) for n in (5000, 10_000, 40_000) for p, s in peers.items()]
    return store(runs, s=session)


def test_the_picture_and_the_number_are_of_idle_machines(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    known = {"readme-curve": curve(commit="abc1234")}
    monkeypatch.setattr(pictures, "committed", lambda name: admitted(known.get(name, Store()))[0])
    monkeypatch.setattr(pictures, "PICTURES", {"speed": pictures.speed})
    (axis,) = pictures.speed().axes
    assert len(axis.lines) == 4
    stated = readme.text("README.md")
    assert "**100 times as fast as LIBSVM, with the same answer:** 40,000 rows of a covtype sample train in 4 s" in stated
    assert "dcsvm is 120 times as fast as scikit-learn's `SVC`.\n" in stated
    assert "commit abc1234" in stated
    assert "(docs/figures/speed.svg)" in stated
    assert "(figures/speed.svg)" in readme.text("docs/index.md")
    assert pictures.draw(tmp_path) == []
    assert (tmp_path / "speed.svg").exists()
    known["readme-curve"] = curve(load_average_at_start=6.4)
    assert pictures.draw(tmp_path) == ["speed: bench/results/readme-curve.jsonl has no three sizes of an idle machine"]
    assert not (tmp_path / "speed.svg").exists(), "an older picture is deleted"
    known["exact"] = store([(OURS, "s", 1), (Case("ijcnn1", "sklearnex_float32"), "s", 14)], s={})
    assert "**14 times as fast as Intel's Extension" in readme.text("README.md"), "the next number that may be stated"


def test_the_table_of_early_models_has_problems_with_both(monkeypatch):
    cases = [
        (Case("ijcnn1", p), "s", s, {"rows": 49_990, "accuracy": a})
        for p, s, a in (("dcsvm_auto", 2, 98.0), ("dcsvm_early", 1, 97.0))
    ]
    runs = store([*cases, (Case("a9a", "dcsvm_auto"), "s", 3)], s={"commit": "abc1234"})
    monkeypatch.setattr(pictures, "committed", lambda name: runs if name == "early" else Store())
    head, *_, line = readme.early_table().splitlines()
    assert "commit abc1234" in head
    assert line == "| ijcnn1, 49,990 rows | 2 s, 98.00 % | 1 s, 97.00 % | 1.50 |"
    monkeypatch.setattr(pictures, "committed", lambda name: Store())
    assert readme.early_table() == ""


def test_a_picture_of_single_points_is_not_drawn():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    one = Results({OURS: [{"seconds": 1.0, "objective": -1.0, "accuracy": 90.0}]})
    assert plots._objective_against_time(one) is plots._accuracy_against_time(one) is None
