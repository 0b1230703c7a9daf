"""The quality contract on real data: at the default tolerance our objective is not above the median of LIBLINEAR's runs.

On a9a, whose runs take longest, one solver of each kind is compared, and the others in the full run: a dual and an l1 problem.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

from _full import full_run
from _liblinear_cases import CLASSIFIERS, objective, theirs
from dcsvm import liblinearutil

sys.path.insert(0, str(Path(__file__).parents[3]))  # bench/ is no part of the installed package
problems = pytest.importorskip("bench.problems", reason="bench/ is not beside tests/")

pytestmark = pytest.mark.data


CASES = [(name, solver) for name in ("heart", "svmguide1") for solver in CLASSIFIERS]
CASES += [pytest.param("a9a", solver, marks=() if solver in (3, 5) else full_run) for solver in CLASSIFIERS]


@pytest.mark.parametrize(("name", "solver"), CASES)
def test_objective(name, solver):
    try:
        p = problems.load(name)
    except problems.DataAbsentError as absent:
        pytest.skip(str(absent))
    x, y, options = p.X_train, p.y_train, f"-s {solver} -B 1 -q"
    ours = objective(liblinearutil.train(y, x, options), x, y)
    runs = [objective(theirs.train(y, x, options), x, y) for _ in range(3 if name == "a9a" else 5)]
    assert ours.sum() <= np.median(runs, axis=0).sum() * (1 + 1e-6)
