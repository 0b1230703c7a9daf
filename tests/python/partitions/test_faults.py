"""Workers that die, stop or run out of memory: the same model as without, or an error that names the cause; never a hang.

Real processes, killed by their id. By default each kind of fault runs once. DCSVM_FAULT_RUNS=50 runs all scenarios, again and
again with faults at other moments; -rP prints what came of each.
"""

import contextlib
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import dcsvm

da = pytest.importorskip("dask.array", reason="dcsvm.dask needs the extra dask")

import cloudpickle  # noqa: E402
from dask import delayed  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

from dcsvm.dask import DaskSVC, TaskError, _engine  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import this file
ROWS = 800


def made(p):
    """Partition p, which every worker can make again."""
    return dcsvm.datasets.make_checkerboard(ROWS, noise=0.1, random_state=100 + p)


def data(parts=6, load=made):
    pairs = [delayed(load, pure=False)(p) for p in range(parts)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


@contextlib.contextmanager
def processes(workers=2, **options):
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50, **options
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def expected():
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        return DaskSVC(C=10, gamma=4).fit(*data())


def pids(client):
    """Process ids of the workers that can be reached, by address."""
    return dict(client.run(os.getpid, on_error="ignore"))


class Fault:
    """Calls act(client, engine, handles) when the results of steps of these names are asked for, `times` times."""

    def __init__(self, patch, steps, act, times=1):
        self.left, self.count = times, 0
        gather = _engine.DaskEngine.gather

        def gathered(engine, handles):
            if self.left and any(h.step.name in steps for h in handles):
                self.left -= 1
                self.count += 1
                engine.send()
                act(engine, handles)
            return gather(engine, handles)

        patch.setattr(_engine.DaskEngine, "gather", gathered)


def worker_of(engine):
    """The address of a worker that runs a task of the engine, else any."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        for address, keys in engine.client.processing().items():
            if any(engine.token in str(k) for k in keys):
                return address
    return next(iter(engine.client.nthreads()), None)


class Signals:
    """Sends signals to workers after a delay, from another thread."""

    def __init__(self, client, delay):
        self.client, self.delay, self.timers = client, delay, []

    def send(self, pid, number, later=0.0):
        def sent():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

        if self.delay + later == 0:
            sent()
            return
        self.timers.append(threading.Timer(self.delay + later, sent))
        self.timers[-1].start()

    def one(self, engine, handles):
        address = worker_of(engine)
        if pid := pids(self.client).get(address):
            self.send(pid, signal.SIGKILL)

    def all(self, engine, handles):
        for pid in pids(self.client).values():
            self.send(pid, signal.SIGKILL)

    def stopped(self, engine, handles):
        pid = pids(self.client)[worker_of(engine)]
        self.send(pid, signal.SIGSTOP)
        self.send(pid, signal.SIGCONT, later=10.0)

    def wait(self):
        for timer in self.timers:
            timer.join()


KINDS = [  # which workers, at the results of which step, how many times
    ("one", "finding", 5),  # more deaths than Dask allows one task
    ("one", "certify", 1),
    ("all", "report", 1),
    ("all", "model", 1),
    ("stopped", "finding", 1),
]
# The same kinds of fault at the other steps, and what one of KINDS contains.
OTHERS = [
    ("one", "finding", 10),
    ("one", "report", 10),
    *(("one", step, 1) for step in ("moments", "report", "finding", "model")),
    *(("all", step, 1) for step in ("moments", "finding", "certify")),
    ("stopped", "report", 1),
]
SCENARIOS = KINDS + OTHERS
RUNS = int(os.environ.get("DCSVM_FAULT_RUNS", len(KINDS)))


@pytest.mark.parametrize("run", range(RUNS))
def test_a_fault_changes_no_bit_or_is_an_error(expected, run):
    """Workers killed or stopped at a step, at once in the first len(SCENARIOS) runs and later at some moment after it began."""
    what, step, times = SCENARIOS[run % len(SCENARIOS)]
    delay = 0.0 if run < len(SCENARIOS) else float(np.random.default_rng(run).uniform(0, 0.5))
    with processes() as client, pytest.MonkeyPatch.context() as patch:
        signals = Signals(client, delay)
        fault = Fault(patch, {step}, getattr(signals, what), times)
        try:
            model, outcome = DaskSVC(C=10, gamma=4).fit(*data()), "the same model"
        except TaskError as error:
            model, outcome = None, f"TaskError: {error}"
        signals.wait()
    print(f"run {run}: {what} at {step!r} after {delay:.2f} s, {fault.count} times: {outcome}")
    assert fault.count >= min(times, 3)
    if model is not None:
        np.testing.assert_array_equal(model.support_, expected.support_)
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
        np.testing.assert_array_equal(model.intercept_, expected.intercept_)


def test_a_partition_that_always_fails_is_named():
    def load(p):
        if p == 3:
            raise OSError("no such bucket")
        return made(p)

    with processes(), pytest.raises(TaskError, match="partition 3 could not be loaded: OSError: no such bucket"):
        DaskSVC(C=10, gamma=4).fit(*data(load=load))


def test_a_partition_that_kills_its_worker_is_named():
    def load(p):
        if p == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return made(p)

    with processes(), pytest.raises(TaskError, match=r"partition 3.*workers that ran it died"):
        DaskSVC(C=10, gamma=4).fit(*data(load=load))


def test_sent_data_that_died_with_its_worker_is_named():
    with processes() as client, pytest.MonkeyPatch.context() as patch:
        sent = [delayed(client.scatter([made(p)])[0]) for p in range(4)]
        Fault(patch, {"finding"}, Signals(client, 0).all)
        with pytest.raises(TaskError, match=r"its data was lost.*Client.scatter"):
            DaskSVC(C=10, gamma=4).fit([pair[0] for pair in sent], [pair[1] for pair in sent])


def test_without_workers_there_is_an_error_and_no_hang():
    with processes(workers=1) as client, pytest.MonkeyPatch.context() as patch:

        def close(engine, handles):
            engine.silent_limit = 6.0
            client.cluster.scale(0)

        Fault(patch, {"finding"}, close)
        with pytest.raises(TaskError, match=r"no result of step 'finding'.*0 workers"):
            DaskSVC(C=10, gamma=4).fit(*data())


def test_interruption_cancels_the_tasks():
    with processes() as client, pytest.MonkeyPatch.context() as patch:

        def interrupt(engine, handles):
            raise KeyboardInterrupt

        Fault(patch, {"finding"}, interrupt)
        with pytest.raises(KeyboardInterrupt):
            DaskSVC(C=10, gamma=4).fit(*data())
        assert client.submit(lambda: 7, pure=False).result() == 7  # the scheduler has seen what came before
        while any(client.processing().values()):  # until the workers know that nobody wants their tasks
            pass
        assert client.submit(lambda: 7).result() == 7
