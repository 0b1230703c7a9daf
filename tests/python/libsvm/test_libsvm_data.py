"""dcsvm.svmutil against libsvm-official on samples of real data."""

import re

import numpy as np
import pytest

from dcsvm import svmutil

theirs = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")

# file: gamma, options
PROBLEMS = {
    "heart_scale": (1 / 13, "-s 0 -c 1 -w1 2"),
    "svmguide1": (8, "-s 0 -c 32"),
    "usps": (0.0078125, "-s 0 -c 10"),
    "pendigits": (2, "-s 0 -c 10"),
    "cadata": (8, "-s 3 -c 8 -p 0.01"),
}


def sample(arrays, rows=200):
    x = np.asarray(arrays["X_train" if "X_train" in arrays else "X"], dtype=np.float64)
    y = np.asarray(arrays["y_train" if "y_train" in arrays else "y"], dtype=np.float64)
    chosen = np.random.default_rng(0).permutation(len(y))[: rows + 60]
    x = x[chosen]
    spread = np.ptp(x, axis=0)
    x = (x - x.min(axis=0)) / np.where(spread > 0, spread, 1)
    y = y[chosen] / (np.abs(y).max() if len(np.unique(y)) > 20 else 1)
    rows = min(rows, len(y) - 60)
    return x[:rows], y[:rows], x[rows:], y[rows:]


@pytest.mark.data
@pytest.mark.parametrize("name", PROBLEMS)
def test_same_as_libsvm(name, real_data, capfd):
    gamma, options = PROBLEMS[name]
    x, y, xt, yt = sample(real_data(f"{name}.npz"))
    results = []
    for module in (svmutil, theirs):
        model = module.svm_train(y, x, f"{options} -g {gamma} -e 1e-6")
        objectives = [float(v) for v in re.findall(r"obj = (\S+),", capfd.readouterr().out)]
        rho = model.rho[: len(objectives)]
        labels, _, values = module.svm_predict(yt, xt, model, "-q")
        results.append((objectives, rho, np.array(labels), np.array(values)))
    ours, other = results
    rtol = 1e-5 if name == "cadata" else 1e-6  # LIBSVM sums regression's objective from float32 kernel values
    np.testing.assert_allclose(ours[0], other[0], rtol=rtol, atol=1e-6)
    np.testing.assert_allclose(ours[1], other[1], atol=1e-4, rtol=1e-4)
    np.testing.assert_allclose(ours[3], other[3], atol=1e-3, rtol=1e-3)
    clear = np.abs(other[3]).min(axis=1) > 1e-4
    if name != "cadata":
        np.testing.assert_array_equal(ours[2][clear], other[2][clear])
