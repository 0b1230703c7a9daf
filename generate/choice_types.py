"""The names that options take, as types for editors and type checkers: the Literals of python/dcsvm/_input/choices.py that are
choices of the core."""

import re
from collections.abc import Iterator
from pathlib import Path

from dcsvm import _core
from dcsvm._input.kernels import OF_SUMS
from dcsvm._input.parameters import parameters_of

_FILE = "python/dcsvm/_input/choices.py"
_TYPES = {  # name -> struct, parameter, its choices that this type does not have, and those that it has besides
    "FeatureKernel": (_core.LowRankParams, "kernel", {"precomputed"}, ()),
    "ProductKernel": (_core.LowRankParams, "kernel", {"precomputed", *OF_SUMS}, ()),
    "Kernel": (_core.TrainParams, "kernel", set(), ()),
    "LsKernel": (_core.LsSvmParams, "kernel", {"precomputed"}, ("cosine_poly",)),
    "Precision": (_core.TrainParams, "precision", set(), ()),
    "Formulation": (_core.TrainParams, "formulation", {"kernel_ridge"}, ()),
    "Solver": (_core.TrainParams, "solver", set(), ()),
    "Clustering": (_core.TrainParams, "clustering", set(), ()),
    "Prediction": (_core.TrainParams, "prediction", set(), ()),
    "LinearSolver": (_core.LinearParams, "solver", set(), ()),
    "LowRankFeatures": (_core.LowRankParams, "features", set(), ()),
    "LowRankLoss": (_core.LowRankParams, "loss", set(), ()),
    "MultiClass": (_core.LowRankParams, "multi_class", set(), ()),
    "PseudoLandmarks": (_core.DcPredParams, "pseudo", set(), ()),
    "Landmarks": (_core.DcPredParams, "landmarks", set(), ()),
    "LsMethod": (_core.LsSvmParams, "method", set(), ()),
    "RidgeSolver": (_core.RidgeParams, "solver", set(), ()),
}
_WIDTH = 130


def files(root: Path) -> Iterator[tuple[str, str]]:
    text = (root / _FILE).read_text()
    for name, (kind, parameter, without, also) in _TYPES.items():
        names = [f'"{c}"' for c in (*parameters_of(kind)[parameter].choices, *also) if c not in without]
        line = f"{name} = Literal[{', '.join(names)}]"
        if len(line) > _WIDTH:
            line = f"{name} = Literal[\n" + "".join(f"    {one},\n" for one in names) + "]"
        text, found = re.subn(rf"^{name} = Literal\[[^\]]*\]$", line, text, flags=re.MULTILINE)
        assert found == 1, name
    yield _FILE, text
