"""_core.pyi says what the extension module has, and Report has the fields that C++ fills."""

import ast
import dataclasses
import inspect
import re
from pathlib import Path

import pytest

import dcsvm
from dcsvm import _core
from dcsvm._svm import train as _train

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
            assert public(members(node, classes)) == public(vars(getattr(_core, name))), name


def test_arguments():
    for name, node in declared(STUB.body).items():
        if isinstance(node, ast.FunctionDef):
            stub = [a.arg for a in node.args.args]
            signature = getattr(_core, name).__doc__.splitlines()[0]
            inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
            assert len(stub) == inside.count(": "), signature


def test_report_has_the_fields_of_the_core(model):
    assert {f.name for f in dataclasses.fields(dcsvm.Report)} == model._core.report().keys()


def test_train_documents_every_parameter():
    documented = re.findall(r"^ +(\w+(?:, \w+)*) : ", dcsvm.train.__doc__, re.MULTILINE)
    names = [name for line in documented for name in line.split(", ")]
    assert sorted(names) == sorted(["X", "y", *_train.parameter_names()])


def test_package_is_typed():
    assert Path(dcsvm.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize(
    ("function", "params"),
    [
        (dcsvm.train, _core.TrainParams),
        (dcsvm.train_low_rank, _core.LowRankParams),
        (dcsvm.train_ls_svm, _core.LsSvmParams),
        (dcsvm.train_dc_pred, _core.DcPredParams),
        (dcsvm.train_ridge, _core.RidgeParams),
    ],
)
def test_defaults_are_those_of_cpp(function, params):
    given = {name: p.default for name, p in inspect.signature(function).parameters.items()}
    built = params()
    # None and "auto" mean: chosen by the data; kernels are a struct in C++
    shared = {n for n, v in given.items() if hasattr(built, n) and v not in (None, "auto", inspect.Parameter.empty)} - {"kernel"}
    assert len(shared) >= 3
    assert {n: getattr(built, n) for n in shared} == {n: given[n] for n in shared}
