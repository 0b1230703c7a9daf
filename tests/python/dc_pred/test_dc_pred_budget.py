"""What budget= chooses: never above the budget, never worse on held-out rows than a candidate it has seen."""

from types import SimpleNamespace

import numpy as np
import pytest

import dcsvm
from dcsvm._dc_pred import train as _dc_pred


@pytest.mark.parametrize("pseudo", ["none", "triangle", "polynomial"])
@pytest.mark.parametrize("budget", [13, 17.5, 30])
def test_the_budget_holds(pseudo, budget):
    x, y = dcsvm.datasets.make_checkerboard(2000, random_state=2)
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=4, budget=budget, pseudo=pseudo, refine=5)
    assert fast.cost <= budget * (1 + 1e-9)
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (1500, 3))
    ridge = dcsvm.train_dc_pred_ridge(a, np.sin(3 * a[:, 0]), alpha=0.1, gamma=1, budget=f"{budget}x", pseudo=pseudo, refine=5)
    assert ridge.cost <= budget * (1 + 1e-9)


def test_a_compressed_model_keeps_to_its_budget_and_its_own_C():
    x, y = dcsvm.datasets.make_checkerboard(2000, random_state=2)
    exact = dcsvm.train(x, y, C=50, gamma=4)
    fast = dcsvm.compress(exact, x, budget=40, refine=5)
    assert fast.cost <= 40 * (1 + 1e-9)
    assert (fast.predict(x) == exact.predict(x)).mean() > 0.9
    poly = dcsvm.compress(dcsvm.train(x, y, kernel="poly", gamma=1.0, coef0=1.0), x, budget=40)
    assert poly.cost <= 40 * (1 + 1e-9)


class Trainings:
    """Stands in for the core: models that are wrong on a given share of rows, at a cost of one's choice."""

    def __init__(self, monkeypatch, n, wrong, costs=None, stop_reason="converged"):
        self.seen, self.n, self.wrong, self.costs, self.stop_reason = [], n, wrong, costs or (lambda *_: 5.0), stop_reason
        monkeypatch.setattr(_dc_pred, "_core", SimpleNamespace(dc_pred_predict=lambda core, data, threads: core.answers(data)))

    def run(self, budget, pseudo="none", seed=0):
        p = SimpleNamespace(n_leaves=0, n_landmarks=0, n_pseudo=0, refine=7, pseudo=pseudo, seed=seed, n_threads=1)

        def train(rows):
            numbers = (p.n_leaves, p.n_landmarks, p.n_pseudo)
            self.seen.append((numbers, rows is None, p.refine))
            share = self.wrong(numbers, rows is None)
            cost = self.costs(numbers, rows is None)
            # the target of a row is 1, and its first value its place in [0, 1)
            answers = lambda data: np.where(data[:, 0] < share, -1.0, 1.0)  # noqa: E731
            report = lambda: {"depth": float(np.log2(p.n_leaves)), "stop_reason": self.stop_reason}  # noqa: E731
            return SimpleNamespace(answers=answers, cost=cost, report=report, numbers=numbers, whole=rows is None)

        x = np.c_[np.arange(self.n) / self.n, np.zeros((self.n, 9))]
        y = np.ones(self.n)
        y[-2:] = -1.0  # two classes
        return _dc_pred._within(budget, p, train, x, y, None)


def test_the_candidate_that_errs_least_is_trained_on_all_rows(monkeypatch):
    trainings = Trainings(monkeypatch, 2000, lambda numbers, whole: 0.1 if numbers[0] == 4 else 0.3)
    model = trainings.run(20)
    assert model.whole
    assert model.numbers[0] == 4
    assert all(refine in (0, 7) for _, _, refine in trainings.seen)
    assert trainings.seen[-1][2] == 7


def test_fewer_landmarks_may_win_and_a_poor_last_training_does_not_stand(monkeypatch):
    trainings = Trainings(monkeypatch, 100, lambda numbers, whole: 0.9 if whole else 0.05 * numbers[1])
    model = trainings.run(30)
    most = max(numbers[1] for numbers, _, _ in trainings.seen)
    assert not model.whole
    assert model.numbers[1] == 2 * most // 3
    cancelled = Trainings(monkeypatch, 100, lambda numbers, whole: 0.5 if whole else 0.1, stop_reason="cancelled")
    assert cancelled.run(30).whole


def test_what_costs_more_than_the_budget_is_passed_over(monkeypatch):
    # leaves are dearer than they should be: every tree exceeds the budget, and on all rows the single leaf does
    trainings = Trainings(
        monkeypatch, 2000, lambda numbers, whole: 1 / (1 + numbers[0]), lambda numbers, whole: 21.0 if numbers[0] > 1 else 19.0
    )
    model = trainings.run(20)
    assert model.numbers[0] == 1
    dear = Trainings(
        monkeypatch, 100, lambda numbers, whole: 0.0 if whole else 0.1, lambda numbers, whole: 21.0 if whole else 19.0
    )
    assert not dear.run(20).whole
