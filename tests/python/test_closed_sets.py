"""Kernels, formulations and linear solvers are closed sets of the core. What says something of each of their values, in words or
in a table of its own, has all of them: each test names those that are missing."""

import re
from typing import get_args

import pytest

import dcsvm
from _pages import names, section, tables, text_of
from dcsvm import _core
from dcsvm._input import formulations, linear_solvers, suggestions
from dcsvm._input.choices import Formulation
from dcsvm._input.formulations import FORMULATIONS
from dcsvm._input.kernels import KERNELS
from dcsvm._input.linear_solvers import SOLVERS
from dcsvm._input.parameters import parameters_of

TRAINED = get_args(Formulation)  # by train
NO_OTHER_NAME = {"linear", "precomputed"}


def missing(known, found):
    """Of the known values those that were not found, and what was found that is none of them."""
    return sorted({*known} - {*found}), sorted({*found} - {*known})


@pytest.mark.parametrize(
    ("kind", "parameter", "known"),
    [
        (_core.TrainParams, "kernel", KERNELS),
        (_core.TrainParams, "formulation", FORMULATIONS),
        (_core.LinearParams, "solver", SOLVERS),
    ],
)
def test_what_the_core_says_of_each_value_has_the_choices_in_their_order(kind, parameter, known):
    assert (*known,) == parameters_of(kind)[parameter].choices


def test_each_formulation_and_solver_predicts_one_thing():
    for module, known in ((formulations, FORMULATIONS), (linear_solvers, SOLVERS)):
        of_classes = [name for name, has in known.items() if has["classes"]]
        assert sorted([*of_classes, *module.REGRESSIONS, *module.SIDES]) == sorted(known)


def test_each_kernel_and_formulation_has_what_others_call_it():
    lacks = sorted({*KERNELS, *TRAINED} - NO_OTHER_NAME - suggestions.MEANT.keys())
    assert not lacks, "MEANT of _input/suggestions.py lacks these"


@pytest.mark.parametrize(
    ("function", "parameter", "known"),
    [(dcsvm.train, "kernel", KERNELS), (dcsvm.train, "formulation", TRAINED), (dcsvm.train_linear, "solver", SOLVERS)],
)
def test_docstrings_name_each_value(function, parameter, known):
    lacks = [name for name in known if f'"{name}"' not in function.__doc__]
    assert not lacks, f"the docstring of {function.__name__} lacks these values of {parameter}"


@pytest.mark.parametrize("known", [KERNELS, TRAINED], ids=["kernel", "formulation"])
def test_the_reference_of_train_names_each_value(known):
    lacks = [name for name in known if f'"{name}"' not in text_of("docs/reference/train.md")]
    assert not lacks, "docs/reference/train.md lacks these"


def test_the_docstring_of_train_linear_has_liblinears_numbers():
    said = dict(re.findall(r'"(\w+)" \((\d+)\)', dcsvm.train_linear.__doc__))
    assert {name: int(number) for name, number in said.items()} == {
        name: has["liblinear"] for name, has in SOLVERS.items() if has["liblinear"] >= 0
    }


def test_the_page_of_linear_models_has_each_solver_and_liblinears_number():
    said = {}
    for solvers, numbers, _ in next(tables(section("docs/methods/linear.md", "Solvers")))[1:]:
        said |= dict(zip(names(solvers), numbers.replace("none", "-1").split(", "), strict=True))
    assert said == {name: str(has["liblinear"]) for name, has in SOLVERS.items()}
    methods = next(tables(section("docs/methods/linear.md", "How they are solved")))[1:]
    assert missing(SOLVERS, (n for row in methods for n in names(row[0]) if n != "l1_ratio")) == ([], [])


@pytest.mark.parametrize(("before", "known"), [("`u32` type", KERNELS), ("`u32` formulation", FORMULATIONS)])
def test_the_page_of_the_format_has_each_number(before, known):
    (said,) = re.findall(rf"{before} \(([^)]*)\)", text_of("docs/model-format.md"))
    assert said == ", ".join(f"{number} {name}" for number, name in enumerate(known))


def test_the_faces_of_libsvm_and_liblinear_have_what_the_core_has_of_them():
    from dcsvm import liblinear, liblinearutil, svm

    numbers = {has["liblinear"] for has in SOLVERS.values()} - {-1}
    assert missing(numbers, map(int, liblinear.solver_names)) == ([], [])
    assert {*liblinearutil._REGRESSION} == {SOLVERS[name]["liblinear"] for name in linear_solvers.REGRESSIONS} - {-1}
    assert [form.name.lower() for form in svm.svm_forms] == [*FORMULATIONS][: len(svm.svm_forms)]
    of_libsvm = [name for name, kernel in KERNELS.items() if kernel["in_libsvm"]]
    assert [kernel.name.lower() for kernel in svm.kernel_names] == of_libsvm == [*KERNELS][: len(of_libsvm)]


def test_each_formulation_is_an_estimator_of_scikit_learn_and_of_the_peers():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from dcsvm._bench.sklearn import ESTIMATORS
    from dcsvm.estimators._to_sklearn import _CLASSES

    assert missing(TRAINED, _CLASSES) == missing(TRAINED, ESTIMATORS) == ([], [])
    assert {name: cls for name, (cls, _) in ESTIMATORS.items()} == _CLASSES
    for name, (_, own) in ESTIMATORS.items():
        assert {*own} == {p for p in ("C", "nu", "epsilon") if FORMULATIONS[name][p]}, name
