"""How exact ONNX graphs are on real problems, and what onnxruntime takes beside dcsvm: user CPU of one thread, 2,000 rows.

python -m dcsvm.bench.onnx_graphs [problem ...]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dcsvm

from .problems import load

PROBLEMS = {
    "svmguide1": {},
    "usps": {},
    "pendigits": {},
    "ijcnn1": {},
    "covtype85k/20000": {},
    "covtype85k": {"solver": "dc", "early_level": 2},
}
FORMS = (("plain", "float32"), ("plain", "float64"), ("ml", "float32"))


def session(graph: Any) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])


def cpu(run: Callable[[], object]) -> float:
    """Seconds, the median of five calls."""
    times = []
    for _ in range(5):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return statistics.median(times)


def lines(name: str, options: dict[str, Any]) -> Iterator[str]:
    """A row of the table for each form of the problem's model. Errors are relative to the largest decision value."""
    problem = load(name)
    rows = np.ascontiguousarray(np.asarray(problem.X_test)[:2000], dtype=np.float32)
    trained = np.asarray(problem.X_train).astype(np.float32)
    model = dcsvm.train(trained, problem.y_train, **problem.params, precision="double", **options)
    expected, labels = model.decision_function(rows), model.predict(rows)
    own = cpu(lambda: model.predict(rows, n_jobs=1))
    for op, dtype in FORMS:
        if op == "ml" and model.clustered:
            continue
        runner, x = session(model.to_onnx(op=op, dtype=dtype)), rows.astype(dtype)
        label, decision = runner.run(None, {"X": x})
        error = np.abs(decision - expected).max() / np.abs(expected).max()
        taken = cpu(lambda runner=runner, x=x: runner.run(None, {"X": x}))
        what = "early" if model.clustered else "exact"
        yield (
            f"| {name}, {what} | {len(model.support_):,} | {op}, {dtype} | {error:.1e} | {(label != labels).sum()} | "
            f"{taken:.3f} | {own:.3f} |"
        )


def main(names: list[str]) -> None:
    print("| problem | support vectors | form | error | labels that differ | onnxruntime, s | predict, s |")
    print("|---|---|---|---|---|---|---|")
    for name in names or PROBLEMS:
        for line in lines(name, PROBLEMS.get(name, {})):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
