"""Kernels in machine code give the models that the same kernel gives as a Python function."""

import ctypes
import pickle
import shutil
import subprocess
from ctypes import POINTER, c_double, c_long

import numpy as np
import pytest
from scipy import LowLevelCallable
from scipy import sparse as sp
from sklearn import svm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import dcsvm

ROW = POINTER(c_double)
SIGNATURE = ctypes.CFUNCTYPE(c_double, ROW, ROW, c_long)
GAMMA = 2.0

X, Y = dcsvm.datasets.make_checkerboard(60, random_state=0)
NEW = dcsvm.datasets.make_checkerboard(40, random_state=1)[0]
NUMBERS = X[:, 0] * X[:, 1]


@SIGNATURE
def in_ctypes(x, z, n):
    return float(np.exp(-GAMMA * np.sum(np.abs(np.array(x[:n]) - np.array(z[:n])))))


def in_python(A, B):
    return np.exp(-GAMMA * np.abs(np.asarray(A)[:, None] - np.asarray(B)[None]).sum(axis=2))


def capsule(name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.cast(in_ctypes, ctypes.c_void_p), name, None)


class Numba:
    """Has what an object of numba.cfunc has."""

    ctypes = in_ctypes
    address = 1  # the function is taken from the attribute above


NAME = b"double (double const *, double const *, Py_ssize_t)"  # a capsule keeps the pointer to its name
FORMS = {
    "ctypes": in_ctypes,
    "LowLevelCallable": LowLevelCallable(in_ctypes),
    "capsule": capsule(NAME),
    "LowLevelCallable of a capsule": LowLevelCallable(capsule(NAME)),
    "numba": Numba(),
}


@pytest.mark.parametrize("form", FORMS)
def test_values(form):
    kernel = dcsvm.CompiledKernel(FORMS[form])
    np.testing.assert_allclose(kernel(X, NEW), in_python(X, NEW), rtol=1e-14)
    own = kernel(X, X)
    np.testing.assert_allclose(own, in_python(X, X), rtol=1e-14)
    assert (own == own.T).all()
    strided = np.asfortranarray(np.repeat(X, 2, axis=0))[::2].astype(np.float32)
    np.testing.assert_allclose(kernel(strided, NEW), in_python(strided, NEW), rtol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (dcsvm.SVC(), Y),
        (dcsvm.NuSVC(nu=0.3), Y),
        (dcsvm.SVR(), NUMBERS),
        (dcsvm.NuSVR(), NUMBERS),
        (dcsvm.OneClassSVM(), None),
        (dcsvm.QuantileSVR(), NUMBERS),
        (dcsvm.SVCCV(C=[1, 10], cv=2, random_state=0), Y),
        (dcsvm.LowRankSVC(n_landmarks=20, random_state=0), Y),
        (svm.SVC(), Y),
    ],
    ids=lambda value: type(value).__module__[:5] + type(value).__name__ if hasattr(value, "fit") else "",
)
def test_the_same_model(estimator, y):
    compiled = clone(estimator).set_params(kernel=dcsvm.CompiledKernel(in_ctypes)).fit(X, y)
    python = clone(estimator).set_params(kernel=in_python).fit(X, y)
    answer = "decision_function" if hasattr(python, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(compiled, answer)(NEW), getattr(python, answer)(NEW), rtol=1e-7, atol=1e-7)


def test_kernel_ridge():
    kernel = dcsvm.CompiledKernel(in_ctypes)
    compiled = dcsvm.KernelRidge(kernel=kernel).fit(X, NUMBERS)
    expected = dcsvm.KernelRidge(kernel="laplacian", gamma=GAMMA).fit(X, NUMBERS).predict(NEW)
    np.testing.assert_allclose(compiled.predict(NEW), expected, rtol=1e-9)
    two = dcsvm.KernelRidge(kernel=kernel).fit(X, np.column_stack([NUMBERS, NUMBERS])).predict(NEW)
    np.testing.assert_allclose(two, np.column_stack([expected, expected]), rtol=1e-9)
    again = compiled.set_params(kernel="linear").fit(X, NUMBERS).predict(NEW)  # nothing is left of the kernel
    np.testing.assert_allclose(again, dcsvm.KernelRidge().fit(X, NUMBERS).predict(NEW))
    with pytest.raises(ValueError, match="CompiledKernel takes none"):
        dcsvm.KernelRidge(kernel=kernel, kernel_params={"a": 1}).fit(X, NUMBERS)


def test_clones_share_it_and_pickles_refuse_it():
    kernel = dcsvm.CompiledKernel(in_ctypes)
    assert clone(dcsvm.SVC(kernel=kernel)).kernel is kernel
    assert GridSearchCV(dcsvm.SVC(kernel=kernel), {"C": [1, 10]}, cv=2).fit(X, Y).best_score_ > 0.4
    with pytest.raises(TypeError, match="machine code of this process"):
        pickle.dumps(dcsvm.SVC(kernel=kernel).fit(X, Y))


@pytest.mark.build
def test_a_function_in_c(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "no C compiler was found"
    (tmp_path / "kernel.c").write_text(
        "#include <math.h>\n"
        "double laplacian(const double *x, const double *z, long n) {\n"
        "  double sum = 0;\n"
        "  for (long k = 0; k < n; ++k) sum += fabs(x[k] - z[k]);\n"
        "  return exp(-2.0 * sum);\n"
        "}\n"
    )
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", tmp_path / "k.so", tmp_path / "kernel.c", "-lm"], check=True)
    function = ctypes.CDLL(str(tmp_path / "k.so")).laplacian
    with pytest.raises(TypeError, match="no argtypes"):
        dcsvm.CompiledKernel(function)
    function.restype, function.argtypes = c_double, [ROW, ROW, c_long]
    x, y = dcsvm.datasets.make_checkerboard(1500, random_state=0)  # more than one thread takes
    one, two = (dcsvm.CompiledKernel(function, n_jobs=n)(x, x) for n in (1, 2))
    assert (one == two).all()
    np.testing.assert_allclose(one, in_python(x, x), rtol=1e-13)
    kernel = dcsvm.CompiledKernel(function)
    expected = dcsvm.SVC(C=10, kernel=in_python).fit(x, y)
    model = dcsvm.SVC(C=10, kernel=kernel).fit(x, y)
    np.testing.assert_allclose(model.decision_function(NEW), expected.decision_function(NEW), atol=1e-4)


def declared(result, *arguments):
    return ctypes.CFUNCTYPE(result, *arguments)(lambda *_: 0)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (in_python, "got function; a Python function"),
        ("kernel", "got str"),
        (declared(c_double, ROW, ROW), r"expected double kernel\(.*declared as c_double \(LP_c_double, LP_c_double\)"),
        (declared(ctypes.c_float, ROW, ROW, c_long), "declared as c_float"),
        (declared(None, ROW, ROW, c_long), "declared as None"),
        (declared(c_double, POINTER(ctypes.c_float), ROW, c_long), "LP_c_float"),
        (declared(c_double, ROW, ROW, ctypes.c_int), "c_int"),
        (LowLevelCallable(in_ctypes, ctypes.c_void_p(1)), "user_data"),
        (LowLevelCallable(declared(c_double, c_double)), r"the capsule's signature is 'double \(double\)'"),
        (SIGNATURE(), "null pointer"),
    ],
)
def test_what_is_no_kernel(function, message):
    with pytest.raises(TypeError, match=message):
        dcsvm.CompiledKernel(function)


@pytest.mark.parametrize("bare", [in_ctypes, LowLevelCallable(in_ctypes), Numba()], ids=["ctypes", "scipy", "numba"])
def test_a_bare_function_is_an_error_with_the_way_out(bare):
    for estimator, y in ((dcsvm.SVC(kernel=bare), Y), (dcsvm.KernelRidge(kernel=bare), NUMBERS)):
        with pytest.raises(ValueError, match=r"kernel=dcsvm.CompiledKernel\(function\)"):
            estimator.fit(X, y)


def test_bad_rows():
    kernel = dcsvm.CompiledKernel(in_ctypes)
    with pytest.raises(TypeError, match=r"X is sparse, .*X\.toarray\(\)"):
        kernel(sp.csr_matrix(X), X)
    with pytest.raises(ValueError, match="X has 2 features, but Z has 1"):
        kernel(X, X[:, :1])
    with pytest.raises(ValueError, match="two dimensions"):
        kernel(X[0], X)
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3"):
        dcsvm.SVC(kernel=kernel).fit(bad, Y)
    with pytest.raises(ValueError, match="NaN"):
        dcsvm.SVC(kernel=dcsvm.CompiledKernel(declared_nan)).fit(X, Y)
    model = dcsvm.SVC(kernel=kernel).fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        model.predict(NEW[:, :1])


@SIGNATURE
def declared_nan(x, z, n):
    return float("nan")
