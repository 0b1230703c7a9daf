"""Eight threads that train, predict, pickle, save and load at the same time get what one thread gets."""

import pickle
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
def test_ten_thousand_pieces_of_work(tmp_path):
    check(tmp_path, 10_000)
