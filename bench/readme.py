"""Draws the pictures of the README and the site (bench/pictures.py) and writes the README's sentence, from committed results.

python -m bench --pictures        needs matplotlib (the extra "plot")

The sentence's results are of one session on one machine, as this command measures them:
python -m bench --scaling covtype85k --max-rows 40000 --peers exact dcsvm_early --out bench/results/readme-curve.jsonl
"""

from __future__ import annotations

from . import pictures
from .pictures import CURVE, OURS, RIVAL, ROOT
from .report import rewrite
from .results import Results, number, ratio
from .tables import scaling_series

MARKS = ("<!-- python -m bench --pictures: begin -->", "<!-- python -m bench --pictures: end -->")


def text(r: Results) -> str:
    """The one number, and the picture."""
    rows, _ = scaling_series(r)[CURVE][OURS][-1]
    mine, theirs = (r.measured(dict(scaling_series(r)[CURVE][peer])[rows]) for peer in (OURS, RIVAL))
    times = ratio(mine, theirs).value
    if times is None or mine.value is None:
        raise ValueError(f"the results need {CURVE} with {rows} rows for {OURS} and {RIVAL}: {theirs.why or mine.why}")
    return (
        f"**{times:.0f} times as fast as LIBSVM, with the same answer:** {rows:,} rows of a covtype sample train in "
        f"{number(mine.value)} s instead of {theirs.text()} s (two cores).\n\n"
        "![Seconds of training against rows of a sample of covtype, for dcsvm and its peers, both axes logarithmic]"
        "(docs/figures/speed.svg)"
    )


def write() -> None:
    pictures.draw(ROOT / "docs" / "figures")
    rewrite(ROOT / "README.md", text(pictures.committed("readme-curve")), MARKS)
