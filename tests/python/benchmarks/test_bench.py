"""python -m bench: what it refuses, and a small run from problem to report."""

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from dcsvm._bench import quality

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
command = pytest.importorskip("bench.command", reason="bench/ is not beside tests/")
from bench import arguments as bench_arguments  # noqa: E402
from bench import bound, case, peers, problems, report, runner, tables  # noqa: E402
from bench.results import Results  # noqa: E402
from bench.runner import Case, Runner  # noqa: E402
from bench.store import Store  # noqa: E402

BOARD = "checkerboard-100k/1500"


def arguments(*args):
    parser = argparse.ArgumentParser()
    parser.add_argument("-q", "--quiet", action="store_true")
    bench_arguments.add_arguments(parser)
    return parser.parse_args([str(a) for a in args])


def bench(folder, *args, code=0):
    """The command, in a folder of its own."""
    env = dict(os.environ)
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [env.get("PYTHONPATH")])])
    line = [sys.executable, "-m", "bench", *map(str, args), "--work", str(folder / "work")]
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done


# Arguments


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "nothing to do"),
        (["--problems", "absent"], "unknown problem 'absent'; known: heart"),
        (["--problems", "ijcnn1/x"], "after the slash comes a number of training rows"),
        (["--problems", "ijcnn1/49991"], "2 to 49990"),
        (["--problems", BOARD, "--peers", "svmlight"], "unknown peer 'svmlight'; known: dcsvm_auto"),
        (["--problems", BOARD, "--repeat", "0"], "--repeat must be at least 1"),
        (["--problems", BOARD, "--time-limit", "0"], "--time-limit must be positive"),
        (["--problems", BOARD, "--time-limit", "nan"], "--time-limit must be positive"),
        (["--problems", BOARD, "--tol", "1e-3", "-1"], "--tol must be positive"),
        (["--problems", BOARD, "--threads", "0"], "--threads must be positive"),
        (["--problems", BOARD, "--isa", "sse9"], "unknown instruction set 'sse9'; built are: "),
        (["--problems", BOARD, "--resume"], "--resume needs --out"),
        (["--problems", BOARD, "--out", "here.jsonl"], "here.jsonl exists; --resume"),
        (["--problems", BOARD, "--out", "here.jsonl", "--resume"], "here.jsonl, line 1: expected a session or a run"),
        (
            ["--problems", BOARD, "--out", "other.jsonl", "--resume"],
            "other.jsonl, line 1: expected a session or a run",
        ),
        (["--problems", BOARD, "--out", "damaged.jsonl", "--resume"], "damaged.jsonl, line 2: expected"),
        (["--linear", "a9a:0,8"], "--linear a9a:0,8: after the colon come LIBLINEAR's numbers"),
        (["--linear", "absent:0"], "unknown problem 'absent'"),
        (["--scaling", "covtype85k/9000"], "name the whole problem"),
        (["--scaling", "--max-rows", "100"], "--max-rows must be at least 5000"),
        (["--report"], "--report needs a file"),
        (["--report", "here.jsonl"], "expected a session or a run"),
    ],
)
def test_what_is_refused(tmp_path, monkeypatch, args, text):
    monkeypatch.chdir(tmp_path)
    Path("here.jsonl").write_text("{")
    Path("other.jsonl").write_text('{"format": 99}')
    Path("damaged.jsonl").write_text('{"session": {"id": "a"}}\n{"case": {"peer": "null"}, "run": {}}\n')
    before = sorted(os.listdir())
    with pytest.raises(ValueError, match=re.escape(text)):
        command.run(arguments("-q", *args))
    assert sorted(os.listdir()) == before


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        command.run(arguments("--problems", BOARD, "--out", tmp_path / "no" / "r.jsonl"))
    with pytest.raises(FileNotFoundError):
        command.run(arguments("--report", tmp_path / "r.jsonl"))


def test_an_error_is_one_line(tmp_path):
    done = bench(tmp_path, "--problems", "absent", code=1)
    assert done.stderr.startswith("dcsvm: error: unknown problem")
    assert len(done.stderr.splitlines()) == 1


# A run


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """(folder, output) of a small run with its results in r.jsonl."""
    folder = tmp_path_factory.mktemp("bench")
    done = bench(folder, "--problems", BOARD, "--peers", "null", "dcsvm_auto", "--repeat", 2, "--threads", 2, "--out", "r.jsonl")
    return folder, done


def test_results(ran):
    folder, done = ran
    session, *lines = map(json.loads, (folder / "r.jsonl").read_text().splitlines())
    session = session["session"]
    assert len(lines) == 6, "one run a line"
    store = Store.of_files([folder / "r.jsonl"])
    assert session["threads"] == 2
    assert session["cpu"]
    assert session["dcsvm"]["isa"] == dcsvm.build_config()["isa"]
    runs = {(c.kind, c.peer): runs for c, runs in store.results.items()}
    assert {k: len(v) for k, v in runs.items()} == {("rate", "dcsvm_auto"): 2, ("fit", "dcsvm_auto"): 2, ("fit", "null"): 2}
    first, second = runs["fit", "dcsvm_auto"]
    assert first["versions"]["peer"] == f"dcsvm {dcsvm.__version__}"
    assert first["isa"] == session["dcsvm"]["isa"]
    assert first["threads"] == 2
    assert first["tol"] == 1e-3
    assert first["session"] == session["id"]
    assert {"seconds", "predict_seconds", "cpu"} <= second.keys()
    assert first["predicted"] == 20_000
    p = problems.load(BOARD)
    model = dcsvm.train(p.X_train, p.y_train, **p.params)
    q = quality.measure(p, quality.from_alpha(model.classes_, model.alpha))
    assert first["accuracy"] == pytest.approx(100 * np.mean(model.predict(p.X_test) == p.y_test))
    assert first["objective"] == pytest.approx(q.objective, rel=1e-9)
    assert first["violation"] == pytest.approx(q.violation, rel=1e-3)
    assert first["n_support"] == len(model.support_)
    assert first["memory_mb"]["peak"] > 0 or sys.platform != "linux"
    assert "objective" not in runs["fit", "null"][0]
    assert "objective" not in second, "measured once"
    ratio = np.median([r["seconds"] for r in (first, second)]) / (
        first["rows"] * first["n_support"] / np.median([r["values_per_second"] for r in runs["rate", "dcsvm_auto"]])
    )
    row = next(line for line in done.stdout.splitlines() if line.startswith("| dcsvm exact |"))
    assert float(row.split("|")[5].split()[0]) == pytest.approx(ratio, rel=0.01)


def test_resume_adds_only_what_is_missing(ran):
    folder, _ = ran
    before = (folder / "r.jsonl").read_text()
    done = bench(
        folder,
        "--problems",
        BOARD,
        "--peers",
        "null",
        "dcsvm_auto",
        "--repeat",
        2,
        "--out",
        "r.jsonl",
        "--resume",
        "--threads",
        2,
    )
    assert "[" not in done.stderr, "nothing was run"
    assert (folder / "r.jsonl").read_text() == before
    (folder / "copy.jsonl").write_text(before)
    bench(folder, "--problems", BOARD, "--peers", "null", "--repeat", 3, "--out", "copy.jsonl", "--resume", "--threads", 2)
    after = Store.of_files([folder / "copy.jsonl"])
    counts = {(c.kind, c.peer): len(runs) for c, runs in after.results.items()}
    assert counts == {("rate", "dcsvm_auto"): 3, ("fit", "dcsvm_auto"): 2, ("fit", "null"): 3}
    assert len(after.sessions) == 2
    done = bench(folder, "--problems", BOARD, "--out", "copy.jsonl", "--resume", "--threads", 1, code=1)
    assert "was measured with 2 threads" in done.stderr


def test_report(ran):
    folder, _ = ran
    page = folder / "page.md"
    page.write_text(f"# Page\n\nbefore\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n")
    store = Store.of_files([folder / "r.jsonl"])
    for session in store.sessions.values():  # the tests' machine may be busy
        session["load_average_at_start"] = 0.5 * session["cores"]
    for runs in store.results.values():
        for run in runs:
            run.pop("other_cpus", None)
    store.write(folder / "idle.jsonl")
    bench(folder, "--report", "idle.jsonl", "--page", page, "--no-plots")
    text = page.read_text()
    assert text.startswith(f"# Page\n\nbefore\n\n{report.BEGIN}\n")
    assert text.endswith(f"{report.END}\n\nafter\n")
    assert "old" not in text
    for part in (
        "### Targets",
        "checkerboard-100k: measured 2",
        f"| {BOARD} (1,500) | dcsvm exact |",
    ):
        assert part in text, part
    assert "| null (commonest class) |" not in text, "the page has exact solvers and the early model"
    assert "Left out" not in text
    bench(folder, "--report", "idle.jsonl", "--page", page, "--no-plots")
    assert page.read_text() == text, "written again, the same"
    page.write_text("no marks\n")
    assert "the marks are missing" in bench(folder, "--report", "idle.jsonl", "--page", page, "--no-plots", code=1).stderr
    assert page.read_text() == "no marks\n"


def test_the_page_has_the_marks():
    text = (ROOT / "docs" / "developers" / "benchmarks.md").read_text()
    assert text.count(report.BEGIN) == text.count(report.END) == 1


def test_plots(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from bench import plots

    results = made({f"covtype85k/{n}": n for n in (5000, 10_000, 20_000)})
    results |= {Case(c.problem, c.peer, 1e-2): runs for c, runs in results.items() if c.problem.endswith("/5000")}
    drawn = plots.draw(Results(results), tmp_path)
    assert [p.name for p in drawn] == ["time-against-n.svg", "objective-against-time.svg", "accuracy-against-time.svg"]
    for path in drawn:
        assert "LIBSVM" in path.read_text()
        assert path.stat().st_size < 100_000


def made(rows):
    """Results of two peers on problems: seconds proportional to rows, objectives a little apart."""
    return {
        Case(name, peer): [{"seconds": n * s, "objective": -f, "accuracy": 90 + f, "rows": n, "n_support": 10}]
        for name, n in rows.items()
        for peer, s, f in (("dcsvm_auto", 1e-5, 2.0), ("libsvm", 1e-3, 1.9))
    }


def test_a_time_limit(tmp_path):
    args = ["--problems", "checkerboard-100k/20000", "checkerboard-100k/40000", "--peers", "dcsvm_smo", "--time-limit", 0.001]
    done = bench(tmp_path, *args, "--out", "r.jsonl", "--repeat", 2)
    store = Store.of_files([tmp_path / "r.jsonl"])
    for problem in ("checkerboard-100k/20000", "checkerboard-100k/40000"):
        (run,) = store.results[Case(problem, "dcsvm_smo")]
        assert run["limited"] == "fit"
        assert "seconds" not in run
    assert "not run: over 0.001 s at 20,000 rows" in done.stderr
    assert "| > 0.001 s |" in done.stdout
    store.results = {c: r for c, r in store.results.items() if c.kind == "fit"}
    again = Runner(tmp_path, time_limit=0.0005, say=lambda text: None, results=store.results)
    again._one = lambda case, first: pytest.fail("a larger limit was hit already")
    again.run(list(store.results))


def test_a_case_that_fails_says_why(tmp_path):
    run = runner.run_process({"problem": BOARD, "peer": "dcsvm_auto", "options": {"kernel": "spline"}}, 1, 100)
    assert run["error"].startswith("exit code 1: ValueError: kernel")
    run = runner.run_process({"problem": BOARD, "peer": "dcsvm_auto", "options": {"callback": 7}}, 1, 100)
    assert "error" in run


def test_absent_data_and_peers_are_rows(tmp_path, monkeypatch):
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    assert runner.run_process({"problem": "ijcnn1", "peer": "null"}, 1, 100)["error"] == "data absent"
    done = bench(tmp_path, "--problems", "ijcnn1", "--peers", "null", "--repeat", 1)
    assert "| data absent |" in done.stdout

    def absent(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(peers.NotInstalledError, match="not installed: scikit-learn-intelex"):
        peers.get("sklearnex_float32")
    case_run = case.run({"problem": BOARD, "peer": "sklearnex_float32"})
    assert case_run == {"error": "not installed: scikit-learn-intelex", "missing": True}


def test_list(tmp_path):
    out = bench(tmp_path, "--list").stdout
    for name in (*problems.PROBLEMS, *peers.NAMES, *peers.GROUPS):
        assert f"  {name} " in out, name


def test_reading(tmp_path):
    pytest.importorskip("scipy", reason="scipy is not installed")
    bench(tmp_path, "--problems", BOARD, "--peers", "dcsvm_auto", "--load", "--repeat", 1, "--out", "r.jsonl")
    (run,) = Store.of_files([tmp_path / "r.jsonl"]).results[Case(BOARD, "dcsvm_auto", kind="load")]
    p = problems.load(BOARD)
    assert (run["rows"], run["nonzeros"]) == (1500, 3000)
    assert run["sum"] == pytest.approx(p.X_train.sum(), rel=1e-8)
    assert run["sum_labels"] == p.y_train.sum()


# Parts


@pytest.mark.parametrize("faster", [False, True])
@pytest.mark.parametrize("n", [300, 25_000])
def test_prediction_is_timed_on_20000_rows_and_accuracy_of_all(n, faster):
    rng = np.random.default_rng(0)
    x, y = rng.random((n, 2)), rng.integers(0, 2, n).astype(float)
    asked = []

    def predict(rows):
        asked.append(len(rows))
        return (rows[:, 0] > 0.3).astype(float)

    p = problems.Problem("x", x, y, x, y)
    result = {}
    labels = (lambda rows: (rows[:, 0] > 0.3).astype(float)) if faster else None
    case.predict(p, peers.Fit(0.0, predict, labels=labels), result, everything=True)
    assert asked == [20_000] * case.PREDICTIONS + [n - 20_000] * (n > 20_000 and not faster)
    assert result["accuracy"] == pytest.approx(100 * np.mean((x[:, 0] > 0.3) == y))


def test_the_faster_labels_of_libsvm_are_its_own():
    pytest.importorskip("libsvm", reason="libsvm-official is not installed")
    p = problems.load(BOARD)
    found = peers.get("libsvm").fit(p, peers.Settings())
    own = found.predict(found.predict_form(p.X_test[:2000]))
    assert len(np.unique(own)) == 2
    assert np.mean(found.labels(p.X_test[:2000]) == own) >= 0.999


@pytest.mark.parametrize("sparse", [False, True])
def test_kernel_rate(sparse):
    p = problems.load(BOARD)
    if sparse:
        csr = pytest.importorskip("scipy.sparse", reason="scipy is not installed").csr_matrix
        p = problems.Problem(p.name, csr(p.X_train), p.y_train, csr(p.X_test), p.y_test, p.params)
    assert 1e6 < bound.kernel_rate(p, 1) < 1e13


def test_exponent():
    n = [5_000, 10_000, 20_000, 68_596]
    assert tables.fit_exponent(n, [3e-9 * k**1.7 for k in n]).value == pytest.approx(1.7)
    noisy = [3e-9 * k**2 * f for k, f in zip(n, (1.1, 0.9, 1.05, 0.97), strict=True)]
    assert tables.fit_exponent(n, noisy).value == pytest.approx(2, abs=0.1)
    assert tables.fit_exponent(n[:2], [1.0, 2.0]) is None
    lines = tables.scaling_tables(Results(made({f"covtype85k/{k}": k for k in n[:3]})))
    assert any(line.startswith("| LIBSVM |") and line.endswith("| 1.00 |") for line in lines)
