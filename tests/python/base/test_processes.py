"""Signals, threads and forks: training is a good guest in its process."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import dcsvm

# A problem that takes far longer than any test waits.
ENDLESS = """
import os, signal, sys, time
import numpy as np
import dcsvm
x, y = dcsvm.datasets.make_checkerboard(30000, noise=0.5)
params = dict(C=1e6, gamma=50, tol=1e-9, precision="double")
"""


def python(code, **kwargs):
    code = textwrap.dedent(ENDLESS) + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **kwargs)


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("params", ["solver='smo'", "solver='dc'"])
def test_ctrl_c(params):
    done = python(f"""
        sent = []
        def first(progress):
            if not sent:
                sent.append(progress.n_iter)
                os.kill(os.getpid(), signal.SIGINT)  # seen at the next poll, as when a user presses the keys
        try:
            dcsvm.train(x, y, callback=first, {params}, **params)
        except KeyboardInterrupt:
            print("interrupted")
        m = dcsvm.train(x[:1000], y[:1000])
        print("usable", m.report.stop_reason, len(m.predict(x)))
    """)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "interrupted"  # the training itself would outlast the time that the process is given
    assert second == "usable converged 30000"


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c_from_outside_and_without_callback():
    code = textwrap.dedent(ENDLESS) + "print('ready', flush=True)\ndcsvm.train(x, y, **params)\n"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert process.returncode == -signal.SIGINT


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_a_signal_handler_s_own_exception_comes_out():
    done = python("""
        class Stop(Exception): pass
        def handler(*_): raise Stop("by handler")
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            dcsvm.train(x, y, **params)
        except Stop as e:
            print(e)
    """)
    assert done.stdout == "by handler\n", done.stderr


def test_other_threads_run_while_training():
    """A thread that counts moves on between the end of one progress call and the start of the next."""
    x, y = dcsvm.datasets.make_checkerboard(30000, noise=0.5)
    counted, seen, moved = 0, None, 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1

    def look(progress):
        nonlocal seen, moved
        moved += seen is not None and counted > seen
        seen = counted
        return moved == 3

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.warns(dcsvm.ConvergenceWarning, match="'cancelled'"):
        dcsvm.train(x, y, C=1e6, gamma=50, tol=1e-9, max_iter=1000000, precision="double", callback=look)
    stop.set()
    thread.join()
    assert moved == 3


def test_several_trainings_at_once(board, blobs):
    problems = [(board, {"C": 10, "gamma": 4}), (blobs, {"gamma": 0.5}), (board, {"C": 10, "gamma": 4, "early_level": 1})]
    expected = [dcsvm.train(*data, **params).alpha for data, params in problems]
    got = {}

    def work(i):
        data, params = problems[i % 3]
        got[i] = dcsvm.train(*data, n_jobs=1 + i % 2, **params).alpha

    threads = [threading.Thread(target=work, args=(i,)) for i in range(9)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for i in range(9):
        np.testing.assert_array_equal(got[i], expected[i % 3])


def test_one_model_predicts_from_several_threads(model, board):
    expected = model.decision_function(board[0])
    results = [None] * 6

    def work(i):
        results[i] = model.decision_function(board[0], n_jobs=1 + i % 3)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for r in results:
        np.testing.assert_array_equal(r, expected)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_training_after_a_fork():
    done = python("""
        import multiprocessing
        def work(seed):
            return dcsvm.train(x[:2000], y[:2000], gamma=4, n_jobs=2, random_state=seed).report.objective
        if __name__ == "__main__":
            here = work(0)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(all(v == here for v in pool.map(work, [0, 0, 0, 0])))
    """)
    assert done.stdout == "True\n", done.stderr


def test_joblib_workers(model, board):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    parts = np.array_split(board[0], 4)
    results = joblib.Parallel(n_jobs=2)(joblib.delayed(model.decision_function)(p) for p in parts)
    np.testing.assert_array_equal(np.concatenate(results), model.decision_function(board[0]))


def test_callback_in_another_thread(board):
    names = set()

    def work():
        dcsvm.train(*board, C=1000, gamma=4, callback=lambda p: names.add(threading.current_thread().name))

    t = threading.Thread(target=work, name="worker")
    t.start()
    t.join()
    assert names == {"worker"}


def test_a_subinterpreter_refuses():
    """Where Python's own modules let a test make one. (Until Python 3.11 pybind11 alone would wait for ever.)"""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            """
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
code = "try:\\n    import dcsvm\\n    print('imported')\\nexcept ImportError as error:\\n    print('refused:', error)"
interpreters.run_string(interpreters.create(), code)
""",
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.startswith("refused: "), done
    if sys.version_info < (3, 12):  # later ones may refuse before dcsvm can
        assert done.stdout == "refused: dcsvm cannot be imported in a subinterpreter: use threads or processes\n"
