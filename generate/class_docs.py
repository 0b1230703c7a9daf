"""Sections in the docstrings of estimators, reports and their methods: in the sources, where editors find them.

An estimator's parameters come from the fields of the dataclass; its attributes from the arguments of its decorator ``documented``
and the table here. What a report's attributes and a method's sections say is in their decorators (``_shown/docstrings.py``).
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from .numpydoc import entry, with_sections

ATTRIBUTES = {
    "C_": ("float", "The C of the model."),
    "Cs_": ("ndarray of shape (n_Cs,)", "The values of C."),
    "l1_ratio_": ("float, or ndarray of shape (n_vectors,)", "The best l1_ratio."),
    "l1_ratios_": ("ndarray of shape (n_l1_ratios,)", "The values of l1_ratio."),
    "scores_": (
        "ndarray of shape (n_folds, n_l1_ratios, n_Cs)",
        "Scores. With legacy attributes a dict, of each class (n_folds, n_Cs) or (n_folds, n_Cs, n_l1_ratios).",
    ),
    "coefs_paths_": (
        "ndarray of shape (n_folds, n_l1_ratios, n_Cs, n_vectors, n_features + bias)",
        "Weights. With legacy attributes a dict, of each class (n_folds, n_Cs, [n_l1_ratios,] n_features + bias).",
    ),
    "class_weight_": ("ndarray of shape (n_classes,)", "Factors of C, as used."),
    "classes_": ("ndarray of shape (n_classes,)", "Labels, ascending."),
    "coef_": (
        "ndarray or sparse matrix of shape (n_problems, n_features)",
        "Weights of the features, for ``kernel='linear'``; read-only.",
    ),
    "cost_": ("float", "Inner products of n_features that a row costs on average; a linear model's is 1."),
    "cv_scores_": ("ndarray of shape (n_C, n_folds)", "Accuracies, when C is a sequence."),
    "dual_coef_": (
        "ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)",
        "Coefficients of the support vectors, signs included. Class i against j: row j - 1 when j > i, else row j.",
    ),
    "fit_status_": ("int", "0, or 1 when the solver did not converge."),
    "intercept_": ("ndarray of shape (n_problems,)", "Constants of the decision functions."),
    "n_features_in_": ("int", "Columns of X."),
    "feature_names_in_": ("ndarray of shape (`n_features_in_`,)", "Their names, when X was a data frame."),
    "n_iter_": ("ndarray of shape (n_problems,) or int", "Steps in each binary problem."),
    "n_support_": ("ndarray of shape (n_classes,) or (1,)", "Support vectors of each class."),
    "offset_": ("ndarray of shape (1,)", "``decision_function = score_samples - offset_``."),
    "shape_fit_": ("tuple of int", "Shape of X."),
    "support_": ("ndarray of shape (n_SV,)", "Rows of X that are support vectors."),
    "support_vectors_": ("ndarray or sparse matrix of shape (n_SV, n_features)", "Those rows, in X's precision; read-only."),
    "model_": ("dcsvm.Model", "The native model."),
    "report_": ("dcsvm.Report", "What the training did: objective, violation, steps, seconds, memory, levels."),
}
_OF_ALL = ("n_features_in_", "feature_names_in_", "model_", "report_")
_DECORATES = re.compile(r"^from \.+((_shown\.)?docstrings|(estimators\.)?_docs|_base) import", re.MULTILINE)


def files(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((root / "python/dcsvm").rglob("*.py")):
        text = path.read_text()
        if _DECORATES.search(text):
            try:
                module = importlib.import_module(".".join(path.relative_to(root / "python").with_suffix("").parts))
            except ImportError as error:
                if error.name not in ("dask", "distributed"):  # without which there is no dcsvm.dask
                    raise
                continue
            yield path.relative_to(root).as_posix(), _completed(text, module)


def _completed(text: str, module: object) -> str:
    """The source with the sections of its classes and their methods."""
    lines = text.splitlines(keepends=True)
    for node, documented in reversed(list(_documented(ast.parse(text), module))):
        doc = node.body[0]
        first, last = doc.lineno - 1, doc.end_lineno
        lines[first:last] = with_sections("".join(lines[first:last]), sections(documented)).splitlines(keepends=True)
    return "".join(lines)


def _documented(tree: ast.Module, module: object) -> Iterator[tuple[Any, Any]]:
    """In the order of the source: a class or function, and the object whose decorator says what its docstring has."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            cls = getattr(module, node.name)
            if "_documented" in vars(cls):
                yield node, cls
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.decorator_list:
                    value = vars(cls)[member.name]
                    function = inspect.unwrap(getattr(value, "fn", value))  # fn: of scikit-learn's available_if
                    if hasattr(function, "_documented"):
                        yield member, function


def sections(documented: Any) -> dict[str, list[str]]:
    """Of an estimator, a report or a method: the entries by title."""
    said = documented._documented
    if isinstance(said, list):
        return {"Attributes": [entry(*one) for one in said]}
    if not isinstance(documented, type):
        parameters, returns, raises = said
        found = {"Parameters": parameters, "Returns": [returns] * (returns is not None), "Raises": raises}
        return {title: [entry(*one) for one in entries] for title, entries in found.items() if entries}
    attributes, other = said
    shown = {name: value for name, value in other.items() if isinstance(value, tuple)}
    listed = {*_OF_ALL, *attributes, *shown}
    return {
        "Parameters": [
            entry(f.name, f"{f.metadata['kind']}, default={f.default!r}", other.get(f.name, f.metadata["text"]))
            for f in fields(documented)
            if f.init
        ],
        "Attributes": [entry(name, *shown.get(name, ATTRIBUTES[name])) for name in ATTRIBUTES if name in listed],
    }
