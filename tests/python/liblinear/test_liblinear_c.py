"""LIBLINEAR's C interface: one C program compiled against either header and run on either library; LIBLINEAR's own programs."""

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import compile_project, run, tool
from _liblinear_cases import problem
from _original import check_exports, check_header_standards, header_of

SOURCE = Path(__file__).parents[2] / "liblinear_c"
FUNCTIONS = {
    *("train", "cross_validation", "find_parameters", "predict_values", "predict", "predict_probability", "save_model"),
    *("load_model", "get_nr_feature", "get_nr_class", "get_labels", "get_decfun_coef", "get_decfun_bias", "get_decfun_rho"),
    *("free_model_content", "free_and_destroy_model", "destroy_param", "check_parameter", "check_probability_model"),
    *("check_regression_model", "check_oneclass_model", "set_print_string_function"),
}


@pytest.fixture(scope="module")
def their_library():
    liblinear = pytest.importorskip("liblinear", reason="liblinear-official is not installed")
    return next(Path(liblinear.__path__[0]).glob("clib*"))


@pytest.fixture(scope="module")
def their_header(tmp_path_factory) -> Path:
    """linear.h of LIBLINEAR's source package."""
    return header_of("liblinear-official", "2.50.0", "linear.h", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """Built by CMake with dcsvm::liblinear."""
    return compile_project(SOURCE, tmp_path_factory.mktemp("liblinear_c")) / "solvers"


def values(text: str) -> np.ndarray:
    lines = [line.split() for line in text.splitlines() if re.match(r"\d+ \d \d+ ", line)]
    # Hinge loss and the tube without a square: LIBLINEAR ends at 300 passes, before it has converged.
    return np.array([float(v) for line in lines for v in line[3:] if line[0] not in ("3", "13")])


@pytest.mark.build
def test_program_with_our_header(program, tmp_path):
    seen = values(run(program, tmp_path))
    assert len(seen) == 30 * (2 * (3 * 6 + 4 * 3 + 2) + 1)
    assert len(list(tmp_path.glob("*.model"))) == 23


@pytest.mark.build
def test_our_program_on_liblinear(program, their_library, tmp_path):
    """Binary compatibility: what was linked to dcsvm::liblinear runs on LIBLINEAR and sees the same."""
    env = {**os.environ, "LD_PRELOAD": str(their_library)}
    np.testing.assert_allclose(values(run(program, tmp_path)), values(run(program, tmp_path, env=env)), atol=1e-4, rtol=1e-4)


@pytest.mark.build
def test_program_with_liblinears_header(their_header, their_library, tmp_path):
    """What was compiled against LIBLINEAR's linear.h and linked to LIBLINEAR runs on dcsvm."""
    shutil.copy(their_library, tmp_path / "liblinear.so")
    compiler = os.environ.get("CC", "cc")
    flags = ["-std=c99", "-O1", '-DLINEAR_HEADER="linear.h"', f"-I{their_header}", f"-Wl,-rpath,{tmp_path}"]
    run(compiler, *flags, "-o", tmp_path / "program", SOURCE / "solvers.c", tmp_path / "liblinear.so", "-lm")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    theirs = values(run(tmp_path / "program", tmp_path / "theirs"))
    env = {**os.environ, "LD_PRELOAD": dcsvm.get_liblinear()}
    np.testing.assert_allclose(values(run(tmp_path / "program", tmp_path / "ours", env=env)), theirs, atol=1e-4, rtol=1e-4)
    for file in (tmp_path / "theirs").iterdir():
        both = ((tmp_path / "ours" / file.name).read_text(), file.read_text())
        header, other = (text.split("w\n")[0].split("rho")[0] for text in both)
        assert header == other


@pytest.fixture(scope="module")
def their_programs() -> Path:
    """The folder of LIBLINEAR's repository, which the source package does not have: train.c, predict.c."""
    folder = os.environ.get("DCSVM_LIBLINEAR_SOURCE")
    if not folder:
        pytest.skip("DCSVM_LIBLINEAR_SOURCE does not name a checkout of LIBLINEAR with train.c and predict.c")
    return Path(folder)


@pytest.mark.build
@pytest.mark.parametrize("options", ["-s 0 -B 1", "-s 1", "-s 2 -C", "-s 5 -v 3", "-s 11", "-s 21"])
def test_liblinears_programs(their_programs, tmp_path, options):
    """LIBLINEAR's train.c and predict.c, compiled against our header: the output and files of our commands."""
    (tmp_path / "linear.h").write_text("#include <dcsvm/liblinear/linear.h>\n")
    compiler = os.environ.get("CC", "cc")
    library = Path(dcsvm.get_liblinear())
    for name in ("train", "predict"):
        shutil.copy(their_programs / f"{name}.c", tmp_path)
        flags = [f"-I{dcsvm.get_include()}", f"-Wl,-rpath,{library.parent}", "-o", tmp_path / name]
        run(compiler, *flags, tmp_path / f"{name}.c", library, "-lm")
    x, y = problem("targets" if "11" in options else "four")
    dcsvm.save_svmlight(tmp_path / "data", x, y)
    texts = [run(c, *options.split(), tmp_path / "data", tmp_path / m) for c, m in
             ((tmp_path / "train", "m1"), (tool("liblinear-train"), "m2"))]  # fmt: skip
    assert texts[0] == texts[1]
    if "-v" in options or "-C" in options:
        return
    assert (tmp_path / "m1").read_bytes() == (tmp_path / "m2").read_bytes()
    texts = [run(c, tmp_path / "data", tmp_path / "m1", tmp_path / o) for c, o in
             ((tmp_path / "predict", "o1"), (tool("liblinear-predict"), "o2"))]  # fmt: skip
    assert texts[0] == texts[1]
    np.testing.assert_allclose(np.loadtxt(tmp_path / "o1"), np.loadtxt(tmp_path / "o2"), rtol=1e-12)


def test_exports():
    check_exports(dcsvm.get_liblinear(), FUNCTIONS | {"liblinear_version"}, "dcsvm_linear_", "liblinear.so.6")


@pytest.mark.build
def test_header_is_c99_and_cxx(tmp_path):
    check_header_standards(["liblinear/linear_extra.h", "libsvm/svm_extra.h"], "liblinear_version", "c99", tmp_path)
