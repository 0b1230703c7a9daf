"""`cimport dcsvm`: a stranger's Cython module is compiled against the installed package and gives the package's answers."""

import importlib.util
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import LIBRARY

SOURCE = Path(__file__).parents[2] / "embed" / "cython" / "stranger.pyx"

pytestmark = pytest.mark.build


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    build = tmp_path_factory.mktemp("cython")
    cpp = build / "stranger.cpp"
    module = build / ("stranger" + sysconfig.get_config_var("EXT_SUFFIX"))
    subprocess.run([sys.executable, "-m", "cython", "-3", "--cplus", str(SOURCE), "-o", str(cpp)], check=True, cwd=build)
    compiler = sysconfig.get_config_var("CXX") or "c++"
    flags = ["-std=c++17", "-O0", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    includes = ["-I", dcsvm.get_include(), "-I", sysconfig.get_path("include")]
    subprocess.run([*compiler.split(), *flags, *includes, str(cpp), str(LIBRARY), "-o", str(module)], check=True)
    spec = importlib.util.spec_from_file_location("stranger", module)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def circle():
    x = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    return x, np.where((x**2).sum(axis=1) < 0.5, 1.0, -1.0)


def test_trains_and_predicts_like_the_package(stranger, circle):
    x, y = circle
    labels, data = stranger.fit_predict(x, y, 10.0, 2.0)
    model = dcsvm.train(x, y, C=10.0, gamma=2.0)
    np.testing.assert_array_equal(labels, model.predict(x))
    np.testing.assert_array_equal(
        dcsvm.Model.from_bytes(data).decision_function(x), model.decision_function(x), err_msg="the same bits through both doors"
    )
    assert stranger.version() == dcsvm.__version__


def test_sparse_rows_through_a_view_of_either_kind(stranger, circle):
    x, y = circle
    indices, indptr = np.tile(np.arange(2, dtype=np.int32), len(x)), 2 * np.arange(len(x) + 1)
    labels = stranger.labels_of_csr(x.ravel(), indices, indptr, 2, y, 10.0, 2.0)
    np.testing.assert_array_equal(labels, dcsvm.train(x, y, C=10.0, gamma=2.0).predict(x))


def test_what_a_model_consists_of(stranger, circle):
    x, y = circle
    with pytest.warns(dcsvm.ScaleWarning):
        model = dcsvm.train(x * [1e5, 1], y, C=10.0, gamma=2.0)
    rho, stopped, warnings = stranger.parts_of(model.to_bytes())
    np.testing.assert_array_equal(rho, model.intercept_)  # two classes: C++ counts for the first
    assert (stopped, warnings) == ("converged", ["scale"])


def test_linear_models_through_a_view_with_hooks(stranger, circle):
    x, y = circle
    np.testing.assert_array_equal(stranger.linear_labels(x, y), dcsvm.train_linear(x, y).predict(x))


def test_errors_of_files_have_their_kind(stranger):
    with pytest.raises(FileNotFoundError, match=r"absent\.model"):
        stranger.load(b"absent.model")


def test_errors_are_python_errors(stranger, circle):
    x, y = circle
    with pytest.raises(ValueError, match=r"^C\b"):
        stranger.fit_predict(x, y, -1.0, 2.0)
    broken = x.copy()
    broken[7, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 7\b.*column 1\b"):
        stranger.fit_predict(broken, y, 1.0, 2.0)


def test_progress_and_signals(stranger):
    def ring(number, frame):
        raise TimeoutError("it rang")

    x, y = dcsvm.datasets.make_checkerboard(3000, noise=0.1, random_state=0)
    counts, n_support = stranger.fit_watched(x, y.astype(float), 10.0, 4.0)
    assert counts[0] == 0
    assert counts[-1] == n_support > 0
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        x, y = dcsvm.datasets.make_checkerboard(60_000, noise=0.4, random_state=0)  # would take minutes
        with pytest.raises(TimeoutError, match="it rang"):
            stranger.fit_watched(x, y.astype(float), 1e4, 4.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_single_rows_without_the_gil(stranger, circle):
    x, y = circle
    model = dcsvm.train_dc_pred(x, y, C=10.0, gamma=2.0, n_leaves=2, n_landmarks=6)
    rows = x.astype(np.float32)
    np.testing.assert_array_equal(stranger.rows_of(model.to_bytes(), rows), model.predict(rows))


def test_linear_models(stranger, circle):
    x, y = circle
    y = np.where(x[:, 0] > 0.2, 1.0, -1.0)
    probabilities, w, data = stranger.fit_linear(x, y, 2.0)
    model = dcsvm.train_linear(x, y, solver="logistic", C=2.0)
    np.testing.assert_array_equal(np.reshape(probabilities, (-1, 2)), model.predict_proba(x))
    np.testing.assert_array_equal(w, -np.append(model.coef_[0], model.intercept_[0]), err_msg="positive for the lower class")
    np.testing.assert_array_equal(dcsvm.LinearModel.from_bytes(data).predict(x), model.predict(x))
    with pytest.raises(ValueError, match=r"^C\b"):
        stranger.fit_linear(x, y, -1.0)
