"""What tune refuses and warns of: bad input is named, before any work."""

import numpy as np
import pytest

import dcsvm
from dcsvm._search import race
from dcsvm._search import tune as tuning


def board(n, seed=0):
    return dcsvm.datasets.make_checkerboard(n, noise=0.1, random_state=seed)


def fails(y, predicted):
    raise ZeroDivisionError("no positives")


ROWS = np.arange(5, 20)
X20, Y20 = np.random.default_rng(0).standard_normal((20, 2)), np.tile([0, 1], 10)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"scoring": fails}, r"scoring: fails raised ZeroDivisionError for \d+ held-out rows: no positives"),
        ({"scoring": lambda y, p: float("nan")}, r"scoring: the value of <lambda> must be a finite number, got nan"),
        ({"y": [0] * 20}, r"y has one class only \(0\)"),
        ({"y": [1] + [0] * 19}, r"cv: all \d+ training rows of .*fold.* are of one class; the smallest class of y has 1 rows"),
        ({"cv": 20}, r"cv=20 folds and one more that judges the winner need 21 rows, and X has 20"),
        ({"cv": [(ROWS, [20])] * 3}, r"^cv: fold 0 has test row 20, but rows are 0 to 19$"),
        ({"cv": [(ROWS, [3]), ([-1, 2], [4])]}, r"^cv: fold 1 has train row -1, but rows are 0 to 19$"),
        ({"sample_weight": [1] * 19 + [-1]}, r"sample_weight must hold finite numbers >= 0, and has -1 at row 19"),
        ({"sample_weight": [0] * 20}, r"sample_weight is 0 for every row of X"),
        ({"cv": 1}, r"cv must be a whole number >= 2"),
        ({"X": np.ones((20, 3))}, r"X: all of 16 sampled rows are equal \(every column is constant\)"),
        ({"C": []}, r"C must hold at least one number > 0, got an empty list"),
        ({"gamma": []}, r"gamma must hold at least one number > 0, got an empty list"),
        ({"C": (10, 1)}, r"C: a tuple is a range \(low, high\) with low < high, got \(10, 1\)"),
        ({"C": (1, 2, 3)}, r"C: a tuple is a range \(low, high\), got \(1, 2, 3\)"),
        ({"C": [1, -1]}, r"C\[1\] must be a finite number > 0, got -1"),
        ({"nu": 0.5}, r"nu: formulation='c_svc' has no nu"),
        ({"formulation": "nu_svc", "C": 1}, r"C: formulation='nu_svc' has no C"),
        ({"kernel": "linear", "gamma": 1}, r"gamma: kernel='linear' has no gamma"),
        ({"formulation": "one_class"}, r"y of one_class has 1 for rows inside and -1 for others.*found 0"),
        ({"budget": 0}, r"budget must be a finite number > 0, got 0"),
        ({"min_rows": 0}, r"min_rows must be a whole number >= 2, got 0"),
        ({"groups": [0] * 20}, r"groups: cv must be a splitter that takes them, such as GroupKFold\(5\); got cv=5"),
        ({"y": None}, r"y is missing"),
        ({"gamma": "skale"}, r"gamma must be .*did you mean 'scale'"),
        ({"kernel": "rbff"}, r"kernel must be one of .*did you mean 'rbf'"),
    ],
    ids=lambda v: "-".join(v) if isinstance(v, dict) else "",
)
def test_refusals_name_the_culprit(change, text):
    given = {"X": X20, "y": Y20, **change}
    with pytest.raises(ValueError, match=text):
        dcsvm.tune(given.pop("X"), given.pop("y"), **given)


@pytest.mark.parametrize("storage", ["dense", "csr", "precomputed"])
def test_values_that_are_not_finite_are_named_by_their_row_of_X_before_any_work(storage, monkeypatch):
    X, y = board(1200)
    X[1100, 1], how = np.nan, {}
    if storage == "csr":
        X = pytest.importorskip("scipy.sparse").csr_matrix(X)
    elif storage == "precomputed":
        X, how = np.pad(X, ((0, 0), (0, 1198))), {"kernel": "precomputed"}
    monkeypatch.setattr(race, "run", None)
    monkeypatch.setattr(tuning, "Sample", None)
    with pytest.raises(ValueError, match=r"^X has NaN at row 1100, column 1$"):
        dcsvm.tune(X, y, **how)
    if storage == "dense":
        X[1100, 1] = -1
        with pytest.raises(ValueError, match=r"^X has -1 at row 1100, column 1: kernel=chi2 is for features >= 0"):
            dcsvm.tune(X, y, kernel="chi2")


def test_unknown_parameters():
    with pytest.raises(TypeError, match=r"tune\(\) has no parameter 'gama' \(did you mean 'gamma'\?\)"):
        dcsvm.tune(X20, Y20, gama=1)
    with pytest.raises(TypeError, match=r"tune\(\) takes no warm_start_alpha"):
        dcsvm.tune(X20, Y20, warm_start_alpha=np.zeros(20))


def test_data_is_warned_of_once():
    X, y = board(400)
    with pytest.warns(dcsvm.ScaleWarning) as seen:
        dcsvm.tune(X * [1, 1e6], y, C=[1, 10], gamma="scale", cv=3)
    assert len(seen) == 1
