"""One pass of Vowpal Wabbit (package vowpalwabbit) over problems of `bench.linear`: how near it comes, and its seconds.

    python -m bench.vowpal_wabbit newsgroups20b:0,3 a9a:0

Its examples are made before the clock starts. It runs with its own defaults (adaptive, normalised, one pass), the loss of the
solver, no constant feature, and --l2 1/n, the penalty of C = 1. "above" is its objective, recomputed from its weights in float64,
over ours, less one. It has no squared hinge loss.
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np

import dcsvm

from .linear import LOSS_OF, NAMES, binary_cases, clock, objective

REPEATS = 3


def examples(x, y: np.ndarray) -> list[str]:
    ends = x.indptr
    return [
        f"{label:g} | " + " ".join(f"{j}:{v:.9g}" for j, v in zip(x.indices[a:b].tolist(), x.data[a:b].tolist(), strict=True))
        for label, a, b in zip(y, ends[:-1], ends[1:], strict=True)
    ]


def one_pass(x, y: np.ndarray, loss: str) -> tuple[np.ndarray, float]:
    """Weights and seconds of processor time."""
    from vowpalwabbit import Workspace

    bits = max(18, int(np.ceil(np.log2(x.shape[1] + 1))))
    space = Workspace(f"--quiet --noconstant --loss_function {loss} --l2 {1 / len(y)!r} -b {bits}")
    made = [space.parse(line) for line in examples(x, y)]

    def learn() -> None:
        for example in made:
            space.learn(example)

    seconds = clock(learn)[1]
    # A feature whose name is a number has this number as its place.
    w = np.array([space.get_weight(j) for j in range(x.shape[1])])
    for example in made:
        space.finish_example(example)
    space.finish()
    return w, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="problem[:solvers]")
    args = parser.parse_args()
    for name, x, y, solvers in binary_cases(parser, args.cases, lambda _: (0, 3)):
        for solver in solvers:
            loss = LOSS_OF[solver]
            if loss not in ("logistic", "hinge"):
                parser.error(f"Vowpal Wabbit has no {loss} loss; use solver 0 or 3")
            ours, theirs = [], []
            for _ in range(REPEATS):
                ours.append(clock(lambda x=x, y=y, s=solver: dcsvm.train_linear(x, y, solver=NAMES[s], bias=-1, n_jobs=1)))
                theirs.append(one_pass(x, y, loss))
            w, reached = ours[0][0].coef_.ravel(), theirs[0][0]
            goal, at = (objective(solver, x, y, v.reshape(-1, 1), np.array([1.0, -1.0])) for v in (w, reached))
            right = [100 * np.mean((x @ v > 0) == (y > 0)) for v in (w, reached)]
            seconds, theirs_s = (statistics.median(r[1] for r in runs) for runs in (ours, theirs))
            print(
                f"{name}:{solver}  dcsvm {seconds:.4f} s, {right[0]:.2f} % of the rows right; one pass {theirs_s:.4f} s "
                f"({theirs_s / seconds:.2f}x), above {at / goal - 1:+.1e}, {right[1]:.2f} %",
                flush=True,
            )


if __name__ == "__main__":
    main()
