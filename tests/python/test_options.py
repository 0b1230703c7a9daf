"""The types of options against what C++ declares."""

import dataclasses
import inspect
import sys
import typing

import pytest

import dcsvm
from _trainings import TRAININGS
from dcsvm import _core
from dcsvm._input import choices
from dcsvm._input.parameters import parameters_of
from dcsvm._linear.model import FORMATS as LINEAR_FORMATS
from dcsvm._svm.model import FORMATS

# Python's functions take one name more or less than the core's parameter has.
DIFFERENT = {
    ("train", "formulation"): {"kernel_ridge"},
    ("train_low_rank", "kernel"): {"precomputed"},
    ("train_dc_pred", "kernel"): {"precomputed"},
    ("train_dc_pred_ridge", "kernel"): {"precomputed"},
    ("train_ls_svm", "kernel"): {"precomputed", "cosine_poly"},
}


def names_in(kind):
    """The names that a type allows."""
    if typing.get_origin(kind) is typing.Literal:
        return set(typing.get_args(kind))
    return set().union(*(names_in(part) for part in typing.get_args(kind)), set())


@pytest.mark.parametrize("function", TRAININGS, ids=lambda function: function.__name__)
def test_literals_are_the_choices_of_the_core(function):
    hints = typing.get_type_hints(inspect.unwrap(function))
    declared = parameters_of(TRAININGS[function])
    choices = {name: p for name, p in declared.items() if p.type == "str" and name in hints}
    assert ("kernel" in choices) == ("kernel" in declared)
    for name, parameter in choices.items():
        if hints[name] is typing.Any:  # also takes an array
            continue
        assert names_in(hints[name]) ^ set(parameter.choices) == DIFFERENT.get((function.__name__, name), set()), name


def test_formats_and_predictions():
    assert set(typing.get_args(choices.ModelFormat)) == set(FORMATS)
    assert set(typing.get_args(choices.LinearModelFormat)) == set(LINEAR_FORMATS)
    assert set(typing.get_args(choices.Prediction)) == set(parameters_of(_core.TrainParams)["prediction"].choices)


def test_estimators_take_the_names_that_they_check():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    kinds = {name: getattr(dcsvm, name) for name in sorted(dcsvm._ESTIMATORS)}
    modules = [module for name, module in sys.modules.items() if name.startswith("dcsvm.estimators.")]
    known = {name: value for module in modules for name, value in vars(module).items()}  # the classes call themselves dcsvm's
    for estimator, kind in kinds.items():
        if not dataclasses.is_dataclass(kind):
            continue
        hints = typing.get_type_hints(kind, localns=known)
        for field in dataclasses.fields(kind):
            choices = [accepted for accepted in field.metadata.get("accepted", ()) if isinstance(accepted, tuple)]
            hint = hints[field.name]
            free = hint is typing.Any or str in typing.get_args(hint)  # the names of the installed scikit-learn's kernels
            if choices and not free:
                assert names_in(hint) - {"deprecated"} == set().union(*choices), (estimator, field.name)
