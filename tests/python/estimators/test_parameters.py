"""Which parameters the estimators have, and their defaults: users' programs and pickles rely on both."""

import inspect
import math
import re

import numpy as np
import pytest

import dcsvm
from dcsvm import _core
from dcsvm._input.parameters import parameters_of

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.utils._param_validation import Interval, StrOptions

from dcsvm import estimators


def test_every_estimator_is_listed():
    assert set(estimators.__all__) == dcsvm._ESTIMATORS


@pytest.mark.parametrize("name", estimators.__all__)
def test_help_lists_every_parameter_with_its_default(name):
    """These lists stand in the sources: who changes a name or a default, on which programs and pickles rely, sees it there."""
    text = inspect.getdoc(getattr(dcsvm, name)).partition("Parameters\n")[2].partition("Attributes\n")[0]
    shown = dict(re.findall(r"^(\w+) : .*default=(.*)$", text, re.MULTILINE))
    defaults = {n: p.default for n, p in inspect.signature(getattr(dcsvm, name)).parameters.items()}
    assert shown == {parameter: repr(default) for parameter, default in defaults.items()}
    assert getattr(dcsvm, name)().get_params() == defaults


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "DCSVC"])
def test_ranges_are_those_that_cpp_declares(name):
    declared = parameters_of(_core.TrainParams)
    wider = {"gamma"}  # scikit-learn allows 0
    compared = 0
    for parameter, accepted in getattr(dcsvm, name)._parameter_constraints.items():
        for interval in (c for c in accepted if isinstance(c, Interval) and parameter in declared and parameter not in wider):
            expected = declared[parameter]
            low = -math.inf if interval.left is None else interval.left
            included = interval.left is None or interval.closed in ("left", "both")
            assert (low, included) == (expected.low, expected.low_allowed), parameter
            compared += 1
    assert compared >= 4


def test_parameters_that_passed_once_are_checked_again_when_they_change():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = dcsvm.SVC(C=1).fit(X, [0, 0, 1, 1])
    model.fit(X, [0, 0, 1, 1])
    for name, value in {"C": -1, "degree": 3.0, "kernel": "rb", "cache_size": -1, "class_weight": "even"}.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter"):
            dcsvm.SVC(**{"C": 1, name: value}).fit(X, [0, 0, 1, 1])


def test_few_plain_rows_are_refused_as_all_others_are():
    X, y = np.arange(8.0).reshape(-1, 1), np.repeat([0, 1], 4)
    bad = [
        (np.where(X > 6, np.nan, X), y, "NaN"),
        (X, y[:5], "inconsistent numbers of samples"),
        (X, y + 0.5 * X.ravel(), "Unknown label type"),
        (X, np.where(y, np.nan, 0.0), "NaN"),
        (X, np.zeros(8), "number of classes has to be greater than one"),
        (X[:, 0], y, "Expected 2D array"),
    ]
    for rows, labels, text in bad:
        with pytest.raises(ValueError, match=text):
            dcsvm.SVC().fit(rows, labels)
    frame = pytest.importorskip("pandas").DataFrame({"a": X.ravel()})
    model = dcsvm.SVC().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a"]
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    assert model.n_features_in_ == 1


# What needs another parameter beside it, as in scikit-learn, or is not positive definite.
WITH_OTHERS = {("penalty", "l1"), ("penalty", "elasticnet"), ("kernel", "sigmoid")}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", estimators.__all__)
def test_no_choice_is_accepted_to_be_refused(name):
    """Each name that a parameter takes trains on some data, with everything else at its default."""
    rng = np.random.default_rng(0)
    x = np.abs(rng.normal(size=(60, 4)))
    y = (x[:, 0] > 0.6).astype(int)
    kind = getattr(dcsvm, name)
    for parameter, accepted in kind._parameter_constraints.items():
        options = [c for c in accepted if isinstance(c, StrOptions)] if isinstance(accepted, list) else []
        for choice in sorted(choice for c in options for choice in c.options):
            if (parameter, choice) not in WITH_OTHERS:
                kind(**{parameter: choice}).fit(x @ x.T if choice == "precomputed" and parameter == "kernel" else x, y)
