"""LIBSVM's C interface: one C program compiled against either header and run on either library; Debian's commands preloaded."""

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import compile_project, run
from _original import check_exports, check_header_standards, header_of

SOURCE = Path(__file__).parents[2] / "libsvm_c"
FUNCTIONS = {
    *("svm_train", "svm_cross_validation", "svm_save_model", "svm_load_model", "svm_get_svm_type", "svm_get_nr_class"),
    *("svm_get_labels", "svm_get_svr_probability", "svm_predict_values", "svm_predict", "svm_predict_probability"),
    *("svm_free_model_content", "svm_free_and_destroy_model", "svm_destroy_param", "svm_check_parameter", "svm_get_nr_sv"),
    *("svm_check_probability_model", "svm_set_print_string_function", "svm_get_sv_indices"),
}


@pytest.fixture(scope="module")
def their_library():
    libsvm = pytest.importorskip("libsvm", reason="libsvm-official is not installed")
    return next(Path(libsvm.__path__[0]).glob("clib*"))


@pytest.fixture(scope="module")
def their_header(tmp_path_factory) -> Path:
    """svm.h of LIBSVM's source package."""
    return header_of("libsvm-official", "3.37.0", "svm.h", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """Built by CMake with dcsvm::libsvm."""
    return compile_project(SOURCE, tmp_path_factory.mktemp("libsvm_c")) / "formulations"


def values(text: str) -> np.ndarray:
    lines = [line.split() for line in text.splitlines() if re.match(r"\d \d \d+ ", line)]
    return np.array([float(v) for line in lines for v in line[3:]])


@pytest.mark.build
def test_program_with_our_header(program, tmp_path):
    seen = values(run(program, tmp_path))
    assert len(seen) == 4 * 30 * (3 + 3 + 1 + 1 + 1)
    assert len(list(tmp_path.glob("*.model"))) == 20


@pytest.mark.build
def test_our_program_on_libsvm(program, their_library, tmp_path):
    """Binary compatibility: what was linked to dcsvm::libsvm runs on LIBSVM and sees the same."""
    env = {**os.environ, "LD_PRELOAD": str(their_library)}
    np.testing.assert_allclose(values(run(program, tmp_path)), values(run(program, tmp_path, env=env)), atol=1e-4, rtol=1e-4)


@pytest.mark.build
def test_program_with_libsvms_header(their_header, their_library, tmp_path):
    """What was compiled against LIBSVM's svm.h and linked to LIBSVM runs on dcsvm."""
    shutil.copy(their_library, tmp_path / "libsvm.so")
    compiler = os.environ.get("CC", "cc")
    flags = ["-std=c99", "-O1", '-DSVM_HEADER="svm.h"', f"-I{their_header}", f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "program"]
    run(compiler, *flags, SOURCE / "formulations.c", tmp_path / "libsvm.so", "-lm")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    theirs = values(run(tmp_path / "program", tmp_path / "theirs"))
    env = {**os.environ, "LD_PRELOAD": dcsvm.get_libsvm()}
    np.testing.assert_allclose(values(run(tmp_path / "program", tmp_path / "ours", env=env)), theirs, atol=1e-4, rtol=1e-4)
    for file in (tmp_path / "theirs").iterdir():
        mine = (tmp_path / "ours" / file.name).read_text()
        header, other = mine.split("SV\n")[0], file.read_text().split("SV\n")[0]
        assert [line.split()[0] for line in header.splitlines()] == [line.split()[0] for line in other.splitlines()]


def test_exports():
    check_exports(dcsvm.get_libsvm(), FUNCTIONS | {"libsvm_version"}, "dcsvm_svm_", "libsvm.so.4")


@pytest.mark.build
def test_header_is_c90_and_cxx(tmp_path):
    check_header_standards(["libsvm/svm_extra.h"], "libsvm_version", "c90", tmp_path)


def debians(name: str) -> str:
    path = f"/usr/bin/{name}"
    if not (Path(path).exists() and shutil.which("ldd") and "libsvm.so" in run("ldd", path)):
        pytest.skip(f"{path} that is linked to libsvm.so is not installed (Debian's libsvm-tools)")
    return path


@pytest.mark.parametrize("formulation", range(5))
def test_debians_commands_preloaded(board, tmp_path, formulation):
    train, predict = debians("svm-train"), debians("svm-predict")
    x, y = board[0][:300], board[1][:300]
    dcsvm.save_svmlight(tmp_path / "data", x, y)
    env = {**os.environ, "LD_PRELOAD": dcsvm.get_libsvm()}
    options = ["-s", formulation, "-g", 2, "-n", 0.3, "-e", 1e-5]
    texts = [run(train, *options, tmp_path / "data", tmp_path / f"model{i}", env=e) for i, e in enumerate((env, None))]
    found = [re.findall(r"obj = (\S+), rho = (\S+)", t)[0] for t in texts]
    np.testing.assert_allclose(*[np.array(f, dtype=float) for f in found], rtol=1e-4, atol=1e-3)
    for model in (0, 1):  # each library's file in both
        out = [tmp_path / "out0", tmp_path / "out1"]
        texts = [
            run(predict, tmp_path / "data", tmp_path / f"model{model}", o, env=e) for o, e in zip(out, (env, None), strict=True)
        ]
        assert texts[0] == texts[1]
        np.testing.assert_allclose(np.loadtxt(out[0]), np.loadtxt(out[1]), atol=1e-5)
