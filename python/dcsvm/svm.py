"""The module ``svm`` of LIBSVM's Python interface (libsvm 3.37), over dcsvm's ``libsvm.so.4``.

``from dcsvm.svm import *`` stands for ``from libsvm.svm import *``: the same names, structures and exceptions. Rows given as
arrays, CSR matrices or lists are converted all at once instead of one by one.
"""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, c_char_p, c_double, c_int, cast, pointer
from enum import IntEnum
from typing import Any

from ._c_faces import rows
from ._c_faces.library import (
    PRINT_STRING_FUN,
    Call,
    check_problem,
    fillprototype,  # noqa: F401  a name of the original
    fillprototypes,
    labels_of,
    no_function,
    owned,
    print_null,
    structure_text,
)
from ._c_faces.options import parse_train_options
from ._c_faces.rows import genFields
from ._installed import get_libsvm

__all__ = [  # noqa: RUF022  as LIBSVM lists them
    "libsvm",
    "svm_problem",
    "svm_parameter",
    "toPyModel",
    "gen_svm_nodearray",
    "print_null",
    "svm_node",
    "svm_forms",
    "PRINT_STRING_FUN",
    "kernel_names",
    "c_double",
    "svm_model",
    # until LIBSVM 3.35
    "C_SVC",
    "NU_SVC",
    "ONE_CLASS",
    "EPSILON_SVR",
    "NU_SVR",
    "LINEAR",
    "POLY",
    "RBF",
    "SIGMOID",
    "PRECOMPUTED",
]

libsvm: CDLL = CDLL(get_libsvm())


class svm_forms(IntEnum):  # noqa: N801
    """Option -s."""

    C_SVC = 0
    NU_SVC = 1
    ONE_CLASS = 2
    EPSILON_SVR = 3
    NU_SVR = 4


class kernel_names(IntEnum):  # noqa: N801
    """Option -t."""

    LINEAR = 0
    POLY = 1
    RBF = 2
    SIGMOID = 3
    PRECOMPUTED = 4


C_SVC, NU_SVC, ONE_CLASS, EPSILON_SVR, NU_SVR = map(int, svm_forms)
LINEAR, POLY, RBF, SIGMOID, PRECOMPUTED = map(int, kernel_names)

# Not PRINT_STRING_FUN(print_null): a signal that Python handles in a callback is lost, and so would Ctrl-C be.
ctypes_print_null: Any = cast(libsvm.dcsvm_svm_print_null, PRINT_STRING_FUN)
jit_enabled = False  # LIBSVM can compile its loops with numba; there are no such loops here


class svm_node(rows.Node):  # noqa: N801
    """One feature of a row. A row is an array of nodes with ascending indices, closed by a node of index -1."""


def gen_svm_nodearray(xi: Any, feature_max: int | None = None, isKernel: bool = False) -> tuple[Any, int]:
    """One row as an array of svm_node, and its largest index.

    xi : dict of index: value; list, tuple or 1-d array of all features; or (indices from 0, values), two arrays
    feature_max : leave out larger indices
    isKernel : a row of a precomputed kernel: the first entry is the serial number, and zeros are kept
    """
    return rows.node_array(xi, feature_max, isKernel, svm_node, ends=1)


def as_rows(x: Any, isKernel: bool) -> rows.Rows:
    return rows.Rows(rows.entries_of(x, isKernel), svm_node, ends=1)


def csr_to_problem(x: Any, prob: Any, isKernel: bool) -> None:
    """Sets prob.x_space and prob.rowptr from a scipy CSR matrix."""
    rows.set_rows(prob, rows.Rows(rows.csr_entries(x, isKernel), svm_node, ends=1))


class svm_problem(Structure):  # noqa: N801
    """Labels or targets y and rows x: sequences as gen_svm_nodearray takes them, a 2-d array, or a scipy CSR matrix.

    ``n`` is the largest index used (array, list) or the number of columns (CSR); ``x_space`` holds the nodes.
    """

    _names = ("l", "y", "x")
    _types = (c_int, POINTER(c_double), POINTER(POINTER(svm_node)))
    _fields_ = genFields(_names, _types)

    def __init__(self, y: Any, x: Any, isKernel: bool = False) -> None:
        check_problem(y, x)
        converted = as_rows(x, isKernel)
        self.l: int = len(y)
        self.n: int = converted.n
        rows.set_rows(self, converted)
        self.y: Any = labels_of(y)
        self.x: Any = converted.x


class svm_parameter(Structure):  # noqa: N801
    """LIBSVM's parameters, from the options of svm-train as a string or a list."""

    _names = (
        *("svm_type", "kernel_type", "degree", "gamma", "coef0", "cache_size", "eps", "C", "nr_weight", "weight_label", "weight"),
        *("nu", "p", "shrinking", "probability"),
    )
    _types = (
        *(c_int, c_int, c_int, c_double, c_double, c_double, c_double, c_double, c_int, POINTER(c_int), POINTER(c_double)),
        *(c_double, c_double, c_int, c_int),
    )
    _fields_ = genFields(_names, _types)

    def __init__(self, options: Any = None) -> None:
        self.parse_options("" if options is None else options)

    def __str__(self) -> str:
        return structure_text(self, svm_parameter._names)

    def set_to_default_values(self) -> None:
        self.svm_type: int = svm_forms.C_SVC
        self.kernel_type: int = kernel_names.RBF
        self.degree: int = 3
        self.gamma: float = 0.0
        self.coef0: float = 0.0
        self.nu: float = 0.5
        self.cache_size: float = 100.0
        self.C: float = 1.0
        self.eps: float = 0.001
        self.p: float = 0.1
        self.shrinking: int = 1
        self.probability: int = 0
        self.nr_weight: int = 0
        self.weight_label: Any = None
        self.weight: Any = None
        self.cross_validation: bool | int = False
        self.nr_fold: int = 0
        self.print_func: Any = no_function()

    def parse_options(self, options: Any) -> None:
        parse_train_options(self, options, _FLAGS, _OPTIONS, folds="cross_validation")
        libsvm.svm_set_print_string_function(self.print_func)


_FLAGS: dict[str, tuple[str, Any]] = {"-q": ("print_func", ctypes_print_null)}
_OPTIONS: dict[str, tuple[str, Any, str]] = {
    "-s": ("svm_type", lambda v: svm_forms(int(v)), ""),
    "-t": ("kernel_type", lambda v: kernel_names(int(v)), ""),
    "-d": ("degree", int, ""),
    "-g": ("gamma", float, ""),
    "-r": ("coef0", float, ""),
    "-n": ("nu", float, ""),
    "-m": ("cache_size", float, ""),
    "-c": ("C", float, ""),
    "-e": ("eps", float, ""),
    "-p": ("p", float, ""),
    "-h": ("shrinking", int, ""),
    "-b": ("probability", int, ""),
}


class svm_model(Structure):  # noqa: N801
    """A model; svm.h says what the fields hold."""

    _names = (
        *("param", "nr_class", "l", "SV", "sv_coef", "rho", "probA", "probB", "prob_density_marks", "sv_indices", "label"),
        *("nSV", "free_sv"),
    )
    _types = (
        *(svm_parameter, c_int, c_int, POINTER(POINTER(svm_node)), POINTER(POINTER(c_double)), POINTER(c_double)),
        *(POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_int), POINTER(c_int), POINTER(c_int), c_int),
    )
    _fields_ = genFields(_names, _types)

    def __init__(self) -> None:
        self.__createfrom__ = "python"

    def __del__(self) -> None:
        # At the end of the process the library may already be unloaded, and its memory freed.
        if getattr(self, "__createfrom__", "python") == "C" and libsvm is not None:
            libsvm.svm_free_and_destroy_model(pointer(pointer(self)))

    def get_svm_type(self) -> int:
        return int(libsvm.svm_get_svm_type(self))

    def get_nr_class(self) -> int:
        return int(libsvm.svm_get_nr_class(self))

    def get_svr_probability(self) -> float:
        return float(libsvm.svm_get_svr_probability(self))

    def get_labels(self) -> list[int]:
        labels = (c_int * self.get_nr_class())()
        libsvm.svm_get_labels(self, labels)
        return labels[:]

    def get_sv_indices(self) -> list[int]:
        indices = (c_int * self.get_nr_sv())()
        libsvm.svm_get_sv_indices(self, indices)
        return indices[:]

    def get_nr_sv(self) -> int:
        return int(libsvm.svm_get_nr_sv(self))

    def is_probability_model(self) -> bool:
        return bool(libsvm.svm_check_probability_model(self) == 1)

    def get_sv_coef(self) -> list[tuple[float, ...]]:
        return list(zip(*(self.sv_coef[row][: self.l] for row in range(self.nr_class - 1)), strict=True))

    def get_SV(self) -> list[dict[int, float]]:
        return [_row_dict(row) for row in self.SV[: self.l]]


def _row_dict(row: Any) -> dict[int, float]:
    result = {}
    i = 0
    while (node := row[i]).index != -1:
        result[node.index] = node.value
        i += 1
    return result


def toPyModel(model_ptr: Any) -> svm_model:
    """The model behind a POINTER(svm_model), freed with the last Python reference. ValueError for NULL."""
    m: svm_model = owned(model_ptr)
    return m


_model, _problem, _parameter, _row = POINTER(svm_model), POINTER(svm_problem), POINTER(svm_parameter), POINTER(svm_node)
fillprototypes(
    libsvm,
    ("svm_train", _model, [_problem, _parameter]),
    ("svm_cross_validation", None, [_problem, _parameter, c_int, POINTER(c_double)]),
    ("svm_save_model", c_int, [c_char_p, _model]),
    ("svm_load_model", _model, [c_char_p]),
    ("svm_get_svm_type", c_int, [_model]),
    ("svm_get_nr_class", c_int, [_model]),
    ("svm_get_labels", None, [_model, POINTER(c_int)]),
    ("svm_get_sv_indices", None, [_model, POINTER(c_int)]),
    ("svm_get_nr_sv", c_int, [_model]),
    ("svm_get_svr_probability", c_double, [_model]),
    ("svm_predict_values", c_double, [_model, _row, POINTER(c_double)]),
    ("svm_predict", c_double, [_model, _row]),
    ("svm_predict_probability", c_double, [_model, _row, POINTER(c_double)]),
    ("svm_free_model_content", None, [_model]),
    ("svm_free_and_destroy_model", None, [POINTER(_model)]),
    ("svm_destroy_param", None, [_parameter]),
    ("svm_check_parameter", c_char_p, [_problem, _parameter]),
    ("svm_check_probability_model", c_int, [_model]),
    ("svm_set_print_string_function", None, [PRINT_STRING_FUN]),
    ("dcsvm_svm_save_model", c_int, [c_char_p, _model, c_int, POINTER(Call)]),
    ("dcsvm_svm_load_model", c_int, [c_char_p, POINTER(_model), POINTER(Call)]),
    ("dcsvm_svm_train", c_int, [_problem, _parameter, POINTER(_model), POINTER(Call)]),
    ("dcsvm_svm_cross_validation", c_int, [_problem, _parameter, c_int, POINTER(c_double), POINTER(Call)]),
    (
        "dcsvm_svm_predict_matrix",
        c_int,
        [_model, POINTER(rows.Matrix), c_int, POINTER(c_double), POINTER(c_double), POINTER(Call)],
    ),
    ("dcsvm_svm_predict", c_int, [_model, c_int, POINTER(_row), c_int, POINTER(c_double), POINTER(c_double), POINTER(Call)]),
)
