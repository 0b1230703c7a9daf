"""Figures of docs/developers/measurements.md.

    python -m bench.randomised ls matching_pursuit --steps 40 --every 10 --state mp.model --log curves.jsonl
    python -m bench.randomised ls matching_pursuit --steps 40 --every 10 --state mp.model --log curves.jsonl   # goes on
    python -m bench.randomised plot curves.jsonl docs/developers/figures/ls-svm.svg
    python -m bench.randomised spectra
    python -m bench.randomised small

Timings mean something only on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import dcsvm

from .problems import load

LS = {"kernel": "poly", "degree": 4, "gamma": 1.0, "gamma_ls": 1e4}  # Section 4.1
LABELS = {"nystrom": "Nyström committee", "kaczmarz": "Kaczmarz", "matching_pursuit": "matching pursuit", "kaczmarz_mp": "hybrid"}


# --features: Sections 4.1's preprocessing; with Eq. 71 as printed; without its root, of the image; of pieces of the image
FEATURES: dict[str, Any] = {
    "pixels": dcsvm.TwoStepNormalizer(),
    "fft-printed": dcsvm.FourierFeatures(power=0.5),
    "fft-image": dcsvm.FourierFeatures(image_shape=(28, 28)),
    "fft-pieces": dcsvm.FourierFeatures(image_shape=(28, 28), power=0.5, window=14, n_frequencies=4),
}


def mnist(features: str) -> tuple[np.ndarray, ...]:
    """Ten classes, rows preprocessed by FEATURES, float32."""
    p = load("mnist")
    step = FEATURES[features]
    x, xt = (step.fit_transform(np.asarray(v, dtype=np.float32)) for v in (p.X_train, p.X_test))
    return x, p.y_train, xt, p.y_test


def step_seconds(marks: list[float], total: float) -> float:
    """Median time between steps; a first step may hold what a start costs."""
    gaps = np.diff(marks)
    return float(np.median(gaps)) if len(gaps) else total / max(len(marks), 1)


def ls_curve(a: argparse.Namespace) -> None:
    """Test error after every `every` steps, going on from the state file when it exists."""
    x, y, xt, yt = mnist(a.features)
    model, done = None, 0
    if a.state and a.state.exists():
        model = dcsvm.load_model(a.state)
        done = int(a.state.with_suffix(".steps").read_text())
    stop = done + a.steps
    members: Any = 0.0
    began = time.perf_counter()
    marks: list[float] = []

    def watch(_: Any) -> bool:  # notes the time; true: no time is left
        marks.append(time.perf_counter())
        return marks[-1] - began > a.seconds

    while done < stop and time.perf_counter() - began < a.seconds:
        marks.clear()
        options = dict(LS, method=a.method, block_size=a.block, tol=1e-9, random_state=a.seed * 100_003 + done)
        if a.method != "nystrom":
            options["warm_start"] = model
        start = time.perf_counter()
        steps = 1 if a.method == "nystrom" else a.every
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)  # stopped for the time
            model = dcsvm.train_ls_svm(x, y, n_iter=steps, callback=watch, **options)
        seconds = time.perf_counter() - start
        done += model.report.n_iter
        start = time.perf_counter()
        decisions = model.decision_function(xt)
        predicting = time.perf_counter() - start
        if a.method == "nystrom":  # members of different seeds: their mean is the committee
            members = members + decisions
            decisions = members
        r = model.report
        row = {
            "method": a.method,
            "features": a.features,
            "J": a.block,
            "seed": a.seed,
            "t": done,
            "error": 100 * float((model.classes_[decisions.argmax(axis=1)] != yt).mean()),
            "residual": r.residual,
            "step_seconds": step_seconds(marks, r.seconds["solve"]),
            "seconds": seconds,
            "predict_seconds": predicting,
            "peak_mb": r.peak_bytes / 2**20,
            "regularised": r.n_regularised,
            "threads": r.n_threads,
            "isa": r.isa,
        }
        print(json.dumps(row), flush=True)
        if a.log:
            with a.log.open("a") as file:
                file.write(json.dumps(row) + "\n")
        if a.state:
            model.save(a.state)
            a.state.with_suffix(".steps").write_text(str(done))


def plot(log: Path, out: Path) -> None:
    """Figure 2 and 3: error against steps, a panel for each method."""
    from .plots import save_curves

    rows = [json.loads(line) for line in log.read_text().splitlines()]
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for r in rows:
        pixels = r["features"] == "pixels"
        title = LABELS[r["method"]] + ("" if pixels else ", FFT features")
        curve = f"J = {r['J']:,}" if pixels else r["features"]
        panels.setdefault(title, {}).setdefault(curve, []).append((r["t"], r["error"]))
    save_curves(panels, out, x="steps t", y="test error, %")


def spectra(n: int, draws: int) -> None:
    """FourierFeatures' parameters: exact solutions on n training rows of mnist, error of 20,000 other training rows."""
    image = {"image_shape": (28, 28)}
    steps: dict[str, Any] = {"TwoStepNormalizer()": dcsvm.TwoStepNormalizer()}
    for own in (
        {"power": 0.5},
        {"power": 1.0},
        image | {"power": 0.5},
        image | {"power": 1.0},
        image | {"power": 1.0, "window": 14},
        image | {"power": 0.5, "window": 14},
        image | {"power": 1.0, "window": 14, "n_frequencies": 4},
        image | {"power": 0.5, "window": 14, "n_frequencies": 5},
        image | {"power": 0.5, "window": 14, "n_frequencies": 4},
        image | {"power": 0.5, "window": 14, "n_frequencies": 3},
        image | {"power": 0.5, "window": 8, "n_frequencies": 4},
        image | {"power": 0.5, "window": 20, "n_frequencies": 4},
    ):
        steps["FourierFeatures(" + ", ".join(f"{k}={v}" for k, v in own.items()) + ")"] = dcsvm.FourierFeatures(**own)
    p = load("mnist")
    print("| features | number | held-out error, % |", "|---|---|---|", sep="\n")
    for title, step in steps.items():
        errors = []
        for draw in range(draws):
            rows = np.random.default_rng(draw).permutation(len(p.y_train))[: n + 20_000]
            x = step.fit_transform(np.asarray(p.X_train[rows], dtype=np.float32))
            model = dcsvm.train_ls_svm(x[:n], p.y_train[rows[:n]], method="exact", **LS)
            errors.append(100 * float((model.predict(x[n:]) != p.y_train[rows[n:]]).mean()))
        print(f"| `{title}` | {x.shape[1]:,} | {', '.join(f'{e:.2f}' for e in errors)} |", flush=True)


def small() -> None:
    """usps and pendigits: every method beside SVC, with the kernel and gamma of the problem."""
    print("| problem | model | test error, % | seconds |", "|---|---|---|---|", sep="\n")
    for name in ("usps", "pendigits"):
        p = load(name)
        contestants: dict[str, Any] = {f"SVC, C = {p.C:g}": dcsvm.SVC(C=p.C, gamma=p.gamma)}
        for method in ("matching_pursuit", "kaczmarz", "kaczmarz_mp", "nystrom", "exact"):
            contestants[f"LSSVC, {method}"] = dcsvm.LSSVC(gamma=p.gamma, gamma_ls=100, method=method, random_state=0)
        for title, model in contestants.items():
            start = time.perf_counter()
            model.fit(p.X_train, p.y_train)
            seconds = time.perf_counter() - start
            error = 100 * (1 - model.score(p.X_test, p.y_test))
            print(f"| {name} | {title} | {error:.2f} | {seconds:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        "bench.randomised", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    ls = commands.add_parser("ls", help="mnist, 10 classes, degree 4, gamma 10^4: error against steps")
    ls.add_argument("method", choices=list(LABELS))
    ls.add_argument("--features", choices=list(FEATURES), default="pixels")
    ls.add_argument("--steps", type=int, default=30)
    ls.add_argument("--every", type=int, default=10, help="steps between errors")
    ls.add_argument("--seconds", type=float, default=1e9, help="stop at the next step after so many")
    ls.add_argument("--block", type=int, default=2000, help="J")
    ls.add_argument("--seed", type=int, default=0)
    ls.add_argument("--state", type=Path, help="model file to go on from and to leave behind")
    ls.add_argument("--log", type=Path, help="JSON lines to add to")
    drawing = commands.add_parser("plot", help="Figure 2 from a log")
    drawing.add_argument("log", type=Path)
    drawing.add_argument("out", type=Path)
    chosen = commands.add_parser("spectra", help="FourierFeatures' parameters on held-out training rows")
    chosen.add_argument("--rows", type=int, default=5000, help="training rows; above 10,000 conjugate gradients")
    chosen.add_argument("--draws", type=int, default=3)
    commands.add_parser("small", help="usps and pendigits beside SVC")
    a = parser.parse_args()
    if a.command == "ls":
        ls_curve(a)
    elif a.command == "plot":
        plot(a.log, a.out)
    elif a.command == "spectra":
        spectra(a.rows, a.draws)
    else:
        small()


if __name__ == "__main__":
    main()
