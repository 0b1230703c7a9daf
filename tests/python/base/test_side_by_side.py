"""Eight threads that train, predict, pickle, save and load at the same time get what one thread gets."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dcsvm

THREADS = 8


def problems():
    rng = np.random.default_rng(0)
    for k in range(6):
        x = rng.standard_normal((80, 3)).astype(np.float32 if k % 2 else np.float64)
        yield x, np.sign(x[:, 0] * x[:, 1] + 0.3 * rng.standard_normal(80)) + 10 * k


def work(number, given, folder):
    """One piece of work; its answer depends on the number alone."""
    x, y, model = given[number % len(given)]
    kind = number // len(given) % 5
    if kind == 0:
        trained = dcsvm.train(x, y, C=1 + number % 7, gamma=0.5, n_jobs=1 + number % 2)
        return trained.decision_function(x)
    if kind == 1:
        return model.predict(x, n_jobs=1 + number % 3)
    if kind == 2:
        return pickle.loads(pickle.dumps(model)).decision_function(x)
    path = folder / f"{number % 64}"  # several threads save under one name: the file is always a whole one
    if kind == 3:
        given[0][2].save(path)
        return dcsvm.load_model(path).decision_function(given[0][0])
    return dcsvm.Model.from_bytes(model.to_bytes()).decision_function(x)


def check(tmp_path, count):
    given = [(x, y, dcsvm.train(x, y, C=5, gamma=0.5)) for x, y in problems()]
    kinds = 5 * 7 * len(given) * 6  # numbers repeat with this period
    wanted = [work(number, given, tmp_path) for number in range(min(count, kinds))]
    with ThreadPoolExecutor(THREADS) as pool:
        for number, answer in enumerate(pool.map(lambda n: work(n, given, tmp_path), range(count))):
            assert np.array_equal(answer, wanted[number % kinds]), number
    assert not [file for file in tmp_path.iterdir() if not file.name.isdigit()]


def test_side_by_side(tmp_path):
    check(tmp_path, 400)


@pytest.mark.slow
def test_thousands_of_pieces_of_work(tmp_path):
    check(tmp_path, 4000)


def families():
    x, y = dcsvm.datasets.make_checkerboard(300, random_state=0)
    yield dcsvm.train(x, y, C=5, gamma=4)
    yield dcsvm.train(x, y, C=5, gamma=4, probability=True)
    yield dcsvm.train_linear(x, y, solver="logistic")
    yield dcsvm.train_low_rank(x, y, n_landmarks=40)
    yield dcsvm.train_dc_pred(x, y, n_leaves=4)
    yield dcsvm.train_ldkl(x, y, depth=2, n_passes=3)
    yield dcsvm.train_ls_svm(x, y)
    yield dcsvm.train_ridge(x, x[:, 0])


def uses(model, x):
    """What a model answers and what it consists of. Some of it is made at the first use and kept."""
    answers = [model.decision_function(x, n_jobs=1 + len(x) % 2), model.predict(x)]
    if getattr(model, "probability", False) or type(model).__name__ == "LinearModel":
        answers.append(model.predict_proba(x))
    arrays = [
        getattr(model, name)
        for name in ("support_vectors", "sv_coef", "alpha", "coef_", "landmarks", "w")
        if hasattr(model, name)
    ]
    facts = (repr(model), repr(model.report), model._repr_html_(), model.to_bytes())
    return [*answers, *(a for a in arrays if isinstance(a, np.ndarray))], facts


def same(one, other):
    return one[1] == other[1] and all(np.array_equal(a, b) for a, b in zip(one[0], other[0], strict=True))


def check_first_uses(rounds):
    x = np.random.default_rng(1).random((50, 2))
    given = [pickle.dumps(model) for model in families()]
    wanted = [uses(pickle.loads(data), x) for data in given]
    start = threading.Barrier(THREADS)

    def at_once(model):
        start.wait()
        return uses(model, x)

    with ThreadPoolExecutor(THREADS) as pool:
        for number in range(rounds * len(given)):
            model = pickle.loads(given[number % len(given)])
            answers = list(pool.map(at_once, [model] * THREADS))
            assert all(same(answer, wanted[number % len(given)]) for answer in answers), number


def test_first_uses_of_a_model_at_once():
    check_first_uses(3)


@pytest.mark.slow
def test_many_first_uses_of_a_model_at_once():
    check_first_uses(60)


def test_errors_and_callbacks_of_threads_at_once():
    """Each thread gets its own error and its own progress."""
    x, y = dcsvm.datasets.make_checkerboard(200, random_state=0)
    start = threading.Barrier(THREADS)

    def piece(number):
        start.wait()
        seen = []
        for _ in range(20):
            with pytest.raises(ValueError, match=f"got -{number + 1}"):
                dcsvm.train(x, y, C=-(number + 1))
            bad = x.copy()
            bad[number, 1] = np.nan
            with pytest.raises(ValueError, match=f"row {number}"):
                dcsvm.train(bad, y)
            with pytest.raises(FileNotFoundError, match=f"no-{number}"):
                dcsvm.load_model(f"no-{number}")
            dcsvm.train(x, y, C=1 + number, callback=lambda p: seen.append((p.phase, p.objective)))
        return seen

    with ThreadPoolExecutor(THREADS) as pool:
        for number, seen in enumerate(pool.map(piece, range(THREADS))):
            ends = {objective for phase, objective in seen if phase == "done"}
            assert ends == {dcsvm.train(x, y, C=1 + number).report.objective}
