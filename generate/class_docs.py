"""The sections Parameters and Attributes in the docstrings of the estimators: in the sources, where editors find them.

Parameters come from the fields of the dataclass; attributes from the arguments of its decorator ``documented`` and the table
here.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from textwrap import indent

from dcsvm._shown.docstrings import entry, section

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
_HEADING = re.compile(r"^    (\w[\w ]*)\n    -+$", re.MULTILINE)


def files(root: Path) -> Iterator[tuple[str, str]]:
    for folder, module in (("estimators", "dcsvm"), ("dask", "dcsvm.dask")):
        try:
            package = importlib.import_module(module)
        except ImportError:  # dcsvm.dask without Dask
            continue
        for path in sorted((root / "python/dcsvm" / folder).glob("*.py")):
            text = path.read_text()
            if made := _completed(text, package):
                yield path.relative_to(root).as_posix(), made


def _completed(text: str, package: object) -> str:
    """The source with the sections of its estimators; empty where it has none."""
    lines = text.splitlines(keepends=True)
    found = False
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.ClassDef) and any("documented(" in ast.unparse(one) for one in node.decorator_list):
            doc = node.body[0]
            first, last = doc.lineno - 1, doc.end_lineno
            lines[first:last] = _with_sections("".join(lines[first:last]), sections(getattr(package, node.name)))
            found = True
    return "".join(lines) if found else ""


def _with_sections(doc: str, made: str) -> str:
    """The source of a docstring with these sections in the place of those that it has, or before its first section."""
    if doc.count("\n") == 1:
        doc = doc.replace('"""\n', '\n\n    """\n')
    headings = [(match[1], match.start()) for match in _HEADING.finditer(doc)] + [("", doc.rindex('    """'))]
    own = [start for name, start in headings if name in ("Parameters", "Attributes")]
    others = [start for name, start in headings if name not in ("Parameters", "Attributes")]
    begin = own[0] if own else others[0]
    end = min(start for start in others if start >= begin)
    return doc[:begin].rstrip() + "\n\n" + made + "\n" * (end != headings[-1][1]) + doc[end:]


def sections(cls: type) -> str:
    """Both sections, as they stand in the source."""
    attributes, other = cls._described
    entries = [
        entry(f.name, f"{f.metadata['kind']}, default={f.default!r}", other.get(f.name, f.metadata["text"]))
        for f in fields(cls)
        if f.init
    ]
    shown = {name: value for name, value in other.items() if isinstance(value, tuple)}
    listed = {*_OF_ALL, *attributes, *shown}
    described = [entry(name, *shown.get(name, ATTRIBUTES[name])) for name in ATTRIBUTES if name in listed]
    both = f"{section('Parameters', entries)}\n\n{section('Attributes', described)}\n"
    return indent(both, "    ").replace("\\", "\\\\")
