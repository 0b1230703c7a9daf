"""What the tests of the stand-ins for LIBSVM and LIBLINEAR share: the originals' headers, their Python modules beside ours."""

import ctypes
import inspect
import os
import re
import shutil
import subprocess
import sys
import tarfile

import numpy as np
import pytest
from scipy import sparse

import dcsvm
from _build import run

# The loops of csr_to_problem, and the stand-in for numba's decorator: how the originals fill their nodes, nothing to call.
INNER = {"csr_to_problem_jit", "csr_to_problem_nojit", "jit"}
ROWS = (
    {3: 2.0, 1: 1.5, 7: 0.0},
    [0, 1, 2.5],
    (0.0, 3),
    np.array([0, 4.0, 0, 2]),
    {},
    [],
    (np.array([0, 2]), np.array([1.0, 2])),
)
NOT_ROWS = (3, "ab", None, np.zeros((2, 2)), {1, 2})


def header_of(package, version, name, folder):
    """Fetches a header from the source package of an original into `folder`, which is returned."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package, f"{package}=={version}"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        pytest.skip(f"the source package of {package} could not be fetched in 60 s")
    archives = list(folder.glob("*.tar.gz"))
    if not archives:
        pytest.skip(f"the source package of {package} could not be fetched (offline?): {done.stderr.strip()[-200:]}")
    with tarfile.open(archives[0]) as tar:
        member = next(m for m in tar.getmembers() if m.name.endswith(f"/{name}"))
        (folder / name).write_bytes(tar.extractfile(member).read())
    return folder


def check_exports(library, functions, prefix, soname):
    """The library exports the original's names, and others only under our prefix."""
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    names = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()}
    assert functions <= names
    others = names - functions
    assert all(name.startswith(prefix) for name in others), others
    if shutil.which("readelf"):
        assert f"[{soname}]" in run("readelf", "-d", library)


def check_header_standards(headers, version, c_standard, folder):
    """The headers compile in this C and in C++98, without a warning."""
    for name, compiler, standard in (
        ("a.c", os.environ.get("CC", "cc"), c_standard),
        ("a.cpp", os.environ.get("CXX", "c++"), "c++98"),
    ):
        includes = "".join(f"#include <dcsvm/{header}>\n" for header in headers)
        (folder / name).write_text(f"{includes}int main(void) {{ return {version} == 0; }}\n")
        flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
        run(compiler, f"-std={standard}", *flags, f"-I{dcsvm.get_include()}", folder / name)


def check_layout(ours, theirs, names):
    """Structures have the same fields at the same places."""
    for name in names:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert ctypes.sizeof(mine) == ctypes.sizeof(other)
        fields = [f[0] for f in mine._fields_]
        assert fields == [f[0] for f in other._fields_]
        assert [getattr(mine, n).offset for n in fields] == [getattr(other, n).offset for n in fields]


def check_names(pairs):
    """Each of our modules has every name of the original's."""
    for ours, other in pairs:
        assert set(other.__all__) <= set(ours.__all__)
        for name in ours.__all__:
            assert hasattr(ours, name)


def check_signatures(pairs):
    """Every public function and method of the originals has the same names, kinds and defaults of parameters in ours."""
    compared = 0
    for ours, other in pairs:
        owners = [(ours, other)]
        owners += [(getattr(ours, n), c) for n, c in vars(other).items() if inspect.isclass(c) and c.__module__ == other.__name__]
        for mine, his in owners:
            for name, function in _public(his, other).items():
                if name not in INNER:
                    assert _parameters(getattr(mine, name)) == _parameters(function), (mine, name)
                    compared += 1
    assert compared > 30


def _parameters(f):
    """Names, kinds and defaults; annotations are ours alone."""
    return [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]


def _public(owner, module):
    """Functions of the original's that a program can call, by name."""
    own = [(n, f) for n, f in vars(owner).items() if inspect.isfunction(f) and f.__module__ == module.__name__]
    return {n: f for n, f in own if not n.startswith("_") or n in ("__init__", "__str__", "__del__")}


def check_prototypes(ours, theirs, names):
    """The library's functions have the same types of arguments and results."""
    for name in names:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert [t.__name__ for t in mine.argtypes] == [t.__name__ for t in other.argtypes], name
        assert getattr(mine.restype, "__name__", None) == getattr(other.restype, "__name__", None), name


def unpaired(xi, options):
    """Whether the originals pair the indices that feature_max leaves with the wrong values."""
    return isinstance(xi, tuple) and len(xi) == 2 and isinstance(xi[0], np.ndarray) and "feature_max" in options


def plain(parameter):
    """The text of a parameter without addresses."""
    return re.sub(r"<.*>", "<>", str(parameter))


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def same_refusals_of_data(x, y, problem, train, same_error):
    """problem and train: functions of a module and (y, x); the modules must refuse the same data with the same words."""
    pairs = [(y[:-1], x), (y, x[:-1]), (y.tolist(), x.tolist()[:-1]), (3, x), ("ab", x), (y, 3), (y, "ab"), (y, {1: 2})]
    pairs += [(y, sparse.csr_array(x)), (y, sparse.csr_matrix(x)[:-1])]
    for bad_y, bad_x in pairs:
        same_error(lambda m, a=bad_y, b=bad_x: problem(m, a, b))
        same_error(lambda m, a=bad_y, b=bad_x: train(m, a, b, "-q"))
    same_error(lambda m: train(m, None))
    same_error(lambda m: problem(m, [0, 1], [{1: 1}, {1: 2}, {}]))


def same_refusals_in_prediction(x, predict, same_error):
    """predict: of a module, y, x and options."""
    for y, rows, options in (
        *(([], 3, ""), (3, x, ""), ([], x, "-x"), ([], x, "-b 1"), ([1], x, ""), ([], sparse.csr_array(x), "")),
    ):
        same_error(lambda m, a=y, b=rows, o=options: predict(m, a, b, o))
