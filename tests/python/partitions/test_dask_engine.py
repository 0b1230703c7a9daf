"""Steps on Dask: what is released, and what can be made again."""

import pickle

import pytest

pytest.importorskip("distributed", reason="dcsvm.dask needs the extra dask")

from dask.sizeof import sizeof

from _local_engine import LocalEngine
from _partitions import even, outer_loop
from dcsvm.dask import TaskError
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
