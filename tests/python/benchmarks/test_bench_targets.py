"""dcsvm bench: the judgement of results made by hand."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
pytest.importorskip("bench.command", reason="bench/ is not beside tests/")
from bench import targets
from bench.results import Results
from bench.runner import Case


def limited(seconds):
    return [{"error": f"time limit of {seconds:g} s (fit)", "limited": "fit", "time_limit": seconds}]


def solved(seconds, objective=-100.0, **more):
    return [{"seconds": s, "objective": objective, "notes": {"stop_reason": "converged"}, **more} for s in seconds]


def verdict(runs, peer="dcsvm_auto", problem="covtype85k", needs=(40, 120, 9), **more):
    results = {Case(problem, name): r for name, r in runs.items()}
    (v,) = targets.evaluate(Results(results), (targets.Target("t", problem, needs, peer, **more),))
    return v


def test_targets_are_ratios_of_medians():
    v = verdict({"dcsvm_auto": solved([2.0, 1.0, 9.0]), "libsvm": solved([90.0, 70.0, 80.0]), "sklearn_svc": solved([200.0])})
    libsvm, sklearn, sklearnex = v.cells
    assert (libsvm.ratio.value, libsvm.met) == (40.0, True)
    assert (sklearn.ratio.value, sklearn.met) == (100.0, False)
    assert (sklearnex.ratio.value, sklearnex.met) == (None, None)
    assert sklearnex.markdown() == "9x: not run, ?"
    assert sklearn.markdown() == "120x: 100x, **no**"


def test_a_peer_over_the_limit_gives_a_lower_bound():
    v = verdict({"dcsvm_auto": solved([5.0]), "libsvm": limited(600), "sklearn_svc": limited(300)})
    assert [c.met for c in v.cells] == [True, None, None]
    assert v.cells[0].markdown() == "40x: > 120x, yes"
    assert v.cells[1].markdown() == "120x: > 60x, ?"
    v = verdict({"dcsvm_auto": limited(600), "libsvm": solved([700.0])})
    assert v.cells[0].met is False
    assert "> 600 s" in v.markdown()


def test_the_faster_of_two_counts():
    absent = [{"error": "not installed: scikit-learn-intelex", "missing": True}]
    runs = {"dcsvm_auto": solved([1.0]), "sklearnex_float32": solved([8.0]), "sklearnex_float64": solved([10.0])}
    assert verdict(runs).cells[2].ratio.value == 8
    assert verdict({**runs, "sklearnex_float32": limited(5)}).cells[2].ratio.value == 10, "a limit is no time"
    assert verdict({**runs, "sklearnex_float32": absent}).cells[2].ratio.value == 10
    both = verdict({**runs, "sklearnex_float32": absent, "sklearnex_float64": absent}).cells[2]
    assert both.met is None
    assert "not installed" in both.markdown()


def test_speed_at_a_worse_solution_does_not_count():
    fast = {"dcsvm_auto": solved([1.0], objective=-99.99), "libsvm": solved([100.0])}
    assert verdict(fast).cells[0].met is False
    assert "objective +1.0e-04" in verdict(fast).cells[0].markdown()
    near = {"dcsvm_auto": solved([1.0], objective=-100 * (1 - 4e-6)), "libsvm": solved([100.0])}
    assert verdict(near).cells[0].met is True
    other = {**fast, "libsvm": limited(600), "sklearnex_float64": solved([20.0])}
    assert verdict(other).cells[0].met is False, "compared with the best known when the opponent did not finish"
    assert verdict({"dcsvm_auto": [{"seconds": 1.0}], "libsvm": solved([100.0])}).cells[0].met is None
    stopped = solved([1.0], notes={"stop_reason": "stagnated"})
    assert "stopped: stagnated" in verdict({"dcsvm_auto": stopped, "libsvm": solved([100.0])}).cells[0].markdown()


def test_early_must_be_as_accurate():
    runs = {"dcsvm_auto": solved([5.0], accuracy=91.3), "libsvm": solved([200.0])}
    early = lambda a: verdict({**runs, "dcsvm_early": [{"seconds": 0.5, "accuracy": a}]}, "dcsvm_early", needs=(200, 600, 50))  # noqa: E731
    assert early(91.0).cells[0].met is True
    assert early(90.9).cells[0].met is False
    del runs["dcsvm_auto"]
    assert early(91.3).cells[0].met is None


def test_prediction_and_reading():
    runs = {
        "dcsvm_auto": solved([1.0], predict_seconds=0.1),
        "libsvm": [{"seconds": 9.0, "limited": "predict", "time_limit": 600}],
    }
    cell = verdict(runs, needs=(20, 20, 1.5), key="predict_seconds").cells[0]
    assert (cell.met, cell.ratio.at_least) == (True, True)
    read = {"rows": 2, "nonzeros": 3, "sum": 1.0, "sum_labels": 0.0}
    results = {
        Case("ijcnn1", "dcsvm_auto", kind="load"): [{"seconds": 0.1, **read}],
        Case("ijcnn1", "sklearn_svc", kind="load"): [{"seconds": 2.0, **read}],
    }
    target = (targets.Target("reading", "ijcnn1", (None, 10, None), kind="load"),)
    assert [c.met for c in targets.evaluate(Results(results), target)[0].cells] == [None, True, None]
    results[Case("ijcnn1", "sklearn_svc", kind="load")][0]["nonzeros"] = 4
    assert "different data" in targets.evaluate(Results(results), target)[0].markdown()


def test_failures_of_other_sessions_and_conclusions_do_not_count():
    absent = {"error": "not installed: libsvm-official", "missing": True}
    implied = {**limited(600)[0], "error": "not run: over 600 s at 40,000 rows", "implied": True}
    mine = solved([1.0])
    v = verdict({"dcsvm_auto": mine, "libsvm": [absent, *solved([50.0])], "sklearn_svc": [implied]})
    assert v.cells[0].ratio.value == 50
    assert v.cells[1].met is None
    assert "not run: over 600 s at 40,000 rows" in v.cells[1].markdown()
    v = verdict({"dcsvm_auto": mine, "libsvm": [absent], "sklearn_svc": [implied, *limited(600)]})
    assert v.cells[1].markdown() == "120x: > 600x, yes"
