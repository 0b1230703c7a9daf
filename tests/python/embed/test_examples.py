"""The examples build against the installed package, run, and say what they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import compile_project

EXAMPLES = Path(__file__).parents[3] / "examples"

pytestmark = pytest.mark.build


def test_python(tmp_path):
    done = subprocess.run([sys.executable, EXAMPLES / "python" / "quickstart.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"([\d.]+)% of the test rows", done.stdout)[1]) > 90


def test_cpp(tmp_path):
    built = compile_project(EXAMPLES / "cpp", tmp_path / "build")
    done = subprocess.run([built / "example"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(re.match(r"(\d+) of 2000 right", done.stdout)[1]) > 1960
    assert dcsvm.load_model(tmp_path / "circle.model").n_features_in_ == 2


def test_a_c_project_does_not_name_cpp(tmp_path):
    assert "CXX" not in (EXAMPLES / "c" / "CMakeLists.txt").read_text()
    built = compile_project(EXAMPLES / "c", tmp_path / "build")
    x, y = dcsvm.datasets.make_checkerboard(500, random_state=0)
    model = dcsvm.train_dc_pred(x, y, C=10, gamma=4, n_leaves=4)
    model.save(tmp_path / "m")
    rows = x.astype(np.float32)
    text = "\n".join(f"{a!r} {b!r}" for a, b in rows.astype(float).tolist())
    done = subprocess.run([built / "example", tmp_path / "m"], input=text, capture_output=True, text=True, check=True)
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), model.predict(rows))
    refused = subprocess.run([built / "example", tmp_path / "absent"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "absent" in refused.stderr


def test_cython(tmp_path):
    for name in ("setup.py", "fast.pyx"):
        (tmp_path / name).write_text((EXAMPLES / "cython" / name).read_text())
    built = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"CFLAGS": "-O0"},  # compiles in half of the time; the library stays as it is
    )
    assert built.returncode == 0, built.stdout[-5000:]
    code = (
        "import dcsvm, fast\n"
        "x, y = dcsvm.datasets.make_checkerboard(400)\n"
        "model = dcsvm.train(x, y, C=10, gamma=4)\n"
        "assert fast.right(x, y.astype(float), 10, 4) == (model.predict(x) == y).sum()\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_an_older_standard_is_told_what_is_needed(tmp_path):
    (tmp_path / "main.cpp").write_text("#include <dcsvm/dcsvm.hpp>\nint main() {}\n")
    command = ["c++", "-std=c++14", "-fsyntax-only", "-I", dcsvm.get_include(), tmp_path / "main.cpp"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "dcsvm needs C++17: compile with -std=c++17" in done.stderr


def test_the_library_is_where_get_library_dir_says():
    assert (Path(dcsvm.get_library_dir()) / "libdcsvm.a").is_file()
