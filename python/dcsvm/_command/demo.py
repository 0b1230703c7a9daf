"""dcsvm demo: two generated problems, early and exact, and one table."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import dcsvm

from .._input import validate

_TEST_ROWS = 10_000
_EARLY_LEVEL = 3  # 4^3 = 64 clusters
# generator, C, gamma, and the best accuracy that the problem allows
_PROBLEMS = (("checkerboard", 100.0, 4.0, 1.0), ("twonorm", 1.0, 0.05, 0.977))
_HEADER = ("problem", "method", "seconds", "accuracy", "support vectors", "objective", "violation")


def run(*, rows: int, seed: int, n_jobs: int | None, quiet: bool) -> None:
    """Trains, prints the table, saves and reloads. Raises ValueError when a reloaded model predicts otherwise."""
    n = validate.integer("rows", rows, low=100)
    shown = sys.stderr.isatty() and not quiet
    config = dcsvm.build_config()
    print(f"dcsvm {config['version']}, {config['isa']}, {config['n_threads']} threads; {n:,} training rows each\n")
    table: list[tuple[str, ...]] = []
    for name, C, gamma, best in _PROBLEMS:
        make = getattr(dcsvm.datasets, f"make_{name}")
        x, y = make(n, random_state=seed, dtype=np.float32)
        x_test, y_test = make(_TEST_ROWS, random_state=seed + 1, dtype=np.float32)
        for method, level in (("early", _EARLY_LEVEL), ("exact", None)):
            start = time.perf_counter()
            model = dcsvm.train(x, y, C=C, gamma=gamma, early_level=level, random_state=seed, n_jobs=n_jobs, verbose=shown)
            seconds = time.perf_counter() - start
            predicted = model.predict(x_test)
            _check_round_trip(model, x_test, predicted)
            r = model.report
            accuracy = f"{100 * float(np.mean(predicted == y_test)):.2f} %"
            quality = (f"{r.n_support:,}", f"{r.objective:,.2f}", f"{r.violation:.1e}")
            table.append((name, method, f"{seconds:.2f}", accuracy, *quality))
        print(f"{name}: C={C:g}, gamma={gamma:g}, {_TEST_ROWS:,} test rows; the best possible accuracy is {100 * best:.1f} %")
    print()
    _print_table(table)
    print("\nearly: at most 64 clusters, each solved alone. Its objective and violation are")
    print("those of the clusters' problems together, not of the problem of all rows.")
    print("Each model was saved, loaded again and predicts the same.")


def _check_round_trip(model: dcsvm.Model, x: Any, predicted: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.model"
        model.save(path)
        if not np.array_equal(dcsvm.load_model(path).predict(x), predicted):
            raise ValueError("the reloaded model predicts other labels")


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in [_HEADER, *rows]) for i in range(len(_HEADER))]
    for row in [_HEADER, *rows]:
        cells = [c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  ".join(cells).rstrip())
