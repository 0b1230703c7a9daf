"""bench/cores.py: the pieces of a training's loops, and what so many threads would take for them."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from bench import cores
from bench.cores import Loop, Trace, Wake

FREE = Wake(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
COSTLY = Wake(spinning=1.0, sleeping=10.0, call=2.0, next=0.5, join=0.25, spins=5.0)


def one_by_one(pieces, threads):
    """The slow twin: time passes in steps of one, and a thread that has nothing to do takes the next piece."""
    left, busy, now = list(pieces), [0] * threads, 0
    while left or any(busy):
        for t in range(threads):
            if not busy[t] and left:
                busy[t] = left.pop(0)
        now += 1
        busy = [max(0, b - 1) for b in busy]
    return now


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_pieces_go_to_the_thread_that_is_free_first(threads):
    pieces = [5, 1, 1, 7, 2, 2, 2, 9, 1]
    assert cores.loop_seconds(Loop("f", 64, 0.0, pieces), threads, True, FREE) == one_by_one(pieces, threads)


def test_no_more_threads_than_the_loop_has_places():
    loop = Loop("jobs", 2, 0.0, [3.0, 3.0, 3.0, 3.0])
    assert cores.loop_seconds(loop, 16, False, FREE) == 6.0
    assert cores.loop_seconds(Loop("one", 1, 0.0, [3.0, 4.0]), 16, True, COSTLY) == 7.0


def test_threads_that_sleep_begin_late_and_those_that_come_too_late_do_nothing():
    loop = Loop("f", 3, 0.0, [1.0] * 12)
    # The caller begins at 2, the others at 10 and 10.5: the caller has done 8 pieces by then.
    assert cores.loop_seconds(loop, 3, True, COSTLY) == 12.25
    # The others spin: 0, 1 and 1.5. The caller's fifth piece ends at 5, theirs at 5 and 4.5 at first.
    assert cores.loop_seconds(loop, 3, False, COSTLY) == pytest.approx(5.25)


def test_serial_time_is_what_no_loop_has():
    trace = Trace([Loop("f", 4, 1.0, [2.0] * 4), Loop("one piece", 1, 0.5, [3.0]), Loop("g", 2, 0.25, [4.0, 4.0])], 0.25)
    assert trace.serial == 5.0
    assert trace.work == 21.0
    total, parts = cores.simulated(trace, 4, FREE)
    assert total == 5.0 + 2.0 + 4.0
    assert parts["f ... one piece"] == 0.5
    assert parts["g ... end"] == 0.25
    assert cores.simulated(trace, 4, FREE, stretch=2.0)[0] == 5.0 + 4.0 + 8.0


def test_writing_a_line_is_no_time_of_the_training():
    lines = ["2 0 10 30 5 15\tearlier\n", "2 40 1000 3000 900 1100\tf\n", "1 3500 4000 4100 100\tg\n"]
    trace = cores.read(lines, 500, 5000)
    assert [x.name for x in trace.loops] == ["f", "g"]
    assert [x.before for x in trace.loops] == pytest.approx([500e-9, 500e-9])
    assert trace.loops[0].pieces == pytest.approx([900e-9, 1100e-9])
    assert trace.after == pytest.approx(900e-9)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("dcsvm::a::B<float>::run(long, c<d<e> >) const::{lambda(long, int)#2}", "B::run 2"),
        ("dcsvm::(anonymous namespace)::sum<int>(long)::{lambda(long)#1}", "sum 1"),
        (
            "dcsvm::f<g(A const&)::{lambda(auto&)#3}>(B)::{lambda(auto)#1}::operator()<C>(C) const::{lambda(long)#2}",
            "f 1 2",
        ),
    ],
)
def test_names_are_short(name, short):
    assert cores.shortened(name) == short


TRAINING = """
import hashlib, time, numpy as np, dcsvm
random = np.random.default_rng(0)
x = random.random((4000, 3)); y = np.sign(np.sin(9 * x[:, 0]) + 0.3 * random.standard_normal(4000))
begin = time.thread_time_ns()
model = dcsvm.train(x, y, C=1.0, gamma=2.0, n_jobs=THREADS)
print(begin, time.thread_time_ns(), model.report.n_threads, hashlib.sha256(model.alpha.tobytes()).hexdigest())
"""


def trained(threads, **environment):
    command = [sys.executable, "-c", TRAINING.replace("THREADS", str(threads))]
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout.split()


def test_a_traced_training_is_the_same_and_tells_its_loops(tmp_path):
    path = tmp_path / "loops"
    begin, end, threads, digest = trained(16, **{cores.TRACE: str(path)})
    assert threads == "16"  # although the machine may have fewer
    assert digest == trained(1)[3]
    trace = cores.read(path.read_text().splitlines(), int(begin), int(end))
    assert max(x.lanes for x in trace.loops) == 16
    assert all(x.before >= 0 for x in trace.loops)
    assert 0 < trace.serial < trace.work <= (int(end) - int(begin)) * 1e-9
    if shutil.which("c++filt"):
        assert any("certif" in n.lower() or "update" in n.lower() for n in cores.readable(x.name for x in trace.loops).values())


def test_a_report_of_each_number_of_threads(monkeypatch):
    trace = Trace([Loop("f", 64, 0.1, [0.01] * 90)], 0.0)
    real = {(1, 1): 1.0, (2, 1): 0.6, (1, 2): 1.2}
    monkeypatch.setattr(cores, "seconds", lambda problem, threads, at_once, repeat: (real[threads, at_once], threads == 1))
    monkeypatch.setattr(cores, "traced", lambda problem, threads: trace)
    monkeypatch.setattr(cores.os, "cpu_count", lambda: 2)
    found = cores.measure("heart", (16,), 1)
    json.dumps(found)
    assert found["stretch"] == 1.2
    assert found["simulated"][1] == pytest.approx(1.0)
    assert found["serial"] == pytest.approx(0.1)
    text = "\n".join(cores.lines_of(found))
    assert "10 % outside" in text
    assert "other processes ran beside two:" in text
    assert "  2 threads:   0.550 s simulated" in text


def test_trainings_beside_others_are_repeated(monkeypatch):
    runs = iter(
        [cores.Run(0, 5 * 10**9, 1.0), cores.Run(0, 10**9, 0.0), cores.Run(0, 7 * 10**9, 0.9), cores.Run(0, 3 * 10**9, 0.1)]
    )
    monkeypatch.setattr(cores, "trainings", lambda problem, threads, at_once: [next(runs)])
    assert cores.seconds("heart", 2, 1, 2) == (2.0, True)
    runs = iter([cores.Run(0, k * 10**9, 1.0) for k in range(1, 9)])
    assert cores.seconds("heart", 2, 1, 1) == (2.5, False)
    runs = iter([cores.Run(0, 10**9, 1.1)])  # one CPU is the other training's
    assert cores.seconds("heart", 1, 2, 1) == (1.0, True)


def test_bad_threads_are_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["cores", "--threads", "1"])
    with pytest.raises(SystemExit):
        cores.main()
    assert "--threads are at least 2" in capsys.readouterr().err
