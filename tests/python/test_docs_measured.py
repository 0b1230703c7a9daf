"""What pages and pictures say of measurements is what the committed results say."""

import re
import sys

import numpy as np
import pytest

from _pages import ROOT, section, tables, text_of

sys.path.insert(0, str(ROOT))
from bench import pages, papers, pictures, readme, report, which_kernel
from bench.admitted import admitted
from bench.paper_tables import PAPERS
from bench.store import RunFile, Store


@pytest.mark.parametrize("page", readme.PAGES)
def test_the_number_of_readme_and_home_page_comes_from_committed_results(page):
    """Of an idle machine (bench/admitted.py)."""
    text = text_of(page)
    assert text.count("\n") <= 130
    assert text.split(readme.MARKS[0])[1].split(readme.MARKS[1])[0].strip() == readme.text(page)


def test_the_table_of_early_models_comes_from_committed_results():
    shown = text_of(readme.EARLY_PAGE).split(readme.MARKS[0])[1].split(readme.MARKS[1])[0]
    assert shown.strip() == readme.early_table()


def test_the_page_of_benchmarks_shows_what_the_results_say():
    page, text = ROOT / "docs/developers/benchmarks.md", text_of("docs/developers/benchmarks.md")
    store, left_out = admitted(Store.of_files(pages.reported()))
    plots = [page.parent / target for target in re.findall(r"\]\((figures/[\w-]+\.svg)\)", text)]
    shown = text.split(report.BEGIN)[1].split(report.END)[0]
    assert shown.strip() == report.body(store, left_out, plots, page).strip()


def test_the_page_of_kernels_shows_what_the_results_say():
    runs = RunFile(which_kernel.RESULTS).runs
    shown = text_of("docs/guide/kernels.md").split(which_kernel.BEGIN)[1].split(which_kernel.END)[0]
    assert shown.strip() == which_kernel.table(runs)
    splits = {(run["problem"], run["kernel"], run["seed"]) for run in runs}
    assert len(splits) == len(runs) == 2 * len(which_kernel.KERNELS) * len({run["problem"] for run in runs})


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_the_pages_of_papers_show_what_the_results_say(paper):
    shown = text_of(f"docs/reproduce/{paper.key}.md").split(papers.MARKS[0])[1].split(papers.MARKS[1])[0]
    assert shown.strip() == papers.body(Store.of_files([ROOT / "bench/results/papers.jsonl"]), paper).strip()


def test_the_pages_of_papers_say_first_how_many_claims_hold():
    """The counts are those of the page's table. What is of other data, or was not measured, cannot be compared."""
    summary = {
        names[0]: row
        for row in next(tables(text_of("docs/reproduce/index.md")))[1:]
        if (names := re.findall(r"\((\S+)\)", row[1]))
    }
    total = np.zeros(3, dtype=int)
    for page, row in summary.items():
        counts = np.zeros(3, dtype=int)
        for *_, holds in next(tables(section(f"docs/reproduce/{page}", "Claims")))[1:]:
            counts[{"yes": 0, "**no**": 1, "other data": 2, "-": 2}[holds]] += 1
        assert [*map(int, row[2:])] == [*counts], page
        do = "does" if counts[1] == 1 else "do"
        words = f"Of {counts.sum()} claims {counts[0]} hold, {counts[1]} {do} not hold, and {counts[2]} cannot be compared"
        assert words in text_of(f"docs/reproduce/{page}").split("\n\n")[1], page
        total += counts
    found = f"{total[0]} hold here, {total[1]} do not hold, and {total[2]} cannot be compared"
    assert f"Of {total.sum()} claims of the five papers {found}" in text_of("docs/reproduce/index.md")


@pytest.mark.parametrize("name", [n for n in pictures.PICTURES if n != "regions"])  # that one trains models
def test_a_picture_is_there_if_its_runs_may_be_shown(name):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    try:
        axes = pictures.PICTURES[name]().axes
    except pictures.NotShownError:
        axes = []
    assert bool(axes) == (ROOT / f"docs/figures/{name}.svg").exists()
    assert not axes or sum(len(axis.lines) + len(axis.patches) for axis in axes) > 2


@pytest.mark.parametrize("name", sorted(p.stem for p in ROOT.glob("docs/figures/*.svg")))
def test_a_picture_has_a_dark_colour_for_each_of_its_colours(name):
    text = text_of(f"docs/figures/{name}.svg")
    used = set(re.findall(r"(?:fill|stroke): #\w+", " ".join(re.findall(r'style="([^"]*)"', text))))
    dark = text.split("@media (prefers-color-scheme: dark) {")[1].split("</style>")[0]
    assert len(used) > 3
    assert used <= set(re.findall(r'\[style\*="([^"]+)"\]', dark))
