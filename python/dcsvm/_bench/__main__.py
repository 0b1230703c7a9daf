"""python -m dcsvm._bench FOLDER JSON: one training in a process of its own; the last line of stdout is what it found."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from . import peers, quality
from .fits import Problem, Settings

MOST_VALUES = 5e9  # kernel values beyond which objective and violation are not computed again: minutes of numpy


def read(folder: Path) -> tuple[Any, Any]:
    """X and y of the file that `write` made."""
    with np.load(folder / "data.npz") as z:
        if "X" in z:
            return z["X"], z["y"]
        from scipy.sparse import csr_matrix

        return csr_matrix((z["data"], z["indices"], z["indptr"]), shape=tuple(z["shape"])), z["y"]


def write(folder: Path, x: Any, y: Any) -> None:
    parts = {name: getattr(x, name) for name in ("data", "indices", "indptr", "shape")} if hasattr(x, "indptr") else {"X": x}
    np.savez(folder / "data.npz", y=y, **parts)


def measure(problem: Problem, settings: Settings, peer: str, judged: bool) -> dict[str, Any]:
    """linear: problem.formulation is "linear"."""
    linear = problem.formulation == "linear"
    fit = (peers.LINEAR if linear else peers.KERNEL)[peer].fit(problem, settings)
    found: dict[str, Any] = {"seconds": fit.seconds, "stop_reason": fit.notes.get("stop_reason", "converged")}
    if fit.notes.get("warnings"):
        found["stop_reason"] = fit.notes["warnings"][0]
    if judged and fit.weights is not None:
        found["objective"], found["violation"] = quality.measure_linear(problem, fit.weights)
    if judged and fit.solution is not None and quality.cost(problem, fit.solution) <= MOST_VALUES:
        found |= asdict(quality.measure(problem, fit.solution, n_jobs=settings.threads))
    return found


def main() -> None:
    asked = json.loads(sys.argv[2])
    x, y = read(Path(sys.argv[1]))
    problem = Problem("data", x, y, params=asked["params"], formulation=asked["formulation"])
    found = measure(problem, Settings(**asked["settings"]), asked["peer"], asked["judged"])
    print("\n" + json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
