"""Runs the command dcsvm as a user does."""

import subprocess
import sys


def cli(folder, *args, **kwargs):
    command = [sys.executable, "-m", "dcsvm", *map(str, args)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **kwargs)


def ok(folder, *args, **kwargs):
    done = cli(folder, *args, **kwargs)
    assert done.returncode == 0, done.stderr
    return done


def error(folder, *args, code=1, **kwargs):
    before = sorted(p.name for p in folder.iterdir())
    done = cli(folder, *args, **kwargs)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(p.name for p in folder.iterdir()) == before, "nothing is left behind"
    if code == 1:
        assert done.stderr.startswith("dcsvm: error: ")
        assert len(done.stderr.splitlines()) == 1
    return done.stderr
