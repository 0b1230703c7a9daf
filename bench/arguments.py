"""The options of python -m bench."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

DESCRIPTION = "Time dcsvm and its peers on the same problems: training, prediction, reading, memory, and the solutions' quality."
EPILOG = """\
examples:
  python -m bench --list                                                     problems and peers, and which are there
  python -m bench --problems checkerboard-100k --peers dcsvm_auto libsvm
  python -m bench --problems ijcnn1 a9a --peers all --load --repeat 5 --out r.jsonl
  python -m bench --problems covtype85k --peers libsvm --out r.jsonl --resume   adds to r.jsonl what it lacks
  python -m bench --scaling covtype85k --peers dcsvm_auto libsvm --out s.jsonl  5,000 rows, 10,000, 20,000, ...
  python -m bench --linear a9a:0,3 imdb                                    LIBLINEAR's problems against LIBLINEAR
  python -m bench --paper                                                    the tables of the methods' papers
  python -m bench --paper dc-svm-table-2 --threads 1 --repeat 1 --out p.jsonl  one of them, beside the paper's numbers
  python -m bench --paper dc-svm --report p.jsonl                              the page that reproduces a paper
  python -m bench --report r.jsonl s.jsonl --page docs/developers/benchmarks.md   tables and plots

Each case is a process of its own; peers alternate. The LIBSVM, scikit-learn and oneDAL peers and the plots need the extra
"bench"; real data is looked for in the folder DCSVM_DATA and among what dcsvm datasets downloaded. Seconds mean something only on
an otherwise idle machine.
"""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """The options, on a parser."""
    g = p.add_argument_group("what runs")
    g.add_argument("--problems", nargs="+", metavar="NAME", default=[], help="problems; NAME/n takes the first n training rows")
    g.add_argument("--peers", nargs="+", metavar="NAME", default=["all"], help="peers or groups: all, exact, dcsvm, quick (all)")
    g.add_argument(
        "--scaling",
        nargs="*",
        metavar="NAME",
        help="problems at 5,000 rows, 10,000, ... (without names: covtype85k and checkerboard-1m)",
    )
    g.add_argument("--max-rows", type=int, default=80_000, metavar="N", help="of --scaling (80000)")
    g.add_argument(
        "--paper",
        nargs="*",
        metavar="NAME",
        help="tables of the methods' papers, or all of a paper (of --problems and --peers alone where given); without names: "
        "lists them. With --report: writes the papers' pages",
    )
    g.add_argument(
        "--linear",
        nargs="*",
        metavar="NAME",
        help="linear solvers against LIBLINEAR: NAME or NAME:numbers of LIBLINEAR's solvers (without names: the page's table)",
    )
    g.add_argument("--load", action="store_true", help="also time reading the problems as LIBSVM text")
    g.add_argument("--tol", type=float, nargs="+", default=[1e-3], help="tolerances of the solvers (0.001)")
    g.add_argument("--cache-size", type=float, default=4000, metavar="MB", help="of every solver (4000)")
    g.add_argument(
        "--threads", type=int, nargs="+", metavar="N", help="of every peer (all cores); further numbers add comparisons with that"
    )
    g.add_argument("--isa", nargs="+", default=[], metavar="ISA", help="also dcsvm with DCSVM_FORCE_ISA=ISA")
    g = p.add_argument_group("how")
    g.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each case (3)")
    g.add_argument("--repeat-limit", type=float, default=60, metavar="S", help="a case above S seconds runs once (60)")
    g.add_argument("--time-limit", type=float, default=600, metavar="S", help="of one training, prediction or reading (600)")
    g.add_argument("--out", type=Path, metavar="FILE", help="results as JSON lines, rewritten after every run")
    g.add_argument("--resume", action="store_true", help="keep the runs that FILE has and add those that it lacks")
    g.add_argument(
        "--work", type=Path, default=Path(tempfile.gettempdir()) / "dcsvm-bench", metavar="DIR", help="folder of text files"
    )
    g = p.add_argument_group("what is shown")
    g.add_argument("--pictures", action="store_true", help="draw the pictures of README and site from committed results, and end")
    g.add_argument("--list", action="store_true", help="list problems and peers, and end")
    g.add_argument(
        "--report", nargs="*", type=Path, metavar="FILE", help="write tables and plots of these results (--out's) into --page"
    )
    g.add_argument(
        "--page",
        type=Path,
        help="(docs/developers/benchmarks.md); with --paper the papers' folder (docs/reproduce), or one paper's page. "
        "A file that is not there is begun",
    )
    g.add_argument("--plots", type=Path, metavar="DIR", help="folder of the plots (figures beside the page)")
    g.add_argument("--no-plots", action="store_true", help="tables alone")
