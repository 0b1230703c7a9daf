"""docs/reference/defaults.md names every default that differs between the interfaces, and no other."""

import inspect

import dcsvm
from _pages import tables, text_of
from dcsvm import _core
from dcsvm._input.parameters import DECLARED_AS, parameters_of
from dcsvm.svm import svm_parameter

PAGE = "docs/reference/defaults.md"
# parameter of dcsvm.train -> field of LIBSVM's struct
LIBSVM = {"cache_size": "cache_size", "tol": "eps", "C": "C", "nu": "nu", "epsilon": "p", "degree": "degree", "coef0": "coef0"}


def defaults(function):
    return {name: p.default for name, p in inspect.signature(function).parameters.items() if p.default is not p.empty}


def family():
    names = [w for w in text_of(PAGE).split("The family of `SVC`:")[1].split("The command")[0].split("`") if w.isidentifier()]
    return [getattr(dcsvm, name) for name in ["SVC", *names] if name != "and"]


def rows():
    return {row[0].strip("`"): [cell.strip("`") for cell in row[1:4]] for row in next(tables(text_of(PAGE)))[1:]}


def test_the_page_names_the_defaults_that_differ_between_train_and_the_estimators():
    page, train = rows(), defaults(dcsvm.train)
    differing = set()
    for estimator in family():
        for name, value in defaults(estimator).items():
            # RandSVC's epsilon is rand_epsilon, as the page says.
            if name not in train or (estimator is dcsvm.RandSVC and name == "epsilon"):
                continue
            if value != train[name]:
                differing.add(name)
                assert repr(value) in page[name][1], (estimator, name)
            assert page.get(name, [repr(value)])[0] == repr(train[name]), name
    assert differing == page.keys()


def test_the_family_is_complete():
    every = {getattr(dcsvm, name) for name in dcsvm._ESTIMATORS}
    train = defaults(dcsvm.train)
    solved_by_train = {e for e in every if {"shrinking", "max_iter"} <= defaults(e).keys() & train.keys()}
    assert set(family()) == solved_by_train


def test_cpp_and_libsvm_have_the_defaults_that_the_page_says():
    page, train = rows(), defaults(dcsvm.train)
    for name, parameter in parameters_of(_core.TrainParams).items():
        given = {declared: own for own, declared in DECLARED_AS.items()}.get(name, name)
        if given in train and given not in ("gamma", "class_weight"):  # a rule of its own; a list of pairs
            expected = train[given] if train[given] is not None or parameter.zero is None else 0
            assert parameter.default == expected, name
    theirs = svm_parameter("")
    for name, field in LIBSVM.items():
        expected = page[name][2] if name in page else repr(train[name])
        assert float(getattr(theirs, field)) == float(expected), name
    assert theirs.gamma == 0, "1 / n_features"
    assert bool(theirs.probability) is (page["probability"][2] == "True")
