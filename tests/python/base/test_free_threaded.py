"""Python without its global lock."""

import os
import subprocess
import sys
import sysconfig

import pytest

pytestmark = pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a global lock")


@pytest.mark.parametrize("module", ["dcsvm", "dcsvm.svmutil", "dcsvm.liblinearutil", "dcsvm.estimators"])
def test_importing_does_not_turn_the_global_lock_on(module):
    env = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    code = f"import sys, {module}; print(sys._is_gil_enabled())"
    found = subprocess.run([sys.executable, "-W", "error", "-c", code], env=env, capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("False", "")
