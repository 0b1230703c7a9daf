"""dcsvm.liblinear and liblinearutil have the names, signatures, structures and ctypes use of liblinear-official."""

import ctypes
import importlib

import numpy as np
import pytest

from _liblinear_cases import their_common, their_linear, theirs
from _original import NOT_ROWS, ROWS, check_layout, check_names, check_prototypes, check_signatures, plain, run_python, unpaired
from dcsvm import commonutil, liblinear, liblinearutil

PAIRS = ((liblinear, their_linear), (liblinearutil, theirs), (commonutil, their_common))


def test_structures_have_liblinears_layout():
    check_layout(liblinear, their_linear, ("feature_node", "problem", "parameter", "model"))


def test_every_name_is_there():
    check_names(PAIRS)
    for name in ("genFields", "fillprototype", "ctypes_print_null", "csr_to_problem", "jit_enabled", "PRINT_STRING_FUN"):
        assert hasattr(liblinear, name)
    assert [(f.name, int(f)) for f in liblinear.solver_names] == [(f.name, int(f)) for f in their_linear.solver_names]
    for f in liblinear.solver_names:  # until LIBLINEAR 2.48 the numbers were names of the module
        assert getattr(liblinear, f.name) == int(f)
        assert f.name in liblinearutil.__all__
    assert ctypes.c_int.in_dll(liblinear.liblinear, "liblinear_version").value == 250


def test_every_signature_is_liblinears():
    check_signatures(PAIRS)


def test_every_prototype_is_liblinears():
    names = [n for n in vars(their_linear.liblinear) if not n.startswith("_")]
    assert len(names) == 22
    check_prototypes(liblinear.liblinear, their_linear.liblinear, names)


def listed(module, *args, **kwargs):
    nodes, largest = module.gen_feature_nodearray(*args, **kwargs)
    return [(n.index, n.value) for n in nodes][:-2], [n.index for n in nodes][-2:], largest


def test_gen_feature_nodearray():
    for xi in ROWS:
        for kwargs in ({}, {"feature_max": 2}):
            if unpaired(xi, kwargs):
                continue
            assert listed(liblinear, xi, **kwargs) == listed(their_linear, xi, **kwargs), (xi, kwargs)
    assert listed(liblinear, (np.array([2, 0]), np.array([5.0, 7.0])), feature_max=2) == ([(1, 7.0)], [-1, -1], 1)
    node, their_node = (m.gen_feature_nodearray({3: 0.5})[0][0] for m in (liblinear, their_linear))
    assert str(node) == str(their_node) == "3:0.5"
    for bad in NOT_ROWS:
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
    ours, other = liblinear.parameter(options), their_linear.parameter(options)
    assert plain(ours) == plain(other)
    assert plain(liblinear.parameter(options.split())) == plain(ours)
    assert ours.weight[: ours.nr_weight] == other.weight[: other.nr_weight]
    assert ours.weight_label[: ours.nr_weight] == other.weight_label[: other.nr_weight]
    assert ours.set_to_default_values() is None
    liblinear.parameter("")  # prints again


def test_install_as_liblinear():
    code = (
        "import dcsvm; dcsvm.install_as_liblinear()\n"
        "from liblinear.liblinearutil import *\nimport liblinear.liblinear as one, liblinear.commonutil as other\n"
        "import dcsvm.liblinearutil as own\nassert train is own.train\n"
        "assert one.problem is problem and other.evaluations is evaluations\n"
        "print(predict([1], [[-1.0]], train([1, 2], [[-1.0], [1.0]], '-q'), '-q')[0])"
    )
    assert run_python(code) == "[1.0]\n"
    assert importlib.import_module("liblinear.liblinearutil") is theirs, "only where it was asked for"
