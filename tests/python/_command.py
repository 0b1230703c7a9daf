"""Runs the command dcsvm: in this process, which saves the second that another needs to begin, or as a user does."""

import contextlib
import io
import os
import subprocess
import sys
import warnings

from dcsvm._command.cli import main


def cli(folder, *args, text=True, **options):
    """The completed command. A process of its own where options of subprocess.run are given, or an argument is a device."""
    words = list(map(str, args))
    command = [sys.executable, "-m", "dcsvm", *words]
    if options or any(word.startswith("/dev/") for word in words):
        return subprocess.run(command, cwd=folder, capture_output=True, text=text, timeout=120, **options)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    here = os.getcwd()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            os.chdir(folder)
            code = main(words)
        except SystemExit as end:  # of argparse
            code = end.code
        finally:
            os.chdir(here)
        out.flush()
        err.flush()
    streams = [stream.buffer.getvalue() for stream in (out, err)]
    return subprocess.CompletedProcess(command, code or 0, *(s.decode() if text else s for s in streams))


def ok(folder, *args, **options):
    done = cli(folder, *args, **options)
    assert done.returncode == 0, done.stderr
    return done


def error(folder, *args, code=1, **options):
    before = sorted(p.name for p in folder.iterdir())
    done = cli(folder, *args, **options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(p.name for p in folder.iterdir()) == before, "nothing is left behind"
    if code == 1:
        assert done.stderr.startswith("dcsvm: error: ")
        assert len(done.stderr.splitlines()) == 1
    return done.stderr
