"""bench/simulated_costs.py: hundreds of modelled workers: real rounds, rows and bytes; lost workers change nothing but time."""

import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from dcsvm._distributed.engine import PartitionError

sys.path.insert(0, str(Path(__file__).parents[3]))
pytest.importorskip("bench.simulated_costs", reason="bench/ is not beside tests/")
from bench.simulated_cluster import Failures, Network, SimulatedEngine
from bench.simulated_costs import scaled_cost, simulate


def coefficients(simulation, n):
    beta = np.zeros(n)
    rows = simulation.outcome.solution.value.rows
    beta[rows.number] = rows.beta[0]
    return beta


@pytest.fixture(scope="module")
def of_ten_workers():
    X, y = dcsvm.datasets.make_checkerboard(20000, noise=0.1, random_state=0)
    return X, y, simulate(X, y, workers=10, C=10, gamma=4.0).outcome.objective


def test_many_workers(of_ten_workers):
    X, y, objective = of_ten_workers
    found = simulate(X, y, workers=200, C=10, gamma=4.0)
    assert found.outcome.stop_reason == "converged"
    assert len(found.rounds) <= 10
    assert found.outcome.objective == pytest.approx(objective, rel=1e-5)
    assert found.client_bytes / len(found.rounds) < 2e6
    # Every row that left its partition, twice: to the groups and to the pool, or as it joined.
    assert sum(r.n_joined for r in found.rounds) < 2 * found.rounds[-1].n_support
    assert found.scheduler_seconds == pytest.approx(3e-4 * found.n_tasks)
    assert "200 partitions on 200 workers: converged" in str(found)


def test_lost_workers_change_nothing_but_time():
    X, y = dcsvm.datasets.make_checkerboard(4000, noise=0.1, random_state=0)
    sound = simulate(X, y, workers=50, C=10, gamma=4.0)
    hit = simulate(X, y, workers=50, C=10, gamma=4.0, failures=Failures(mean_time=5.0, seed=3))
    assert hit.n_failures >= 2
    assert sum(cost.replayed for cost in hit.phases.values()) > 0
    np.testing.assert_array_equal(coefficients(hit, 4000), coefficients(sound, 4000))
    assert hit.n_tasks > sound.n_tasks


def test_a_task_that_is_not_a_pure_function_is_found():
    engine = SimulatedEngine(workers=1, failures=Failures(mean_time=1e-3))
    calls = []

    def impure(*, n_jobs):
        calls.append(1)
        return len(calls)

    one = engine.submit("impure", impure)
    with pytest.raises(AssertionError, match="step 'impure' of partition None gave another result"):
        lose_workers(engine, one)


def lose_workers(engine, one):
    for _ in range(50):
        engine.gather([engine.submit("other", lambda value, n_jobs: value, one)])


def test_transfers_and_compute_are_charged():
    network = Network(latency=0.5, bandwidth=1e6)
    engine = SimulatedEngine(workers=2, cores=1, network=network, scheduler_seconds=0.1)
    data = engine.submit("data", lambda *, n_jobs: np.zeros(250_000), part=0)  # 2 MB: 2.5 s to another worker
    assert data.ready >= 0.1
    # One user stays where the data is, however busy it is; results are gathered over the client's link.
    sums = [engine.submit("sum", lambda value, n_jobs: float(value.sum()), data, part=p) for p in range(3)]
    assert all(list(s.holders) == list(data.holders) for s in sums)
    assert engine.phases["sum"].bytes_moved == 0
    assert engine.gather(sums) == [0.0] * 3
    assert engine.now > 0.4 + 0.5
    far = engine.submit("data", lambda *, n_jobs: np.ones(250_000), part=1)
    assert set(far.holders) != set(data.holders)  # it went to the worker that keeps less
    both = engine.submit("both", lambda a, b, n_jobs: float((a + b).sum()), data, far)
    assert engine.phases["both"].bytes_moved == pytest.approx(2e6, rel=0.01)
    assert both.ready > far.ready + 2.5
    assert engine.n_threads() == 2


def test_costs_at_other_sizes():
    rounds = simulate(*dcsvm.datasets.make_checkerboard(2000, random_state=0), workers=10, C=10, gamma=4.0).rounds
    small, large = (scaled_cost(rounds, 10**8, 300_000, P) for P in (100, 1000))
    assert large.look == pytest.approx(small.look / 10)
    assert large.solve == small.solve
    assert large.tasks == pytest.approx(10 * small.tasks)
    assert scaled_cost(rounds, 10**8, 3_000_000, 100).solve == pytest.approx(100 * small.solve)


def test_bad_arguments():
    X, y = dcsvm.datasets.make_checkerboard(100, random_state=0)
    with pytest.raises(TypeError, match="simulate\\(\\) has no parameter 'probability'"):
        simulate(X, y, workers=2, probability=True)
    with pytest.raises(PartitionError, match="partition 1"):
        simulate(np.where(np.arange(200).reshape(100, 2) == 150, np.nan, X), y, workers=2)
