"""One voice for bad values: trainings and estimators name the parameter and the value, and the choice that was meant."""

import inspect
import math
import re
from dataclasses import fields, is_dataclass
from numbers import Integral

import numpy as np
import pytest

import dcsvm
from _trainings import TRAININGS
from dcsvm._input.parameters import DECLARED_AS, parameters_of

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.utils._param_validation import Interval

from dcsvm import estimators

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
y = np.array([0, 1, 0, 1, 0, 1])
ESTIMATORS = [kind for kind in (getattr(dcsvm, name) for name in estimators.__all__) if is_dataclass(kind)]


def misspelled(choices):
    """A choice with a letter too many, and the error's end, which names the choice."""
    longest = max({*choices} - {"precomputed"}, key=lambda choice: (len(choice), choice))  # which not all trainings have
    return f"{longest}e", re.escape(f" (did you mean {longest!r}?)") + "$"


def of_training():
    """(training, parameter, bad value, end of the error)"""
    for function, kind in TRAININGS.items():
        declared = parameters_of(kind)
        for name in inspect.signature(function).parameters:
            p = declared.get(DECLARED_AS.get(name, name))
            if name in ("gamma", "class_weight"):
                yield function, name, *misspelled(["scale" if name == "gamma" else "balanced"])
            elif p is None or name in ("random_state", "n_jobs"):
                continue
            elif p.choices:
                yield function, name, *misspelled(p.choices)
            else:
                yield function, name, "much", "got 'much'"
                if math.isfinite(p.low):
                    yield function, name, p.low - 1, "got "


def of_estimator():
    for kind in ESTIMATORS:
        for field in fields(kind):
            accepted = field.metadata.get("accepted", (object,))
            assert accepted, f"{kind.__name__}.{field.name} accepts nothing"
            if object in accepted:
                continue
            if choices := [choice for one in accepted if isinstance(one, tuple) for choice in one]:
                yield kind, field.name, *misspelled(choices)
            elif str not in accepted:
                yield kind, field.name, "much", "Got 'much' instead"
            intervals = [one for one in accepted if isinstance(one, Interval)]
            for one in intervals:
                if one.left is not None:
                    yield kind, field.name, one.left - 1, "Got -?[0-9.]+ instead"
            if intervals and all(one.type is Integral for one in intervals):
                yield kind, field.name, 2.5, "Got 2.5 instead"


def name_of(value):
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("function", "name", "bad", "text"), list(of_training()), ids=name_of)
def test_trainings_refuse_bad_values(function, name, bad, text):
    with pytest.raises(ValueError, match=f"^{name} must be .*{text}"):
        function(X, y, **{name: bad})


@pytest.mark.parametrize(("kind", "name", "bad", "text"), list(of_estimator()), ids=name_of)
def test_estimators_refuse_bad_values(kind, name, bad, text):
    with pytest.raises(ValueError, match=f"^The '{name}' parameter of {kind.__name__} must be .*{text}"):
        kind(**{name: bad}).fit(X, y)


def test_every_training_and_every_estimator_is_asked():
    trainings = {name for name in dcsvm.__all__ if name.startswith("train") and not name.endswith(("_file", "_batches"))}
    assert trainings == {function.__name__ for function in TRAININGS}
    assert len({kind for kind, *_ in of_estimator()}) == len(ESTIMATORS) >= 20
    with pytest.raises(TypeError, match=r"SVC\(\) has no parameter 'n_threads' \(did you mean 'n_jobs'\?\)"):
        dcsvm.SVC(n_threads=2)
    with pytest.raises(TypeError, match=r"FourierFeatures\(\) has no parameter 'channels' \(did you mean 'n_channels'\?\)"):
        dcsvm.FourierFeatures(channels=2)
