"""What a cross-validation of many columns takes beside its data, measured in a process of its own."""

import subprocess
import sys

import pytest

CODE = r"""
import re, sys, warnings
import numpy as np
import dcsvm

def peak():  # of this program: what getrusage says begins with that of the process that started it
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read()).group(1)) / 1024

n, d, cap = map(int, sys.argv[1:])
warnings.simplefilter("ignore")
X = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
y = (X[:, 0] > 0).astype(int)
grid = {"C": [0.1], "gamma": [1 / d], "cv": 2, "cache_size": cap, "n_jobs": 2}
dcsvm.cross_validate(X[:300], y[:300], **grid)
before = peak()
dcsvm.cross_validate(X, y, **grid)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_folds_side_by_side_keep_to_the_cap_and_their_rows_at_hand():
    n, d, cap = 6000, 2500, 60
    done = subprocess.run([sys.executable, "-c", CODE, str(n), str(d), str(cap)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    at_hand = 2 * 1024 * d * 4 / 2**20  # each fold's working set, packed
    assert float(done.stdout) < cap + at_hand + 10
