"""The exact solution from partitions: the same objective as one training, with a certificate over all rows."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from _local_engine import LocalEngine
from _partitions import described, even, gathered, options_of, outer_loop, problem_of, twin
from dcsvm._distributed import tasks
from dcsvm._distributed.engine import PartitionError
from dcsvm._distributed.outer_loop import Settings

N = 3000


@pytest.fixture(scope="module")
def noisy():
    return dcsvm.datasets.make_checkerboard(N, noise=0.1, random_state=4)


def check(X, y, borders, formulation="c_svc", weight=None, class_weight=None, settings=None, **options):
    """Trains on the partitions and on all rows; compares objectives, and the reported violation with the slow twin's."""
    outcome, loop = outer_loop(X, y, borders, formulation, weight, class_weight, settings=settings or Settings(), **options)
    assert outcome.stop_reason == "converged"
    objective, violation = twin(loop.problem, X, y, weight, outcome)
    tol = loop.problem.tol
    assert violation < tol
    assert violation <= outcome.violation + 1e-9
    assert outcome.objective == pytest.approx(objective, rel=1e-9)
    own = {**options_of(formulation, options), "precision": "double"}
    factors = {"class_weight": class_weight} if class_weight else {}
    whole = dcsvm.train(X, y, formulation=formulation, sample_weight=weight, **own, **factors)
    assert objective == pytest.approx(whole.report.objective, rel=1e-6)
    return outcome, loop


@pytest.mark.parametrize("parts", [1, 2, 17, 200])
def test_any_number_of_partitions(noisy, parts):
    outcome, _ = check(*noisy, even(N, parts), C=10, gamma=4.0, tol=1e-4)
    assert len(outcome.rounds) <= 8


def test_empty_partitions_and_partitions_of_one_row(noisy):
    borders = np.sort(np.concatenate([[0, 0, 0, 1, 2, 3, N, N], np.arange(700, N, 450)]))
    check(*noisy, borders, C=10, gamma=4.0, tol=1e-4)


@pytest.mark.parametrize("parts", [2, 20])
def test_sorted_by_label(noisy, parts):
    X, y = noisy
    order = np.argsort(y, kind="stable")
    outcome, _ = check(X[order], y[order], even(N, parts), C=10, gamma=4.0, tol=1e-4)
    assert len(outcome.rounds) <= 8


def test_one_huge_partition_and_many_tiny_ones(noisy):
    check(*noisy, np.concatenate([[0], np.arange(2500, N + 1, 10)]), C=10, gamma=4.0, tol=1e-4)


def test_more_partitions_than_rows():
    X, y = dcsvm.datasets.make_checkerboard(30, random_state=0)
    check(X, y, np.sort(np.concatenate([np.arange(31), np.arange(0, 30, 3)])), C=10, gamma=4.0, tol=1e-4)


def test_duplicate_rows_across_partitions(noisy):
    X, y = noisy
    X, y = np.concatenate([X[:1000]] * 3), np.concatenate([y[:1000]] * 3)
    check(X, y, even(N, 6), C=1, gamma=4.0, tol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "linear", "C": 0.1},
        {"kernel": "poly", "coef0": 1.0, "gamma": 0.5, "C": 0.1},
        {"kernel": "rbf", "gamma": "scale"},
        {"fit_intercept": False, "gamma": 4.0, "C": 10},
        {"class_weight": "balanced", "gamma": 4.0, "C": 10},
        {"class_weight": {1: 3.0}, "gamma": 4.0, "C": 10},
        {"precision": "double", "tol": 1e-6, "gamma": 4.0, "C": 10},
    ],
    ids=str,
)
def test_parameters(noisy, options):
    X, y = noisy
    options = {"tol": 1e-4, **options}
    check(X[:1200], y[:1200], even(1200, 5), **options)


def test_the_solver_takes_the_sums_that_partitions_know(noisy, monkeypatch):
    given, _ = outer_loop(*noisy, even(N, 5), C=10, gamma=4.0, tol=1e-4)
    monkeypatch.setattr(tasks, "_known_sums", lambda *_: None)
    computed, _ = outer_loop(*noisy, even(N, 5), C=10, gamma=4.0, tol=1e-4)
    assert given.objective == pytest.approx(computed.objective, rel=1e-6)
    of_start = computed.report.n_pool * computed.report.n_support  # kernel values
    assert given.report.n_kernel_values < computed.report.n_kernel_values - 0.5 * of_start


@pytest.mark.parametrize("storage", ["float32", "csr", "csr32"])
def test_storage_and_weights(noisy, storage):
    X, y = noisy[0][:1200], noisy[1][:1200]
    weight = np.random.default_rng(0).integers(0, 4, 1200).astype(float)
    data = {
        "float32": lambda: X.astype(np.float32),
        "csr": lambda: sp.csr_matrix(X),
        "csr32": lambda: sp.csr_matrix(X, dtype=np.float32),
    }
    check(data[storage](), y, even(1200, 5), weight=weight, C=10, gamma=4.0, tol=1e-4)


def test_several_classes(blobs):
    X, y = blobs
    outcome, loop = check(X, y, even(800, 6), C=2, gamma=0.5, tol=1e-4)
    assert loop.problem.n_pairs == 6
    whole = dcsvm.train(X, y, C=2, gamma=0.5, tol=1e-4)
    model = gathered(outcome).model
    # The model numbers the classes.
    assert (whole.classes_[model.predict(X).astype(int)] == whole.predict(X)).mean() > 0.995


def test_several_classes_of_which_each_partition_has_one(blobs):
    X, y = blobs
    order = np.argsort(y, kind="stable")
    check(X[order], y[order], np.concatenate([[0], np.cumsum(np.unique(y, return_counts=True)[1])]), C=2, gamma=0.5, tol=1e-4)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_regression(fit_intercept):
    X = np.random.default_rng(0).uniform(-2, 2, (1500, 2))
    t = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * np.random.default_rng(1).standard_normal(1500)
    check(X, t, even(1500, 7), "epsilon_svr", C=5, gamma=2.0, tol=1e-4, fit_intercept=fit_intercept)


def test_one_class(noisy):
    X = noisy[0][:1500]
    weight = np.random.default_rng(0).uniform(0.5, 2, 1500)
    check(X, None, even(1500, 7), "one_class", weight=weight, nu=0.2, gamma=2.0, tol=1e-5)


def test_the_same_partitions_give_the_same_bits(noisy):
    X, y = noisy
    models = []
    for threads in (1, 2):
        outcome, _ = outer_loop(X, y, even(N, 20), engine=LocalEngine(threads=threads), C=10, gamma=4.0)
        models.append(gathered(outcome))
    np.testing.assert_array_equal(models[0].rows.beta, models[1].rows.beta)
    assert models[0].model.to_bytes(timings=False) == models[1].model.to_bytes(timings=False)


def test_rows_that_left_the_pool_may_come_back(noisy):
    """A pool that is hardly larger than the support vectors: rows with coefficient 0 leave, and the loop still ends."""
    X, y = noisy
    whole = dcsvm.train(X, y, C=10, gamma=4.0, tol=1e-4)
    settings = Settings(max_pool_rows=int(1.15 * whole.report.n_support))
    outcome, loop = outer_loop(X, y, even(N, 6), settings=settings, C=10, gamma=4.0, tol=1e-4)
    assert outcome.stop_reason == "converged"
    sizes = [r.n_pool for r in outcome.rounds]
    assert max(sizes[1:]) <= settings.max_pool_rows + 1000
    assert twin(loop.problem, X, y, None, outcome)[0] == pytest.approx(whole.report.objective, rel=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"C": 10, "gamma": 4.0},
        {"C": 10, "gamma": 4.0, "fit_intercept": False},
        {"C": 10, "gamma": 4.0, "precision": "double", "tol": 1e-5},
        {"C": 10, "gamma": 4.0, "solver": "dc"},
    ],
    ids=str,
)
def test_a_pool_that_may_not_hold_the_support_vectors_is_solved_in_parts(noisy, options):
    """Each part with the other rows held fixed: the same objective, and hardly more rounds."""
    X, y = noisy
    options = {"tol": 1e-4, **options}
    outcome, _ = check(X, y, even(N, 6), settings=Settings(max_pool_rows=200), **options)
    assert outcome.report.n_support > 700
    assert all(r.n_held == r.n_pool - 200 for r in outcome.rounds)
    assert len(outcome.rounds) <= 10


def test_other_formulations_in_parts(noisy, blobs):
    X, y = blobs
    of_classes, _ = check(X, y, even(800, 6), settings=Settings(max_pool_rows=60), C=2, gamma=0.5, tol=1e-4)
    x = np.random.default_rng(0).uniform(-2, 2, (1500, 2))
    t = np.sin(3 * x[:, 0]) + x[:, 1] + 0.1 * np.random.default_rng(1).standard_normal(1500)
    of_regression, _ = check(x, t, even(1500, 7), "epsilon_svr", settings=Settings(max_pool_rows=100), C=5, gamma=2.0, tol=1e-4)
    weight = np.random.default_rng(0).uniform(0.5, 2, 1500)
    one_class = {"weight": weight, "settings": Settings(max_pool_rows=30), "nu": 0.2, "gamma": 2.0, "tol": 1e-5}
    of_region, _ = check(noisy[0][:1500], None, even(1500, 7), "one_class", **one_class)
    for outcome in (of_classes, of_regression, of_region):
        assert min(r.n_held for r in outcome.rounds) > 0


def test_one_row_at_a_time_is_a_pair(noisy):
    """With max_pool_rows below 2 two rows are solved, as in SMO. The rounds end by their limit, and the report says so."""
    X, y = noisy[0][:200], noisy[1][:200]
    outcome, _ = outer_loop(X, y, even(200, 3), settings=Settings(max_pool_rows=1, max_rounds=3), C=10, gamma=4.0)
    assert outcome.stop_reason == "max_iter"
    assert all(r.n_pool - r.n_held == 2 for r in outcome.rounds)
    assert outcome.rounds[-1].objective < outcome.rounds[0].objective


def test_single_precision_gives_way_to_double():
    """Data far from the origin in a linear kernel: single precision cannot reach this tol."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3)) + 30
    y = np.where(X.sum(axis=1) - 90 + 0.5 * rng.standard_normal(600) > 0, 1, -1)
    outcome, loop = outer_loop(X, y, even(600, 4), kernel="poly", gamma=0.1, coef0=1.0, C=0.01, tol=1e-6, precision="single")
    objective, violation = twin(loop.problem, X, y, None, outcome)
    if outcome.stop_reason == "converged":
        assert violation < 2e-6
    else:
        assert outcome.stop_reason in ("stagnated", "max_iter")
        assert violation >= 1e-6
    assert np.isfinite(objective)


def test_known_sums_are_of_the_pairs_of_classes_that_the_rows_have():
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = np.arange(300) % 3
    engine = LocalEngine()
    data = described(engine, X, y, None, even(300, 1))
    problem = problem_of("c_svc", data, {"C": 10.0, "gamma": 0.5})
    rows = problem.rows_of(engine.gather(data.parts)[0], 0, np.flatnonzero(y != 1))
    rough, _, _ = tasks.solved(problem, rows, 0.5, 1)
    kernel = np.exp(-0.5 * ((rows.X[:, None] - rows.X[None]) ** 2).sum(axis=2))
    sums = rough.beta @ kernel
    assert problem.pairs[1] == (0, 2)
    sums[[0, 2]] = 10 * np.random.default_rng(1).normal(size=(2, rough.n))  # of pairs with the absent class: not to be used
    found, bias, model = tasks.solved(problem, rough, 1e-4, 1, sums)
    _, expected_bias, unknown = tasks.solved(problem, rough, 1e-4, 1)
    assert model.report.objective == pytest.approx(unknown.report.objective)
    np.testing.assert_allclose(bias, expected_bias, atol=1e-4)
    assert not found.beta[[0, 2]].any()
    # The core finds wrong sums in the end, and begins anew.
    assert model.report.n_kernel_values < unknown.report.n_kernel_values


def test_a_callback_stops_with_the_model_so_far(noisy):
    seen = []
    outcome, _ = outer_loop(*noisy, even(N, 6), on_round=lambda r: seen.append(r) or len(seen) == 2, C=10, gamma=4.0)
    assert outcome.stop_reason == "cancelled"
    assert [r.number for r in seen] == [1, 2]
    assert gathered(outcome).model is not None
    assert max_rounds_of(noisy) == "max_iter"


def max_rounds_of(noisy):
    return outer_loop(*noisy, even(N, 6), settings=Settings(max_rounds=1), C=10, gamma=4.0)[0].stop_reason


def with_nan(X):
    X = X.copy()
    X[1300, 1] = np.nan
    return X


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda X, y: (with_nan(X), y), r"partition 2: X has nan at row 300 of the partition, column 1"),
        (lambda X, y: (X, np.where(np.arange(len(y)) == 1300, np.nan, y)), r"partition 2: y has nan at row 300"),
        (lambda X, y: (X, np.ones(len(y))), r"at least two classes"),
        (lambda X, y: (X[:0], y[:0]), r"no rows"),
    ],
)
def test_bad_data_is_named(noisy, change, text):
    X, y = change(*noisy)
    borders = [0, 500, 1000, len(X)] if len(X) else [0, 0]
    with pytest.raises((PartitionError, ValueError), match=text):
        outer_loop(X, y, borders)


def test_partitions_that_do_not_fit_together():
    from _partitions import identity
    from dcsvm._distributed.rows import checked_part
    from dcsvm._distributed.setup import described as merge

    engine = LocalEngine()
    y = np.array([0, 1])
    for other, text in [
        (np.zeros((2, 4)), "partition 1: partitions differ in n_features: 3 and 4"),
        (np.zeros((2, 3), dtype=np.float32), "partition 1: partitions differ in dtype"),
        (sp.csr_matrix(np.ones((2, 3))), "partition 1: partitions differ in sparse"),
    ]:
        parts = [checked_part(np.zeros((2, 3)), y, None, "labels"), checked_part(other, y, None, "labels")]
        with pytest.raises(PartitionError, match=text):
            merge(engine, [engine.submit("part", identity, p) for p in parts])
    for bad, text in [
        (lambda: checked_part(np.zeros((2, 3)), np.zeros(3), None, "labels"), "y must have one entry for each of the 2 rows"),
        (lambda: checked_part(np.zeros((2, 3)), y, [1, np.inf], "labels"), "sample_weight has inf at row 1"),
        (lambda: checked_part(np.zeros(3), y, None, "labels"), "X must have 2 dimensions"),
        (lambda: checked_part(np.zeros((2, 3)), [0, np.nan], None, "targets"), "y has nan at row 1"),
    ]:
        with pytest.raises(ValueError, match=text):
            bad()


def test_moments_do_not_depend_on_the_partitions():
    X = np.random.default_rng(0).standard_normal((1000, 3)) * [1, 10, 1e3] + 1e4
    weight = np.random.default_rng(1).integers(1, 4, 1000).astype(float)
    from _partitions import described

    for w in (None, weight):
        found = [described(LocalEngine(), X, None, w, even(1000, p), "nothing").summary for p in (1, 7, 300)]
        data = X if w is None else np.repeat(X, w.astype(int), axis=0)
        for summary in found:
            assert summary.gamma("scale", "rbf") == pytest.approx(1 / (3 * data.var()), rel=1e-11)
    assert found[0].gamma("auto", "rbf") == pytest.approx(1 / 3)
    assert found[0].gamma(0.7, "rbf") == 0.7


@pytest.mark.parametrize(
    ("settings", "on_round", "reason"),
    [(Settings(), None, "converged"), (Settings(max_rounds=1), None, "max_iter"), (Settings(), lambda _: True, "cancelled")],
    ids=["converged", "max_rounds", "cancelled"],
)
@pytest.mark.parametrize("seed", [8, 9])
def test_whatever_ended_it_the_report_says_what_float64_finds(settings, on_round, reason, seed):
    # The neighbours of 20 rows that weigh most have gradients far more wrong than all others.
    rng = np.random.default_rng(seed)
    heavy = 10 ** rng.uniform(2.5, 3.7)
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(600, 2)), rng.normal(size=(900, 2)) * 15 + 60])
    y, weight = rng.integers(0, 2, 1520), np.repeat([heavy, 10.0, 10.0], [20, 600, 900])
    options = {"C": 1.0, "gamma": 1.0, "tol": 1e-3}
    outcome, loop = outer_loop(X, y, [0, 20, 1520], weight=weight, settings=settings, on_round=on_round, **options)
    assert outcome.stop_reason == reason
    objective, violation = twin(loop.problem, X, y, weight, outcome)
    assert outcome.violation == pytest.approx(violation, abs=1e-6)
    assert outcome.objective == pytest.approx(objective, rel=1e-9)
