"""One case in its own process: trains, predicts, measures, prints what it found as JSON (phases.py).

    python -m bench.case '{"problem": "ijcnn1", "peer": "libsvm"}'

Keys: kind ("fit", "load": times the peer's reader of LIBSVM text, "rate": kernel values per second, "study": a measurement of
studies.py, which options name), problem, peer, tol, cache_mb, threads, options (of the peer; those of DESCRIBE replace
the problem's), quality (compute objective and violation, true by default), predict (true by default), support_file (.npy of the
support vectors' rows), file (the text, for "load").
"""

from __future__ import annotations

import ctypes
import gc
import json
import platform
import sys
import time
from dataclasses import asdict, replace
from typing import Any

from . import phases

MB = 2**20
DESCRIBE = ("formulation", "C", "nu", "epsilon", "kernel", "gamma", "coef0", "degree")  # options that say what the problem is
PREDICTED = 20_000  # rows that prediction is timed on, of every problem
LINEAR_RUNS = 5  # of the linear model that a prediction's cost is compared with
PREDICTIONS = 3  # of a fast model, of which the shortest counts
FAST_SECONDS = 0.3
QUALITY_VALUES = 5e9  # kernel values beyond which objective and violation are not recomputed: minutes of numpy


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
    from . import peers, problems

    peers.on_phase = phases.enter
    phases.enter("prepare")
    try:
        peer = peers.get(case["peer"])
        result = about(case)
        if case.get("kind") == "load":
            return {**result, **read(peer, case["file"])}
        if case.get("kind") == "rate":
            return {**result, **rate(case)}
        if case.get("kind") == "study":
            from . import studies

            return {**result, **studies.run(case)}
        return train(peer, case, result)
    except peers.NotInstalledError as absent:
        return {"error": str(absent), "missing": True}
    except problems.DataAbsentError as absent:
        return {"error": "data absent", "detail": str(absent), "missing": True}


def about(case: dict[str, Any]) -> dict[str, Any]:
    import numpy

    from . import peers

    result = {
        "versions": {"peer": peers.version(case["peer"]), "numpy": numpy.__version__, "python": platform.python_version()},
        "cpu": cpu_model(),
        "threads": case.get("threads"),
    }
    if peers.PEERS[case["peer"]].ours:
        import dcsvm

        result["isa"] = dcsvm.build_config()["isa"]
    return result


def read(peer, path: str) -> dict[str, Any]:
    with open(path, "rb") as f:  # from the page cache for everyone
        while f.read(1 << 24):
            pass
    phases.enter("load")
    start = time.perf_counter()
    x, y = peer.load(path)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "rows": len(y), "nonzeros": len(x.data), "sum": float(x.data.sum()), "sum_labels": float(sum(y))}


def rate(case: dict[str, Any]) -> dict[str, Any]:
    from . import bound, problems

    problem = problems.load(case["problem"])
    phases.enter("rate")
    start = time.perf_counter()
    values = bound.kernel_rate(problem, case.get("threads", 2))
    return {"seconds": time.perf_counter() - start, "values_per_second": values, "rows": len(problem.y_train)}


def train(peer, case: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    from dcsvm._bench import quality

    from . import linear, peers, problems

    settings = peers.Settings(**{k: case[k] for k in ("tol", "cache_mb", "threads", "options") if k in case})
    forget_peak()
    imported = status_mb("VmRSS")
    problem = problems.load(case["problem"])
    own = {k: settings.options.pop(k) for k in DESCRIBE if k in settings.options}
    problem = replace(problem, formulation=own.pop("formulation", problem.formulation), params=problem.params | own)
    forget_peak()
    before = status_mb("VmRSS")
    fit = peer.fit(problem, settings)
    peak = status_mb("VmHWM")
    result |= {
        "seconds": fit.seconds,
        "cpu_seconds": peers.fit_cpu_seconds,
        "other_cpus": peers.other_cpus,
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
        "tol": settings.tol,
    }
    wanted = case.get("quality", True)
    if fit.solution is not None:
        support = quality.support_of(fit.solution)
        result["n_support"] = len(support)
        if case.get("support_file"):
            np.save(case["support_file"], support)
    phases.found(result)
    if case.get("predict", True) and fit.weights is None and problem.formulation != "one_class":
        predict(problem, fit, result, everything=wanted)
        phases.found(result)
    if wanted and fit.weights is not None:
        phases.enter("quality")
        result["objective"] = linear.objective(
            settings.options["solver"], problem.X_train, problem.y_train, fit.weights, problem.C
        )
    if wanted and fit.solution is not None:
        if quality.cost(problem, fit.solution) > QUALITY_VALUES:
            result["quality_skipped"] = "too many kernel values to recompute objective and violation in double precision"
            return result
        phases.enter("quality")
        intercept = settings.options.get("fit_intercept", True)
        result |= asdict(quality.measure(problem, fit.solution, intercept, settings.threads))
    return result


def predict(problem, fit, result: dict[str, Any], everything: bool) -> None:
    """Times the prediction of PREDICTED test rows, repeated where there are fewer. If everything: accuracy of all test rows, or
    the root of the mean squared error."""
    import numpy as np

    n = len(problem.y_test)
    rows = np.arange(PREDICTED) % n
    form = fit.predict_form(problem.X_test[rows])
    phases.enter("predict")
    seconds, cpu = [], []
    while not seconds or (len(seconds) < PREDICTIONS and sum(seconds) < FAST_SECONDS):
        start, start_cpu = time.perf_counter(), time.process_time()
        labels = fit.predict(form)
        cpu.append(time.process_time() - start_cpu)
        seconds.append(time.perf_counter() - start)
    result["predict_seconds"], result["predict_cpu_seconds"] = min(seconds), min(cpu)
    result["predicted"] = PREDICTED
    if not everything:
        return
    result["linear_cpu_seconds"] = linear_cpu_seconds(problem.X_test[rows])
    labels = labels[:n]
    if n > PREDICTED:
        phases.found(result)
        phases.enter("accuracy")
        rest = problem.X_test[PREDICTED:]
        labels = np.concatenate([labels, fit.labels(rest) if fit.labels else fit.predict(fit.predict_form(rest))])
    if problem.regression:
        result["rmse"] = float(np.sqrt(np.mean((labels - problem.y_test) ** 2)))
    else:
        result["accuracy"] = 100 * float(np.mean(labels == problem.y_test))
    result["tested_on"] = problem.tested_on


def linear_model(n_features: int):
    """scikit-learn's linear SVM with all weights 1, in float32."""
    import numpy as np
    from sklearn.svm import LinearSVC

    model = LinearSVC()
    model.classes_, model.n_features_in_ = np.array([-1, 1]), n_features
    model.coef_, model.intercept_ = np.ones((1, n_features), np.float32), np.zeros(1, np.float32)
    return model


def linear_cpu_seconds(x) -> float | None:
    """CPU seconds of LinearSVC.decision_function on rows: what the cost of a prediction is a multiple of. None without
    scikit-learn."""
    try:
        model = linear_model(x.shape[1])
    except ModuleNotFoundError:
        return None
    if not hasattr(x, "indptr"):
        x = x.astype("float32")
    cpu = []
    for _ in range(LINEAR_RUNS):
        start = time.process_time()
        model.decision_function(x)
        cpu.append(time.process_time() - start)
    return min(cpu)


def main() -> None:
    phases.found(run(json.loads(sys.argv[1])))


if __name__ == "__main__":
    main()
