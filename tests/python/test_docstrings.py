"""Docstrings in numpydoc's form: every parameter and attribute of every public object is described, and none that it has not.

The modules under the names of LIBSVM and LIBLINEAR have these projects' own interfaces, and are not looked at here.
"""

import importlib
import inspect
import re
from pathlib import Path

import pandas as pd
import pytest

import dcsvm
from _pages import site
from dcsvm._model.native import NativeModel
from dcsvm.estimators._estimator import ParametersEstimator

docscrape = pytest.importorskip("numpydoc.docscrape", reason="numpydoc, which reads the docstrings, is not installed")
for package in ("distributed", "onnx"):
    pytest.importorskip(package, reason=f"dcsvm's modules for {package} cannot be imported without it")

MODULES = ("dcsvm", "dcsvm.datasets", "dcsvm.plotting", "dcsvm.onnx", "dcsvm.dask")


def found():
    """Public functions, classes, and methods of classes, by the name that users write."""
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value):
                yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for member in methods(value):
                    yield f"{module.__name__}.{name}.{member}", getattr(value, member)


def methods(cls):
    """Public ones that were written here, own and inherited."""
    members = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_") and name not in properties(cls)}
    return sorted(name for name, value in members.items() if callable(value) and written_here(value))


def written_here(function):
    return (getattr(inspect.unwrap(function), "__module__", None) or "").startswith("dcsvm")


def properties(cls):
    """By name, the public ones."""
    members = {name: inspect.getattr_static(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {name: value for name, value in members.items() if isinstance(value, property)}


OBJECTS = dict(found())
CLASSES = {name: value for name, value in OBJECTS.items() if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in OBJECTS.items() if name not in CLASSES}


def parsed(value):
    return docscrape.NumpyDocString(inspect.getdoc(value)) if inspect.isclass(value) else docscrape.FunctionDoc(value)


def listed(section):
    """The names in a section; one entry may have several."""
    names = [name.strip() for entry in section for name in entry.name.split(",")]
    assert len(set(names)) == len(names), f"described twice: {names}"
    return set(names)


def parameters(value):
    """Of the signature."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return {stars.get(p.kind, "") + p.name for p in signature(value).parameters.values() if p.name != "self"}


def signature(value):
    try:
        return inspect.signature(value)
    except ValueError:  # of pybind11, which has it as the first line of the docstring
        text = value.__doc__.splitlines()[0]
        assert re.fullmatch(r"\w+\((self: [\w.]+)?\) -> \w+", text), text
        return inspect.Signature(return_annotation=text.partition(" -> ")[2])


def is_made_by_the_library(cls):
    """Whether users get objects of the class from a function: its fields are then attributes, and no parameters."""
    return issubclass(cls, (NativeModel, BaseException)) or not parsed(cls)["Parameters"]


def fields(cls):
    """What an object of a dataclass or a named tuple holds."""
    return set(getattr(cls, "__dataclass_fields__", getattr(cls, "_fields", ())))


def test_the_walk_finds_the_public_objects():
    for module in map(importlib.import_module, MODULES):
        assert any(name.startswith(module.__name__ + ".") for name in FUNCTIONS), module
    names = {"dcsvm.train", "dcsvm.Model.predict", "dcsvm.SVC.fit", "dcsvm.Progress.keys", "dcsvm.dask.DaskSVC.score"}
    assert names <= set(FUNCTIONS)
    assert {"dcsvm.SVC", "dcsvm.Report", "dcsvm.dask.Round"} <= set(CLASSES)


def test_sections():
    """numpydoc's parser knows each section. Nothing stands in the prose that has a section, and no entry is empty."""
    wrong = {}
    for name, value in OBJECTS.items():
        doc = parsed(value)  # a section that numpydoc does not know, or the same one twice, is a warning
        prose = " ".join([*doc["Summary"], *doc["Extended Summary"]])
        if not prose.strip() or re.search(r"\b(Raises?|Returns) [a-z.]*[A-Z(]", prose):
            wrong[name] = prose
        for title in ("Parameters", "Returns", "Yields", "Raises", "Warns", "Attributes"):
            if empty := [entry for entry in doc[title] if not "".join(entry.desc).strip()]:
                wrong[name, title] = empty
    assert not wrong


def test_parameters_and_results_of_functions():
    wrong = {}
    for name, value in FUNCTIONS.items():
        doc = parsed(value)
        if differ := listed(doc["Parameters"]) ^ parameters(value):
            wrong[name] = differ
        returns = signature(value).return_annotation not in (None, "None")
        if bool(doc["Returns"] or doc["Yields"]) != returns:
            wrong[name, "Returns"] = returns
    assert not wrong


def test_parameters_and_attributes_of_classes():
    wrong = {}
    for name, cls in CLASSES.items():
        doc = parsed(cls)
        if not is_made_by_the_library(cls) and (differ := listed(doc["Parameters"]) ^ parameters(cls)):
            wrong[name, "Parameters"] = differ
        public = {field for field in fields(cls) if not field.startswith("_")} | set(properties(cls))
        attributes = listed(doc["Attributes"])
        described = {member for member, value in properties(cls).items() if (value.__doc__ or "").strip()}
        if missing := public - attributes - described - listed(doc["Parameters"]):
            wrong[name, "Attributes"] = missing
        set_later = issubclass(cls, ParametersEstimator) or name in ("dcsvm.History", "dcsvm.plotting.Display")
        if not set_later and (unknown := attributes - public):
            wrong[name, "unknown"] = unknown
    assert not wrong


LISTED = r"^(?:   |\.\. auto(?:function|class):: )([\w.]+)$"  # with a page of its own, or on the page that lists it


def test_the_site_describes_each():
    """By its docstring, or on a function's page of docs/reference."""
    pages = Path(__file__).parents[2] / "docs" / "api"
    named = {f"dcsvm.{name}" for functions in site("FUNCTIONS").values() for name in functions}
    for page in pages.glob("*.md"):
        for block in page.read_text().split("currentmodule:: ")[1:]:
            module, _, listed = block.partition("\n")
            named |= {f"{module}.{name}" for name in re.findall(LISTED, listed, re.MULTILINE)}
    assert {name for name, value in OBJECTS.items() if name in CLASSES or name.rpartition(".")[0] in MODULES} == named


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:The default value|The fitted attributes")
def test_fitted_estimators_have_the_attributes_that_are_described():
    X, y = dcsvm.datasets.make_twonorm(60)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    wrong = {}
    for name in sorted(dcsvm._ESTIMATORS):
        cls = getattr(dcsvm, name)
        how = {"kernel": "linear"} if "kernel" in parameters(cls) else {}  # for coef_
        how |= {"C": [1.0, 2.0], "cv": 2} if name == "LowRankSVC" else {}  # for cv_scores_
        fitted = cls(**how).fit(frame, y)
        if missing := {attribute for attribute in listed(parsed(cls)["Attributes"]) if not hasattr(fitted, attribute)}:
            wrong[name] = missing
    assert not wrong
