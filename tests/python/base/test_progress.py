"""What callbacks are given, the history, and how progress is shown."""

import re
import sys
import types

import numpy as np
import pytest

import dcsvm
from dcsvm._shown import progress as shown


def recorded(**parameters):
    x, y = dcsvm.datasets.make_checkerboard(4000, noise=0.2, random_state=0)
    history = dcsvm.History()
    model = dcsvm.train(x, y, C=100, gamma=4, callback=history, **parameters)
    return history.records, model.report


@pytest.mark.parametrize("parameters", [{"solver": "smo"}, {"solver": "dc", "n_levels": 1}, {"early_level": 1}])
def test_the_last_call_has_the_values_of_the_report(parameters):
    records, report = recorded(**parameters)
    last = records[-1]
    assert last["phase"] == "done"
    assert [r["phase"] for r in records].count("done") == 1
    assert (last["objective"], last["violation"], last["n_iter"]) == (report.objective, report.violation, report.n_iter)
    assert (last["n_support"], last["active"]) == (report.n_support, 0)
    assert last["seconds"] >= max(r["seconds"] for r in records[:-1])


def test_the_first_call_has_the_values_of_the_start():
    records, _ = recorded(solver="smo", precision="double")
    first = records[0]
    assert (first["phase"], first["done"], first["total"], first["n_iter"]) == ("solve", 0, 1, 0)
    assert first["objective"] == 0
    assert first["violation"] == 2, "at alpha = 0: the gradients are y"
    assert 0 < first["active"] <= 4000
    assert first["n_support"] == 0


def test_a_linear_model_with_dual_variables_counts_them():
    x, _ = dcsvm.datasets.make_twonorm(2000, random_state=0)
    history = dcsvm.History()
    dcsvm.train_linear(x, solver="one_class", nu=0.2, bias=-1, callback=history)
    assert history.records[0]["n_support"] == 400, "it starts from nu n rows"


def test_a_cancelled_training_is_not_reported_as_done():
    x, y = dcsvm.datasets.make_checkerboard(2000, noise=0.2)
    seen = []
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        dcsvm.train(x, y, C=100, gamma=4, callback=lambda p: seen.append(p.phase) or True)
    assert seen == ["solve"]


def test_a_history_of_an_estimator_and_as_a_frame():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    history = dcsvm.History()
    assert "records 0" in repr(history)
    assert history.to_frame().empty
    x, y = dcsvm.datasets.make_checkerboard(2000, noise=0.2)
    model = dcsvm.SVC(C=10, gamma=4, callback=history).fit(x, y)
    frame = history.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["violation"].iloc[-1] == model.report_.violation
    assert frame["seconds"].is_monotonic_increasing
    assert f"phase done; seconds {frame['seconds'].iloc[-1]:.2f}; objective" in repr(history)
    assert f"support vectors {model.report_.n_support:,}" in repr(history).replace("\n", "")


def test_clones_of_an_estimator_write_into_the_same_history():
    model_selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    history = dcsvm.History()
    x, y = dcsvm.datasets.make_checkerboard(300)
    search = model_selection.GridSearchCV(dcsvm.SVC(gamma=4, callback=history), {"C": [1, 10]}, cv=2).fit(x, y)
    assert [r["phase"] for r in history.records].count("done") == 5, "four of the search, and the best again"
    assert history.records[-1]["objective"] == search.best_estimator_.report_.objective


NOTHING = {"level": 0, "done": 0, "total": 1, "n_iter": 0, "violation": 0.0, "objective": 0.0, "seconds": 0.0}
NOTHING |= {"active": 0, "n_support": 0}


def event(phase="solve", **values):
    return types.SimpleNamespace(phase=phase, **{**NOTHING, **values})


def test_counted_phases_estimate_the_time_and_single_solves_do_not():
    bars = []

    class Tqdm:
        def __init__(self, total, bar_format, **_):
            self.total, self.n, self.bar_format = total, 0, ""
            self.first_format = bar_format
            bars.append(self)

        def reset(self, total):
            self.total, self.n = total, 0

        def set_description_str(self, text):
            self.text = text

        def close(self):
            self.closed = True

    bar = shown._Bar(Tqdm, {}, tol=1e-3)
    bar.show(event("level", level=2, done=3, total=16))
    assert (bars[0].n, bars[0].total) == (3, 16)
    assert "{remaining}" in bars[0].bar_format
    bar.show(event(n_iter=5, violation=2.0))
    assert (bars[0].n, bars[0].total) == (0, 100)
    assert "{remaining}" not in bars[0].bar_format
    seen = [0]
    for violation in (0.5, 3.0, 0.01, 1e-3):
        bar.show(event(n_iter=5, violation=violation))
        seen.append(bars[0].n)
    assert seen == sorted(seen), "it never goes back"
    assert seen[-1] == 100
    bar.close()
    assert bars[0].closed
    for columns, cells in ((200, "|{bar:24}|"), (70, "|{bar:13}|"), (40, "")):
        shown._Bar(Tqdm, {"ncols": columns}, tol=1e-3)
        assert bars[-1].first_format == f"{{percentage:3.0f}}%{cells} {{elapsed}}  {{desc}}", "narrow: the numbers stay"


def test_lines_and_the_closing_line(capsys):
    with shown.showing(1e-3) as show:
        show(event(violation=2.0, seconds=0.1))
        show(event(violation=1.0, seconds=0.2))
        show(event("refine", violation=1.0, active=1200, n_support=34, seconds=0.25))
        show(event("done", violation=5e-4, n_iter=1234, n_support=56, seconds=0.3))
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "     0.1 s  solve       violation 2.0e+00",
        "     0.2 s  refine      violation 1.0e+00  1,200 active  34 support vectors",
        "     0.3 s  done        violation 5.0e-04  1,234 steps  56 support vectors",
    ]


def test_numbers_of_a_moment_before_the_end_do_not_close(capsys):
    with shown.showing(1e-3) as show:
        show(event("newton", violation=3e3))
    assert re.fullmatch(r" +\d+\.\d s  done", capsys.readouterr().err.splitlines()[-1])


def test_an_error_has_no_closing_line(capsys):
    def interrupted():
        with shown.showing(1e-3) as show:
            show(event())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "done" not in capsys.readouterr().err


def test_notebooks_get_a_bar_and_nothing_red(monkeypatch, capsys):
    kernel = types.SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setattr(shown.importlib.util, "find_spec", lambda name: object())
    assert isinstance(shown._view(1e-3, sys.stdout), shown._Bar)
    capsys.readouterr()
    monkeypatch.setattr(shown.importlib.util, "find_spec", lambda name: None)  # tqdm would warn, and draw on stderr
    with shown.showing(1e-3) as show:
        show(event(violation=2.0, seconds=0.1))
        show(event("done", violation=5e-4, seconds=0.3))
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.splitlines() == ["     0.1 s  solve       violation 2.0e+00", "     0.3 s  done        violation 5.0e-04"]


def test_closed_streams_get_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with shown.showing(1e-3) as show:
        show(event())


def test_progress_is_importable():
    assert dcsvm.Progress.__module__ == "dcsvm"
    seen = []
    dcsvm.train(np.arange(8.0).reshape(-1, 1), np.arange(8) % 2, callback=seen.append)
    assert all(isinstance(p, dcsvm.Progress) for p in seen)
    shown = repr(seen[-1])
    assert re.findall(r"(\w+)=", shown) == list(seen[-1].keys())
    assert f"n_support={seen[-1].n_support}, seconds=" in shown
    values = dict(seen[-1])
    assert values == {name: getattr(seen[-1], name) for name in values}
    assert seen[0]["violation"] == seen[0].violation > 0
    with pytest.raises(KeyError, match="keys"):
        seen[-1]["keys"]
