"""LIBSVM's grid.py, easy.py and checkdata.py, as Debian packs them, on our commands."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from _build import run, tool


def debians(name: str) -> str:
    path = Path("/usr/bin") / name
    if not path.exists():
        pytest.skip(f"{path} is not installed (Debian's libsvm-tools)")
    return str(path)


@pytest.fixture
def folder(tmp_path, board):
    dcsvm.save_svmlight(tmp_path / "train", board[0][:400], board[1][:400])
    return tmp_path


def link_commands(folder: Path) -> None:
    """What docs/libsvm.md says to do in an unpacked LIBSVM."""
    for name in ("svm-scale", "svm-train", "svm-predict"):
        (folder / name).symlink_to(tool(name))


def run_script(folder: Path, *script: object) -> str:
    """Output of a Python script of LIBSVM's. grid.py waits for ever when its workers have quit, so the test ends it."""
    command = ["timeout", "300", sys.executable, *map(str, script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode != 124, "still running after 300 s"
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("as_debians", [True, False], ids=["told where", "in LIBSVM's tools"])
def test_grid_search(folder, as_debians):
    """Where the commands are above its folder, grid.py needs no option to find them; Debian's is told where they are."""
    grid = Path(debians("svm-grid"))
    where = ["-svmtrain", tool("svm-train")] if as_debians else []
    if not as_debians:
        (folder / "tools").mkdir()
        grid = shutil.copy(grid, folder / "tools" / "grid.py")
        link_commands(folder)
    ranges = ["-log2c", "0,2,2", "-log2g", "0,2,2", "-v", "3"]
    out = run_script(folder, grid, *ranges, *where, "-gnuplot", "null", "-out", "grid.out", "train")
    best = out.splitlines()[-1].split()
    assert float(best[0]) in (1.0, 4.0)
    assert float(best[1]) in (1.0, 4.0)
    assert 60 < float(best[2]) <= 100
    assert len((folder / "grid.out").read_text().splitlines()) == 4


def test_easy(tmp_path, board):
    """easy.py scales, searches, trains and predicts; the commands lie beside its folder, gnuplot must exist."""
    easy, grid = debians("svm-easy"), debians("svm-grid")
    tools = tmp_path / "tools"
    tools.mkdir()
    link_commands(tmp_path)
    (tmp_path / "gnuplot").write_text("#!/bin/sh\nexec cat > /dev/null\n")  # draws nothing
    (tmp_path / "gnuplot").chmod(0o755)
    text = Path(easy).read_text().replace("/usr/bin/gnuplot", str(tmp_path / "gnuplot"))
    (tools / "easy.py").write_text(text)
    python = f"#!{sys.executable}\n"
    command = ["-log2c", "0,4,4", "-log2g", "2,-2,-4"]  # 4 pairs instead of 110
    wrapper = f"import subprocess, sys\nsys.exit(subprocess.call([sys.executable, {grid!r}, *{command!r}, *sys.argv[1:]]))\n"
    (tools / "grid.py").write_text(python + wrapper)
    (tools / "grid.py").chmod(0o755)
    x, y = board[0] * [1, 50], board[1]
    dcsvm.save_svmlight(tmp_path / "train", x[:300], y[:300])
    dcsvm.save_svmlight(tmp_path / "test", x[300:400], y[300:400])
    out = run_script(tools, "easy.py", "../train", "../test")
    found = re.search(r"Best c=([\d.]+), g=([\d.]+) CV rate=([\d.]+)", out)
    assert found, out
    assert float(found[1]) in (1.0, 16.0)
    accuracy = re.search(r"Accuracy = ([\d.]+)% \((\d+)/100\) \(classification\)", out)
    assert float(accuracy[1]) > 70
    labels = np.loadtxt(tools / "test.predict")
    assert (labels == y[300:400]).sum() == int(accuracy[2])
    assert (tools / "train.range").read_text().startswith("x\n-1 1\n")


def test_check_data(folder):
    check = debians("svm-checkdata")
    scaled = subprocess.run([tool("svm-scale"), "train"], capture_output=True, text=True, cwd=folder, check=True).stdout
    (folder / "scaled").write_text(scaled)
    assert "No error." in run(sys.executable, check, folder / "scaled")
    assert shutil.which(check)
