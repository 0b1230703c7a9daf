"""Many classes, regression, the nu formulations and one class: dcsvm against LIBSVM and the Extension for Scikit-learn.

    python -m bench.formulations                          all cases, three runs of each
    python -m bench.formulations usps nu-svc-usps --repeats 5 --threads 2

Each run is a process of its own (a user's first training also pays for memory that was never touched), peers take turns, and the
clock starts when each side has the data in its own form: LIBSVM its nodes, the Extension float32, dcsvm the arrays as they are.
Objective and KKT violation are computed for every peer alike (quality.py). Ratios are of medians.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import Any

from .runner import run_process

PEERS = ("dcsvm_auto", "libsvm", "sklearnex_float32")
LONG = 20.0  # seconds: a peer whose first run took longer is not run again
LIMIT = 3600.0  # seconds of one training
_POLY = {"kernel": "poly", "degree": 3, "coef0": 1.0}
CASES: dict[str, tuple[str, dict[str, Any]]] = {  # a problem, and what is not its own
    "pendigits": ("pendigits", {}),
    "usps": ("usps", {}),
    "26-classes": ("gaussians", {}),
    "26-classes-C1000": ("gaussians", {"C": 1000.0}),
    "26-classes-poly": ("gaussians", _POLY),
    "26-classes-poly-C1000": ("gaussians", {"C": 1000.0, **_POLY}),
    "noisy-labels": ("noisy-labels", {}),
    "svr-cadata": ("cadata", {"formulation": "epsilon_svr", "epsilon": 0.01}),
    "nu-svr-cadata": ("cadata", {"formulation": "nu_svr", "nu": 0.5}),
    "svr-smooth": ("smooth", {"formulation": "epsilon_svr", "epsilon": 0.1}),
    "nu-svr-smooth": ("smooth", {"formulation": "nu_svr", "nu": 0.3}),
    "nu-svc-usps": ("usps", {"formulation": "nu_svc", "nu": 0.1}),
    "nu-svc-ijcnn1": ("ijcnn1", {"formulation": "nu_svc", "nu": 0.05}),
    "one-class-covtype85k": ("covtype85k", {"formulation": "one_class", "nu": 0.1}),
}


def compare(name: str, peers: list[str], repeats: int, threads: int) -> None:
    problem, options = CASES[name]
    runs: dict[str, list[dict[str, Any]]] = {}
    for turn in range(repeats):
        for peer in peers:
            if peer.startswith("sklearnex") and options.get("formulation") == "one_class":
                continue  # it has none of its own
            if turn and (peer not in runs or runs[peer][0]["seconds"] > LONG):
                continue
            case = {
                "problem": problem,
                "peer": peer,
                "options": options,
                "threads": threads,
                "predict": False,
                "quality": turn == 0,
            }
            found = run_process(case, threads, LIMIT)
            if "error" in found:
                print(f"{name} {peer}: {found['error']}", file=sys.stderr)
            else:
                runs.setdefault(peer, []).append(found)
    median = {peer: statistics.median(r["seconds"] for r in found) for peer, found in runs.items()}
    for peer, found in runs.items():
        ratio = f"{median[peer] / median['dcsvm_auto']:.1f}x" if peer != "dcsvm_auto" and "dcsvm_auto" in median else ""
        judged = f"{found[0]['objective']:.7g} | {found[0]['violation']:.1e} | {found[0]['n_support']:,}"
        print(f"| {name} | {peer} | {median[peer]:.3g} ({len(found)}) | {ratio} | {judged} |", flush=True)


def main() -> int:
    p = argparse.ArgumentParser("bench.formulations", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)} (default all)")
    p.add_argument("--peers", nargs="+", choices=(*PEERS, "sklearn_svc", "sklearnex_float64"), default=list(PEERS))
    p.add_argument("--repeats", type=int, default=3, help="runs of each (default 3)")
    p.add_argument("--threads", type=int, default=2, help="of every peer (default 2)")
    a = p.parse_args()
    unknown = [name for name in a.cases if name not in CASES]
    if unknown:
        p.error(f"CASE must be one of {', '.join(CASES)}; got {', '.join(unknown)}")
    print(
        "| case | peer | seconds | times dcsvm's | objective | KKT violation | support vectors |\n|---|---|---|---|---|---|---|"
    )
    for name in a.cases or CASES:
        compare(name, a.peers, a.repeats, a.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
