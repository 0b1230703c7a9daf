"""The budget of tune, by clocks that count work instead of seconds."""

import warnings

import pytest

import dcsvm
from dcsvm._search import race
from dcsvm._search import tune as tuning


def board(n, seed=0):
    return dcsvm.datasets.make_checkerboard(n, noise=0.1, random_state=seed)


@pytest.fixture
def second_for_each_gamma(monkeypatch):
    """A clock by which what is trained together takes a second."""
    evaluated, calls = race.evaluated, []

    def counted(*args, **how):
        calls.append(1)
        return evaluated(*args, **how)

    monkeypatch.setattr(race, "evaluated", counted)
    monkeypatch.setattr(race.Clock, "seconds", property(lambda clock: float(len(calls))))
    return calls


def test_a_budget_ends_the_race_with_the_best_so_far_and_says_so(second_for_each_gamma):
    X, y = board(2500)
    found = dcsvm.tune(X, y, budget=3.5)
    assert found.stop_reason == "budget"
    assert "the budget ended it early" in " ".join(repr(found).split())
    assert {t["rows"] for t in found.trials} == {500}
    assert len({t["gamma"] for t in found.trials}) == 2  # the third was not ready in time
    assert found.best_score == max(t["score"] for t in found.trials)
    assert found.held_out_score is None
    assert found.model.report.stop_reason == "converged"
    del second_for_each_gamma[:]
    later = dcsvm.tune(X, y, budget=11.2, gamma=[0.1, 1, 4, 10], C=[1, 10, 100], min_rows=250)
    assert later.stop_reason == "budget"
    assert max(t["rows"] for t in later.trials) > 250
    with pytest.raises(ValueError, match=r"budget=1e-06 seconds are too short: no value of gamma was scored on 500 rows"):
        dcsvm.tune(X, y, budget=1e-6)


@pytest.fixture
def second_for_each_row(monkeypatch):
    """A clock by which each row of a training takes a second, of which the list has those so far."""
    evaluated, train, spent, limits = race.evaluated, tuning.train, [], []

    def counted(data, y, costs, gamma, *, cv, **how):
        spent.append(len(costs) * sum(len(rows) for rows, _ in cv))
        return evaluated(data, y, costs, gamma, cv=cv, **how)

    def limited(X, y, *, max_seconds, **how):
        limits.append((max_seconds, sum(spent)))
        spent.append(len(y) if max_seconds is None else min(max_seconds, len(y)))
        return train(X, y, **how)

    monkeypatch.setattr(race, "evaluated", counted)
    monkeypatch.setattr(tuning, "train", limited)
    monkeypatch.setattr(race.Clock, "seconds", property(lambda clock: float(sum(spent))))
    return spent, limits


def test_a_budget_is_used_and_not_exceeded(second_for_each_row):
    spent, limits = second_for_each_row
    X, y = board(6000)
    how = {"C": [1, 10, 100], "gamma": [0.5, 2, 8], "cv": 3, "min_rows": 100}
    whole = dcsvm.tune(X, y, **how)
    needed, last = sum(spent), limits[-1]
    assert last[0] is None
    sizes = {t["rows"] for t in whole.trials}
    del spent[:]
    enough = dcsvm.tune(X, y, budget=1.5 * needed, **how)
    assert enough.stop_reason == "finished"
    assert enough.held_out_score == whole.held_out_score
    assert limits[-1] == (pytest.approx(1.5 * needed - last[1]), last[1])  # what is left
    del spent[:]
    less = dcsvm.tune(X, y, budget=0.9 * needed, **how)
    assert less.stop_reason == "budget"
    assert less.held_out_score is not None
    assert sum(spent) <= 0.9 * needed
    assert {t["rows"] for t in less.trials} == sizes - {max(sizes)}
    del spent[:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        dcsvm.tune(X, y, budget=5000, **how)
    assert sum(spent) <= 5000


def test_a_last_training_that_meets_the_budget_says_so():
    X, y = board(20000)
    with pytest.warns(dcsvm.ConvergenceWarning, match=r"time_limit.*\(of tune: budget\)"):
        found = dcsvm.tune(X, y, C=[1e6], gamma=[0.01], budget=0.5, min_rows=20, cv=2)
    assert found.model.report.stop_reason == "time_limit"
    assert found.held_out_score is None


def test_a_budget_that_is_not_met_changes_nothing():
    X, y = board(300)
    found = [dcsvm.tune(X, y, budget=budget, C=[1, 10], gamma=[1, 4]) for budget in (None, 600)]
    assert found[1].stop_reason == "finished"
    assert found[0].best_score == found[1].best_score
