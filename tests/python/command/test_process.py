"""The command dcsvm as a process: its streams, signals and terminal."""

import functools
import os
import shutil
import signal
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

import _command
import dcsvm

ENVIRONMENT = dict(os.environ)  # before other tests change it
ok, error = (functools.partial(run, env=ENVIRONMENT) for run in (_command.ok, _command.error))  # in a process of its own


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")
def test_dev_stdout_is_stdout(folder):
    ok(folder, "train", "train.txt", "m", "--gamma", 4)
    expected = ok(folder, "predict", "test.txt", "m", "-")
    done = ok(folder, "predict", "test.txt", "m", "/dev/stdout")  # a pipe
    assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)
    with open(folder / "out", "w") as out:  # a file of the shell's
        command = [sys.executable, "-m", "dcsvm", "predict", "test.txt", "m", "/dev/stdout", "-q"]
        subprocess.run(command, cwd=folder, stdout=out, check=True, timeout=120)
        out.write("more\n")
    assert (folder / "out").read_text().splitlines()[-2:] == [expected.stdout.splitlines()[-1], "more"]


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no /dev/null here")
def test_output_into_a_device(folder):
    ok(folder, "train", "train.txt", "m", "--gamma", 4)
    assert ok(folder, "predict", "test.txt", "m", "/dev/null").stdout.startswith("accuracy")


def test_output_through_a_link_and_onto_a_full_disk(folder):
    ok(folder, "train", "train.txt", "m", "--gamma", 4)
    (folder / "there").write_text("old")
    (folder / "there").chmod(0o640)
    (folder / "link").symlink_to("there")
    ok(folder, "predict", "test.txt", "m", "link")
    assert (folder / "link").is_symlink()
    assert len((folder / "there").read_text().splitlines()) == 300
    assert (folder / "there").stat().st_mode & 0o777 == 0o640
    if os.path.exists("/dev/full"):
        assert "/dev/full: No space left" in error(folder, "predict", "test.txt", "m", "/dev/full")


@pytest.mark.skipif(os.name != "posix", reason="a shell as on POSIX")
def test_closed_and_full_stdout(folder):
    ok(folder, "train", "train.txt", "m", "--gamma", 4)
    names = sorted(p.name for p in folder.iterdir())

    def shell(arguments):
        command = f"{sys.executable} -m dcsvm {arguments}"
        return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120)

    done = shell("predict test.txt m - >&-")
    assert (done.returncode, done.stderr) == (1, "dcsvm: error: stdout: is closed\n")
    if os.path.exists("/dev/full"):
        done = shell("predict test.txt m - > /dev/full")
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "dcsvm: error: No space left on device")
    assert sorted(p.name for p in folder.iterdir()) == names
    for arguments in ("predict test.txt m out >&-", "train train.txt m2 >&-", "info m >&-", "info m >&- 2>&-"):
        done = shell(arguments)
        assert (done.returncode, done.stderr) == (0, "")
    done = shell("train absent.txt m2 2>&-")
    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize(
    "command", ["", "train", "predict", "info", "bench", "cv", "grid", "tune", "scale", "convert", "datasets"]
)
def test_a_help_that_cannot_be_written_is_an_error(folder, command):
    for option in ["--help"] if command else ["--help", "--version"]:
        line = f"{sys.executable} -m dcsvm {command} {option} > /dev/full"
        done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (1, "dcsvm: error: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes as on POSIX")
def test_broken_pipe_is_quiet(folder):
    ok(folder, "train", "train.txt", "m", "--gamma", 4)
    x = np.tile(np.load(folder / "x.npy"), (100, 1))
    np.save(folder / "many.npy", x)
    command = [sys.executable, "-m", "dcsvm", "predict", "many.npy", "m", "-"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c(folder):
    x, y = dcsvm.datasets.make_checkerboard(30000, noise=0.5)
    np.savez(folder / "big.npz", X=x, y=y)
    before = sorted(p.name for p in folder.iterdir())
    args = ["train", "big.npz", "m", "--C", "1e6", "--gamma", "50", "--tol", "1e-9", "--precision", "double"]
    code = (
        "import sys, threading, os, signal\n"
        "import dcsvm, dcsvm._core as core\n"
        "real = core.train\n"
        "def train(*a):\n"
        "    def first(p):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(*a[:-1], first)\n"
        "core.train = train\n"
        "from dcsvm._command.cli import main\n"
        f"sys.exit(main({args!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 130, done.stderr
    assert done.stderr == "dcsvm: interrupted\n"
    assert sorted(p.name for p in folder.iterdir()) == before


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c_while_the_program_loads(folder):
    code = (
        "import builtins, os, signal, sys\n"
        "real = builtins.__import__\n"
        "def load(name, *rest):\n"
        "    if name == 'numpy':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = load\n"
        "from _dcsvm_command import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_the_installed_program_is_the_module(folder):
    program = shutil.which("dcsvm", path=sysconfig.get_path("scripts"))
    assert program, "dcsvm is not installed beside this Python"
    done = subprocess.run([program, "info"], cwd=folder, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    assert done.stdout == ok(folder, "info").stdout


@pytest.mark.skipif(os.name != "posix", reason="a terminal as on POSIX")
def test_progress_on_a_terminal(folder, seen_on_terminal):
    x, y = dcsvm.datasets.make_checkerboard(6000, noise=0.3)
    np.savez(folder / "some.npz", X=x, y=y)
    command = [sys.executable, "-m", "dcsvm", "train", "some.npz", "m", "--C", "100", "--gamma", "4"]
    seen = seen_on_terminal(command, cwd=folder)
    assert b"violation" in seen
    assert seen.count(b"\n") == 1, "one line, redrawn, and a last one that stays"
