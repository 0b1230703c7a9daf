"""The module ``liblinear`` of LIBLINEAR's Python interface (liblinear 2.50), over dcsvm's ``liblinear.so.6``.

``from dcsvm.liblinear import *`` stands for ``from liblinear.liblinear import *``: the same names, structures and exceptions.
Rows given as arrays, CSR matrices or lists are converted all at once instead of one by one.
"""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, c_bool, c_char_p, c_double, c_int, cast, pointer
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
from ._installed import get_liblinear

__all__ = [  # noqa: RUF022  as LIBLINEAR lists them
    "liblinear",
    "feature_node",
    "gen_feature_nodearray",
    "problem",
    "parameter",
    "model",
    "toPyModel",
    "solver_names",
    "print_null",
    # until LIBLINEAR 2.48
    "L2R_LR",
    "L2R_L2LOSS_SVC_DUAL",
    "L2R_L2LOSS_SVC",
    "L2R_L1LOSS_SVC_DUAL",
    "MCSVM_CS",
    "L1R_L2LOSS_SVC",
    "L1R_LR",
    "L2R_LR_DUAL",
    "L2R_L2LOSS_SVR",
    "L2R_L2LOSS_SVR_DUAL",
    "L2R_L1LOSS_SVR_DUAL",
    "ONECLASS_SVM",
]

liblinear: CDLL = CDLL(get_liblinear())


class solver_names(IntEnum):  # noqa: N801
    """Option -s."""

    L2R_LR = 0
    L2R_L2LOSS_SVC_DUAL = 1
    L2R_L2LOSS_SVC = 2
    L2R_L1LOSS_SVC_DUAL = 3
    MCSVM_CS = 4
    L1R_L2LOSS_SVC = 5
    L1R_LR = 6
    L2R_LR_DUAL = 7
    L2R_L2LOSS_SVR = 11
    L2R_L2LOSS_SVR_DUAL = 12
    L2R_L1LOSS_SVR_DUAL = 13
    ONECLASS_SVM = 21


L2R_LR, L2R_L2LOSS_SVC_DUAL, L2R_L2LOSS_SVC, L2R_L1LOSS_SVC_DUAL, MCSVM_CS, L1R_L2LOSS_SVC, L1R_LR, L2R_LR_DUAL = range(8)
L2R_L2LOSS_SVR, L2R_L2LOSS_SVR_DUAL, L2R_L1LOSS_SVR_DUAL, ONECLASS_SVM = 11, 12, 13, 21

SEARCHABLE = (solver_names.L2R_LR, solver_names.L2R_L2LOSS_SVC, solver_names.L2R_L2LOSS_SVR)  # option -C
# Not PRINT_STRING_FUN(print_null): a signal that Python handles in a callback is lost, and so would Ctrl-C be.
ctypes_print_null: Any = cast(liblinear.dcsvm_linear_print_null, PRINT_STRING_FUN)
jit_enabled = False  # LIBLINEAR can compile its loops with numba; there are no such loops here


class feature_node(rows.Node):  # noqa: N801
    """One feature of a row. A row is an array of nodes with ascending indices from 1, closed by a node of index -1."""


def gen_feature_nodearray(xi: Any, feature_max: int | None = None) -> tuple[Any, int]:
    """One row as an array of feature_node, and its largest index. Two nodes of index -1 stand at the end: one for the bias.

    xi : dict of index: value; list, tuple or 1-d array of all features; or (indices from 0, values), two arrays
    feature_max : leave out larger indices
    """
    nodes, largest = rows.node_array(xi, feature_max, False, feature_node, ends=2)
    if len(nodes) > 2 and nodes[0].index < 1:
        raise ValueError(f"index {nodes[0].index}: indices start at 1")
    return nodes, largest


def entries_of(x: Any) -> rows.Entries:
    """All rows of x, in any form that problem takes; ValueError for an index below 1."""
    entries = rows.entries_of(x, False)
    if len(entries.indices) and entries.indices.min() < 1:
        raise ValueError(f"index {entries.indices.min()}: indices start at 1")
    return entries


def csr_to_problem(x: Any, prob: Any) -> None:
    """Sets prob.x_space and prob.rowptr from a scipy CSR matrix."""
    rows.set_rows(prob, rows.Rows(rows.csr_entries(x, False), feature_node, ends=2))


class problem(Structure):  # noqa: N801
    """Labels or targets y and rows x: sequences as gen_feature_nodearray takes them, a 2-d array, or a scipy matrix.

    bias : when >= 0, every row gets a feature of this value behind all others
    ``n`` is the largest index used (array, list) or the number of columns (CSR), with the bias; ``x_space`` holds the nodes.
    """

    _names = ("l", "n", "y", "x", "bias")
    _types = (c_int, c_int, POINTER(c_double), POINTER(POINTER(feature_node)), c_double)
    _fields_ = genFields(_names, _types)

    def __init__(self, y: Any, x: Any, bias: float = -1) -> None:
        check_problem(y, x)
        converted = rows.Rows(entries_of(x), feature_node, ends=2)
        self.l: int = len(y)
        self.n: int = converted.n
        self.bias: float = -1
        rows.set_rows(self, converted)
        self.y: Any = labels_of(y)
        self.x: Any = converted.x
        self.set_bias(bias)

    def set_bias(self, bias: float) -> None:
        """Changes the last node of every row, and n."""
        if self.bias == bias:
            return
        self.n += int(bias >= 0) - int(self.bias >= 0)
        last = self.rowptr[1:] - 2
        self.x_space["index"][last] = self.n if bias >= 0 else -1
        self.x_space["value"][last] = bias
        self.bias = bias

    def copy(self) -> problem:
        """Another structure over the same rows."""
        other = problem.__new__(problem)
        for key in [*problem._names, *vars(self)]:
            setattr(other, key, getattr(self, key))
        return other


class Data(Structure):
    """struct dcsvm_linear_data of linear_extra.h: rows without nodes."""

    _fields_ = (("x", rows.Matrix), ("y", POINTER(c_double)), ("bias", c_double))


class parameter(Structure):  # noqa: N801
    """LIBLINEAR's parameters, from the options of liblinear-train as a string or a list."""

    _names = (
        *("solver_type", "eps", "C", "nr_weight", "weight_label", "weight", "p", "nu", "init_sol", "regularize_bias"),
        "w_recalc",
    )
    _types = (
        *(c_int, c_double, c_double, c_int, POINTER(c_int), POINTER(c_double), c_double, c_double, POINTER(c_double), c_int),
        c_bool,
    )
    _fields_ = genFields(_names, _types)

    def __init__(self, options: Any = None) -> None:
        self.parse_options("" if options is None else options)

    def __str__(self) -> str:
        return structure_text(self, parameter._names)

    def set_to_default_values(self) -> None:
        self.solver_type: int = solver_names.L2R_L2LOSS_SVC_DUAL
        self.eps: float = float("inf")
        self.C = 1
        self.p: float = 0.1
        self.nu: float = 0.5
        self.nr_weight = 0
        self.weight_label: Any = None
        self.weight: Any = None
        self.init_sol: Any = None
        self.bias: float = -1
        self.regularize_bias = 1
        self.w_recalc = False
        self.flag_cross_validation: bool | int = False
        self.flag_C_specified = False
        self.flag_p_specified = False
        self.flag_solver_specified: bool = False
        self.flag_find_parameters = False
        self.nr_fold: int = 0
        self.print_func: Any = no_function()

    def parse_options(self, options: Any) -> None:
        parse_train_options(self, options, _FLAGS, _OPTIONS, folds="flag_cross_validation")
        liblinear.set_print_string_function(self.print_func)
        self._complete()

    def _complete(self) -> None:
        """Sets what depends on other options."""
        if self.flag_find_parameters:
            if not self.flag_cross_validation:
                self.nr_fold = 5
            if not self.flag_solver_specified:
                self.solver_type = solver_names.L2R_L2LOSS_SVC
                self.flag_solver_specified = True
            elif self.solver_type not in SEARCHABLE:
                raise ValueError("Warm-start parameter search only available for -s 0, -s 2 and -s 11")
        if self.eps == float("inf"):
            self.eps = _EPS.get(self.solver_type, 0.1)


_FLAGS: dict[str, tuple[str, Any]] = {
    "-q": ("print_func", ctypes_print_null),
    "-C": ("flag_find_parameters", True),
    "-R": ("regularize_bias", 0),
}
_OPTIONS: dict[str, tuple[str, Any, str]] = {
    "-s": ("solver_type", lambda v: solver_names(int(v)), "flag_solver_specified"),
    "-c": ("C", float, "flag_C_specified"),
    "-p": ("p", float, "flag_p_specified"),
    "-n": ("nu", float, ""),
    "-e": ("eps", float, ""),
    "-B": ("bias", float, ""),
}
_EPS = {L2R_LR: 0.01, L2R_L2LOSS_SVC: 0.01, L1R_L2LOSS_SVC: 0.01, L1R_LR: 0.01, L2R_L2LOSS_SVR: 0.0001, ONECLASS_SVM: 0.01}


class model(Structure):  # noqa: N801
    """A model; linear.h says what the fields hold."""

    _names = ("param", "nr_class", "nr_feature", "w", "label", "bias", "rho")
    _types = (parameter, c_int, c_int, POINTER(c_double), POINTER(c_int), c_double, c_double)
    _fields_ = genFields(_names, _types)

    def __init__(self) -> None:
        self.__createfrom__ = "python"

    def __del__(self) -> None:
        # At the end of the process the library may already be unloaded, and its memory freed.
        if getattr(self, "__createfrom__", "python") == "C" and liblinear is not None:
            liblinear.free_and_destroy_model(pointer(pointer(self)))

    def get_nr_feature(self) -> int:
        return int(liblinear.get_nr_feature(self))

    def get_nr_class(self) -> int:
        return int(liblinear.get_nr_class(self))

    def get_labels(self) -> list[int]:
        labels = (c_int * self.get_nr_class())()
        liblinear.get_labels(self, labels)
        return labels[:]

    def get_decfun_coef(self, feat_idx: int, label_idx: int = 0) -> float:
        return float(liblinear.get_decfun_coef(self, feat_idx, label_idx))

    def get_decfun_bias(self, label_idx: int = 0) -> float:
        return float(liblinear.get_decfun_bias(self, label_idx))

    def get_decfun_rho(self) -> float:
        return float(liblinear.get_decfun_rho(self))

    def get_decfun(self, label_idx: int = 0) -> tuple[list[float], float]:
        w = [liblinear.get_decfun_coef(self, j, label_idx) for j in range(1, self.nr_feature + 1)]
        return (w, -self.get_decfun_rho()) if self.is_oneclass_model() else (w, self.get_decfun_bias(label_idx))

    def is_probability_model(self) -> bool:
        return bool(liblinear.check_probability_model(self) == 1)

    def is_regression_model(self) -> bool:
        return bool(liblinear.check_regression_model(self) == 1)

    def is_oneclass_model(self) -> bool:
        return bool(liblinear.check_oneclass_model(self) == 1)


def toPyModel(model_ptr: Any) -> model:
    """The model behind a POINTER(model), freed with the last Python reference. ValueError for NULL."""
    m: model = owned(model_ptr)
    return m


_model, _problem, _parameter, _row = POINTER(model), POINTER(problem), POINTER(parameter), POINTER(feature_node)
_data, _double, _call = POINTER(Data), POINTER(c_double), POINTER(Call)
_search = [c_int, c_double, c_double, _double, _double, _double]
fillprototypes(
    liblinear,
    ("train", _model, [_problem, _parameter]),
    ("find_parameters", None, [_problem, _parameter, *_search]),
    ("cross_validation", None, [_problem, _parameter, c_int, _double]),
    ("predict_values", c_double, [_model, _row, _double]),
    ("predict", c_double, [_model, _row]),
    ("predict_probability", c_double, [_model, _row, _double]),
    ("save_model", c_int, [c_char_p, _model]),
    ("load_model", _model, [c_char_p]),
    ("get_nr_feature", c_int, [_model]),
    ("get_nr_class", c_int, [_model]),
    ("get_labels", None, [_model, POINTER(c_int)]),
    ("get_decfun_coef", c_double, [_model, c_int, c_int]),
    ("get_decfun_bias", c_double, [_model, c_int]),
    ("get_decfun_rho", c_double, [_model]),
    ("free_model_content", None, [_model]),
    ("free_and_destroy_model", None, [POINTER(_model)]),
    ("destroy_param", None, [_parameter]),
    ("check_parameter", c_char_p, [_problem, _parameter]),
    ("check_probability_model", c_int, [_model]),
    ("check_regression_model", c_int, [_model]),
    ("check_oneclass_model", c_int, [_model]),
    ("set_print_string_function", None, [PRINT_STRING_FUN]),
    ("dcsvm_linear_save_model", c_int, [c_char_p, _model, _call]),
    ("dcsvm_linear_load_model", c_int, [c_char_p, POINTER(_model), _call]),
    ("dcsvm_linear_train", c_int, [_problem, _parameter, POINTER(_model), _call]),
    ("dcsvm_linear_train_matrix", c_int, [_data, _parameter, POINTER(_model), _call]),
    ("dcsvm_linear_train_elastic_net", c_int, [_data, _parameter, c_double, POINTER(_model), _call]),
    ("dcsvm_linear_cross_validation", c_int, [_problem, _parameter, c_int, _double, _call]),
    ("dcsvm_linear_cross_validation_matrix", c_int, [_data, _parameter, c_int, _double, _call]),
    ("dcsvm_linear_find_parameters", c_int, [_problem, _parameter, *_search, _call]),
    ("dcsvm_linear_find_parameters_matrix", c_int, [_data, _parameter, *_search, _call]),
    ("dcsvm_linear_predict_matrix", c_int, [_model, POINTER(rows.Matrix), c_int, _double, _double, _call]),
)
