"""Checkpoints: killed trainings that are started again, and files that belong to another call.

The number of kills of the long test is the environment variable DCSVM_KILLS.
"""

import os
import signal
import subprocess
import sys
import warnings
from random import Random

import numpy as np
import pytest

import dcsvm

CALL = """
import os, signal, sys, warnings, dcsvm
warnings.simplefilter("error")
calls = int(sys.argv[4])  # -1: is not killed

def watch(progress):
    global calls
    if calls >= 0 and os.path.exists(sys.argv[1]):
        calls -= 1
        if calls < 0:
            os.kill(os.getpid(), signal.SIGKILL)

X, y = dcsvm.datasets.make_checkerboard(int(sys.argv[2]), noise=0.1, random_state=1)
kwargs = eval(sys.argv[3])
model = dcsvm.train(X, y, gamma=4.0, checkpoint=sys.argv[1], checkpoint_interval=0.05, callback=watch, **kwargs)
print(model.report.objective, model.report.violation)
"""


def kill_until_done(tmp_path, rows, kwargs, kills, random):
    """The call kills itself at a random call of its callback once there is a checkpoint, up to `kills` times, and ends then.
    Returns its output and the kills it took."""
    path = tmp_path / "run"
    killed = 0
    while True:
        calls = random.randrange(6) if killed < kills else -1
        command = [sys.executable, "-c", CALL, str(path), str(rows), repr(kwargs), str(calls)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        out, error = process.stdout, process.stderr
        if process.returncode == -signal.SIGKILL:
            killed += 1
            continue
        assert process.returncode == 0, error
        assert not path.exists()
        return [float(value) for value in out.split()], killed


def check_kills(tmp_path, rows, kwargs, kills, seed):
    X, y = dcsvm.datasets.make_checkerboard(rows, noise=0.1, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        whole = dcsvm.train(X, y, gamma=4.0, **kwargs)
    (objective, violation), killed = kill_until_done(tmp_path, rows, kwargs, kills, Random(seed))
    assert violation < kwargs.get("tol", 1e-3)
    assert objective == pytest.approx(whole.report.objective, rel=1e-4)
    assert not [file for file in os.listdir(tmp_path) if not file.startswith(".")]
    return killed


def test_killed_trainings_end_at_the_same_objective(tmp_path):
    assert check_kills(tmp_path, 8000, {"C": 1000.0, "solver": "smo", "n_jobs": 1}, 3, 0) > 0


@pytest.mark.slow
def test_many_kills(tmp_path):
    kinds = (
        {"C": 1000.0, "solver": "smo"},
        {"C": 100.0, "solver": "dc"},
        {"C": 10.0, "probability": True},
        {"C": 10.0, "formulation": "epsilon_svr", "epsilon": 0.2},
        # Two solutions within tol of 1e-3 may differ by 2e-4 of this objective: with this tol they agree.
        {"formulation": "nu_svc", "nu": 0.3, "tol": 1e-4},
    )
    left, seed = int(os.environ.get("DCSVM_KILLS", "15")), 1
    while left > 0:
        left -= max(1, check_kills(tmp_path, 12000, kinds[seed % len(kinds)], min(left, 6), seed))
        seed += 1


def interrupts(after):
    """A callback that raises at its n-th call."""
    left = [after]

    def run(_):
        left[0] -= 1
        if left[0] <= 0:
            raise KeyboardInterrupt

    return run


def test_interrupted_and_called_again(board, tmp_path):
    x, y = board
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        dcsvm.train(x, y, C=10, gamma=4, checkpoint=path, callback=interrupts(1))
    assert path.exists()
    for change, name in (
        ({"C": 11}, "C = 10"),
        ({"gamma": 3}, "gamma = 4"),
        ({"kernel": "linear"}, "kernel = rbf"),
        ({"sample_weight": np.ones(len(y))}, "sample_weight = none"),
        ({"random_state": 1}, "seed = 0"),
    ):
        with pytest.raises(ValueError, match=f"checkpoint .*run: .*{name}"):
            dcsvm.train(x, y, **{"C": 10, "gamma": 4, **change}, checkpoint=path)
    for x_, y_, name in ((x + 1e-9, y, "X = dense"), (x, np.where(np.arange(len(y)) == 3, -y, y), "y = checksum")):
        with pytest.raises(ValueError, match=name):
            dcsvm.train(x_, y_, C=10, gamma=4, checkpoint=path)
    with pytest.raises(ValueError, match="function = train"):
        dcsvm.cross_validate(x, y, C=10, gamma=4.0, checkpoint=path)
    model = dcsvm.train(x, y, C=10, gamma=4, checkpoint=path, n_jobs=1)
    assert not path.exists()
    assert model.report.objective == pytest.approx(dcsvm.train(x, y, C=10, gamma=4).report.objective, rel=1e-5)


def test_cross_validation_goes_on(blobs, tmp_path):
    x, y = blobs
    path = os.fsencode(tmp_path / "cv")
    grid = {"C": [1, 10], "gamma": [0.5, 2.0], "cv": 4}
    whole = dcsvm.cross_validate(x, y, **grid)
    with pytest.raises(KeyboardInterrupt):
        dcsvm.cross_validate(x, y, **grid, checkpoint=path, checkpoint_interval=1e-6, callback=interrupts(2))
    assert os.path.exists(path)
    found = dcsvm.cross_validate(x, y, **grid, checkpoint=path)
    assert not os.path.exists(path)
    assert found.best_params == whole.best_params
    assert (found.predictions == whole.predictions).mean() > 0.99


def test_bad_checkpoints(board, tmp_path):
    x, y = board
    for name, value, error in (
        ("checkpoint", 3, TypeError),
        ("checkpoint", "", ValueError),
        ("checkpoint_interval", 0, ValueError),
        ("checkpoint_interval", "soon", ValueError),
        ("checkpoint_interval", float("inf"), ValueError),
    ):
        with pytest.raises(error, match=name if error is ValueError else "Path"):
            dcsvm.train(x, y, **{"checkpoint": tmp_path / "run", name: value})
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError) as raised:
        dcsvm.train(x, y, checkpoint=tmp_path / "absent" / "run")
    assert raised.value.filename == str(tmp_path / "absent" / "run")
    with pytest.raises(IsADirectoryError):
        dcsvm.train(x, y, checkpoint=tmp_path)
    for device in ("/dev/full", "/dev/zero"):
        with pytest.raises(ValueError, match=f"{device}: expected a regular file"):
            dcsvm.train(x, y, checkpoint=device)
    own = tmp_path / "thesis.txt"
    own.write_text("not to be lost")
    with pytest.raises(ValueError, match=r"thesis.txt: the file is no checkpoint"):
        dcsvm.train(x, y, checkpoint=own)
    assert own.read_text() == "not to be lost"


def test_the_command_takes_a_checkpoint(board, tmp_path):
    x, y = board
    dcsvm.save_svmlight(tmp_path / "data", x, y)
    command = [sys.executable, "-m", "dcsvm", "train", "data", "model", "-C", "10", "-g", "4", "--checkpoint", "run"]
    done = subprocess.run([*command, "--checkpoint-interval", "0"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "checkpoint_interval must be" in done.stderr
    done = subprocess.run([*command, "--checkpoint-interval", "0.000001"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "run").exists()
    done = subprocess.run([*command, "--method", "low-rank"], cwd=tmp_path, capture_output=True, text=True)
    assert "--checkpoint belongs to --method exact" in done.stderr


DISK = """
import resource, signal, sys, dcsvm
X, y = dcsvm.datasets.make_checkerboard(4000, noise=0.1, random_state=1)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, resource.RLIM_INFINITY))
try:
    dcsvm.train(X, y, C=100, gamma=4, checkpoint=sys.argv[1], checkpoint_interval=1e-6)
except OSError as error:
    print(error)
"""


def test_a_disk_without_room(tmp_path):
    pytest.importorskip("resource", reason="this system has no limits on files")
    done = subprocess.run([sys.executable, "-c", DISK, str(tmp_path / "run")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stdout
    assert str(tmp_path / "run") in done.stdout
    assert not list(tmp_path.glob(".*"))
