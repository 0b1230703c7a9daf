"""One case in its own process: trains, predicts, measures, prints one line of JSON.

    python -m bench.case '{"problem": "ijcnn1", "peer": "libsvm"}'

Keys: problem, peer, tol, cache_mb, threads, options (of the peer), quality (compute objective and violation, true by default),
predict (true by default), support_file (.npy of the support vectors' rows). With "read": path instead of "problem", times the
peer's reader of LIBSVM text.
"""

from __future__ import annotations

import ctypes
import gc
import json
import platform
import sys
import time
from dataclasses import asdict
from typing import Any

MB = 2**20


def status_mb(field: str) -> float:
    """A field of /proc/self/status in MB; nan where there is no such file."""
    try:
        with open("/proc/self/status") as f:
            for line in f:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return float("nan")


def forget_peak() -> None:
    """Returns free memory to the system and restarts VmHWM, so that the peak is the training's own."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except (OSError, AttributeError):
        pass


def cpu_model() -> str:
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def run(case: dict[str, Any]) -> dict[str, Any]:
    from . import peers

    peer = peers.get(case["peer"])
    result: dict[str, Any] = {"versions": versions(case["peer"]), "cpu": cpu_model(), "python": platform.python_version()}
    if "read" in case:
        return {**result, **read(peer, case["read"])}
    return {**result, **train(peer, case)}


def versions(peer: str) -> dict[str, str]:
    import numpy

    from . import peers

    return {"peer": peers.version(peer), "numpy": numpy.__version__}


def read(peer, path: str) -> dict[str, Any]:
    with open(path, "rb") as f:  # from the page cache for everyone
        while f.read(1 << 24):
            pass
    start = time.perf_counter()
    x, y = peer.load(path)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "rows": len(y), "nonzeros": int(x.nnz), "sum": float(x.data.sum()), "sum_labels": float(sum(y))}


def train(peer, case: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    from . import peers, problems, quality

    settings = peers.Settings(**{k: case[k] for k in ("tol", "cache_mb", "threads", "options") if k in case})
    forget_peak()
    imported = status_mb("VmRSS")
    problem = problems.load(case["problem"])
    forget_peak()
    before = status_mb("VmRSS")
    fit = peer.fit(problem, settings)
    peak = status_mb("VmHWM")
    result = {
        "seconds": fit.seconds,
        "prepare_seconds": fit.prepare_seconds,
        "memory_mb": {
            "imported": imported,
            "before_fit": before,
            "peak": peak,
            "fit": peak - before,  # beyond the data, which is part of before_fit
            "data": problem.data_bytes / MB,
        },
        "notes": fit.notes,
        "rows": len(problem.y_train),
    }
    if case.get("predict", True):
        form = fit.predict_form(problem.X_test)
        start = time.perf_counter()
        labels = fit.predict(form)
        result["predict_seconds"] = time.perf_counter() - start
        result["accuracy"] = 100 * float(np.mean(labels == problem.y_test))
        result["tested_on"] = problem.tested_on
    if fit.pairs is not None:
        support = quality.support_of(fit.pairs)
        result["n_support"] = len(support)
        if case.get("support_file"):
            np.save(case["support_file"], support)
        if case.get("quality", True):
            intercept = settings.options.get("fit_intercept", True)
            result |= asdict(quality.measure(problem, fit.pairs, intercept, settings.threads))
    return result


def main() -> None:
    case = json.loads(sys.argv[1])
    print("RESULT " + json.dumps(run(case), default=str), flush=True)


if __name__ == "__main__":
    main()
