"""Which cases python -m bench runs, and their problems."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import dcsvm
from dcsvm._bench import quality

sys.path.insert(0, str(Path(__file__).parents[3]))
command = pytest.importorskip("bench.command", reason="bench/ is not beside tests/")
from bench import case, linear, peers, problems, targets  # noqa: E402
from bench.results import Results  # noqa: E402
from bench.runner import Case  # noqa: E402
from test_bench import BOARD, arguments  # noqa: E402


def test_plan():
    a = arguments("--problems", "ijcnn1", "mnist", "--peers", "dcsvm_auto", "libsvm", "null", "--load", "--tol", 1e-3, 1e-5)
    cases = command.plan(a)
    assert cases[:2] == [Case("ijcnn1", "dcsvm_auto", kind="rate"), Case("ijcnn1", "dcsvm_auto", 1e-3)]
    assert Case("ijcnn1", "libsvm", 1e-5) in cases
    assert [c.tol for c in cases if c.problem == "ijcnn1" and c.peer == "null"] == [1e-3]
    assert {c.problem for c in cases if c.kind == "load"} == {"ijcnn1", "mnist", "mnist-digits"}
    assert {c.peer for c in cases if c.kind == "load"} == {"dcsvm_auto", "libsvm"}


def test_plan_of_comparisons():
    cases = command.plan(arguments("--problems", BOARD, "--peers", "dcsvm_auto", "null", "--threads", 2, 1, "--isa", "baseline"))
    fits = [(c.peer, c.threads, c.isa) for c in cases if c.kind == "fit"]
    assert fits == [(p, 0, "") for p in ("dcsvm_auto", "null")] + [("dcsvm_auto", 1, ""), ("null", 1, "")] + [
        ("dcsvm_auto", 0, "baseline")
    ]


def test_plan_of_scaling():
    assert command.sizes("covtype85k", 80_000) == [5_000, 10_000, 20_000, 40_000, 68_596]
    assert command.sizes("checkerboard-1m", 40_000) == [5_000, 10_000, 20_000, 40_000]
    assert command.sizes("checkerboard-100k", 100_000)[-2:] == [80_000, 100_000]
    names = [c.problem for c in command.plan(arguments("--scaling", "--peers", "null", "--max-rows", 10_000))]
    assert names == ["covtype85k/5000", "covtype85k/10000", "checkerboard-1m/5000", "checkerboard-1m/10000"]


def test_plan_of_linear_problems():
    cases = command.plan(arguments("--linear", "imdb:0,3", "mnist"))
    assert [(c.problem, c.peer) for c in cases[:2]] == [("imdb", "dcsvm_linear"), ("imdb", "liblinear_official")]
    assert [dict(c.options)["solver"] for c in cases[::2]] == [linear.NAMES[n] for n in (0, 3, 1, 2, 4)]
    assert len(command.plan(arguments("--linear"))) == 2 * sum(map(len, linear.TABLE.values()))


@pytest.mark.parametrize("number", linear.NAMES)
def test_liblinear_problems_have_one_objective(number, monkeypatch):
    """Of both sides, recomputed from their weights; the solvers' tolerance is between them."""
    pytest.importorskip("liblinear", reason="liblinear-official is not installed")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    y = np.digitize(x[:, 0] + 0.5 * rng.normal(size=300), [-0.5, 0.5] if number == 4 else [0.0]).astype(float)
    problem = problems.Problem("made", x, x[:, 1] + rng.normal(size=300) if number > 7 else y, params={"C": 1.0})
    monkeypatch.setitem(problems.PROBLEMS, "made", lambda name: problem)
    monkeypatch.setitem(problems.ROWS, "made", 300)
    cases = linear.cases([f"made:{number}"])
    runs = {c: [case.run({**c.as_dict(), "threads": 1})] for c in cases}
    mine, theirs = (runs[c][0]["objective"] for c in cases)
    assert mine == pytest.approx(theirs, rel=0.06), "-s 13 ends 4 % above the optimum"
    assert mine == pytest.approx(runs[cases[0]][0]["notes"]["primal_objective"], rel=1e-9)
    row = linear.table(Results(runs), cases)[-1]
    assert row.startswith(f"| made | {number} {linear.NAMES[number]} | ")
    assert f"| {mine / theirs - 1:+.1e} |" in row


@pytest.mark.parametrize("name", problems.VARIANTS)
def test_other_formulations_are_problems(name):
    base, formulation, params = problems.VARIANTS[name]
    assert base in problems.PROBLEMS
    assert formulation in (*quality.PAIRWISE, "one_class", "epsilon_svr", "nu_svr")
    assert problems.where(name) == problems.where(base)
    assert params


def test_every_problem_has_its_rows_and_data():
    assert problems.ROWS.keys() == problems.PROBLEMS.keys()
    assert problems.REAL.keys() <= problems.PROBLEMS.keys()
    assert {t.problem for t in targets.TARGETS} <= {*problems.PROBLEMS, "mnist-digits"}
    assert problems.load(BOARD).X_train.shape == (1500, 2)


def test_problems_of_neither_table_are_generated(monkeypatch, tmp_path):
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    monkeypatch.setenv("DCSVM_CACHE", str(tmp_path))
    with pytest.raises(problems.DataAbsentError, match=r"mnist_ocr.npz is not in .*; python -m bench.embedded makes it"):
        problems.load("embeddings-ocr")
    generated = problems.PROBLEMS.keys() - problems.REAL.keys() - problems.text_problems.FILES.keys() - {"embeddings-ocr"}
    small = [name for name in generated if problems.ROWS[name] <= 20_000]
    assert "gaussians" in small
    for name in small:
        assert len(problems.load(name).y_train) == problems.ROWS[name]  # else DataAbsentError: a line in REAL is missing


def test_peers_of_the_plots_look_different():
    looks = [(p.colour, p.marker) for p in (peers.PEERS[name] for name in peers.GENERAL)]
    assert len({*looks}) == len(looks)


@pytest.mark.parametrize("name", sorted(problems.REAL))
def test_real_problems_find_what_was_downloaded(name, monkeypatch, tmp_path):
    sets = dcsvm.datasets.catalogue()
    asked = []

    def downloaded(of, *, part, dense, download):
        assert not download, "a benchmark downloads nothing by itself"
        assert part in sets[of].parts
        asked.append(of)
        x = csr_matrix(np.random.default_rng(0).random((7, sets[of].n_features)))
        return (x.toarray() if dense else x), np.array([1.0, 2, 3, 1, 2, 3, 2])

    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    monkeypatch.setattr(dcsvm.datasets, "fetch", downloaded)
    problem = problems.load(name)
    assert set(asked) == {problems.REAL[name][0]}
    assert problem.X_train.shape[1] == sets[asked[0]].n_features
    assert len(problem.y_train) == problem.X_train.shape[0]


def test_absent_data_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    monkeypatch.setenv("DCSVM_CACHE", str(tmp_path))
    assert problems.where("mnist-round") == "absent: dcsvm datasets mnist downloads it"
    assert problems.where(BOARD.partition("/")[0]) == "generated"
    with pytest.raises(problems.DataAbsentError, match="nor downloaded; dcsvm datasets mnist downloads it"):
        problems.load("mnist")
