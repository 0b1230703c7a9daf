"""The tests that scikit-learn installs with itself, with dcsvm's classes in the place of its own (``dcsvm.patch_sklearn``)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

HERE = Path(__file__).parent
# Each failure that is expected, with its reason.
EXPECTED = {
    "svm/tests/test_svm": {
        "test_linear_svm_convergence_warnings": "dcsvm is done within the two iterations that are too few for LIBLINEAR",
    },
    "svm/tests/test_sparse": {},
    "tests/test_kernel_ridge": {},
}


@pytest.mark.parametrize("path", EXPECTED)
def test_scikit_learns_tests_pass(path, tmp_path):
    copy = tmp_path / f"peer_{Path(path).name}.py"
    shutil.copy(Path(sklearn.__file__).parent / f"{path}.py", copy)
    (tmp_path / "conftest.py").write_text("from sklearn.conftest import *\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "peer_plugin", "-p", "no:cacheprovider", "--tb=line", "-rf", copy.name]
    env = {**os.environ, "PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1", "DCSVM_PEERS": "patched"}
    out = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600).stdout
    assert re.search(r"\d+ passed", out), out
    failed = {name.partition("[")[0] for name in re.findall(r"^(?:FAILED|ERROR) \S+?::(\S+)", out, re.MULTILINE)}
    assert failed == set(EXPECTED[path]), out
