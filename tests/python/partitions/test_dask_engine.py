"""Steps on Dask: what is released, and what can be made again."""

import pickle
import subprocess
import sys

import pytest

pytest.importorskip("distributed", reason="dcsvm.dask needs the extra dask")

import dask.array as da
from dask.sizeof import sizeof

from _local_engine import LocalEngine
from _partitions import even, outer_loop
from dcsvm.dask import DaskSVC, TaskError, cross_validate
from dcsvm.dask._engine import DaskEngine


class Keeping(LocalEngine):
    """Knows all results."""

    def submit(self, name, function, *args, part=None):
        found = super().submit(name, function, *args, part=part)
        kept.append((name, found.value))
        return found


kept = []


def test_dask_knows_the_sizes_of_results(noisy):
    """Where a task runs and when memory is full depends on them. Compared with what a result has when it travels."""
    kept.clear()
    outer_loop(*noisy, even(3000, 5), engine=Keeping(), C=10, gamma=4.0)
    assert {"part", "own", "solve", "change", "look", "certify"} <= {name for name, _ in kept}
    for name, value in kept:
        travelling = len(pickle.dumps(value))
        assert 0.5 * travelling - 3000 < sizeof(value) < 2 * travelling + 3000, name


def test_a_worker_needs_no_scikit_learn_to_train(noisy, cluster):
    """Which takes seconds to load. What runs on a worker stands in modules that do without."""
    seen = set()
    submit = DaskEngine.submit

    def seeing(engine, name, function, *args, part=None):
        seen.add(function.__module__)
        return submit(engine, name, function, *args, part=part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DaskEngine, "submit", seeing)
        X, y = da.from_array(noisy[0], chunks=(1000, -1)), da.from_array(noisy[1], chunks=1000)
        DaskSVC(C=10, gamma=4).fit(X, y)
        cross_validate(X, y, C=[1], gamma=[4], cv=2)
    assert "dcsvm._distributed.tasks" in seen
    modules = ", ".join(sorted({*seen, "dcsvm.dask._engine", "dcsvm.dask._data"}))
    code = f"import sys, {modules}; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def one(*, n_jobs):
    return 1


def plus_one(value, *, n_jobs):
    return value + 1


def total(*values, n_jobs):
    return sum(values)


def test_a_step_is_made_again_with_what_it_needs(cluster):
    engine = DaskEngine(cluster)
    middle = engine.submit("middle", plus_one, engine.submit("first", one))
    last = engine.submit("last", plus_one, middle)
    assert engine.gather([last]) == [3]
    first = middle.step.args[0]
    assert first.released  # its handle is gone, and with it the result
    assert not middle.step.released
    keys = first.future.key, middle.step.future.key, last.step.future.key
    middle.step.release()  # as if all were lost
    last.step.release()
    revived = []
    engine._again([last.step], set(), revived)
    assert engine.gather([last]) == [3]
    assert engine.n_repeated == 3
    assert all(step in revived for step in (first, middle.step))
    assert {first.future.key, middle.step.future.key, last.step.future.key}.isdisjoint(keys)


def test_a_tree_joins_in_the_order_of_the_handles(cluster):
    engine = DaskEngine(cluster)
    handles = [engine.submit("text", lambda *, n_jobs, i=i: (i,)) for i in range(11)]
    joined = engine.tree_reduce("join", lambda *parts, n_jobs: sum(parts, ()), handles, 3)
    assert engine.gather([joined]) == [tuple(range(11))]
    assert engine.gather([engine.tree_reduce("sum", total, [engine.submit("one", one)], 2)]) == [1]


def test_errors_name_the_step(cluster):
    engine = DaskEngine(cluster)

    def fail(*, n_jobs):
        raise RuntimeError("no luck")

    broken = engine.submit("look", fail, part=7)
    for handle in (broken, engine.submit("report", plus_one, broken)):
        with pytest.raises(TaskError, match="partition 7, step 'look': RuntimeError: no luck"):
            engine.gather([handle])

    def full(*, n_jobs):
        raise MemoryError("12 GB")

    with pytest.raises(TaskError, match=r"partition 3: out of memory in look.*12 GB"):
        engine.gather([engine.submit("look", full, part=3)])
    engine.cancel()
