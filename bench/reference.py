"""Records LIBSVM's answers: objective as printed and in double precision, support vectors, accuracy.

    python -m bench.reference --out reference.json --problems usps ijcnn1 --tols 1e-3 1e-6

One entry per problem and tol; entries that are there are kept, so a restart goes on. The numbers of
tests/python/libsvm/test_libsvm_reference.py and docs/developers/benchmarks.md come from here. Answers, not timings: run it niced,
with OMP_WAIT_POLICY=passive where other work goes on.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from .runner import run_process

PROBLEMS = ("heart", "svmguide1", "usps", "pendigits", "ijcnn1", "a9a", "covtype85k", "mnist-round")
KEPT = ("objective", "violation", "infeasibility", "n_support", "accuracy", "tested_on", "versions")


def main() -> int:
    p = argparse.ArgumentParser("bench.reference", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON; kept and added to")
    p.add_argument("--problems", nargs="+", default=PROBLEMS, metavar="NAME")
    p.add_argument("--tols", nargs="+", type=float, default=[1e-3, 1e-6], metavar="TOL")
    p.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    p.add_argument("--time-limit", type=float, default=6 * 3600, metavar="S", help="of one problem (default 6 hours)")
    a = p.parse_args()
    known = json.loads(a.out.read_text()) if a.out.exists() else {}
    failures = 0
    for key, name, tol in ((f"{name}@{tol:g}", name, tol) for tol in a.tols for name in a.problems):
        if key in known:
            continue
        support = a.out.parent.resolve() / f"support-{key.replace('/', '_')}.npy"
        case = {"problem": name, "peer": "libsvm", "tol": tol, "threads": a.threads, "support_file": str(support)}
        run = run_process(case, a.threads, a.time_limit)
        if "error" in run:
            failures += 1
            print(f"{key}: {run['error']}", flush=True)
            continue
        known[key] = {k: run[k] for k in KEPT} | {
            "objective_printed": run["notes"]["objective"],
            "n_iter": run["notes"]["n_iter"],
        }
        part = a.out.with_suffix(".part")
        part.write_text(json.dumps(known, indent=1))
        os.replace(part, a.out)
        print(f"{key}: {known[key]['objective_printed']} printed, {run['objective']} in double precision", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
