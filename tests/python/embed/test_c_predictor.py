"""dcsvm/dc_pred.h: a stranger's C program, compiled as C against the installed package, gives the package's answers."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import LIBRARY

SOURCE = Path(__file__).parents[2] / "embed" / "c" / "stranger.c"

pytestmark = pytest.mark.build


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("c")
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    linker = (sysconfig.get_config_var("CXX") or "c++").split()
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, *strict, "-I", dcsvm.get_include(), "-c", str(SOURCE), "-o", str(folder / "s.o")], check=True)
    subprocess.run([*linker, str(folder / "s.o"), str(LIBRARY), "-pthread", "-o", str(folder / "s")], check=True)
    return folder / "s"


@pytest.mark.parametrize("kind", ["two", "three", "ridge"])
def test_answers_like_the_package(program, tmp_path, kind):
    x, y = dcsvm.datasets.make_checkerboard(600, random_state=0)
    y = {"two": y, "three": np.floor(np.arange(600) / 200), "ridge": x[:, 0]}[kind]
    options = {"gamma": 4, "n_leaves": 4, "n_landmarks": 5, "n_pseudo": 5, "refine": 5}
    model = (dcsvm.train_dc_pred_ridge if kind == "ridge" else dcsvm.train_dc_pred)(x, y, **options)
    model.save(tmp_path / "m")
    rows = x.astype(np.float32)
    rows.tofile(tmp_path / "x")
    run = subprocess.run([program, tmp_path / "m", tmp_path / "x"], check=True, capture_output=True, text=True)
    labels, first, outputs = np.loadtxt(run.stdout.splitlines()).T
    np.testing.assert_array_equal(labels, model.predict(rows))
    decisions = model.decision_function(rows)
    np.testing.assert_allclose(first, {"two": -decisions, "three": decisions.T[0], "ridge": decisions}[kind], rtol=1e-6)
    assert set(outputs) == {3 if kind == "three" else 1}


def test_says_why_a_file_is_refused(program, tmp_path):
    (tmp_path / "bad").write_bytes(b"not a model")
    for path, reason in ((tmp_path / "bad", "model"), (tmp_path / "absent", "absent")):
        run = subprocess.run([program, path, "x"], capture_output=True, text=True, check=False)
        assert run.returncode == 1
        assert reason in run.stderr, sys.platform
