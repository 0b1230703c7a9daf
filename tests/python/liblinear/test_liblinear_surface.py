"""dcsvm.liblinear and liblinearutil have the names, signatures, structures and ctypes use of liblinear-official."""

import ctypes
import importlib
import inspect
import re
import subprocess
import sys

import numpy as np
import pytest

from _liblinear_cases import their_common, their_linear, theirs
from dcsvm import commonutil, liblinear, liblinearutil

PAIRS = ((liblinear, their_linear), (liblinearutil, theirs), (commonutil, their_common))


def test_structures_have_liblinears_layout():
    for name in ("feature_node", "problem", "parameter", "model"):
        ours, other = getattr(liblinear, name), getattr(their_linear, name)
        assert ctypes.sizeof(ours) == ctypes.sizeof(other)
        names = [f[0] for f in ours._fields_]
        assert names == [f[0] for f in other._fields_]
        assert [getattr(ours, n).offset for n in names] == [getattr(other, n).offset for n in names]


def test_every_name_is_there():
    for ours, other in PAIRS:
        assert set(other.__all__) <= set(ours.__all__)
        for name in ours.__all__:
            assert hasattr(ours, name)
    for name in ("genFields", "fillprototype", "ctypes_print_null", "csr_to_problem", "jit_enabled", "PRINT_STRING_FUN"):
        assert hasattr(liblinear, name)
    assert [(f.name, int(f)) for f in liblinear.solver_names] == [(f.name, int(f)) for f in their_linear.solver_names]
    for f in liblinear.solver_names:  # until LIBLINEAR 2.48 the numbers were names of the module
        assert getattr(liblinear, f.name) == int(f)
        assert f.name in liblinearutil.__all__
    assert ctypes.c_int.in_dll(liblinear.liblinear, "liblinear_version").value == 250


def parameters(f):
    """Names, kinds and defaults; annotations are ours alone."""
    return [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]


def public(owner, module):
    """Functions of LIBLINEAR's that a program can call, by name."""
    own = [(n, f) for n, f in vars(owner).items() if inspect.isfunction(f) and f.__module__ == module.__name__]
    return {n: f for n, f in own if not n.startswith("_") or n in ("__init__", "__str__", "__del__")}


# The loops of csr_to_problem, and the stand-in for numba's decorator: how LIBLINEAR fills its nodes, nothing to call.
INNER = {"csr_to_problem_jit", "csr_to_problem_nojit", "jit"}


def test_every_signature_is_liblinears():
    compared = 0
    for ours, other in PAIRS:
        owners = [(ours, other)]
        owners += [(getattr(ours, n), c) for n, c in vars(other).items() if inspect.isclass(c) and c.__module__ == other.__name__]
        for mine, his in owners:
            for name, function in public(his, other).items():
                if name not in INNER:
                    assert parameters(getattr(mine, name)) == parameters(function), (mine, name)
                    compared += 1
    assert compared > 30


def test_every_prototype_is_liblinears():
    names = [n for n in vars(their_linear.liblinear) if not n.startswith("_")]
    assert len(names) == 22
    for name in names:
        ours, other = getattr(liblinear.liblinear, name), getattr(their_linear.liblinear, name)
        assert [t.__name__ for t in ours.argtypes] == [t.__name__ for t in other.argtypes], name
        assert getattr(ours.restype, "__name__", None) == getattr(other.restype, "__name__", None), name


def listed(module, *args, **kwargs):
    nodes, largest = module.gen_feature_nodearray(*args, **kwargs)
    return [(n.index, n.value) for n in nodes][:-2], [n.index for n in nodes][-2:], largest


def test_gen_feature_nodearray():
    for xi in (
        {3: 2.0, 1: 1.5, 7: 0.0},
        [0, 1, 2.5],
        (0.0, 3),
        np.array([0, 4.0, 0, 2]),
        {},
        [],
        (np.array([0, 2]), np.array([1.0, 2])),
    ):
        for kwargs in ({}, {"feature_max": 2}):
            if isinstance(xi, tuple) and len(xi) == 2 and isinstance(xi[0], np.ndarray) and "feature_max" in kwargs:
                continue  # upstream pairs the indices that are left with the wrong values
            assert listed(liblinear, xi, **kwargs) == listed(their_linear, xi, **kwargs), (xi, kwargs)
    assert listed(liblinear, (np.array([2, 0]), np.array([5.0, 7.0])), feature_max=2) == ([(1, 7.0)], [-1, -1], 1)
    node, their_node = (m.gen_feature_nodearray({3: 0.5})[0][0] for m in (liblinear, their_linear))
    assert str(node) == str(their_node) == "3:0.5"
    for bad in (3, "ab", None, np.zeros((2, 2)), {1, 2}):
        with pytest.raises((TypeError, ValueError)):
            liblinear.gen_feature_nodearray(bad)
    for key in (0, -3):  # LIBLINEAR writes before its arrays
        with pytest.raises(ValueError, match=f"index {key}: indices start at 1"):
            liblinear.gen_feature_nodearray({key: 1.0, 2: 1.0})
    with pytest.raises(AssertionError):
        liblinear.gen_feature_nodearray([1.0], feature_max="2")


OPTIONS = [
    *("", "-s 3 -c 2 -w1 5 -w-1 2 -v 3", "-s 11", "-s 21 -n 0.3", "-C", "-C -v 4 -s 0", "-s 6 -B 1 -R -p 0.2", "-s 4 -e 0.5 -q"),
    *(f"-s {s}" for s in (0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 21)),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_parameter(options):
    def plain(p):
        return re.sub(r"<.*>", "<>", str(p))

    ours, other = liblinear.parameter(options), their_linear.parameter(options)
    assert plain(ours) == plain(other)
    assert plain(liblinear.parameter(options.split())) == plain(ours)
    assert ours.weight[: ours.nr_weight] == other.weight[: other.nr_weight]
    assert ours.weight_label[: ours.nr_weight] == other.weight_label[: other.nr_weight]
    assert ours.set_to_default_values() is None
    liblinear.parameter("")  # prints again


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_install_as_liblinear():
    code = (
        "import dcsvm; dcsvm.install_as_liblinear()\n"
        "from liblinear.liblinearutil import *\nimport liblinear.liblinear as one, liblinear.commonutil as other\n"
        "import dcsvm.liblinearutil as own\nassert train is own.train\n"
        "assert one.problem is problem and other.evaluations is evaluations\n"
        "print(predict([1], [[-1.0]], train([1, 2], [[-1.0], [1.0]], '-q'), '-q')[0])"
    )
    assert run_python(code) == "[1.0]\n"
    flat = (
        "import dcsvm; dcsvm.install_as_liblinear(top_level=True)\n"
        "from liblinearutil import *\nfrom liblinear import problem as flat\nimport dcsvm.liblinear as own\n"
        "from liblinear.liblinearutil import train as again\nassert again is train and flat is problem is own.problem\n"
        "print(predict([1], [[-1.0]], train([1, 2], [[-1.0], [1.0]], '-q'), '-q')[0])"
    )
    assert run_python(flat) == "[1.0]\n"
    assert importlib.import_module("liblinear.liblinearutil") is theirs, "only where it was asked for"
