"""Data files for the tests of the command."""

import numpy as np
import pytest

import dcsvm


@pytest.fixture
def folder(tmp_path):
    x, y = dcsvm.datasets.make_checkerboard(600, random_state=1)
    x_test, y_test = dcsvm.datasets.make_checkerboard(300, random_state=2)
    dcsvm.save_svmlight(tmp_path / "train.txt", x, y)
    dcsvm.save_svmlight(tmp_path / "test.txt", x_test, y_test)
    np.savez(tmp_path / "both.npz", X_train=x, y_train=y, X_test=x_test, y_test=y_test)
    np.savez(tmp_path / "train.npz", X=x, y=y)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    return tmp_path
