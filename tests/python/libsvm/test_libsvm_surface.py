"""dcsvm.svm, svmutil and commonutil have the names, signatures, structures and ctypes use of libsvm-official."""

import ctypes
import importlib

import numpy as np
import pytest

from _libsvm_cases import their_common, their_svm, theirs
from _original import NOT_ROWS, ROWS, check_layout, check_names, check_prototypes, check_signatures, plain, run_python, unpaired
from dcsvm import commonutil, svm, svmutil

PAIRS = ((svm, their_svm), (svmutil, theirs), (commonutil, their_common))


def test_structures_have_libsvms_layout():
    check_layout(svm, their_svm, ("svm_node", "svm_problem", "svm_parameter", "svm_model"))


def test_every_name_is_there():
    check_names(PAIRS)
    for name in ("genFields", "fillprototype", "ctypes_print_null", "csr_to_problem", "jit_enabled"):
        assert hasattr(svm, name)
    assert (svm.C_SVC, svm.NU_SVR, svm.LINEAR, svm.PRECOMPUTED) == (0, 4, 0, 4)
    assert [(f.name, int(f)) for f in svm.svm_forms] == [(f.name, int(f)) for f in their_svm.svm_forms]
    assert [(f.name, int(f)) for f in svm.kernel_names] == [(f.name, int(f)) for f in their_svm.kernel_names]
    assert ctypes.c_int.in_dll(svm.libsvm, "libsvm_version").value == 337


def test_every_signature_is_libsvms():
    check_signatures(PAIRS)


def test_every_prototype_is_libsvms():
    names = [n for n in vars(their_svm.libsvm) if n.startswith("svm_")]
    assert len(names) == 19
    check_prototypes(svm.libsvm, their_svm.libsvm, names)


def test_ctypes_use(sample):
    """As LIBSVM's README shows it: the library's functions on problem and parameter."""
    prob, param = svm.svm_problem(sample["y"].tolist(), sample["x"].tolist()), svm.svm_parameter("-c 4 -g 0.2 -q")
    assert svm.libsvm.svm_check_parameter(prob, param) is None
    m = svm.toPyModel(svm.libsvm.svm_train(prob, param))
    plain = svmutil.svm_train(sample["y"], sample["x"], "-c 4 -g 0.2 -q")
    values = (ctypes.c_double * 3)()
    _, _, expected = svmutil.svm_predict(sample["yt"], sample["xt"], plain, "-q")
    labels = svmutil.svm_predict(sample["yt"], sample["xt"], plain, "-q")[0]
    for i, x in enumerate(sample["xt"][:20].tolist()):
        row, largest = svm.gen_svm_nodearray(x)
        assert largest == max((j + 1 for j, v in enumerate(x) if v), default=0)
        assert svm.libsvm.svm_predict(m, row) == labels[i]
        assert svm.libsvm.svm_predict_values(m, row, values) == labels[i]
        np.testing.assert_allclose(values[:], expected[i], atol=1e-5)
    with pytest.raises(ValueError, match="Null pointer"):
        svm.toPyModel(ctypes.POINTER(svm.svm_model)())


def test_gen_svm_nodearray():
    def listed(module, *args, **kwargs):
        nodes, largest = module.gen_svm_nodearray(*args, **kwargs)
        return [(n.index, n.value) for n in nodes], largest

    for xi in ROWS:
        for kwargs in ({}, {"feature_max": 2}, {"isKernel": True}):
            if unpaired(xi, kwargs):
                continue
            if isinstance(xi, dict) and "isKernel" in kwargs and not xi:
                continue
            assert listed(svm, xi, **kwargs) == listed(their_svm, xi, **kwargs), (xi, kwargs)
    assert str(svm.svm_node(3, 0.5)) == str(their_svm.svm_node(3, 0.5))
    for bad in NOT_ROWS:
        with pytest.raises((TypeError, ValueError)):
            svm.gen_svm_nodearray(bad)
    with pytest.raises(AssertionError):
        svm.gen_svm_nodearray([1.0], feature_max="2")


def test_parameter_text():
    ours, other = svm.svm_parameter("-s 3 -c 2 -w1 5 -v 3"), their_svm.svm_parameter("-s 3 -c 2 -w1 5 -v 3")

    assert plain(ours) == plain(other)
    assert (ours.weight[0], ours.weight_label[0], ours.nr_fold) == (5.0, 1, 3)
    assert ours.set_to_default_values() is None
    assert svm.svm_parameter(["-c", "3"]).C == 3


def test_install_as_libsvm():
    code = (
        "import dcsvm; dcsvm.install_as_libsvm()\n"
        "from libsvm.svmutil import *\nimport libsvm.svm, libsvm.commonutil\n"
        "import dcsvm.svmutil as own\nassert svm_train is own.svm_train\n"
        "assert libsvm.svm.svm_problem is svm_problem\n"
        "print(svm_predict([1], [[1.0]], svm_train([1, 2], [[1.0], [2.0]], '-q'), '-q')[0])"
    )
    assert run_python(code) == "[1.0]\n"
    assert importlib.import_module("libsvm.svmutil") is theirs, "only where it was asked for"
