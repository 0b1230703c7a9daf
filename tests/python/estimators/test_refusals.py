"""What scikit-learn's support vector machines refuse, and bad values of our own parameters."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
from test_estimators import LABELS, NUMBERS, Q, X  # noqa: E402

BAD = [
    ({"C": -1}, {}),
    ({"C": 0}, {}),
    ({"kernel": "rfb"}, {}),
    ({"gamma": -1}, {}),
    ({"gamma": "scal"}, {}),
    ({"degree": -1}, {}),
    ({"degree": 2.5}, {}),
    ({"coef0": np.inf}, {}),
    ({"tol": 0}, {}),
    ({"cache_size": 0}, {}),
    ({"max_iter": -2}, {}),
    ({"max_iter": 1.5}, {}),
    ({"class_weight": "balance"}, {}),
    ({"class_weight": {"low": 1}}, {"y": (NUMBERS > 0).astype(int)}),
    ({"decision_function_shape": "ovp"}, {}),
    ({"shrinking": "yes"}, {}),
    ({"random_state": "a"}, {}),
    ({}, {"y": ["a"] * 150}),
    ({}, {"y": "low"}),
    ({}, {"y": LABELS[:-1]}),
    ({}, {"y": NUMBERS}),
    ({}, {"y": None}),
    ({}, {"X": np.where(X > 2, np.nan, X)}),
    ({}, {"X": X[:, 0]}),
    ({}, {"X": np.zeros((150, 0))}),
    ({}, {"X": X.astype(complex)}),
    ({}, {"sample_weight": np.ones(149)}),
    ({}, {"sample_weight": np.zeros(150)}),
    ({}, {"sample_weight": (LABELS == "low").astype(float)}),
    ({"kernel": "precomputed"}, {}),
    ({"kernel": "precomputed"}, {"X": sp.csr_matrix(X @ X.T)}),
    ({"kernel": lambda a, b: a}, {}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("params", "data"), BAD, ids=[f"{next(iter({**p, **d}))}-{i}" for i, (p, d) in enumerate(BAD)])
def test_bad_input_is_refused_as_they_refuse_it(params, data):
    arguments = {"X": X, "y": LABELS, **data}
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        svm.SVC(**params).fit(**arguments)
    with pytest.raises(type(theirs.value)) as ours:
        dcsvm.SVC(**params).fit(**arguments)
    if not callable(params.get("kernel")):
        assert str(ours.value)[:25] == str(theirs.value)[:25]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"solver": "sgd"}, "'solver' parameter of SVC must be a str among"),
        ({"precision": "half"}, "'precision' parameter of SVC"),
        ({"branching": 1}, "'branching' parameter of SVC"),
        ({"n_levels": 0}, "'n_levels' parameter of SVC"),
        ({"early_level": 0}, "'early_level' parameter of SVC"),
        ({"sample_size": 0}, "'sample_size' parameter of SVC"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"n_jobs": 1.5}, "'n_jobs' parameter of SVC"),
        ({"callback": 3}, "'callback' parameter of SVC"),
        ({"fit_intercept": "yes"}, "'fit_intercept' parameter of SVC"),
        ({"warm_start": 3}, "'warm_start' parameter of SVC"),
        ({"early_level": 1, "solver": "smo"}, 'early_level needs solver "dc" or "auto", got "smo"'),
    ],
)
def test_bad_values_of_our_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.SVC(**params).fit(X, LABELS)


def test_nu_beyond_what_two_classes_allow_is_refused_and_for_more_reduced():
    y = np.arange(150) < 15
    for kind in (svm.NuSVC, dcsvm.NuSVC):
        with pytest.raises(ValueError, match="specified nu is infeasible"):
            kind().fit(X, y)
    three = np.where(y, 2, np.arange(150) % 2)
    with pytest.warns(UserWarning, match=r"specified nu is infeasible: nu=0.5 is above 0\.36.*: that is used instead"):
        ours = dcsvm.NuSVC(tol=1e-9).fit(X, three)
    largest = 2 * 15 / (15 + 68)
    theirs = svm.NuSVC(nu=largest - 1e-9, tol=1e-9).fit(X, three)
    np.testing.assert_allclose(ours.decision_function(Q), theirs.decision_function(Q), atol=1e-3)
