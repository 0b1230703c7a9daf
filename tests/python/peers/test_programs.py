"""Programs as users publish them, as they are and with dcsvm in scikit-learn's place: the same labels, rankings and choices."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from _full import full_run

QUICK = ("outliers", "text")  # the others take a minute together
PROGRAMS = [
    pytest.param(path, marks=() if path.stem in QUICK else full_run, id=path.stem)
    for path in sorted((Path(__file__).parent / "programs").glob("*.py"))
]
# Of a list of predictions: rows on the boundary of a one-class model, and ties of an isotonic calibration, are on either side.
MOST_OTHERS = 0.002


def lines_of(words, folder):
    done = subprocess.run([sys.executable, *words], cwd=folder, env=os.environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_published_program_prints_the_same(program, tmp_path):
    theirs, _ = lines_of([str(program)], tmp_path)
    ours, said = lines_of(["-m", "dcsvm", "-v", str(program)], tmp_path)
    assert "trained by dcsvm" in said
    assert "scikit-learn's own code" not in said
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if one != other:
            assert one.startswith("["), (one, other)
            found, expected = ast.literal_eval(one), ast.literal_eval(other)
            assert len(found) == len(expected)
            assert sum(a != b for a, b in zip(found, expected, strict=True)) <= MOST_OTHERS * len(found)
