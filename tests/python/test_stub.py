"""_core.pyi says what the extension module has, and Report has the fields that C++ fills."""

import ast
import dataclasses
import inspect
from pathlib import Path

import pytest

import dcsvm
from _trainings import TRAININGS
from dcsvm import _core, _load_model
from dcsvm._command import model_info
from dcsvm._graphs import decisions
from dcsvm._input import choices
from dcsvm._input.parameters import DECLARED_AS, parameters_of

STUB = ast.parse(Path(dcsvm.__file__).with_name("_core.pyi").read_text())


def public(names):
    return {n for n in names if not n.startswith("_")} | ({"__version__"} & set(names))


def declared(body):
    names = {n.name: n for n in body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    names |= {n.target.id: n for n in body if isinstance(n, ast.AnnAssign)}
    return names


def members(node, classes):
    """Of a class, with those of the bases that the stub alone has."""
    own = set(declared(node.body))
    return own.union(*(members(classes[base.id], classes) for base in node.bases if base.id in classes))


def test_names():
    assert public(declared(STUB.body)) == public(vars(_core))


def test_members():
    classes = declared(STUB.body)
    for name, node in classes.items():
        if isinstance(node, ast.ClassDef) and not name.startswith("_") and name != "ModelError":
            own = getattr(_core, name)
            attributes = set(parameters_of(own)) if hasattr(own, "parameters") else set()
            attributes |= {"gamma_rule"} if "gamma" in attributes else set()
            assert public(members(node, classes)) | attributes == public(vars(own)), name


def test_arguments():
    for name, node in declared(STUB.body).items():
        if isinstance(node, ast.FunctionDef):
            stub = [a.arg for a in node.args.args]
            signature = getattr(_core, name).__doc__.splitlines()[0]
            inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
            assert len(stub) == inside.count(": "), signature


def test_report_has_the_fields_of_the_core(model):
    assert {f.name for f in dataclasses.fields(dcsvm.Report)} == model._core.report().keys()


def test_each_kind_of_model_is_loaded_described_and_has_its_graph():
    classes = {n: node for n, node in declared(STUB.body).items() if isinstance(node, ast.ClassDef)}
    kinds = {n for n, node in classes.items() if not n.startswith("_") and "to_bytes" in members(node, classes)}
    assert kinds == {core.__name__ for core in _load_model._CLASSES}
    assert {*model_info.KINDS, dcsvm.Model} == {*_load_model._KINDS}  # of a Model it says what it solves
    assert len(decisions.KINDS) == len(kinds)


def test_package_is_typed():
    assert Path(dcsvm.__file__).with_name("py.typed").exists()


def standard(parameter):
    """The default of a Python argument for a parameter of the core."""
    if parameter.optional or (parameter.zero is not None and parameter.default == 0) or parameter.name == "class_weight":
        return None
    return parameter.default


NOT_ARGUMENTS = {  # of the core's parameters
    dcsvm.train_ls_svm: {"normalise"},
    dcsvm.train_dc_pred: {"alpha"},
    dcsvm.train_dc_pred_ridge: {"C", "class_weight", "landmarks"},
}


@pytest.mark.parametrize("function", TRAININGS, ids=lambda function: function.__name__)
def test_arguments_are_the_parameters_that_cpp_declares(function):
    kind = TRAININGS[function]
    declared = {name: p for name, p in parameters_of(kind).items() if name not in {"balanced", *NOT_ARGUMENTS.get(function, ())}}
    arguments = {DECLARED_AS.get(name, name): argument for name, argument in inspect.signature(function).parameters.items()}
    assert set(declared) <= set(arguments)
    elsewhere = {"gamma": "scale", "lambda_": "auto"}  # these have rules besides numbers
    if kind is _core.LowRankParams:
        elsewhere["n_landmarks"] = None  # at most as many as there are rows
    for name, parameter in declared.items():
        assert arguments[name].default == elsewhere.get(name, standard(parameter)), name
        kind_of = arguments[name].annotation.split(" |")[0]
        kind_of = "str" if hasattr(choices, kind_of) else kind_of  # a Literal, which test_options.py compares
        assert parameter.type in ("list", kind_of) or kind_of == "Any", name
        assert parameter.text, name
